//===- Sizes.cpp - element counts where bytes belong --------------------------===//
//
//   float *d; cudaMalloc(&d, blocks);                       // blocks elements were meant
//   cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);            // d was allocated as n * sizeof(float)
//   cudaMalloc(&row_ptr, rows * sizeof(int));               // the kernel writes row_ptr[rows]
//
// A size without sizeof proves nothing by itself: it may well be in bytes. The count is shown to be one of
// elements by the allocation of the same pointer, or by the kernel that gets the pointer and the count.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "matchers/Allocations.h"
#include "matchers/ByteCount.h"
#include "matchers/ElementType.h"
#include "matchers/LaunchExpr.h"

using namespace clang;
using namespace kcheck;

namespace {

/// The variable that E names behind casts of any kind.
const VarDecl *named(const Expr *E) { return namedVariable(E->IgnoreParenCasts()); }

/// The variables that an expression and the values of its variables name.
class VariablesOf : public DynamicRecursiveASTVisitor {
public:
  explicit VariablesOf(const VariableWrites &W) : W(W) {}
  llvm::SmallSetVector<const VarDecl *, 8> Found;
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || !V->getType().getNonReferenceType()->isIntegerType() || !Found.insert(V))
      return true;
    if (const Expr *Value = W.onlyValue(V))
      TraverseStmt(const_cast<Expr *>(Value));
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

private:
  const VariableWrites &W;
};

/// How a kernel uses one integer: as a bound of an index.
class BoundUses : public DynamicRecursiveASTVisitor {
public:
  explicit BoundUses(const VarDecl *Count) : Count(Count) { ShouldVisitTemplateInstantiations = true; }
  bool Bounds = false;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isRelationalOp() && (named(B->getLHS()) == Count || named(B->getRHS()) == Count))
      Bounds = true;
    return !Bounds;
  }

private:
  const VarDecl *Count;
};

/// Accesses P[v], and what compares v with the limit N.
class Reach : public DynamicRecursiveASTVisitor {
public:
  Reach(const ParmVarDecl *P, const ParmVarDecl *N, const VariableWrites &W) : P(P), N(N), W(W) {}
  std::optional<int64_t> Over; ///< 0: element N is reached
  SourceLocation At;

  bool VisitArraySubscriptExpr(ArraySubscriptExpr *S) override {
    if (named(S->getBase()) != P)
      return true;
    const Expr *I = S->getIdx()->IgnoreParenImpCasts();
    const VarDecl *V = named(I);
    if (V && V != N && onlyCounts(V) && lastOf(V) == 0) {
      Over = 0;
      At = S->getExprLoc();
    }
    return true;
  }

  /// Every comparison of a variable with N: `v < N`, `v <= N`, `v >= N`, `v > N`.
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (!B->isRelationalOp())
      return true;
    const VarDecl *L = named(B->getLHS()), *R = named(B->getRHS());
    BinaryOperatorKind Op = B->getOpcode();
    if (L == N) {
      std::swap(L, R);
      Op = BinaryOperator::reverseComparisonOp(Op);
    }
    if (!L || R != N)
      return true;
    // v <= N and "leave when v > N" let v == N through; v < N and "leave when v >= N" do not.
    Limits[L].push_back(Op == BO_LE || Op == BO_GT ? 0 : -1);
    return true;
  }

private:
  /// Set once, and stepped by a loop at most.
  bool onlyCounts(const VarDecl *V) const {
    return !W.addressTaken(V) && llvm::all_of(W.of(V), [](const VariableWrite &X) {
      return X.How == VariableWrite::Init || X.How == VariableWrite::Step || (X.How == VariableWrite::Compound && X.Op == BO_AddAssign);
    });
  }
  /// One consistent limit, relative to N.
  std::optional<int64_t> lastOf(const VarDecl *V) const {
    auto It = Limits.find(V);
    if (It == Limits.end() || !llvm::all_of(It->second, [&](int64_t X) { return X == It->second.front(); }))
      return std::nullopt;
    return It->second.front();
  }

  const ParmVarDecl *P, *N;
  const VariableWrites &W;
  llvm::DenseMap<const VarDecl *, llvm::SmallVector<int64_t, 2>> Limits;
};

struct SizedCall {
  llvm::SmallVector<unsigned, 2> Buffers;
  unsigned Bytes;
};

std::optional<SizedCall> sizedCall(StringRef Name) {
  if (Name == "cudaMemset" || Name == "cudaMemsetAsync")
    return SizedCall{{0}, 2};
  if (Name == "cudaMemcpy" || Name == "cudaMemcpyAsync")
    return SizedCall{{0, 1}, 2};
  if (Name == "cudaMemcpyToSymbol" || Name == "cudaMemcpyToSymbolAsync" || Name == "cudaMemcpyFromSymbol" || Name == "cudaMemcpyFromSymbolAsync")
    return SizedCall{{0, 1}, 2};
  return std::nullopt;
}

class SizeVisitor : public ApiWalker {
public:
  explicit SizeVisitor(ApiReporter &R)
      : ApiWalker(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()), Allocs(R.Ctx.get<Allocations>()) {}

  bool VisitCallExpr(CallExpr *C) override {
    if (!hostCode())
      return true;
    if (auto A = allocation(C))
      allocated(C, *A);
    else if (auto S = sizedCall(calleeName(C)); S && C->getNumArgs() > S->Bytes) {
      copied(C, *S);
      if (S->Buffers.size() == 1)
        filled(C);
    } else if (std::string Name = calleeName(C); (Name == "cudaMemcpy2D" || Name == "cudaMemcpy2DAsync") && C->getNumArgs() > 5) {
      rowsCopied(C);
    }
    return true;
  }

private:
  QualType elementOf(const ValueDecl *V) const {
    QualType T = V ? V->getType() : QualType();
    if (T.isNull() || T->isDependentType())
      return {};
    if (T->isArrayType())
      return QualType(T->getBaseElementTypeUnsafe(), 0);
    return T->isPointerType() ? T->getPointeeType() : QualType();
  }

  /// Bytes of one element where that is more than one and certain.
  uint64_t elementSize(QualType T) const {
    if (T.isNull() || T->isIncompleteType() || T->isDependentType() || T->isVoidType())
      return 0;
    uint64_t N = AST.getTypeSizeInChars(T).getQuantity();
    return N > 1 ? N : 0;
  }

  void report(StringRef Tag, SourceLocation At, const llvm::Twine &Message, SourceLocation Note = {}, const llvm::Twine &Why = "") {
    if (!R.first(Tag, At))
      return;
    auto F = R.Ctx.report(Tag, At, Message);
    if (Note.isValid())
      F.note(Note, Why);
  }

  // Allocations

  void allocated(const CallExpr *C, const Allocation &A) {
    QualType T = elementOf(A.Pointer);
    uint64_t Size = elementSize(T);
    if (!Size)
      return;
    ByteCount N = byteCount(A.Bytes, Writes, AST);
    std::string Name = A.Pointer->getNameAsString();
    if (N.Sizes.empty()) {
      if (multipleSpelt(A.Bytes) || otherMultiplier(A, Size) || hasCallOrSizeof(A.Bytes))
        return; // 4 * n may well be bytes, and so may what a function makes of n; a sum of parts has its sizeof in each
      if (SourceLocation Why = countedByKernel(A.Pointer, A.Bytes); Why.isValid())
        report("alloc_size", C->getExprLoc(),
               "'" + Name + "' gets as many bytes as elements are meant: multiply by sizeof(" + T.getUnqualifiedType().getAsString() + ")", Why,
               "this launch uses the same count for elements");
      else if (const VarDecl *V = countOfItsOwn(A.Bytes); V && R.first("alloc_size", C->getExprLoc()))
        R.Ctx.report("alloc_size", C->getExprLoc(),
                     "'" + Name + "' gets as many bytes as '" + V->getName() + "' says, an int that serves for nothing else here: if it counts elements, multiply by sizeof(" +
                         T.getUnqualifiedType().getAsString() + ")")
            .doubt();
      return;
    }
    if (N.Sizes.size() == 1 && N.Sizes[0]->isPointerType() && !T->isPointerType() && AST.hasSimilarType(N.Sizes[0], A.Pointer->getType()) && N.knownBytes(AST) < Size)
      return report("alloc_size", C->getExprLoc(),
                    "the size is counted in pointers (" + llvm::Twine(AST.getTypeSizeInChars(N.Sizes[0]).getQuantity()) + " bytes), the elements of '" + Name + "' have " +
                        llvm::Twine(Size) + ": sizeof(*" + Name + ") is meant");
    if (wrongSizeof(N, T, Size))
      return report("alloc_size", C->getExprLoc(),
                    "'" + Name + "' has elements of " + llvm::Twine(Size) + " bytes, but the size is counted in '" + N.Sizes[0].getAsString() + "' (" +
                        llvm::Twine(AST.getTypeSizeInChars(N.Sizes[0]).getQuantity()) + " bytes)");
    if (N.Sizes.size() == 1 && AST.getTypeSize(N.Sizes[0]) == 8 && !N.constant() && countsElements(N, A, T))
      return report("alloc_size", C->getExprLoc(),
                    "'" + Name + "' has elements of " + llvm::Twine(Size) + " bytes, but the size is counted in '" + N.Sizes[0].getAsString() +
                        "' (1 byte), and the same count is of elements elsewhere here");
    if (N.Sizes.size() == 1 && N.Literal == 1 && AST.hasSameUnqualifiedType(N.Sizes[0], T))
      shortOfKernel(C, A);
  }

  /// Is the count of N multiplied by the size of T for another pointer of the same function?
  bool countsElements(const ByteCount &N, const Allocation &A, QualType T) const {
    return llvm::any_of(Allocs.all(), [&](const Allocation &Other) {
      if (Other.Pointer == A.Pointer || Other.Pointer->getDeclContext() != A.Pointer->getDeclContext() || !AST.hasSameUnqualifiedType(elementOf(Other.Pointer), T))
        return false;
      ByteCount O = byteCount(Other.Bytes, Writes, AST);
      return O.sameSymbols(N) && O.Literal == N.Literal && O.Sizes.size() == 1 && AST.hasSameUnqualifiedType(O.Sizes[0], T);
    });
  }

  bool hasCallOrSizeof(const Expr *E) const {
    struct Finder : DynamicRecursiveASTVisitor {
      explicit Finder(const VariableWrites &W) : W(W) {}
      const VariableWrites &W;
      bool Found = false;
      unsigned Depth = 0;
      bool VisitCallExpr(CallExpr *) override { return !(Found = true); }
      bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return !(Found = true); }
      bool VisitDeclRefExpr(DeclRefExpr *D) override {
        const auto *V = dyn_cast<VarDecl>(D->getDecl());
        if (const Expr *Value = V && Depth < 4 ? W.onlyValue(V) : nullptr) {
          ++Depth;
          TraverseStmt(const_cast<Expr *>(Value));
          --Depth;
        }
        return !Found;
      }
    } F(Writes);
    F.TraverseStmt(const_cast<Expr *>(Writes.resolve(E)));
    return F.Found;
  }

  bool wrongSizeof(const ByteCount &N, QualType T, uint64_t Size) const {
    if (N.Sizes.size() != 1 || N.Sizes[0]->isDependentType() || N.Sizes[0]->isIncompleteType())
      return false;
    ElementType E = elementType(T, AST), S = elementType(N.Sizes[0], AST);
    if (E.Kind == ElementKind::Other || S.Kind == ElementKind::Other || S.Kind == ElementKind::Byte || S.bytes() >= Size)
      return false;
    if (E.Lanes > 1 && E.Kind == ElementKind::Integer)
      return false; // uint4 carries 16 bytes of anything
    bool Component = S.Kind == E.Kind && S.Size == E.Size;
    return !Component && N.knownBytes(AST) % Size != 0;
  }

  /// A constant factor that is an element size and no count of the kernel's: `n * kElementBytes`.
  bool otherMultiplier(const Allocation &A, uint64_t Size) const {
    VariablesOf Vars(Writes);
    Vars.TraverseStmt(const_cast<Expr *>(A.Bytes));
    for (const VarDecl *V : Vars.Found) {
      const Expr *Value = V->getInit();
      Expr::EvalResult C;
      if (!Value || Vars.Found.size() < 2 || Value->isValueDependent() || !Value->EvaluateAsInt(C, AST) ||
          C.Val.getInt().getZExtValue() % Size != 0)
        continue;
      bool InLaunch = llvm::any_of(launches(), [&](const CUDAKernelCallExpr *L) {
        VariablesOf Named(Writes);
        Named.TraverseStmt(const_cast<CUDAKernelCallExpr *>(L));
        return passes(L, A.Pointer) && Named.Found.contains(V);
      });
      if (!InLaunch)
        return true;
    }
    return false;
  }

  /// The int parameter that Bytes is, where the function names it nowhere else; null where it is none.
  const VarDecl *countOfItsOwn(const Expr *Bytes) const {
    const VarDecl *V = named(Bytes);
    bool Int = V && isa<ParmVarDecl>(V) && (V->getType()->isSpecificBuiltinType(BuiltinType::Int) || V->getType()->isSpecificBuiltinType(BuiltinType::UInt));
    return Int && Writes.of(V).empty() && namedOnce(V) ? V : nullptr;
  }

  /// Is this the only place of the function that names V?
  bool namedOnce(const VarDecl *V) const {
    struct Counter : DynamicRecursiveASTVisitor {
      const VarDecl *V;
      unsigned Count = 0;
      bool VisitDeclRefExpr(DeclRefExpr *E) override {
        Count += E->getDecl() == V;
        return true;
      }
    } Uses;
    Uses.V = V;
    if (Function && Function->getBody())
      Uses.TraverseStmt(Function->getBody());
    return Uses.Count == 1;
  }

  /// Whether a launch gets the pointer and treats a variable of Bytes as a count of elements.
  SourceLocation countedByKernel(const ValueDecl *Pointer, const Expr *Bytes) const {
    VariablesOf Vars(Writes);
    Vars.TraverseStmt(const_cast<Expr *>(Bytes));
    if (Vars.Found.empty() || !Function)
      return {};
    for (const CUDAKernelCallExpr *L : launches())
      if (passes(L, Pointer) && counts(L, Pointer, Vars))
        return L->getBeginLoc();
    return {};
  }

  bool counts(const CUDAKernelCallExpr *L, const ValueDecl *, const VariablesOf &Vars) const {
    LaunchSyntax S = launchSyntax(L);
    if (S.Grid) {
      VariablesOf InGrid(Writes);
      InGrid.TraverseStmt(const_cast<Expr *>(S.Grid));
      for (const VarDecl *V : Vars.Found)
        if (InGrid.Found.contains(V) && named(alongX(S.Grid)) == V) // a block an element, not (bytes + 255) / 256
          return true;
    }
    const FunctionDecl *Def = nullptr;
    if (!S.Kernel || !S.Kernel->getBody(Def))
      return false;
    for (unsigned I = 0; I < L->getNumArgs() && I < Def->getNumParams(); ++I)
      if (const VarDecl *V = named(L->getArg(I)); V && Vars.Found.contains(V) && bounds(Def, Def->getParamDecl(I)))
        return true;
    return llvm::any_of(Vars.Found, [&](const VarDecl *V) { return V->hasGlobalStorage() && bounds(Def, V); });
  }

  static bool bounds(const FunctionDecl *Kernel, const VarDecl *Count) {
    BoundUses B(Count);
    B.TraverseStmt(Kernel->getBody());
    return B.Bounds;
  }

  static bool passes(const CUDAKernelCallExpr *L, const ValueDecl *Pointer) {
    return Pointer && llvm::any_of(L->arguments(), [&](const Expr *A) { return pointerVariable(A) == Pointer; });
  }

  std::vector<const CUDAKernelCallExpr *> launches() const {
    struct Finder : DynamicRecursiveASTVisitor {
      std::vector<const CUDAKernelCallExpr *> Found;
      bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
        Found.push_back(C);
        return true;
      }
    } F;
    if (Function->getBody())
      F.TraverseStmt(Function->getBody());
    return std::move(F.Found);
  }

  /// rows * sizeof(int) for a kernel that reaches element rows.
  void shortOfKernel(const CallExpr *C, const Allocation &A) {
    for (const CUDAKernelCallExpr *L : launches()) {
      const FunctionDecl *Def = nullptr;
      const FunctionDecl *K = L->getDirectCallee();
      if (!K || !K->getBody(Def) || !passes(L, A.Pointer))
        continue;
      const ParmVarDecl *P = nullptr, *N = nullptr;
      for (unsigned I = 0; I < L->getNumArgs() && I < Def->getNumParams(); ++I) {
        if (pointerVariable(L->getArg(I)) == A.Pointer)
          P = Def->getParamDecl(I);
        else if (const VarDecl *V = named(L->getArg(I)); V && isCount(A.Bytes, V))
          N = Def->getParamDecl(I);
      }
      if (!P || !N || !Writes.of(P).empty() || !Writes.of(N).empty())
        continue;
      Reach Limits(P, N, Writes);
      Limits.TraverseStmt(Def->getBody()); // the comparisons
      Limits.Over.reset();
      Limits.TraverseStmt(Def->getBody()); // then the accesses
      if (!Limits.Over)
        continue;
      return report("alloc_size", C->getExprLoc(),
                    "'" + A.Pointer->getName() + "' has '" + N->getName() + "' elements, but kernel '" + K->getName() + "' reaches element " + N->getName(),
                    Limits.At, "this access");
    }
  }

  /// Bytes is V * sizeof(T), nothing else.
  bool isCount(const Expr *Bytes, const VarDecl *V) const {
    const Expr *E = Bytes->IgnoreParenCasts();
    if (const VarDecl *B = named(E))
      if (const Expr *Value = Writes.onlyValue(B))
        E = Value->IgnoreParenCasts();
    const auto *M = dyn_cast<BinaryOperator>(E);
    if (!M || M->getOpcode() != BO_Mul)
      return false;
    const Expr *L = M->getLHS()->IgnoreParenCasts(), *R = M->getRHS()->IgnoreParenCasts();
    return (named(L) == V && isa<UnaryExprOrTypeTraitExpr>(R)) || (named(R) == V && isa<UnaryExprOrTypeTraitExpr>(L));
  }

  /// A byte, or a word whose bytes are all alike: 0x7f7f7f7f is what its lowest byte makes.
  static bool fitsByte(int64_t Value) {
    return (Value >= -128 && Value <= 255) || (uint32_t(Value) == (uint32_t(Value) & 0xff) * 0x01010101u && int64_t(uint32_t(Value)) == (Value & 0xffffffff));
  }

  /// cudaMemset(x, 1, n * sizeof(int)) makes every int 0x01010101. 0, 0xff and patterns in hexadecimal are meant as bytes.
  void filled(const CallExpr *C) {
    const ValueDecl *V = pointerVariable(C->getArg(0));
    QualType T = elementOf(V);
    Expr::EvalResult Value;
    const Expr *Given = C->getArg(1)->IgnoreParenImpCasts();
    if (!elementSize(T) || !T->isArithmeticType() || C->getArg(1)->isValueDependent() || !C->getArg(1)->EvaluateAsInt(Value, AST))
      return;
    int64_t Byte = Value.Val.getInt().getSExtValue();
    if (!fitsByte(Byte) && R.first("memcpy_size", C->getExprLoc())) {
      R.Ctx.report("memcpy_size", C->getExprLoc(),
                   llvm::formatv("cudaMemset takes one byte: of {0} it sets every byte of '{1}' to {2}", Byte, V->getName(), Byte & 0xff).str())
          .evidence("value", Byte);
      return;
    }
    bool SmallNumber = isa<IntegerLiteral>(Given) && Byte >= 1 && Byte <= 9;
    if (Byte != 0 && (SmallNumber || Given->getType()->isFloatingType()) && R.first("memcpy_size", C->getExprLoc()))
      R.Ctx.report("memcpy_size", C->getExprLoc(),
                   "cudaMemset sets bytes, not elements: each " + T.getUnqualifiedType().getAsString() + " of '" + V->getName() + "' becomes " +
                       llvm::formatv("{0} bytes of {1}", elementSize(T), Byte).str())
          .doubt();
  }

  // Copies and fills

  void copied(const CallExpr *C, const SizedCall &S) {
    ByteCount N = byteCount(C->getArg(S.Bytes), Writes, AST);
    if (N.Sizes.empty() && countsItsOffsets(C, S))
      return;
    for (unsigned I : S.Buffers)
      if (buffer(C, C->getArg(I), C->getArg(S.Bytes), N))
        return;
  }

  /// `cudaMemcpy(d + z * plane, s + plane, plane, …)`: what steps over elements counts elements.
  bool countsItsOffsets(const CallExpr *C, const SizedCall &S) {
    const VarDecl *Count = named(C->getArg(S.Bytes));
    for (unsigned I : S.Buffers) {
      const auto *Sum = Count ? dyn_cast<BinaryOperator>(C->getArg(I)->IgnoreParenCasts()) : nullptr;
      if (!Sum || Sum->getOpcode() != BO_Add || !Sum->getType()->isPointerType() || elementSize(Sum->getType()->getPointeeType()) < 2)
        continue;
      ByteCount Step = byteCount(Sum->getLHS()->getType()->isPointerType() ? Sum->getRHS() : Sum->getLHS(), Writes, AST);
      ByteCount Unit = byteCount(C->getArg(S.Bytes), Writes, AST);
      bool Holds = !Unit.Symbols.empty() && llvm::all_of(Unit.Symbols, [&](const std::string &X) { return llvm::is_contained(Step.Symbols, X); });
      if (Step.Sizes.empty() && Unit.Literal == 1 && Holds)
        return say(C, "'" + Count->getName() + "' steps over elements of '" + Sum->getType()->getPointeeType().getUnqualifiedType().getAsString() + "' in this call, and counts bytes here: multiply by sizeof(" +
                          Sum->getType()->getPointeeType().getUnqualifiedType().getAsString() + ")");
    }
    return false;
  }

  /// cudaMemcpy2D(img, pitch, host, w, w, h, …) after cudaMallocPitch(&img, &pitch, w * sizeof(uchar4), h)
  /// or cudaMemcpy2D(to, w * sizeof(float), from, …, w, h, …)
  void rowsCopied(const CallExpr *C) {
    ByteCount N = byteCount(C->getArg(4), Writes, AST);
    for (unsigned I : {1u, 3u}) {
      ByteCount Pitch = byteCount(C->getArg(I), Writes, AST);
      const ValueDecl *V = pointerVariable(C->getArg(I - 1));
      if (V && N.Sizes.empty() && !N.constant() && Pitch.Sizes.size() == 1 && Pitch.sameSymbols(N) && Pitch.Literal == N.Literal && known(Pitch) &&
          Pitch.knownBytes(AST) > N.Literal && AST.hasSameUnqualifiedType(Pitch.Sizes[0], elementOf(V))) {
        say(C, "the width counts elements, not bytes: a row of '" + V->getName() + "' is that many times sizeof(" + Pitch.Sizes[0].getAsString() + ")");
        return;
      }
    }
    for (unsigned I : {0u, 2u}) {
      const ValueDecl *V = pointerVariable(C->getArg(I));
      const Expr *Width = V && elementSize(elementOf(V)) ? pitchedWidth(V) : nullptr;
      if (!Width)
        continue;
      ByteCount Row = byteCount(Width, Writes, AST);
      if (N.Sizes.empty() && !Row.Sizes.empty() && Row.sameSymbols(N) && Row.Literal == N.Literal && sameVariables(Width, C->getArg(4))) {
        say(C, "the width counts elements, not bytes: the rows of '" + V->getName() + "' were allocated with that many times sizeof(" + Row.Sizes[0].getAsString() + ")");
        return;
      }
    }
  }

  /// The bytes of a row that the function's own cudaMallocPitch asks for.
  const Expr *pitchedWidth(const ValueDecl *Pointer) const {
    struct Finder : DynamicRecursiveASTVisitor {
      const ValueDecl *Pointer;
      const Expr *Width = nullptr;
      bool VisitCallExpr(CallExpr *C) override {
        const auto *To = allocatesPitched(C) && C->getNumArgs() > 3 ? dyn_cast<UnaryOperator>(C->getArg(0)->IgnoreParenCasts()) : nullptr;
        if (To && To->getOpcode() == UO_AddrOf && pointerVariable(To->getSubExpr()) == Pointer)
          Width = C->getArg(2);
        return true;
      }
    } F;
    F.Pointer = Pointer;
    if (Function && Function->getBody())
      F.TraverseStmt(Function->getBody());
    return F.Width;
  }

  bool buffer(const CallExpr *C, const Expr *Buffer, const Expr *Bytes, const ByteCount &N) {
    const ValueDecl *V = pointerVariable(Buffer);
    QualType T = elementOf(V);
    uint64_t Size = elementSize(T);
    if (!V || !Size)
      return containerCount(C, Buffer, N);
    std::string Name = V->getNameAsString();
    // sizeof(p) where p is the pointer itself, and not what is copied: `cudaMemcpyToSymbol(deviceP, &p, sizeof(p))`
    const auto *Taken = dyn_cast<UnaryOperator>(Buffer->IgnoreParenCasts());
    bool PointerItself = (Taken && Taken->getOpcode() == UO_AddrOf && isa<DeclRefExpr>(Taken->getSubExpr()->IgnoreParens())) ||
                         (isa<VarDecl>(V) && (isDeviceVariable(cast<VarDecl>(V)) || isConstantVariable(cast<VarDecl>(V))));
    if (!PointerItself && N.Sizes.size() == 1 && N.constant() && N.Sizes[0]->isPointerType() && !T->isPointerType() && V->getType()->isPointerType() &&
        AST.hasSimilarType(N.Sizes[0], V->getType()))
      return say(C, "the size is that of the pointer '" + Name + "' (" + llvm::Twine(AST.getTypeSizeInChars(N.Sizes[0]).getQuantity()) + " bytes), not of what it points to");
    const Allocation *A = Allocs.of(V);
    if (A && A->Pointer->getType()->isPointerType()) {
      ByteCount Given = byteCount(A->Bytes, Writes, AST);
      bool SameCount = Given.sameSymbols(N) && Given.Literal == N.Literal;
      if (SameCount && N.Sizes.empty() && !Given.Sizes.empty() && sameVariables(A->Bytes, Bytes))
        return say(C, "the count is of elements, not bytes: '" + Name + "' was allocated with that many times sizeof(" + Given.Sizes[0].getAsString() + ")");
      if (Given.sameSymbols(N) && N.knownBytes(AST) > Given.knownBytes(AST) && known(N) && known(Given))
        return say(C, "writes or reads " + llvm::Twine(N.knownBytes(AST)) + (N.constant() ? " bytes" : " bytes a unit") + ", but '" + Name + "' was allocated with " + llvm::Twine(Given.knownBytes(AST)));
    }
    if (const auto *Array = AST.getAsConstantArrayType(V->getType()); Array && N.constant() && known(N) && pointerIsWhole(Buffer)) {
      uint64_t Has = AST.getTypeSizeInChars(QualType(Array, 0)).getQuantity();
      if (N.knownBytes(AST) > Has)
        return say(C, "accesses " + llvm::Twine(N.knownBytes(AST)) + " bytes of '" + Name + "', which has " + llvm::Twine(Has));
      // As many bytes as there are elements: no whole number of elements, a product of the array's sizes, or its extent by name.
      if (N.Sizes.empty() && N.knownBytes(AST) == Has / Size && (N.knownBytes(AST) % Size != 0 || isa<BinaryOperator>(Bytes->IgnoreParenCasts()) || isExtentOf(V, Bytes)))
        return say(C, "the count is of elements, not bytes: '" + Name + "' has " + llvm::Twine(Has) + " bytes");
      if (N.Sizes.empty() && N.knownBytes(AST) == Has / Size && N.knownBytes(AST) > 1 && R.first("memcpy_size", C->getExprLoc())) {
        R.Ctx.report("memcpy_size", C->getExprLoc(),
                     llvm::formatv("as many bytes as '{0}' has elements: it has {1} bytes", Name, Has).str())
            .doubt(); // a part that happens to be that long
        return true;
      }
    }
    if (V->getType()->isPointerType() && T->isArithmeticType() && N.constant() && known(N) && N.knownBytes(AST) % Size != 0)
      return say(C, llvm::Twine(N.knownBytes(AST)) + " bytes are no whole number of elements: those of '" + Name + "' have " + llvm::Twine(Size) + " bytes");
    if (N.Sizes.empty() && !A && V->getType()->isPointerType())
      if (const VarDecl *Count = countOfItsOwn(Bytes); Count && R.first("memcpy_size", C->getExprLoc())) {
        R.Ctx.report("memcpy_size", C->getExprLoc(),
                     "as many bytes of '" + Name + "' as '" + Count->getName() + "' says, an int that serves for nothing else here: if it counts elements, multiply by sizeof(" +
                         T.getUnqualifiedType().getAsString() + ")")
            .doubt();
        return true;
      }
    if (N.Sizes.empty() && N.Literal != 0 && !A && V->getType()->isPointerType() && !multipleSpelt(Bytes))
      if (SourceLocation Why = countedByKernel(V, Bytes); Why.isValid())
        return say(C, "the count is of elements, not bytes: multiply by sizeof(" + T.getUnqualifiedType().getAsString() + ")", Why);
    return false;
  }

  /// `float taps[kTaps]` and kTaps
  bool isExtentOf(const ValueDecl *Array, const Expr *Bytes) const {
    const auto *D = dyn_cast<DeclaratorDecl>(Array);
    auto Written = D && D->getTypeSourceInfo() ? D->getTypeSourceInfo()->getTypeLoc().getAsAdjusted<ArrayTypeLoc>() : ArrayTypeLoc();
    const VarDecl *Extent = Written && Written.getSizeExpr() ? named(Written.getSizeExpr()) : nullptr;
    return Extent && Extent == named(Bytes);
  }

  static bool pointerIsWhole(const Expr *E) { return isa<DeclRefExpr>(E->IgnoreParenCasts()); }
  bool known(const ByteCount &N) const {
    return llvm::none_of(N.Sizes, [](QualType T) { return T->isDependentType() || T->isIncompleteType(); });
  }

  /// `4 * n` written out may be bytes.
  static bool multipleSpelt(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
    return B && B->getOpcode() == BO_Mul && (isa<IntegerLiteral>(B->getLHS()->IgnoreParenCasts()) || isa<IntegerLiteral>(B->getRHS()->IgnoreParenCasts()));
  }

  /// Two counts that share a variable, not just a number.
  bool sameVariables(const Expr *X, const Expr *Y) const {
    VariablesOf A(Writes), B(Writes);
    A.TraverseStmt(const_cast<Expr *>(X));
    B.TraverseStmt(const_cast<Expr *>(Y));
    return llvm::any_of(A.Found, [&](const VarDecl *V) { return B.Found.contains(V); });
  }

  /// cudaMemcpy(d, v.data(), v.size(), …)
  /// Holds its elements in place.
  static bool isStdArray(QualType T) {
    const auto *R = T->getAsCXXRecordDecl();
    return R && R->isInStdNamespace() && R->getDeclName().isIdentifier() && R->getName() == "array";
  }

  bool containerCount(const CallExpr *C, const Expr *Buffer, const ByteCount &N) {
    const auto *M = dyn_cast<CXXMemberCallExpr>(Buffer->IgnoreParenCasts());
    if (M && calleeName(M) == "data" && N.Sizes.size() == 1 && N.constant() && N.Sizes[0]->isRecordType() &&
        AST.hasSameUnqualifiedType(N.Sizes[0], M->getImplicitObjectArgument()->getType().getNonReferenceType()) && !isStdArray(N.Sizes[0]))
      return say(C, "the size is that of the container itself (" + llvm::Twine(AST.getTypeSizeInChars(N.Sizes[0]).getQuantity()) + " bytes), not of what data() points to");
    if (!M || calleeName(M) != "data" || !N.Sizes.empty() || N.Literal != 1 || N.Symbols.size() != 1 || !M->getType()->isPointerType() ||
        elementSize(M->getType()->getPointeeType()) < 2)
      return false;
    const VarDecl *V = named(M->getImplicitObjectArgument());
    if (!V || N.Symbols[0] != V->getNameAsString() + ".size()")
      return false;
    return say(C, "size() counts elements, not bytes: multiply by sizeof(" + M->getType()->getPointeeType().getUnqualifiedType().getAsString() + ")");
  }

  bool say(const CallExpr *C, const llvm::Twine &Message, SourceLocation Why = {}) {
    report("memcpy_size", C->getExprLoc(), Message, Why, "this launch uses the same count for elements");
    return true;
  }

  ASTContext &AST;
  const VariableWrites &Writes;
  const Allocations &Allocs;
};

} // namespace

void kcheck::checkSizes(ApiReporter &R) { SizeVisitor(R).TraverseAST(R.Ctx.TU.AST); }

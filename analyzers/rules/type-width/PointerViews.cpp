//===- PointerViews.cpp - buffers seen through another element type -----------===//
//
//   const double *r = reinterpret_cast<const double *>(floats);   s += r[i];     // width
//   const float *r = (const float *)(halves + row * cols);        s += r[i];     // format
//   float4 v = *reinterpret_cast<const float4 *>(x + 1);                         // alignment
//
// What a cast means depends on what becomes of the values: packets that are copied, unpacked or taken
// apart by bit operations are fine.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Divisibility.h"
#include "matchers/ElementType.h"
#include "matchers/LaunchModel.h"
#include "matchers/LoadUses.h"
#include "matchers/Vocabulary.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Signs that a function also handles sizes that are no multiple: `n % 4`, `(n + 3) / 4`, `c + 3 < n`.
class AnySizeSigns : public DynamicRecursiveASTVisitor {
public:
  AnySizeSigns(const VarDecl *V, const ASTContext &AST) : V(V), AST(AST) {}
  bool Tail = false;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    auto C = constantValue(B->getRHS(), AST);
    if (!C || *C < 2)
      return true;
    if (B->getOpcode() == BO_Rem && namedVariable(B->getLHS()) == V)
      Tail = true;
    if (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr) {
      const auto *A = dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenImpCasts());
      auto Up = A && A->getOpcode() == BO_Add ? constantValue(A->getRHS(), AST) : std::nullopt;
      int64_t By = B->getOpcode() == BO_Div ? *C : int64_t(1) << std::min<int64_t>(*C, 30);
      if (Up && *Up == By - 1 && namedVariable(A->getLHS()) == V)
        Tail = true;
    }
    return !Tail;
  }

private:
  const VarDecl *V;
  const ASTContext &AST;
};

class ViewVisitor : public FunctionWalker {
public:
  explicit ViewVisitor(WidthReporter &R)
      : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()), Calls(R.Ctx.get<CallSites>()),
        Refs(R.Ctx.get<References>()), Multiples(AST, Writes, Calls) {}

  bool VisitExplicitCastExpr(ExplicitCastExpr *C) override {
    const Expr *Source = C->getSubExpr()->IgnoreParenImpCasts();
    QualType From = Source->getType();
    if (From->isArrayType())
      From = AST.getArrayDecayedType(From);
    if (!C->getType()->isPointerType() || !From->isPointerType() || From->isDependentType() || C->getType()->isDependentType() || !Function)
      return true;
    QualType Old = From->getPointeeType(), New = C->getType()->getPointeeType();
    ElementType A = elementType(Old, AST), B = elementType(New, AST);
    if (A.Kind == ElementKind::Other || New->isIncompleteType() || AST.hasSameUnqualifiedType(Old, New))
      return true;
    MultipleSum Address = Multiples.ofAddress(Source);
    if (B.Kind != ElementKind::Other && !sixteenBitFormats(C, A, B) && !isScratch(Address))
      elements(C, Source, Old, A, B);
    alignment(C, New, A, Address);
    return true;
  }

private:
  /// Local and shared arrays are scratch that may hold one type after the other, `&v` is a bit cast.
  bool isScratch(const MultipleSum &Address) const {
    return !Address.Base || !Address.Known ? addressOfLocal(Address) : (!isa<ParmVarDecl>(Address.Base) && !isDeviceVariable(Address.Base) && !Address.Base->getType()->isPointerType());
  }
  static bool addressOfLocal(const MultipleSum &Address) { return Address.Base && !isa<ParmVarDecl>(Address.Base); }

  bool report(StringRef Tag, const Expr *At, const llvm::Twine &Message, bool Doubt = false) {
    if (!R.first(Tag, At->getExprLoc()))
      return true;
    auto F = R.Ctx.report(Tag, At->getExprLoc(), Message);
    F.kernel(kernel());
    if (Doubt)
      F.doubt();
    return true;
  }

  std::string name(QualType T) const { return T.getUnqualifiedType().getAsString(AST.getLangOpts()); }

  /// __half and __nv_bfloat16 have one size and two formats.
  bool sixteenBitFormats(const ExplicitCastExpr *C, const ElementType &A, const ElementType &B) {
    if (!A.sixteenBit() || !B.sixteenBit() || A.Kind == B.Kind)
      return false;
    LoadUse U = loadUses(C, AST, Refs);
    if (U.Loaded || U.Stored)
      report("half_float_mismatch", C, "__half and __nv_bfloat16 have the same size but other exponent and fraction bits: convert the value");
    return true;
  }

  void elements(const ExplicitCastExpr *C, const Expr *Source, QualType Old, const ElementType &A, const ElementType &B) {
    // A vector of float carries 16 bytes of anything.
    bool ScalarFloat = B.Kind == ElementKind::Float && B.Lanes == 1;
    if (A.Kind == B.Kind && A.Size == B.Size)
      return;
    QualType New = C->getType()->getPointeeType();
    if (A.sixteenBit() && B.Kind == ElementKind::Float)
      return number("half_float_mismatch", C, Old, New, "reads two 16-bit floats as one number");
    if (A.Kind == ElementKind::Float && B.sixteenBit())
      return number("half_float_mismatch", C, Old, New, "reads the bits of a wider float as 16-bit floats");
    if (A.sixteenBit() && B.Kind == ElementKind::Integer && B.Size == 2 && loadUses(C, AST, Refs).FloatMade)
      return (void)report("half_float_mismatch", C, "the bits of '" + name(Old) + "' are converted to a number as if they were an integer");
    if (A.Kind == ElementKind::Float && ScalarFloat)
      return number("pointer_width_mismatch", C, Old, New, "reads floating-point bits of another width");
    if (A.Kind == ElementKind::Integer && B.Kind == ElementKind::Integer && A.Size != B.Size && A.Lanes == 1 && B.Lanes == 1)
      return integers(C, Old, New, A, B);
    if ((A.Kind == ElementKind::Byte || A.Kind == ElementKind::Bool) && B.Kind == ElementKind::Integer && B.Lanes == 1 && B.Size == 4)
      bytes(C, Source, Old, New);
  }

  void number(StringRef Tag, const ExplicitCastExpr *C, QualType Old, QualType New, const char *What) {
    LoadUse U = loadUses(C, AST, Refs);
    if (U.Number)
      report(Tag, C, "a view of '" + name(Old) + "' as '" + name(New) + "' " + What, /*Doubt=*/U.StoredFirst);
  }

  void integers(const ExplicitCastExpr *C, QualType Old, QualType New, const ElementType &A, const ElementType &B) {
    LoadUse U = loadUses(C, AST, Refs);
    if (!U.Number || (A.Size > B.Size ? halvesOnPurpose(U) : countsPacks(U, B.Size / A.Size)))
      return;
    report("pointer_width_mismatch", C, "elements of '" + name(Old) + "' (" + llvm::Twine(A.Size) + " bytes) are read one by one as '" + name(New) + "' (" + llvm::Twine(B.Size) + " bytes)",
           U.Stored || A.Size < B.Size); // two elements may well be tested at once
  }

  /// `words[2 * i]` takes the low half of a 64-bit element.
  bool halvesOnPurpose(const LoadUse &U) const {
    return llvm::any_of(U.Indices, [&](const Expr *I) {
      MultipleSum S = Multiples.ofInteger(I);
      return llvm::any_of(S.Terms, [](const MultipleTerm &T) { return T.Factor % 2 == 0; }) &&
             llvm::none_of(S.Terms, [](const MultipleTerm &T) { return T.Varies && T.Factor % 2 != 0; });
    });
  }

  /// `packs[row * (width >> 1) + column]`: an index in which a number of elements is divided counts packs of them.
  bool countsPacks(const LoadUse &U, uint64_t Elements) const {
    struct Divides : DynamicRecursiveASTVisitor {
      Divides(int64_t By, const VariableWrites &Writes, const ASTContext &AST) : By(By), Writes(Writes), AST(AST) {}
      bool VisitBinaryOperator(BinaryOperator *B) override {
        if (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr)
          Found |= constantValue(B->getRHS(), AST) == (B->getOpcode() == BO_Div ? By : int64_t(llvm::Log2_64(uint64_t(By))));
        return !Found;
      }
      bool VisitDeclRefExpr(DeclRefExpr *D) override {
        const VarDecl *V = namedVariable(D);
        const Expr *Value = V && V->isLocalVarDecl() && Seen.insert(V).second ? Writes.onlyValue(V) : nullptr;
        if (Value)
          TraverseStmt(const_cast<Expr *>(Value));
        return !Found;
      }
      const int64_t By;
      const VariableWrites &Writes;
      const ASTContext &AST;
      llvm::SmallPtrSet<const VarDecl *, 8> Seen;
      bool Found = false;
    };
    return Elements > 1 && llvm::any_of(U.Indices, [&](const Expr *I) {
      Divides D(int64_t(Elements), Writes, AST);
      D.TraverseStmt(const_cast<Expr *>(I));
      return D.Found;
    });
  }

  /// Element-wise flags (uint8_t, bool) read four at a time by the index that also reads scalars.
  void bytes(const ExplicitCastExpr *C, const Expr *Source, QualType Old, QualType New) {
    bool Typed = Old->isBooleanType() || Old->getAs<TypedefType>();
    if (!Typed || !namedVariable(Source))
      return;
    LoadUse U = loadUses(C, AST, Refs);
    if (!U.Number)
      return;
    struct SameIndex : DynamicRecursiveASTVisitor {
      SameIndex(const Expr *I, const ASTContext &AST) : Index(I), AST(AST) {}
      bool VisitArraySubscriptExpr(ArraySubscriptExpr *S) override {
        ElementType E = elementType(S->getType(), AST);
        if (S->getIdx() != Index && E.Lanes == 1 && E.Kind != ElementKind::Other && sameExpression(S->getIdx(), Index, AST))
          Found = true;
        return !Found;
      }
      const Expr *Index;
      const ASTContext &AST;
      bool Found = false;
    };
    for (const Expr *I : U.Indices) {
      SameIndex Same(I, AST);
      Same.TraverseStmt(const_cast<Stmt *>(definitionBody(Function)));
      if (Same.Found) {
        report("pointer_width_mismatch", C, "'" + name(Old) + "' elements are read as '" + name(New) + "' with an index that counts single elements: safe only if the buffer really holds '" + name(New) + "'", true);
        return;
      }
    }
  }

  void alignment(const ExplicitCastExpr *C, QualType New, const ElementType &A, const MultipleSum &Address) {
    uint64_t Align = AST.getTypeAlignInChars(New).getQuantity();
    if (Align <= A.Size || !Address.Known || !Address.Base || isSharedVariable(Address.Base) ||
        (!isa<ParmVarDecl>(Address.Base) && !isDeviceVariable(Address.Base)) || Multiples.checksAddress(Function))
      return;
    const MultipleTerm *Bad = nullptr;
    llvm::SmallVector<const VarDecl *, 4> Symbols;
    bool Unknown = false, Varies = false, AllSure = true;
    for (const MultipleTerm &T : Address.Terms) {
      if (T.Factor % Align == 0)
        continue;
      if (T.Sure) {
        Bad = &T;
        Varies |= T.Varies;
      } else {
        AllSure = false;
        Unknown |= T.Symbols.empty();
        Symbols.append(T.Symbols.begin(), T.Symbols.end());
      }
    }
    std::string To = name(New);
    if (Bad && (Varies || AllSure) && !pairedConstants(Address, Align) && !isAlignedInRuns(C, Align))
      return (void)report("misaligned_vector_cast", C,
                          "a '" + To + "' access needs an address that is a multiple of " + llvm::Twine(Align) + " bytes; this one is only a multiple of " + llvm::Twine(std::max<uint64_t>(Bad->Factor, 1)));
    if (Unknown || Symbols.empty())
      return;
    for (const VarDecl *V : Symbols)
      if (takesAnySize(V))
        return (void)report("misaligned_vector_cast", C,
                            "a '" + To + "' access needs an address that is a multiple of " + llvm::Twine(Align) + " bytes; the offset depends on '" + V->getName() +
                                "', which this code also handles when it is no multiple");
  }

  /// `else for (; i < n; ++i)`: what a variable may hold anywhere is less than what it holds here. Every launch that makes the
  /// access by the cast shows its address.
  bool isAlignedInRuns(const ExplicitCastExpr *C, uint64_t Align) {
    bool Any = false;
    for (const LaunchSample *L : R.Ctx.get<LaunchModel>().runs())
      for (const eval::BlockRun &B : L->Run->Blocks)
        for (const eval::Access &A : B.Accesses) {
          if (!A.E || !A.Obj || !isThrough(A.E, C))
            continue;
          if (A.Offset.unknown())
            return false;
          bool Wrong = false;
          forEachLane(A.Who.May, L->Run->threads(), [&](unsigned T) { Wrong |= A.Offset.at(T) == eval::Unk || A.Offset.at(T) % int64_t(Align) != 0; });
          if (Wrong)
            return false;
          Any = true;
        }
    return Any;
  }

  /// `*(float4 *)p`, `((float4 *)p)[k]`, `((float4 *)p)->x` are accesses by the cast.
  static bool isThrough(const Expr *Access, const ExplicitCastExpr *C) {
    const Expr *E = Access;
    while (E && E->getExprLoc().isValid()) {
      E = E->IgnoreParenImpCasts();
      if (E == C)
        return true;
      if (const auto *U = dyn_cast<UnaryOperator>(E))
        E = U->getSubExpr();
      else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
        E = S->getBase();
      else if (const auto *M = dyn_cast<MemberExpr>(E))
        E = M->getBase();
      else
        return false;
    }
    return false;
  }

  /// Several constant parts may add up to a multiple.
  static bool pairedConstants(const MultipleSum &Address, uint64_t Align) {
    unsigned Bad = 0;
    for (const MultipleTerm &T : Address.Terms)
      Bad += T.Sure && T.Factor % Align != 0;
    return Bad > 1;
  }

  bool takesAnySize(const VarDecl *V) const {
    const auto *F = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
    const Stmt *Body = F ? definitionBody(F) : nullptr;
    if (!Body)
      return false;
    AnySizeSigns Signs(V, AST);
    Signs.TraverseStmt(const_cast<Stmt *>(Body));
    return Signs.Tail;
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
  const CallSites &Calls;
  const References &Refs;
  Divisibility Multiples;
};

} // namespace

void kcheck::checkPointerViews(WidthReporter &R) { ViewVisitor(R).TraverseAST(R.Ctx.TU.AST); }

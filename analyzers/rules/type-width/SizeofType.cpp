//===- SizeofType.cpp - sizeof of something else than the elements ------------===//
//
//   cudaMemset(sums_double, 0, n * sizeof(float));     // clears half
//   cudaMemcpy(dst, src, n * sizeof(src), …);          // the size of a pointer
//   cudaMalloc(&sums_double, n * sizeof(float));       // half of it is there
//   for (int k = 0; k < sizeof(tile) / sizeof(tile[0]); ++k)   // of a parameter `float tile[64]`: a pointer
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Allocations.h"
#include "matchers/ByteCount.h"
#include "matchers/ElementType.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Which arguments are buffers and which is the count of bytes.
struct SizedCall {
  llvm::SmallVector<unsigned, 2> Buffers;
  unsigned Bytes;
};

std::optional<SizedCall> sizedCall(StringRef Name) {
  if (Name == "cudaMemset" || Name == "cudaMemsetAsync" || Name == "memset")
    return SizedCall{{0}, 2};
  if (Name == "cudaMemcpy" || Name == "cudaMemcpyAsync" || Name == "memcpy")
    return SizedCall{{0, 1}, 2};
  return std::nullopt;
}

QualType pointee(const Expr *E) {
  QualType T = E->IgnoreParenImpCasts()->getType();
  while (const auto *C = dyn_cast<ExplicitCastExpr>(E->IgnoreParenImpCasts())) { // (void *)p
    E = C->getSubExpr();
    if (E->IgnoreParenImpCasts()->getType()->isPointerType())
      T = E->IgnoreParenImpCasts()->getType();
  }
  if (T->isArrayType())
    return QualType(T->getBaseElementTypeUnsafe(), 0);
  return T->isPointerType() ? T->getPointeeType() : QualType();
}

class SizeofVisitor : public FunctionWalker {
public:
  explicit SizeofVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()), Allocs(R.Ctx.get<Allocations>()) {}

  bool VisitCallExpr(CallExpr *C) override {
    if (auto A = allocation(C))
      allocated(C, *A);
    auto S = sizedCall(calleeName(C));
    if (!S || C->getNumArgs() <= S->Bytes)
      return true;
    if (S->Buffers.size() == 2)
      formats(C, pointee(C->getArg(0)), pointee(C->getArg(1)));
    ByteCount N = byteCount(C->getArg(S->Bytes), Writes, AST);
    if (N.Sizes.size() != 1 || N.Sizes[0]->isDependentType())
      return true;
    bool Short = llvm::any_of(S->Buffers, [&](unsigned I) { return shortOfAllocation(C->getArg(I), N); });
    for (unsigned I : S->Buffers)
      if (QualType P = pointee(C->getArg(I)); !Short && (P.isNull() || !differs(P, N.Sizes[0])))
        return true; // the other buffer explains the size, or nothing is known
    if (llvm::any_of(S->Buffers, [&](unsigned I) { return wholeAllocation(C->getArg(I), N); }))
      return true;
    if (R.first("sizeof_wrong_type", C->getArg(S->Bytes)->getBeginLoc())) {
      QualType P = pointee(C->getArg(S->Buffers[0]));
      R.Ctx.report("sizeof_wrong_type", C->getArg(S->Bytes)->getBeginLoc(),
                   "the size is counted in '" + N.Sizes[0].getAsString() + "' (" + llvm::Twine(size(N.Sizes[0])) + " bytes), the elements are '" +
                       P.getUnqualifiedType().getAsString() + "' (" + llvm::Twine(size(P)) + " bytes)")
          .kernel(kernel());
    }
    return true;
  }

  /// Parameters are pointers, however they are written.
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) override {
    if (E->getKind() != UETT_SizeOf || E->isArgumentType())
      return true;
    const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(E->getArgumentExpr()));
    if (P && P->getOriginalType()->isArrayType())
      pointerForArray(E, *P);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    const auto *All = B->getOpcode() == BO_Div ? dyn_cast<UnaryExprOrTypeTraitExpr>(B->getLHS()->IgnoreParenImpCasts()) : nullptr;
    const auto *One = All ? dyn_cast<UnaryExprOrTypeTraitExpr>(B->getRHS()->IgnoreParenImpCasts()) : nullptr;
    if (!One || All->getKind() != UETT_SizeOf || One->getKind() != UETT_SizeOf || All->isArgumentType())
      return true;
    const VarDecl *V = namedVariable(All->getArgumentExpr());
    QualType T = V ? V->getType().getNonReferenceType() : QualType();
    if (!T.isNull() && T->isPointerType() && !T->isDependentType() && AST.hasSameUnqualifiedType(One->getTypeOfArgument().getNonReferenceType(), T->getPointeeType()))
      pointerForArray(All, *V);
    return true;
  }

private:
  void pointerForArray(const UnaryExprOrTypeTraitExpr *E, const VarDecl &V) {
    if (R.first("sizeof_wrong_type", E->getBeginLoc()))
      R.Ctx.report("sizeof_wrong_type", E->getBeginLoc(), "'" + V.getName() + "' is a pointer here, not an array: its size is that of an address, " + llvm::Twine(size(AST.VoidPtrTy)) + " bytes")
          .kernel(kernel());
  }

  uint64_t size(QualType T) const { return AST.getTypeSizeInChars(T).getQuantity(); }

  /// `cudaMalloc(&sums64, n * sizeof(int))`: half of it is there, unless n counts the halves.
  void allocated(const CallExpr *C, const Allocation &A) {
    QualType P = A.Pointer ? A.Pointer->getType().getNonReferenceType() : QualType();
    if (P.isNull() || P->isDependentType() || !P->isPointerType())
      return;
    P = P->getPointeeType();
    ByteCount N = byteCount(A.Bytes, Writes, AST);
    if (N.Sizes.size() != 1 || N.Sizes[0]->isDependentType() || N.Literal > 1 || N.constant())
      return;
    ElementType E = elementType(P, AST), By = elementType(N.Sizes[0], AST);
    bool Scalars = E.Lanes == 1 && By.Lanes == 1 && E.Kind != ElementKind::Other && By.Kind != ElementKind::Other && By.Kind != ElementKind::Byte;
    if (!Scalars || By.Size >= E.Size || !R.first("sizeof_wrong_type", A.Bytes->getBeginLoc()))
      return;
    R.Ctx.report("sizeof_wrong_type", A.Bytes->getBeginLoc(),
                 "the size is counted in '" + N.Sizes[0].getAsString() + "' (" + llvm::Twine(size(N.Sizes[0])) + " bytes), the elements of '" + A.Pointer->getName() +
                     "' are '" + P.getUnqualifiedType().getAsString() + "' (" + llvm::Twine(size(P)) + " bytes)")
        .kernel(kernel())
        .doubt();
  }

  /// A copy moves bytes: floats do not become halves on the way.
  void formats(const CallExpr *C, QualType To, QualType From) {
    ElementType A = elementType(To, AST), B = elementType(From, AST);
    if (!A.floating() || !B.floating() || A.Size == B.Size || A.Lanes != 1 || B.Lanes != 1)
      return;
    StringRef Tag = A.sixteenBit() || B.sixteenBit() ? "half_float_mismatch" : "pointer_width_mismatch";
    if (R.first(Tag, C->getExprLoc()))
      R.Ctx.report(Tag, C->getExprLoc(),
                   "copies the bytes of '" + From.getUnqualifiedType().getAsString() + "' elements into '" + To.getUnqualifiedType().getAsString() +
                       "' elements: convert the values");
  }

  bool differs(QualType Element, QualType Counted) const {
    ElementType E = elementType(Element, AST);
    if (E.Kind == ElementKind::Other || E.Kind == ElementKind::Byte)
      return false;
    if (Counted->isPointerType())
      return size(Counted) != E.bytes();
    ElementType C = elementType(Counted, AST);
    if (C.Kind == ElementKind::Other || C.Kind == ElementKind::Byte || C.bytes() == E.bytes())
      return false;
    if (E.Lanes > 1 && E.Kind == ElementKind::Integer)
      return false; // uint4 carries 16 bytes of anything
    // Vectors may be counted by their components, and scalars by the packet.
    return C.Kind != E.Kind || C.Size != E.Size;
  }

  /// What the elements of a buffer were counted in where it was allocated as this many; null: it was not, or as another number.
  QualType allocatedIn(const Expr *Buffer, const ByteCount &N) const {
    const Allocation *A = Allocs.of(pointerVariable(Buffer));
    if (!A)
      return QualType();
    ByteCount Given = byteCount(A->Bytes, Writes, AST);
    bool Same = Given.Sizes.size() == 1 && !Given.constant() && Given.sameSymbols(N) && Given.Literal == N.Literal && !Given.Sizes[0]->isDependentType();
    return Same ? Given.Sizes[0] : QualType();
  }

  /// `n * sizeof(float)` of float2 data that was allocated as `n * sizeof(float2)`.
  bool shortOfAllocation(const Expr *Buffer, const ByteCount &N) const {
    QualType Given = allocatedIn(Buffer, N);
    return !Given.isNull() && size(Given) != size(N.Sizes[0]) && AST.hasSameUnqualifiedType(pointee(Buffer), Given);
  }

  /// All that was allocated, which is more than the elements need: `cudaMalloc(&floats, n * sizeof(size_t))` and copies of as much.
  bool wholeAllocation(const Expr *Buffer, const ByteCount &N) const {
    QualType Given = allocatedIn(Buffer, N);
    return !Given.isNull() && !N.Sizes[0]->isPointerType() && size(Given) == size(N.Sizes[0]) && size(Given) > size(pointee(Buffer));
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
  const Allocations &Allocs;
};

} // namespace

void kcheck::checkSizeofType(WidthReporter &R) { SizeofVisitor(R).TraverseAST(R.Ctx.TU.AST); }

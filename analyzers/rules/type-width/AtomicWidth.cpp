//===- AtomicWidth.cpp - atomics on a word that is not the object -------------===//
//
//   atomicAdd((unsigned *)(bytes + k), 1);            // carries into the neighbours, misaligned
//   atomicMax((int *)floats, (int)v);                 // compares values with bits
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Divisibility.h"
#include "matchers/ElementType.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

class AtomicVisitor : public FunctionWalker {
public:
  explicit AtomicVisitor(WidthReporter &R)
      : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()), Multiples(AST, Writes, R.Ctx.get<CallSites>()) {}

  bool VisitCallExpr(CallExpr *C) override {
    if (callKind(C) != CallKind::Atomic || C->getNumArgs() < 2 || !Function)
      return true;
    const Expr *Place = C->getArg(0)->IgnoreParenImpCasts(), *Index = nullptr;
    if (const auto *U = dyn_cast<UnaryOperator>(Place); U && U->getOpcode() == UO_AddrOf)
      if (const auto *S = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens())) { // &words[i]
        Place = S->getBase();
        Index = S->getIdx();
      }
    if (const auto *Sum = dyn_cast<BinaryOperator>(Place); Sum && Sum->getOpcode() == BO_Add && Sum->getLHS()->getType()->isPointerType()) { // words + i
      Place = Sum->getLHS();
      Index = Sum->getRHS();
    }
    const ExplicitCastExpr *Cast = viewOf(Place);
    if (!Cast)
      return true;
    const Expr *Source = Cast->getSubExpr()->IgnoreParenImpCasts();
    QualType From = Source->getType();
    if (From->isArrayType())
      From = AST.getArrayDecayedType(From);
    if (!From->isPointerType() || !Cast->getType()->isPointerType())
      return true;
    // `(int *)(smem + bins)`: one part of a dynamic block, whatever its first array is declared as.
    if (const auto *Sum = dyn_cast<BinaryOperator>(Source); Sum && Sum->isAdditiveOp() && partOfDynamicShared(Sum->getLHS()))
      return true;
    ElementType Object = elementType(From->getPointeeType(), AST), Word = elementType(Cast->getType()->getPointeeType(), AST);
    if (Object.Kind == ElementKind::Other || Word.Kind == ElementKind::Other)
      return true;
    // half2 over a row of halves, one component of a float4
    bool SameComponent = Object.Kind == Word.Kind && Object.Size == Word.Size;
    if (Index && Object.Kind == ElementKind::Float && Object.bytes() == 4 && Word.bytes() == 8 && isa_and_nonnull<ParmVarDecl>(namedVariable(Source)) && !Multiples.checksAddress(Function))
      return report(C, "the atomics go through 8 bytes each, the elements of '" + R.Ctx.TU.text(Source->getSourceRange()) + "' have 4: safe only if it holds two of them for each", /*Doubt=*/true);
    if (Index && (Object.bytes() < Word.bytes() || picksPart(Index, Object.bytes() / Word.bytes())))
      return true;
    if (Object.bytes() != Word.bytes() && !SameComponent && !coversComponents(Object, Word))
      width(C, Source, Object, Word);
    else if (Object.Kind == ElementKind::Float && Word.Kind == ElementKind::Integer)
      values(C);
    return true;
  }

private:
  bool partOfDynamicShared(const Expr *E) const {
    const VarDecl *V = namedVariable(Writes.resolve(E->IgnoreParenImpCasts())->IgnoreParenImpCasts());
    return V && isSharedVariable(V) && V->getType()->isIncompleteArrayType();
  }

  /// The cast that made the pointer, through one variable.
  const ExplicitCastExpr *viewOf(const Expr *E) const {
    for (unsigned Depth = 0; Depth < 8; ++Depth) {
      E = E->IgnoreParenImpCasts();
      if (const auto *C = dyn_cast<ExplicitCastExpr>(E)) {
        if (C->getSubExpr()->IgnoreParenImpCasts()->getType()->isVoidPointerType()) {
          E = C->getSubExpr();
          continue;
        }
        return C;
      }
      const VarDecl *V = namedVariable(E);
      const Expr *Value = V ? Writes.onlyValue(V) : nullptr;
      if (!Value)
        return nullptr;
      E = Value;
    }
    return nullptr;
  }

  /// `words[2 * i]`, `words[2 * i + 1]`: the halves of the objects, one by one. An index that is a multiple of nothing goes from
  /// word to word where objects were meant.
  bool picksPart(const Expr *Index, uint64_t Parts) const {
    MultipleSum Sum = Multiples.ofInteger(Index);
    return Parts < 2 || !Sum.Known || llvm::any_of(Sum.Terms, [&](const MultipleTerm &T) { return T.Factor % Parts == 0; });
  }

  /// A key of 64 bits in the first half of a uint4: whole components, as `SameComponent` is for one.
  static bool coversComponents(const ElementType &Object, const ElementType &Word) {
    return Object.Lanes > 1 && Word.Lanes == 1 && Object.Kind == ElementKind::Integer && Word.Kind == Object.Kind &&
           Word.bytes() < Object.bytes() && Word.bytes() % Object.Size == 0;
  }

  bool report(const CallExpr *C, const llvm::Twine &Message, bool Doubt = false) {
    if (!R.first("atomic_width", C->getExprLoc()))
      return true;
    auto F = R.Ctx.report("atomic_width", C->getExprLoc(), Message);
    F.kernel(kernel());
    if (Doubt)
      F.doubt();
    return true;
  }

  void width(const CallExpr *C, const Expr *Source, const ElementType &Object, const ElementType &Word) {
    // The word that holds the element, found by masking its address, is the known way to do it.
    if (Multiples.checksAddress(Function) || masksAddress(Source))
      return;
    if (Object.bytes() < Word.bytes()) {
      MultipleSum Address = Multiples.ofAddress(Source);
      bool Aligned = Object.Kind == ElementKind::Byte && (!Address.Known || llvm::all_of(Address.Terms, [&](const MultipleTerm &T) {
                       return T.Factor % Word.bytes() == 0 || (!T.Sure && !T.Symbols.empty());
                     }));
      if (Aligned)
        return;
    }
    report(C, "the atomic works on " + llvm::Twine(Word.bytes()) + " bytes, the object has " + llvm::Twine(Object.bytes()) +
                  (Object.bytes() < Word.bytes() ? ": it changes the neighbours too" : ": only a part of it changes"));
  }

  bool masksAddress(const Expr *E) const {
    if (E->IgnoreParenCasts()->getType()->isIntegerType())
      return true;
    const Expr *Value = Writes.resolve(E);
    if (!Value->getType()->isPointerType())
      return true;
    // Only address arithmetic counts: an index may be masked freely.
    struct FromInteger : DynamicRecursiveASTVisitor {
      bool Found = false;
      bool VisitCastExpr(CastExpr *C) override {
        Found |= C->getCastKind() == CK_PointerToIntegral || C->getCastKind() == CK_IntegralToPointer;
        return !Found;
      }
    } I;
    I.TraverseStmt(const_cast<Expr *>(Value));
    return I.Found;
  }

  /// atomicMax((int *)f, v): v is converted, the memory holds bits.
  void values(const CallExpr *C) {
    for (unsigned I = 1; I < C->getNumArgs(); ++I) {
      const Expr *A = C->getArg(I)->IgnoreParens();
      for (const auto *Cast = dyn_cast<CastExpr>(A); Cast; Cast = dyn_cast<CastExpr>(Cast->getSubExpr()->IgnoreParens()))
        if (Cast->getCastKind() == CK_FloatingToIntegral)
          return (void)report(C, "the memory holds the bits of a float, but the argument is a float converted to an integer: use __float_as_int");
    }
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
  Divisibility Multiples;
};

} // namespace

void kcheck::checkAtomicWidth(WidthReporter &R) { AtomicVisitor(R).TraverseAST(R.Ctx.TU.AST); }

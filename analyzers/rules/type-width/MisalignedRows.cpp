//===- MisalignedRows.cpp - wide accesses in rows of any length ----------------===//
//
//   auto *x2 = reinterpret_cast<const half2 *>(x + blockIdx.x * cols);   // every second row of an odd length
//   float4 v = *reinterpret_cast<const float4 *>(xyz + 3 * i);           // three points of four
//   __shared__ float tile[32][33];  *reinterpret_cast<float4 *>(&tile[y][4 * x]) = v;   // rows of 33 elements
//
// The launches at sample sizes show the address. That a caller admits such a length is shown by the kernel itself, where it
// also takes single elements of the same buffer in the same launch: the rest of a row. Without that the length may be
// the caller's promise, unless the address is wrong at sizes that are multiples of every width, too.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/ElementType.h"
#include "matchers/LaunchModel.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// An array of the kernel's own: no caller can promise anything of it.
bool ofArray(const Access &A) {
  const auto *V = A.E && A.Obj && A.Obj->Where == Space::Shared ? dyn_cast_or_null<VarDecl>(A.Obj->Decl) : nullptr;
  return V && V->getType()->isConstantArrayType();
}

bool ofBuffer(const Access &A) {
  return A.E && A.Obj && (A.Obj->Where == Space::Global || ofArray(A));
}

class MisalignedRows {
public:
  explicit MisalignedRows(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST) {}

  void look(const LaunchSample &L) {
    for (const BlockRun &B : L.Run->Blocks)
      for (const Access &A : B.Accesses)
        if (ofBuffer(A) && !A.Offset.unknown() && wide(A))
          address(L, B, A);
  }

private:
  int64_t elementBytes(const Access &A) const {
    QualType T = ofArray(A) ? AST.getBaseElementType(A.Obj->Decl->getType()) : elementOf(*A.Obj);
    return T.isNull() ? 0 : AST.getTypeSizeInChars(T).getQuantity();
  }
  int64_t alignment(const Access &A) const { return A.Type.isNull() || A.Type->isIncompleteType() ? 1 : AST.getTypeAlignInChars(A.Type).getQuantity(); }
  bool wide(const Access &A) const {
    int64_t Element = elementBytes(A);
    return Element > 0 && int64_t(A.Bytes) > Element && alignment(A) > Element;
  }

  void address(const LaunchSample &L, const BlockRun &B, const Access &A) {
    int64_t Align = alignment(A), Bad = Unk;
    unsigned Thread = 0;
    forEachLane(A.Who.Sure, L.Run->threads(), [&](unsigned T) {
      if (int64_t At = A.Offset.at(T); Bad == Unk && At != Unk && At % Align) {
        Bad = At;
        Thread = T;
      }
    });
    if (Bad == Unk || !((L.Plan && L.Plan->Aligned) || ofArray(A) || takesTheRest(L, A)))
      return;
    SourceLocation At = castOf(A.E)->getExprLoc();
    if (!R.first("misaligned_vector_cast", At))
      return;
    auto F = R.Ctx.report("misaligned_vector_cast", At,
                          llvm::formatv("thread {0} of block {1} accesses {2} bytes at byte {3} of '{4}', which is no multiple of {5}{6}", Thread,
                                        blockText(B.Index), A.Bytes, Bad, A.Obj->Name, Align, ofArray(A) ? "" : sizesText(L.Host)).str());
    F.kernel(L.Run->Kernel).note(A.E->getExprLoc(), "the access is here");
    if (!ofArray(A) && (!L.Step->Sure || !L.Plan || hasManySizes(L)))
      F.doubt();
  }

  /// `row[i]`: the cast that made the pointer, `auto *row = reinterpret_cast<const float4 *>(x + r * cols)`, else the access itself.
  const Expr *castOf(const Expr *E) const {
    const auto *S = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
    const VarDecl *V = S ? namedVariable(S->getBase()) : nullptr;
    const Expr *Value = V ? R.Ctx.get<VariableWrites>().onlyValue(V) : nullptr;
    return Value && isa<ExplicitCastExpr>(Value->IgnoreParenImpCasts()) ? Value->IgnoreParenImpCasts() : E;
  }

  /// Does some thread of the launch take single elements of the buffer?
  bool takesTheRest(const LaunchSample &L, const Access &Wide) const {
    return llvm::any_of(L.Run->Blocks, [&](const BlockRun &B) {
      return llvm::any_of(B.Accesses, [&](const Access &A) { return A.Obj == Wide.Obj && int64_t(A.Bytes) == elementBytes(Wide) && !A.Who.Sure.none(); });
    });
  }

  WidthReporter &R;
  ASTContext &AST;
};

} // namespace

void kcheck::checkMisalignedRows(WidthReporter &R) {
  MisalignedRows Check(R);
  for (const LaunchSample *L : R.Ctx.get<LaunchModel>().runs())
    if (L->Step)
      Check.look(*L);
}

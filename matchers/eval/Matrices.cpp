//===- Matrices.cpp - warp matrix functions (CUDA Programming Guide, "Warp Matrix Functions") --------===//
#include "matchers/Vocabulary.h"
#include "matchers/eval/Machine.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// How a fragment lies in memory: lines of elements, a leading dimension apart.
struct Shape {
  int64_t Lines = 0, Length = 0;
};

/// \p ByRows: of an accumulator, as the call says; the others carry their layout.
std::optional<Shape> shapeOf(QualType Fragment, std::optional<bool> ByRows) {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Fragment.getNonReferenceType()->getAsCXXRecordDecl());
  if (!S || !S->getIdentifier() || S->getName() != "fragment" || S->getTemplateArgs().size() < 4)
    return std::nullopt;
  const TemplateArgumentList &A = S->getTemplateArgs();
  auto Named = [&](unsigned I) {
    const CXXRecordDecl *D = I < A.size() && A[I].getKind() == TemplateArgument::Type ? A[I].getAsType()->getAsCXXRecordDecl() : nullptr;
    return D ? D->getName() : StringRef();
  };
  int64_t N[3];
  for (unsigned I = 0; I < 3; ++I) {
    if (A[I + 1].getKind() != TemplateArgument::Integral)
      return std::nullopt;
    N[I] = A[I + 1].getAsIntegral().getExtValue();
  }
  StringRef Use = Named(0);
  int64_t Rows = Use == "matrix_b" ? N[2] : N[0], Columns = Use == "matrix_a" ? N[2] : N[1];
  if (Use != "accumulator")
    ByRows = Named(5) == "row_major" ? std::optional(true) : Named(5) == "col_major" ? std::optional(false) : std::nullopt;
  if (!ByRows || Rows <= 0 || Columns <= 0 || Rows * Columns % 32)
    return std::nullopt;
  return Shape{*ByRows ? Rows : Columns, *ByRows ? Columns : Rows};
}

} // namespace

void Machine::recordMatrix(const CallExpr *E, AccessKind K, unsigned Pointer, QualType Fragment) {
  Value P = eval(E->getArg(Pointer)), Pitch = eval(E->getArg(2));
  if (P.K != Value::Pointer || !isShared(P.Obj)) {
    escape(E, P, K == AccessKind::Write); // whole tiles are what callers of such kernels keep to: how far they go shows nothing
    return;
  }
  std::optional<bool> ByRows;
  if (E->getNumArgs() > 3)
    if (const auto *D = dyn_cast<DeclRefExpr>(E->getArg(3)->IgnoreParenImpCasts()))
      ByRows = D->getDecl()->getName() == "mem_row_major";
  const Expr *At = E->getArg(Pointer)->IgnoreParenImpCasts();
  QualType Pointee = E->getArg(Pointer)->getType()->getPointeeType();
  auto S = shapeOf(Fragment, ByRows);
  Value Stored = Value::unknown(Taint{Vary::Thread, true});
  const Value *What = K == AccessKind::Write ? &Stored : nullptr;
  int64_t Bytes = int64_t(sizeOf(Pointee)), Line = Pitch.L.uniformValue(N);
  if (!S || Line == Unk || P.L.unknown()) {
    P.L = Lanes();
    record(K, P, Pointee, At, What);
    return;
  }
  for (int64_t First = 0; First < S->Lines * S->Length; First += 32) {
    Value Q = P;
    Q.L = Lanes::varying();
    for (unsigned T = 0; T < N; ++T) {
      int64_t Start = P.L.at(T), I = First + T % 32;
      Q.L.data()[T] = Start == Unk ? Unk : Start + (I / S->Length * Line + I % S->Length) * Bytes;
    }
    Q.T.V = Vary::Thread;
    record(K, Q, Pointee, At, What);
  }
}

std::optional<Value> Machine::matrixCall(const CallExpr *E, StringRef Name) {
  const FunctionDecl *F = E->getDirectCallee();
  bool Load = Name == "load_matrix_sync", Store = Name == "store_matrix_sync";
  if (!F || !(Load || Store || Name == "fill_fragment" || Name == "mma_sync") || E->getNumArgs() < (Load || Store ? 3u : 2u) ||
      !StringRef(F->getQualifiedNameAsString()).starts_with("nvcuda::wmma::"))
    return std::nullopt;
  const Expr *Fragment = E->getArg(Store ? 1 : 0);
  if (Store)
    lval(Fragment);
  else
    escape(E, lval(Fragment), true);
  if (Load || Store) {
    ++WarpPhase; // all lanes have come before any of them loads or stores
    recordMatrix(E, Load ? AccessKind::Read : AccessKind::Write, Load ? 1 : 0, Fragment->getType());
    ++WarpPhase;
  } else {
    for (unsigned I = 1; I < E->getNumArgs(); ++I)
      E->getArg(I)->isGLValue() ? lval(E->getArg(I)) : eval(E->getArg(I));
  }
  return Value::unknown();
}

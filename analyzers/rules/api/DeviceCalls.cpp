//===- DeviceCalls.cpp - printf and heap calls in device code -----------------===//
#include "analyzers/rules/api/ApiChecks.h"

using namespace clang;
using namespace kcheck;

namespace {

class DeviceCallVisitor : public ApiWalker {
  using Base = ApiWalker;

public:
  using Base::Base;

  // A branch that a constant switches off is not in the kernel.
  bool TraverseIfStmt(IfStmt *S) override {
    Expr::EvalResult V;
    const Expr *C = S->getCond();
    if (C && !C->isValueDependent() && C->EvaluateAsRValue(V, R.Ctx.TU.AST) && V.Val.isInt() && !V.HasSideEffects) {
      Stmt *Live = V.Val.getInt().getBoolValue() ? S->getThen() : S->getElse();
      return !Live || TraverseStmt(Live);
    }
    return Base::TraverseIfStmt(S);
  }

  bool VisitCompoundStmt(CompoundStmt *S) override {
    // A message before a trap is an assertion.
    if (llvm::any_of(S->body(), [](const Stmt *X) { return endsThread(X); }))
      for (const Stmt *X : S->body())
        Asserting.insert(X);
    return true;
  }

  bool VisitCallExpr(CallExpr *C) override {
    if (!isDeviceFunction(Function) || R.exempt(Function))
      return true;
    CallKind K = callKind(C);
    if (K == CallKind::Printf && !Asserting.contains(C))
      report("device_printf", C->getExprLoc(), "printf in device code: every call goes through a buffer that the host drains, and serialises the warp");
    else if (K == CallKind::DeviceMalloc && calleeName(C) != "free")
      report("device_malloc", C->getExprLoc(), "heap allocation in device code: each thread takes a lock on a small heap; use registers, shared memory or a buffer from the host");
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr *N) override {
    if (isDeviceFunction(Function) && !R.exempt(Function) && N->getNumPlacementArgs() == 0)
      report("device_malloc", N->getBeginLoc(), "new in device code: each thread takes a lock on a small heap; use registers, shared memory or a buffer from the host");
    return true;
  }

private:
  static bool endsThread(const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    const auto *C = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
    if (!C)
      return isa<GCCAsmStmt>(S);
    CallKind K = callKind(C);
    return K == CallKind::Trap || K == CallKind::Assert;
  }

  void report(StringRef Tag, SourceLocation At, const llvm::Twine &Message) {
    if (R.first(Tag, At))
      R.Ctx.report(Tag, At, Message).kernel(kernel());
  }

  llvm::SmallPtrSet<const Stmt *, 8> Asserting;
};

} // namespace

void kcheck::checkDeviceCalls(ApiReporter &R) { DeviceCallVisitor(R).TraverseAST(R.Ctx.TU.AST); }

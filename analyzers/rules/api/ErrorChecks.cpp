//===- ErrorChecks.cpp - launches whose errors nobody asks for ----------------===//
#include "analyzers/rules/api/ApiChecks.h"

using namespace clang;
using namespace kcheck;

namespace {

/// A function asks when it calls one of the error queries, or uses a runtime call's result.
class ErrorVisitor : public ApiWalker {
public:
  using ApiWalker::ApiWalker;

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    if (Function && !isDeviceFunction(Function) && !Launches.count(Function))
      Launches[Function] = C->getBeginLoc();
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    std::string Name = calleeName(C);
    Asked |= Name == "cudaGetLastError" || Name == "cudaPeekAtLastError";
    return true;
  }

  void finish() {
    if (Asked)
      return;
    for (const auto &[F, At] : Launches)
      if (R.first("missing_error_check", At))
        R.Ctx.report("missing_error_check", At, "nothing in this file asks for the launch's error (cudaGetLastError): a refused launch goes unnoticed");
  }

private:
  std::map<const FunctionDecl *, SourceLocation> Launches;
  bool Asked = false;
};

} // namespace

void kcheck::checkErrorChecks(ApiReporter &R) {
  ErrorVisitor V(R);
  V.TraverseAST(R.Ctx.TU.AST);
  V.finish();
}

#include "Uninitialised.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

void effects::checkUninitialised(RuleContext &Ctx, LaunchModel &M) {
  if (llvm::any_of(Ctx.TU.Diagnostics, [](const ParseDiagnostic &D) { return D.IsError; }))
    return; // the statement that gives the value may be what did not parse
  llvm::DenseSet<const VarDecl *> Said;
  for (const LaunchSample *L : M.runs())
    for (const BlockRun &B : L->Run->Blocks)
      for (const LocalFault &F : B.LocalFaults) {
        if (F.Offset || !Ctx.TU.inMainFile(F.E->getExprLoc()) || !Said.insert(F.Variable->getCanonicalDecl()).second)
          continue;
        auto X = Ctx.report("uninitialised_read", F.E->getExprLoc(),
                            "'" + F.Variable->getName() + "' is read here, and nothing has been stored in it" + sizesText(L->Host));
        X.kernel(L->Run->Kernel).evidence("variable", F.Variable->getName().str()).note(F.Variable->getLocation(), "declared here, without a value");
        if (!isPlanned(*L))
          X.doubt();
      }
}

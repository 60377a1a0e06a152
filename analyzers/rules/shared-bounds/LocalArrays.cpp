#include "LocalArrays.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

void shared::checkLocalArrays(RuleContext &Ctx, LaunchModel &M) {
  llvm::DenseSet<const VarDecl *> Said;
  for (const LaunchSample *L : M.runs())
    for (const BlockRun &B : L->Run->Blocks)
      for (const LocalFault &F : B.LocalFaults) {
        if (!F.Offset || !Ctx.TU.inMainFile(F.E->getExprLoc()) || !Said.insert(F.Variable->getCanonicalDecl()).second)
          continue;
        auto X = Ctx.report("local_index_out_of_range", F.E->getExprLoc(),
                            llvm::formatv("thread {0} of block {1} accesses byte {2} of its array '{3}', which has {4}{5}", F.Thread, blockText(B.Index),
                                          *F.Offset, F.Variable->getName(),
                                          Ctx.TU.AST.getTypeSizeInChars(F.Variable->getType()).getQuantity(), sizesText(L->Host)).str());
        X.kernel(L->Run->Kernel).evidence("offset", *F.Offset).note(F.Variable->getLocation(), "declared here");
        if (!isPlanned(*L) || !hasFewSizes(*L))
          X.doubt();
      }
}

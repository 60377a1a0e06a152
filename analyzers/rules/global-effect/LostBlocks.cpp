#include "LostBlocks.h"
#include "matchers/BlockOrder.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// What a block leaves for others.
enum class Leaves { Nothing, Result, Unknown };

Leaves leaves(const BlockRun &B) {
  bool Reads = false;
  if (!B.Escapes.empty() || !B.Overflows.empty() || waitsForGrid(B))
    return Leaves::Unknown;
  for (const Access &A : B.Accesses) {
    if (!A.Obj || (A.Kind != AccessKind::Read && !isShared(A.Obj) && !isGlobal(A.Obj)))
      return Leaves::Unknown;
    if (!isGlobal(A.Obj))
      continue;
    if (A.Kind != AccessKind::Read && A.Who.May.any())
      return Leaves::Result;
    Reads |= A.Who.Sure.any() && A.OffsetTaint.V >= Vary::Block && !A.Volatile;
  }
  return Reads ? Leaves::Nothing : Leaves::Unknown; // without data of its own it has nothing to do
}

/// The store of the first block, where the others read and store nothing; null otherwise.
const Access *onlyFirstStores(const KernelRun &R) {
  if (R.Blocks.size() < 2 || R.OutOfFuel || !R.Imprecise.empty())
    return nullptr;
  const Access *Store = nullptr;
  for (const BlockRun &B : R.Blocks) {
    bool First = B.Index == std::array<unsigned, 3>{};
    if (leaves(B) != (First ? Leaves::Result : Leaves::Nothing))
      return nullptr;
    if (First)
      for (const Access &A : B.Accesses)
        if (!Store && A.Kind != AccessKind::Read && isGlobal(A.Obj) && A.E)
          Store = &A;
  }
  return Store;
}

} // namespace

void effects::checkLostBlocks(RuleContext &Ctx, LaunchModel &M) {
  struct Kernel {
    bool Always = true;
    const LaunchSample *L = nullptr;
    const Access *Store = nullptr;
  };
  llvm::MapVector<const FunctionDecl *, Kernel> Kernels;
  for (const LaunchSample *L : M.runs()) {
    if (!L->Step || L->Run->blocks() < 2)
      continue;
    Kernel &K = Kernels[L->Run->Kernel];
    uint64_t Grows = L->Step->GridTaint[0].Params | L->Step->GridTaint[1].Params | L->Step->GridTaint[2].Params;
    const Access *Store = Grows ? onlyFirstStores(*L->Run) : nullptr;
    K.Always &= Store != nullptr;
    if (Store && !K.Store)
      K = {K.Always, L, Store};
  }
  for (auto &[F, K] : Kernels) {
    if (!K.Always || !K.Store || !Ctx.TU.inMainFile(K.Store->E->getExprLoc()))
      continue;
    auto X = Ctx.report("result_kept_local", K.Store->E->getExprLoc(),
                        llvm::formatv("only the first of {0} blocks stores its result{1}: the others read their part for nothing", K.L->Run->blocks(), sizesText(K.L->Host)).str());
    X.kernel(F).note(K.L->Step->Call->getBeginLoc(), "launched here");
    if (!isPlanned(*K.L) || hasManySizes(*K.L))
      X.doubt();
  }
}

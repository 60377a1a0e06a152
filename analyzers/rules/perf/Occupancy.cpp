//===- Occupancy.cpp - launches that leave a multiprocessor idle -------------------===//
//
//   k<<<n / 16, 16>>>(…)                         half of every warp has no thread
//   __shared__ float row[11776]; of 64 threads   three blocks, six warps a multiprocessor
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::perf;

static bool isConstant(const eval::Taint &T) { return !T.Params && !T.Data && !T.Assumed; }

void perf::checkOccupancy(RuleContext &Ctx, LaunchModel &M) {
  constexpr int64_t SharedOfSm = 164 * 1024, ReservedOfBlock = 1024, ThreadsOfSm = 2048, MaxBlocks = 32;
  constexpr int64_t OptInBytes = 48 * 1024; // who asks for more by an attribute has weighed it
  llvm::DenseSet<const CallExpr *> Said;
  for (const PlanSample &P : M.plans())
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step)
        continue;
      const eval::KernelRun &R = *L.Run;
      int64_t Threads = R.threads(), Blocks = R.blocks();
      bool Fixed = isConstant(R.BlockTaint[0]) && isConstant(R.BlockTaint[1]) && isConstant(R.BlockTaint[2]);
      if (!Fixed || Blocks < 8 || !Ctx.TU.inMainFile(L.Step->Call->getBeginLoc()) || Said.count(L.Step->Call))
        continue;
      if (Threads < 32) {
        Said.insert(L.Step->Call);
        Ctx.report("low_occupancy", L.Step->Call->getBeginLoc(),
                   "blocks of " + std::to_string(Threads) + " threads leave " + std::to_string(32 - Threads) +
                       " of the 32 lanes of every warp idle")
            .kernel(R.Kernel)
            .evidence("threads_per_block", Threads);
        continue;
      }
      int64_t Static = 0;
      const eval::Object *Largest = nullptr;
      llvm::SmallDenseSet<const ValueDecl *, 8> Met;
      for (const eval::Object &O : R.Objects)
        if (O.Where == eval::Space::Shared && O.Decl && O.Bytes && Met.insert(O.Decl).second) {
          Static += *O.Bytes;
          if (!Largest || *O.Bytes > *Largest->Bytes)
            Largest = &O;
        }
      int64_t Dynamic = isConstant(R.SharedTaint) ? R.SharedBytes : 0, Shared = Static + Dynamic;
      if (!Shared || Shared > SharedOfSm)
        continue;
      int64_t ByShared = SharedOfSm / (Shared + ReservedOfBlock), ByOthers = std::min(MaxBlocks, ThreadsOfSm / Threads);
      int64_t Percent = ByShared * Threads * 100 / ThreadsOfSm;
      if (ByShared >= ByOthers || Percent >= (Dynamic > OptInBytes ? 4 : 12))
        continue;
      Said.insert(L.Step->Call);
      bool AtArray = Largest && Static > Dynamic && Ctx.TU.inMainFile(Largest->Decl->getLocation());
      Ctx.report("low_occupancy", AtArray ? Largest->Decl->getLocation() : L.Step->Call->getBeginLoc(),
                 std::to_string(Shared) + " bytes of shared memory for " + std::to_string(Threads) + " threads: " +
                     std::to_string(ByShared) + " blocks fit a multiprocessor of 164 KB, " + std::to_string(Percent) + " % of its threads")
          .kernel(R.Kernel)
          .evidence("shared_bytes", Shared)
          .evidence("threads_per_block", Threads)
          .evidence("occupancy_percent", Percent);
    }
}

#include "analyzers/rules/sync/Locks.h"

using namespace kcheck;

OrderText kcheck::describe(const OrderFault &F) {
  const std::string Name = "'" + F.At->Obj->Name + "'";
  const std::string Who = F.BetweenBlocks ? "other blocks" : "other warps",
                    Fence = F.BetweenBlocks ? "__threadfence()" : "__threadfence_block()";
  OrderText T{F.BetweenBlocks                        ? "cross_block_dependency"
              : F.At->Kind == eval::AccessKind::Read ? "missing_barrier_war"
                                                     : "missing_barrier",
              "", ""};
  switch (F.K) {
  case OrderFault::NarrowAtomic:
    T.Message = "this atomic holds among the threads of one block, and another block changes " +
                Name + " at the same place";
    T.Note = "another block's access is here";
    break;
  case OrderFault::NoAcquireFence:
    T.Message = (F.Narrow ? "the fence after taking the lock holds within the block only: "
                          : "no fence stands between taking the lock and this: ") +
                Name + " may be seen here as it was before " + Who +
                " changed it under the lock; " + Fence + " is meant";
    T.Note = "the lock is taken here";
    break;
  case OrderFault::NoReleaseFence:
    T.Message =
        (F.Narrow ? "the fence between this store and the release holds within the block only: "
                  : "no fence stands between this store and the release: ") +
        Who + " may see the release before they see " + Name + "; " + Fence + " is meant";
    T.Note = "the release is here";
    break;
  case OrderFault::OutsideLock:
    T.Message = "this stores to " + Name + " without the lock under which " + Who + " use it";
    T.Note = "an access under the lock is here";
    break;
  case OrderFault::AfterHandover:
    T.Message = Name + " has been handed over by then: nothing orders this and what the thread "
                       "that waited for it does";
    T.Note = "that thread's access is here";
    break;
  }
  return T;
}

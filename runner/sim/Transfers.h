//===- Transfers.h - copies, sets and frees beside launches ------------------------===//
//
// What a stream copies, sets or frees is a launch of one thread to what other streams do. Its accesses enter the shadow memory only when a
// launch comes that does not wait for it, because most programs never have one.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_TRANSFERS_H
#define KCHECK_SIM_TRANSFERS_H

#include "runner/sim/Engine.h"

namespace kcheck::sim {

/// Orders the call behind the earlier ones of its stream; reports what runs beside it and touches the same bytes. Waits: the host goes on
/// only after it.
void beginTransfer(Engine &E, const std::string &Call, const Place &At, int Stream, bool Waits, std::vector<TransferRange> Ranges);

/// Before a launch: enters the transfers that it does not wait for.
void enterTransfers(Engine &E, const LaunchRecord &Launch);

} // namespace kcheck::sim
#endif

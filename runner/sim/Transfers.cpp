#include "runner/sim/Transfers.h"
#include "runner/sim/Shadow.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

constexpr size_t MostPending = 256;                 ///< older ones are forgotten
constexpr uint64_t MostEntered = uint64_t(16) << 20; ///< bytes of a range that are looked at

std::string does(const Transfer &T, const TransferRange &R) { return T.Record.Kernel.find("Free") != std::string::npos ? "frees" : R.Writes ? "writes" : "reads"; }

void report(Engine &E, const Transfer &T, const TransferRange &R, const std::string &Other, bool OtherWrites, const Place &OtherAt) {
  const Allocation *A = E.Mem.find(DataBase + R.Offset);
  std::string Name = A ? A->Name : "memory of the device";
  E.Out.addAt("race_launches", *T.Record.Call, [&](protocol::Finding &F) {
    F.Buffer = Name;
    F.Message = T.Record.Kernel + " " + does(T, R) + " " + Name + ", which " + Other + " on another stream " + (OtherWrites ? "writes" : "reads") +
                ", and nothing orders the two";
    F.Other = {OtherAt.File, OtherAt.Line, OtherAt.Column};
    F.OtherMessage = "the other one: " + Other;
  });
}

/// Whether the record is of a launch or transfer that may run beside T.
bool beside(Engine &E, uint64_t Record, uint64_t Threshold, const Transfer &T, const LaunchRecord *&Of) {
  if (Record < Threshold || !Record)
    return false;
  Of = launchOf(E, uint32_t(Record >> UidShift));
  return Of && Of->Number != T.Record.Number && !launchesOrdered(*Of, T.Record);
}

void lookForLaunches(Engine &E, const Transfer &T, uint64_t Threshold) {
  for (const TransferRange &R : T.Ranges)
    for (uint64_t G = R.Offset & ~uint64_t(3), To = R.Offset + std::min(R.Bytes, MostEntered); G < To; G += 4) {
      const LaunchRecord *Of = nullptr;
      uint64_t Records[] = {*Memory::writer(G), R.Writes ? *Memory::reader(G) : 0, R.Writes && (*Memory::reader(G) & (FlagCross | FlagMany)) ? *Memory::reader2(G) : 0};
      for (unsigned I = 0; I < 3; ++I)
        if (beside(E, Records[I], Threshold, T, Of) && !Of->Call)
          return report(E, T, R, "the launch of " + Of->Kernel, I == 0, {});
    }
}

void lookForTransfers(Engine &E, const Transfer &T) {
  for (const Transfer &O : E.Transfers)
    if (!launchesOrdered(O.Record, T.Record))
      for (const TransferRange &A : T.Ranges)
        for (const TransferRange &B : O.Ranges)
          if ((A.Writes || B.Writes) && A.Offset < B.Offset + B.Bytes && B.Offset < A.Offset + A.Bytes)
            return report(E, T, A, O.Record.Kernel + " in line " + std::to_string(O.Record.Call->Line), B.Writes, *O.Record.Call);
}

} // namespace

void sim::beginTransfer(Engine &E, const std::string &Call, const Place &At, int Stream, bool Waits, std::vector<TransferRange> Ranges) {
  std::erase_if(Ranges, [](const TransferRange &R) { return !R.Bytes || !isGlobalOffset(R.Offset) || !Memory::exists(R.Offset, R.Bytes); });
  bool Alone = E.Order.alone(Stream);
  if (Ranges.empty() || (Alone && (Waits || !E.Order.several())) || !E.Checks.Races || E.NextUid + 1 >= MaxUid)
    return;
  Transfer T;
  uint32_t Number = uint32_t(E.Launches.size()) + 1;
  T.Record = {E.NextUid, 1, Stream, Number, E.Order.launch(Stream, Number), Call, {1, 1, 1}, {1, 1, 1}, At};
  ++E.NextUid;
  E.Launches.push_back(T.Record);
  T.Ranges = std::move(Ranges);
  if (!Alone) {
    lookForLaunches(E, T, uint64_t(oldestBeside(E, T.Record)) << UidShift);
    lookForTransfers(E, T);
  }
  std::erase_if(E.Transfers, [&](const Transfer &O) { return E.Order.hostKnows(O.Record.Stream, O.Record.Number); });
  if (E.Transfers.size() >= MostPending)
    E.Transfers.erase(E.Transfers.begin());
  E.Transfers.push_back(std::move(T));
}

void sim::enterTransfers(Engine &E, const LaunchRecord &Launch) {
  std::erase_if(E.Transfers, [&](const Transfer &T) {
    if (E.Order.hostKnows(T.Record.Stream, T.Record.Number))
      return true;
    if (launchesOrdered(T.Record, Launch))
      return false;
    const uint64_t Record = uint64_t(T.Record.FirstUid) << UidShift | uint64_t(1) << EpochShift | uint64_t(15) << MaskShift;
    for (const TransferRange &R : T.Ranges)
      for (uint64_t G = (R.Offset + 3) & ~uint64_t(3), To = R.Offset + std::min(R.Bytes, MostEntered); G + 4 <= To; G += 4)
        *(R.Writes ? Memory::writer(G) : Memory::reader(G)) = Record;
    return true;
  });
}

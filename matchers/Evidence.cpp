//===- Evidence.cpp - how much a sample of a launch proves ---------------------===//
#include "matchers/Evidence.h"

using namespace kcheck;

bool kcheck::areLargestAdmitted(LaunchModel &Model, const eval::HostRun &Host, uint64_t Sizes,
                                llvm::function_ref<bool(const eval::HostRun &)> Goes) {
  auto Refused = [&](unsigned I) {
    bool Tried = false;
    for (const PlanSample &P : Model.plans()) {
      if (P.Host->Launcher != Host.Launcher || I >= P.Host->Sizes.size() || P.Host->Sizes[I].Value != Host.Sizes[I].Value + 1)
        continue;
      Tried = true;
      if (Goes(*P.Host))
        return false;
    }
    // Turned away for another reason before it was asked for: that the launcher compares it with just this number says as much.
    return Tried || llvm::is_contained(Host.Compared, std::pair(I, Host.Sizes[I].Value));
  };
  for (unsigned I = 0; I < 64; ++I)
    if (Sizes >> I & 1 && (I >= Host.Sizes.size() || !Refused(I)))
      return false;
  return true;
}

bool kcheck::doAllAligned(LaunchModel &Model, const LaunchSample &L, llvm::function_ref<bool(const LaunchSample &)> Does) {
  if (!L.Step || !L.Plan)
    return true;
  for (const PlanSample &P : Model.plans())
    if (P.Aligned)
      for (const LaunchSample &M : P.Launches)
        if (M.Run && M.Step->Call == L.Step->Call && M.Run->blocks() > 1 && !Does(M))
          return false;
  return true;
}

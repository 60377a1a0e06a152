#include "actions/engine/Behaviour.h"
#include "matchers/Describe.h"
#include "matchers/Footprint.h"
#include "llvm/ADT/STLExtras.h"

using namespace kcheck;

/// Some threads may or may not have come by an access, or where it was is not known: an end is a lower bound then.
static bool vague(const Footprint &F, const Reach &R) {
  if (!R.Launch->Run)
    return false;
  for (const eval::BlockRun &B : R.Launch->Run->Blocks)
    for (const eval::Access &A : B.Accesses)
      if (!A.Obj || (A.Obj->Decl == F.Buffer && (!(A.Who.May - A.Who.Sure).none() || A.Offset.unknown())))
        return true;
  return false;
}

Behaviour::Behaviour(LaunchModel &M) {
  Footprints All(M);
  for (const Footprint &F : All.all())
    for (const Reach &R : F.Samples) {
      const eval::HostRun &H = *R.Launch->Host;
      if (H.Sizes.empty())
        continue;
      std::string Place = H.Launcher->getNameAsString() + sizesText(&H);
      auto [It, New] = Buffers.try_emplace({Place, F.Name}, Reached{INT64_MAX, INT64_MIN, 0, true, 0});
      Reached &X = It->second;
      if (!R.Empty && R.End > R.Begin) {
        X.Begin = std::min(X.Begin, R.Begin);
        X.End = std::max(X.End, R.End);
      }
      ++X.Launches;
      X.Exact &= R.exact() && !vague(F, R);
      X.Written = New ? R.Distinct : 0; // of several launches the union is not known
    }
}

std::string Behaviour::difference(const Behaviour &After, bool FurtherOnly) const {
  for (const auto &[Key, Old] : Buffers) {
    auto It = After.Buffers.find(Key);
    if (It == After.Buffers.end())
      continue;
    const Reached &New = It->second;
    auto Say = [&](const std::string &What) { return Key.first + ": " + What + " of " + Key.second; };
    if (!Old.Exact || Old.End < Old.Begin)
      continue;
    // Whatever is known to be touched is touched: beyond the end needs no exactness on the new side.
    if (New.End > Old.End)
      return Say("reaches byte " + std::to_string(New.End) + " instead of " + std::to_string(Old.End));
    if (New.Begin < Old.Begin)
      return Say("begins at byte " + std::to_string(New.Begin) + " instead of " + std::to_string(Old.Begin));
    if (FurtherOnly || !New.Exact || New.Launches < Old.Launches) // one that could not be followed reaches nobody knows where
      continue;
    if (New.End >= New.Begin && New.End != Old.End)
      return Say("ends at byte " + std::to_string(New.End) + " instead of " + std::to_string(Old.End));
    if (Old.Written && New.Written && Old.Written != New.Written)
      return Say("writes " + std::to_string(New.Written) + " bytes instead of " + std::to_string(Old.Written));
  }
  return {};
}

bool Behaviour::seenIn(const Behaviour &After) const {
  auto touched = [](const Reached &R) { return R.End > R.Begin; };
  return llvm::any_of(Buffers, [&](const auto &B) { return touched(B.second); }) && llvm::all_of(Buffers, [&](const auto &B) {
           auto It = After.Buffers.find(B.first);
           return !touched(B.second) || (It != After.Buffers.end() && touched(It->second));
         });
}

bool Behaviour::comparable(const Behaviour &After) const {
  unsigned Both = 0;
  for (const auto &[Key, Old] : Buffers) {
    auto It = After.Buffers.find(Key);
    if (It == After.Buffers.end() || !Old.Exact || !It->second.Exact)
      return false;
    ++Both;
  }
  return Both > 0;
}

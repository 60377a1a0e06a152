#include "runner/sim/Report.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::sim;

static auto order(const Place &P) { return std::tie(P.File, P.Line, P.Column); }

bool Report::Less::operator()(const Key &A, const Key &B) const {
  if (std::get<0>(A) != std::get<0>(B))
    return std::get<0>(A) < std::get<0>(B);
  if (order(std::get<1>(A)) != order(std::get<1>(B)))
    return order(std::get<1>(A)) < order(std::get<1>(B));
  return order(std::get<2>(A)) < order(std::get<2>(B));
}

Place Report::placeOf(uint32_t Site) const { return Site < P->Sites.size() ? P->Sites[Site].At : Place{}; }

void Report::clear() {
  std::lock_guard<std::mutex> Guard(Lock);
  Index.clear();
  Findings.clear();
  Pending.clear();
}

void Report::addLocked(const std::string &Tag, uint32_t Site, uint32_t OtherSite, const std::function<void(protocol::Finding &)> &Fill) {
  Key K{Tag, placeOf(Site), placeOf(OtherSite)};
  if (auto It = Index.find(K); It != Index.end()) {
    ++Findings[It->second].Count;
    return;
  }
  if (Findings.size() >= Limit)
    return;
  protocol::Finding F;
  F.Tag = Tag;
  Place At = placeOf(Site);
  F.Where = {At.File, At.Line, At.Column};
  if (OtherSite != ~0u) {
    Place O = placeOf(OtherSite);
    F.Other = {O.File, O.Line, O.Column};
  }
  Fill(F);
  Index[K] = Findings.size();
  Findings.push_back(std::move(F));
}

void Report::add(const std::string &Tag, uint32_t Site, uint32_t OtherSite, const std::function<void(protocol::Finding &)> &Fill) {
  std::lock_guard<std::mutex> Guard(Lock);
  addLocked(Tag, Site, OtherSite, Fill);
}

void Report::addAt(const std::string &Tag, const Place &At, const std::function<void(protocol::Finding &)> &Fill) {
  std::lock_guard<std::mutex> Guard(Lock);
  Key K{Tag, At, {}};
  if (auto It = Index.find(K); It != Index.end()) {
    ++Findings[It->second].Count;
    return;
  }
  if (Findings.size() >= Limit)
    return;
  protocol::Finding F;
  F.Tag = Tag;
  F.Where = {At.File, At.Line, At.Column};
  Fill(F);
  Index[K] = Findings.size();
  Findings.push_back(std::move(F));
}

void Report::addPending(uint64_t Granule, const std::string &Tag, uint32_t Site, uint32_t OtherSite,
                        const std::function<void(protocol::Finding &)> &Fill) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Pending.size() >= 256 || std::any_of(Pending.begin(), Pending.end(), [&](const Waiting &W) {
        return W.Granule == Granule && W.Site == Site && W.Other == OtherSite && W.Tag == Tag;
      }))
    return;
  protocol::Finding F;
  Fill(F);
  Pending.push_back({Granule, Tag, Site, OtherSite, std::move(F)});
}

void Report::settlePending(const std::function<bool(uint64_t)> &Drop) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (Waiting &W : Pending)
    if (!Drop(W.Granule))
      addLocked(W.Tag, W.Site, W.Other, [&](protocol::Finding &F) {
        W.F.Tag = F.Tag;
        W.F.Where = F.Where;
        W.F.Other = F.Other;
        F = W.F;
      });
  Pending.clear();
}

bool Report::has(const std::string &Tag) const {
  std::lock_guard<std::mutex> Guard(Lock);
  return std::any_of(Findings.begin(), Findings.end(), [&](const auto &F) { return F.Tag == Tag; });
}

std::vector<protocol::Finding> Report::take() {
  std::lock_guard<std::mutex> Guard(Lock);
  return std::move(Findings);
}

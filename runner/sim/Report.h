//===- Report.h - collects findings, one an instruction and fault -------------===//
#ifndef KCHECK_SIM_REPORT_H
#define KCHECK_SIM_REPORT_H

#include "runner/protocol/Result.h"
#include "runner/sim/Program.h"
#include <map>
#include <mutex>
#include <tuple>
#include <functional>

namespace kcheck::sim {

class Report {
public:
  explicit Report(const Program &P) : P(&P) {}
  void setLimit(uint32_t Max) { Limit = Max; }
  void clear();

  /// The same tag at the same pair of sites is counted, not repeated. Fill is called for the first one only.
  void add(const std::string &Tag, uint32_t Site, uint32_t OtherSite, const std::function<void(protocol::Finding &)> &Fill);
  /// A fault of host code, which has no sites.
  void addAt(const std::string &Tag, const Place &At, const std::function<void(protocol::Finding &)> &Fill);
  bool has(const std::string &Tag) const;
  /// Findings that only the rest of the launch decides: a plain read that races with atomics (Granule in Pending), two
  /// strong accesses of which one is volatile (Granule + 1).
  void addPending(uint64_t Granule, const std::string &Tag, uint32_t Site, uint32_t OtherSite,
                  const std::function<void(protocol::Finding &)> &Fill);
  void settlePending(const std::function<bool(uint64_t Granule)> &Drop);

  std::vector<protocol::Finding> take();

private:
  using Key = std::tuple<std::string, Place, Place>;
  struct Less {
    bool operator()(const Key &A, const Key &B) const;
  };
  void addLocked(const std::string &Tag, uint32_t Site, uint32_t OtherSite, const std::function<void(protocol::Finding &)> &Fill);
  Place placeOf(uint32_t Site) const;

  const Program *P;
  mutable std::mutex Lock;
  uint32_t Limit = 32;
  std::map<Key, size_t, Less> Index;
  std::vector<protocol::Finding> Findings;
  struct Waiting {
    uint64_t Granule;
    std::string Tag;
    uint32_t Site, Other;
    protocol::Finding F;
  };
  std::vector<Waiting> Pending;
};

} // namespace kcheck::sim
#endif

#include "agent/policy/Knowledge.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::agent;

static const Helps Table[] = {
    {"tile-shared", {{"memory", .6}, {"coalescing", .9}, {"latency", .5}, {"occupancy", .1}}, "each element is fetched once a block instead of once a thread", 1, {"coalescing", "latency"}},
    {"register-tile", {{"memory", .6}, {"latency", .6}, {"bank_conflicts", .5}, {"compute", .15}}, "an element read from shared memory serves several products", 2},
    {"vectorize-loads", {{"memory", .3}, {"latency", .35}, {"coalescing", .2}, {"compute", .15}}, "wide accesses keep more bytes in flight with fewer instructions"},
    {"double-buffer", {{"latency", .35}, {"memory", .3}, {"compute", .25}}, "the next tile is fetched while this one is used"},
    {"row-per-block", {{"coalescing", .9}, {"occupancy", .6}, {"latency", .7}, {"memory", .4}}, "neighbouring threads read neighbouring elements, and a row has a whole block", 2},
    {"stage-row", {{"memory", .3}, {"latency", .2}}, "a row is fetched once for all passes over it"},
    {"fuse-passes", {{"memory", .2}, {"latency", .2}}, "one pass less over the data"},
    {"layout", {{"coalescing", .5}}, "what is read along columns lies along rows", 1},
    {"stage-transpose", {{"coalescing", .85}, {"memory", .4}, {"latency", .3}}, "loads and stores both walk memory in its order", 1},
    {"interchange", {{"coalescing", .85}}, "neighbouring threads touch neighbouring elements", 1},
    {"pad-shared", {{"bank_conflicts", .9}}, "rows start in different banks", 1},
    {"swizzle-shared", {{"bank_conflicts", .85}}, "columns are spread over the banks without spare bytes", 1},
    {"warp-reduce", {{"latency", .3}, {"divergence", .4}, {"bank_conflicts", .2}}, "the last steps need neither barriers nor shared memory"},
    {"privatise-atomics", {{"latency", .85}, {"memory", .5}}, "one atomic a block instead of one a thread", 2},
    {"grid-stride", {{"latency", .1}, {"memory", .05}}, "threads stay and take the next element, so fewer blocks start"},
    {"coarsen", {{"latency", .25}, {"memory", .1}, {"compute", .05}}, "a thread has several independent loads in flight"},
    {"block-shape", {{"occupancy", .5}, {"latency", .15}, {"coalescing", .1}, {"memory", .05}}, "another shape fills the multiprocessors better"},
    {"unroll", {{"latency", .15}, {"compute", .05}, {"memory", .05}}, "loads of several steps are in flight together, and tests go away"},
    {"qualify", {{"latency", .1}, {"occupancy", .3}, {"memory", .05}, {"compute", .03}}, "the compiler may keep values and knows how many registers there are"},
    {"hoist-invariant", {{"compute", .1}, {"latency", .05}}, "what a loop repeats is computed once"},
    {"double-literal", {{"compute", .6}}, "no arithmetic in double precision by accident"},
    {"fast-math", {{"compute", .3}, {"latency", .1}}, "the device's quick functions, within the tolerance"},
};

const Helps &agent::knowledgeOf(llvm::StringRef Action) {
  static const Helps Unknown{"", {{"latency", .05}, {"memory", .05}, {"compute", .05}}, "its effect is not known yet"};
  for (const Helps &H : Table)
    if (H.Action == Action)
      return H;
  return Unknown;
}

static double get(const std::map<std::string, int64_t> &Set, const char *Name, double Else) {
  auto It = Set.find(Name);
  return It == Set.end() || It->second <= 0 ? Else : double(It->second);
}

std::optional<double> agent::termCost(const std::map<std::string, int64_t> &Set, const llvm::json::Object &Effect) {
  if (!Set.count("bm") || !Set.count("bn")) // an action that keeps the tiles as they are
    return std::nullopt;
  auto Shared = Effect.getNumber("shared_bytes_read_per_term"), Global = Effect.getNumber("global_bytes_per_term");
  if (!Shared || !Global) {
    Shared = 4 / get(Set, "tm", 1) + 4 / get(Set, "tn", 1);
    Global = 4 / get(Set, "bm", 16) + 4 / get(Set, "bn", 16);
  }
  // A multiprocessor does 128 multiply-adds and reads 128 bytes of shared memory a clock; from the L2 it gets about 24.
  // None of them hides the others altogether.
  double Cost = 1 + 0.5 * *Shared + 2.5 * *Global;
  double Registers = Effect.getNumber("registers_about").value_or(0), Occupancy = Effect.getNumber("occupancy_at_most").value_or(1);
  if (Registers > 255)
    Cost *= 4; // spills
  if (Occupancy > 0 && Occupancy < 0.25)
    Cost *= std::sqrt(0.25 / Occupancy);
  // With little between two barriers they cost more than the loads; a long step holds registers and shared memory.
  double Step = get(Set, "bk", 16);
  return Cost * (1 + 0.4 / Step + Step / 200);
}

std::optional<double> agent::termCost(const std::vector<Step> &Steps) {
  for (auto It = Steps.rbegin(); It != Steps.rend(); ++It)
    if (auto Cost = termCost(It->Set, {}))
      return Cost;
  return std::nullopt;
}

//===- unroll.cpp - ask the compiler to unroll a loop ---------------------------===//
//
//   for (int i = 0; i < 8; ++i)          #pragma unroll
//     sum += a[i];                       for (int i = 0; i < 8; ++i)
//                                          sum += a[i];
//
// The loop keeps its meaning whatever the compiler makes of the wish, so any loop with a counter of its own is legal: up,
// down, halving. An older pragma of the loop gives way.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "actions/engine/Loops.h"

using namespace clang;
using namespace kcheck;

namespace {

void unrollOne(ActionContext &Ctx, const KernelView &K, const ForStmt *Loop, std::vector<Site> &Out) {
  CountedLoop C = countedLoop(Ctx, Loop);
  const VarDecl *Counter = loopCounter(Loop);
  if (!C.Variable)
    C.Trips = constantTrips(Ctx, Loop);
  Site S = Ctx.siteAt(K, Loop->getForLoc(), "loop over " + (Counter ? Counter->getNameAsString() : std::string("no counter")));
  if (!Ctx.editable(Loop->getSourceRange()))
    S.WhyNot = "the loop comes from a macro";
  else if (!Counter || !Loop->getCond() || !Loop->getInc())
    S.WhyNot = "the loop has no counter of its own";
  else if (!leavesAlone(Loop->getBody(), Counter))
    S.WhyNot = "the body changes the counter " + Counter->getNameAsString();
  else {
    // what an older pragma says already is no change
    std::optional<int64_t> Now;
    if (auto Old = unrollPragmaBefore(Ctx, Ctx.offset(Loop->getForLoc()))) {
      StringRef Words = Ctx.Text.slice(Old->first, Old->second);
      Words = Words.substr(Words.find("unroll") + 6).trim(" \t()");
      int64_t N = 0;
      Now = Words.getAsInteger(10, N) ? 0 : N;
    }
    auto Set = [&](int64_t Factor, std::string What) {
      if (Factor == Now)
        return;
      llvm::json::Object E{{"tests", What}};
      if (C.Trips)
        E["trips"] = *C.Trips;
      S.Sets.push_back({{{"factor", Factor}}, std::move(E)});
    };
    if (C.Trips && *C.Trips <= 64)
      Set(0, "none: the loop is laid out whole");
    for (int64_t F : {4, 8, 2, 16})
      if (!C.Trips || F < *C.Trips)
        Set(F, "one each " + std::to_string(F) + " steps");
    Set(1, "kept: no unrolling");
  }
  const ActionContext *Context = &Ctx;
  S.Apply = [Context, Loop](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
    int64_t Factor = P.at("factor");
    std::string Pragma = "#pragma unroll" + (Factor ? " " + std::to_string(Factor) : std::string());
    unsigned At = Context->offset(Loop->getForLoc());
    if (auto Old = unrollPragmaBefore(*Context, At))
      return std::vector<Edit>{Context->replace(*Old, Pragma)};
    // On a line of its own, in front of the loop's line where nothing else stands there.
    StringRef Line = Context->Text.take_front(At);
    size_t Start = Line.rfind('\n') + 1;
    if (Line.substr(Start).trim().empty())
      return std::vector<Edit>{Context->insert(unsigned(Start), Pragma + "\n")};
    return std::vector<Edit>{Context->insert(At, "\n" + Pragma + "\n")};
  };
  Out.push_back(std::move(S));
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    // Innermost loops first: there unrolling pays.
    std::vector<std::pair<unsigned, const ForStmt *>> Loops;
    forEachLoop(K.body(), [&](const ForStmt *F, unsigned Depth) { Loops.push_back({Depth, F}); });
    std::stable_sort(Loops.begin(), Loops.end(), [](auto &A, auto &B) { return A.first > B.first; });
    for (auto &[Depth, F] : Loops)
      unrollOne(Ctx, K, F, Out);
  }
}

KCHECK_ACTION(Unroll, "unroll", "ask for a loop to be unrolled, whole or by a factor",
              {{"factor", "steps laid out together; 0: the whole loop; 1: none", {}, 0, 64}}, find);

} // namespace

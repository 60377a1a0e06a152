#include "matchers/PlanBudget.h"
#include "llvm/ADT/STLExtras.h"

using namespace kcheck;

static thread_local unsigned MostPlans = 0;

PlanBudget::PlanBudget(unsigned MostPerLauncher) : Before(MostPlans) { MostPlans = MostPerLauncher; }
PlanBudget::~PlanBudget() { MostPlans = Before; }

void PlanBudget::keepFew(std::vector<std::pair<std::vector<int64_t>, bool>> &Sizes) {
  if (!MostPlans || Sizes.size() <= MostPlans)
    return;
  std::vector<std::pair<std::vector<int64_t>, bool>> Fit, Odd, Kept;
  for (auto &V : Sizes)
    if (llvm::none_of(V.first, [](int64_t N) { return N > 4096; }))
      (V.second ? Fit : Odd).push_back(V);
  // The more sizes are odd at once, the more a wrong edge shows.
  auto Even = [](const auto &V) { return llvm::count_if(V.first, [](int64_t N) { return N % 32 == 0; }); };
  llvm::stable_sort(Odd, [&](const auto &A, const auto &B) { return Even(A) < Even(B); });
  if (!Fit.empty())
    Kept.push_back(Fit.front());
  size_t Wanted = std::min(Odd.size(), MostPlans - Kept.size());
  for (size_t I = 0; I < Wanted; ++I)
    Kept.push_back(Odd[Wanted < 2 ? 0 : I * (Odd.size() - 1) / (Wanted - 1)]);
  for (size_t I = 1; I < Fit.size() && Kept.size() < MostPlans; ++I)
    Kept.push_back(Fit[I]);
  if (!Kept.empty())
    Sizes = std::move(Kept);
}

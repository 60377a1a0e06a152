#include "matchers/PlanBudget.h"
#include "llvm/ADT/STLExtras.h"

using namespace kcheck;

static thread_local PlanBudget *Current = nullptr;

PlanBudget::PlanBudget(unsigned MostPerLauncher, double Share) : Most(MostPerLauncher), Share(Share), Outer(Current) { Current = this; }
PlanBudget::~PlanBudget() { Current = Outer; }
bool PlanBudget::active() { return Current != nullptr; }
unsigned PlanBudget::steps(unsigned Usual) { return Current ? unsigned(Usual * Current->Share) : Usual; }
unsigned PlanBudget::wholeGrid(unsigned Usual) { return Current ? Usual / 4 : Usual; }
void PlanBudget::tookTooLong(const void *Kernel) {
  if (Current)
    Current->Long.insert(Kernel);
}
bool PlanBudget::takesTooLong(const void *Kernel) { return Current && Current->Long.contains(Kernel); }

void PlanBudget::keepFew(std::vector<std::pair<std::vector<int64_t>, bool>> &Sizes) {
  if (!Current || Sizes.size() <= Current->Most)
    return;
  const size_t Most = Current->Most;
  std::vector<std::pair<std::vector<int64_t>, bool>> Fit, Odd, Kept;
  for (auto &V : Sizes)
    if (llvm::none_of(V.first, [](int64_t N) { return N > 4096; }))
      (V.second ? Fit : Odd).push_back(V);
  // The more sizes are odd at once, the more a wrong edge shows.
  auto Even = [](const auto &V) { return llvm::count_if(V.first, [](int64_t N) { return N % 32 == 0; }); };
  llvm::stable_sort(Odd, [&](const auto &A, const auto &B) { return Even(A) < Even(B); });
  if (!Fit.empty())
    Kept.push_back(Fit.front());
  size_t Wanted = std::min(Odd.size(), Most - Kept.size());
  for (size_t I = 0; I < Wanted; ++I)
    Kept.push_back(Odd[Wanted < 2 ? 0 : I * (Odd.size() - 1) / (Wanted - 1)]);
  for (size_t I = 1; I < Fit.size() && Kept.size() < Most; ++I)
    Kept.push_back(Fit[I]);
  if (!Kept.empty())
    Sizes = std::move(Kept);
}

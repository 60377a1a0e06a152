#include "runner/ops/Parallel.h"
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

void kcheck::ops::parallelFor(int64_t N, int64_t Grain, const std::function<void(int64_t, int64_t)> &F) {
  Grain = std::max<int64_t>(1, Grain);
  if (N <= Grain) {
    if (N > 0)
      F(0, N);
    return;
  }
  std::atomic<int64_t> Next = 0;
  auto Work = [&] {
    for (int64_t B; (B = Next.fetch_add(Grain)) < N;)
      F(B, std::min(N, B + Grain));
  };
  int64_t Pieces = (N + Grain - 1) / Grain;
  int64_t Threads = std::min<int64_t>(Pieces, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> Pool;
  for (int64_t I = 1; I < Threads; ++I)
    Pool.emplace_back(Work);
  Work();
  for (std::thread &T : Pool)
    T.join();
}

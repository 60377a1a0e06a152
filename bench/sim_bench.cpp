// The simulator against the same kernel unchecked and against a plain C++ loop, in one run. Times are processor
// time of the process, all threads; docs/benchmarks.md records them.
#include "runner/sim/Simulator.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace kcheck;

namespace {

constexpr char Kernels[] = R"(
__global__ void tanh_add(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tanhf(a[i]) + b[i];
}
__global__ void copy(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i];
}
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float s = 0;
  for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
__global__ void nothing(const float *, const float *, float *, int) {}
)";

sim::Simulator &simulator() {
  static sim::Simulator S([](const protocol::Buffer &, protocol::Bytes &) { return false; });
  return S;
}

protocol::Job job(const std::string &Kernel, int64_t Elements, int N, protocol::Dim3 Grid, protocol::Dim3 Block, bool Checked) {
  protocol::Job J;
  J.Source.Text = Kernels;
  for (const char *Name : {"a", "b", "out"}) {
    protocol::Buffer B;
    B.Name = Name;
    B.Shape = {Elements};
    B.Fill = Name[0] == 'o' ? protocol::Content::Uninitialised : protocol::Content::Zero;
    B.How = Name[0] == 'o' ? protocol::Role::Out : protocol::Role::In;
    J.Buffers.push_back(B);
  }
  protocol::LaunchStep L;
  L.Kernel = Kernel;
  L.Grid = Grid;
  L.Block = Block;
  for (const char *Name : {"a", "b", "out"}) {
    protocol::Argument A;
    A.What = protocol::Argument::Kind::Pointer;
    A.Where.Buffer = Name;
    L.Args.push_back(A);
  }
  protocol::Argument Count;
  Count.Int = N;
  L.Args.push_back(Count);
  J.Steps.push_back({L, 0});
  if (!Checked)
    J.Checks = {false, false, false, false, false};
  return J;
}

double cpuSeconds() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) + double(T.tv_nsec) / 1e9;
}

/// Runs the job again and again; the time of a turn is what its steps took.
void measure(benchmark::State &State, const protocol::Job &J, int64_t Accesses) {
  simulator().run(J); // compiles
  for (auto _ : State) {
    protocol::Result R = simulator().run(J);
    if (R.State != protocol::State::Ok || !R.Findings.empty()) {
      State.SkipWithError(R.Message.empty() ? "findings" : R.Message.c_str());
      break;
    }
    State.SetIterationTime(R.Times["run_cpu"] / 1e3);
  }
  if (Accesses)
    State.counters["accesses"] = benchmark::Counter(double(Accesses) * double(State.iterations()), benchmark::Counter::kIsRate);
}

constexpr int Million = 1 << 20;
void tanhAdd(benchmark::State &S) { measure(S, job("tanh_add", Million, Million, {Million / 256, 1, 1}, {256, 1, 1}, S.range(0)), 3 * Million); }
void copyKernel(benchmark::State &S) { measure(S, job("copy", Million, Million, {Million / 256, 1, 1}, {256, 1, 1}, S.range(0)), 2 * Million); }
void matmul(benchmark::State &S) { measure(S, job("matmul", 512 * 512, 512, {32, 32, 1}, {16, 16, 1}, S.range(0)), 2ll * 512 * 512 * 512 + 512 * 512); }
void launchEmpty(benchmark::State &S) { measure(S, job("nothing", 32, 32, {1, 1, 1}, {32, 1, 1}, S.range(0)), 0); }

void tanhLoop(benchmark::State &State) {
  std::vector<float> A(Million, 0.5f), B(Million, 1.0f), C(Million);
  for (auto _ : State) {
    double T = cpuSeconds();
    for (int I = 0; I < Million; ++I)
      C[size_t(I)] = std::tanh(A[size_t(I)]) + B[size_t(I)];
    benchmark::DoNotOptimize(C.data());
    benchmark::ClobberMemory();
    State.SetIterationTime(cpuSeconds() - T);
  }
}
void matmulLoop(benchmark::State &State) {
  constexpr int N = 512;
  std::vector<float> A(N * N, 0.5f), B(N * N, 1.0f), C(N * N);
  for (auto _ : State) {
    double T = cpuSeconds();
    for (int Y = 0; Y < N; ++Y)
      for (int X = 0; X < N; ++X) {
        float S = 0;
        for (int K = 0; K < N; ++K)
          S += A[size_t(Y * N + K)] * B[size_t(K * N + X)];
        C[size_t(Y * N + X)] = S;
      }
    benchmark::DoNotOptimize(C.data());
    State.SetIterationTime(cpuSeconds() - T);
  }
}

/// One small kernel, from its text to the verdict; every turn has a text of its own, so nothing is cached.
void sourceToVerdict(benchmark::State &State) {
  protocol::Job J = job("tanh_add", 1024, 1024, {4, 1, 1}, {256, 1, 1}, true);
  simulator().run(J);
  int Turn = 0;
  for (auto _ : State) {
    J.Source.Text = std::string(Kernels) + "// " + std::to_string(++Turn) + "\n";
    double T = cpuSeconds();
    protocol::Result R = simulator().run(J);
    State.SetIterationTime(cpuSeconds() - T);
    if (R.State != protocol::State::Ok)
      State.SkipWithError(R.Message.c_str());
  }
}

} // namespace

BENCHMARK(tanhAdd)->ArgName("checked")->Arg(1)->Arg(0)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tanhLoop)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(copyKernel)->ArgName("checked")->Arg(1)->Arg(0)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmul)->ArgName("checked")->Arg(1)->Arg(0)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmulLoop)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(launchEmpty)->ArgName("checked")->Arg(1)->Arg(0)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(sourceToVerdict)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();

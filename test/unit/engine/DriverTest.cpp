#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "analyzers/engine/driver/Wire.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <thread>

using namespace kcheck;
namespace fs = llvm::sys::fs;

namespace {

/// A folder of its own for each test, with a cache in it.
class Driver : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("kcheck-driver-test", Dir));
    Options.CacheDir = sharedCache();
  }
  void TearDown() override { fs::remove_directories(Dir); }

  /// Building the CUDA headers takes a second: once for all tests.
  static std::string sharedCache() {
    static std::string Path = [] {
      llvm::SmallString<128> P;
      fs::createUniqueDirectory("kcheck-driver-cache", P);
      return std::string(P);
    }();
    return Path;
  }
  std::string write(llvm::StringRef Name, llvm::StringRef Text) {
    std::string Path = (llvm::Twine(Dir) + "/" + Name).str();
    fs::create_directories(llvm::sys::path::parent_path(Path));
    std::error_code EC;
    llvm::raw_fd_ostream OS(Path, EC);
    OS << Text;
    return Path;
  }
  std::vector<std::string> errorsIn(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, View Which = View::Device) {
    std::vector<std::string> Out;
    llvm::Error E = parse(File, Text, O, Which, [&](TranslationUnit &TU) {
      for (const ParseDiagnostic &D : TU.Diagnostics)
        if (D.IsError)
          Out.push_back(std::to_string(D.Where.Line) + ": " + D.Message);
      Missing = TU.MissingHeaders;
    });
    if (E)
      Out.push_back(llvm::toString(std::move(E)));
    return Out;
  }
  std::vector<std::string> errors(llvm::StringRef Text) { return errorsIn((Dir + "/t.cu").str(), Text, Options); }

  llvm::SmallString<128> Dir;
  ParseOptions Options;
  std::vector<std::string> Missing;
};

using Lines = std::vector<std::string>;

} // namespace

TEST_F(Driver, ReadsACudaFileWithoutAnyInclude) {
  EXPECT_EQ(errors("__global__ void k(float *p) { p[threadIdx.x] = rsqrtf(2.f); __syncthreads(); atomicAdd(p, 1.f); }\n"
                   "void launch(float *p, int n) { k<<<min((n + 255) / 256, 65535), 256>>>(p); cudaDeviceSynchronize(); }\n"),
            Lines{});
}

TEST_F(Driver, CachedAndColdParsesSayTheSame) {
  // Each text lacks an include that another one has: a shared precompiled header must not lend it.
  const char *Texts[] = {
      "#include <cfloat>\n__global__ void k(float *p) { *p = FLT_MAX; }\n",
      "__global__ void k(float *p) { *p = FLT_MAX; }\n",
      "#include <vector>\nstd::vector<int> v;\n",
      "std::vector<int> v;\n",
      "#include <cuda_fp16.h>\n__global__ void k(__half *p) { *p = __float2half(1.f); }\n",
      "__global__ void k(__half *p) { *p = __float2half(1.f); }\n",
      "namespace cg = cooperative_groups;\n__global__ void k() { cg::this_thread_block().sync(); }\n",
      "#define N 4\n#include <cstdio>\nint main() { return printf(\"%d\", N); }\n",
      "#define size_t broken\n#include <vector>\nint i;\n",
  };
  ParseOptions Cold = Options;
  Cold.UseCache = false;
  for (const char *T : Texts) {
    std::string File = (Dir + "/t.cu").str();
    EXPECT_EQ(errorsIn(File, T, Options), errorsIn(File, T, Cold)) << T;
    EXPECT_EQ(errorsIn(File, T, Options), errorsIn(File, T, Cold)) << "again: " << T;
  }
  EXPECT_EQ(errors(Texts[0]), Lines{});
  EXPECT_FALSE(errors(Texts[1]).empty());
}

TEST_F(Driver, MacroFlagsReachTheHeadersToo) {
  ParseOptions With = Options;
  With.ExtraArgs = {"-DVALUE=3"};
  llvm::StringRef Text = "#include <cstdint>\n#ifndef VALUE\n#error no value\n#endif\n";
  EXPECT_EQ(errorsIn("t.cu", Text, With), Lines{});
  EXPECT_EQ(errorsIn("t.cu", Text, Options).size(), 1u);
}

TEST_F(Driver, DeviceCodeCallingAHostFunctionIsAnError) {
  EXPECT_FALSE(errors("void host();\n__global__ void k() { host(); }\n").empty());
  EXPECT_FALSE(errors("void host();\n__host__ __device__ inline void both() { host(); }\n__global__ void k() { both(); }\n").empty());
}

TEST_F(Driver, MissingThirdPartyHeaderIsNamedAndTheRestIsRead) {
  auto E = errors("#include <cutlass/array.h>\n__global__ void k(int *p) { *p = 1; }\n");
  ASSERT_EQ(E.size(), 1u);
  EXPECT_EQ(Missing, Lines{"cutlass/array.h"});
}

TEST_F(Driver, ReadsATorchExtensionWithoutTorch) {
  EXPECT_EQ(errors("#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
                   "template <class T> __global__ void k(const T *a, T *o, int64_t n) { int64_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i]; }\n"
                   "torch::Tensor copy(torch::Tensor x) {\n"
                   "  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), \"x: \", x.sizes());\n"
                   "  auto out = torch::empty_like(x);\n"
                   "  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), \"copy\", [&] {\n"
                   "    k<scalar_t><<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.numel());\n"
                   "  });\n"
                   "  C10_CUDA_KERNEL_LAUNCH_CHECK();\n  return out;\n}\n"
                   "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"copy\", &copy, py::arg(\"x\")); }\n"),
            Lines{});
}

TEST_F(Driver, ReadsWithoutAToolkit) {
  ParseOptions None = Options;
  None.CudaRoot = "none";
  std::vector<std::string> E = errorsIn("t.cu",
                                        "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cstdio>\n"
                                        "namespace cg = cooperative_groups;\n"
                                        "__global__ void k(float *p, half *h, int n) {\n"
                                        "  __shared__ float s[32];\n  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
                                        "  s[threadIdx.x] = __shfl_xor_sync(~0u, expf(p[0]), 1) + __half2float(h[0]) + tile.shfl_down(p[1], 1);\n"
                                        "  __syncthreads();\n  float4 v = make_float4(1, 2, 3, 4);\n  atomicAdd(p, s[0] + v.x); printf(\"%d\", min(n, 3));\n}\n"
                                        "int main() {\n  float *p;\n  cudaMalloc(&p, 4 * sizeof(float));\n  dim3 grid(2, 2);\n  k<<<grid, 32, 0, 0>>>(p, nullptr, 1);\n"
                                        "  cudaMemcpy(p, p, 4, cudaMemcpyDeviceToDevice);\n  return cudaGetLastError() == cudaSuccess ? 0 : 1;\n}\n",
                                        None);
  EXPECT_EQ(E, Lines{});
  llvm::cantFail(parse("t.cu", "int i;", None, View::Device, [](TranslationUnit &TU) { EXPECT_FALSE(TU.HasToolkit); }));
}

TEST_F(Driver, IncludesStayInsideTheProject) {
  write("secret/key.h", "int secret;\n");
  write("project/own.h", "int own;\n");
  std::string File = write("project/t.cu", "");
  ParseOptions O = Options;
  O.Root = (Dir + "/project").str();
  EXPECT_EQ(errorsIn(File, "#include \"own.h\"\nint i = own;\n", O), Lines{});
  EXPECT_FALSE(errorsIn(File, "#include \"../secret/key.h\"\nint i = secret;\n", O).empty());
  EXPECT_EQ(Missing, Lines{"../secret/key.h"}) << "names may be of a header that lies beside the project";
  EXPECT_FALSE(errorsIn(File, "#include \"/etc/passwd\"\n", O).empty());
  EXPECT_EQ(Missing, Lines{}) << "an absolute path is no missing third-party header";
  EXPECT_FALSE(errorsIn(File, "const char a[] = {\n#embed \"/etc/passwd\"\n};\n", O).empty());
  EXPECT_FALSE(errorsIn(File, "#include \"/dev/zero\"\n", O).empty());
  ASSERT_EQ(::mkfifo((Dir + "/project/pipe.h").str().c_str(), 0600), 0);
  EXPECT_FALSE(errorsIn(File, "#include \"pipe.h\"\n", O).empty()) << "and does not wait for a writer";
  ASSERT_EQ(::symlink("../secret/key.h", (Dir + "/project/alias.h").str().c_str()), 0);
  EXPECT_FALSE(errorsIn(File, "#include \"alias.h\"\n", O).empty());
  O.ExtraArgs = {"-I" + (Dir + "/secret").str()};
  EXPECT_EQ(errorsIn(File, "#include <key.h>\nint i = secret;\n", O), Lines{}) << "a configured folder is allowed";
}

TEST_F(Driver, HostileFlagsAreRefused) {
  ParseOptions O = Options;
  O.ExtraArgs = {"-fplugin=/tmp/evil.so"};
  auto E = errorsIn("t.cu", "int i;", O);
  ASSERT_EQ(E.size(), 1u);
  EXPECT_NE(E[0].find("refused"), std::string::npos);
}

TEST_F(Driver, TakesFlagsFromACompileDatabase) {
  std::string File = write("src/a.cu", "#include \"cfg.h\"\n");
  write("inc/cfg.h", "#pragma once\n");
  std::string Header = write("src/a.cuh", "");
  write("compile_commands.json", ("[{\"directory\":\"" + Dir + "\",\"file\":\"src/a.cu\",\"command\":\"nvcc -gencode arch=compute_90,code=sm_90 "
                                  "-DMODE=2 -Iinc --expt-relaxed-constexpr -x cu -c src/a.cu -o a.o\"}]").str());
  ParseOptions O = Options;
  O.BuildDir = std::string(Dir);
  llvm::StringRef Text = "#include <cfg.h>\n#if MODE != 2\n#error mode\n#endif\nint i;\n";
  EXPECT_EQ(errorsIn(File, Text, O), Lines{});
  EXPECT_EQ(errorsIn(Header, Text, O), Lines{}) << "a header takes its neighbour's flags";
  llvm::cantFail(parse(File, Text, O, View::Device, [](TranslationUnit &TU) { EXPECT_EQ(TU.Arch, "sm_90"); }));
}

TEST_F(Driver, RefusesPluginsFromACompileDatabase) {
  std::string File = write("a.cu", "");
  write("compile_commands.json", ("[{\"directory\":\"" + Dir + "\",\"file\":\"a.cu\",\"arguments\":[\"nvcc\",\"-Xcompiler\",\"-fplugin=x.so\",\"a.cu\"]}]").str());
  ParseOptions O = Options;
  O.BuildDir = std::string(Dir);
  LintResult R = lint(File, "int i;", O, Policy::builtin());
  EXPECT_NE(R.Error.find("refused"), std::string::npos) << R.Error;
}

TEST_F(Driver, HostViewIsLookedAtWhereItDiffers) {
  std::string File = (Dir + "/t.cu").str();
  EXPECT_FALSE(lint(File, "__global__ void k(int *p) { *p = 1; }\n", Options, Policy::builtin()).HostViewToo);
  EXPECT_TRUE(lint(File, "#if __CUDA_ARCH__ >= 800\n#define N 1\n#endif\n", Options, Policy::builtin()).HostViewToo);
  EXPECT_TRUE(lint(File, "__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\n return 1;\n#else\n return 2;\n#endif\n}\n", Options, Policy::builtin()).HostViewToo);
}

TEST_F(Driver, KernelsLaunchedFromDeviceCodeAreRead) {
  if (std::getenv("KCHECK_HIDE_CUDA"))
    GTEST_SKIP() << "the bundled declarations have no device-side launch";
  EXPECT_EQ(errors("__global__ void child(int *p) { *p = 1; }\n__global__ void parent(int *p) { child<<<1, 1>>>(p); }\n"), Lines{});
}

TEST_F(Driver, UnwritableCacheMeansAColdParseAndOneNote) {
  std::string Blocker = write("file", "not a folder");
  ParseOptions O = Options;
  O.CacheDir = Blocker + "/cache";
  LintResult R = lint((Dir + "/t.cu").str(), "__global__ void k(int *p) { *p = 1; }\n", O, Policy::builtin());
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Kernels.size(), 1u);
  ASSERT_EQ(R.Notes.size(), 1u);
  EXPECT_NE(R.Notes[0].find("cache"), std::string::npos);
}

TEST_F(Driver, DamagedCacheIsReplaced) {
  ParseOptions O = Options;
  O.CacheDir = (Dir + "/cache").str();
  LintInput In{(Dir + "/t.cu").str(), "__global__ void k(int *p) { *p = 1; }\n"};
  EXPECT_EQ(lintFiles(In, O, Policy::builtin()).at(0).Kernels.size(), 1u);
  std::error_code EC;
  unsigned Damaged = 0;
  for (fs::directory_iterator I(O.CacheDir + "/pch", EC), E; I != E && !EC; I.increment(EC))
    if (llvm::StringRef(I->path()).ends_with(".pch")) {
      llvm::raw_fd_ostream OS(I->path(), EC);
      OS << "garbage";
      ++Damaged;
    }
  EXPECT_GE(Damaged, 1u);
  for (int Round = 0; Round < 2; ++Round) {
    LintResult R = lintFiles(In, O, Policy::builtin()).at(0);
    EXPECT_EQ(R.Error, "");
    EXPECT_EQ(R.Kernels.size(), 1u);
  }
}

TEST_F(Driver, AnyTextGetsAnAnswer) {
  std::string Deep = "__global__ void k(int *p) { *p = " + std::string(20000, '(') + "1" + std::string(20000, ')') + "; }";
  std::string Not = "__global__ void k(int *p) { *p = " + std::string(300000, '!') + "1; }";
  std::string Noise;
  for (unsigned I = 0, X = 1; I < 20000; ++I, X = X * 1103515245 + 12345)
    Noise.push_back(char(X >> 16));
  std::vector<LintInput> Inputs;
  for (const std::string &Text : {std::string(), std::string("\0\0__global__", 12), std::string("\xff\xfe"), Noise, Deep, Not,
                                  std::string("template <int N> struct A { enum { v = A<N + 1>::v }; };\n__global__ void k(int *p) { *p = A<0>::v; }"),
                                  std::string("__global__ void k(int *p) { *p = 1; }")})
    Inputs.push_back({(Dir + "/t" + llvm::Twine(Inputs.size()) + ".cu").str(), Text});
  size_t Last = 0;
  auto R = lintFiles(Inputs, Options, Policy::builtin(), [&](size_t Done) { Last = Done; });
  ASSERT_EQ(R.size(), Inputs.size());
  EXPECT_EQ(Last, Inputs.size());
  for (size_t I = 0; I < R.size(); ++I)
    EXPECT_EQ(R[I].File, Inputs[I].File);
  EXPECT_EQ(R.back().Error, "");
  EXPECT_EQ(R.back().Kernels.size(), 1u) << "a crash before does not reach it";
}

TEST_F(Driver, TimeIsBounded) {
  ParseOptions O = Options;
  O.Seconds = 1;
  LintInput In{(Dir + "/t.cu").str(), "#define A(x) x x x x x x x x x x\nint i = A(A(A(A(A(A(A(A(A(A(1))))))))));\n"};
  LintResult R = lintFiles(In, O, Policy::builtin()).at(0);
  EXPECT_NE(R.Error.find("more than 1 s"), std::string::npos) << R.Error;
}

TEST_F(Driver, ParallelFirstUseBuildsOneCache) {
  ParseOptions O = Options;
  O.CacheDir = (Dir + "/cache").str();
  O.Jobs = 4;
  std::vector<LintInput> Inputs;
  for (int I = 0; I < 4; ++I)
    Inputs.push_back({(Dir + "/t" + llvm::Twine(I) + ".cu").str(), "#include <cstdint>\n__global__ void k(int *p) { *p = 1; }\n"});
  for (const LintResult &R : lintFiles(Inputs, O, Policy::builtin())) {
    EXPECT_EQ(R.Error, "");
    EXPECT_EQ(R.Notes, Lines{});
    EXPECT_EQ(R.Kernels.size(), 1u);
  }
}

TEST(Wire, GivesBackWhatWasSent) {
  LintResult R;
  R.File = "a.cu";
  Finding F;
  F.Rule = "kcheck-sync";
  F.Tag = "barrier_divergence";
  F.Cmpd = "7";
  F.Level = Severity::Reject;
  F.Sure = Certainty::Doubt;
  F.Where = {"a.cu", 3, 4};
  F.Message = "text \xff";
  F.Kernel = "k";
  F.Notes.push_back({{"b.cuh", 1, 2}, "note"});
  F.Evidence["threads"] = llvm::json::Array{0, 1};
  F.Fixes.push_back({"do it", {{"a.cu", 10, 2, "xy"}}});
  F.Defer = true;
  R.Findings.push_back(std::move(F));
  R.Kernels.push_back({"k", 7, true, {{9, "g", "b", "0"}}});
  R.Passed.push_back({"kcheck-api", "fine"});
  R.Notes = {"n"};
  R.MissingHeaders = {"x.h"};
  R.Arch = "sm_90";
  R.CudaVersion = 13000;
  R.HasToolkit = true;
  auto Back = fromWire(llvm::formatv("{0}", toWire(R)).str());
  ASSERT_TRUE(Back);
  EXPECT_EQ(llvm::formatv("{0}", toWire(*Back)).str(), llvm::formatv("{0}", toWire(R)).str());
  EXPECT_EQ(Back->Findings[0].Fixes[0].Edits[0].Text, "xy");
  EXPECT_FALSE(fromWire("{"));
}

TEST(Toolkit, ArchitecturesAreRaisedAndKept) {
  Toolkit T;
  T.Version = 13000;
  std::string Note;
  EXPECT_EQ(chooseArch("", T, Note), "sm_80");
  EXPECT_EQ(chooseArch("sm_90a", T, Note), "sm_90a");
  EXPECT_EQ(chooseArch("86", T, Note), "sm_86");
  EXPECT_EQ(Note, "");
  EXPECT_EQ(chooseArch("sm_60", T, Note), "sm_75");
  EXPECT_NE(Note, "");
  Note.clear();
  EXPECT_EQ(chooseArch("sm_999", T, Note).substr(0, 3), "sm_");
  EXPECT_NE(Note, "");
}

TEST(Toolkit, NoneHidesIt) { EXPECT_FALSE(findToolkit("none").found()); }

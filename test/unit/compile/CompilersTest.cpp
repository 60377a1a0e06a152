// The real compilers on small files, and the ways out that a source has: these need a toolkit.
#include "analyzers/engine/driver/Toolkit.h"
#include "gate/compile/Confirm.h"
#include "gate/compile/Nvrtc.h"
#include "gate/compile/Slice.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "runner/client/Sandbox.h"
#include <chrono>
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;

namespace {

class Compilers : public testing::Test {
protected:
  void SetUp() override {
    Options.CacheDir = Scratch.path() + "/cache";
    Options.Root = Scratch.path();
    if (!haveNvcc(findToolkit("").Root))
      GTEST_SKIP() << "no nvcc";
    if (client::probe().Best == client::SandboxKind::None)
      GTEST_SKIP() << "no sandbox";
  }
  CompileJob job(const std::string &Text) {
    Scratch.write("a.cu", Text);
    return llvm::cantFail(makeJob(Scratch.path() + "/a.cu", Text, Options));
  }
  static std::string all(const CompileResult &R) {
    std::string Out = R.Why;
    for (const CompilerMessage &M : R.Errors)
      Out += "\n" + std::to_string(M.Line) + ": " + M.Text;
    return Out;
  }
  client::ScratchFolder Scratch;
  ParseOptions Options;
};

constexpr const char *Good = "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\nvoid run(float *x) { k<<<1, 32>>>(x); }\n";

TEST_F(Compilers, AcceptsRejectsAndRemembers) {
  CompileResult R = compileByNvcc(job(Good));
  EXPECT_EQ(R.How, CompileResult::State::Accepted) << all(R);
  EXPECT_FALSE(R.Cached);
  EXPECT_TRUE(compileByNvcc(job(Good)).Cached);
  std::string Bad = "\n__global__ void k(float *x) {\n  x[0] = __float_rand_uniform(1);\n}\n";
  R = compileByNvcc(job(Bad));
  ASSERT_EQ(R.How, CompileResult::State::Rejected) << all(R);
  ASSERT_FALSE(R.Errors.empty());
  EXPECT_EQ(R.Errors[0].Line, 3u);
  CompileResult Again = compileByNvcc(job(Bad));
  EXPECT_TRUE(Again.Cached) << "failures are remembered too";
  EXPECT_EQ(all(Again), all(R));
}

TEST_F(Compilers, AChangedLocalHeaderIsAnotherJob) {
  std::string Text = "#include \"size.h\"\n__global__ void k(float *x) { x[0] = SIZE; }\n";
  Scratch.write("size.h", "#define SIZE 1.0f\n");
  CompileResult R = compileByNvcc(job(Text));
  EXPECT_EQ(R.How, CompileResult::State::Accepted) << all(R);
  Scratch.write("size.h", "#define SIZE nonsense\n");
  R = compileByNvcc(job(Text));
  EXPECT_FALSE(R.Cached);
  EXPECT_EQ(R.How, CompileResult::State::Rejected);
}

TEST_F(Compilers, FilesOutsideCannotBeIncluded) {
  for (const char *Way : {"#include \"/etc/passwd\"\n", "#include \"../../../../../../etc/passwd\"\n", "#include </etc/passwd>\n",
                          "#define F \"/etc/passwd\"\n#include F\n"}) {
    CompileResult R = compileByNvcc(job(std::string(Way) + Good));
    EXPECT_NE(R.How, CompileResult::State::Accepted) << Way;
    EXPECT_EQ(all(R).find("root:"), std::string::npos) << Way << all(R);
  }
  // What the compiler sees there is its own clean environment, not ours.
  setenv("KCHECK_TEST_SECRET", "secret_word", 1);
  CompileResult Own = compileByNvcc(job("#include \"/proc/self/environ\"\n" + std::string(Good)));
  EXPECT_EQ(all(Own).find("secret_word"), std::string::npos) << all(Own);
  CompileResult R = compileByNvcc(job("asm(\".incbin \\\"/etc/passwd\\\"\");\n" + std::string(Good)));
  EXPECT_NE(R.How, CompileResult::State::Accepted) << "the assembler read /etc/passwd";
  R = compileByNvcc(job("const unsigned char leak[] = {\n#embed \"/etc/passwd\"\n};\n" + std::string(Good)));
  EXPECT_NE(R.How, CompileResult::State::Accepted) << "#embed read /etc/passwd";
}

TEST_F(Compilers, DevicesAndBombsEndByTheLimits) {
  Options.UseCache = false;
  for (const char *Way : {"#include \"/dev/zero\"\n", "#include \"/dev/urandom\"\n", "#include \"/dev/stdin\"\n",
                          "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) s += j; return s; }\nconstexpr int v = f(2000000);\n",
                          "template <int N, int M> struct B { static const int v = B<N - 1, 2 * M>::v + B<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct B<0, M> { static const int v = M; };\nint x = B<40, 1>::v;\n"}) {
    CompileJob J = job(std::string(Way) + Good);
    J.Seconds = 4;
    J.MemoryMB = 600;
    auto Start = std::chrono::steady_clock::now();
    CompileResult R = compileByNvcc(J);
    double Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
    EXPECT_NE(R.How, CompileResult::State::Accepted) << Way;
    EXPECT_LT(Seconds, 25) << Way;
  }
}

TEST_F(Compilers, HostileFlagsAreRefusedOrDropped) {
  for (std::vector<std::string> Flags : {std::vector<std::string>{"-fplugin=/tmp/evil.so"}, {"-Xclang", "-load", "-Xclang", "/tmp/evil.so"},
                                         {"@/tmp/response"}, {"-B/tmp"}, {"-ccbin", "/tmp/evil"}, {"--options-file", "/tmp/x"}, {"-wrapper", "/tmp/evil"}}) {
    ParseOptions O = Options;
    O.ExtraArgs = Flags;
    llvm::Expected<CompileJob> J = makeJob(Scratch.path() + "/a.cu", Good, O);
    if (!J) {
      llvm::consumeError(J.takeError());
      continue;
    }
    for (const std::string &F : J->Flags)
      EXPECT_TRUE(F.find("/tmp") == std::string::npos && F.find("plugin") == std::string::npos && F.find("load") == std::string::npos) << F;
  }
}

class Slices : public Compilers {
protected:
  DeviceSlice slice(const std::string &Text) {
    DeviceSlice S;
    Scratch.write("a.cu", Text);
    llvm::cantFail(parse(Scratch.path() + "/a.cu", Text, Options, View::Device,
                         [&](TranslationUnit &TU) { S = sliceDevice(TU, findToolkit("").Root + "/include"); }));
    return S;
  }
  CompileResult byNvrtc(const std::string &Text) { return compileByNvrtc(job(Text), slice(Text)); }
};

TEST_F(Slices, HostCodeIsBlankedInPlace) {
  std::string Text = "#include <cuda_runtime.h>\n#include <vector>\nstatic std::vector<float> table;\nconstexpr int kBlock = 32;\nstruct Arg { float *p; void reset() { table.clear(); } };\n"
                     "template <typename T> __global__ void scale(T *x, Arg a) {\n  x[threadIdx.x] *= T(kBlock) + a.p[0];\n}\n"
                     "void run(float *x) {\n#define LATER 3\n  scale<float><<<1, kBlock>>>(x, Arg{x});\n}\n"
                     "__global__ void fill(float *x) { x[0] = LATER; }\n";
  DeviceSlice S = slice(Text);
  EXPECT_EQ(std::count(S.Text.begin(), S.Text.end(), '\n'), std::count(Text.begin(), Text.end(), '\n'));
  EXPECT_EQ(S.Text.size(), Text.size());
  EXPECT_EQ(S.Text.find("void run"), std::string::npos);
  EXPECT_EQ(S.Text.find("table"), std::string::npos) << S.Text;
  EXPECT_NE(S.Text.find("kBlock = 32"), std::string::npos);
  EXPECT_NE(S.Text.find("#define LATER 3"), std::string::npos);
  EXPECT_NE(S.Text.find("void reset()"), std::string::npos);
  ASSERT_EQ(S.NameExpressions.size(), 1u);
  EXPECT_EQ(S.NameExpressions[0], "scale<float>");
  if (!haveNvrtc(findToolkit("").Root))
    GTEST_SKIP() << "no NVRTC";
  CompileResult R = byNvrtc(Text);
  EXPECT_EQ(R.How, CompileResult::State::Accepted) << all(R) << S.Text;
}

TEST_F(Slices, NvrtcNamesTheLine) {
  if (!haveNvrtc(findToolkit("").Root))
    GTEST_SKIP() << "no NVRTC";
  CompileResult R = byNvrtc("#include <cuda_runtime.h>\n#include <cfloat>\n#include <cstdint>\n__global__ void k(float *x) {\n  x[0] = FLT_MAX;\n  x[1] = __float_rand_uniform(1);\n}\n");
  ASSERT_EQ(R.How, CompileResult::State::Rejected) << R.Why;
  ASSERT_EQ(R.Errors.size(), 1u) << all(R);
  EXPECT_EQ(R.Errors[0].Line, 6u);
}

} // namespace

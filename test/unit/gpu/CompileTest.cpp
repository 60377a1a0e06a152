#include "runner/gpu/Compile.h"
#include "runner/gpu/Hash.h"
#include "runner/gpu/Reference.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;

namespace {

protocol::Source source(std::string Text) {
  protocol::Source S;
  S.File = "a.cu";
  S.Text = std::move(Text);
  return S;
}

TEST(GpuHash, KnownVectors) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().raw("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().raw(std::string(1000000, 'a')).hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_NE(Sha256().part("ab").part("c").hex(), Sha256().part("a").part("bc").hex());
}

TEST(GpuCache, KeyHoldsAllThatDecides) {
  protocol::Source S = source("__global__ void k() {}");
  CompileRequest R;
  R.Source = &S;
  R.Kernels = {"k"};
  R.Driver = "13.0";
  std::string Key = cacheKey(R, "nvrtc 13.0");
  EXPECT_EQ(Key, cacheKey(R, "nvrtc 13.0"));
  auto differs = [&](auto Change) {
    protocol::Source T = S;
    CompileRequest Q = R;
    Q.Source = &T;
    Change(T, Q);
    return cacheKey(Q, "nvrtc 13.0") != Key;
  };
  EXPECT_TRUE(differs([](auto &T, auto &) { T.Text += " "; }));
  EXPECT_TRUE(differs([](auto &T, auto &) { T.Defines.push_back("N=1"); }));
  EXPECT_TRUE(differs([](auto &T, auto &) { T.Includes.push_back({"b.cuh", ""}); }));
  EXPECT_TRUE(differs([](auto &T, auto &) { T.Standard = "c++20"; }));
  EXPECT_TRUE(differs([](auto &, auto &Q) { Q.Arch = "sm_80"; }));
  EXPECT_TRUE(differs([](auto &, auto &Q) { Q.Driver = "12.9"; }));
  EXPECT_TRUE(differs([](auto &, auto &Q) { Q.Kernels = {"k<float>"}; }));
  EXPECT_NE(cacheKey(R, "nvrtc 12.9"), Key);
}

TEST(GpuCompile, ArgumentsOfAJob) {
  auto refused = [](const char *Arg) {
    protocol::Source S = source("");
    S.Args = {Arg};
    return !refusedArgument(S).empty();
  };
  for (const char *A : {"--use_fast_math", "-maxrregcount=64", "-fmad=false"})
    EXPECT_FALSE(refused(A)) << A;
  for (const char *A : {"-include=/etc/passwd", "-ccbin=/tmp/x", "-Xcompiler=-fplugin=/tmp/x.so", "@/tmp/args", "--options-file=x", "-maxrregcount=64 -o x", "-I/", "-O2 -ccbin", ""})
    EXPECT_TRUE(refused(A)) << A;
  protocol::Source S = source("");
  S.Defines = {"N=4", "F(x)=x+1", "FLAG"};
  EXPECT_EQ(refusedArgument(S), "");
  S.Defines = {"-include /etc/passwd"};
  EXPECT_NE(refusedArgument(S), "");
  S = source("");
  S.Standard = "c++17 -ccbin x";
  EXPECT_NE(refusedArgument(S), "");
}

TEST(GpuCache, EntriesSurviveAndDamageIsSeen) {
  Binary B;
  B.Ok = true;
  B.Cubin = std::string("\x7f" "ELF\0\n\n", 7);
  B.Lowered["k<float>"] = "_Z1kIfEvv";
  B.Messages.push_back({{"a.cu", 3, 1}, "warning", "unused"});
  std::string Text = writeEntry(B);
  auto Back = readEntry(Text);
  ASSERT_TRUE(Back);
  EXPECT_TRUE(Back->Cached);
  EXPECT_EQ(Back->Cubin, B.Cubin);
  EXPECT_EQ(Back->Lowered, B.Lowered);
  EXPECT_EQ(Back->Messages[0].Where.Line, 3u);
  Text.back() ^= 1;
  EXPECT_FALSE(readEntry(Text)) << "one flipped bit";
  EXPECT_FALSE(readEntry(""));
}

TEST(GpuCompile, IncludesStayInside) {
  EXPECT_EQ(refusedInclude(source("#include <cuda_fp16.h>\n#include \"x/y.cuh\"\n")), "");
  for (const char *Bad : {"#include \"/etc/passwd\"", "#include <../../etc/passwd>", " # /* a */ include \"a/../../b\"", "#inc\\\nlude \"/etc/passwd\"",
                          "#define F \"/etc/passwd\"\n#include F", "#embed \"/etc/passwd\"", "%:include \"/etc/passwd\"",
                          "__device__ void f() { asm(\".incbin \\\"/etc/passwd\\\"\"); }"})
    EXPECT_NE(refusedInclude(source(Bad)), "") << Bad;
  protocol::Source S = source("");
  S.Includes.push_back({"../up.cuh", ""});
  EXPECT_NE(refusedInclude(S), "");
}

TEST(GpuCompile, MessagesOfBothCompilers) {
  protocol::Source S = source("");
  auto M = parseCompilerLog("a.cu(3): error: identifier \"x\" is undefined\n"
                            "      out[i] = x;\n"
                            "/tmp/kcheck-gpu-1/in/a.cu(7): warning #177-D: variable \"y\" was declared but never referenced\n"
                            "/usr/local/cuda/include/cuda_fp16.h(12): error: secret line\n"
                            "ptxas error   : Entry function 'k' uses too much shared data\n"
                            "1 error detected in the compilation of \"a.cu\".\n",
                            S);
  ASSERT_EQ(M.size(), 4u);
  EXPECT_EQ(M[0].Where.Line, 3u);
  EXPECT_EQ(M[0].Level, "error");
  EXPECT_EQ(M[0].Message, "identifier \"x\" is undefined");
  EXPECT_EQ(M[1].Where.Line, 7u);
  EXPECT_EQ(M[1].Level, "warning");
  EXPECT_EQ(M[2].Where.Line, 0u) << "no line of a file that is not the candidate's";
  EXPECT_NE(M[3].Message.find("too much shared"), std::string::npos);
}

TEST(GpuCompile, KernelNamesCompare) {
  EXPECT_EQ(plainKernelName("k(float*, int)"), "k");
  EXPECT_EQ(plainKernelName("void ns::scale<float, 4>(float*, int)"), "ns::scale<float,4>");
  EXPECT_EQ(plainKernelName("void scale<float, (int)4>(float*)"), "scale<float,4>");
  EXPECT_EQ(plainKernelName("void scale<float, 4u>(float*)"), "scale<float,4>");
  EXPECT_EQ(plainKernelName("(anonymous namespace)::k(float*)"), "k");
  EXPECT_EQ(plainKernelName("ns::scale<float, 4>("), "ns::scale<float,4>");
}

TEST(GpuCompile, NvrtcCompilesWhereItIs) {
  std::string Why;
  if (!nvrtc(Why))
    GTEST_SKIP() << Why;
  protocol::Source S = source("#include <cstdint>\n#include <cuda_fp16.h>\n#include \"t.cuh\"\n"
                              "template <typename T> __global__ void scale(T *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= FACTOR; }\n"
                              "__global__ void plain(float *p) { *p = 1; }\n");
  S.Includes.push_back({"t.cuh", "#pragma once\n#define FACTOR 2\n"});
  CompileRequest R;
  R.Source = &S;
  R.Kernels = {"scale<float>", "plain"};
  R.Compiler = "nvrtc";
  std::filesystem::path Folder = std::filesystem::temp_directory_path() / ("kcheck-gpu-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(Folder);
  Cache C(Folder.string());
  Binary B = compile(R, C);
  ASSERT_TRUE(B.Ok) << B.Error;
  EXPECT_EQ(B.Lowered["plain"], "_Z5plainPf");
  EXPECT_EQ(B.Lowered["scale<float>"], "_Z5scaleIfEvPT_i");
  EXPECT_TRUE(compile(R, C).Cached);
  S.Text = "__global__ void k(float *p) {\n  *p = missing;\n}\n";
  R.Kernels = {"k"};
  B = compile(R, C);
  EXPECT_FALSE(B.Ok);
  ASSERT_FALSE(B.Messages.empty());
  EXPECT_EQ(B.Messages[0].Where.Line, 2u);
  B = compile(R, C);
  EXPECT_TRUE(B.Cached) << "failures are kept too";
  EXPECT_FALSE(B.Ok);
  std::filesystem::remove_all(Folder);
}

TEST(GpuCompile, OwnKernelsCompile) {
  std::string Why;
  if (!nvrtc(Why))
    GTEST_SKIP() << Why;
  for (const char *Text : {HelperKernels, ReferenceKernels}) {
    protocol::Source S = source(Text);
    CompileRequest R;
    R.Source = &S;
    R.Compiler = "nvrtc";
    Binary B = compile(R, Cache(std::string()));
    EXPECT_TRUE(B.Ok) << B.Error;
    EXPECT_GT(B.Cubin.size(), 1000u);
  }
}

TEST(GpuCompile, EveryReferenceRowHasItsKernelAndItsArguments) {
  for (const ReferenceRow &R : referenceRows()) {
    EXPECT_NE(std::string(ReferenceKernels).find(std::string(R.Kernel)), std::string::npos) << R.Operator;
    const ops::Operator *O = ops::findOperator(R.Operator);
    ASSERT_NE(O, nullptr) << R.Operator;
    for (const char *I : R.Inputs)
      EXPECT_TRUE(!*I || O->find(I)) << R.Operator << " " << I;
    EXPECT_NE(O->find(R.Output), nullptr) << R.Operator;
    for (const char *A : R.Attrs)
      EXPECT_NE(O->find(A), nullptr) << R.Operator;
    ops::Dims D;
    for (const std::string &N : O->dims())
      D[N] = 3;
    for (const char *E : R.Dims)
      EXPECT_TRUE(ops::evaluate(E, D)) << R.Operator << " " << E;
    EXPECT_TRUE(ops::evaluate(R.Length, D)) << R.Operator;
    EXPECT_EQ(O->Accept, nullptr) << R.Operator << ": only the CPU asks it";
  }
}

} // namespace

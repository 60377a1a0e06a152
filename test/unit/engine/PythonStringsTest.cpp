#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/PythonStrings.h"
#include "gtest/gtest.h"

using namespace kcheck;

TEST(PythonStrings, FindsOnlyCudaCode) {
  auto S = cudaStrings("'''doc: writes a __global__ thing'''\nx = 'plain'\nk = r'''\n__global__ void k(int *p) { *p = 1; }\n'''\n# '''__global__ {;}'''\n");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_EQ(S[0].Text, "\n__global__ void k(int *p) { *p = 1; }\n");
  EXPECT_TRUE(S[0].Raw);
}

TEST(PythonStrings, EveryByteKnowsItsPlace) {
  llvm::StringRef Py = "k = '__global__ void k(int *p)\\n{ *p = 1; }'\n";
  auto S = cudaStrings(Py);
  ASSERT_EQ(S.size(), 1u);
  EXPECT_EQ(S[0].Text, "__global__ void k(int *p)\n{ *p = 1; }");
  EXPECT_FALSE(S[0].Raw);
  auto At = offsetOf(S[0].Text, 2, 3); // the star
  ASSERT_TRUE(At);
  EXPECT_EQ(Py[S[0].Offsets[*At]], '*');
  EXPECT_EQ(lineColumn(Py, S[0].Offsets[*At]), (std::pair<unsigned, unsigned>(1, 35)));
}

TEST(PythonStrings, JoinsNeighbours) {
  auto S = cudaStrings("k = ('__global__ void k(int *p) {'\n     ' *p = 1; }' + \"// end;\")\n");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_EQ(S[0].Text, "__global__ void k(int *p) { *p = 1; }// end;");
}

TEST(PythonStrings, FillsConstantsIntoFormatStrings) {
  auto S = cudaStrings("N = 256\nk = f'''__global__ void k(int *p) {{ p[{N}] = {M}; }}'''\n");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_EQ(S[0].Text, "__global__ void k(int *p) { p[256] = 1; }");
  EXPECT_TRUE(S[0].Holes);
}

TEST(PythonStrings, KnowsTemplatesThatAreFilledLater) {
  EXPECT_TRUE(cudaStrings("k = '''__global__ void k(%(T)s *p) { *p = 1; }''' % d\n").at(0).Holes);
  EXPECT_FALSE(cudaStrings("k = '''__global__ void k(int *p) { *p = 1; }'''\n").at(0).Holes);
}

TEST(PythonStrings, StandAtTheirLinesAsFiles) {
  auto A = alignedStrings("import torch\n\nsrc = '''\n__global__ void k(int *p) {\n  printf(\"a\\n\");\n  *p = 1;\n}\n'''\n");
  ASSERT_EQ(A.size(), 1u);
  EXPECT_EQ(llvm::StringRef(A[0].Text).count('\n'), 8u) << "one more than in the file: the escape is a line break";
  EXPECT_TRUE(llvm::StringRef(A[0].Text).starts_with("\n\n\n__global__"));
  EXPECT_EQ(A[0].pythonLine(4), 4u);
  EXPECT_EQ(A[0].pythonLine(7), 6u) << "behind the break";
  EXPECT_TRUE(A[0].holds(6));
  EXPECT_FALSE(A[0].holds(1));
}

TEST(PythonStrings, LaunchersMakeACudaText) {
  EXPECT_EQ(cudaStrings("s = '''\nvoid k(float *x) { *x = 1; }\nvoid f(float *x) { k<<<1, 1>>>(x); }\n'''\n").size(), 1u);
}

TEST(PythonStrings, SurvivesGarbage) {
  for (const char *Py : {"", "'", "'''", "\"\"\"__global__ {;", "f'{", "r", "rb", "'\\", "k = '\\x"})
    cudaStrings(Py);
}

TEST(PythonLint, KernelsStandAtTheirPythonLine) {
  llvm::StringRef Py = "import cupy\n\nk = cupy.RawKernel(r'''\nextern \"C\" __global__\nvoid scale(float *p, int n) {\n  int i = blockIdx.x * blockDim.x + "
                       "threadIdx.x;\n  if (i < n) p[i] *= 2.f;\n}\n''', 'scale')\n";
  LintResult R = lint("example.py", Py, {}, Policy::builtin());
  EXPECT_EQ(R.Error, "");
  ASSERT_EQ(R.Kernels.size(), 1u);
  EXPECT_EQ(R.Kernels[0].Name, "scale");
  EXPECT_TRUE(R.Kernels[0].Line == 4 || R.Kernels[0].Line == 5) << R.Kernels[0].Line;
}

TEST(PythonStrings, PutsTogetherWhatIsAddedByName) {
  auto S = cudaStrings("head = '''\n__device__ int one() { return 1; }\n'''\nkernel = '''\n__global__ void k(int *p) { *p = one(); }\n'''\n"
                       "ext = load_inline(name='e', cpp_sources='void go();', cuda_sources=head + kernel, functions=['go'])\n");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_NE(S[0].Text.find("int one()"), std::string::npos);
  EXPECT_NE(S[0].Text.find("*p = one()"), std::string::npos);
  EXPECT_EQ(S[0].Text.size(), S[0].Offsets.size());
}

TEST(PythonStrings, PutsListsOfSourcesTogether) {
  std::string Kernel = "kernel = '''__global__ void k(int *p) { *p = 1; }'''\n", Launcher = "launcher = '''void go(int *p) { k<<<1, 1>>>(p); }'''\n";
  auto S = cudaStrings(Kernel + Launcher + "e = load_inline(name='e', cpp_sources=[], cuda_sources=[kernel, launcher])\n");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_NE(S[0].Text.find("<<<1, 1>>>"), std::string::npos);
  // Other lists hold texts that are compiled each for itself.
  EXPECT_EQ(cudaStrings(Kernel + "other = '''__global__ void o(int *p) { *p = 2; }'''\nfor text in [kernel, other]:\n  build(text)\n").size(), 2u);
}

TEST(PythonStrings, OneHeadForTwoTexts) {
  auto S = cudaStrings("head = '__device__ int one() { return 1; }'\na = head + '__global__ void a(int *p) { *p = one(); }'\n"
                       "b = head + '__global__ void b(int *p) { *p = one(); }'\nwhole = a + 'int tail;'\n");
  ASSERT_EQ(S.size(), 2u);
  EXPECT_NE(S[0].Text.find("void b("), std::string::npos);
  EXPECT_NE(S[1].Text.find("int tail;"), std::string::npos);
}

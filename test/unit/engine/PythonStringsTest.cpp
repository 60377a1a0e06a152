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

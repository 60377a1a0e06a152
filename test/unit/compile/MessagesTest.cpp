#include "analyzers/rules/compile/Spelling.h"
#include "gate/compile/Confirm.h"
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;

namespace {

TEST(Messages, EdgAndHostCompilerAndAssembler) {
  auto M = parseMessages("a.cu(12): error: identifier \"__foo\" is undefined\n"
                         "    const float u = __foo(1);\n"
                         "                    ^\n"
                         "a.cu(14): error: no operator \"<<\" matches these operands\n"
                         "            operand types are: std::ostream << c10::TensorOptions\n"
                         "a.cu:20:7: error: 'x' was not declared in this scope\n"
                         "a.cu:3:10: fatal error: torch/extension.h: No such file or directory\n"
                         "/etc/passwd(1): error: root:x:0:0 is nonsense\n"
                         "ptxas error   : Entry function 'k' uses too much shared data\n"
                         "At end of source: error: expected a \"}\"\n"
                         "2 errors detected in the compilation of \"a.cu\".\n",
                         "a.cu");
  ASSERT_EQ(M.size(), 7u);
  EXPECT_EQ(M[0].Line, 12u);
  EXPECT_EQ(M[0].Text, "identifier \"__foo\" is undefined");
  EXPECT_EQ(M[1].Types, "operand types are: std::ostream << c10::TensorOptions");
  EXPECT_EQ(M[2].Line, 20u);
  EXPECT_EQ(M[2].Column, 7u);
  EXPECT_EQ(M[3].Line, 3u);
  EXPECT_EQ(M[4].Line, 0u);
  EXPECT_EQ(M[4].Text, "error in passwd") << "a header's words must not be quoted";
  EXPECT_TRUE(M[5].FromAssembler);
  EXPECT_EQ(M[6].Text, "expected a \"}\" at end of file");
}

Finding finding(const char *Tag, unsigned Line, const char *Name, const char *Kernel = "k") {
  Finding F;
  F.Rule = "kcheck-compile";
  F.Tag = Tag;
  F.Cmpd = "0";
  F.Where = {"a.cu", Line, 1};
  F.Kernel = Kernel;
  F.Level = Severity::Reject;
  if (*Name)
    F.Evidence["name"] = Name;
  return F;
}

CompileResult rejected(std::initializer_list<CompilerMessage> Errors) {
  CompileResult A;
  A.How = CompileResult::State::Rejected;
  A.Compiler = "nvcc 13.0";
  A.Errors = Errors;
  return A;
}

TEST(Confirm, WhatTheCompilerAcceptsIsNoFinding) {
  LintResult R;
  R.Findings = {finding("undeclared_api", 12, "__stcs"), finding("missing_header", 1, "torch")};
  CompileResult A;
  A.How = CompileResult::State::Accepted;
  applyAnswer(R, A, Policy::builtin());
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Tag, "missing_header");
}

TEST(Confirm, WithoutACompilerARejectBecomesAReview) {
  LintResult R;
  R.Findings = {finding("undeclared_api", 12, "__foo"), finding("nvcc_decides", 5, "printf")};
  applyAnswer(R, CompileResult(), Policy::builtin());
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Level, Severity::Review);
}

TEST(Confirm, TheSameFaultIsProvenAndCarriesTheMessage) {
  LintResult R;
  R.Findings = {finding("undeclared_api", 12, "__foo"), finding("type_mismatch", 40, "bar"), finding("nvcc_decides", 14, "printf")};
  R.Findings[0].Level = R.Findings[1].Level = Severity::Review;
  applyAnswer(R, rejected({{12, 0, "identifier \"__foo\" is undefined", false}, {14, 0, "identifier \"printf\" is undefined", false}}), Policy::builtin());
  ASSERT_EQ(R.Findings.size(), 3u);
  EXPECT_EQ(R.Findings[0].Level, Severity::Reject);
  EXPECT_EQ(R.Findings[0].Evidence.getString("error"), "identifier \"__foo\" is undefined");
  EXPECT_EQ(R.Findings[1].Level, Severity::Review) << "nvcc did not say so";
  EXPECT_EQ(R.Findings[2].Tag, "missing_include");
  EXPECT_EQ(R.Findings[2].Level, Severity::Reject);
}

TEST(Confirm, AnotherFaultThanClangSawIsReportedByItsOwnMessage) {
  LintResult R;
  R.File = "a.cu";
  R.Findings = {finding("type_mismatch", 40, "bar")};
  applyAnswer(R, rejected({{12, 0, "identifier \"__foo\" is undefined", false}}), Policy::builtin());
  ASSERT_EQ(R.Findings.size(), 2u);
  EXPECT_EQ(R.Findings[1].Where.Line, 12u);
  EXPECT_EQ(R.Findings[1].Tag, "undeclared_api");
}

TEST(Confirm, TheAssemblersWordIsNoCompileFinding) {
  LintResult R;
  R.Findings = {finding("type_mismatch", 40, "bar")};
  applyAnswer(R, rejected({{0, 0, "ptxas error : too much shared data", true}}), Policy::builtin());
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Level, Severity::Review);
}

TEST(Confirm, NvrtcMustNameTheSameFaultInAKernel) {
  LintResult R;
  R.Findings = {finding("undeclared_api", 12, "__foo")};
  EXPECT_TRUE(applyDeviceAnswer(R, rejected({{12, 0, "identifier \"__foo\" is undefined", false}}), Policy::builtin(), false));
  R.Findings = {finding("undeclared_api", 12, "__foo"), finding("undeclared_api", 30, "cudaMemCpy", "")};
  EXPECT_FALSE(applyDeviceAnswer(R, rejected({{12, 0, "identifier \"__foo\" is undefined", false}}), Policy::builtin(), false));
  R.Findings = {finding("undeclared_api", 12, "__foo")};
  EXPECT_FALSE(applyDeviceAnswer(R, rejected({{25, 0, "something else", false}}), Policy::builtin(), false));
  CompileResult Accepted;
  Accepted.How = CompileResult::State::Accepted;
  EXPECT_FALSE(applyDeviceAnswer(R, Accepted, Policy::builtin(), false)) << "nvcc has the last word";
}

TEST(Confirm, WhatAnUnseenHeaderCouldExplainStaysADoubt) {
  CompileResult Both = rejected({{12, 0, "identifier \"__foo\" is undefined", false}, {14, 0, "identifier \"Pack\" is undefined", false}});
  LintResult R;
  R.Findings = {finding("undeclared_api", 12, "__foo"), finding("undeclared_api", 14, "Pack")};
  for (Finding &F : R.Findings)
    F.Level = Severity::Review;
  EXPECT_FALSE(applyDeviceAnswer(R, Both, Policy::builtin(), true));
  EXPECT_EQ(R.Findings[0].Level, Severity::Reject) << "no PyTorch header brings a name like CUDA's own";
  EXPECT_EQ(R.Findings[1].Level, Severity::Review);
}

std::vector<Severity> withStandIns(std::initializer_list<Finding> Findings, std::initializer_list<CompilerMessage> Messages, const char *Text = "") {
  LintResult R;
  R.Findings = Findings;
  for (Finding &F : R.Findings)
    F.Level = Severity::Review;
  applyStandInAnswer(R, rejected(Messages), Text, Policy::builtin());
  std::vector<Severity> Levels;
  for (const Finding &F : R.Findings)
    Levels.push_back(F.Level);
  return Levels;
}

TEST(Confirm, WhatPyTorchMayDeclareIsNoFault) {
  using Levels = std::vector<Severity>;
  const Severity Review = Severity::Review, Reject = Severity::Reject;
  EXPECT_EQ(withStandIns({finding("undeclared_api", 3, "frobnicate", "")}, {{3, 1, "identifier \"frobnicate\" is undefined", false}}), Levels{Review});
  EXPECT_EQ(withStandIns({finding("undeclared_api", 3, "cudaGetLastErorr", "")}, {{3, 1, "identifier \"cudaGetLastErorr\" is undefined", false}}), Levels{Reject});
  EXPECT_EQ(withStandIns({finding("type_mismatch", 3, "", "")}, {{3, 1, "no suitable conversion from \"at::Tensor\" to \"float *\" exists", false}}), Levels{Review});
  EXPECT_EQ(withStandIns({finding("type_mismatch", 3, "", "")}, {{3, 1, "argument of type \"float *\" is incompatible with parameter of type \"float4 *\"", false}}), Levels{Reject});
  EXPECT_EQ(withStandIns({finding("undeclared_api", 3, "foo", "")}, {{3, 1, "class \"dim3\" has no member \"foo\"", false}}), Levels{Review});
}

TEST(Confirm, SyntaxBehindAnUnknownMacroIsNoFault) {
  using Levels = std::vector<Severity>;
  const Severity Review = Severity::Review, Reject = Severity::Reject;
  EXPECT_EQ(withStandIns({finding("syntax_error", 2, "")}, {{2, 1, "expected a \";\"", false}}, "int a\nint b;\n"), Levels{Reject});
  EXPECT_EQ(withStandIns({finding("syntax_error", 2, "")}, {{2, 1, "expected a \";\"", false}}, "AT_SOMETHING(int)\nint b;\n"), Levels{Review});
  EXPECT_EQ(withStandIns({finding("syntax_error", 3, "")}, {{3, 1, "expected a \";\"", false}}, "#define OWN_MACRO(t) t\nOWN_MACRO(int) b\nint b;\n"), Levels{Reject});
  EXPECT_EQ(withStandIns({finding("syntax_error", 2, "")}, {{1, 1, "identifier \"their_type\" is undefined", false}, {2, 1, "expected a \";\"", false}}, "their_type a\nint b;\n"),
            Levels{Review});
}

TEST(Spelling, UnderscoresAndCapitalsDoNotCount) {
  using namespace kcheck::compile;
  EXPECT_EQ(nameDistance("__sync_threads", "__syncthreads", 3), 0u);
  EXPECT_EQ(nameDistance("cudaMemCpy", "cudaMemcpy", 3), 0u);
  EXPECT_EQ(nameDistance("__devcie__", "__device__", 3), 1u) << "two swapped letters are one slip";
  EXPECT_EQ(nameDistance("__shfl_down_synk", "__shfl_down_sync", 3), 1u);
  EXPECT_GT(nameDistance("__syncthreads", "__threadfence", 3), 3u);
  EXPECT_GE(nameLikeness("__float_rand_uniform", "curand_uniform"), 0.7);
  EXPECT_LT(nameLikeness("cudaStreamWaitStream", "cudaStreamCreate"), 0.7);
}

} // namespace

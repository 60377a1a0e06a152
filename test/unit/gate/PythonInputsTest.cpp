#include "gate/plan/PythonInputs.h"
#include <gtest/gtest.h>

using namespace kcheck::gate;

namespace {

std::string text(const std::vector<KnownArgument> &All) {
  std::string Out;
  for (const KnownArgument &K : All) {
    Out += Out.empty() ? "" : "; ";
    if (K.IsWhole)
      Out += std::to_string(K.Whole);
    for (const KnownDim &D : K.Dims)
      Out += D.Word + "=" + std::to_string(D.Value) + " ";
  }
  return Out;
}

constexpr char Answer[] = R"(
import torch
batch, dim = 3, 4
batch_size = 16  # a comment
features = 64
source = '''def forward(self, x): return e.run(x)'''
class ModelNew(nn.Module):
    def __init__(self, width, eps=2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, 8))
        self.eps = eps
    def forward(self, x, mask):
        x = x.contiguous().cuda()
        y = self.e.run(x, self.weight.detach(), self.eps, mask, x.mean())
        return y

def get_inputs():
    x = torch.rand((batch_size,
                    features), device="cuda")
    return [x, torch.ones(batch_size)]

def get_init_inputs():
    return [features]
)";

TEST(PythonInputs, FollowsTheArgumentsOfACall) {
  EXPECT_EQ(text(pythonArguments(Answer, "run")), "batch_size=16 features=64 ; features=64 8=8 ; 2; batch_size=16 ; ");
}

TEST(PythonInputs, AnotherFunctionHasNone) { EXPECT_TRUE(pythonArguments(Answer, "un").empty()); }

TEST(PythonInputs, WhatIsComputedIsNotKnown) {
  const char *Py = "n = 4\nclass M:\n    def forward(self, x, y):\n        x = other(x)\n        return e.run(x, y)\ndef get_inputs():\n    return [torch.rand(n), torch.rand(n * 2)]\n";
  EXPECT_TRUE(pythonArguments(Py, "run").empty());
}

TEST(PythonInputs, SurvivesGarbage) {
  for (const char *Py : {"", "class A:\n def forward(", "def get_inputs(:\n  return [", "class A:\n def forward(self):\n  run(]", "x = '''", "\\"})
    EXPECT_TRUE(pythonArguments(Py, "run").empty());
}

} // namespace

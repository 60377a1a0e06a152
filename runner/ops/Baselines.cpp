#include "runner/ops/Baselines.h"

namespace kcheck::ops {
struct BaselineText {
  std::string_view Name, Text;
};
// Written by CMake from baselines/*: the list is the folder.
extern const BaselineText BaselineTexts[];
extern const unsigned BaselineCount;
} // namespace kcheck::ops

using namespace kcheck;

std::string_view ops::baseline(std::string_view Operator) {
  for (unsigned I = 0; I < BaselineCount; ++I)
    if (BaselineTexts[I].Name == Operator)
      return BaselineTexts[I].Text;
  return {};
}

std::string_view ops::baselineHeader() { return baseline("baseline.cuh"); }

std::vector<std::string> ops::operatorsWithBaseline() {
  std::vector<std::string> Names;
  for (unsigned I = 0; I < BaselineCount; ++I)
    if (BaselineTexts[I].Name != "baseline.cuh")
      Names.emplace_back(BaselineTexts[I].Name);
  return Names;
}

//===- Describe.h - blocks and sizes in a finding's words ----------------------===//
#ifndef KCHECK_MATCHERS_DESCRIBE_H
#define KCHECK_MATCHERS_DESCRIBE_H

#include "matchers/eval/Trace.h"
#include "llvm/Support/FormatVariadic.h"

namespace kcheck {

/// "(0,1,0)"
inline std::string blockText(const std::array<unsigned, 3> &Index) {
  return llvm::formatv("({0},{1},{2})", Index[0], Index[1], Index[2]).str();
}

/// " at rows = 33, cols = 65"; empty when the launcher has no sizes or there is no launcher.
inline std::string sizesText(const eval::HostRun *H) {
  if (!H || H->Sizes.empty())
    return "";
  std::string Text;
  for (const eval::Size &S : H->Sizes)
    Text += (Text.empty() ? " at " : ", ") + S.Name + " = " + std::to_string(S.Value);
  return Text;
}

} // namespace kcheck
#endif

//===- PtxParse.h - splits inline PTX into statements -------------------------===//
#ifndef KCHECK_SIM_PTXPARSE_H
#define KCHECK_SIM_PTXPARSE_H

#include <string>
#include <string_view>
#include <vector>

namespace kcheck::sim {

/// "mul.lo.u32 r0, a, {b, c}" and the like. Braces that open scopes are dropped; register names of inner
/// scopes never clash in the code that the translator meets.
struct PtxStatement {
  enum Kind { Instruction, Register, Label } What = Instruction;
  std::string Guard;        ///< predicate register, empty: none
  bool Negated = false;     ///< @!p
  std::vector<std::string> Op;       ///< "mul", "lo", "u32"; registers: the type; labels: the name
  std::vector<std::string> Operands; ///< top-level commas split them; brackets and braces stay
  std::string Text;
  bool has(std::string_view Modifier) const {
    for (const std::string &O : Op)
      if (O == Modifier)
        return true;
    return false;
  }
};

std::vector<PtxStatement> parsePtx(std::string_view Text);
/// Splits at commas outside brackets and braces, and trims.
std::vector<std::string> splitPtxList(std::string_view Text);

} // namespace kcheck::sim
#endif

//===- PythonInputs.h - shapes that a Python file shows for its extension's functions -----===//
//
//   get_inputs() ─► inputs of forward(), get_init_inputs() ─► attributes ─► arguments of each call in forward()
//
// The form of KernelBench's answers. What is not written down literally (a call, a loop, a shape of another tensor) is not known.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_PLAN_PYTHONINPUTS_H
#define KCHECK_GATE_PLAN_PYTHONINPUTS_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace kcheck::gate {

struct KnownDim {
  std::string Word; ///< its name or number: dims of the same word are one size
  int64_t Value = 0;
};
/// What is known of an argument; without dims: nothing, or a whole number.
struct KnownArgument {
  std::vector<KnownDim> Dims;
  bool IsWhole = false;
  int64_t Whole = 0;
  bool known() const { return IsWhole || !Dims.empty(); }
};

/// Of a call of the function in forward(), an entry an argument; empty: there is none, or nothing is known.
std::vector<KnownArgument> pythonArguments(llvm::StringRef Python, llvm::StringRef Function);

} // namespace kcheck::gate
#endif

//===- Runtime.h - functions that compiled kernels may call -------------------===//
#ifndef KCHECK_SIM_RUNTIME_H
#define KCHECK_SIM_RUNTIME_H

#include <cstdint>
#include <string>
#include <vector>

namespace kcheck::sim {

struct RuntimeSymbol {
  const char *Name;
  void *Address;
};
/// Every function that generated code may refer to: ours and the C library's arithmetic.
const std::vector<RuntimeSymbol> &runtimeSymbols();

/// Whether an address lies in the compiled module's code.
bool isCode(uint64_t Address);
void setCodeRange(uint64_t From, uint64_t To);

} // namespace kcheck::sim
#endif

//===- HostProgram.h - a CUDA program's own host code, in this process --------===//
//
//   .cu, .cpp ─ Clang, host side ─► IR ─ O2 ─► objects ─ ORC ─► main(), constructors
//                                                   └─ undefined names ─► CUDA runtime shim | C library | "unsupported" stub
//
// Line tables tell which line of the program a return address belongs to.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_HOST_HOSTPROGRAM_H
#define KCHECK_SIM_HOST_HOSTPROGRAM_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include "runner/sim/Program.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcheck::sim {

struct HostUnit {
  protocol::Source Source; ///< File relative to the root folder
  bool Cuda = true;
};

/// Address of an undefined name, or null.
using ResolveFunction = std::function<void *(const std::string &Name)>;

class HostProgram {
public:
  virtual ~HostProgram() = default;
  /// Address of a symbol of the program, or null.
  virtual void *address(const std::string &Symbol) = 0;
  /// Names of the functions to call before main, by unit.
  std::vector<std::vector<std::string>> Constructors;
  /// Definitions of the program's that hide the runtime's or a clock's of the same name.
  std::vector<std::pair<std::string, Place>> Hidden;
  /// The innermost place in the program's own files at this address; Line 0: none.
  virtual Place placeOf(uint64_t Address) = 0;
  virtual bool isCode(uint64_t Address) const = 0;
};

/// Compiles and loads, until Entry is found. The glue (Glue.cu) that fills the toolkit's structures goes in as one more unit.
std::unique_ptr<HostProgram> loadHost(const std::vector<HostUnit> &Units, const std::string &Root, ResolveFunction Resolve,
                                      std::vector<protocol::CompileMessage> &Messages, std::string &Error, const std::string &Entry = "main");

/// Makes the precompiled headers and the glue's object, so that a sandboxed run finds them. False: without a cache.
bool prepareHost(const std::string &Arch, const std::string &Standard);

} // namespace kcheck::sim
#endif

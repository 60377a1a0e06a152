//===- Jit.h - checked x86-64 code of a device module -------------------------===//
#ifndef KCHECK_SIM_JIT_H
#define KCHECK_SIM_JIT_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include "runner/sim/Engine.h"
#include "runner/sim/Program.h"
#include <memory>

namespace kcheck::sim {

/// A candidate's device code, ready to run. Owns its machine code.
class Compiled {
public:
  virtual ~Compiled() = default;
  Program Code;
  std::map<std::string, std::string> Names; ///< name expression -> mangled kernel
  std::vector<protocol::CompileMessage> Messages;
  std::map<std::string, double> Times;
  std::vector<std::map<std::string, std::string>> Renamed; ///< of a whole program, per file: symbols that had to change their names
  virtual void *address(const std::string &Symbol) = 0;
};

/// Compiles S. Null: Error says why, Messages hold the compiler's words.
std::unique_ptr<Compiled> compile(const protocol::Source &S, const std::vector<std::string> &Kernels, bool Checked,
                                  std::vector<protocol::CompileMessage> &Messages, std::string &Error);

/// The device code of a whole program, its files linked into one module. Root: folder that the names are relative to.
std::unique_ptr<Compiled> compileDeviceSide(const std::vector<protocol::Source> &Units, const std::string &Root, bool Checked,
                                            std::vector<protocol::CompileMessage> &Messages, std::string &Error);

} // namespace kcheck::sim
#endif

//===- Program.h - what is known of a compiled device module ------------------===//
#ifndef KCHECK_SIM_PROGRAM_H
#define KCHECK_SIM_PROGRAM_H

#include "runner/sim/Layout.h"
#include <map>
#include <string>
#include <vector>

namespace kcheck::sim {

/// A place in the source, with the calls that led to it (innermost first).
struct Place {
  std::string File;
  unsigned Line = 0, Column = 0;
  bool operator==(const Place &) const = default;
};

/// An instruction that accesses memory, synchronises or loops.
struct Site {
  SiteKind Kind = SiteOther;
  Place At; ///< innermost place in the candidate's own files, else the innermost place
  std::string Function;
  uint32_t Identity = 0; ///< same for copies of the same source expression
  unsigned Space = 0;    ///< address space known at compile time, 0 generic
  unsigned Bytes = 0;
  bool Library = false; ///< the instruction itself stands in a toolkit or system header
  bool Foreign = false; ///< a library's own doing, not only a header that gives an instruction its name
  bool Decides = false; ///< a strong read: what it saw decides where the thread goes
};

/// A variable of the module in simulated memory.
struct Variable {
  std::string Name;     ///< as in the source
  std::string Mangled;  ///< as in the module
  std::string Initial;  ///< symbol that holds the initial bytes, empty: zero or undefined
  uint64_t Bytes = 0, Align = 1, Address = 0; ///< Address: offset in the block's slot for shared variables
  uint64_t ElementBytes = 1;
  bool Shared = false, Constant = false, Defined = true;
  bool Managed = false; ///< __managed__: host code uses it as well
};

struct Parameter {
  uint64_t Offset = 0, Bytes = 0;
};
struct Kernel {
  std::string Name, Mangled, Entry; ///< Entry: symbol of void(context, parameter block)
  std::vector<Parameter> Params;
  uint64_t ParamBytes = 0;
  uint64_t StaticShared = 0; ///< of the variables that this kernel reaches
  bool UsesDynamicShared = false;
  uint64_t LocalBytes = 0;
  unsigned MaxThreads = 0; ///< __launch_bounds__
};

/// A frame of local memory: what one function's arrays need.
struct Frame {
  struct Slot {
    uint64_t Offset, Bytes, Element;
    std::string Name;
  };
  uint64_t Bytes = 0;
  std::vector<Slot> Slots;
};

/// Weight of a basic block, for the metrics.
struct CodeBlock {
  unsigned Line = 0;
  uint32_t Instructions = 0, Flops = 0;
  bool Branches = false;
};

struct Program {
  std::vector<Site> Sites;
  std::vector<uint32_t> Records[256]; ///< sites by the eight bits that shadow records hold
  std::vector<Variable> Variables;
  std::vector<Kernel> Kernels;
  std::vector<Frame> Frames;
  std::vector<CodeBlock> Blocks;
  uint64_t SharedBytes = 0; ///< static shared memory with its red zones: where dynamic shared memory starts
  uint64_t GlobalEnd = 0;   ///< end of the module's variables in the data range (offset)
  uint32_t NextRecord = 0;
  std::string FilePrefix;   ///< stripped from file names
  bool Checked = true;
  bool UsesReservedShared = false; ///< cooperative groups keep barriers there
  bool HasVolatile = false;        ///< the candidate's own code accesses global memory as volatile

  const Kernel *findKernel(const std::string &Mangled) const {
    for (const Kernel &K : Kernels)
      if (K.Mangled == Mangled)
        return &K;
    return nullptr;
  }
};

} // namespace kcheck::sim
#endif

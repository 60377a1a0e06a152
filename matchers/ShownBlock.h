//===- ShownBlock.h - the block that a kernel takes for granted -----------------===//
//
//   int row = blockIdx.y * 16 + threadIdx.y;      // 16 threads along y, or rows are skipped or done twice
//   assert(gridDim.x == 1);
//
// Asked where the file does not launch the kernel.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_SHOWNBLOCK_H
#define KCHECK_MATCHERS_SHOWNBLOCK_H

#include "clang/AST/Decl.h"
#include <array>
#include <cstdint>

namespace kcheck {

class VariableWrites;

/// Threads and blocks along x, y and z; 0 where the kernel's index forms and asserts show none, or several.
struct ShownLaunch {
  std::array<int64_t, 3> Block, Grid;
};
ShownLaunch shownLaunch(const clang::FunctionDecl *Kernel, const VariableWrites &Writes);

} // namespace kcheck
#endif

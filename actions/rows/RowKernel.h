//===- RowKernel.h - a block that strides over a row, pass by pass ---------------------===//
//
//   for (int c = threadIdx.x; c < cols; c += blockDim.x)    sum += in[c];
//   sum = blockSum(sum);
//   for (int c = threadIdx.x; c < cols; c += blockDim.x)    out[c] = in[c] / sum;
//
// The user's passes stay, word for word, behind `else`; in front of them stands a way for the rows that allow it:
//
//   if (cols % 4 == 0 && cols <= 8 * 4 * blockDim.x && addresses are multiples of 16) {
//     the same passes, four elements an access and the row in registers
//   } else {
//     the passes as they were
//   }
//
// Shared memory that is declared between the passes is declared in front of both then.
//
// How wide an access is and what is kept are numbers (RowShape), so that any action may change one and write the
// way anew. A kernel with such a way is recognised by reading the passes behind `else` and writing the way again:
// only when both agree word for word is it ours.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ROWS_ROWKERNEL_H
#define KCHECK_ACTIONS_ROWS_ROWKERNEL_H

#include "actions/engine/Accumulation.h"

namespace kcheck {

struct RowShape {
  unsigned Width = 1;  ///< elements an access
  unsigned Items = 0;  ///< accesses of a thread that stay in registers; 0: none
  unsigned Shared = 0; ///< elements of a row that stay in shared memory; 0: none
  bool keeps() const { return Items || Shared; }
  bool plain() const { return Width == 1 && !keeps(); }
};

/// What the passes touch as p[c], or p[row * cols + c].
struct RowBuffer {
  const clang::VarDecl *Base = nullptr;
  std::string First;      ///< "in[0]", "x[row * cols + 0]"
  std::string Key;        ///< its words
  std::string Name;       ///< what its copies are named after
  std::string Type, Vector; ///< Vector: what four (or two) of them are moved as; empty: one by one
  unsigned Bytes = 4;
  unsigned Passes = 0;    ///< that touch it
  bool ReadFirst = false, Stored = false;
  std::string WhyNot;     ///< it must stay in memory, one by one
};

struct RowPlace {
  const clang::Expr *Whole = nullptr; ///< in[c], or __ldg(&in[c])
  size_t Buffer = 0;
  bool Read = false, Written = false;
  bool Maybe = false; ///< not every step comes by
};

struct RowPass {
  const clang::ForStmt *Loop = nullptr;
  const clang::VarDecl *Counter = nullptr;
  std::pair<unsigned, unsigned> Bytes, Body; ///< the loop with a pragma in front; what its body says
  std::vector<RowPlace> Places;
  std::vector<const clang::DeclRefExpr *> Counts; ///< mentions of the counter outside of places
};

struct RowKernel {
  const KernelView *Kernel = nullptr;
  std::vector<RowPass> Passes;
  std::vector<RowBuffer> Buffers;
  std::string Start, Step, High;             ///< "threadIdx.x", "blockDim.x", "cols"
  bool Global = false;                       ///< all blocks stride over one row
  std::pair<unsigned, unsigned> Region{0, 0}; ///< from the first pass to the end of its block
  std::vector<const clang::DeclStmt *> Shared; ///< arrays that are declared in it: both ways use them, so they move in front
  std::pair<unsigned, unsigned> Whole{0, 0};  ///< Region, or the whole if that holds it
  std::string WhyNotWide;                    ///< elements may not change threads
  RowShape Shape;

  bool staged(const RowBuffer &B) const { return B.WhyNot.empty() && B.Passes > 1; }
  unsigned stagedBytes() const; ///< of one element of the row
  /// Elements of a vector: four, or two where there are elements of eight bytes.
  unsigned fullWidth() const;
};

/// Reads the kernel; null with the reason.
std::optional<RowKernel> recogniseRows(ActionContext &Ctx, const KernelView &K, std::string &WhyNot);

/// What takes the place of Whole.
std::string emitRows(const ActionContext &Ctx, const RowKernel &R, const RowShape &Shape);

/// Copies and helpers of the emitted way; empty when the kernel uses none of their names, else the name.
std::string takenName(const ActionContext &Ctx, const RowKernel &R);

/// The threads of a block, where every launch says the same number; 0 otherwise.
int64_t threadsOfBlock(ActionContext &Ctx, const KernelView &K);

} // namespace kcheck
#endif

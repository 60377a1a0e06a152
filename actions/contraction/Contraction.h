//===- Contraction.h - a sum of products over tiles ------------------------------===//
//
//   naive kernel ─► recogniseNaive ─┐                       ┌─► emitBody ─► the kernel's new body
//                                   ├─► Contraction, tiles ─┤
//   tiled kernel ─► recogniseTiled ─┘                       └─► launch sizes
//
// Each thread of the naive kernel computes one output: it owns a row (the y index) and a column (the x index) and
// adds up terms over a counter, whose loads each depend on the counter and on one of the two. What is computed is
// kept in the user's own words; loads in it are holes. The tiles are numbers, so that any action may change one and
// write the body anew. A tiled kernel is recognised by reading these parts back from its AST and writing the body
// again: only when both agree word for word is it ours.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_CONTRACTION_CONTRACTION_H
#define KCHECK_ACTIONS_CONTRACTION_CONTRACTION_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// One index of the output: the thread's row or column.
struct OutputIndex {
  std::string Type, Name;
  std::string Guard;                  ///< "row < m"; empty when nothing is checked
  std::string Bound;                  ///< "m" where the guard is just that
  const clang::Expr *BoundExpr = nullptr;
};

/// One load of the sum.
struct TileOperand {
  std::string Type, Base;             ///< element type; name of the buffer
  bool OfRow = false;                 ///< depends on the row, else on the column
  std::string Load, Address;          ///< in the user's words
  std::vector<std::string> Needs;     ///< declarations that the load's words rest on
  bool AlongSum = false;              ///< neighbours in memory follow the counter, else the output index (or none)
  bool AlongOutput = false;
  unsigned Bytes = 4;
  unsigned Pad = 0;                   ///< spare elements of a row of the tile
  bool Copyable = false;              ///< memory holds what the tile does, in 4, 8 or 16 aligned bytes
};

struct TileShape {
  unsigned BM = 32, BN = 32, BK = 32; ///< a block's outputs, rows and columns, and the slice of the sum
  unsigned TM = 1, TN = 1;            ///< a thread's outputs
  bool Quads = false;                 ///< four elements at a time
  bool Double = false;                ///< the next slice is fetched while this one is used
  bool Async = false;                 ///< by cp.async, past the registers
  unsigned threads() const { return BM / TM * (BN / TN); }
};

struct Contraction {
  OutputIndex Row, Column;
  std::vector<std::string> Preamble;  ///< what is the same for all threads
  std::vector<std::string> PerOutput; ///< declarations that rest on the row or the column
  std::string SumType, SumName, SumInit;
  std::string StepType, StepName, Low, High;
  std::vector<std::string> Body;      ///< of the loop; loads and the sum are holes
  std::vector<std::string> Epilogue;
  std::vector<TileOperand> Operands;
  TileShape Shape;
  unsigned OldRows = 0, OldColumns = 0; ///< a block's outputs before; 0: one a thread
  std::string Suffix;                 ///< behind our names where the kernel has them too

  unsigned sharedBytes() const;
  /// Why S cannot be, on this device; empty when it can.
  std::string whyNot(const TileShape &S, const DeviceLimits &D) const;
  llvm::json::Object effect(const TileShape &S, const DeviceLimits &D) const;
};

/// Marks in Body: the load of operand I, and the sum.
std::string operandHole(size_t I);
inline constexpr char SumHole = '\x02';

std::optional<Contraction> recogniseNaive(ActionContext &Ctx, const KernelView &K, std::string &WhyNot);
std::optional<Contraction> recogniseTiled(ActionContext &Ctx, const KernelView &K, std::string &WhyNot);

/// What stands between the braces of the kernel's body.
std::string emitBody(const Contraction &C);
/// Body and launches of K for C.
llvm::Expected<std::vector<Edit>> emitContraction(const ActionContext &Ctx, const KernelView &K, const Contraction &C);

/// Names that every emitted body declares.
llvm::ArrayRef<llvm::StringRef> tileNames();

/// How much E changes when V grows by one, where that is a constant; nothing when it is not known.
std::optional<int64_t> coefficient(const ActionContext &Ctx, const clang::Expr *E, const clang::ValueDecl *V);

/// The index expression of a load: of a subscript, a dereferenced sum, or `__ldg`'s argument.
struct LoadParts {
  const clang::Expr *Whole = nullptr;
  const clang::Expr *Pointer = nullptr, *Index = nullptr; ///< Index null: the pointer itself
  std::string Address;
  clang::QualType Type;
  const clang::ValueDecl *Base = nullptr;
};
/// The same of an address: `&x[i]`, `x + i`, `x`.
std::optional<LoadParts> placeOf(const ActionContext &Ctx, const clang::Expr *Address);
/// cp.async can move an element of type T.
bool isCopyable(const ActionContext &Ctx, clang::QualType T);
std::optional<LoadParts> loadOf(const ActionContext &Ctx, const clang::Expr *E);

} // namespace kcheck
#endif

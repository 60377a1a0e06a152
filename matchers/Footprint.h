//===- Footprint.h - how far a launch reaches into its buffers, by size --------===//
//
// A launcher's parameter says nothing of how long its buffer is. What the launch touches does: when at
// several sizes it reaches exactly n (or rows * cols, n / 32 rounded up, ...) elements, that is the contract,
// and the sizes at which it reaches further, or stops short, are the fault. No name and no text is looked at.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_FOOTPRINT_H
#define KCHECK_MATCHERS_FOOTPRINT_H

#include "matchers/LaunchModel.h"

namespace kcheck {

/// What one launch touched of one buffer at one size vector.
struct Reach {
  const LaunchSample *Launch = nullptr;
  int64_t Begin = 0, End = 0;           ///< bytes; the lowest and one past the highest touched
  const eval::Access *First = nullptr, *Last = nullptr; ///< the accesses that set them
  unsigned FirstThread = 0, LastThread = 0;
  const eval::BlockRun *FirstBlock = nullptr, *LastBlock = nullptr;
  int64_t Distinct = 0;                 ///< distinct bytes that were written
  bool Whole = false;                   ///< every block ran and every offset is known
  bool Empty = false;                   ///< the grid has no block
  std::optional<int64_t> Bytes;         ///< of a tensor that the launcher makes: how long it is
  /// The end is known, not only a lower bound: all blocks ran, or the last one reaches furthest.
  bool exact() const;
};

/// All samples of one launch expression and one buffer.
struct Footprint {
  const clang::CallExpr *Launch = nullptr;
  const clang::FunctionDecl *Kernel = nullptr;
  const clang::ValueDecl *Buffer = nullptr;
  std::string Name;
  unsigned Element = 1;                 ///< bytes of the accessed elements; 0 when they differ
  bool Typed = false;                   ///< Element is the buffer's own
  bool Written = false;
  std::vector<Reach> Samples;
  /// The launcher makes the buffer, and its length is known at every size.
  bool made() const { return !Samples.empty() && llvm::all_of(Samples, [](const Reach &S) { return S.Bytes.has_value(); }); }
};

/// The contract that explains the exact samples: Elements = Factor * product of sizes (+ Extra).
struct Contract {
  uint64_t Sizes = 0;                   ///< bit i: size i is a factor
  uint64_t Twice = 0;                   ///< bit i: size i is a factor once more (a scale in both directions)
  int64_t Multiply = 1, Divide = 1;
  unsigned Agree = 0;                   ///< samples that it explains exactly
  std::string Text;                     ///< "rows * cols"
  int64_t elements(const eval::HostRun &H) const;
  /// The same for one sample: what the launcher made, where it did.
  int64_t bytes(const Footprint &F, const Reach &S) const { return S.Bytes ? *S.Bytes : elements(*S.Launch->Host) * int64_t(F.Element); }
  int64_t elements(const Footprint &F, const Reach &S) const { return S.Bytes ? *S.Bytes / int64_t(F.Element) : elements(*S.Launch->Host); }
};

class Footprints {
public:
  explicit Footprints(LaunchModel &M);
  llvm::ArrayRef<Footprint> all() const { return Found; }
  /// The contract of F, or nothing when the samples do not agree on one.
  static std::optional<Contract> contract(const Footprint &F);

private:
  std::vector<Footprint> Found;
};

} // namespace kcheck
#endif

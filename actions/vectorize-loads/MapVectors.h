//===- MapVectors.h - a thread's one element becomes a vector -------------------------===//
//
//   out[y * w + i] = 2 * a[i]     i = first of four:  read a's vector; four times the work on parts; write out's vector
//
// A place is one of neighbours where its subscript is i plus what is the same along x. What is stored must be stored on
// every way through the work, since a vector's store writes all its parts.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_VECTORIZE_LOADS_MAPVECTORS_H
#define KCHECK_ACTIONS_VECTORIZE_LOADS_MAPVECTORS_H

#include "actions/engine/AlongX.h"
#include "actions/engine/MapKernel.h"

namespace kcheck {

/// A buffer that is only touched at one place of each element, in a type that comes in vectors.
struct Lane {
  const clang::VarDecl *P = nullptr;
  std::string Subscript;      ///< of the first place, with declarations of the work filled in
  bool Plain = false;         ///< it is the index alone
  std::string Scalar, Vector; ///< Vector without its length; empty: stays scalar
  int64_t Bytes = 0;          ///< of an element
  bool Read = false, Written = false;
  std::vector<const clang::ArraySubscriptExpr *> Places;
};

class MapVectors {
public:
  MapVectors(ActionContext &Ctx, const KernelView &K, MapKernel M);
  /// Why it does not apply; empty when it does.
  std::string plan();
  unsigned width() const { return Width; }
  llvm::Expected<std::vector<Edit>> apply() const;

private:
  /// What has happened on the way to a point of the work.
  struct Way {
    std::vector<bool> Done, Maybe; ///< of each lane: stored on all ways, on some
    std::vector<std::string> Other; ///< types of what was stored elsewhere
    bool Ended = false;
  };

  std::vector<const clang::Stmt *> statements() const;
  bool inFront(const clang::VarDecl *V) const;
  void collect();
  Lane *lane(const clang::VarDecl *P, const std::string &Subscript);
  Lane *laneOf(const clang::Stmt *Place);
  std::optional<std::string> neighbour(const clang::Expr *Subscript);
  void walk(const clang::Stmt *S, Way &W);
  void walkBranches(std::vector<Way> Ways, Way &W);
  void read(Lane &L, const Way &W);
  void store(const clang::Expr *To, bool ReadsToo, Way &W);
  std::string vectorOf(const Lane &L) const;
  std::string aligned() const;
  std::string name(const Lane &L) const;

  ActionContext &Ctx;
  const KernelView &K;
  MapKernel M;
  AlongX X;
  std::vector<Lane> Lanes;
  llvm::DenseMap<const clang::Stmt *, unsigned> LaneAt; ///< by place
  std::vector<Way> Ends;
  std::string Why, Hazard;
  std::string Scalar; ///< why a buffer stays as it is
  unsigned Width = 4;
};

} // namespace kcheck
#endif

//===- Perf.h - the checks of the perf group -------------------------------------===//
//
//   kernel ─► one representative run ─► Traffic.cpp (global memory)   Banks.cpp (shared memory)
//                                       Serial.cpp (atomics, lone threads)
//   text of device code ──────────────► Literals.cpp, Loops.cpp, Branches.cpp
//   launches of the plans ────────────► Occupancy.cpp
//
// Every tag is a review: the code is right, but slower than it could be. Each fires at most once a kernel.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_PERF_PERF_H
#define KCHECK_RULES_PERF_PERF_H

#include "analyzers/engine/Rule.h"
#include "matchers/LaunchModel.h"

namespace kcheck::perf {

/// A kernel with a run that stands for all: every size a multiple of a warp, where a plan has one.
struct Subject {
  const clang::FunctionDecl *Kernel = nullptr;
  const eval::KernelRun *Run = nullptr;
  std::vector<const eval::KernelRun *> Others; ///< of the same launch at other sizes that fit
  bool Templated = false; ///< made from a template over types: it has several element types
};

void checkScalarAccess(RuleContext &Ctx, const Subject &S);
void checkCoalescing(RuleContext &Ctx, const Subject &S);
void checkBanks(RuleContext &Ctx, const Subject &S);
void checkAtomics(RuleContext &Ctx, const Subject &S);
void checkSerial(RuleContext &Ctx, const Subject &S);
void checkOccupancy(RuleContext &Ctx, LaunchModel &M);
void checkLiterals(RuleContext &Ctx, const clang::FunctionDecl *F);
void checkLoops(RuleContext &Ctx, const clang::FunctionDecl *F);
void checkBranches(RuleContext &Ctx, const clang::FunctionDecl *F);

/// True when the access hangs on data that is not known here.
inline bool onData(const eval::Access &A) {
  for (const eval::Control &C : A.Path)
    if (C.T.Data)
      return true;
  return false;
}
/// The access can be pointed at.
inline bool visible(const RuleContext &Ctx, const eval::Access &A) { return A.E && Ctx.TU.inMainFile(A.E->getBeginLoc()); }

} // namespace kcheck::perf
#endif

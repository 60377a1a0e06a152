//===- LaunchModel.h - launch plans of a file, tried at sample sizes -----------===//
//
//   functions with launches ─► HostRun at each size vector ─► steps ─► launches ─► KernelRun (some blocks)
//
// The sizes are those of the issue of every bounds bug: 1, around a warp, around a block, primes. A kernel
// that the file never launches runs under an assumed launch, and says so (KernelRun::Assumed).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_LAUNCHMODEL_H
#define KCHECK_MATCHERS_LAUNCHMODEL_H

#include "matchers/SizeRepair.h"
#include "matchers/eval/Trace.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>

namespace kcheck {
namespace eval {
struct Facts;
}

struct PlanSample;

/// A launch of a plan and what some blocks of it did.
struct LaunchSample {
  const eval::Step *Step = nullptr;       ///< null for assumed launches
  const eval::HostRun *Host = nullptr;    ///< null for assumed launches
  const PlanSample *Plan = nullptr;
  std::unique_ptr<eval::KernelRun> Run;   ///< null when the sizes are not all known or not launchable
};

struct PlanSample {
  std::unique_ptr<eval::HostRun> Host;
  std::vector<LaunchSample> Launches;
  unsigned Sizes = 0;   ///< how many sizes the launcher has, those that it forces to one value left out
  bool Aligned = false; ///< every size is a multiple of 32 and of the usual block sizes
  bool Capped = false;  ///< sizes so large that the launcher's grid no longer grows with them
};

class VariableWrites;

class LaunchModel {
public:
  explicit LaunchModel(clang::ASTContext &AST);
  ~LaunchModel();

  /// Kernels with a body in this file, instantiated ones instead of their templates where there are some.
  llvm::ArrayRef<const clang::FunctionDecl *> kernels() const { return Kernels; }
  /// Functions with a launch in their body.
  llvm::ArrayRef<const clang::FunctionDecl *> launchers() const { return Launchers; }
  /// Every launcher at every size vector; computed at the first call.
  llvm::ArrayRef<PlanSample> plans();
  /// Runs of kernels that no plan launches, under assumed sizes.
  llvm::ArrayRef<LaunchSample> assumed();
  /// All launches with a run, planned and assumed.
  std::vector<const LaunchSample *> runs();
  /// The launch with another grid: what would more blocks have done? Null where it cannot be run.
  /// Runs the blocks of \p Only, where it names some.
  std::unique_ptr<eval::KernelRun> tryGrid(const eval::Step &Launch, eval::Dim3 Grid, llvm::ArrayRef<eval::Dim3> Only = {});
  /// The launch with data that is all zero: which threads meet where data chooses the place, if it repeats itself?
  std::unique_ptr<eval::KernelRun> tryZeroData(const LaunchSample &L);
  /// The launch with another number as one of its arguments.
  std::unique_ptr<eval::KernelRun> tryArgument(const eval::Step &Launch, unsigned Index, int64_t Value);
  /// The launch with other blocks.
  std::unique_ptr<eval::KernelRun> tryBlock(const eval::Step &Launch, eval::Dim3 Block);
  /// An assumed launch with another shape.
  std::unique_ptr<eval::KernelRun> tryShape(const LaunchSample &Assumed, eval::Dim3 Block, eval::Dim3 Grid);
  /// True when some plan launches the kernel (or the template that it is made from).
  bool isLaunched(const clang::FunctionDecl *Kernel);

  /// Sizes to use for kernels that the file does not launch (from --block-dim, --grid-dim); zeros: guess.
  void assume(eval::Dim3 Block, eval::Dim3 Grid) {
    GivenBlock = Block;
    GivenGrid = Grid;
  }

private:
  void collect(clang::Decl *D);
  void planAll();
  std::vector<const clang::CallExpr *> callsOf(const clang::FunctionDecl *F) const; ///< in host code
  std::vector<std::optional<int64_t>> fixedByCallers(llvm::ArrayRef<const clang::CallExpr *> Calls, const eval::HostRun &First);
  std::unique_ptr<eval::HostRun> runHost(const clang::FunctionDecl *F, llvm::ArrayRef<int64_t> Sizes, int64_t Default);
  bool admit(const clang::FunctionDecl *F, SizeVector &V, bool Aligned);
  bool fillGrid(const clang::FunctionDecl *F, const eval::HostRun &Empty, uint64_t Counting, SizeVector &V);
  std::optional<std::vector<int64_t>> pastTheCap(const clang::FunctionDecl *F, const eval::HostRun &First);
  void runLaunches(PlanSample &P);
  std::unique_ptr<eval::KernelRun> again(const eval::KernelRun &Assumed, eval::Dim3 Block, eval::Dim3 Grid, bool ZeroData);
  void chooseShape(eval::KernelRun &R);
  std::unique_ptr<eval::KernelRun> runKernel(const eval::Step &S, bool ZeroData = false, llvm::ArrayRef<eval::Dim3> Only = {});
  void runBlocks(eval::KernelRun &R, llvm::ArrayRef<eval::Dim3> Only = {});

  clang::ASTContext &AST;
  std::unique_ptr<eval::Facts> Shared;
  std::vector<const clang::FunctionDecl *> Kernels, Launchers;
  llvm::DenseSet<const clang::FunctionDecl *> Named; ///< kernels that host code names, as their templates
  std::vector<const clang::CallExpr *> HostCalls;   ///< calls in host code
  std::vector<PlanSample> Plans;
  std::vector<LaunchSample> Guessed;
  std::unique_ptr<VariableWrites> Writes;           ///< collected once some launch has to be guessed
  eval::Dim3 GivenBlock{0, 0, 0}, GivenGrid{0, 0, 0};
  bool Planned = false, Guess = false;
};

} // namespace kcheck
#endif

//===- Machine.h - the SIMT interpreter over the AST ---------------------------===//
//
// Runs a function for all threads of one block at once (device), or for one thread (host launchers, where
// launches and runtime calls become steps). Integers, pointers and aggregates are followed exactly, with the
// widths and signs of C++; data read from memory is unknown, and a branch on it runs both sides.
//
//   Statements.cpp   control flow, masks, loops      Calls.cpp      inlining, device intrinsics
//   Expressions.cpp  operators, casts, members       HostCalls.cpp  the CUDA runtime, tensors, launches
//   Memory.cpp       load, store, events
//
// To teach it a function: a row in the table of Calls.cpp (device) or HostCalls.cpp (host).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_EVAL_MACHINE_H
#define KCHECK_MATCHERS_EVAL_MACHINE_H

#include "matchers/Vocabulary.h"
#include "matchers/eval/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace kcheck::eval {

/// What all runs over one AST share: facts about its expressions.
struct Facts {
  explicit Facts(clang::ASTContext &Ctx) : Ctx(Ctx) {}
  clang::ASTContext &Ctx;
  unsigned Budget = 600000; ///< steps left for all runs of the file
  llvm::DenseMap<const clang::Stmt *, std::vector<const clang::VarDecl *>> Assigned;
  llvm::DenseMap<const clang::Expr *, std::optional<int64_t>> Constants;
  llvm::DenseMap<const clang::Expr *, std::optional<BuiltinUse>> Builtins;
};

class Machine {
public:
  /// Device: one block of Run; Into receives its events.
  Machine(Facts &F, KernelRun &Run, BlockRun &Into);
  /// Host: fills in Run.Steps. SizeOf chooses the value of the Ith size (see HostRun::Sizes).
  using ChooseSize = std::function<int64_t(unsigned)>;
  Machine(Facts &F, HostRun &Run, ChooseSize SizeOf);

  /// Runs the kernel of the run on the block's threads.
  void runBlock();
  /// Runs the launcher.
  void runHost();

private:
  struct Frame {
    const clang::FunctionDecl *F = nullptr;
    llvm::DenseMap<const clang::ValueDecl *, Object *> Vars;
    Mask Entry, ReturnedSure;
    Value This, Return;
    bool HasReturn = false;
    size_t Regions = 0; ///< open when it was entered
  };
  struct LoopState {
    Threads Broken, Continued;
    bool IsSwitch = false;
  };
  /// A stretch that all current threads run together or not at all, on a condition that is not known here. Inside,
  /// Cur.Sure holds those that run it if any does: what they write is what they read. At its end both outcomes are joined.
  struct Region {
    Mask SureBefore;
    Taint T; ///< of the condition
    std::map<std::pair<Object *, int64_t>, Value> Before; ///< cells written inside, as they were
  };
  /// What a condition says of the current threads.
  struct Outcome {
    Mask True, False, Unknown;
    Taint T;
  };

  // Statements.cpp
  void exec(const clang::Stmt *S);
  void execIf(const clang::IfStmt *S);
  void execLoop(const clang::Stmt *S, const clang::Expr *Cond, const clang::Stmt *Body,
                const clang::Expr *Inc, bool TestFirst);
  void noteTrip(const clang::Stmt *S, const clang::Expr *Cond, unsigned Trip);
  void execSwitch(const clang::SwitchStmt *S);
  void execReturn(const clang::ReturnStmt *S);
  void execRangeFor(const clang::CXXForRangeStmt *S);
  void declare(const clang::VarDecl *V);
  Outcome outcome(const Value &V) const;
  Outcome test(const clang::Expr *Cond);
  void checkLocal(const Value &P, clang::QualType T, const clang::Expr *At, bool Reads);
  void settle(Outcome &O, const clang::Stmt *Then); ///< see HostRun::Settles
  void leaveLoop(const clang::Stmt *S, bool Continue);
  void loosenLoop();
  static bool areTogether(const Outcome &O, const Threads &Before);
  void enterRegion(const Mask &Together, const Taint &T);
  void leaveRegions(size_t Depth);
  void keep(Object &O, int64_t Offset, const Value &Now);
  void groups(const clang::CallExpr *E, llvm::StringRef Name); ///< commits or awaits groups of copies
  void loseGroups();                                           ///< how many groups there are is not known from here on
  void kill(const clang::Stmt *S); ///< the current threads end here (exit, trap)
  /// Jumps over the middle of a long loop: see Statements.cpp.
  struct LoopProbe;
  bool skipAhead(LoopProbe &P, const clang::Expr *Cond);
  const std::vector<const clang::VarDecl *> &assignedIn(const clang::Stmt *S);
  void havoc(const clang::Stmt *LoopBody, Taint T);
  void leaveTrips(const clang::Stmt *Loop, const clang::Expr *Cond, const clang::Stmt *Body, const clang::Expr *Inc, const Taint &T);
  void forgetCounts(const clang::Stmt *Loop);
  Taint controlTaint() const;

  // Expressions.cpp
  Value eval(const clang::Expr *E);
  Value lval(const clang::Expr *E);
  Value evalUncached(const clang::Expr *E);
  Value evalCast(const clang::CastExpr *E);
  Value evalUnary(const clang::UnaryOperator *E);
  Value evalBinary(const clang::BinaryOperator *E);
  Value loadGlvalue(const clang::Expr *E, clang::QualType T);
  Value evalConditional(const clang::Expr *Cond, const clang::Expr *T, const clang::Expr *F);
  Value shortCircuit(const clang::BinaryOperator *E);
  Value arithmetic(clang::BinaryOperatorKind Op, const Value &A, const Value &B, clang::QualType Type,
                   clang::QualType OperandType, const clang::Expr *At);
  void noteOverflow(const OverflowEvent &O);
  std::shared_ptr<const Band> band(clang::BinaryOperatorKind Op, const Value &A, const Value &B, clang::QualType OperandType) const;
  bool allKnown(const Lanes &L) const; ///< to the current threads
  std::shared_ptr<const Residue> joined(const Value &Old, const Value &New) const;
  std::optional<Residue> residueOf(const Value &V) const;
  std::shared_ptr<const Residue> residue(clang::BinaryOperatorKind Op, const Value &A, const Value &B, const clang::Expr *At) const;
  Vary comparedBy(clang::BinaryOperatorKind Op, const Value &A, const Value &B) const;
  Value pointerAdd(const Value &P, const Value &Index, int64_t Scale);
  Value convert(const Value &V, clang::QualType From, clang::QualType To);
  Value builtin(const BuiltinUse &B);
  Value threadIndex(unsigned Axis) const;
  std::optional<BuiltinUse> builtinAt(const clang::Expr *E);
  std::optional<Value> constant(const clang::Expr *E);
  Value variable(const clang::ValueDecl *D);
  int64_t sizeOf(clang::QualType T) const; ///< bytes; 0 when not known
  void initialise(Object *O, int64_t Offset, clang::QualType T, const clang::Expr *Init);
  Value construct(const clang::CXXConstructExpr *E);
  Value lambda(const clang::LambdaExpr *E);
  Value truth(const Value &V, clang::QualType T) const;

  // Memory.cpp
  Object *newObject(Space S, const clang::ValueDecl *D, llvm::StringRef Name);
  Value load(const Value &Pointer, clang::QualType T, const clang::Expr *At);
  void store(const Value &Pointer, clang::QualType T, const Value &V, const clang::Expr *At);
  void assign(Value &Old, const Value &New, bool Fresh);
  void record(AccessKind K, const Value &Pointer, clang::QualType T, const clang::Expr *At,
              const Value *Stored, bool Async = false);
  void escape(const clang::Stmt *At, const Value &V, bool MayWrite);
  Value cell(const Value::Cells &C, int64_t Offset, const Taint &Missing) const;
  Object *temporary(const Value &V);
  Vary varyOf(const Lanes &L, const Taint &T) const;
  Taint refine(const Lanes &L, Taint T) const;
  static bool isLocalSpace(Space S) { return S == Space::Local; }

  // Calls.cpp
  Value call(const clang::CallExpr *E);
  Value inlineCall(const clang::FunctionDecl *F, llvm::ArrayRef<const clang::Expr *> Args,
                   const Value *This, const clang::Expr *At);
  std::optional<Value> deviceIntrinsic(const clang::CallExpr *E, llvm::StringRef Name);
  std::optional<Value> groupMember(const clang::CallExpr *E, llvm::StringRef Name);
  std::optional<Value> pureMath(const clang::CallExpr *E, llvm::StringRef Name);
  Value opaqueCall(const clang::CallExpr *E, const clang::FunctionDecl *F);
  std::optional<Value> operatorOfValueType(const clang::CallExpr *E, const clang::FunctionDecl *F);
  void barrier(const clang::CallExpr *E);
  void warpOp(const clang::CallExpr *E, CallKind K, const Value *Named);
  bool mayInline(const clang::FunctionDecl *F) const;
  std::optional<int64_t> tileSize(clang::QualType Group) const;
  Value linearThread();

  // Matrices.cpp
  /// nvcuda::wmma: what a warp loads from or stores to shared memory, element by element; nothing for other calls.
  std::optional<Value> matrixCall(const clang::CallExpr *E, llvm::StringRef Name);
  void recordMatrix(const clang::CallExpr *E, AccessKind K, unsigned Pointer, clang::QualType Fragment);

  // HostCalls.cpp
  std::optional<Value> hostCall(const clang::CallExpr *E, llvm::StringRef Name);
  int64_t bitsSet(const clang::Expr *E, Taint &T);
  std::optional<Value> tensorMember(const clang::CXXMemberCallExpr *E, llvm::StringRef Name);
  Value launch(const clang::CUDAKernelCallExpr *E);
  std::optional<Value> launchApi(const clang::CallExpr *E, llvm::StringRef Name);
  Value field(const Value &P, const clang::CXXRecordDecl *R, llvm::StringRef Name, const clang::Expr *At);
  void setDims(std::array<std::optional<int64_t>, 3> &D, std::array<Taint, 3> &T, const Value &V);
  Value chooseSize(const clang::ParmVarDecl *P, std::string Name);
  bool chosenByInput() const;
  Step &addStep(Step::Kind K, const clang::CallExpr *E);
  std::optional<int64_t> known(const Value &V) const;
  std::optional<unsigned> plainSize(const Value &V) const; ///< the size that it is, as it was chosen
  void describeDevice(Object &O, clang::QualType Properties);
  void noteComparison(const Value &V, int64_t With);

  void refuse(const clang::Stmt *At, const llvm::Twine &Why);
  bool spend(unsigned Units = 1);
  void reach(const clang::Stmt *S) {
    if (Run && !Mute)
      Run->Reached.insert(S);
  }
  Mask relevant() const { return Frames.back().Entry - Frames.back().ReturnedSure; }
  /// The current threads, as an event tells it: sure only outside regions.
  Threads who() const { return {Cur.May, Regions.empty() ? Cur.Sure : Mask()}; }
  /// Of the current threads those that a return surely ends, as the function that they are in sees it.
  Mask returning() const { return Regions.size() == Frames.back().Regions ? Cur.Sure : Mask(); }
  bool stopped() const { return Stop || Cur.May.none(); }

  Facts &Shared;
  clang::ASTContext &Ctx;
  KernelRun *Run = nullptr;
  BlockRun *Block = nullptr;
  HostRun *Host = nullptr;
  ChooseSize SizeOf;
  std::deque<Object> *Pool = nullptr;

  unsigned N = 1;
  std::vector<Frame> Frames;
  std::vector<LoopState> Loops;
  std::vector<unsigned> Trips;
  std::vector<Control> Controls, Exits;
  std::vector<Region> Regions;
  Threads Cur;
  Mask Jumped;     ///< threads that may have left a branch by return, break or continue
  Mask Exited;     ///< threads that certainly left the kernel
  llvm::DenseMap<const clang::VarDecl *, Object *> Globals;
  llvm::DenseMap<const clang::Stmt *, unsigned> Instances;
  std::map<std::string, Object *> TensorData;
  std::map<std::string, int64_t> TensorSizes;
  std::map<const Object *, const Object *> LikeTensor;            ///< made with the shape of another
  std::map<const Object *, llvm::SmallVector<Value, 4>> Extents; ///< of tensors that the launcher makes
  std::array<std::optional<Value>, 3> ThreadIndex; ///< threadIdx.x, .y, .z of the run at hand, once they were asked for
  unsigned Interval = 0, WarpPhase = 0, Sequence = 0;
  unsigned Committed = 0, Landed = 0; ///< groups of copies
  unsigned Fuel = 0;
  unsigned Mute = 0; ///< > 0: events are not recorded
  bool Stop = false;
  const clang::Expr *Storing = nullptr; ///< the right side of the assignment that is being made
  OverflowEvent Wrapped; ///< the last unsigned product that wrapped: a fault only when it is widened
};

} // namespace kcheck::eval
#endif

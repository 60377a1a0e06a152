//===- Lifetimes.cpp - memory that outlives its uses, or not ------------------===//
//
//   cudaFree(d_sum);  cudaMemcpy(&h, d_sum, …);                        // after the free
//   k<<<…, compute>>>(bits);  cudaFreeAsync(bits, copy);               // the free does not wait for compute
//   fill<<<…, first>>>(x);  use<<<…, second>>>(x);                      // nor does the second kernel for the first
//   sum<<<…>>>(x, managed);  return *managed;                           // nor does the host
//
// Host code is read in the order of its text; an event counts for a later one only when its block encloses
// that one and no return lies between.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "matchers/Allocations.h"
#include "matchers/Constants.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Event {
  enum Kind { Use, Free, FreeAsync, HostFree, Give, GiveAll, SyncAll, SyncStream, Wait, Copy, Touch } What;
  const ValueDecl *Pointer = nullptr;
  std::string Stream;
  SourceLocation At;
  llvm::SmallVector<const Stmt *, 6> Blocks; ///< enclosing blocks and branches, outermost first
  bool Writes = false; ///< Use: the kernel stores through the pointer, other than by atomics; a copy's destination
  bool Reads = false;  ///< Use: the kernel reads through it, other than by atomics
  bool Kernel = false; ///< Use: by a launch
};

/// What a kernel does itself with the memory behind one of its parameters, atomics left out.
class ParameterUse : public DynamicRecursiveASTVisitor {
public:
  ParameterUse(const FunctionDecl *Kernel, const ParmVarDecl *P) : P(P) { TraverseStmt(Kernel->getBody()); }
  bool Reads = false, Writes = false;

  bool VisitImplicitCastExpr(ImplicitCastExpr *C) override {
    Reads |= C->getCastKind() == CK_LValueToRValue && isBehind(C->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isAssignmentOp() && isBehind(B->getLHS())) {
      Writes = true;
      Reads |= B->getOpcode() != BO_Assign;
    }
    return true;
  }

private:
  bool isBehind(const Expr *E) const {
    const Expr *Base = dereferencedPointer(E);
    return Base && pointerVariable(Base) == P;
  }
  const ParmVarDecl *P;
};

class EventCollector : public DynamicRecursiveASTVisitor {
public:
  EventCollector(RuleContext &Ctx) : Ctx(Ctx) {}
  std::vector<Event> Events;
  llvm::StringSet<> Created; ///< streams, by their text
  llvm::StringSet<> NonBlocking; ///< of these, the ones that the default stream does not wait for, nor they for it

  // A nested function has a life of its own.
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool TraverseCompoundStmt(CompoundStmt *S) override { return inside(S, [&] { return DynamicRecursiveASTVisitor::TraverseCompoundStmt(S); }); }
  bool TraverseIfStmt(IfStmt *S) override {
    if (!TraverseStmt(S->getCond()))
      return false;
    for (Stmt *Branch : {S->getThen(), S->getElse()})
      if (Branch && !inside(Branch, [&] { return TraverseStmt(Branch); }))
        return false;
    return true;
  }
  // do { … } while (0) is one statement of a macro.
  bool TraverseDoStmt(DoStmt *S) override {
    Expr::EvalResult V;
    auto *Body = dyn_cast_or_null<CompoundStmt>(S->getBody());
    if (!Body || S->getCond()->isValueDependent() || !S->getCond()->EvaluateAsInt(V, Ctx.TU.AST) || V.Val.getInt() != 0)
      return DynamicRecursiveASTVisitor::TraverseDoStmt(S);
    for (Stmt *X : Body->body())
      if (!TraverseStmt(X))
        return false;
    return true;
  }
  // The statements after a label are its siblings in the tree: they belong to its section up to the next label.
  bool TraverseSwitchStmt(SwitchStmt *S) override {
    auto *Body = dyn_cast_or_null<CompoundStmt>(S->getBody());
    if (!Body)
      return DynamicRecursiveASTVisitor::TraverseSwitchStmt(S);
    if (!TraverseStmt(S->getCond()))
      return false;
    const Stmt *Section = Body;
    for (Stmt *X : Body->body()) {
      if (isa<SwitchCase>(X))
        Section = X;
      if (!inside(Section, [&] { return TraverseStmt(X); }))
        return false;
    }
    return true;
  }
  bool TraverseCaseStmt(CaseStmt *S) override { return inside(S, [&] { return DynamicRecursiveASTVisitor::TraverseCaseStmt(S); }); }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    LaunchSyntax L = launchSyntax(C);
    std::string Stream = stream(L.Stream);
    for (unsigned I = 0; I < C->getNumArgs(); ++I) {
      const Expr *A = C->getArg(I);
      if (!A->getType()->isPointerType())
        continue;
      add(Event::Use, pointerVariable(A), Stream, C->getBeginLoc());
      Events.back().Kernel = true;
      const FunctionDecl *Body = nullptr;
      if (!L.Kernel || !L.Kernel->getBody(Body) || I >= Body->getNumParams())
        continue;
      ParameterUse U(Body, Body->getParamDecl(I));
      Events.back().Reads = U.Reads;
      Events.back().Writes = U.Writes;
    }
    return true;
  }

  /// *p and p[i] in host code.
  bool VisitImplicitCastExpr(ImplicitCastExpr *C) override {
    if (C->getCastKind() == CK_LValueToRValue)
      touch(C->getSubExpr());
    return true;
  }

  bool VisitCallExpr(CallExpr *C) override {
    if (isa<CUDAKernelCallExpr>(C))
      return true;
    std::string Name = calleeName(C);
    auto Arg = [&](unsigned I) { return I < C->getNumArgs() && !isa<CXXDefaultArgExpr>(C->getArg(I)) ? C->getArg(I) : nullptr; };
    SourceLocation At = C->getExprLoc();
    if (auto A = allocation(C))
      add(Event::Give, A->Pointer, "", At);
    else if (Name == "cudaFree")
      add(Event::Free, C->getNumArgs() ? pointerVariable(C->getArg(0)) : nullptr, "", At);
    else if (Name == "cudaFreeAsync" && C->getNumArgs() == 2)
      add(Event::FreeAsync, pointerVariable(C->getArg(0)), stream(Arg(1)), At);
    else if (Name == "cudaMemcpyAsync" || Name == "cudaMemsetAsync") {
      std::string S = stream(Arg(Name == "cudaMemcpyAsync" ? 4 : 3));
      add(Event::Use, pointerVariable(C->getArg(0)), S, At);
      Events.back().Writes = true;
      if (Name == "cudaMemcpyAsync")
        add(Event::Copy, pointerVariable(C->getArg(1)), S, At);
    } else if (Name == "cudaMemcpy" || Name == "cudaMemset") {
      add(Event::Use, pointerVariable(C->getArg(0)), "", At);
      if (Name == "cudaMemcpy")
        add(Event::Use, pointerVariable(C->getArg(1)), "", At);
    } else if (Name.starts_with("cudaStreamCreate") && Arg(0)) {
      const auto *U = dyn_cast<UnaryOperator>(Arg(0)->IgnoreParenCasts());
      if (U && U->getOpcode() == UO_AddrOf) {
        Created.insert(stream(U->getSubExpr()));
        if (auto Flags = Arg(1) ? constantValue(Arg(1), Ctx.TU.AST) : std::nullopt; Flags && *Flags & 1) // cudaStreamNonBlocking
          NonBlocking.insert(stream(U->getSubExpr()));
      }
    } else if (Name == "cudaDeviceSynchronize")
      add(Event::SyncAll, nullptr, "", At);
    else if (Name == "cudaStreamSynchronize")
      add(Event::SyncStream, nullptr, stream(Arg(0)), At);
    else if (Name == "cudaStreamWaitEvent")
      add(Event::Wait, nullptr, stream(Arg(0)), At);
    else if (Name == "cudaEventSynchronize" || Name == "cudaStreamQuery" || Name == "cudaEventQuery")
      add(Event::SyncAll, nullptr, "", At);
    else if (Name == "cudaGraphLaunch") // its nodes may allocate at the same addresses again
      add(Event::GiveAll, nullptr, "", At);
    else if (Name == "free" && C->getNumArgs() == 1)
      add(Event::HostFree, pointerVariable(C->getArg(0)), "", At);
    else
      unknownCall(C);
    return true;
  }

  bool VisitCXXDeleteExpr(CXXDeleteExpr *D) override {
    add(Event::HostFree, pointerVariable(D->getArgument()), "", D->getBeginLoc());
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->getOpcode() == BO_Assign && B->getLHS()->getType()->isPointerType())
      add(Event::Give, pointerVariable(B->getLHS()), "", B->getOperatorLoc());
    if (B->isAssignmentOp())
      touch(B->getLHS());
    return true;
  }

private:
  void touch(const Expr *E) {
    E = E->IgnoreParens();
    const Expr *Pointer = dereferencedPointer(E);
    if (const ValueDecl *V = Pointer ? pointerVariable(Pointer) : nullptr)
      add(Event::Touch, V, "", E->getExprLoc());
  }

  template <class Fn> bool inside(const Stmt *S, Fn Go) {
    Blocks.push_back(S);
    bool R = Go();
    Blocks.pop_back();
    return R;
  }

  std::string stream(const Expr *E) const {
    if (!E)
      return "";
    const Expr *S = E->IgnoreParenCasts();
    if (isa<IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr>(S))
      return "";
    return isa<DeclRefExpr>(S) ? Ctx.TU.text(S->getSourceRange()) : "?" + Ctx.TU.text(S->getSourceRange());
  }

  void add(Event::Kind K, const ValueDecl *P, std::string Stream, SourceLocation At) {
    Event E{K, P, std::move(Stream), At, {}};
    E.Blocks.append(Blocks.begin(), Blocks.end());
    Events.push_back(std::move(E));
  }

  /// A function of the candidate may allocate, wait or free: it resets what is known of its arguments.
  void unknownCall(const CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    for (const Expr *A : C->arguments()) // by reference, as std::swap does
      if (A->isLValue() && A->getType()->isPointerType())
        add(Event::Give, pointerVariable(A), "", C->getExprLoc());
    if (F && Ctx.TU.sources().isInSystemHeader(F->getLocation()))
      return;
    for (const Expr *A : C->arguments()) {
      const Expr *E = A->IgnoreParenCasts();
      if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
        E = U->getSubExpr();
      if (const ValueDecl *V = pointerVariable(E))
        add(Event::Give, V, "", C->getExprLoc());
    }
    add(Event::SyncAll, nullptr, "", C->getExprLoc());
  }

  RuleContext &Ctx;
  llvm::SmallVector<const Stmt *, 6> Blocks;
};

class LifetimeVisitor : public ApiWalker {
public:
  using ApiWalker::ApiWalker;

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (!F->isThisDeclarationADefinition() || !F->getBody() || isDeviceFunction(F) || R.exempt(F) || !R.Ctx.TU.inMainFile(F->getLocation()))
      return true;
    EventCollector C(R.Ctx);
    C.TraverseStmt(F->getBody());
    Events = std::move(C.Events);
    Created = std::move(C.Created);
    NonBlocking = std::move(C.NonBlocking);
    for (size_t I = 0; I < Events.size(); ++I) {
      if (Events[I].What == Event::Touch)
        hostDoesNotWait(I);
      if ((Events[I].What == Event::Use && Events[I].Kernel) || Events[I].What == Event::Copy)
        streamDoesNotWait(I);
      if (Events[I].What == Event::Free || Events[I].What == Event::FreeAsync)
        afterFree(I);
      if (Events[I].What == Event::FreeAsync)
        otherStream(I);
      if (Events[I].What == Event::HostFree)
        hostBuffer(I);
    }
    return true;
  }

private:
  /// Whether A happens before B whenever B happens: A's blocks enclose B.
  static bool always(const Event &A, const Event &B) {
    return A.Blocks.size() <= B.Blocks.size() && std::equal(A.Blocks.begin(), A.Blocks.end(), B.Blocks.begin());
  }

  void afterFree(size_t I) {
    const Event &Freed = Events[I];
    if (!Freed.Pointer)
      return;
    for (size_t J = I + 1; J < Events.size(); ++J) {
      const Event &E = Events[J];
      if (E.What == Event::GiveAll)
        return;
      if (E.Pointer != Freed.Pointer)
        continue;
      if (E.What == Event::Give)
        return; // it has other memory, at least on some path
      if (!always(Freed, E))
        continue;
      bool Again = E.What == Event::Free || E.What == Event::FreeAsync;
      if (!Again && E.What != Event::Use && E.What != Event::Copy)
        continue;
      if (sameMacro(Freed.At, E.At)) // CHECK(cudaFree(p)) names its argument once more in the message of a failure
        continue;
      say(E.At, "'" + Freed.Pointer->getName() + "' is " + (Again ? "freed again" : "used") + " after it was freed", Freed.At, "freed here");
      return;
    }
  }

  /// Freed on a stream that nothing makes wait for the last use.
  void otherStream(size_t I) {
    const Event &Freed = Events[I];
    if (!Freed.Pointer || Freed.Stream.empty() || Freed.Stream[0] == '?')
      return;
    for (size_t J = I; J-- > 0;) {
      const Event &E = Events[J];
      if (E.What == Event::SyncAll || (E.What == Event::Wait && E.Stream == Freed.Stream))
        return;
      if (E.Pointer != Freed.Pointer || (E.What != Event::Use && E.What != Event::Copy))
        continue;
      if (E.Stream == Freed.Stream || E.Stream.empty() || E.Stream[0] == '?' || synchronised(J, I, E.Stream))
        return;
      say(Freed.At, "'" + Freed.Pointer->getName() + "' is freed on stream '" + Freed.Stream + "', which does not wait for its use on stream '" + E.Stream + "'", E.At, "last used here");
      return;
    }
  }

  bool synchronised(size_t From, size_t To, StringRef Stream) const {
    for (size_t K = From; K < To; ++K)
      if (Events[K].What == Event::SyncStream && Events[K].Stream == Stream)
        return true;
    return false;
  }

  /// Managed or pinned memory that the host looks into while a kernel or a copy may still write it. (A copy to pageable memory
  /// returns when it is done: CUDA Runtime API, API synchronization behavior.)
  void hostDoesNotWait(size_t I) {
    const Event &Touch = Events[I];
    const Allocation *A = Touch.Pointer ? R.Ctx.get<Allocations>().of(Touch.Pointer) : nullptr;
    if (!A || (A->Space != MemorySpace::Managed && A->Space != MemorySpace::Pinned))
      return;
    for (size_t J = I; J-- > 0;) {
      const Event &E = Events[J];
      if (E.What == Event::SyncAll || E.What == Event::SyncStream || E.What == Event::Free || isBlockingCopy(E))
        return;
      if (E.Pointer != Touch.Pointer)
        continue;
      if (E.What == Event::Give)
        return;
      if (E.What != Event::Use || !(E.Kernel || E.Writes) || !(E.Kernel || !E.Stream.empty()))
        continue;
      if (always(E, Touch))
        say(Touch.At, "the host accesses '" + Touch.Pointer->getName() + "' while the " + (E.Kernel ? "kernel" : "copy") + " that writes it may still run: synchronise before", E.At,
            E.Kernel ? "launched here" : "the copy");
      return;
    }
  }

  /// cudaMemcpy waits for what was launched on the default stream, and a free for the device.
  static bool isBlockingCopy(const Event &E) { return (E.What == Event::Use || E.What == Event::Copy) && !E.Kernel && E.Stream.empty(); }

  /// Do two events belong to streams of which neither waits for the other?
  bool areApart(const Event &E, const Event &Later) const {
    if (E.Stream.empty() || Later.Stream.empty())
      return E.Stream != Later.Stream && !isBlockingCopy(E) && NonBlocking.contains(E.Stream.empty() ? Later.Stream : E.Stream);
    return E.Stream != Later.Stream && isOwnStream(E) && isOwnStream(Later);
  }

  static std::string streamName(const Event &E) { return E.Stream.empty() ? "the default stream" : "stream '" + E.Stream + "'"; }

  /// A kernel or copy that takes what another stream's kernel or copy writes, with nothing that makes it wait.
  void streamDoesNotWait(size_t I) {
    const Event &Later = Events[I];
    if (!Later.Pointer || (!Later.Reads && !Later.Writes && Later.What != Event::Copy))
      return;
    bool DefaultIsDone = false; // a copy that blocks has waited for it
    for (size_t J = I; J-- > 0;) {
      const Event &E = Events[J];
      DefaultIsDone |= isBlockingCopy(E);
      if (E.What == Event::SyncAll || E.What == Event::Free || (E.What == Event::Wait && E.Stream == Later.Stream))
        return;
      if (E.Pointer != Later.Pointer)
        continue;
      if (E.What == Event::Copy)
        continue; // reads
      if (E.What != Event::Use || !areApart(E, Later) || !always(E, Later) || synchronised(J, I, E.Stream) || (E.Stream.empty() && DefaultIsDone))
        return;
      if (!E.Writes)
        continue;
      say(Later.At, "'" + Later.Pointer->getName() + "' is used on " + streamName(Later) + ", which does not wait for the work on " + streamName(E) + " that writes it", E.At,
          "written here");
      return;
    }
  }

  /// A stream that this function makes: two of them are not one.
  bool isOwnStream(const Event &E) const { return Created.contains(E.Stream); }

  /// free(h) while cudaMemcpyAsync may still read or write it.
  void hostBuffer(size_t I) {
    const Event &Freed = Events[I];
    for (size_t J = I; Freed.Pointer && J-- > 0;) {
      const Event &E = Events[J];
      if (E.What == Event::SyncAll || E.What == Event::SyncStream || E.What == Event::Free)
        return;
      if (E.Pointer != Freed.Pointer || (E.What != Event::Copy && E.What != Event::Use))
        continue;
      if (!E.Stream.empty() && always(E, Freed) && R.first("use_after_free_stream", Freed.At))
        R.Ctx.report("use_after_free_stream", Freed.At, "'" + Freed.Pointer->getName() + "' is freed while a copy on stream '" + E.Stream + "' may still use it: safe only if something else waits for the stream")
            .doubt()
            .note(E.At, "the copy");
      return;
    }
  }

  /// Both come from one use of a macro.
  bool sameMacro(SourceLocation A, SourceLocation B) const {
    const SourceManager &SM = R.Ctx.TU.sources();
    return A.isMacroID() && B.isMacroID() && SM.getExpansionLoc(A) == SM.getExpansionLoc(B);
  }

  void say(SourceLocation At, const llvm::Twine &Message, SourceLocation Note, const llvm::Twine &Why) {
    if (R.first("use_after_free_stream", At))
      R.Ctx.report("use_after_free_stream", At, Message).note(Note, Why);
  }

  std::vector<Event> Events;
  llvm::StringSet<> Created, NonBlocking;
};

} // namespace

void kcheck::checkLifetimes(ApiReporter &R) { LifetimeVisitor(R).TraverseAST(R.Ctx.TU.AST); }

#include "actions/guard/Barriers.h"
#include "matchers/VariableWrites.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace kcheck;

namespace {

class BarrierWalk {
public:
  explicit BarrierWalk(ActionContext &Ctx) : Ctx(Ctx), Writes(Ctx.get<VariableWrites>()) {}

  std::vector<BarrierFact> in(const Stmt *Body) {
    std::vector<BarrierFact> Out;
    walk(Body, false, Out);
    return Out;
  }

private:
  void walk(const Stmt *S, bool InBranch, std::vector<BarrierFact> &To) {
    if (!S || isa<LambdaExpr>(S)) // a lambda's body counts where it is called
      return;
    InBranch |= SomeLeft;
    if (const auto *C = dyn_cast<CallExpr>(S))
      call(C, InBranch, To);
    if (const auto *I = dyn_cast<IfStmt>(S))
      return branch(I, InBranch, To);
    if (const auto *W = dyn_cast<WhileStmt>(S); W && never(W->getCond()))
      return;
    if (const auto *F = dyn_cast<ForStmt>(S); F && F->getCond() && never(F->getCond()))
      return walk(F->getInit(), InBranch, To);
    bool Choice = isa<SwitchStmt>(S) || isa<ConditionalOperator>(S);
    for (const Stmt *Child : S->children())
      walk(Child, InBranch || Choice, To);
  }

  void branch(const IfStmt *I, bool InBranch, std::vector<BarrierFact> &To) {
    walk(I->getInit(), InBranch, To);
    walk(I->getCond(), InBranch, To);
    if (auto Known = Ctx.constant(I->getCond()))
      return walk(*Known ? I->getThen() : I->getElse(), InBranch, To);
    bool Together = I->getElse() && sameForAll(I->getCond());
    std::vector<BarrierFact> Then, Else;
    walk(I->getThen(), InBranch || !Together, Then);
    walk(I->getElse(), InBranch || !Together, Else);
    if (Together) {
      alike(Then, Else);
      alike(Else, Then);
      llvm::erase_if(Else, [](const BarrierFact &B) { return !B.InBranch; }); // a block comes by one of the two
    }
    llvm::append_range(To, Then);
    llvm::append_range(To, Else);
    if (ends(I->getThen()) && !I->getElse() && ofThread(I->getCond(), 0))
      SomeLeft = true;
  }

  /// Only as many of A stand where all threads come by as B has too.
  static void alike(std::vector<BarrierFact> &A, const std::vector<BarrierFact> &B) {
    std::map<std::string, long> Left;
    for (const BarrierFact &X : B)
      Left[X.Kind] += !X.InBranch;
    for (BarrierFact &X : A)
      X.InBranch |= --Left[X.Kind] < 0;
  }

  void call(const CallExpr *C, bool InBranch, std::vector<BarrierFact> &To) {
    BarrierFact B{"", BarrierFact::Barrier, 0, InBranch, Ctx.TU.where(C->getBeginLoc()).Line};
    switch (callKind(C)) {
    case CallKind::WarpBarrier:
    case CallKind::TileBarrier: B.Kind = "warp barrier"; break;
    case CallKind::BlockBarrier:
    case CallKind::BlockBarrierVote: B.Kind = "barrier", B.Reach = 1; break;
    case CallKind::GridBarrier: B.Kind = "grid barrier", B.Reach = 2; break;
    case CallKind::AsyncWait: B.Kind = "wait for a copy", B.Of = BarrierFact::Wait; break;
    case CallKind::Fence: {
      std::string Name = calleeName(C);
      B.Of = BarrierFact::Fence;
      B.Reach = StringRef(Name).ends_with("_block") ? 0 : StringRef(Name).ends_with("_system") ? 2 : 1;
      B.Kind = B.Reach == 0 ? "block fence" : B.Reach == 2 ? "system fence" : "fence";
      break;
    }
    default: return follow(C, InBranch, To);
    }
    To.push_back(std::move(B));
  }

  void follow(const CallExpr *C, bool InBranch, std::vector<BarrierFact> &To) {
    constexpr unsigned MostDeep = 8, MostCalls = 300;
    const Stmt *Body = C->getDirectCallee() ? definitionBody(C->getDirectCallee()) : nullptr;
    if (!Body || Calls.size() >= MostDeep || ++Followed > MostCalls || llvm::is_contained(Calls, Body) || Ctx.SM.isInSystemHeader(Ctx.SM.getExpansionLoc(Body->getBeginLoc())))
      return;
    bool Was = SomeLeft; // a return in there comes back here
    Calls.push_back(Body);
    walk(Body, InBranch, To);
    Calls.pop_back();
    SomeLeft = Was;
  }

  bool never(const Expr *Cond) const {
    auto Known = Ctx.constant(Cond);
    return Known && !*Known;
  }

  static bool ends(const Stmt *S) {
    if (const auto *C = dyn_cast_or_null<CompoundStmt>(S))
      return !C->body_empty() && ends(C->body_back());
    return S && isa<ReturnStmt>(S);
  }

  /// What E rests on: the thread's own index for certain, or nothing but what a block has in common.
  bool ofThread(const Expr *E, unsigned Depth) { return anyPart(E, Depth, [](const BuiltinUse &B) { return B.Which == IndexVar::ThreadIdx; }); }
  bool sameForAll(const Expr *E) { return Ctx.isPure(E) && !ofThread(E, 0) && known(E, 0); }

  template <class Fn> bool anyPart(const Expr *E, unsigned Depth, Fn Is) {
    if (!E || Depth > 16)
      return false;
    if (auto B = builtinUse(E))
      return Is(*B);
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->isLocalVarDecl())
        return llvm::any_of(Writes.of(V), [&](const VariableWrite &W) { return anyPart(W.Value, Depth + 1, Is); });
    return llvm::any_of(E->children(), [&](const Stmt *Child) { return anyPart(dyn_cast_or_null<Expr>(Child), Depth + 1, Is); });
  }

  /// Every part is a constant, a block's index, a parameter of the kernel that nobody writes, or a local with one such value.
  bool known(const Expr *E, unsigned Depth) {
    if (Depth > 16)
      return false;
    if (builtinUse(E))
      return true;
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      if (!V)
        return true;
      if (isa<ParmVarDecl>(V))
        return Calls.empty() && Writes.of(V).empty() && !Writes.addressTaken(V);
      const Expr *Value = Writes.onlyValue(V);
      return V->isConstexpr() || (V->isLocalVarDecl() && !isSharedVariable(V) && Value && known(Value, Depth + 1));
    }
    return llvm::all_of(E->children(), [&](const Stmt *Child) {
      const auto *X = dyn_cast_or_null<Expr>(Child);
      return !X || known(X, Depth + 1);
    });
  }

  ActionContext &Ctx;
  VariableWrites &Writes;
  bool SomeLeft = false; ///< threads may have returned before
  std::vector<const Stmt *> Calls;
  unsigned Followed = 0;
};

} // namespace

std::vector<BarrierFact> kcheck::barriersOf(ActionContext &Ctx, const FunctionDecl *F) { return BarrierWalk(Ctx).in(F->getBody()); }

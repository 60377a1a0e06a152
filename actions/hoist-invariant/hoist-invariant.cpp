//===- hoist-invariant.cpp - what a loop computes again and again ----------------------===//
//
//   for (int c = 0; c < n; ++c)                     const float once = n > 0 ? scale[row] : 0;
//     out[c] = in[c] * scale[row];                  for (int c = 0; c < n; ++c)
//                                                     out[c] = in[c] * once;
//
// For loads and function calls that rest on nothing the loop changes. A load may only move where nothing in the loop
// writes to memory that could be it, and it is not made when the loop takes no step.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"

using namespace clang;
using namespace kcheck;

namespace {

class Hoist {
public:
  Hoist(ActionContext &Ctx, const KernelView &K, const ForStmt *F) : Ctx(Ctx), K(K), F(F), L(countedLoop(Ctx, F)) {}

  /// Fills Found; why there is nothing to move.
  std::string plan() {
    if (!Ctx.editable(F->getSourceRange()))
      return "the loop comes from a macro";
    if (!L.Variable)
      return L.WhyNot;
    if (!inBlock(K.body()))
      return "the loop is the only statement of a branch";
    forEachStmt(F, [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S))
        for (const Decl *X : D->decls())
          Changed.insert(dyn_cast<ValueDecl>(X));
      const Expr *Written = nullptr;
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
        Written = B->getLHS();
      if (const auto *U = dyn_cast<UnaryOperator>(S); U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
        Written = U->getSubExpr();
      if (Written) {
        const auto *V = dyn_cast_or_null<VarDecl>(referredTo(Written));
        if (V && V->isLocalVarDecl() && !isSharedVariable(V))
          Changed.insert(V);
        else
          storeTo(Written);
      }
      if (const auto *C = dyn_cast<CallExpr>(S); C && !Ctx.isPure(C, true))
        Stores = true;
      if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S); O && O->isAssignmentOp())
        Stores = true;
      if (isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(S)) // a step may end in front of a load
        Stores = true;
    });
    search(F->getBody());
    return Found.empty() ? "nothing in the loop stays the same" : "";
  }

  const std::vector<const Expr *> &found() const { return Found; }

  llvm::Expected<std::vector<Edit>> apply() const {
    std::vector<Edit> Edits;
    std::string Front;
    std::map<std::string, std::string> Names;
    for (const Expr *E : Found) {
      std::string Text = Ctx.text(E->getSourceRange());
      auto [It, New] = Names.try_emplace(Text);
      if (New) {
        std::string Type = typeText(Ctx, E->getType());
        It->second = Ctx.freeName(K.Decl, "once" + (Names.size() > 1 ? std::to_string(Names.size()) : std::string()));
        bool Load = loads(E);
        std::string Steps = asOperand(Ctx.text(L.Low->getSourceRange())) + (L.Inclusive ? " <= " : " < ") + asOperand(Ctx.text(L.High->getSourceRange()));
        Front += "const " + Type + " " + It->second + " = " + (Load && !(L.Trips && *L.Trips > 0) ? Steps + " ? " + Text + " : " + Type + "(0)" : Text) + ";\n";
      }
      Edits.push_back(Ctx.replace(E->getSourceRange(), It->second));
    }
    unsigned At = Ctx.offset(F->getForLoc());
    size_t Line = Ctx.Text.take_front(At).rfind('\n');
    if (Line != StringRef::npos && Line > 0) { // in front of the loop's pragma
      size_t Before = Ctx.Text.take_front(Line).rfind('\n');
      Before = Before == StringRef::npos ? 0 : Before + 1;
      if (Ctx.Text.slice(Before, Line).trim().starts_with("#pragma"))
        At = unsigned(Before);
    }
    Edits.push_back(Ctx.insert(At, Front));
    return Edits;
  }

private:
  /// The loop stands among the statements of a block.
  bool inBlock(const Stmt *S) const {
    bool Yes = false;
    forEachStmt(S, [&](const Stmt *X) {
      if (const auto *C = dyn_cast<CompoundStmt>(X))
        for (const Stmt *Child : C->body()) {
          if (const auto *A = dyn_cast<AttributedStmt>(Child))
            Child = A->getSubStmt();
          Yes |= Child == F;
        }
    });
    return Yes;
  }

  void storeTo(const Expr *Place) {
    const Expr *E = Place->IgnoreParens();
    while (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase()->IgnoreParenImpCasts();
    const auto *V = dyn_cast_or_null<VarDecl>(referredTo(E));
    if (V && V->isLocalVarDecl() && V->getType()->isArrayType() && !isSharedVariable(V)) {
      Changed.insert(V); // a local array of its own
      return;
    }
    Stores = true;
  }

  static bool loads(const Expr *E) {
    bool Yes = false;
    forEachStmt(E, [&](const Stmt *S) { Yes |= isa<ArraySubscriptExpr>(S) || (isa<UnaryOperator>(S) && cast<UnaryOperator>(S)->getOpcode() == UO_Deref); });
    return Yes;
  }

  bool stays(const Expr *E) const {
    for (const ValueDecl *D : namedIn(E)) {
      if (Changed.count(D) || D == L.Variable)
        return false;
      const auto *V = dyn_cast<VarDecl>(D);
      if (V && isSharedVariable(V))
        return false; // other threads write it
    }
    return true;
  }

  /// A call, or a load through a pointer.
  bool worth(const Expr *E) const {
    if (const auto *C = dyn_cast<CallExpr>(E))
      return !isa<CXXOperatorCallExpr>(C) && Ctx.isPure(E, true) && C->getNumArgs() > 0 && (!Stores || !loads(E));
    auto Load = Stores ? std::nullopt : loadOf(Ctx, E);
    return Load && !Load->Type.isVolatileQualified() && Ctx.isPure(E, true);
  }

  void search(const Stmt *S) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<Expr>(S)) {
      if (builtinUse(E))
        return;
      if (E->getType()->isArithmeticType() && worth(E) && stays(E)) {
        if (Ctx.editable(E->getSourceRange()))
          Found.push_back(E);
        return;
      }
    }
    // what only some steps compute stays where it is
    if (isa<IfStmt, ConditionalOperator, SwitchStmt>(S))
      return;
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp())
      return;
    if (const auto *Inner = dyn_cast<ForStmt>(S); Inner && Inner != F)
      return; // it has a site of its own
    if (isa<WhileStmt, DoStmt, LambdaExpr>(S))
      return;
    for (const Stmt *C : S->children())
      search(C);
  }

  ActionContext &Ctx;
  const KernelView &K;
  const ForStmt *F;
  CountedLoop L;
  llvm::DenseSet<const ValueDecl *> Changed;
  bool Stores = false;
  std::vector<const Expr *> Found;
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels())
    forEachLoop(K.body(), [&](const ForStmt *F, unsigned) {
      auto H = std::make_shared<Hoist>(Ctx, K, F);
      Site S = Ctx.siteAt(K, F->getForLoc(), "loop");
      S.WhyNot = whyNotOneInstance(K);
      if (S.WhyNot.empty())
        S.WhyNot = H->plan();
      if (S.WhyNot.empty()) {
        S.What = "'" + Ctx.text(H->found().front()->getSourceRange()) + "' in a loop";
        S.Sets.push_back({{}, llvm::json::Object{{"evaluations", "once instead of each step"}}});
      }
      S.Apply = [H](const Settings &) { return H->apply(); };
      Out.push_back(std::move(S));
    });
}

KCHECK_ACTION(HoistInvariant, "hoist-invariant", "compute once what a loop computes at each step", {}, find);

} // namespace

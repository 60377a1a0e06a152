//===- row-per-block.cpp - a block works on the row that a thread had ------------------===//
//
//   int r = blockIdx.x * blockDim.x + threadIdx.x;      int r = blockIdx.x;
//   for (int c = 0; c < cols; ++c)                      for (int c = threadIdx.x; c < cols; c += blockDim.x)
//     sum += in[c];                                       sum += in[c];
//                                                       sum = blockSum(sum);
//
// For kernels of one row a thread that consist of loops along the row: sums, largest and smallest values, and stores
// at the loop's place. Sums are made in another order.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"
#include "actions/engine/Accumulation.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"
#include "actions/engine/MapKernel.h"
#include "actions/engine/Tokens.h"
#include <set>

using namespace clang;
using namespace kcheck;

namespace {

/// What a loop along the row leaves behind.
struct Result {
  const VarDecl *V = nullptr;
  Reduction R = Reduction::Sum;
  const Expr *Term = nullptr;
};

class RowPlan {
public:
  RowPlan(ActionContext &Ctx, const KernelView &K) : Ctx(Ctx), K(K), M(mapKernel(Ctx, K)) {}

  std::string why() {
    if (!M.Index)
      return M.WhyNot;
    if (std::string Why = whyNotOneInstance(K); !Why.empty())
      return Why;
    std::vector<const Stmt *> Work = M.Work;
    if (Work.size() == 1)
      if (const auto *C = dyn_cast<CompoundStmt>(Work[0]))
        Work.assign(C->body_begin(), C->body_end());
    bool Loops = false;
    for (const Stmt *S : Work) {
      if (const auto *A = dyn_cast<AttributedStmt>(S))
        S = A->getSubStmt();
      if (const auto *F = dyn_cast<ForStmt>(S)) {
        Loops = true;
        if (std::string W = loop(F); !W.empty())
          return "line " + std::to_string(Ctx.TU.where(F->getForLoc()).Line) + ": " + W;
      } else if (std::string W = single(S); !W.empty()) {
        return "line " + std::to_string(Ctx.TU.where(S->getBeginLoc()).Line) + ": " + W;
      }
    }
    if (!Loops)
      return "there is no loop along a row";
    for (auto &[F, Results] : Found)
      for (const Result &R : Results) {
        PrintingPolicy P(Ctx.LO);
        std::string T = R.V->getType().getUnqualifiedType().getAsString(P);
        if (T != "float" && T != "double" && T != "int" && T != "unsigned int")
          return R.V->getNameAsString() + " is of type " + T;
      }
    if (std::string Fixed = Ctx.whyLaunchesAreFixed(K); !Fixed.empty())
      return Fixed;
    for (const LaunchSite &L : K.Launches)
      if (atLaunch(Ctx, L, K.Decl, M.Bound).empty())
        return "the number of rows is not known to the host";
    return {};
  }

  llvm::Expected<std::vector<Edit>> apply(int64_t Threads) {
    std::vector<Edit> Edits, Inner;
    PrintingPolicy P(Ctx.LO);
    for (auto &[F, Results] : Found) {
      CountedLoop L = countedLoop(Ctx, F);
      bool Zero = Ctx.constant(L.Low) == 0 || mayRepeatFirst(L, Results);
      Inner.push_back(Ctx.replace(L.Low->getSourceRange(), Zero ? std::string("threadIdx.x") : asOperand(Ctx.text(L.Low->getSourceRange())) + " + threadIdx.x"));
      Inner.push_back(Ctx.replace(F->getInc()->getSourceRange(), L.Variable->getNameAsString() + " += blockDim.x"));
      std::string Before, After;
      for (const Result &R : Results) {
        std::string N = R.V->getNameAsString(), T = R.V->getType().getUnqualifiedType().getAsString(P);
        if (!needed(R.R, T, Edits))
          return llvm::createStringError("the file has another " + reducerName(R.R));
        if (R.R == Reduction::Sum) { // what it held before counts once
          std::string Old = Ctx.freeName(K.Decl, N + "Before");
          bool Fresh = zeroBefore(R.V, F);
          if (!Fresh)
            Before += "const " + T + " " + Old + " = " + N + ";\n" + N + " = 0;\n";
          After += "\n" + N + " = " + (Fresh ? "" : Old + " + ") + "blockSum(" + N + ");";
        } else {
          After += "\n" + N + " = " + reducerName(R.R).str() + "(" + N + ");";
        }
      }
      auto [Begin, End] = Ctx.bytes(F);
      if (isa<Expr>(F->getBody()))
        End = unsigned(std::min(Ctx.Text.find(';', End > Begin ? End - 1 : End), Ctx.Text.size() - 1) + 1);
      if (!Before.empty())
        Inner.push_back(Ctx.insert(Begin, Before));
      if (!After.empty())
        Inner.push_back(Ctx.insert(End, After));
    }
    for (const Stmt *S : Once) {
      Inner.push_back(Ctx.insert(Ctx.bytes(S).first, "if (threadIdx.x == 0)\n"));
    }
    std::string I = M.Index->getNameAsString();
    std::string T = "const " + M.type(Ctx) + " " + I + " = blockIdx.x;\nif (" + I + " >= " + M.bound(Ctx) + ")\nreturn;\n" + StringRef(M.work(Ctx, Inner)).rtrim().str();
    Edits.push_back(Ctx.replace(M.Bytes, T));
    if (std::string Why = fitLaunchBounds(Ctx, K.Decl, Threads, false, Edits); !Why.empty())
      return llvm::createStringError(Why);
    for (const LaunchSite &L : K.Launches) {
      DimText Grid{atLaunch(Ctx, L, K.Decl, M.Bound), "1", "1"}, Block{std::to_string(Threads), "1", "1"};
      setLaunchSizes(Ctx, L, &Grid, &Block, Edits);
    }
    return Edits;
  }

private:
  bool needed(Reduction R, const std::string &T, std::vector<Edit> &Edits) {
    if (!Asked.insert({R, T}).second)
      return true;
    return needReducer(Ctx, K, R, T, Edits);
  }

  /// V is declared as zero and written by nothing in front of the loop.
  bool zeroBefore(const VarDecl *V, const ForStmt *F) {
    bool Zero = false;
    if (const auto *L = V->getInit() ? dyn_cast<FloatingLiteral>(V->getInit()->IgnoreParenImpCasts()) : nullptr)
      Zero = L->getValue().isZero();
    else if (auto N = V->getInit() ? Ctx.constant(V->getInit()) : std::nullopt)
      Zero = *N == 0;
    for (const VariableWrite &W : Ctx.get<VariableWrites>().of(V))
      if (W.At && Ctx.SM.isBeforeInTranslationUnit(W.At->getBeginLoc(), F->getBeginLoc()))
        Zero = false;
    return Zero;
  }

  /// A statement outside the loops: every thread may do it, or one must.
  std::string single(const Stmt *S) {
    bool Store = false, Bad = false;
    std::string Why;
    forEachStmt(S, [&](const Stmt *X) {
      const Expr *Written = nullptr;
      if (const auto *B = dyn_cast<BinaryOperator>(X); B && B->isAssignmentOp())
        Written = B->getLHS();
      if (const auto *U = dyn_cast<UnaryOperator>(X); U && U->isIncrementDecrementOp())
        Written = U->getSubExpr();
      if (Written) {
        const auto *V = dyn_cast_or_null<VarDecl>(referredTo(Written));
        if (!V || !V->isLocalVarDecl())
          Store = true;
      }
      if (const auto *C = dyn_cast<CallExpr>(X); C && callKind(C) != CallKind::Other) {
        Bad = true;
        Why = "calls " + calleeName(C);
      }
      if (isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt, SwitchStmt>(X)) {
        Bad = true;
        Why = "a loop that is not plainly along the row";
      }
    });
    if (Bad)
      return Why;
    if (Store) {
      if (!isa<Expr>(S) && !isa<IfStmt>(S))
        return "a store inside a larger statement";
      if (const auto *E = dyn_cast<Expr>(S))
        for (const ValueDecl *D : namedIn(E))
          if (const auto *V = dyn_cast<VarDecl>(D); V && V->isLocalVarDecl())
            for (const VariableWrite &W : Ctx.get<VariableWrites>().of(V))
              if (W.At && Ctx.SM.isPointWithin(W.At->getBeginLoc(), S->getBeginLoc(), S->getEndLoc()))
                return "a store that changes a local variable too";
      if (isa<IfStmt>(S))
        return "a store under a condition";
      // what one thread stored, the others must not need
      forEachStmt(S, [&](const Stmt *X) {
        const auto *B = dyn_cast<BinaryOperator>(X);
        if (B && B->isAssignmentOp() && uses(buffer(B->getLHS())) > 1)
          Why = "the buffer of a single store is used elsewhere";
      });
      if (!Why.empty())
        return Why;
      Once.push_back(S);
    }
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X); V && V->getType()->isArrayType())
          return "a local array would be each thread's own";
    return {};
  }

  std::string loop(const ForStmt *F) {
    CountedLoop L = countedLoop(Ctx, F);
    if (!L.Variable)
      return L.WhyNot;
    if (L.Step && Ctx.constant(L.Step) != 1)
      return "the loop does not count by ones";
    if (!Ctx.isPure(L.High) || !Ctx.isPure(L.Low))
      return "the loop's bounds are read from memory";
    llvm::DenseSet<const VarDecl *> Inside;
    llvm::DenseSet<const Stmt *> Steps;
    std::vector<Result> Results;
    std::string Why;
    std::vector<const ArraySubscriptExpr *> Stores;
    forEachStmt(F->getBody(), [&](const Stmt *X) {
      if (const auto *D = dyn_cast<DeclStmt>(X))
        for (const Decl *Y : D->decls())
          if (const auto *V = dyn_cast<VarDecl>(Y))
            Inside.insert(V);
      if (auto A = accumulation(Ctx, X); A && !isa<CompoundStmt>(X) && !Steps.count(X))
        forEachStmt(X, [&](const Stmt *Y) { Steps.insert(Y); });
      if (isa<ForStmt, WhileStmt, DoStmt, BreakStmt, ContinueStmt, SwitchStmt>(X) || (isa<IfStmt>(X) && !Steps.count(X)))
        Why = "the loop's body branches";
      if (const auto *C = dyn_cast<CallExpr>(X); C && callKind(C) != CallKind::Other)
        Why = "the loop calls " + calleeName(C);
    });
    if (!Why.empty())
      return Why;
    Steps.clear();
    forEachStmt(F->getBody(), [&](const Stmt *X) {
      if (Steps.count(X))
        return;
      if (auto A = accumulation(Ctx, X); A && !Inside.count(A->V) && !isa<CompoundStmt>(X)) {
        forEachStmt(X, [&](const Stmt *Y) { Steps.insert(Y); });
        for (const Result &Other : Results)
          if (Other.V == A->V)
            Why = A->V->getNameAsString() + " is changed twice";
        Results.push_back({A->V, A->R, A->Term});
        return;
      }
      const auto *B = dyn_cast<BinaryOperator>(X);
      const auto *U = dyn_cast<UnaryOperator>(X);
      if (U && U->isIncrementDecrementOp() && referredTo(U->getSubExpr()) != L.Variable)
        Why = "the loop counts something besides its counter";
      if (!B || !B->isAssignmentOp())
        return;
      if (const auto *A = dyn_cast<ArraySubscriptExpr>(B->getLHS()->IgnoreParens())) {
        if (placeKey(A, L.Variable).empty())
          Why = "a store is not at the loop's own place";
        Stores.push_back(A);
        return;
      }
      const auto *V = dyn_cast_or_null<VarDecl>(referredTo(B->getLHS()));
      if (!V || !V->isLocalVarDecl())
        Why = "the loop writes to something other than a local variable or [" + L.Variable->getNameAsString() + "]";
      else if (!Inside.count(V))
        Why = V->getNameAsString() + " is carried from step to step other than as a sum, a largest or a smallest value";
    });
    if (!Why.empty())
      return Why;
    // a result's running value is nobody else's business
    for (const Result &R : Results) {
      unsigned Uses = 0, Own = 0;
      forEachStmt(F->getBody(), [&](const Stmt *X) {
        const auto *D = dyn_cast<DeclRefExpr>(X);
        Uses += D && D->getDecl() == R.V;
        Own += D && D->getDecl() == R.V && Steps.count(X);
      });
      if (Uses != Own)
        return "the running value of " + R.V->getNameAsString() + " is used in the loop";
    }
    // threads must not read what others store: a stored buffer is read at the same place, or not at all
    for (const ArraySubscriptExpr *A : Stores) {
      const ValueDecl *Buffer = referredTo(A->getBase());
      if (Ctx.constant(L.Low) != 0)
        return "a loop that stores does not start at zero";
      std::string Key = placeKey(A, L.Variable);
      forEachStmt(K.body(), [&](const Stmt *X) {
        const auto *S = dyn_cast<ArraySubscriptExpr>(X);
        if (!S)
          return;
        if (referredTo(S->getBase()) != Buffer) { // the same memory by another name
          if (buffer(S) && buffer(S) == buffer(A))
            Why = "the stored buffer is also reached by another pointer";
          return;
        }
        bool Same = false;
        forEachLoop(K.body(), [&](const ForStmt *G, unsigned) { // its elements stay with the same threads
          CountedLoop O = countedLoop(Ctx, G);
          Same |= O.Variable && Ctx.constant(O.Low) == 0 && placeKey(S, O.Variable) == Key;
        });
        if (!Same)
          Why = "elements of " + Buffer->getNameAsString() + " are read at other places";
      });
    }
    if (!Why.empty())
      return Why;
    Found.push_back({F, Results});
    return {};
  }

  /// `x[c]` and `x[r * cols + c]` with a zero for c, where the rest is the row's alone; else empty.
  std::string placeKey(const ArraySubscriptExpr *A, const VarDecl *Counter) const {
    if (!isa<DeclRefExpr>(A->getBase()->IgnoreParenImpCasts()) || coefficient(Ctx, A->getIdx(), Counter) != 1 || !Ctx.isPure(A->getIdx()))
      return {};
    std::vector<Edit> Zero;
    bool Fixed = true;
    forEachStmt(A->getIdx(), [&](const Stmt *X) {
      const auto *D = dyn_cast<DeclRefExpr>(X);
      const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      if (!V)
        return;
      if (V == Counter)
        Zero.push_back(Ctx.replace(D->getSourceRange(), "0"));
      else
        Fixed &= V == M.Index || (isa<ParmVarDecl>(V) ? Ctx.get<VariableWrites>().of(V).empty() : Ctx.get<VariableWrites>().onlyValue(V) != nullptr);
    });
    return Fixed && Zero.size() == 1 ? words(A, std::move(Zero)) : std::string();
  }
  std::string words(const Expr *E, std::vector<Edit> Inner) const {
    std::string Key;
    for (const Word &W : wordsOf(Ctx.text({Ctx.offset(E->getBeginLoc()), Ctx.endOffset(E->getEndLoc())}, std::move(Inner)), Ctx.LO))
      Key += W.Text + " ";
    for (size_t At; (At = Key.find("+ 0 ")) != std::string::npos;)
      Key.erase(At, 4);
    return Key;
  }

  /// `top = x[0]; for (c = 1; ...)` may as well start at zero: the first element is looked at again.
  bool mayRepeatFirst(const CountedLoop &L, const std::vector<Result> &Results) const {
    if (Ctx.constant(L.Low) != 1 || Results.size() != 1 || Results[0].R == Reduction::Sum)
      return false;
    const Expr *Start = nullptr;
    for (const VariableWrite &W : Ctx.get<VariableWrites>().of(Results[0].V))
      if (!W.At || Ctx.SM.isBeforeInTranslationUnit(W.At->getBeginLoc(), L.Loop->getBeginLoc()))
        Start = Start ? nullptr : W.Value;
    std::vector<Edit> Zero;
    forEachStmt(Results[0].Term, [&](const Stmt *X) {
      if (const auto *D = dyn_cast<DeclRefExpr>(X); D && D->getDecl() == L.Variable)
        Zero.push_back(Ctx.replace(D->getSourceRange(), "0"));
    });
    bool Alone = true; // and it does nothing else
    forEachStmt(L.Loop->getBody(), [&](const Stmt *X) { Alone &= !isa<DeclStmt>(X); });
    return Alone && Start && words(Start, {}) == words(Results[0].Term, std::move(Zero));
  }

  const ValueDecl *buffer(const Expr *E) const { return memoryOf(Ctx, E); }

  /// Mentions of D in the kernel.
  unsigned uses(const ValueDecl *D) const {
    unsigned N = D ? 0 : 2;
    forEachStmt(K.body(), [&](const Stmt *X) {
      if (const auto *R = dyn_cast<DeclRefExpr>(X))
        N += R->getDecl() == D;
    });
    return N;
  }

  ActionContext &Ctx;
  const KernelView &K;
  MapKernel M;
  std::vector<std::pair<const ForStmt *, std::vector<Result>>> Found;
  std::vector<const Stmt *> Once;
  std::set<std::pair<Reduction, std::string>> Asked;
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one row a thread");
    auto Plan = std::make_shared<RowPlan>(Ctx, K);
    S.WhyNot = Plan->why();
    if (S.WhyNot.empty())
      for (int64_t T : {128, 256, 64, 512, 32})
        S.Sets.push_back({{{"threads", T}}, llvm::json::Object{{"threads_a_row", T}, {"contiguous_reads", true}}});
    S.OnlyListed = true;
    S.Apply = [Plan](const Settings &P) { return Plan->apply(P.at("threads")); };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(RowPerBlock, "row-per-block", "give a row to a block instead of a thread", {{"threads", "threads of a block", {32, 64, 128, 256, 512}}}, find);

} // namespace

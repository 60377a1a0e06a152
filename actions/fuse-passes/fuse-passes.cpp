//===- fuse-passes.cpp - two passes over the same elements become one -------------------===//
//
//   for (c ...) top = fmaxf(top, in[c]);          for (c ...) {
//   for (c ...) sum += expf(in[c] - top);           one step of the online sum: see rows/Online.h
//                                                 }
//
// Two loops over the same counts that only gather values: the second rests on nothing that the first finds, or it sums
// exponentials of distances from the first one's largest value. Sums of the latter kind are scaled as the largest
// value grows, and so rounded otherwise. Or it sums squares of distances from the mean that the first one's sum makes: the mean
// then moves with each value.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Words.h"
#include "actions/engine/Accumulation.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Loops.h"
#include "actions/engine/Tokens.h"
#include "actions/rows/Online.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Pass {
  const ForStmt *Loop = nullptr;
  CountedLoop L;
  std::vector<Accumulation> Found;
  llvm::SmallPtrSet<const VarDecl *, 4> Locals; ///< of the body, each a name for its value
  std::string WhyNot;
};

const Stmt *inner(const Stmt *S) {
  const auto *A = dyn_cast<AttributedStmt>(S);
  return A ? A->getSubStmt() : S;
}

class Fusion {
public:
  Fusion(ActionContext &Ctx, const KernelView &K, const CompoundStmt *Scope, size_t First, size_t Second)
      : Ctx(Ctx), K(K), Statements(Scope->body_begin(), Scope->body_end()), First(First), Second(Second), A(read(First)), B(read(Second)) {}

  const ForStmt *firstLoop() const { return A.Loop; }

  std::string why() {
    if (!A.WhyNot.empty() || !B.WhyNot.empty())
      return A.WhyNot.empty() ? B.WhyNot : A.WhyNot;
    if (!sameWords(Ctx, A.L.High, B.L.High) || A.L.Inclusive != B.L.Inclusive)
      return "the passes end at different counts";
    if ((A.L.Step == nullptr) != (B.L.Step == nullptr) || (A.L.Step && !sameWords(Ctx, A.L.Step, B.L.Step)))
      return "the passes step differently";
    Online = A.Found.size() == 1 && B.Found.size() == 1 && A.Found[0].R == Reduction::Max && B.Found[0].R == Reduction::Sum && namedIn(B.Loop->getBody()).count(A.Found[0].V);
    Repeats = !sameWords(Ctx, A.L.Low, B.L.Low);
    if (Repeats && !mayRepeat())
      return "the passes begin at different counts";
    for (const Expr *E : {A.L.Low, A.L.High})
      if (!Ctx.isPure(E))
        return "the loops' bounds are read from memory";
    if (findMean())
      return moments();
    if (std::string Why = between(); !Why.empty())
      return Why;
    return Online ? online() : apart();
  }

  llvm::Expected<std::vector<Edit>> apply() {
    std::vector<Edit> Edits;
    if (Mean) {
      applyMoments(Edits);
      return Edits;
    }
    std::string Head = head();
    if (Online) {
      OnlineSum S = sum();
      std::string T = Head + S.step() + "}";
      if (Meets)
        T += "\n" + StringRef(S.meet(Ctx.freeName(K.Decl, rowTop(S)))).rtrim().str();
      remove(whole(First), Edits);
      if (Meets)
        remove(whole(MeetsAt), Edits);
      Edits.push_back(Ctx.replace(whole(Second), T));
      return Edits;
    }
    // what the second gathers is declared in front of both
    std::string Before;
    for (size_t I : Moved) {
      Before += Ctx.text(Statements[I]) + "\n";
      remove(whole(I), Edits);
    }
    Edits.push_back(Ctx.replace(whole(First), Before + Head + body(A, A.L.Variable) + body(B, A.L.Variable) + "}"));
    remove(whole(Second), Edits);
    return Edits;
  }

private:
  std::string head() const {
    return "for (" + typeText(Ctx, A.L.Variable->getType()) + " " + A.L.Variable->getNameAsString() + " = " + Ctx.text(B.L.Low->getSourceRange()) + "; " + Ctx.text(A.Loop->getCond()->getSourceRange()) + "; " +
           Ctx.text(A.Loop->getInc()->getSourceRange()) + ") {\n";
  }

  Pass read(size_t I) const {
    Pass P;
    P.Loop = cast<ForStmt>(inner(Statements[I]));
    P.L = countedLoop(Ctx, P.Loop);
    if (!P.L.Variable) {
      P.WhyNot = P.L.WhyNot;
      return P;
    }
    std::vector<const Stmt *> Body{P.Loop->getBody()};
    if (const auto *C = dyn_cast<CompoundStmt>(Body[0]))
      Body.assign(C->body_begin(), C->body_end());
    for (const Stmt *S : Body) {
      if (const auto *D = dyn_cast<DeclStmt>(S); D && D->isSingleDecl() && isa<VarDecl>(D->getSingleDecl())) {
        const auto *V = cast<VarDecl>(D->getSingleDecl());
        if (!V->getInit() || !Ctx.isPure(V->getInit(), true) || isSharedVariable(V))
          P.WhyNot = "a pass does more than gather values";
        P.Locals.insert(V);
        continue;
      }
      auto X = accumulation(Ctx, S);
      if (!X || !Ctx.isPure(X->Term, true)) {
        P.WhyNot = "a pass does more than gather values";
        return P;
      }
      P.Found.push_back(*X);
    }
    for (const Accumulation &X : P.Found) { // one pass must not read another's running value
      unsigned Mentions = 0, Own = 0;
      forEachStmt(P.Loop->getBody(), [&](const Stmt *S) { const auto *D = dyn_cast<DeclRefExpr>(S); Mentions += D && D->getDecl() == X.V; });
      for (const Stmt *S : Body)
        if (auto Y = accumulation(Ctx, S); Y && Y->V == X.V)
          forEachStmt(S, [&](const Stmt *Z) { const auto *D = dyn_cast<DeclRefExpr>(Z); Own += D && D->getDecl() == X.V; });
      if (Mentions != Own)
        P.WhyNot = "a running value is used in its pass";
    }
    if (P.Found.empty())
      P.WhyNot = "a pass gathers nothing";
    if (!Ctx.editable(P.Loop->getSourceRange()))
      P.WhyNot = "the passes come from a macro";
    return P;
  }

  /// The first pass skips the element that its value started from, the second does not.
  bool mayRepeat() const {
    if (A.Found.size() != 1 || A.Found[0].R == Reduction::Sum || Ctx.constant(A.L.Low) != 1 || Ctx.constant(B.L.Low) != 0)
      return false;
    const Expr *Start = nullptr;
    unsigned Writes = 0;
    for (const VariableWrite &W : Ctx.get<VariableWrites>().of(A.Found[0].V))
      if (!W.At || Ctx.SM.isBeforeInTranslationUnit(W.At->getBeginLoc(), A.Loop->getBeginLoc()))
        Start = W.Value, ++Writes;
    auto Term = expanded(A.Found[0].Term, A);
    return Writes == 1 && Start && Term && key(Ctx.text(Start->getSourceRange()), nullptr, "0") == key(*Term, A.L.Variable, "0");
  }

  /// What a variable of the pass's body stands for, or E itself. Null where the value is converted on the way.
  const Expr *through(const Expr *E, const Pass &P) const {
    while (E) {
      E = E->IgnoreParenImpCasts();
      const auto *V = dyn_cast_or_null<VarDecl>(referredTo(E));
      if (!V || !P.Locals.count(V))
        return E;
      E = Ctx.AST.hasSameUnqualifiedType(V->getType(), V->getInit()->IgnoreParenImpCasts()->getType()) ? V->getInit() : nullptr;
    }
    return nullptr;
  }
  /// E's text with their values for the variables of the pass's body.
  std::optional<std::string> expanded(const Expr *E, const Pass &P) const {
    std::vector<Edit> Inner;
    llvm::SmallPtrSet<const Expr *, 4> Alone{E->IgnoreParenImpCasts()}; // need no parentheses
    bool Fine = true;
    forEachStmt(E, [&](const Stmt *S) {
      if (const auto *X = dyn_cast<ArraySubscriptExpr>(S))
        Alone.insert(X->getIdx()->IgnoreParenImpCasts());
      const auto *D = dyn_cast<DeclRefExpr>(S);
      const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      if (!V || !P.Locals.count(V))
        return;
      const Expr *Value = through(D, P);
      auto Text = Value ? expanded(Value, P) : std::nullopt;
      Fine &= Text.has_value();
      if (Text)
        Inner.push_back(Ctx.replace(D->getSourceRange(), isa<BinaryOperator, AbstractConditionalOperator>(Value) && !Alone.count(D) ? "(" + *Text + ")" : *Text));
    });
    if (!Fine)
      return std::nullopt;
    return Ctx.text({Ctx.offset(E->getBeginLoc()), Ctx.endOffset(E->getEndLoc())}, std::move(Inner));
  }
  /// A text's words with Count for Counter, and without what adds nothing.
  std::string key(StringRef Text, const VarDecl *Counter, const std::string &Count) const {
    std::string Key;
    for (const Word &W : wordsOf(Text, Ctx.LO))
      Key += (Counter && W.Identifier && W.Text == Counter->getName() ? Count : W.Text) + " ";
    for (size_t At; (At = Key.find("+ 0 ")) != std::string::npos;)
      Key.erase(At, 4);
    return Key;
  }
  /// Do both passes gather from the same value?
  bool sameTerm(const Expr *OfB) const {
    auto X = expanded(A.Found[0].Term, A), Y = expanded(OfB, B);
    return X && Y && key(*X, A.L.Variable, "#") == key(*Y, B.L.Variable, "#");
  }

  /// What stands between the passes must allow the second to come forward.
  std::string between() {
    llvm::DenseSet<const ValueDecl *> Needs = namedIn(B.Loop);
    for (size_t I = First + 1; I < Second; ++I) {
      const Stmt *S = Statements[I];
      if (!Ctx.editable(SourceRange(S->getBeginLoc(), S->getEndLoc())))
        return "what stands between the passes comes from a macro";
      if (const auto *D = dyn_cast<DeclStmt>(S)) {
        bool Needed = false, Pure = true, OfFirst = false;
        for (const Decl *X : D->decls()) {
          const auto *V = dyn_cast<VarDecl>(X);
          Pure &= V && !isSharedVariable(V) && (!V->getInit() || Ctx.isPure(V->getInit()));
          Needed |= V && Needs.count(V);
          for (const Accumulation &F : A.Found)
            OfFirst |= V && V->getInit() && namedIn(V->getInit()).count(F.V);
          for (const VarDecl *Late : LateValues)
            OfFirst |= V && V->getInit() && namedIn(V->getInit()).count(Late);
        }
        if (Needed && (!Pure || OfFirst))
          return "the second pass rests on what the first one found";
        if (Needed)
          Moved.push_back(I);
        else if (!Online)
          for (const Decl *X : D->decls())
            if (const auto *V = dyn_cast<VarDecl>(X))
              LateValues.push_back(V);
        if (Online && OfFirst)
          return "the first pass's value is used between the passes";
        continue;
      }
      // top = blockMax(top);
      const auto *E = dyn_cast<Expr>(S);
      const auto *Assign = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
      const auto *Call = Assign && Assign->getOpcode() == BO_Assign ? dyn_cast<CallExpr>(Assign->getRHS()->IgnoreParenImpCasts()) : nullptr;
      const Accumulation *Of = nullptr;
      for (const Accumulation &F : A.Found)
        if (Call && Call->getNumArgs() == 1 && refersTo(Assign->getLHS(), F.V) && refersTo(Call->getArg(0), F.V) && isBlockReducer(Ctx, Call->getDirectCallee(), F.R))
          Of = &F;
      if (Of) {
        if (Online) {
          Meets = true;
          MeetsAt = I;
        }
        continue;
      }
      // plain arithmetic on what the first pass found may wait
      if (!Online && Assign && Assign->isAssignmentOp() && Ctx.isPure(Assign->getRHS())) {
        const auto *V = dyn_cast_or_null<VarDecl>(referredTo(Assign->getLHS()));
        if (V && V->isLocalVarDecl() && !Needs.count(V)) {
          LateValues.push_back(V);
          continue;
        }
      }
      return "more than declarations stands between the passes";
    }
    return {};
  }

  /// The second pass uses nothing that the first one, or what follows it, finds.
  std::string apart() {
    llvm::DenseSet<const ValueDecl *> Needs = namedIn(B.Loop), Firsts = namedIn(A.Loop);
    for (const Accumulation &F : A.Found)
      if (Needs.count(F.V))
        return "the second pass rests on what the first one found";
    for (const VarDecl *V : LateValues)
      if (Needs.count(V))
        return "the second pass rests on what the first one found";
    for (const Accumulation &F : B.Found)
      if (Firsts.count(F.V))
        return "both passes gather " + F.V->getNameAsString();
    if (B.L.Variable->getNameAsString() != A.L.Variable->getNameAsString() && !Ctx.AST.hasSameType(A.L.Variable->getType(), B.L.Variable->getType()))
      return "the passes count in different types";
    return {};
  }

  bool startsAtZero(const VarDecl *V, const ForStmt *Loop) const {
    bool Zero = false;
    for (const VariableWrite &W : Ctx.get<VariableWrites>().of(V)) {
      if (W.At && !Ctx.SM.isBeforeInTranslationUnit(W.At->getBeginLoc(), Loop->getBeginLoc()))
        continue;
      const auto *F = W.Value ? dyn_cast<FloatingLiteral>(W.Value->IgnoreParenImpCasts()) : nullptr;
      Zero = !W.At && ((F && F->getValue().isZero()) || (W.Value && Ctx.constant(W.Value->IgnoreImpCasts()) == 0));
    }
    return Zero;
  }

  /// The statement between the passes that makes a mean of the first one's sum: `sum /= n`, or `mean = sum / n`.
  bool findMean() {
    if (A.Found.size() != 1 || B.Found.size() != 1 || A.Found[0].R != Reduction::Sum || B.Found[0].R != Reduction::Sum)
      return false;
    const VarDecl *Sum = A.Found[0].V;
    for (size_t I = First + 1; I < Second; ++I) {
      const VarDecl *To = nullptr;
      const Expr *By = nullptr;
      auto Quotient = [&](const Expr *E) {
        const auto *Div = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
        By = Div && Div->getOpcode() == BO_Div && refersTo(Div->getLHS(), Sum) ? Div->getRHS() : nullptr;
      };
      if (const auto *D = dyn_cast<DeclStmt>(Statements[I]); D && D->isSingleDecl()) {
        To = dyn_cast<VarDecl>(D->getSingleDecl());
        if (To && To->getInit())
          Quotient(To->getInit());
      } else if (const auto *E = dyn_cast<Expr>(Statements[I])) {
        const auto *Assign = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
        if (!Assign || !refersTo(Assign->getLHS(), Sum))
          continue;
        To = Sum;
        if (Assign->getOpcode() == BO_DivAssign)
          By = Assign->getRHS();
        else if (Assign->getOpcode() == BO_Assign)
          Quotient(Assign->getRHS());
      }
      if (By && namedIn(B.Loop->getBody()).count(To)) {
        Mean = To;
        MeanAt = I;
        Divisor = By;
        return true;
      }
    }
    return false;
  }

  /// The second pass is `squares += (value - mean) * (value - mean)`.
  std::string moments() {
    const VarDecl *Sum = A.Found[0].V, *Squares = B.Found[0].V;
    std::string Type = typeText(Ctx, Sum->getType());
    for (const VarDecl *V : {Squares, Mean})
      if ((Type != "float" && Type != "double") || !Ctx.AST.hasSameUnqualifiedType(V->getType(), Sum->getType()))
        return "sum, mean and squares are not all float, or all double";
    auto ByOne = [&](const Pass &P) { return Ctx.constant(P.L.Low) == 0 && (!P.L.Step || Ctx.constant(P.L.Step) == 1) && !P.L.Inclusive; };
    const Expr *Count = A.L.High->IgnoreParenCasts(), *By = Divisor->IgnoreParenCasts();
    if (!ByOne(A) || !ByOne(B))
      return "the passes do not count from zero by one, so that how many values there were is not their counter";
    if (!sameWords(Ctx, Count, By) && !(Ctx.constant(Count) && Ctx.constant(Count) == Ctx.constant(By)))
      return "the mean is not the sum over the number of values";
    const auto *Product = dyn_cast_or_null<BinaryOperator>(through(B.Found[0].Term, B));
    auto Distance = [&](const Expr *E) {
      const auto *Minus = dyn_cast_or_null<BinaryOperator>(through(E, B));
      if (!Minus || Minus->getOpcode() != BO_Sub || refersTo(Minus->getLHS(), Mean) == refersTo(Minus->getRHS(), Mean))
        return false;
      return sameTerm(refersTo(Minus->getLHS(), Mean) ? Minus->getRHS() : Minus->getLHS());
    };
    if (!Product || Product->getOpcode() != BO_Mul || !Distance(Product->getLHS()) || !Distance(Product->getRHS()))
      return "the second pass does not sum squares of distances from the mean of the same values";
    if (!startsAtZero(Sum, A.Loop) || !startsAtZero(Squares, B.Loop))
      return "the sums do not plainly start at zero";
    for (size_t I = First + 1; I < Second; ++I) {
      const auto *D = dyn_cast<DeclStmt>(Statements[I]);
      bool Plain = D && llvm::all_of(D->decls(), [&](const Decl *X) {
        const auto *V = dyn_cast<VarDecl>(X);
        return V && !isSharedVariable(V) && (!V->getInit() || (Ctx.isPure(V->getInit()) && !namedIn(V->getInit()).count(Sum) && !namedIn(V->getInit()).count(Mean)));
      });
      if (!Ctx.editable(SourceRange(Statements[I]->getBeginLoc(), Statements[I]->getEndLoc())))
        return "what stands between the passes comes from a macro";
      if (I != MeanAt && !Plain)
        return "more than declarations stands between the passes";
    }
    if (Mean != Sum) { // the sum itself is gone then
      unsigned Mentions = 0;
      forEachStmt(K.body(), [&](const Stmt *S) { const auto *D = dyn_cast<DeclRefExpr>(S); Mentions += D && D->getDecl() == Sum; });
      unsigned Own = 1;
      forEachStmt(A.Loop, [&](const Stmt *S) { const auto *D = dyn_cast<DeclRefExpr>(S); Own += D && D->getDecl() == Sum; });
      if (Mentions != Own)
        return "the sum is used besides its mean";
    }
    return {};
  }

  void applyMoments(std::vector<Edit> &Edits) const {
    RunningMoments M;
    M.Type = typeText(Ctx, A.Found[0].V->getType());
    M.Next = Ctx.freeName(K.Decl, "next");
    M.Shift = Ctx.freeName(K.Decl, "shift");
    M.Term = *expanded(A.Found[0].Term, A);
    M.Mean = Mean->getNameAsString();
    M.Squares = B.Found[0].V->getNameAsString();
    M.Count = A.L.Variable->getNameAsString();
    remove(whole(First), Edits);
    if (Mean == A.Found[0].V) {
      remove(whole(MeanAt), Edits);
    } else {
      Edits.push_back(Ctx.replace(whole(MeanAt), M.Type + " " + M.Mean + " = 0;"));
      for (size_t I = 0; I < First; ++I)
        if (const auto *D = dyn_cast<DeclStmt>(Statements[I]); D && D->isSingleDecl() && D->getSingleDecl() == A.Found[0].V)
          remove(whole(I), Edits);
    }
    Edits.push_back(Ctx.replace(whole(Second), head() + M.step() + "}"));
  }

  /// The second pass is `sum += exp(value - top)`.
  std::string online() {
    const Accumulation &Top = A.Found[0], &Sum = B.Found[0];
    std::string Type = typeText(Ctx, Top.V->getType());
    if ((Type != "float" && Type != "double") || typeText(Ctx, Sum.V->getType()) != Type)
      return "largest value and sum are not both float, or both double";
    Term = dyn_cast_or_null<CallExpr>(through(Sum.Term, B));
    std::string Name = Term ? calleeName(Term) : "";
    if (Name != "expf" && Name != "exp" && Name != "__expf")
      return "the second pass rests on what the first one found";
    const auto *Minus = dyn_cast_or_null<BinaryOperator>(through(Term->getArg(0), B));
    if (!Minus || Minus->getOpcode() != BO_Sub || !refersTo(Minus->getRHS(), Top.V))
      return "the second pass does not sum exponentials of distances from the largest value";
    if (!sameTerm(Minus->getLHS()))
      return "the exponentials are not of the values that the first pass compares";
    if (!startsAtZero(Sum.V, B.Loop))
      return "the sum does not plainly start at zero";
    // strided passes: threads must have met, and meet again
    if (A.L.Step && Ctx.constant(A.L.Step) != 1 && !Meets)
      return "the threads do not bring their largest values together by blockMax";
    if (Ctx.TU.PP.getMacroInfo(Ctx.TU.PP.getIdentifierInfo("INFINITY")) == nullptr)
      return "the file does not know INFINITY: it needs math.h";
    return {};
  }

  OnlineSum sum() const {
    OnlineSum S;
    S.Type = typeText(Ctx, A.Found[0].V->getType());
    S.Top = A.Found[0].V->getNameAsString();
    S.Sum = B.Found[0].V->getNameAsString();
    S.Next = Ctx.freeName(K.Decl, "next");
    S.Term = *expanded(A.Found[0].Term, A);
    S.Exp = calleeName(Term);
    return S;
  }
  static std::string rowTop(const OnlineSum &S) {
    std::string T = S.Top;
    T[0] = char(toupper(static_cast<unsigned char>(T[0])));
    return "row" + T;
  }

  /// A statement with its semicolon, pragma and so its lines.
  std::pair<unsigned, unsigned> whole(size_t I) const {
    const Stmt *S = inner(Statements[I]);
    auto [Begin, End] = Ctx.bytes(S);
    const auto *F = dyn_cast<ForStmt>(S);
    if (isa<Expr>(S) || (F && isa<Expr>(F->getBody())))
      End = unsigned(std::min(Ctx.Text.find(';', End - 1), Ctx.Text.size() - 1) + 1);
    if (auto Pragma = unrollPragmaBefore(Ctx, Begin))
      Begin = Pragma->first;
    return {Begin, End};
  }
  void remove(std::pair<unsigned, unsigned> Bytes, std::vector<Edit> &Edits) const {
    Edits.push_back(Ctx.replace(withLine(Ctx.Text, Bytes), ""));
  }

  std::string body(const Pass &P, const VarDecl *Counter) const {
    std::vector<Edit> Inner;
    if (P.L.Variable->getNameAsString() != Counter->getNameAsString())
      forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == P.L.Variable)
          Inner.push_back(Ctx.replace(D->getSourceRange(), Counter->getNameAsString()));
      });
    auto B = Ctx.bytes(P.Loop->getBody());
    bool Declares = false;
    if (const auto *C = dyn_cast<CompoundStmt>(P.Loop->getBody())) {
      Declares = llvm::any_of(C->body(), [](const Stmt *S) { return isa<DeclStmt>(S); });
      if (!Declares)
        B = {Ctx.endOffset(C->getLBracLoc()), Ctx.offset(C->getRBracLoc())};
    } else if (isa<Expr>(P.Loop->getBody())) {
      B.second = unsigned(Ctx.Text.find(';', B.second - 1) + 1);
    }
    return StringRef(Ctx.text(B, std::move(Inner))).trim().str() + "\n";
  }

  ActionContext &Ctx;
  const KernelView &K;
  std::vector<const Stmt *> Statements;
  size_t First, Second, MeetsAt = 0;
  std::vector<size_t> Moved;
  std::vector<const VarDecl *> LateValues;
  bool Online = false, Repeats = false, Meets = false;
  const CallExpr *Term = nullptr;
  const VarDecl *Mean = nullptr; ///< of the first pass's sum over Divisor, where the second rests on it
  size_t MeanAt = 0;
  const Expr *Divisor = nullptr;
  Pass A, B;
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    bool Any = false;
    std::string Template = whyNotOneInstance(K);
    forEachStmt(K.body(), [&](const Stmt *S) {
      const auto *C = dyn_cast<CompoundStmt>(S);
      std::optional<size_t> Last;
      for (size_t I = 0; C && I < C->size(); ++I) {
        if (!isa<ForStmt>(inner(C->body_begin()[I])))
          continue;
        if (Last && Template.empty()) {
          auto F = std::make_shared<Fusion>(Ctx, K, C, *Last, I);
          Site X = Ctx.siteAt(K, F->firstLoop()->getForLoc(), "two passes");
          X.WhyNot = F->why();
          if (X.WhyNot.empty())
            X.Sets.push_back({{}, llvm::json::Object{{"passes", "one fewer"}}});
          X.Apply = [F](const Settings &) { return F->apply(); };
          Out.push_back(std::move(X));
          Any = true;
        }
        Last = I;
      }
    });
    if (!Any) {
      Site S = Ctx.siteAt(K, K.Decl->getLocation(), "two passes");
      S.WhyNot = !Template.empty() ? Template : "no two loops stand side by side";
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(FusePasses, "fuse-passes", "gather in one pass what two passes gather", {}, find);

} // namespace

#include "actions/rows/Online.h"
#include "actions/contraction/Words.h"
#include "actions/engine/BlockReduce.h"
#include "actions/engine/Tokens.h"

using namespace clang;
using namespace kcheck;

std::string OnlineSum::step() const {
  return "const " + Type + " " + Next + " = " + Term + ";\nif (" + Next + " > " + Top + ") {\n" + Sum + " *= " + Exp + "(" + Top + " - " + Next + ");\n" + Top + " = " + Next + ";\n}\n" + Sum + " += " + Exp + "(" +
         Next + " - (" + Top + " > -INFINITY ? " + Top + " : 0));\n";
}

std::string OnlineSum::meet(const std::string &RowTop) const {
  return "const " + Type + " " + RowTop + " = blockMax(" + Top + ");\n" + Sum + " *= " + Exp + "(" + Top + " - " + RowTop + ");\n" + Top + " = " + RowTop + ";\n";
}

std::string RunningMoments::step() const {
  return "const " + Type + " " + Next + " = " + Term + ";\nconst " + Type + " " + Shift + " = " + Next + " - " + Mean + ";\n" + Mean + " += " + Shift + " / (" + Count + " + 1);\n" + Squares + " += " + Shift +
         " * (" + Next + " - " + Mean + ");\n";
}

static bool sameText(const ActionContext &Ctx, StringRef A, StringRef B) {
  return llvm::equal(wordsOf(A, Ctx.LO), wordsOf(B, Ctx.LO), [](const Word &X, const Word &Y) { return X.Text == Y.Text; });
}

static const VarDecl *single(const Stmt *S) {
  const auto *D = dyn_cast<DeclStmt>(S);
  return D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
}

std::optional<OnlineSum> kcheck::onlineSum(const ActionContext &Ctx, const ForStmt *F) {
  const auto *Body = dyn_cast<CompoundStmt>(F->getBody());
  if (!Body || Body->size() != 3)
    return std::nullopt;
  OnlineSum S;
  const VarDecl *Next = single(Body->body_begin()[0]);
  const auto *If = dyn_cast<IfStmt>(Body->body_begin()[1]);
  const auto *Then = If ? dyn_cast<CompoundStmt>(If->getThen()) : nullptr;
  if (!Next || !Next->getInit() || !Then || Then->size() != 2)
    return std::nullopt;
  const auto *Scale = dyn_cast<BinaryOperator>(Then->body_begin()[0]), *Raise = dyn_cast<BinaryOperator>(Then->body_begin()[1]);
  const auto *Call = Scale ? dyn_cast<CallExpr>(Scale->getRHS()->IgnoreParenImpCasts()) : nullptr;
  if (!Raise || !Call)
    return std::nullopt;
  S.SumVariable = dyn_cast_or_null<VarDecl>(referredTo(Scale->getLHS()));
  S.TopVariable = dyn_cast_or_null<VarDecl>(referredTo(Raise->getLHS()));
  if (!S.SumVariable || !S.TopVariable)
    return std::nullopt;
  S.Type = typeText(Ctx, Next->getType());
  S.Next = Next->getNameAsString();
  S.Term = Ctx.text(Next->getInit()->getSourceRange());
  S.Top = S.TopVariable->getNameAsString();
  S.Sum = S.SumVariable->getNameAsString();
  S.Exp = calleeName(Call);
  std::string Text = Ctx.Text.slice(Ctx.endOffset(Body->getLBracLoc()), Ctx.offset(Body->getRBracLoc())).str();
  if (!sameText(Ctx, Text, S.step()))
    return std::nullopt;
  return S;
}

bool kcheck::isMeeting(const ActionContext &Ctx, const OnlineSum &S, ArrayRef<const Stmt *> Three) {
  const VarDecl *RowTop = Three.size() == 3 ? single(Three[0]) : nullptr;
  const auto *Call = RowTop && RowTop->getInit() ? dyn_cast<CallExpr>(RowTop->getInit()->IgnoreParenImpCasts()) : nullptr;
  if (!Call || !isBlockReducer(Ctx, Call->getDirectCallee(), Reduction::Max))
    return false;
  std::string Text;
  for (const Stmt *X : Three)
    Text += Ctx.text(X) + (isa<Expr>(X) ? ";" : "") + "\n";
  return sameText(Ctx, Text, S.meet(RowTop->getNameAsString()));
}

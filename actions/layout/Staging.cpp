#include "actions/layout/Staging.h"

using namespace clang;
using namespace kcheck;

static bool isStatement(const LaunchSite &L) {
  bool Found = false;
  forEachStmt(L.In->getBody(), [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CompoundStmt>(S))
      for (const Stmt *X : C->body())
        if (const auto *E = dyn_cast<Expr>(X)) {
          const auto *W = dyn_cast<ExprWithCleanups>(E);
          Found |= (W ? W->getSubExpr() : E)->IgnoreParenImpCasts() == L.Syntax.Call;
        }
  });
  return Found;
}

std::string kcheck::whyNotStaged(const ActionContext &Ctx, const LaunchSite &L, const ParmVarDecl *P) {
  std::string Line = "the launch at line " + std::to_string(Ctx.TU.where(L.Syntax.Call->getBeginLoc()).Line);
  if (!L.In || P->getFunctionScopeIndex() >= L.Syntax.Call->getNumArgs())
    return Line + " stands in no function of the file";
  const Expr *Arg = L.Syntax.Call->getArg(P->getFunctionScopeIndex());
  if (!Ctx.isPure(Arg) || !Ctx.editable(Arg->getSourceRange()))
    return Line + " computes the buffer, or takes it from a macro";
  return isStatement(L) ? "" : Line + " is no statement of its own";
}

void kcheck::stage(const ActionContext &Ctx, const LaunchSite &L, const ParmVarDecl *P, const std::string &Before, const std::string &Argument, const std::string &Behind,
                   std::vector<Edit> &Edits) {
  auto Bytes = Ctx.bytes(L.Syntax.Call);
  Edits.push_back(Ctx.insert(Bytes.first, Before));
  Edits.push_back(Ctx.replace(L.Syntax.Call->getArg(P->getFunctionScopeIndex())->getSourceRange(), Argument));
  Edits.push_back(Ctx.insert(unsigned(Ctx.Text.find(';', Bytes.second - 1) + 1), "\n" + Behind));
}

std::string kcheck::besideLaunch(const ActionContext &Ctx, const LaunchSite &L, const std::string &Grid, const std::string &Block) {
  const Expr *Stream = L.Syntax.Stream;
  return "<<<" + Grid + ", " + Block + (Stream && !isa<CXXDefaultArgExpr>(Stream) ? ", 0, " + Ctx.text(Stream->getSourceRange()) : "") + ">>>";
}

unsigned kcheck::lineInFrontOf(const ActionContext &Ctx, const KernelView &K) {
  auto LineOf = [&](size_t Offset) {
    size_t End = Ctx.Text.take_front(Offset).rfind('\n');
    return End == StringRef::npos ? 0 : End + 1;
  };
  size_t Line = LineOf(Ctx.offset(K.Decl->getBeginLoc()));
  while (Line > 1) {
    size_t Before = LineOf(Line - 1);
    if (!Ctx.Text.slice(Before, Line - 1).trim().starts_with("//"))
      break;
    Line = Before;
  }
  return unsigned(Line);
}

std::string kcheck::freeInFile(const ActionContext &Ctx, const std::string &Wanted) {
  std::string Name = Wanted;
  for (unsigned N = 2; Ctx.Text.contains(Name); ++N)
    Name = Wanted + std::to_string(N);
  return Name;
}

//===- fast-math.cpp - the device's quick functions ---------------------------------------------===//
//
//   expf(x) / y            __expf(x) / y         and with division=1:   __fdividef(__expf(x), y)
//
// Results differ in the last bits, and more at the edges of a function's range: only within the task's tolerance.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kcheck;

namespace {

StringRef quick(StringRef Name) {
  return llvm::StringSwitch<StringRef>(Name)
      .Case("expf", "__expf")
      .Case("exp10f", "__exp10f")
      .Case("logf", "__logf")
      .Case("log2f", "__log2f")
      .Case("log10f", "__log10f")
      .Case("sinf", "__sinf")
      .Case("cosf", "__cosf")
      .Case("tanf", "__tanf")
      .Case("powf", "__powf")
      .Default("");
}

/// Bytes of an operand as it stands between commas: without parentheses around it, unless a comma is in them.
std::pair<unsigned, unsigned> argument(const ActionContext &Ctx, const Expr *E) {
  const Expr *Inner = E->IgnoreImpCasts();
  while (const auto *P = dyn_cast<ParenExpr>(Inner)) {
    const auto *Comma = dyn_cast<BinaryOperator>(P->getSubExpr()->IgnoreImpCasts());
    if (Comma && Comma->isCommaOp())
      break;
    Inner = P->getSubExpr()->IgnoreImpCasts();
  }
  return {Ctx.offset(Inner->getBeginLoc()), Ctx.endOffset(Inner->getEndLoc())};
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    std::vector<const DeclRefExpr *> Calls;
    std::vector<const BinaryOperator *> Divisions;
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *C = dyn_cast<CallExpr>(S))
        if (const auto *D = dyn_cast<DeclRefExpr>(C->getCallee()->IgnoreParenImpCasts()); D && !quick(calleeName(C)).empty() && Ctx.editable(D->getSourceRange()) && !D->getQualifier())
          Calls.push_back(D);
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Div && B->getType()->isSpecificBuiltinType(BuiltinType::Float) && Ctx.editable(B->getSourceRange()))
        Divisions.push_back(B);
    });
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), std::to_string(Calls.size()) + " functions, " + std::to_string(Divisions.size()) + " divisions");
    if (Calls.empty() && Divisions.empty())
      S.WhyNot = "no function that has a quick form";
    if (!Calls.empty())
      S.Sets.push_back({{{"division", 0}}, llvm::json::Object{{"tolerance", "needed"}}});
    if (!Divisions.empty())
      S.Sets.push_back({{{"division", 1}}, llvm::json::Object{{"tolerance", "needed"}}});
    S.OnlyListed = true;
    const ActionContext *Context = &Ctx;
    S.Apply = [Context, Calls, Divisions](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      std::vector<Edit> Edits;
      if (P.at("division"))
        for (const BinaryOperator *B : llvm::reverse(Divisions)) { // inner ones first: what begins or ends together stays in order
          auto [FirstBegin, FirstEnd] = argument(*Context, B->getLHS());
          auto [LastBegin, LastEnd] = argument(*Context, B->getRHS());
          unsigned Begin = Context->offset(B->getBeginLoc()), End = Context->endOffset(B->getEndLoc());
          Edits.push_back(FirstBegin == Begin ? Context->insert(Begin, "__fdividef(") : Context->replace({Begin, FirstBegin}, "__fdividef("));
          Edits.push_back(Context->replace({FirstEnd, LastBegin}, ", "));
          Edits.push_back(LastEnd == End ? Context->insert(End, ")") : Context->replace({LastEnd, End}, ")"));
        }
      for (const DeclRefExpr *D : Calls)
        Edits.push_back(Context->replace(D->getSourceRange(), quick(D->getDecl()->getName()).str()));
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(FastMath, "fast-math", "use the device's quick functions, within a tolerance", {{"division", "divisions too", {0, 1}}}, find);

} // namespace

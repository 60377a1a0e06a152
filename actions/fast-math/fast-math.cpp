//===- fast-math.cpp - the device's quick functions ---------------------------------------------===//
//
//   expf(x) / y            __expf(x) / y         and with division=1:   __fdividef(__expf(x), y)
//
// Results differ in the last bits, and more at the edges of a function's range: only within the task's tolerance. What a whole
// number is made of stays as it is: there a last bit may be a whole step.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "matchers/VariableWrites.h"
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

/// S makes a whole number of a floating-point one.
bool rounds(const Stmt *S) {
  if (const auto *C = dyn_cast<CastExpr>(S))
    return C->getCastKind() == CK_FloatingToIntegral;
  const auto *C = dyn_cast<CallExpr>(S);
  StringRef Name = C ? calleeName(C) : "";
  if (Name.consume_front("__float2") || Name.consume_front("__double2"))
    return Name.starts_with("int_") || Name.starts_with("uint_") || Name.starts_with("ll_") || Name.starts_with("ull_");
  Name.consume_back("f");
  return llvm::StringSwitch<bool>(Name)
      .Cases({"rint", "nearbyint", "round", "trunc", "floor", "ceil", "lrint", "llrint", "lround", "llround", "fmod", "remainder"}, true)
      .Default(false);
}

/// All of the kernel that a whole number is made of, through variables too.
llvm::DenseSet<const Stmt *> roundedParts(ActionContext &Ctx, const KernelView &K) {
  const auto &Writes = Ctx.get<VariableWrites>();
  llvm::DenseSet<const Stmt *> Parts;
  std::vector<const Stmt *> Left;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (rounds(S))
      Left.insert(Left.end(), S->child_begin(), S->child_end());
  });
  while (!Left.empty()) {
    const Stmt *From = Left.back();
    Left.pop_back();
    forEachStmt(From, [&](const Stmt *S) {
      if (!Parts.insert(S).second)
        return;
      const auto *D = dyn_cast<DeclRefExpr>(S);
      const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      if (V && V->hasLocalStorage() && V->getType()->isRealFloatingType())
        for (const VariableWrite &W : Writes.of(V))
          if (W.Value)
            Left.push_back(W.Value);
    });
  }
  return Parts;
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
    auto Rounded = roundedParts(Ctx, K);
    bool Left = false;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const size_t Before = Calls.size() + Divisions.size();
      if (const auto *C = dyn_cast<CallExpr>(S))
        if (const auto *D = dyn_cast<DeclRefExpr>(C->getCallee()->IgnoreParenImpCasts()); D && !quick(calleeName(C)).empty() && Ctx.editable(D->getSourceRange()) && !D->getQualifier())
          Calls.push_back(D);
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Div && B->getType()->isSpecificBuiltinType(BuiltinType::Float) && Ctx.editable(B->getSourceRange()))
        Divisions.push_back(B);
      if (Calls.size() + Divisions.size() == Before || !Rounded.count(S))
        return;
      Left = true;
      isa<CallExpr>(S) ? Calls.pop_back() : Divisions.pop_back();
    });
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), std::to_string(Calls.size()) + " functions, " + std::to_string(Divisions.size()) + " divisions");
    if (Calls.empty() && Divisions.empty())
      S.WhyNot = Left ? "a whole number is made of the result, in which a last bit may be a whole step" : "no function that has a quick form";
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

//===- macro.cpp - rule 4: macros that change what the code says --------------===//
//
//   #define SQ(x) x * x
//   d += SQ(a - b);      // a - b * a - b
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/macro/MacroChecks.h"

using namespace clang;
using namespace kcheck;

namespace {

const TagInfo Tags[] = {
    {"macro_redefined", "a macro gets a second body while the first is in force"},
    {"macro_undef_reuse", "a name is undefined and used again with another value that the code mixes"},
    {"macro_shadows_local", "a macro's own variable or its name hides a variable of the code around it"},
    {"macro_unparenthesised", "operator precedence tears a macro's expansion apart"},
    {"macro_side_effect", "a macro evaluates an argument with a side effect more than once"},
};

class MacroRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    MacroModel Macros(Ctx.TU.sources(), Ctx.TU.PP);
    if (Macros.definitions().empty())
      return;
    checkMacroPrecedence(Ctx, Macros);
    checkMacroSideEffects(Ctx, Macros);
    checkMacroRedefinition(Ctx, Macros, checkMacroReuse(Ctx, Macros));
    checkMacroCapture(Ctx, Macros);
  }
};

KCHECK_RULE(MacroRule, "kcheck-macro", "4", "macros", Tags);

} // namespace

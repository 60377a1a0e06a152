//===- MacroChecks.h - the parts of rule kcheck-macro -------------------------===//
#ifndef KCHECK_RULES_MACRO_MACROCHECKS_H
#define KCHECK_RULES_MACRO_MACROCHECKS_H

#include "analyzers/engine/Rule.h"
#include "analyzers/rules/macro/MacroModel.h"

namespace kcheck {

/// `#define SQ(x) x * x` … `SQ(a - b)`: operator precedence tears an expansion apart.
void checkMacroPrecedence(RuleContext &Ctx, const MacroModel &Macros);
/// `MAX(a, *p++)`: an argument with a side effect is evaluated more than once.
void checkMacroSideEffects(RuleContext &Ctx, const MacroModel &Macros);
/// A macro that gets another body while the first is in force.
void checkMacroRedefinition(RuleContext &Ctx, const MacroModel &Macros);
/// `#undef N` and a new body, where code on both sides must agree on the value.
void checkMacroReuse(RuleContext &Ctx, const MacroModel &Macros);
/// `SWAP(lo, tmp)` where the macro declares its own `tmp`.
void checkMacroCapture(RuleContext &Ctx, const MacroModel &Macros);

/// The place to name for a macro: its definition.
inline clang::SourceLocation placeOf(const DefinedMacro &D) { return D.Defined; }

} // namespace kcheck
#endif

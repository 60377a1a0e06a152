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
using MacroSet = llvm::SmallPtrSet<const DefinedMacro *, 4>;
/// `#undef N` and a new body, where code on both sides must agree on the value. Gives back the new bodies without an #undef
/// before them of which the same holds: a kernel was compiled with the first, and its launch has the other.
MacroSet checkMacroReuse(RuleContext &Ctx, const MacroModel &Macros);
/// A macro that gets another body while the first is in force: a doubt, except for \p Disagreements.
void checkMacroRedefinition(RuleContext &Ctx, const MacroModel &Macros, const MacroSet &Disagreements);
/// `SWAP(lo, tmp)` where the macro declares its own `tmp`.
void checkMacroCapture(RuleContext &Ctx, const MacroModel &Macros);

/// The place to name for a macro: its definition.
inline clang::SourceLocation placeOf(const DefinedMacro &D) { return D.Defined; }

} // namespace kcheck
#endif

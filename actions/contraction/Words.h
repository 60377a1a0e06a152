//===- Words.h - shared by the two recognisers ------------------------------------===//
#ifndef KCHECK_ACTIONS_CONTRACTION_WORDS_H
#define KCHECK_ACTIONS_CONTRACTION_WORDS_H

#include "actions/contraction/Contraction.h"

namespace kcheck {

/// The parts of a condition that must all hold.
void conjuncts(const clang::Expr *E, std::vector<const clang::Expr *> &Out);
/// Sets Guard and, for a plain `index < bound`, Bound.
void addGuard(const ActionContext &Ctx, OutputIndex &I, const clang::ValueDecl *Index, const clang::Expr *Atom, const std::string &Text, bool Negated);
/// "const float *in = x + row * k;" for one variable, also where several are declared together.
std::string declarationText(const ActionContext &Ctx, const clang::DeclStmt *S, const clang::VarDecl *V);
/// Type as it may be written in the kernel.
std::string typeText(const ActionContext &Ctx, clang::QualType T);

} // namespace kcheck
#endif

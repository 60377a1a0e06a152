//===- ContentHash.h - the same code under other names --------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_CONTENTHASH_H
#define KCHECK_ACTIONS_GUARD_CONTENTHASH_H

#include "analyzers/engine/TranslationUnit.h"

namespace kcheck {

/// Equal for texts that differ in comments, layout and the names of local variables only.
std::string contentHash(TranslationUnit &TU);

} // namespace kcheck
#endif

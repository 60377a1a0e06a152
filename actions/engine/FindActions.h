//===- FindActions.h - what applies to a unit that is parsed already -------------===//
#ifndef KCHECK_ACTIONS_ENGINE_FINDACTIONS_H
#define KCHECK_ACTIONS_ENGINE_FINDACTIONS_H

#include "actions/engine/Rewrite.h"

namespace kcheck {

/// Every action at every site of a unit of the device view; only those of Only when it names one.
FileActions findActions(TranslationUnit &TU, llvm::StringRef File, const ActionInfo *Only = nullptr);

} // namespace kcheck
#endif

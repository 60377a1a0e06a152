// Debian's Clang names Polly as an extension of its code generator. The simulator generates code itself and never
// runs Clang's optimiser, so the extension that it finds here registers nothing.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}

#include "tools/kcheck/Version.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "clang/Basic/Version.h"
#include "tools/kcheck/FullVersion.h"

using namespace kcheck;

std::string cli::versionText() {
  return "kcheck " KCHECK_FULL_VERSION " (Clang " CLANG_VERSION_STRING ")";
}

ToolInfo cli::toolInfo() {
  const Toolkit &T = findToolkit("");
  std::string Cuda = T.found() ? llvm::formatv("{0}.{1}", T.Version / 1000, T.Version % 1000 / 10).str() : "";
  return {KCHECK_FULL_VERSION, CLANG_VERSION_STRING, Cuda};
}

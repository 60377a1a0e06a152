#include "tools/kcheck/Version.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "clang/Basic/Version.h"

using namespace kcheck;

std::string cli::versionText() {
  return "kcheck " KCHECK_VERSION " (Clang " CLANG_VERSION_STRING ")";
}

ToolInfo cli::toolInfo() {
  const Toolkit &T = findToolkit("");
  std::string Cuda = T.found() ? llvm::formatv("{0}.{1}", T.Version / 1000, T.Version % 1000 / 10).str() : "";
  return {KCHECK_VERSION, CLANG_VERSION_STRING, Cuda};
}

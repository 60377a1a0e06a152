#include "tools/kcheck/Version.h"
#include "clang/Basic/Version.h"

using namespace kcheck;

std::string cli::versionText() {
  return "kcheck " KCHECK_VERSION " (Clang " CLANG_VERSION_STRING ")";
}

ToolInfo cli::toolInfo() { return {KCHECK_VERSION, CLANG_VERSION_STRING, ""}; }

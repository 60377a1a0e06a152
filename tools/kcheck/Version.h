//===- Version.h - who this program is ----------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_VERSION_H
#define KCHECK_TOOLS_KCHECK_VERSION_H

#include "analyzers/engine/output/Report.h"

namespace kcheck::cli {

/// For `kcheck --version`: program, compiler front end.
std::string versionText();
/// For the head of a report.
ToolInfo toolInfo();

} // namespace kcheck::cli
#endif

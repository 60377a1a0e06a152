//===- Arguments.h - what kcheck-clangd adds to its command line ---------------===//
#ifndef KCHECK_TOOLS_KCHECK_CLANGD_ARGUMENTS_H
#define KCHECK_TOOLS_KCHECK_CLANGD_ARGUMENTS_H

#include <string>
#include <vector>

namespace kcheck {

/// The program's arguments, with --resource-dir where the user gave none: clangd looks for Clang's own
/// headers beside its binary, and kcheck-clangd may stand anywhere.
std::vector<std::string> clangdArguments(int Argc, char **Argv);

} // namespace kcheck
#endif

//===- Views.h - device and host view of one file, and their findings as one --===//
#ifndef KCHECK_ENGINE_DRIVER_VIEWS_H
#define KCHECK_ENGINE_DRIVER_VIEWS_H

#include "analyzers/engine/Finding.h"
#include "clang/Lex/PPCallbacks.h"

namespace kcheck {

/// Notes whether the candidate's own code asks for a macro that differs between device and host compilation.
std::unique_ptr<clang::PPCallbacks> watchForArchMacro(const clang::SourceManager &SM, bool &Differs);

/// Lines of code that never runs on the host: bodies of kernels and of device-only functions.
struct LineRange {
  std::string File;
  unsigned First = 0, Last = 0;
};
std::vector<LineRange> deviceOnlyCode(llvm::ArrayRef<clang::Decl *> Decls, const clang::SourceManager &SM);

/// Adds the host view's findings to the device view's; those on device-only code, and those at a launch that rest on what
/// its kernel does, are dropped, for the host view sees that code with the wrong branches.
void addHostFindings(std::vector<Finding> &Device, std::vector<Finding> Host, llvm::ArrayRef<LineRange> DeviceOnly);

/// One finding for each check and place: several instantiations of one template say the same.
void dropRepeats(std::vector<Finding> &Findings);

} // namespace kcheck
#endif

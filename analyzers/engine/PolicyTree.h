//===- PolicyTree.h - the policy in force for a file --------------------------===//
//
//   built-in ─► --config ─► --rules, --block-dim … ─► each folder's .kcheck.yaml from the root down ─► file
//
// A folder's `.kcheck.yaml` overrides what stands above it; the walk up ends at a folder with .git or at a
// file that says `root: true`.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_POLICYTREE_H
#define KCHECK_ENGINE_POLICYTREE_H

#include "analyzers/engine/Policy.h"
#include <map>
#include <memory>
#include <mutex>

namespace kcheck {

class PolicyTree {
public:
  /// Base outlives the tree. Local: look for .kcheck.yaml at all.
  PolicyTree(const Policy &Base, bool Local) : Base(Base), Local(Local) {}

  /// Safe from several threads; each folder is read once.
  llvm::Expected<const Policy *> forFile(llvm::StringRef File);

private:
  struct Entry {
    const Policy *P = nullptr;
    std::string Error;
  };
  const Entry &forFolder(const std::string &Dir, unsigned Depth);

  const Policy &Base;
  bool Local;
  std::mutex Lock;
  std::map<std::string, Entry> Folders;
  std::vector<std::unique_ptr<Policy>> Made;
};

} // namespace kcheck
#endif

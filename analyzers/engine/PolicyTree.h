//===- PolicyTree.h - the policy in force for a file --------------------------===//
//
//   built-in ─► --config ─► each folder's .kcheck.yaml from the root down ─► --rules, --block-dim … ─► file
//
// A folder's `.kcheck.yaml` overrides what stands above it; the walk up ends at a folder with .git or at a
// file that says `root: true`.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_POLICYTREE_H
#define KCHECK_ENGINE_POLICYTREE_H

#include "analyzers/engine/Policy.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace kcheck {

class PolicyTree {
public:
  /// Over is laid over every policy that a folder's file made; Base has it already.
  using Override = std::function<llvm::Error(Policy &)>;
  /// Base outlives the tree. Local: look for .kcheck.yaml at all.
  PolicyTree(const Policy &Base, bool Local, Override Over = {}) : Base(Base), Local(Local), Over(std::move(Over)) {}

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
  Override Over;
  std::mutex Lock;
  std::map<std::string, Entry> Folders;
  std::vector<std::unique_ptr<Policy>> Made;
};

} // namespace kcheck
#endif

//===- Allocations.h - the host's calls of the memory API ---------------------===//
#ifndef KCHECK_MATCHERS_ALLOCATIONS_H
#define KCHECK_MATCHERS_ALLOCATIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace kcheck {

enum class MemorySpace { Unknown, Host, Pinned, Device, Managed };

/// One call that gives a pointer variable its memory.
struct Allocation {
  const clang::CallExpr *Call = nullptr;
  const clang::ValueDecl *Pointer = nullptr; ///< the variable or field that gets the memory
  const clang::Expr *Bytes = nullptr;
  MemorySpace Space = MemorySpace::Unknown;
};

/// The allocation that a call makes through its first argument (`&p`, `(void **)&p`), if it is one.
std::optional<Allocation> allocation(const clang::CallExpr *Call);

/// Does the call allocate rows that are a pitch of bytes apart?
bool allocatesPitched(const clang::CallExpr *Call);

/// All allocations of the file, by pointer.
class Allocations {
public:
  explicit Allocations(clang::ASTContext &AST);
  llvm::ArrayRef<Allocation> all() const { return All; }
  /// The only allocation of a pointer, or null when there is none or there are several.
  const Allocation *of(const clang::ValueDecl *Pointer) const;

private:
  friend class AllocationCollector;
  std::vector<Allocation> All;
};

/// The variable or field that a pointer expression reads, casts and `&v[0]` looked through; null otherwise.
const clang::ValueDecl *pointerVariable(const clang::Expr *E);

} // namespace kcheck
#endif

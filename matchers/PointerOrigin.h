//===- PointerOrigin.h - which memory a host-side pointer points into ---------===//
#ifndef KCHECK_MATCHERS_POINTERORIGIN_H
#define KCHECK_MATCHERS_POINTERORIGIN_H

#include "clang/AST/ExprCXX.h"
#include "matchers/Allocations.h"
#include "matchers/VariableWrites.h"

namespace kcheck {

/// Joins every value that a pointer may get; anything not shown by the file is Unknown. A tensor's memory is the device's where
/// the function refuses others (TORCH_CHECK(x.is_cuda(), …)).
class PointerOrigin {
public:
  PointerOrigin(const VariableWrites &Writes, const Allocations &Allocs) : Writes(Writes), Allocs(Allocs) {}
  MemorySpace of(const clang::Expr *Pointer) const { return expression(Pointer, 0); }

private:
  MemorySpace expression(const clang::Expr *E, unsigned Depth) const;
  MemorySpace variable(const clang::ValueDecl *V, unsigned Depth) const;
  MemorySpace call(const clang::CallExpr *C, unsigned Depth) const;
  MemorySpace tensor(const clang::CXXMemberCallExpr *DataPtr) const;

  const VariableWrites &Writes;
  const Allocations &Allocs;
};

} // namespace kcheck
#endif

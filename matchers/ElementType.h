//===- ElementType.h - what a buffer's elements are ---------------------------===//
#ifndef KCHECK_MATCHERS_ELEMENTTYPE_H
#define KCHECK_MATCHERS_ELEMENTTYPE_H

#include "clang/AST/ASTContext.h"
#include "matchers/eval/Value.h"

namespace kcheck {

enum class ElementKind { Other, Byte, Bool, Integer, Float, Half, Bfloat };

struct ElementType {
  ElementKind Kind = ElementKind::Other;
  unsigned Size = 0;  ///< bytes of one component
  unsigned Lanes = 1; ///< 4 for float4
  clang::QualType Component;
  bool floating() const { return Kind == ElementKind::Float || sixteenBit(); }
  bool sixteenBit() const { return Kind == ElementKind::Half || Kind == ElementKind::Bfloat; }
  unsigned bytes() const { return Size * Lanes; }
};

/// Classifies a complete, non-dependent type: scalars, __half and __nv_bfloat16, vectors such as float4.
ElementType elementType(clang::QualType T, const clang::ASTContext &AST);

/// What a buffer holds: what its allocation or data_ptr<T>() named, else what its declaration points to. Null where that is
/// not known.
inline clang::QualType elementOf(const eval::Object &O) {
  clang::QualType T = O.Element;
  if (T.isNull() && O.Decl && O.Decl->getType()->isPointerType())
    T = O.Decl->getType()->getPointeeType();
  return T.isNull() || T->isIncompleteType() || T->isDependentType() ? clang::QualType() : T;
}

} // namespace kcheck
#endif

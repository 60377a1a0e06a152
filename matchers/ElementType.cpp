#include "matchers/ElementType.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kcheck;

static ElementKind sixteenBitFloat(StringRef Name) {
  return llvm::StringSwitch<ElementKind>(Name)
      .Cases({"__half", "Half"}, ElementKind::Half)
      .Cases({"__nv_bfloat16", "BFloat16"}, ElementKind::Bfloat)
      .Default(ElementKind::Other);
}

static ElementType vectorType(const RecordDecl *R, const ASTContext &AST) {
  ElementType V;
  unsigned Lanes = 0;
  static const char Names[] = "xyzw";
  for (const FieldDecl *F : R->fields()) {
    if (Lanes >= 4 || F->getName() != StringRef(Names + Lanes, 1))
      return {};
    ElementType C = elementType(F->getType(), AST);
    if (C.Kind == ElementKind::Other || C.Lanes != 1 || (Lanes && (C.Kind != V.Kind || C.Size != V.Size)))
      return {};
    V = C;
    ++Lanes;
  }
  if (Lanes < 1 || (Lanes == 1 && V.Component->isRecordType()))
    return {};
  V.Lanes = Lanes;
  return V;
}

ElementType kcheck::elementType(QualType T, const ASTContext &AST) {
  ElementType E;
  if (T.isNull() || T->isDependentType() || T->isIncompleteType())
    return E;
  T = T.getCanonicalType().getUnqualifiedType();
  E.Component = T;
  if (const RecordDecl *R = T->getAsRecordDecl()) {
    if (!R->getIdentifier() || !R->isCompleteDefinition())
      return {};
    E.Kind = sixteenBitFloat(R->getName());
    if (E.Kind == ElementKind::Other)
      return vectorType(R, AST);
    E.Size = 2;
    return E;
  }
  if (!T->isArithmeticType() && !T->isEnumeralType())
    return {};
  E.Size = AST.getTypeSizeInChars(T).getQuantity();
  if (T->isBooleanType())
    E.Kind = ElementKind::Bool;
  else if (T->isHalfType() || T->isFloat16Type())
    E.Kind = ElementKind::Half;
  else if (T->isBFloat16Type())
    E.Kind = ElementKind::Bfloat;
  else if (T->isRealFloatingType())
    E.Kind = ElementKind::Float;
  else
    E.Kind = E.Size == 1 ? ElementKind::Byte : ElementKind::Integer;
  return E;
}

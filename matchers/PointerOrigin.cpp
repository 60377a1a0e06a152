#include "matchers/PointerOrigin.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "matchers/Demands.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

/// std::vector and friends with the standard allocator.
static bool isHostContainer(QualType T) {
  const auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
  if (!S || !S->isInStdNamespace() || (S->getName() != "vector" && S->getName() != "array" && S->getName() != "basic_string"))
    return false;
  for (const TemplateArgument &A : S->getTemplateArgs().asArray())
    if (A.getKind() == TemplateArgument::Type)
      if (const auto *Alloc = A.getAsType()->getAsCXXRecordDecl(); Alloc && Alloc->getName().contains("alloc") && !Alloc->isInStdNamespace())
        return false;
  return true;
}

/// The memory of a tensor that is a parameter.
MemorySpace PointerOrigin::tensor(const CXXMemberCallExpr *C) const {
  const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(C->getImplicitObjectArgument()));
  const auto *F = P ? dyn_cast<FunctionDecl>(P->getDeclContext()) : nullptr;
  if (!F || !F->getBody() || !Writes.of(P).empty())
    return MemorySpace::Unknown;
  bool OnDevice = llvm::any_of(demandsOf(F), [&](const Expr *E) {
    const auto *M = dyn_cast<CXXMemberCallExpr>(E);
    return M && calleeName(M) == "is_cuda" && namedVariable(M->getImplicitObjectArgument()) == P;
  });
  return OnDevice ? MemorySpace::Device : MemorySpace::Unknown;
}

MemorySpace PointerOrigin::call(const CallExpr *C, unsigned) const {
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
    if (llvm::StringRef(calleeName(C)).ends_with("data_ptr"))
      return tensor(M);
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
    return calleeName(C) == "data" && isHostContainer(M->getImplicitObjectArgument()->getType()) ? MemorySpace::Host : MemorySpace::Unknown;
  std::string Name = calleeName(C);
  if (Name == "malloc" || Name == "calloc" || Name == "realloc" || Name == "aligned_alloc")
    return MemorySpace::Host;
  return MemorySpace::Unknown;
}

MemorySpace PointerOrigin::expression(const Expr *E, unsigned Depth) const {
  E = E->IgnoreParenCasts();
  if (Depth > 12)
    return MemorySpace::Unknown;
  if (isa<CXXNewExpr>(E))
    return MemorySpace::Host;
  if (const auto *C = dyn_cast<CallExpr>(E); C && !isa<CXXOperatorCallExpr>(C))
    return call(C, Depth);
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return variable(D->getDecl(), Depth + 1);
  if (isa<MemberExpr>(E)) {
    const ValueDecl *F = pointerVariable(E);
    return F ? variable(F, Depth + 1) : MemorySpace::Unknown;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    bool Left = B->getLHS()->getType()->isPointerType();
    return expression(Left ? B->getLHS() : B->getRHS(), Depth + 1);
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf) {
    const Expr *S = U->getSubExpr()->IgnoreParens();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S))
      return expression(A->getBase(), Depth + 1);
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S))
      return O->getOperator() == OO_Subscript && isHostContainer(O->getArg(0)->getType()) ? MemorySpace::Host : MemorySpace::Unknown;
    while (const auto *M = dyn_cast<MemberExpr>(S)) {
      if (M->isArrow())
        return expression(M->getBase(), Depth + 1);
      S = M->getBase()->IgnoreParens();
    }
    const auto *D = dyn_cast<DeclRefExpr>(S);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    bool Host = V && !V->getType()->isReferenceType() && !isDeviceVariable(V) && !isConstantVariable(V) && !V->hasAttr<HIPManagedAttr>();
    return Host ? MemorySpace::Host : MemorySpace::Unknown;
  }
  return MemorySpace::Unknown;
}

MemorySpace PointerOrigin::variable(const ValueDecl *D, unsigned Depth) const {
  const auto *V = dyn_cast<VarDecl>(D);
  // A field may be set anywhere.
  if (!V || (isDeviceVariable(V) || isConstantVariable(V) || isa<ParmVarDecl>(V)))
    return MemorySpace::Unknown;
  if (V->getType()->isArrayType())
    return V->getType()->getAsArrayTypeUnsafe()->getElementType()->isPointerType() && !V->hasLocalStorage() ? MemorySpace::Unknown : MemorySpace::Host;
  if (!D->getType()->isPointerType())
    return MemorySpace::Unknown;
  std::optional<MemorySpace> Joined;
  auto Join = [&](MemorySpace S) { Joined = !Joined || *Joined == S ? S : MemorySpace::Unknown; };
  unsigned Given = 0;
  for (const Allocation &A : Allocs.all())
    if (A.Pointer == D) {
      Join(A.Space);
      ++Given;
    }
  // Its address went somewhere that is no allocation.
  if (Writes.addressTaken(V) && !Given)
    return MemorySpace::Unknown;
  for (const VariableWrite &W : Writes.of(V)) {
    if (W.How > VariableWrite::Assign)
      continue;
    const Expr *Value = W.Value->IgnoreParenCasts();
    if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, IntegerLiteral>(Value))
      continue;
    Join(expression(Value, Depth + 1));
  }
  return Joined.value_or(MemorySpace::Unknown);
}

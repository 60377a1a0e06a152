#include "matchers/Allocations.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/StringSwitch.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

static MemorySpace spaceOf(StringRef Name) {
  return llvm::StringSwitch<MemorySpace>(Name)
      .Cases({"cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync"}, MemorySpace::Device)
      .Case("cudaMallocManaged", MemorySpace::Managed)
      .Cases({"cudaMallocHost", "cudaHostAlloc"}, MemorySpace::Pinned)
      .Default(MemorySpace::Unknown);
}

const ValueDecl *kcheck::pointerVariable(const Expr *E) {
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      return D->getDecl();
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()) ? M->getMemberDecl() : nullptr;
    return nullptr;
  }
  return nullptr;
}

std::optional<Allocation> kcheck::allocation(const CallExpr *Call) {
  MemorySpace Space = spaceOf(calleeName(Call));
  if (Space == MemorySpace::Unknown || Call->getNumArgs() < 2)
    return std::nullopt;
  const Expr *Target = Call->getArg(0)->IgnoreParenCasts();
  Allocation A{Call, nullptr, Call->getArg(1), Space};
  if (const auto *U = dyn_cast<UnaryOperator>(Target); U && U->getOpcode() == UO_AddrOf)
    A.Pointer = pointerVariable(U->getSubExpr());
  return A;
}

bool kcheck::allocatesPitched(const CallExpr *Call) { return calleeName(Call) == "cudaMallocPitch"; }

namespace kcheck {
class AllocationCollector : public DynamicRecursiveASTVisitor {
public:
  explicit AllocationCollector(Allocations &Out) : Out(Out) { ShouldVisitTemplateInstantiations = true; }
  bool VisitCallExpr(CallExpr *C) override {
    if (auto A = allocation(C))
      Out.All.push_back(*A);
    return true;
  }

private:
  Allocations &Out;
};
} // namespace kcheck

Allocations::Allocations(ASTContext &AST) { AllocationCollector(*this).TraverseAST(AST); }

const Allocation *Allocations::of(const ValueDecl *Pointer) const {
  const Allocation *Found = nullptr;
  for (const Allocation &A : All)
    if (Pointer && A.Pointer == Pointer) {
      if (Found)
        return nullptr;
      Found = &A;
    }
  return Found;
}

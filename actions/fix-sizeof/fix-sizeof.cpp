//===- fix-sizeof.cpp - bytes instead of elements ---------------------------------------------===//
//
//   cudaMalloc(&d, n);                        cudaMalloc(&d, n * sizeof(float));
//
// For allocations of a buffer of elements larger than a byte whose size is a product of run-time numbers alone.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "actions/engine/Launches.h"
#include "matchers/Allocations.h"
#include "matchers/ByteCount.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const Allocation &A : Ctx.get<Allocations>().all()) {
    if (!A.Call || !A.Bytes || !A.Pointer || A.Space == MemorySpace::Host || !Ctx.TU.inMainFile(A.Call->getBeginLoc()))
      continue;
    QualType T = A.Pointer->getType();
    QualType Element = T->isPointerType() ? T->getPointeeType() : QualType();
    if (Element.isNull() || Element->isVoidType() || Element->isIncompleteType() || Element->isDependentType() || Ctx.AST.getTypeSizeInChars(Element).getQuantity() <= 1)
      continue;
    ByteCount B = byteCount(A.Bytes, Ctx.get<VariableWrites>(), Ctx.AST);
    Site S;
    S.Where = Ctx.TU.where(A.Call->getBeginLoc());
    S.What = "allocation of " + A.Pointer->getNameAsString();
    PrintingPolicy P(Ctx.LO);
    P.SuppressTagKeyword = true;
    std::string Type = Element.getUnqualifiedType().getAsString(P);
    if (!B.Sizes.empty() || B.Literal % uint64_t(Ctx.AST.getTypeSizeInChars(Element).getQuantity()) == 0)
      S.WhyNot = "its size counts bytes already";
    else if (B.Literal != 1 || B.Symbols.empty())
      S.WhyNot = "its size is no plain number of elements";
    else if (!Ctx.editable(A.Bytes->getSourceRange()))
      S.WhyNot = "its size comes from a macro";
    else
      S.Sets.push_back({{}, llvm::json::Object{{"bytes_per_element", Ctx.AST.getTypeSizeInChars(Element).getQuantity()}}});
    const ActionContext *Context = &Ctx;
    const Expr *Bytes = A.Bytes;
    S.Apply = [Context, Bytes, Type](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      std::string Old = Context->text(Bytes->getSourceRange());
      bool Product = isa<BinaryOperator>(Bytes->IgnoreImpCasts()) && cast<BinaryOperator>(Bytes->IgnoreImpCasts())->getOpcode() == BO_Mul;
      return std::vector<Edit>{Context->replace(Bytes->getSourceRange(), (Product ? Old : asOperand(Old)) + " * sizeof(" + Type + ")")};
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(FixSizeof, "fix-sizeof", "allocate bytes where elements were counted", {}, find);

} // namespace

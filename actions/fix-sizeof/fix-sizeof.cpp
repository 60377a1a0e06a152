//===- fix-sizeof.cpp - bytes instead of elements ---------------------------------------------===//
//
//   cudaMalloc(&d, n);                        cudaMalloc(&d, n * sizeof(float));
//
// For allocations of a buffer of elements larger than a byte whose size is a product of run-time numbers alone, none of
// which looks like a number of bytes: by its name, by a shift or division in its value, or because as many are copied. Where
// a copy or a fill of the buffer says the same number times the size of an element, there is no doubt.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "actions/engine/Launches.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Allocations.h"
#include "matchers/ByteCount.h"

using namespace clang;
using namespace kcheck;

namespace {

/// The byte counts of copies and fills.
class Transfers : public DynamicRecursiveASTVisitor {
public:
  std::vector<std::pair<const Expr *, const Expr *>> Found; ///< a pointer, its bytes
  bool VisitCallExpr(CallExpr *C) override {
    std::string Name = calleeName(C);
    llvm::StringRef N = Name;
    if ((N.starts_with("cudaMemcpy") || N.starts_with("cudaMemset")) && C->getNumArgs() >= 3) {
      Found.push_back({C->getArg(0), C->getArg(2)});
      if (N.starts_with("cudaMemcpy"))
        Found.push_back({C->getArg(1), C->getArg(2)});
    }
    return true;
  }
};

/// Does E, through the variables that it rests on, shift or divide, count bytes of a type, or name what is called a number of bytes?
bool looksLikeBytes(ActionContext &Ctx, const Expr *E, unsigned Depth = 0) {
  bool Yes = false;
  forEachStmt(E, [&](const Stmt *S) {
    if (const auto *B = dyn_cast<BinaryOperator>(S))
      Yes |= B->getOpcode() == BO_Div || B->getOpcode() == BO_Shl || B->getOpcode() == BO_Shr;
    Yes |= isa<UnaryExprOrTypeTraitExpr>(S);
    const auto *D = dyn_cast<DeclRefExpr>(S);
    if (!D)
      return;
    std::string Name = llvm::StringRef(D->getDecl()->getNameAsString()).lower();
    for (const char *Word : {"byte", "size", "mem", "sz"})
      Yes |= Name.find(Word) != std::string::npos;
    // also of a variable that is set more than once, for a buffer after the other
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && Depth < 4)
      for (const VariableWrite &W : Ctx.get<VariableWrites>().of(V))
        Yes |= W.Value && looksLikeBytes(Ctx, W.Value, Depth + 1);
  });
  return Yes;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  Transfers T;
  T.TraverseAST(Ctx.AST);
  auto CopiedWhole = [&](const Allocation &A) {
    std::string Words = Ctx.text(A.Bytes->getSourceRange());
    return llvm::any_of(T.Found, [&](auto &X) { return pointerVariable(X.first) == A.Pointer && Ctx.text(X.second->getSourceRange()) == Words; });
  };
  auto CopiedAsElements = [&](const Allocation &A, const ByteCount &Count, int64_t Size) {
    return llvm::any_of(T.Found, [&](auto &X) {
      if (pointerVariable(X.first) != A.Pointer)
        return false;
      ByteCount C = byteCount(X.second, Ctx.get<VariableWrites>(), Ctx.AST);
      return C.Sizes.size() == 1 && !C.Sizes[0]->isDependentType() && Ctx.AST.getTypeSizeInChars(C.Sizes[0]).getQuantity() == Size && C.Literal == Count.Literal && C.sameSymbols(Count);
    });
  };
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
    const int64_t Size = Ctx.AST.getTypeSizeInChars(Element).getQuantity();
    bool Sure = CopiedAsElements(A, B, Size);
    if (!B.Sizes.empty() || (!Sure && B.Literal % uint64_t(Size) == 0))
      S.WhyNot = "its size counts bytes already";
    else if (!Sure && (B.Literal != 1 || B.Symbols.empty()))
      S.WhyNot = "its size is no plain number of elements";
    else if (!Sure && looksLikeBytes(Ctx, A.Bytes))
      S.WhyNot = "its size may count bytes";
    else if (!Sure && CopiedWhole(A))
      S.WhyNot = "as many bytes are copied or set";
    else if (!bytesAsWritten(Ctx, A.Bytes))
      S.WhyNot = "its size comes from a macro";
    else
      S.Sets.push_back({{}, llvm::json::Object{{"bytes_per_element", Size}}});
    const ActionContext *Context = &Ctx;
    const Expr *Bytes = A.Bytes;
    S.Apply = [Context, Bytes, Type](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      auto At = *bytesAsWritten(*Context, Bytes);
      std::string Old = Context->text(At, {});
      bool Product = isa<BinaryOperator>(Bytes->IgnoreImpCasts()) && cast<BinaryOperator>(Bytes->IgnoreImpCasts())->getOpcode() == BO_Mul;
      return std::vector<Edit>{Context->replace(At, (Product ? Old : asOperand(Old)) + " * sizeof(" + Type + ")")};
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(FixSizeof, "fix-sizeof", "allocate bytes where elements were counted", {}, find);

} // namespace

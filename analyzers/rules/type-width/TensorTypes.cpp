//===- TensorTypes.cpp - tensors whose element type the launcher knows ----------===//
//
//   TORCH_CHECK(x.scalar_type() == torch::kFloat64);
//   swish<<<…>>>((const float *)x.data_ptr(), …);                    // pointer_width_mismatch
//
//   auto best = torch::empty({rows}, x.options().dtype(torch::kLong));
//   argmax<<<…>>>(x.data_ptr<float>(), best.data_ptr<int>(), cols);  // pointer_width_mismatch: data_ptr<int>() throws
//
// Words over halves or bytes move packets, and integers over floats look at bits: those are meant. Numbers of one kind and
// another width are not.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "llvm/ADT/StringSwitch.h"
#include "matchers/Demands.h"
#include "matchers/ElementType.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// The enumerator of c10::ScalarType that E is (`torch::kFloat64` is Double); empty when it is none.
llvm::StringRef scalarType(const Expr *E, const ASTContext &AST) {
  const auto *T = E->getType()->getAs<EnumType>();
  if (!T || T->getDecl()->getName() != "ScalarType" || E->isValueDependent())
    return "";
  Expr::EvalResult V;
  if (E->EvaluateAsInt(V, AST))
    for (const EnumConstantDecl *C : T->getDecl()->enumerators())
      if (llvm::APSInt::isSameValue(C->getInitVal(), V.Val.getInt()))
        return C->getName();
  return "";
}

/// The elements of that type, without a type of the language; Other for those that are not told apart here.
ElementType elementsOf(llvm::StringRef ScalarType) {
  auto Make = [](ElementKind K, unsigned Size) {
    ElementType T;
    T.Kind = K;
    T.Size = Size;
    return T;
  };
  return llvm::StringSwitch<ElementType>(ScalarType)
      .Case("Half", Make(ElementKind::Half, 2))
      .Case("BFloat16", Make(ElementKind::Bfloat, 2))
      .Case("Float", Make(ElementKind::Float, 4))
      .Case("Double", Make(ElementKind::Float, 8))
      .Cases("Short", "UInt16", Make(ElementKind::Integer, 2))
      .Cases("Int", "UInt32", Make(ElementKind::Integer, 4))
      .Cases("Long", "UInt64", Make(ElementKind::Integer, 8))
      .Default({});
}

class TensorTypes : public FunctionWalker {
public:
  explicit TensorTypes(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()) {}

  bool VisitExplicitCastExpr(ExplicitCastExpr *C) override {
    if (C->getType()->isPointerType() && !C->getType()->isVoidPointerType())
      look(C->getSubExpr(), C->getType()->getPointeeType(), C->getExprLoc());
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *M) override {
    if (M->getType()->isPointerType() && !M->getType()->isVoidPointerType())
      look(M, M->getType()->getPointeeType(), M->getExprLoc());
    return true;
  }

private:
  void look(const Expr *Pointer, QualType To, SourceLocation At) {
    const auto *M = dyn_cast<CXXMemberCallExpr>(Pointer->IgnoreParenCasts());
    if (!M || !Function || To->isDependentType() || To->isIncompleteType() || !llvm::StringRef(calleeName(M)).ends_with("data_ptr"))
      return;
    bool Typed = !M->getType()->isVoidPointerType();
    if (Typed && !AST.hasSameUnqualifiedType(M->getType()->getPointeeType(), To))
      return; // a cast of data_ptr<T>(), of which the call itself is looked at
    const VarDecl *Tensor = namedVariable(M->getImplicitObjectArgument());
    llvm::StringRef Type = Tensor ? typeOf(Tensor) : "";
    ElementType Has = elementsOf(Type), Taken = elementType(To, AST);
    if (Has.Kind == ElementKind::Other || Taken.Kind == ElementKind::Other || Taken.Lanes != 1 || (Has.Kind == Taken.Kind && Has.Size == Taken.Size))
      return;
    bool Floats = Has.floating() && Taken.floating(), Integers = Has.Kind == ElementKind::Integer && Taken.Kind == ElementKind::Integer;
    if (!Typed && !Floats && !Integers)
      return;
    llvm::StringRef Tag = Floats && (Has.sixteenBit() || Taken.sixteenBit()) ? "half_float_mismatch" : "pointer_width_mismatch";
    if (!R.first(Tag, At))
      return;
    std::string Message = "'" + Tensor->getName().str() + "' holds " + Type.str() + " (" + std::to_string(Has.Size) + " bytes), and is taken for '" +
                          To.getUnqualifiedType().getAsString() + "' (" + std::to_string(Taken.Size) + ")" + (Typed ? ": data_ptr throws" : "");
    auto F = R.Ctx.report(Tag, At, Message);
    if (!Typed && Has.sixteenBit() && Taken.Kind == ElementKind::Float)
      F.doubt(); // pairs may be moved as words
  }

  /// The element type that the function demands of a tensor, or makes it with; empty when it does not say.
  llvm::StringRef typeOf(const VarDecl *Tensor) {
    if (Tensor->hasLocalStorage() && !isa<ParmVarDecl>(Tensor) && Tensor->getInit() && Writes.of(Tensor).size() == 1)
      if (llvm::StringRef Made = madeAs(Tensor->getInit()); !Made.empty())
        return Made;
    if (Writes.of(Tensor).size() > (isa<ParmVarDecl>(Tensor) ? 0u : 1u))
      return "";
    for (const Expr *E : demandsOf(Function)) {
      const Expr *Sides[2] = {};
      if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_EQ)
        Sides[0] = B->getLHS(), Sides[1] = B->getRHS();
      else if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E); O && O->getOperator() == OO_EqualEqual && O->getNumArgs() == 2)
        Sides[0] = O->getArg(0), Sides[1] = O->getArg(1);
      else
        continue;
      for (int I : {0, 1}) {
        const auto *Asked = dyn_cast<CXXMemberCallExpr>(Sides[I]->IgnoreParenImpCasts());
        if (!Asked || namedVariable(Asked->getImplicitObjectArgument()) != Tensor)
          continue;
        std::string Name = calleeName(Asked);
        if (Name == "scalar_type" || Name == "dtype")
          if (llvm::StringRef T = scalarType(Sides[1 - I]->IgnoreParenImpCasts(), AST); !T.empty())
            return T;
      }
    }
    return "";
  }

  /// The one element type that stands in a call that makes a tensor.
  llvm::StringRef madeAs(const Expr *Init) const {
    struct Names : ConstDynamicRecursiveASTVisitor {
      explicit Names(const ASTContext &AST) : AST(AST) {}
      const ASTContext &AST;
      std::set<llvm::StringRef> Types;
      bool Makes = false, Other = false;
      bool VisitDeclRefExpr(const DeclRefExpr *D) override {
        if (llvm::StringRef T = scalarType(D, AST); !T.empty())
          Types.insert(T);
        return true;
      }
      bool VisitCallExpr(const CallExpr *C) override {
        static constexpr llvm::StringLiteral Makers[] = {"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "to"};
        static constexpr llvm::StringLiteral Parts[] = {"options", "dtype", "device", "TensorOptions", "size", "sizes", "numel", "contiguous", "layout", "requires_grad"};
        std::string Name = calleeName(C);
        Makes |= llvm::is_contained(Makers, llvm::StringRef(Name));
        Other |= !llvm::is_contained(Makers, llvm::StringRef(Name)) && !llvm::is_contained(Parts, llvm::StringRef(Name));
        return true;
      }
    } V(AST);
    V.TraverseStmt(Init);
    return V.Makes && !V.Other && V.Types.size() == 1 ? *V.Types.begin() : llvm::StringRef();
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
};

} // namespace

void kcheck::checkTensorTypes(WidthReporter &R) {
  // Without c10::ScalarType there is no tensor.
  for (const char *Namespace : {"c10", "at", "torch"})
    if (auto Found = R.Ctx.TU.AST.getTranslationUnitDecl()->lookup(&R.Ctx.TU.AST.Idents.get(Namespace)); !Found.empty()) {
      TensorTypes(R).TraverseAST(R.Ctx.TU.AST);
      return;
    }
}

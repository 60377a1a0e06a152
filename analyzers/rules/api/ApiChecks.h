//===- ApiChecks.h - the parts of rule kcheck-api -----------------------------===//
#ifndef KCHECK_RULES_API_APICHECKS_H
#define KCHECK_RULES_API_APICHECKS_H

#include "analyzers/engine/Rule.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"
#include <set>

namespace kcheck {

/// Reports a tag once a line, and knows the exempt wrappers.
class ApiReporter {
public:
  explicit ApiReporter(RuleContext &Ctx) : Ctx(Ctx) {
    for (std::string &Name : Ctx.policy().listOption("kcheck-api", "exempt"))
      Exempt.insert(std::move(Name));
  }
  bool first(llvm::StringRef Tag, clang::SourceLocation Loc) {
    return Ctx.TU.inMainFile(Loc) && Seen.insert({Tag.str(), Ctx.TU.where(Loc).Line}).second;
  }
  bool exempt(const clang::FunctionDecl *F) const { return F && F->getIdentifier() && Exempt.count(F->getName().str()); }
  RuleContext &Ctx;

private:
  std::set<std::pair<std::string, unsigned>> Seen;
  std::set<std::string> Exempt;
};

/// Walks every function of the file, instances of templates included.
class ApiWalker : public clang::DynamicRecursiveASTVisitor {
  using Base = clang::DynamicRecursiveASTVisitor;

public:
  explicit ApiWalker(ApiReporter &R) : R(R) { ShouldVisitTemplateInstantiations = true; }
  bool TraverseFunctionDecl(clang::FunctionDecl *F) override {
    return in(F, [&] { return Base::TraverseFunctionDecl(F); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *F) override {
    return in(F, [&] { return Base::TraverseCXXMethodDecl(F); });
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *F) override {
    return in(F, [&] { return Base::TraverseCXXConstructorDecl(F); });
  }

  // A __device__ lambda inside host code is device code.
  bool TraverseLambdaExpr(clang::LambdaExpr *L) override {
    clang::CXXMethodDecl *F = L->getCallOperator();
    return isDeviceFunction(F) ? in(F, [&] { return Base::TraverseLambdaExpr(L); }) : Base::TraverseLambdaExpr(L);
  }

protected:
  ApiReporter &R;
  const clang::FunctionDecl *Function = nullptr;
  const clang::FunctionDecl *kernel() const { return isKernel(Function) ? Function : nullptr; }
  bool hostCode() const { return Function && !isDeviceFunction(Function) && !R.exempt(Function); }

private:
  template <class Fn> bool in(clang::FunctionDecl *F, Fn Go) {
    const clang::FunctionDecl *Before = std::exchange(Function, F);
    bool Result = Go();
    Function = Before;
    return Result;
  }
};

/// The pointer of `p[i]` and `*p`; null for other expressions.
inline const clang::Expr *dereferencedPointer(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (const auto *S = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
    return S->getBase();
  const auto *U = llvm::dyn_cast<clang::UnaryOperator>(E);
  return U && U->getOpcode() == clang::UO_Deref ? U->getSubExpr() : nullptr;
}

/// printf, malloc and new left in device code
void checkDeviceCalls(ApiReporter &R);
/// names that no toolkit has, that newer ones dropped, and warp intrinsics without a mask
void checkApiNames(ApiReporter &R);
/// cudaMemcpyHostToDevice from a device pointer, and its kin
void checkDirections(ApiReporter &R);
/// element counts where bytes belong
void checkSizes(ApiReporter &R);
/// allocations that are too small for what the launches touch
void checkOverruns(ApiReporter &R);
/// fills and copies that stop short of what the launch after them needs, by the size of an element
void checkFills(ApiReporter &R);
/// fresh memory that a kernel reads or updates before anything is stored in it
void checkUnset(ApiReporter &R);
/// memory used after it was freed, or freed on a stream that does not wait for its last use
void checkLifetimes(ApiReporter &R);
/// launches whose errors nobody asks for
void checkErrorChecks(ApiReporter &R);

} // namespace kcheck
#endif

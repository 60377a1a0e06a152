//===- WidthChecks.h - the parts of rule kcheck-type-width --------------------===//
#ifndef KCHECK_RULES_TYPE_WIDTH_WIDTHCHECKS_H
#define KCHECK_RULES_TYPE_WIDTH_WIDTHCHECKS_H

#include "analyzers/engine/Rule.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Constants.h"
#include "matchers/VariableWrites.h"
#include <set>

namespace kcheck {

/// Reports a tag once a line: a template's instances all say the same.
class WidthReporter {
public:
  explicit WidthReporter(RuleContext &Ctx) : Ctx(Ctx) {}
  bool first(llvm::StringRef Tag, clang::SourceLocation Loc) {
    return Ctx.TU.inMainFile(Loc) && Seen.insert({Tag.str(), Ctx.TU.where(Loc).Line}).second;
  }
  RuleContext &Ctx;

private:
  std::set<std::pair<std::string, unsigned>> Seen;
};

/// Walks every function of the file, instances of templates included; Function is the one it is in.
class FunctionWalker : public clang::DynamicRecursiveASTVisitor {
  using Base = clang::DynamicRecursiveASTVisitor;

public:
  FunctionWalker() { ShouldVisitTemplateInstantiations = true; }
  bool TraverseFunctionDecl(clang::FunctionDecl *F) override {
    return in(F, [&] { return Base::TraverseFunctionDecl(F); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *F) override {
    return in(F, [&] { return Base::TraverseCXXMethodDecl(F); });
  }
  /// `if (std::is_same<scalar_t, __half>::value)`: what an instance never runs, and what nobody can tell, shows nothing.
  bool TraverseIfStmt(clang::IfStmt *I) override;

protected:
  const clang::FunctionDecl *Function = nullptr;
  const clang::FunctionDecl *kernel() const {
    return Function && Function->hasAttr<clang::CUDAGlobalAttr>() ? Function : nullptr;
  }

private:
  template <class Fn> bool in(clang::FunctionDecl *F, Fn Go) {
    const clang::FunctionDecl *Before = std::exchange(Function, F);
    bool R = Go();
    Function = Before;
    return R;
  }
};

/// `for (unsigned t = n - 1; t >= 0; --t)`
void checkCountdown(WidthReporter &R);
/// `i - radius >= 0` on unsigned values, and a negative int compared with an unsigned
void checkSignCompare(WidthReporter &R);
/// `reinterpret_cast<const double *>(floats)`, halves read as floats, `(float4 *)(x + 1)`
void checkPointerViews(WidthReporter &R);
/// half2 over rows of any length
void checkMisalignedRows(WidthReporter &R);
void checkTensorViews(WidthReporter &R);
/// `TORCH_CHECK(x.scalar_type() == torch::kFloat64)`, and `(const float *)x.data_ptr()`
void checkTensorTypes(WidthReporter &R);
/// `atomicAdd((unsigned *)(bytes + k), 1)`
void checkAtomicWidth(WidthReporter &R);
/// `int8[i] = accumulator`
void checkNarrowing(WidthReporter &R);
/// `size_t n = b * h * s * d` in int
void checkSizeOverflow(WidthReporter &R);
/// `word64 |= 1 << j`
void checkShiftWidth(WidthReporter &R);
/// `cudaMemset(doubles, 0, n * sizeof(float))`
void checkSizeofType(WidthReporter &R);

} // namespace kcheck
#endif

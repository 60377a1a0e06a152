//===- LinearIds.cpp - numbers within a block that several threads have ----------===//
//
//   int tid = threadIdx.y * blockDim.y + threadIdx.x;   // in blocks of 32 x 8: thread (8, 0) and thread (0, 1) are both 8
//
// What goes by such a number is done twice, or not at all, whatever the data is.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// `threadIdx.Row * blockDim.Row + threadIdx.Column`
struct MixedNumber {
  const Expr *E = nullptr;
  unsigned Row = 0, Column = 0;
};

std::optional<MixedNumber> mixedNumber(const Expr *E) {
  const auto *Sum = dyn_cast<BinaryOperator>(E);
  if (!Sum || Sum->getOpcode() != BO_Add)
    return std::nullopt;
  for (auto [Product, Rest] : {std::pair{Sum->getLHS(), Sum->getRHS()}, std::pair{Sum->getRHS(), Sum->getLHS()}}) {
    auto Column = builtinUse(Rest->IgnoreParenImpCasts());
    const auto *M = dyn_cast<BinaryOperator>(Product->IgnoreParenImpCasts());
    if (!Column || Column->Which != IndexVar::ThreadIdx || !M || M->getOpcode() != BO_Mul)
      continue;
    auto Row = builtinUse(M->getLHS()->IgnoreParenImpCasts()), Width = builtinUse(M->getRHS()->IgnoreParenImpCasts());
    if (Row && Row->Which == IndexVar::BlockDim)
      std::swap(Row, Width);
    if (Row && Width && Row->Which == IndexVar::ThreadIdx && Width->Which == IndexVar::BlockDim && Row->Axis == Width->Axis && Row->Axis != Column->Axis)
      return MixedNumber{E, Row->Axis, Column->Axis};
  }
  return std::nullopt;
}

} // namespace

void kcheck::checkLinearIds(IndexReporter &R) {
  for (const LaunchSample *L : R.Model.runs()) {
    if (!L->Step || !L->Step->Sure || !isPlanned(*L) || R.said(L->Step->Call, "linear id"))
      continue;
    R.once(L->Step->Call, "linear id"); // one look a launch: its blocks differ in nothing that counts here
    std::optional<MixedNumber> Found;
    findExpr(L->Run->Kernel->getBody(), [&](const Expr *E) {
      if (auto M = mixedNumber(E); M && L->Run->Block[M->Row] > 1 && L->Run->Block[M->Column] > L->Run->Block[M->Row])
        Found = M;
      return Found.has_value();
    });
    if (!Found || !R.once(L->Run->Kernel->getCanonicalDecl(), "linear id"))
      continue;
    int64_t Width = L->Run->Block[Found->Row];
    R.Ctx.report("wrong_index_formula", Found->E->getBeginLoc(),
                 llvm::formatv("threadIdx.{0} is scaled by blockDim.{0} ({1}), but threadIdx.{2} runs to {3}: thread {2} = {1} and the first of the next {0} have the same number",
                               "xyz"[Found->Row], Width, "xyz"[Found->Column], L->Run->Block[Found->Column]).str())
        .kernel(L->Run->Kernel)
        .note(L->Step->Call->getBeginLoc(), "launched here");
  }
}

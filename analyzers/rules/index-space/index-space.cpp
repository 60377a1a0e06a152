//===- index-space - rule 2: the launch against the data -----------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   y[i] = x[i];                          // missing_bounds_guard
//   k<<<(n + 255) / 256, 256>>>(x, y);    // rounded up: at n = 257 thread 511 writes y[511]
//
// The launcher is interpreted at sample sizes (LaunchModel), and what its launches touch (Footprints) is
// compared with what they touch at the sizes that fit.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "analyzers/rules/index-space/RowEnds.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// Does a comment promise that sizes are multiples?
static bool promisesMultiples(const SourceManager &Sources) {
  bool Invalid = false;
  StringRef Text = Sources.getBufferData(Sources.getMainFileID(), &Invalid);
  if (Invalid)
    return false;
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (StringRef L : Lines) {
    size_t At = L.find("//");
    if (At == StringRef::npos && !L.ltrim().starts_with("*") && L.find("/*") == StringRef::npos)
      continue;
    std::string Lower = L.substr(At == StringRef::npos ? 0 : At).lower();
    // "no multiple of a block" says the reverse, "multiple blocks" nothing, and steps of 2^-16 are no sizes.
    auto Says = [&](StringRef Words) { return StringRef(Lower).contains(Words); };
    if (Says("no multiple") || Says("not a multiple") || Says("not divisible") || Says("multiple of 2^-"))
      continue;
    for (const char *Words : {"multiple of", "multiples of", "a multiple", "divisible", "padded", "divides"})
      if (Says(Words))
        return true;
  }
  return false;
}

IndexReporter::IndexReporter(RuleContext &Ctx)
    : Ctx(Ctx), Model(Ctx.get<LaunchModel>()), Races(Ctx.get<RaceModel>()), Padded(promisesMultiples(Ctx.TU.sources())) {}

const Expr *kcheck::findExpr(const Stmt *S, llvm::function_ref<bool(const Expr *)> Is, bool Through) {
  struct Finder : ConstDynamicRecursiveASTVisitor {
    Finder(llvm::function_ref<bool(const Expr *)> Is, bool Through) : Is(Is), Through(Through) {}
    llvm::function_ref<bool(const Expr *)> Is;
    bool Through;
    const Expr *Found = nullptr;
    llvm::DenseSet<const VarDecl *> Seen;
    bool VisitExpr(const Expr *E) override {
      if (Is(E))
        Found = E;
      return !Found;
    }
    bool VisitDeclRefExpr(const DeclRefExpr *D) override {
      const auto *V = Through ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      return !V || !V->isLocalVarDecl() || !V->getInit() || !Seen.insert(V).second || TraverseStmt(V->getInit());
    }
  } V(Is, Through);
  if (S)
    V.TraverseStmt(S);
  return V.Found;
}

const Expr *kcheck::mixedAxes(const FunctionDecl *K, const eval::Step &L) {
  return findExpr(K->getBody(), [&](const Expr *E) {
    const auto *Sum = dyn_cast<BinaryOperator>(E);
    if (!Sum || Sum->getOpcode() != BO_Add)
      return false;
    for (auto [Product, Rest] : {std::pair{Sum->getLHS(), Sum->getRHS()}, std::pair{Sum->getRHS(), Sum->getLHS()}}) {
      auto T = builtinUse(Rest->IgnoreParenImpCasts());
      const auto *M = dyn_cast<BinaryOperator>(Product->IgnoreParenImpCasts());
      if (!T || T->Which != IndexVar::ThreadIdx || !M || M->getOpcode() != BO_Mul)
        continue;
      auto X = builtinUse(M->getLHS()->IgnoreParenImpCasts()), Y = builtinUse(M->getRHS()->IgnoreParenImpCasts());
      if (X && Y && X->Which == IndexVar::BlockDim)
        std::swap(X, Y);
      if (X && Y && X->Which == IndexVar::BlockIdx && Y->Which == IndexVar::BlockDim && Y->Axis != T->Axis && L.Block[Y->Axis] != L.Block[T->Axis])
        return true;
    }
    return false;
  });
}

bool kcheck::isDataSize(const eval::Step &S, uint64_t Sizes) {
  return llvm::any_of(S.Args, [&](const Value &A) {
    return (A.T.Params & Sizes) || (A.Agg && llvm::any_of(*A.Agg, [&](auto &Cell) { return Cell.second.T.Params & Sizes; }));
  });
}

bool kcheck::breaksDivision(const LaunchSample &L) {
  uint64_t Blocks = 0;
  for (const Taint &T : L.Step->BlockTaint)
    Blocks |= T.Params;
  return llvm::any_of(L.Host->Divided, [&](auto &D) {
    int64_t By = L.Host->Sizes[D.second].Value;
    bool Row = !(Blocks >> D.second & 1) || isDataSize(*L.Step, 1ull << D.second);
    return Row && By > 1 && L.Host->Sizes[D.first].Value % By != 0;
  });
}

bool kcheck::dividesByCallersBlock(const LaunchSample &L) {
  return llvm::any_of(L.Host->Divided, [&](auto &D) { return L.Step->BlockTaint[0].Params >> D.second & 1; });
}

namespace {

const TagInfo Tags[] = {
    {"wrong_index_formula", "threads collide or skip elements: the index formula does not number them"},
    {"missing_bounds_guard", "a rounded-up launch reaches past the end of a buffer"},
    {"guard_off_by_one", "a bounds guard that lets one element too many through"},
    {"tail_not_covered", "the last elements are never touched when the size is no multiple"},
    {"launch_args_swapped", "grid and block are exchanged"},
    {"dimension_mismatch", "the kernel and the launch use different axes"},
    {"block_too_large", "more threads a block than the hardware allows"},
    {"grid_too_large", "more blocks along an axis than the hardware allows"},
    {"empty_launch", "a launch with no block or no thread"},
    {"coverage_mismatch", "far more or far fewer threads than elements"},
    {"wrong_stride", "a loop's step or a pitch that makes threads repeat each other's elements"},
    {"index_overflow_32", "an index that leaves the range of 32 bits"},
};

class IndexSpaceRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    IndexReporter R(Ctx);
    checkLimits(R);
    checkCollisions(R);
    checkStrides(R);
    checkAxes(R);
    checkOverflow(R);
    checkIdleBlocks(R);
    checkLostParts(R);
    checkLinearIds(R);
    checkSizeAsBlock(R);
    checkShortGrids(R);
    checkReach(R);
    checkHalos(R);
    checkMissingBlocks(R);
    checkLeftBehind(R);
    checkPitches(R);
    checkUnusedSizes(R);
    checkUnlaunched(R);
    checkRowForms(R);
    checkRowEnds(R);
    checkRaggedRows(R);
  }
};

KCHECK_RULE(IndexSpaceRule, "kcheck-index-space", "2", "the launch against the data", Tags);

} // namespace

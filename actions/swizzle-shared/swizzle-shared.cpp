//===- swizzle-shared.cpp - columns that change places from row to row ------------------===//
//
//   tile[r][c]          tile[r][c ^ (r & 31)]
//
// An exclusive or with the row spreads a column over the banks without a byte more. For arrays whose rows are a
// multiple of 8, 16 or 32 elements long, touched by full subscripts of single elements only.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/Launches.h"
#include "actions/engine/SharedArrays.h"

using namespace clang;
using namespace kcheck;

namespace {

/// A place that is swizzled already.
bool swizzled(const Expr *Column) {
  bool Found = false;
  forEachStmt(Column, [&](const Stmt *S) {
    if (const auto *B = dyn_cast<BinaryOperator>(S))
      Found |= B->getOpcode() == BO_Xor;
  });
  return Found;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels())
    for (SharedArray &A : sharedArrays(Ctx, K)) {
      Site S = Ctx.siteAt(K, A.V->getLocation(), "shared array " + A.V->getNameAsString());
      S.WhyNot = A.WhyNot;
      // The columns of so many change places among themselves.
      unsigned Group = 32;
      while (S.WhyNot.empty() && A.Extents.back() % Group)
        Group /= 2;
      if (S.WhyNot.empty() && Group < 8)
        S.WhyNot = "its rows are no multiple of 8 elements long";
      if (S.WhyNot.empty() && A.Multiple > 1)
        S.WhyNot = "vectors are read from it";
      std::vector<std::pair<const Expr *, const Expr *>> Places;
      for (const ArraySubscriptExpr *P : A.Places) {
        const auto *Row = dyn_cast<ArraySubscriptExpr>(P->getBase()->IgnoreParenImpCasts());
        if (!Row || !S.WhyNot.empty())
          continue;
        if (!Ctx.isPure(Row->getIdx(), true) || swizzled(P->getIdx()))
          S.WhyNot = swizzled(P->getIdx()) ? "it is swizzled already" : "a row index has side effects";
        Places.push_back({Row->getIdx(), P->getIdx()});
      }
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, llvm::json::Object{{"shared_bytes", int64_t(sharedBytes(Ctx, K))}}});
      const ActionContext *Context = &Ctx;
      S.Apply = [Context, Places, Group](const Settings &) -> llvm::Expected<std::vector<Edit>> {
        std::vector<Edit> Edits;
        for (auto &[Row, Column] : Places)
          Edits.push_back(Context->replace(Column->getSourceRange(), asOperand(Context->text(Column->getSourceRange())) + " ^ (" + asOperand(Context->text(Row->getSourceRange())) + " & " + std::to_string(Group - 1) + ")"));
        return Edits;
      };
      Out.push_back(std::move(S));
    }
}

KCHECK_ACTION(SwizzleShared, "swizzle-shared", "permute the columns of a shared array from row to row, against bank conflicts", {}, find);

} // namespace

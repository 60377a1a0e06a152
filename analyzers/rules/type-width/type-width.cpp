//===- type-width.cpp - rule 8: widths, signs and alignment -------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"

using namespace clang;
using namespace kcheck;

bool FunctionWalker::TraverseIfStmt(IfStmt *I) {
  const Expr *Cond = I->getCond();
  if (!Function || !Function->isTemplateInstantiation() || !Cond)
    return Base::TraverseIfStmt(I);
  if (Cond->containsErrors())
    return true;
  std::optional<int64_t> Value = constantValue(Cond, Function->getASTContext());
  return Value ? TraverseStmt(*Value ? I->getThen() : I->getElse()) : Base::TraverseIfStmt(I);
}

namespace {

const TagInfo Tags[] = {
    {"pointer_width_mismatch", "elements are read through a pointer to elements of another width"},
    {"misaligned_vector_cast", "a wide access at an address that is not a multiple of its size"},
    {"sign_compare_bug", "a comparison that an unsigned conversion decides"},
    {"unsigned_countdown", "an unsigned counter is tested for >= 0"},
    {"size_overflow", "a size is multiplied in 32 bits and widened afterwards"},
    {"sizeof_wrong_type", "sizeof of another type than the buffer's elements"},
    {"narrowing_store", "a store drops high bits of a value that may need them"},
    {"half_float_mismatch", "16-bit floats are read as another format, or the reverse"},
    {"atomic_width", "an atomic on a word of another width than the object"},
};

class TypeWidthRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    WidthReporter R(Ctx);
    checkCountdown(R);
    checkSignCompare(R);
    checkPointerViews(R);
    checkMisalignedRows(R);
    checkTensorViews(R);
    checkTensorTypes(R);
    checkAtomicWidth(R);
    checkNarrowing(R);
    checkSizeOverflow(R);
    checkShiftWidth(R);
    checkSizeofType(R);
  }
};

KCHECK_RULE(TypeWidthRule, "kcheck-type-width", "8", "widths, signs and alignment", Tags);

} // namespace

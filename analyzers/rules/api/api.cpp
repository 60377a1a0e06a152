#include "analyzers/engine/Rule.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

const TagInfo Tags[] = {
    {"device_printf", "printf left in device code"},
};

class ApiRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    using namespace kcheck::match;
    Ctx.match(functionDecl(deviceFunction(), forEachDescendant(callExpr(callOf(CallKind::Printf)).bind("call"))).bind("fn"),
              [&](const BoundNodes &N) {
                Ctx.report("device_printf", N.getNodeAs<CallExpr>("call")->getBeginLoc(), "printf in device code serialises the kernel")
                    .kernel(N.getNodeAs<FunctionDecl>("fn"));
              });
  }
};

KCHECK_RULE(ApiRule, "kcheck-api", "3", "CUDA API use", Tags);

} // namespace

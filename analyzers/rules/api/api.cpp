//===- api.cpp - rule 3: the CUDA API used as documented ----------------------===//
#include "analyzers/rules/api/ApiChecks.h"

using namespace clang;
using namespace kcheck;

namespace {

const TagInfo Tags[] = {
    {"device_printf", "printf left in device code"},
    {"device_malloc", "heap allocation in device code"},
    {"memcpy_direction", "the copy's kind contradicts where its pointers point"},
    {"memcpy_size", "a copy or fill counts elements where bytes belong, or exceeds the memory"},
    {"alloc_size", "an allocation counts elements where bytes belong, or is too small for its use"},
    {"uninitialised_memory", "device memory is read or updated before anything is stored in it"},
    {"unknown_api", "a CUDA name that no toolkit version has"},
    {"removed_api", "a CUDA name that the toolkit in use no longer has"},
    {"deprecated_intrinsic", "a warp intrinsic without _sync"},
    {"missing_error_check", "a launch whose error is never asked for"},
    {"use_after_free_stream", "memory or a stream used after, or freed before, the work on it ends"},
};

class ApiRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    ApiReporter R(Ctx);
    checkDeviceCalls(R);
    checkApiNames(R);
    checkDirections(R);
    checkSizes(R);
    checkOverruns(R);
    checkFills(R);
    checkUnset(R);
    checkLifetimes(R);
    checkErrorChecks(R);
  }
};

KCHECK_RULE(ApiRule, "kcheck-api", "3", "CUDA API use", Tags);

} // namespace

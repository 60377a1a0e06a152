// kcheck-compile (CMP-D 0): what keeps the file from compiling, one finding a root cause.
//
//   const float u = __float_rand_uniform(seed);   undeclared_api: CUDA has no such function
//   __global void k(float *x)                     misspelt_attribute: __global__ is meant
//   __shared__ float s[];                         missing_extern_shared
//
// These findings rest on Clang's word; the compile gate (gate/compile) asks nvcc or NVRTC before a reject.
#include "analyzers/engine/Rule.h"
#include "analyzers/rules/compile/RootCause.h"

using namespace kcheck;
using namespace kcheck::compile;

namespace {

const TagInfo Tags[] = {
    {"undeclared_api", "a name that nothing declares: a made-up or misspelt intrinsic, API call or variable"},
    {"misspelt_attribute", "a word that is almost a CUDA attribute (__global, __shared)"},
    {"missing_include", "a name whose header is not included"},
    {"missing_extern_shared", "a shared array without a constant size and without extern"},
    {"type_mismatch", "types or arguments that do not fit"},
    {"syntax_error", "the text is not C++"},
    {"removed_api", "an API that the toolkit no longer has"},
    {"missing_header", "a third-party header that was not found; what depends on it was not checked"},
    {"nvcc_decides", "code that Clang and nvcc may judge differently; only nvcc can tell"},
};

/// Name of the kernel whose text holds the line, from the tokens (its AST may be lost).
std::string kernelAt(const SourceTokens &Source, unsigned Line) {
  TokenRange R = Source.topLevel(Source.at(Line, 1000));
  bool Kernel = false;
  for (size_t I = R.Begin; I < R.End && Source.tokens()[I].Kind != clang::tok::l_brace; ++I) {
    const SourceToken &T = Source.tokens()[I];
    Kernel |= T.Text.contains("global") || T.Text.contains("kernel__");
    bool Bounds = T.Text.contains("launch_bound");
    if (Kernel && !Bounds && T.isIdentifier() && I + 1 < R.End && Source.tokens()[I + 1].Kind == clang::tok::l_paren)
      return T.Text.str();
  }
  return {};
}

class CompileRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    SourceTokens Source(Ctx.TU.sources(), Ctx.TU.AST.getLangOpts());
    deliver(Ctx, Source, findCauses(Ctx.TU, Ctx.policy(), Source));
    if (Ctx.TU.HasToolkit)
      deliver(Ctx, Source, findNvccDoubts(Ctx.TU, Ctx.policy(), Source));
  }

private:
  static void deliver(RuleContext &Ctx, const SourceTokens &Source, std::vector<Cause> Causes) {
    for (Cause &C : Causes) {
      FindingBuilder B = Ctx.report(C.Tag, C.Where, C.Message);
      // Without the real headers an unknown name proves nothing.
      if (C.Sure == Certainty::Doubt || !Ctx.TU.HasToolkit)
        B.doubt();
      B.kernel(kernelAt(Source, C.Where.Line));
      if (!C.Name.empty())
        B.evidence("name", C.Name);
      if (!C.FrontEnd.empty())
        B.evidence("clang", C.FrontEnd);
      for (FindingNote &N : C.Notes)
        B.note(N);
      for (Fix &F : C.Fixes)
        B.fix(std::move(F));
    }
  }
};

KCHECK_RULE(CompileRule, "kcheck-compile", "0", "what keeps the file from compiling", Tags);

} // namespace

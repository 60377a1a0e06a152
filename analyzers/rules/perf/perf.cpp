//===- perf.cpp - the perf group: right, but slower than it could be -------------===//
#include "Perf.h"
#include "clang/AST/DeclTemplate.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::perf;

namespace {

const TagInfo Tags[] = {
    {"scalar_access", "an element-wise kernel that moves one small element a thread"},
    {"uncoalesced", "neighbouring threads touch addresses far apart"},
    {"bank_conflict", "threads of a warp hit the same bank of shared memory"},
    {"divergent_branch", "a branch that splits every warp, with work on both sides"},
    {"double_literal", "a double literal makes float arithmetic double"},
    {"serial_reduction", "one thread reads many elements while the others wait"},
    {"atomic_hot_spot", "every thread updates the same address atomically"},
    {"struct_of_fields_strided", "fields of an array of structs, read or written one by one"},
    {"missing_unroll", "an inner loop with a small constant trip count, left rolled"},
    {"low_occupancy", "launch or shared memory leave most of a multiprocessor idle"},
};

const FunctionDecl *root(const FunctionDecl *F) {
  const FunctionDecl *P = F->getTemplateInstantiationPattern();
  return (P ? P : F)->getCanonicalDecl();
}

bool overTypes(const FunctionDecl *F) {
  const FunctionTemplateDecl *T = root(F)->getDescribedFunctionTemplate();
  if (!T)
    return false;
  for (const NamedDecl *D : *T->getTemplateParameters())
    if (!isa<NonTypeTemplateParmDecl>(D))
      return true;
  return false;
}

class PerfRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    LaunchModel &M = Ctx.get<LaunchModel>();
    if (M.kernels().empty())
      return;
    for (const Subject &S : subjects(Ctx, M)) {
      checkScalarAccess(Ctx, S);
      checkCoalescing(Ctx, S);
      checkBanks(Ctx, S);
      checkAtomics(Ctx, S);
      checkSerial(Ctx, S);
    }
    checkOccupancy(Ctx, M);
    using namespace kcheck::match;
    Ctx.match(functionDecl(deviceFunction(), isDefinition(), unless(isImplicit())).bind("f"), [&](const BoundNodes &N) {
      const auto *F = N.getNodeAs<FunctionDecl>("f");
      if (F->isTemplateInstantiation() || !Ctx.TU.inMainFile(F->getLocation()))
        return;
      checkLiterals(Ctx, F);
      checkLoops(Ctx, F);
      checkBranches(Ctx, F);
    });
  }

private:
  std::vector<Subject> subjects(RuleContext &Ctx, LaunchModel &M) {
    std::vector<Subject> Out;
    auto Offer = [&](const eval::KernelRun *R, bool Aligned) {
      if (!Ctx.TU.inMainFile(R->Kernel->getLocation()))
        return;
      for (Subject &S : Out)
        if (root(S.Kernel) == root(R->Kernel)) {
          if (Aligned && S.Kernel == R->Kernel)
            S.Others.push_back(R);
          return;
        }
      Out.push_back({R->Kernel, R, {}, overTypes(R->Kernel)});
    };
    for (bool Aligned : {true, false})
      for (const PlanSample &P : M.plans())
        if (P.Aligned == Aligned && !P.Capped && !P.Host->Settled)
          for (const LaunchSample &L : P.Launches)
            if (L.Run)
              Offer(L.Run.get(), Aligned);
    for (const LaunchSample &L : M.assumed())
      if (!L.Run->Assumed) // the user gave the sizes; a guess is no ground for advice
        Offer(L.Run.get(), false);
    return Out;
  }
};

KCHECK_RULE(PerfRule, "kcheck-perf", "P", "performance", Tags);

} // namespace

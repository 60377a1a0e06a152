//===- template-bloat.cpp - rule 5: more kernels than the job needs -----------===//
//
//   switch (width) { case 1: k<1><<<…>>>(…); … case 40: k<40><<<…>>>(…); }    // 40 kernels
//   k<<<…>>>(…, width);                                                         // one
//
// Counts what the file really instantiates, so macros, recursion and generic lambdas hide nothing.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/engine/Rule.h"
#include "analyzers/rules/template-bloat/ShapeTests.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"
#include <set>

using namespace clang;
using namespace kcheck;

namespace {

const TagInfo Tags[] = {
    {"too_many_instantiations", "one kernel template, very many instances"},
    {"recursive_inner_template", "a template that instantiates itself once a step"},
    {"combinatorial_dispatch", "the product of several template parameters"},
    {"compile_time_shape", "a run-time shape is made a template argument"},
};

constexpr char RuleId[] = "kcheck-template-bloat";

/// The values that each template parameter takes over all instances.
struct ParameterValues {
  std::set<int64_t> Integers;
  std::set<std::string> All;
  bool Integer = false, Boolean = false;
};

struct Instances {
  unsigned Count = 0;
  SourceLocation First; ///< where the first is asked for
  std::vector<ParameterValues> Parameters;
  std::set<std::string> Values; ///< the combinations of its values, types left out
  /// Instances that another element type does not explain.
  unsigned ownCount() const { return Values.size() > 1 ? unsigned(Values.size()) : Count; }
  unsigned varying() const {
    return llvm::count_if(Parameters, [](const ParameterValues &P) { return P.All.size() > 1; });
  }
};

class Templates : public DynamicRecursiveASTVisitor {
public:
  std::vector<FunctionTemplateDecl *> Functions;
  std::vector<ClassTemplateDecl *> Classes;
  std::vector<FunctionDecl *> Kernels;
  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *D) override {
    if (D->isThisDeclarationADefinition())
      Functions.push_back(D);
    return true;
  }
  bool VisitClassTemplateDecl(ClassTemplateDecl *D) override {
    if (D->isThisDeclarationADefinition())
      Classes.push_back(D);
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (isKernel(F) && F->isThisDeclarationADefinition())
      Kernels.push_back(F);
    return true;
  }
};

bool powerOfTwo(int64_t N) { return N > 0 && (N & (N - 1)) == 0; }

class BloatRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    Templates T;
    T.TraverseAST(Ctx.TU.AST);
    OneShape = bloat::launchesOfOneShape(Ctx.TU.AST);
    for (FunctionTemplateDecl *D : T.Functions)
      if (isKernel(D->getTemplatedDecl()))
        kernel(Ctx, D);
    for (FunctionTemplateDecl *D : T.Functions)
      if (!isKernel(D->getTemplatedDecl()))
        recursive(Ctx, D, instancesOf(Ctx, D->specializations()));
    for (ClassTemplateDecl *D : T.Classes)
      recursive(Ctx, D, instancesOf(Ctx, D->specializations()));
    stamped(Ctx, T.Kernels);
  }

private:
  llvm::DenseMap<const FunctionTemplateDecl *, unsigned> OneShape;

  static ArrayRef<TemplateArgument> arguments(const FunctionDecl *F) { return F->getTemplateSpecializationArgs()->asArray(); }
  static ArrayRef<TemplateArgument> arguments(const ClassTemplateSpecializationDecl *C) { return C->getTemplateArgs().asArray(); }

  static void add(Instances &I, size_t At, const TemplateArgument &A, const ASTContext &AST) {
    if (I.Parameters.size() <= At)
      I.Parameters.resize(At + 1);
    ParameterValues &P = I.Parameters[At];
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    A.print(AST.getPrintingPolicy(), OS, /*IncludeType=*/true);
    P.All.insert(Text);
    if (A.getKind() != TemplateArgument::Integral)
      return;
    P.Boolean = A.getIntegralType()->isBooleanType();
    P.Integer = !P.Boolean;
    if (A.getAsIntegral().isRepresentableByInt64())
      P.Integers.insert(A.getAsIntegral().getExtValue());
  }

  template <class Range> static Instances instancesOf(RuleContext &Ctx, Range Specializations) {
    Instances I;
    const SourceManager &SM = Ctx.TU.sources();
    for (const auto *S : Specializations) {
      ++I.Count;
      SourceLocation At = S->getPointOfInstantiation();
      if (At.isInvalid())
        At = S->getLocation();
      At = SM.getExpansionLoc(At);
      if (SM.isInMainFile(At) && (I.First.isInvalid() || SM.isBeforeInTranslationUnit(At, I.First)))
        I.First = At;
      size_t N = 0;
      std::string Value;
      llvm::raw_string_ostream OS(Value);
      for (const TemplateArgument &A : arguments(S)) {
        if (A.getKind() == TemplateArgument::Integral)
          OS << A.getAsIntegral() << ' ';
        if (A.getKind() != TemplateArgument::Pack) {
          add(I, N++, A, Ctx.TU.AST);
          continue;
        }
        for (const TemplateArgument &X : A.pack_elements())
          add(I, N++, X, Ctx.TU.AST);
      }
      I.Values.insert(Value);
    }
    return I;
  }

  void kernel(RuleContext &Ctx, FunctionTemplateDecl *D) {
    Instances I = instancesOf(Ctx, D->specializations());
    const Policy &P = Ctx.policy();
    unsigned Varying = I.varying();
    if (I.First.isInvalid() || I.Count < 2)
      return;
    std::string Name = D->getNameAsString();
    if (Varying > 1 && I.Count > P.intOption(RuleId, "max_combinations", 24) && !shapes(I))
      return say(Ctx, "combinatorial_dispatch", I.First, D,
                 "kernel '" + Name + "' is instantiated " + std::to_string(I.Count) + " times, the product of " + std::to_string(Varying) +
                     " template parameters: make the rarely used ones run-time arguments");
    bool Shapes = (Varying >= 1 && shapeValues(I) > P.intOption(RuleId, "max_shapes", 4)) || wholeShapes(I, Varying) ||
                  OneShape.lookup(D->getCanonicalDecl()) > P.intOption(RuleId, "max_exact_shapes", 2);
    if (Shapes && I.Count <= P.intOption(RuleId, "max_instantiations", 16))
      return say(Ctx, "compile_time_shape", I.First, D,
                 "kernel '" + Name + "' takes the shape as a template argument, " + std::to_string(I.Count) +
                     " shapes here: any other needs a new build. Pass it at run time");
    if (I.ownCount() > P.intOption(RuleId, "max_instantiations", 16))
      say(Ctx, "too_many_instantiations", I.First, D,
          "kernel '" + Name + "' is instantiated " + std::to_string(I.Count) + " times: pass the value at run time, or keep a few power-of-two cases");
  }

  static bool shapes(const Instances &I) { return shapeValues(I) > 4 && I.Count <= 16; }

  /// Values that are sizes of data, not tuning knobs: large and no power of two. One odd value makes the
  /// whole parameter a shape, its powers of two included.
  static int64_t shapeValues(const Instances &I) {
    int64_t Worst = 0;
    for (const ParameterValues &P : I.Parameters) {
      int64_t Odd = llvm::count_if(P.Integers, [](int64_t V) { return V > 16 && !powerOfTwo(V); });
      if (P.Integer && 2 * Odd >= static_cast<int64_t>(P.Integers.size()))
        Worst = std::max<int64_t>(Worst, P.Integers.size());
    }
    return Worst;
  }

  /// Several extents at once, some of them no multiple of any block: whole shapes of layers.
  static bool wholeShapes(const Instances &I, unsigned Varying) {
    std::set<int64_t> Odd;
    for (const ParameterValues &P : I.Parameters)
      if (P.Integer && P.Integers.size() > 1)
        for (int64_t V : P.Integers)
          if (V > 8 && V % 8)
            Odd.insert(V);
    return Varying >= 3 && I.Count >= 4 && Odd.size() >= 2;
  }

  /// N, N - 1, N - 2, …: one instance a step. In rows and columns they are soon many, however short each of them is.
  template <class Decl> void recursive(RuleContext &Ctx, Decl *D, const Instances &I) {
    const int64_t Deep = Ctx.policy().intOption(RuleId, "max_recursion_depth", 24);
    if (I.Count <= Deep || !Ctx.TU.inMainFile(D->getLocation()))
      return;
    for (const ParameterValues &P : I.Parameters) {
      const auto Depth = static_cast<int64_t>(P.Integers.size());
      if (!P.Integer || (Depth <= Deep && !(I.Count > 4 * Deep && 3 * Depth > Deep)))
        continue;
      bool Steps = *P.Integers.rbegin() - *P.Integers.begin() == static_cast<int64_t>(P.Integers.size()) - 1;
      if (!Steps || !mentionsItself(D))
        continue;
      return say(Ctx, "recursive_inner_template", D->getLocation(), D,
                 "template '" + D->getNameAsString() + "' instantiates itself " + std::to_string(Depth) + " deep, " + std::to_string(I.Count) +
                     " instances in all: a loop with #pragma unroll says the same");
    }
  }

  template <class Decl> static bool mentionsItself(Decl *D) {
    struct Self : DynamicRecursiveASTVisitor {
      std::string Name;
      bool Found = false;
      bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc L) override {
        if (const TemplateDecl *T = L.getTypePtr()->getTemplateName().getAsTemplateDecl())
          Found |= T->getNameAsString() == Name;
        return !Found;
      }
      bool VisitOverloadExpr(OverloadExpr *E) override {
        Found |= E->getName().getAsString() == Name;
        return !Found;
      }
      bool VisitDeclRefExpr(DeclRefExpr *E) override {
        Found |= E->getDecl()->getNameAsString() == Name;
        return !Found;
      }
    } S;
    S.Name = D->getNameAsString();
    S.TraverseDecl(D->getTemplatedDecl());
    return S.Found;
  }

  /// Kernels that one macro stamps out.
  void stamped(RuleContext &Ctx, ArrayRef<FunctionDecl *> Kernels) {
    const SourceManager &SM = Ctx.TU.sources();
    std::map<unsigned, std::pair<unsigned, FunctionDecl *>> ByMacro;
    for (FunctionDecl *K : Kernels) {
      SourceLocation Body = K->getBody() ? K->getBody()->getBeginLoc() : SourceLocation();
      if (!Body.isMacroID() || SM.isMacroArgExpansion(Body) || K->isTemplateInstantiation())
        continue;
      auto &Entry = ByMacro[SM.getSpellingLoc(Body).getRawEncoding()];
      if (!Entry.first++)
        Entry.second = K;
    }
    for (const auto &[Key, Entry] : ByMacro)
      if (Entry.first > Ctx.policy().intOption(RuleId, "max_instantiations", 16) && Ctx.TU.inMainFile(Entry.second->getLocation()))
        Ctx.report("too_many_instantiations", Entry.second->getLocation(),
                   "one macro makes " + std::to_string(Entry.first) + " kernels from here on: pass the value at run time")
            .kernel(Entry.second);
  }

  template <class Decl> static void say(RuleContext &Ctx, StringRef Tag, SourceLocation At, Decl *D, const std::string &Message) {
    auto F = Ctx.report(Tag, At, Message);
    if (Ctx.TU.where(At).Line != Ctx.TU.where(D->getLocation()).Line)
      F.note(D->getLocation(), "the template is here");
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D); T && isKernel(T->getTemplatedDecl()))
      F.kernel(T->getTemplatedDecl());
  }
};

KCHECK_RULE(BloatRule, "kcheck-template-bloat", "5", "template bloat", Tags);

} // namespace

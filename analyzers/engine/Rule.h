//===- Rule.h - what a rule is ------------------------------------------------===//
//
//   TranslationUnit ─► Rule::check ─► RuleContext::report ─► FindingBuilder ─► Finding ─► sink
//                                                        (policy: severity, options)
//
// To add a rule: script/new-rule ID. It makes analyzers/rules/<id>/<id>.cpp, test/lit/rules/<id>.cu and
// docs/rules/<id>.md; CMake finds the folder by itself, KCHECK_RULE registers it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_RULE_H
#define KCHECK_ENGINE_RULE_H

#include "analyzers/engine/Finding.h"
#include "analyzers/engine/Policy.h"
#include "analyzers/engine/TranslationUnit.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

namespace kcheck {

/// A tag that a rule may report, with one line for `kcheck rules`.
struct TagInfo {
  llvm::StringRef Tag;
  llvm::StringRef Summary;
};

struct RuleInfo {
  llvm::StringRef Id;   ///< "kcheck-sync"
  llvm::StringRef Cmpd; ///< "7"
  llvm::StringRef Summary;
  llvm::ArrayRef<TagInfo> Tags;
};

class RuleContext;

/// Fills in one finding; it is delivered to the sink at the end of the full expression.
class FindingBuilder {
public:
  FindingBuilder(RuleContext &Ctx, Finding F) : Ctx(Ctx), F(std::move(F)) {}
  FindingBuilder(const FindingBuilder &) = delete;
  ~FindingBuilder();

  /// Wrong only unless something holds that the file does not show.
  FindingBuilder &doubt() { F.Sure = Certainty::Doubt; return *this; }
  FindingBuilder &kernel(const clang::FunctionDecl *K);
  FindingBuilder &kernel(std::string Name) { F.Kernel = std::move(Name); return *this; }
  FindingBuilder &note(clang::SourceLocation Loc, const llvm::Twine &Message);
  FindingBuilder &note(FindingNote N) { F.Notes.push_back(std::move(N)); return *this; }
  FindingBuilder &evidence(llvm::StringRef Key, llvm::json::Value V);
  FindingBuilder &fix(Fix X) { F.Fixes.push_back(std::move(X)); return *this; }
  FindingBuilder &defer() { F.Defer = true; return *this; }

private:
  RuleContext &Ctx;
  Finding F;
};

/// What a rule gets for one translation unit.
class RuleContext {
public:
  using Sink = std::function<void(Finding)>;
  RuleContext(TranslationUnit &TU, const RuleInfo &Info, const Policy &P, Sink S)
      : TU(TU), Info(Info), ThePolicy(P), Deliver(std::move(S)) {}

  TranslationUnit &TU;
  const RuleInfo &Info;

  const Policy &policy() const { return ThePolicy; }
  /// The shared analysis of this file: ctx.get<KernelModel>().
  template <class Analysis> Analysis &get() { return TU.get<Analysis>(); }
  /// Starts a finding at Loc. Tag must be one of Info.Tags.
  FindingBuilder report(llvm::StringRef Tag, clang::SourceLocation Loc, const llvm::Twine &Message);
  FindingBuilder report(llvm::StringRef Tag, Location Where, const llvm::Twine &Message);
  /// Says what was checked and is in order, for the text report; it replaces the rule's "no findings" line.
  void passed(const llvm::Twine &Text) { TU.Passed.push_back({Info.Id.str(), Text.str()}); }
  /// Matches over the declarations of the main file (the traversal scope).
  template <class Matcher, class Fn> void match(const Matcher &M, Fn &&OnMatch) {
    struct Callback : clang::ast_matchers::MatchFinder::MatchCallback {
      explicit Callback(Fn &F) : F(F) {}
      void run(const clang::ast_matchers::MatchFinder::MatchResult &R) override { F(R.Nodes); }
      Fn &F;
    } C(OnMatch);
    clang::ast_matchers::MatchFinder Finder;
    Finder.addMatcher(M, &C);
    Finder.matchAST(TU.AST);
  }

private:
  friend class FindingBuilder;
  const Policy &ThePolicy;
  Sink Deliver;
};

class Rule {
public:
  virtual ~Rule() = default;
  /// Looks at one view of one file. Called once a view; the driver merges equal findings of both views.
  virtual void check(RuleContext &Ctx) = 0;
};

/// All rules of this program, by id.
struct RegisteredRule {
  RuleInfo Info;
  std::unique_ptr<Rule> (*Make)();
};
llvm::ArrayRef<RegisteredRule> allRules();
/// Rule that owns the tag, or null.
const RegisteredRule *findRule(llvm::StringRef IdOrTag);

namespace detail {
struct RuleRegistration {
  RuleRegistration(RuleInfo Info, std::unique_ptr<Rule> (*Make)());
};
} // namespace detail

/// Registers a rule class: KCHECK_RULE(SyncRule, "kcheck-sync", "7", "barriers …", SyncTags)
#define KCHECK_RULE(Class, Id, Cmpd, Summary, Tags)                                                \
  static const ::kcheck::detail::RuleRegistration Register##Class(                                 \
      {Id, Cmpd, Summary, Tags},                                                                   \
      []() -> std::unique_ptr<::kcheck::Rule> { return std::make_unique<Class>(); })

/// Runs every rule that the policy leaves on over one translation unit.
std::vector<Finding> runRules(TranslationUnit &TU, const Policy &P);

} // namespace kcheck
#endif

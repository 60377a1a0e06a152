#include "actions/engine/Rewrite.h"
#include "actions/engine/ActionContext.h"
#include "actions/engine/Behaviour.h"
#include "actions/engine/FindActions.h"
#include "actions/engine/Format.h"
#include "actions/engine/Instances.h"
#include "analyzers/engine/DidYouMean.h"
#include "analyzers/engine/Rule.h"
#include "matchers/PlanBudget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/thread.h"
#include <set>

using namespace kcheck;

namespace {

/// A word of the request itself is wrong, whatever the file holds.
const std::error_code BadWord = std::make_error_code(std::errc::invalid_argument);

/// What must still hold after an edit.
struct Health {
  std::vector<std::string> Errors;
  std::multiset<std::string> Rejects; ///< "kernel: tag"
  std::optional<Behaviour> Does;
};

/// Sizes at which old and new text are compared. The preconditions, which see all sizes, are the proof; this is the net
/// below them.
constexpr unsigned Tried = 2;

/// A parse recurses deeply.
constexpr unsigned ParseStackBytes = 256u << 20;

/// Of the file itself: host code of a header may lean on what only nvcc's view of it declares.
std::vector<std::string> errorsOf(const TranslationUnit &TU) {
  std::vector<std::string> Out;
  for (const ParseDiagnostic &D : TU.Diagnostics)
    if (D.IsError && D.InMainFile)
      Out.push_back("line " + std::to_string(D.Where.Line) + ": " + D.Message);
  for (const std::string &H : TU.MissingHeaders)
    Out.push_back("header " + H + " is missing");
  return Out;
}

std::multiset<std::string> rejectsOf(TranslationUnit &TU) {
  std::multiset<std::string> Out;
  for (const Finding &F : runRules(TU, Policy::builtin()))
    if (F.Level == Severity::Reject)
      Out.insert(F.Kernel + ": " + F.Tag);
  return Out;
}

Health healthOf(TranslationUnit &TU, bool Rules) {
  Health H;
  H.Errors = errorsOf(TU);
  if (!H.Errors.empty())
    return H;
  visitInstancesOnce(TU.AST);
  PlanBudget Few(Tried);
  if (Rules)
    H.Rejects = rejectsOf(TU);
  H.Does.emplace(TU.get<LaunchModel>());
  return H;
}

/// Why the text after is worse than the one before; empty when it is not. A fix (fix-...) is there to change what is
/// touched.
std::string worse(const Health &Before, const Health &After, bool Fix) {
  if (!After.Errors.empty())
    return "the result does not compile: " + After.Errors.front();
  for (const std::string &R : After.Rejects)
    if (After.Rejects.count(R) > Before.Rejects.count(R))
      return "the result would be rejected: " + R;
  if (Fix)
    return {};
  if (std::string D = Before.Does->difference(*After.Does); !D.empty())
    return "the result touches other elements: " + D;
  return {};
}

std::string text(const Settings &S) {
  return llvm::join(llvm::map_range(S, [](const auto &E) { return E.first + "=" + std::to_string(E.second); }), " ");
}

/// Checks names and ranges, and completes the settings from the first legal set that agrees with them.
llvm::Expected<Settings> complete(const ActionInfo &A, const Site &S, const Settings &Given) {
  for (const auto &[Name, Value] : Given) {
    const ActionParameter *P = A.parameter(Name);
    if (!P) {
      std::vector<std::string> Known;
      for (const ActionParameter &K : A.Parameters)
        Known.push_back(K.Name.str());
      std::string Near = nearest(Name, Known);
      return llvm::createStringError(BadWord, A.Name + " has no parameter '" + Name + "'" +
                                     (!Near.empty()   ? "; did you mean '" + Near + "'?"
                                      : Known.empty() ? std::string("; it takes none")
                                                      : "; it has " + llvm::join(Known, ", ")));
    }
    if (!P->allows(Value))
      return llvm::createStringError(BadWord, A.Name + ": " + Name + "=" + llvm::Twine(Value) + " is out of range (" + P->range() + ")");
  }
  auto Agrees = [&](const ParameterSet &P) {
    return llvm::all_of(Given, [&](const auto &G) {
      auto It = P.Values.find(G.first);
      return It == P.Values.end() || It->second == G.second;
    });
  };
  for (const ParameterSet &P : S.Sets)
    if (Agrees(P)) {
      Settings Out = P.Values;
      for (const auto &[Name, Value] : Given)
        Out[Name] = Value;
      return Out;
    }
  if (S.OnlyListed || S.Sets.empty()) {
    std::string Legal;
    for (size_t I = 0; I < S.Sets.size() && I < 4; ++I)
      Legal += (I ? "; " : "") + text(S.Sets[I].Values);
    return llvm::createStringError(A.Name + " at line " + llvm::Twine(S.Where.Line) + ": " + text(Given) + " is not legal here" +
                                   (Legal.empty() ? "" : "; legal: " + Legal + (S.Sets.size() > 4 ? "; ..." : "")));
  }
  Settings Out = S.Sets.front().Values;
  for (const auto &[Name, Value] : Given)
    Out[Name] = Value;
  return Out;
}

/// The site that the request means.
llvm::Expected<const Site *> choose(const ActionInfo &A, const std::vector<Site> &Sites, const RewriteRequest &R, llvm::ArrayRef<KernelView> Kernels) {
  if (!R.Kernel.empty() && llvm::none_of(Kernels, [&](const KernelView &K) { return K.Name == R.Kernel; })) {
    std::vector<std::string> Names;
    for (const KernelView &K : Kernels)
      Names.push_back(K.Name);
    std::string Near = nearest(R.Kernel, Names);
    return llvm::createStringError(BadWord, "no kernel '" + R.Kernel + "' in this file" + (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
  }
  const Site *Refused = nullptr;
  for (const Site &S : Sites) {
    if ((!R.Kernel.empty() && S.Kernel != R.Kernel) || (R.Line && S.Where.Line != R.Line))
      continue;
    if (S.WhyNot.empty())
      return &S;
    if (!Refused)
      Refused = &S;
  }
  if (Refused)
    return llvm::createStringError(A.Name + " does not apply to " + (Refused->Kernel.empty() ? "this file" : Refused->Kernel) + " (line " +
                                   llvm::Twine(Refused->Where.Line) + "): " + Refused->WhyNot);
  return llvm::createStringError(A.Name + ": nothing for it " + (R.Line ? "at line " + std::to_string(R.Line) : std::string("in this file")));
}

llvm::Error unknownAction(llvm::StringRef Name) {
  std::vector<std::string> Known;
  for (const ActionInfo &A : allActions())
    Known.push_back(A.Name.str());
  std::string Near = nearest(Name, Known);
  return llvm::createStringError(BadWord, "unknown action '" + Name + "'" + (Near.empty() ? "; 'kcheck actions' lists them" : "; did you mean '" + Near + "'?"));
}

} // namespace

FileActions kcheck::findActions(TranslationUnit &TU, llvm::StringRef File, const ActionInfo *Only) {
  FileActions Out;
  Out.Errors = errorsOf(TU);
  if (!Out.Errors.empty())
    return Out;
  ActionContext Ctx(TU, File);
  for (const KernelView &K : Ctx.kernels())
    Out.Kernels.push_back(K.Name);
  for (const ActionInfo &A : allActions()) {
    if (Only && &A != Only)
      continue;
    std::vector<Site> Sites;
    A.Find(Ctx, Sites);
    ActionSummary S;
    S.Info = &A;
    for (Site &X : Sites)
      S.Sites.push_back({std::move(X.Kernel), std::move(X.Where), std::move(X.What), std::move(X.WhyNot), std::move(X.Sets)});
    Out.Actions.push_back(std::move(S));
  }
  return Out;
}

llvm::Expected<FileActions> kcheck::findActions(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const ActionInfo *Only) {
  FileActions Out;
  if (llvm::Error E = parse(File, Text, Options, View::Device, [&](TranslationUnit &TU) { Out = findActions(TU, File, Only); }))
    return std::move(E);
  return Out;
}

llvm::Expected<RewriteResult> kcheck::rewrite(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const RewriteRequest &R) {
  const ActionInfo *A = findAction(R.Action);
  if (!A)
    return unknownAction(R.Action);
  RewriteResult Out;
  Health Before, After;
  llvm::Error Why = llvm::Error::success(), AfterWhy = llvm::Error::success();
  std::optional<llvm::thread> Second; // reads the result while the first still looks at what the old text does
  auto Edit = [&](TranslationUnit &TU) -> llvm::Error {
    if (std::vector<std::string> Errors = errorsOf(TU); !Errors.empty())
      return llvm::createStringError("the file does not compile as it stands: " + Errors.front());
    ActionContext Ctx(TU, File);
    std::vector<Site> Sites;
    A->Find(Ctx, Sites);
    auto S = choose(*A, Sites, R, Ctx.kernels());
    if (!S)
      return S.takeError();
    auto Set = complete(*A, **S, R.Set);
    if (!Set)
      return Set.takeError();
    auto Edits = (*S)->Apply(*Set);
    if (!Edits)
      return Edits.takeError();
    auto New = applyFormatted(File, Text, std::move(*Edits));
    if (!New)
      return New.takeError();
    if (*New == Text)
      return llvm::createStringError(A->Name + " changes nothing here");
    Out = RewriteResult{std::move(*New), (*S)->Kernel, (*S)->What, (*S)->Where, std::move(*Set)};
    Second.emplace(std::optional<unsigned>(ParseStackBytes), [&] {
      llvm::consumeError(std::move(AfterWhy));
      AfterWhy = parse(File, Out.Text, Options, View::Device, [&](TranslationUnit &Edited) { After = healthOf(Edited, true); });
    });
    Before = healthOf(TU, false);
    return llvm::Error::success();
  };
  llvm::Error Unread = parse(File, Text, Options, View::Device, [&](TranslationUnit &TU) { Why = Edit(TU); });
  if (Second)
    Second->join();
  if (llvm::Error E = llvm::joinErrors(std::move(Unread), llvm::joinErrors(std::move(Why), std::move(AfterWhy))))
    return std::move(E);
  if (!After.Rejects.empty()) { // rare: few sizes can mislead a rule, and old faults are not the action's, so now with all sizes
    if (llvm::Error E = parse(File, Out.Text, Options, View::Device, [&](TranslationUnit &TU) { After.Rejects = rejectsOf(TU); }))
      return std::move(E);
    if (llvm::Error E = parse(File, Text, Options, View::Device, [&](TranslationUnit &TU) { Before.Rejects = rejectsOf(TU); }))
      return std::move(E);
  }
  if (std::string Worse = worse(Before, After, A->Name.starts_with("fix-")); !Worse.empty())
    return llvm::createStringError(A->Name + " on " + Out.Kernel + " is refused: " + Worse);
  return Out;
}

// kcheck actions FILE: the actions that apply, where, with which parameters, or why not.
#include "tools/kcheck/EditReports.h"
#include "tools/kcheck/ParseFlags.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct ActionsFlags {
  std::string File, Action;
  bool Json = false, All = false, List = false;
  ParseFlags Parse;
};

std::string settings(const Settings &S) {
  return llvm::join(llvm::map_range(S, [](const auto &E) { return E.first + "=" + std::to_string(E.second); }), " ");
}

std::string effect(const llvm::json::Object &E) {
  std::vector<std::string> Keys;
  for (const auto &[K, V] : E)
    Keys.push_back(K.str());
  llvm::sort(Keys);
  std::string Out;
  for (const std::string &K : Keys) {
    std::string Value = llvm::formatv("{0}", *E.get(K)).str();
    Out += (Out.empty() ? "" : ", ") + K + " " + (E.getString(K) ? E.getString(K)->str() : Value);
  }
  return Out;
}

void text(const FileActions &F, bool All) {
  for (const std::string &E : F.Errors)
    llvm::outs() << "the file does not compile: " << E << "\n";
  for (const ActionSummary &A : F.Actions) {
    llvm::outs() << A.Info->Name << ": " << A.Info->Summary << "\n";
    for (const SiteSummary &S : A.Sites) {
      llvm::outs() << (S.WhyNot.empty() ? "  + " : "  - ") << S.Where.Line << " " << (S.Kernel.empty() ? "" : S.Kernel + ": ") << S.What
                   << (S.WhyNot.empty() ? "" : ": " + S.WhyNot) << "\n";
      if (!S.WhyNot.empty())
        continue;
      size_t Shown = All ? S.Sets.size() : std::min<size_t>(S.Sets.size(), 3);
      for (size_t I = 0; I < Shown; ++I)
        if (!S.Sets[I].Values.empty() || !S.Sets[I].Effect.empty())
          llvm::outs() << "      " << settings(S.Sets[I].Values) << (S.Sets[I].Effect.empty() ? "" : (S.Sets[I].Values.empty() ? "" : "  -> ") + effect(S.Sets[I].Effect)) << "\n";
      if (Shown < S.Sets.size())
        llvm::outs() << "      and " << S.Sets.size() - Shown << " more (--all)\n";
    }
    if (A.Sites.empty())
      llvm::outs() << "  - nothing for it in this file\n";
  }
}

int run(const ActionsFlags &O, const Context &Ctx) {
  const ActionInfo *Only = nullptr;
  if (!O.Action.empty() && !(Only = findAction(O.Action))) {
    std::vector<std::string> Known;
    for (const ActionInfo &A : allActions())
      Known.push_back(A.Name.str());
    return complain("unknown action '" + O.Action + "'" + didYouMean(O.Action, Known));
  }
  auto Options = O.Parse.options(Ctx);
  if (!Options)
    return complain(llvm::toString(Options.takeError()));
  auto In = readCandidate(O.File);
  if (!In)
    return complain(llvm::toString(In.takeError()));
  auto F = findActions(In->File, *In->Text, *Options, Only);
  if (!F)
    return complain(llvm::toString(F.takeError()));
  if (O.Json)
    llvm::outs() << llvm::formatv("{0:2}\n", actionsJson(In->File, *F));
  else
    text(*F, O.All);
  return F->Errors.empty() ? 0 : 2;
}

void addActions(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<ActionsFlags>();
  CLI::App *Sub = App.add_subcommand("actions", "the edits that apply to a file: where, with which parameters, or why not");
  Sub->add_option("FILE", O->File, "a CUDA file, or - for stdin")->required();
  Sub->add_option("--action", O->Action, "only this action")->type_name("NAME");
  Sub->add_flag("--all", O->All, "every legal parameter set, not the first three");
  Sub->add_flag("--json", O->Json, "as JSON");
  O->Parse.add(*Sub);
  Sub->callback([O, &Ctx] { Ctx.Exit = run(*O, Ctx); });
}

} // namespace

KCHECK_COMMAND(40, addActions);

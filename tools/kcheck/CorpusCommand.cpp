// kcheck corpus stats|export: what recorded checks say over time.
#include "analyzers/engine/record/Corpus.h"
#include "analyzers/engine/record/Repairs.h"
#include "tools/kcheck/Command.h"
#include "llvm/Support/FileSystem.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct CorpusOptions {
  std::string Db, Format, Reason;
  unsigned PerReason = 3, MaxLines = 80;
  bool Repairs = false;
};

/// An empty file must not appear where a name was mistyped.
llvm::Expected<std::unique_ptr<Corpus>> openExisting(const CorpusOptions &O) {
  std::string Path = O.Db.empty() ? Corpus::defaultPath() : O.Db;
  if (!llvm::sys::fs::exists(Path))
    return llvm::createStringError("no corpus in " + Path + "; 'kcheck lint --record FILE' makes one");
  return Corpus::open(Path);
}

void statsText(const CorpusStats &S) {
  llvm::raw_ostream &OS = llvm::outs();
  OS << S.Checks << " checks of " << S.Sources << " sources\n\nverdicts\n";
  for (auto &[V, N] : S.ByVerdict)
    OS << llvm::formatv("  {0,-8} {1,6}  {2:P1}\n", V, N, double(N) / std::max<int64_t>(1, S.Checks));
  OS << "\nreasons\n";
  for (auto &[Tag, N] : S.ByReason)
    OS << llvm::formatv("  {0,-32} {1,6}\n", Tag, N);
  OS << "\nweeks\n";
  for (auto &[Week, Counts] : S.ByWeek) {
    OS << "  " << Week;
    for (auto &[V, N] : Counts)
      OS << "  " << V << " " << N;
    auto It = S.WeekReasons.find(Week);
    if (It != S.WeekReasons.end())
      for (size_t I = 0; I < std::min<size_t>(3, It->second.size()); ++I)
        OS << (I ? ", " : "; most often ") << It->second[I].first << " " << It->second[I].second;
    OS << "\n";
  }
}

void statsJson(const CorpusStats &S) {
  llvm::json::Object Verdicts, Reasons, Weeks;
  for (auto &[V, N] : S.ByVerdict)
    Verdicts[V] = N;
  for (auto &[Tag, N] : S.ByReason)
    Reasons[Tag] = N;
  for (auto &[W, Counts] : S.ByWeek) {
    llvm::json::Object V, R;
    for (auto &[Name, N] : Counts)
      V[Name] = N;
    if (auto It = S.WeekReasons.find(W); It != S.WeekReasons.end())
      for (auto &[Tag, N] : It->second)
        R[Tag] = N;
    Weeks[W] = llvm::json::Object{{"verdicts", std::move(V)}, {"reasons", std::move(R)}};
  }
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
      {"schema", "kcheck.corpus-stats/1"}, {"checks", S.Checks}, {"sources", S.Sources}, {"verdicts", std::move(Verdicts)},
      {"reasons", std::move(Reasons)}, {"weeks", std::move(Weeks)}}));
}

int stats(const CorpusOptions &O) {
  if (O.Format != "text" && O.Format != "json")
    return complain("--format " + O.Format + ": neither 'text' nor 'json'");
  auto C = openExisting(O);
  if (!C)
    return complain(llvm::toString(C.takeError()));
  auto S = (*C)->stats();
  if (!S)
    return complain(llvm::toString(S.takeError()));
  O.Format == "json" ? statsJson(*S) : statsText(*S);
  return 0;
}

int exportExamples(const CorpusOptions &O) {
  if (O.Format != "markdown" && O.Format != "jsonl")
    return complain("--format " + O.Format + ": neither 'markdown' nor 'jsonl'");
  auto C = openExisting(O);
  if (!C)
    return complain(llvm::toString(C.takeError()));
  if (O.Repairs) {
    auto Repairs = repairs(O.Db.empty() ? Corpus::defaultPath() : O.Db, "", O.PerReason * 10, O.MaxLines);
    if (!Repairs)
      return complain(llvm::toString(Repairs.takeError()));
    O.Format == "jsonl" ? writeRepairsJsonl(llvm::outs(), *Repairs) : writeRepairsMarkdown(llvm::outs(), *Repairs);
    return 0;
  }
  auto Examples = (*C)->examples(O.PerReason, O.MaxLines, O.Reason);
  if (!Examples)
    return complain(llvm::toString(Examples.takeError()));
  O.Format == "jsonl" ? writeExamplesJsonl(llvm::outs(), *Examples) : writeExamplesMarkdown(llvm::outs(), *Examples);
  return 0;
}

void addCorpus(CLI::App &App, Context &Ctx) {
  CLI::App *Sub = App.add_subcommand("corpus", "what recorded checks (--record) say over time");
  Sub->require_subcommand(1);

  auto S = std::make_shared<CorpusOptions>();
  S->Format = "text";
  CLI::App *Stats = Sub->add_subcommand("stats", "counts by verdict, reason and ISO week");
  Stats->add_option("--db", S->Db, "the SQLite file; default " "$XDG_DATA_HOME/kcheck/corpus.db")->type_name("DB");
  Stats->add_option("--format", S->Format, "text (default) or json")->type_name("NAME");
  Stats->callback([S, &Ctx] { Ctx.Exit = stats(*S); });

  auto E = std::make_shared<CorpusOptions>();
  E->Format = "markdown";
  CLI::App *Export = Sub->add_subcommand("export", "short, distinct bad examples by reason, for a prompt");
  Export->add_option("--db", E->Db, "the SQLite file")->type_name("DB");
  Export->add_option("--format", E->Format, "markdown (default) or jsonl")->type_name("NAME");
  Export->add_option("--reason", E->Reason, "this tag only")->type_name("TAG");
  Export->add_option("--per-reason", E->PerReason, "examples a reason; default 3")->type_name("N");
  Export->add_flag("--repairs", E->Repairs, "pairs instead: a reject and what repaired it");
  Export->add_option("--max-lines", E->MaxLines, "longest example; default 80")->type_name("N");
  Export->callback([E, &Ctx] { Ctx.Exit = exportExamples(*E); });
}

} // namespace

KCHECK_COMMAND(70, addCorpus);

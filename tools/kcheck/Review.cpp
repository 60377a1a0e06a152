// lint and check: all files on all cores, suppression, the dynamic track, the report, the exit status.
#include "analyzers/engine/record/Corpus.h"
#include "analyzers/engine/suppress/Suppress.h"
#include "gate/compile/Confirm.h"
#include "tools/kcheck/Inputs.h"
#include "tools/kcheck/Progress.h"
#include "tools/kcheck/ReviewSetup.h"
#include "tools/kcheck/Version.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <list>

using namespace kcheck;
using namespace kcheck::cli;

namespace {

/// One file on its way: read, its policy found.
struct Candidate {
  std::string Name, Text, Error;
  const Policy *P = nullptr;
};

Candidate readCandidate(const std::string &File, ReviewSetup &S, const ReviewOptions &O) {
  Candidate C;
  C.Name = displayName(File);
  if (auto Given = O.Texts.find(File); Given != O.Texts.end()) {
    C.Text = Given->second;
  } else if (auto Text = readInput(File)) {
    C.Text = (*Text)->getBuffer().str();
  } else {
    C.Error = llvm::toString(Text.takeError());
    return C;
  }
  auto P = S.Policies->forFile(File);
  if (!P)
    C.Error = llvm::toString(P.takeError());
  else
    C.P = *P;
  return C;
}

FileReport report(Candidate &C, LintResult L, const std::vector<std::string> &Confirmed, const ReviewSetup &S,
                  const ReviewOptions &O) {
  L.File = C.Name;
  for (const std::string &Note : L.Notes)
    if (!O.Quiet)
      complain(C.Name + ": note: " + Note);
  FileReport F = makeFileReport(std::move(L), C.Text);
  F.Coverage.insert(F.Coverage.end(), Confirmed.begin(), Confirmed.end());
  if (!C.P)
    return F;
  for (const RegisteredRule &R : allRules())
    if (!C.P->enabled(R.Info.Id))
      F.Static.RulesOff.push_back(R.Info.Id.str());
  for (const std::string &Problem : suppress(F, *C.P, {!O.IgnoreNoLint, S.Known ? &*S.Known : nullptr, S.Changed ? &*S.Changed : nullptr}))
    complain(Problem);
  return F;
}

/// The static track over all candidates, those under one policy together; what keeps them from compiling is
/// confirmed by the real compilers, and Confirmed says which half was.
std::vector<LintResult> lintAll(const std::vector<Candidate> &All, const ReviewSetup &S, Progress &Line,
                                std::vector<std::vector<std::string>> &Confirmed) {
  Confirmed.resize(All.size());
  std::map<const Policy *, std::vector<size_t>> Groups;
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I].P)
      Groups[All[I].P].push_back(I);
  std::vector<LintResult> Results(All.size());
  size_t Before = 0;
  for (auto &[P, Members] : Groups) {
    std::vector<LintInput> Inputs;
    for (size_t I : Members)
      Inputs.push_back({All[I].Name, All[I].Text});
    std::vector<LintResult> Done = lintFiles(Inputs, S.Parse, *P, [&](size_t N) { Line.show(Before + N); });
    std::vector<std::vector<std::string>> Halves = gate::confirmAll(Done, Inputs, S.Parse, *P);
    for (size_t I = 0; I < Members.size(); ++I) {
      Results[Members[I]] = std::move(Done[I]);
      Confirmed[Members[I]] = std::move(Halves[I]);
    }
    Before += Members.size();
  }
  return Results;
}

std::vector<FileReport> reviewAll(ReviewSetup &S, const ReviewOptions &O) {
  Progress Line(S.Files.size(), O.Quiet);
  std::vector<Candidate> All;
  for (const std::string &F : S.Files)
    All.push_back(readCandidate(F, S, O));
  std::vector<std::vector<std::string>> Confirmed;
  std::vector<LintResult> Results = lintAll(All, S, Line, Confirmed);
  std::vector<FileReport> Reports;
  for (size_t I = 0; I < All.size(); ++I) {
    if (!All[I].Error.empty())
      Results[I].Error = All[I].Error;
    Reports.push_back(report(All[I], std::move(Results[I]), Confirmed[I], S, O));
  }
  return Reports;
}

bool wantColor(const ReviewOptions &O) {
  const char *No = ::getenv("NO_COLOR");
  return O.Output.empty() && !(No && *No) && llvm::sys::Process::StandardOutIsDisplayed();
}

int write(llvm::StringRef To, const Report &R, Format F, const WriteOptions &W) {
  std::error_code EC;
  llvm::raw_fd_ostream OS(To.empty() ? "-" : To, EC);
  if (EC)
    return complain(To + ": cannot write: " + EC.message());
  writeReport(OS, R, F, W);
  OS.flush();
  if (!OS.has_error())
    return 0;
  EC = OS.error();
  OS.clear_error();
  return complain((To.empty() ? llvm::StringRef("standard output") : To) + ": cannot write the report: " + EC.message());
}

int record(const ReviewOptions &O, const Report &R) {
  auto C = Corpus::open(O.Record == "-" ? Corpus::defaultPath() : O.Record);
  if (!C)
    return complain(llvm::toString(C.takeError()));
  for (const FileReport &F : R.Files)
    if (F.Error.empty())
      if (llvm::Error E = (*C)->add(F, R.Tool))
        return complain(llvm::toString(std::move(E)));
  return 0;
}

/// For many files, how it went in one line.
void summary(const Report &R, const ReviewOptions &O) {
  if (O.Quiet || R.Files.size() < 2)
    return;
  size_t Count[4] = {};
  for (const FileReport &F : R.Files)
    ++Count[F.Error.empty() ? static_cast<int>(F.Result) : 3];
  llvm::errs() << R.Files.size() << " files: " << Count[0] << " pass, " << Count[1] << " review, " << Count[2] << " reject";
  if (Count[3])
    llvm::errs() << ", " << Count[3] << " not checked";
  llvm::errs() << "\n";
}

} // namespace

/// Calls Do with 0 … Count - 1, on so many threads; the first one is this thread.
static void onThreads(size_t Count, unsigned Threads, const std::function<void(size_t)> &Do) {
  std::atomic<size_t> Next = 0;
  auto work = [&] {
    for (size_t I = Next++; I < Count; I = Next++)
      Do(I);
  };
  std::list<llvm::thread> Others; // of a parse: deep recursion is usual
  constexpr unsigned StackBytes = 64u << 20;
  for (unsigned T = 1; T < Threads && T < Count; ++T)
    Others.emplace_back(std::optional<unsigned>(StackBytes), work);
  work();
  for (llvm::thread &T : Others)
    T.join();
}

static Report reportOn(ReviewSetup &S, const ReviewOptions &O, const Finish &Finish, unsigned Threads) {
  Report R;
  R.Tool = toolInfo();
  R.Files = reviewAll(S, O);
  std::vector<const Policy *> Policies;
  for (const std::string &File : S.Files) {
    auto P = S.Policies->forFile(File);
    Policies.push_back(P ? *P : (llvm::consumeError(P.takeError()), nullptr)); // a file without one has its error
  }
  onThreads(R.Files.size(), Threads, [&](size_t I) {
    if (R.Files[I].Error.empty())
      Finish(R.Files[I], *Policies[I]);
  });
  return R;
}

llvm::Expected<Report> cli::makeReport(const ReviewOptions &O, const Context &Ctx, const Finish &Finish, unsigned Threads) {
  auto Made = ReviewSetup::make(O, Ctx);
  if (!Made)
    return Made.takeError();
  return reportOn(**Made, O, Finish, Threads);
}

int cli::review(const ReviewOptions &O, const Context &Ctx, const Finish &Finish, unsigned Threads) {
  auto Made = ReviewSetup::make(O, Ctx);
  if (!Made)
    return complain(llvm::toString(Made.takeError()));
  ReviewSetup &S = **Made;
  Report R = reportOn(S, O, Finish, Threads);
  int Exit = 0;
  for (const FileReport &F : R.Files)
    Exit = std::max(Exit, !F.Error.empty() ? complain(F.Error) : F.Result >= S.FailFrom ? 1 : 0);
  Exit = std::max(Exit, write(O.Output, R, S.Form, {wantColor(O), O.Quiet}));
  if (!O.WriteBaselineReport.empty())
    Exit = std::max(Exit, write(O.WriteBaselineReport, R, Format::Json, {}));
  if (!O.Record.empty())
    Exit = std::max(Exit, record(O, R));
  summary(R, O);
  return Exit;
}

void cli::dropStaticFindings(FileReport &F) {
  llvm::erase_if(F.Static.Findings, [](const Finding &X) { return X.Rule != "kcheck-compile"; });
  conclude(F);
}

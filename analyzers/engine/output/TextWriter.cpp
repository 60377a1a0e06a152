// The report for a person: two blocks a file, one line a check, then the result.
//
//   [static_review] tanh_add.cu
//     + api: no findings
//     ~ 5:14 scalar_access: each thread moves one float [kcheck-perf-scalar-access]
//     verdict: REVIEW
//     reason: scalar_access
#include "analyzers/engine/output/Report.h"

using namespace kcheck;

namespace {

class TextWriter {
public:
  TextWriter(llvm::raw_ostream &OS, const WriteOptions &O) : OS(OS), O(O) {}

  void file(const FileReport &F) {
    if (!F.Error.empty()) {
      OS << "[static_review] " << F.File << "\n  ? not run: " << F.Error << "\nresult: ERROR\n";
      return;
    }
    staticBlock(F);
    dynamicBlock(F);
    OS << "result: ";
    verdict(F.Result);
    OS << "\n";
  }

private:
  void colored(llvm::StringRef Code, llvm::StringRef Text) {
    if (O.Color)
      OS << "\x1b[" << Code << "m" << Text << "\x1b[0m";
    else
      OS << Text;
  }

  void mark(Mark M) {
    OS << "  ";
    switch (M) {
    case Mark::Ok: colored("32", "+"); break;
    case Mark::Review: colored("33", "~"); break;
    case Mark::Reject: colored("1;31", "-"); break;
    case Mark::NotRun: colored("36", "?"); break;
    }
    OS << " ";
  }

  void verdict(Verdict V) {
    colored(V == Verdict::Pass ? "1;32" : V == Verdict::Review ? "1;33" : "1;31", toString(V));
  }

  void place(const Location &W, llvm::StringRef File) {
    if (!W.File.empty() && W.File != File)
      OS << W.File << ":";
    if (W.Line)
      OS << W.Line << ":" << W.Column << " ";
    else if (!W.File.empty() && W.File != File)
      OS << " ";
  }

  void finding(const Finding &F, llvm::StringRef File) {
    mark(F.Level == Severity::Reject ? Mark::Reject : F.Level == Severity::Review ? Mark::Review : Mark::Ok);
    place(F.Where, File);
    OS << F.Tag << ": " << F.Message << " [" << F.check() << (F.Level == Severity::Note ? ", note" : "") << "]\n";
    for (const FindingNote &N : F.Notes) {
      OS << "      ";
      place(N.Where, File);
      OS << N.Message << "\n";
    }
    for (const Fix &X : F.Fixes)
      OS << "      fix: " << X.Description << "\n";
  }

  void suppressed(const FileReport &F) {
    auto Counts = suppressedCounts(F);
    if (Counts.empty())
      return;
    mark(Mark::Ok);
    OS << "suppressed:";
    llvm::StringRef Sep = " ";
    for (auto &[By, Count] : Counts) {
      OS << Sep << Count << " by " << By;
      Sep = ", ";
    }
    OS << "\n";
  }

  void reasons(const std::vector<std::string> &Tags) {
    if (!Tags.empty())
      OS << "  reason: " << llvm::join(Tags, ", ") << "\n";
  }

  void staticBlock(const FileReport &F) {
    colored("1", "[static_review]");
    OS << " " << F.File << "\n";
    if (F.Static.Kernels.empty()) {
      mark(Mark::NotRun);
      OS << "no kernel is defined here\n";
    }
    if (!O.Quiet)
      for (auto &[Rule, Text] : passedGroups(F)) {
        mark(Mark::Ok);
        OS << Text << "\n";
      }
    std::vector<Reason> Tags;
    for (const Finding &X : F.Static.Findings) {
      if (X.Suppressed || (O.Quiet && X.Level == Severity::Note))
        continue;
      finding(X, F.File);
      if (X.Level >= Severity::Review)
        Tags.push_back({X.Tag, X.Level});
    }
    suppressed(F);
    OS << "  verdict: ";
    verdict(F.Static.Result);
    OS << (F.Dynamic.State != "not_run" && F.Static.Result != Verdict::Reject ? " (enters dynamic track)" : "") << "\n";
    std::stable_sort(Tags.begin(), Tags.end(), [](const Reason &A, const Reason &B) { return A.Level > B.Level; });
    std::vector<std::string> Unique;
    for (const Reason &R : Tags)
      if (!llvm::is_contained(Unique, R.Tag))
        Unique.push_back(R.Tag);
    reasons(Unique);
  }

  void dynamicBlock(const FileReport &F) {
    const DynamicTrack &D = F.Dynamic;
    colored("1", "[dynamic_check]");
    OS << " " << D.Device << "\n";
    for (const CheckLine &L : D.Lines) {
      mark(L.Kind);
      OS << L.Text << "\n";
    }
    if (D.State == "not_run" && D.Lines.empty()) {
      mark(Mark::NotRun);
      OS << "not run: " << D.Why << "\n";
    }
    for (const Finding &X : D.Findings)
      if (!O.Quiet || X.Level > Severity::Note)
        finding(X, F.File);
    if (D.Result) {
      OS << "  verdict: ";
      verdict(*D.Result);
      OS << "\n";
    }
    std::vector<std::string> Tags;
    auto add = [&](const std::string &Tag, Severity Level) {
      if (Level >= Severity::Review && !llvm::is_contained(Tags, Tag))
        Tags.push_back(Tag);
    };
    for (const Finding &X : D.Findings)
      add(X.Tag, X.Level);
    for (const Reason &R : D.Reasons)
      add(R.Tag, R.Level);
    reasons(Tags);
  }

  llvm::raw_ostream &OS;
  const WriteOptions &O;
};

} // namespace

void kcheck::writeText(llvm::raw_ostream &OS, const Report &R, const WriteOptions &O) {
  TextWriter W(OS, O);
  bool First = true;
  for (const FileReport &F : R.Files) {
    if (!First)
      OS << "\n";
    First = false;
    W.file(F);
  }
}

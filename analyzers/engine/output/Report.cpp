#include "analyzers/engine/output/Report.h"
#include <algorithm>

using namespace kcheck;

llvm::StringRef kcheck::toString(Verdict V) {
  switch (V) {
  case Verdict::Pass: return "PASS";
  case Verdict::Review: return "REVIEW";
  case Verdict::Reject: return "REJECT";
  }
  return "REVIEW";
}

Verdict kcheck::verdictOf(Severity S) {
  if (S == Severity::Reject)
    return Verdict::Reject;
  return S == Severity::Review ? Verdict::Review : Verdict::Pass;
}

static bool before(const Finding &A, const Finding &B) {
  return std::tie(A.Where.File, A.Where.Line, A.Where.Column, A.Cmpd, A.Tag) <
         std::tie(B.Where.File, B.Where.Line, B.Where.Column, B.Cmpd, B.Tag);
}

FileReport kcheck::makeFileReport(LintResult R, llvm::StringRef Text) {
  FileReport F;
  F.File = std::move(R.File);
  F.Text = Text.str();
  F.Error = std::move(R.Error);
  F.Static.ElapsedMs = R.ElapsedMs;
  F.Static.Arch = std::move(R.Arch);
  F.Static.HasToolkit = R.HasToolkit;
  F.Static.MissingHeaders = std::move(R.MissingHeaders);
  F.Static.Kernels = std::move(R.Kernels);
  F.Static.Passed = std::move(R.Passed);
  F.Static.Findings = std::move(R.Findings);
  std::stable_sort(F.Static.Findings.begin(), F.Static.Findings.end(), before);
  F.Coverage.push_back("static");
  if (R.HostViewToo)
    F.Coverage.push_back("host_view");
  conclude(F);
  return F;
}

void kcheck::conclude(FileReport &F) {
  std::vector<Reason> All;
  F.Static.Result = Verdict::Pass;
  for (const Finding &X : F.Static.Findings) {
    if (X.Suppressed || X.Level < Severity::Review)
      continue;
    F.Static.Result = std::max(F.Static.Result, verdictOf(X.Level));
    All.push_back({X.Tag, X.Level});
  }
  F.Result = F.Static.Result;
  for (const Finding &X : F.Dynamic.Findings) {
    if (X.Suppressed || X.Level < Severity::Review)
      continue;
    if (F.Dynamic.Result)
      F.Dynamic.Result = std::max(*F.Dynamic.Result, verdictOf(X.Level));
    F.Result = std::max(F.Result, verdictOf(X.Level));
    All.push_back({X.Tag, X.Level});
  }
  if (F.Dynamic.Result)
    F.Result = std::max(F.Result, *F.Dynamic.Result);
  for (const Reason &R : F.Dynamic.Reasons) {
    F.Result = std::max(F.Result, verdictOf(R.Level));
    if (R.Level >= Severity::Review)
      All.push_back(R);
  }
  std::stable_sort(All.begin(), All.end(), [](const Reason &A, const Reason &B) { return A.Level > B.Level; });
  F.Reasons.clear();
  for (const Reason &R : All)
    if (!llvm::is_contained(F.Reasons, R.Tag))
      F.Reasons.push_back(R.Tag);
}

std::map<std::string, unsigned> kcheck::suppressedCounts(const FileReport &F) {
  std::map<std::string, unsigned> Counts;
  for (const Finding &X : F.Static.Findings)
    if (X.Suppressed)
      ++Counts[X.SuppressedBy];
  return Counts;
}

static constexpr llvm::StringRef Names[] = {"text", "json", "sarif", "html", "github", "junit"};

llvm::ArrayRef<llvm::StringRef> kcheck::formatNames() { return Names; }

std::optional<Format> kcheck::parseFormat(llvm::StringRef Name) {
  for (size_t I = 0; I < std::size(Names); ++I)
    if (Names[I] == Name)
      return static_cast<Format>(I);
  return std::nullopt;
}

void kcheck::writeReport(llvm::raw_ostream &OS, const Report &R, Format F, const WriteOptions &O) {
  switch (F) {
  case Format::Text: return writeText(OS, R, O);
  case Format::Json: return writeJson(OS, R);
  case Format::Sarif: return writeSarif(OS, R);
  case Format::Html: return writeHtml(OS, R);
  case Format::Github: return writeGithub(OS, R);
  case Format::Junit: return writeJunit(OS, R);
  }
}

// Workflow commands of GitHub Actions: each finding becomes an annotation at its line.
//   ::error file=a.cu,line=12,col=5,title=kcheck-sync-barrier-divergence::message
#include "analyzers/engine/output/Report.h"

using namespace kcheck;

static std::string escape(llvm::StringRef T, bool Property) {
  std::string Out;
  for (char C : T)
    if (C == '%')
      Out += "%25";
    else if (C == '\r')
      Out += "%0D";
    else if (C == '\n')
      Out += "%0A";
    else if (Property && C == ':')
      Out += "%3A";
    else if (Property && C == ',')
      Out += "%2C";
    else
      Out += C;
  return Out;
}

static llvm::StringRef command(Severity S) { return S == Severity::Reject ? "error" : S == Severity::Review ? "warning" : "notice"; }

static void annotate(llvm::raw_ostream &OS, Severity S, llvm::StringRef File, const Location &W, llvm::StringRef Title, llvm::StringRef Message) {
  OS << "::" << command(S) << " file=" << escape(W.File.empty() ? File : llvm::StringRef(W.File), true);
  if (W.Line)
    OS << ",line=" << W.Line;
  if (W.Column)
    OS << ",col=" << W.Column;
  OS << ",title=" << escape(Title, true) << "::" << escape(Message, false) << "\n";
}

void kcheck::writeGithub(llvm::raw_ostream &OS, const Report &R) {
  for (const FileReport &F : R.Files) {
    if (!F.Error.empty()) {
      annotate(OS, Severity::Reject, F.File, {}, "kcheck", F.Error);
      continue;
    }
    std::vector<const Finding *> All;
    for (const auto *List : {&F.Static.Findings, &F.Dynamic.Findings})
      for (const Finding &X : *List)
        All.push_back(&X);
    for (const Finding *Each : All) {
      const Finding &X = *Each;
      if (X.Suppressed)
        continue;
      std::string Message = X.Message;
      for (const FindingNote &N : X.Notes)
        Message += "\n" + (N.Where.Line ? "line " + std::to_string(N.Where.Line) + ": " : std::string()) + N.Message;
      annotate(OS, X.Level, F.File, X.Where, X.check(), Message);
    }
    for (const Reason &D : F.Dynamic.Reasons)
      annotate(OS, D.Level, F.File, {}, "kcheck-dynamic-" + D.Tag, "dynamic check: " + D.Tag);
  }
}

#include "analyzers/engine/Driver.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck;

int main(int Argc, char **Argv) {
  llvm::json::Array Results;
  int Exit = 0;
  for (int I = 2; I < Argc; ++I) {
    if (Argv[I][0] == '-') { ++I; continue; }
    auto Buffer = llvm::MemoryBuffer::getFile(Argv[I]);
    if (!Buffer) {
      llvm::errs() << "kcheck: " << Argv[I] << ": " << Buffer.getError().message() << "\n";
      return 2;
    }
    LintResult R = lint(Argv[I], (*Buffer)->getBuffer(), {}, Policy::builtin());
    Severity Worst = Severity::Off;
    llvm::json::Array Findings;
    for (Finding &F : R.Findings) {
      Worst = std::max(Worst, F.Level);
      Findings.push_back(llvm::json::Object{{"rule", F.Rule}, {"check", F.check()}, {"tag", F.Tag},
        {"cmpd", F.Cmpd.size() == 1 && isdigit(F.Cmpd[0]) ? llvm::json::Value(F.Cmpd[0] - '0') : llvm::json::Value(F.Cmpd)},
        {"severity", toString(F.Level)}, {"line", F.Where.Line}, {"column", F.Where.Column},
        {"message", F.Message}, {"kernel", F.Kernel}, {"evidence", std::move(F.Evidence)}});
    }
    llvm::StringRef Verdict = Worst >= Severity::Reject ? "REJECT" : Worst >= Severity::Review ? "REVIEW" : "PASS";
    Exit = std::max(Exit, Verdict == "REJECT" ? 1 : 0);
    Results.push_back(llvm::json::Object{{"file", R.File}, {"verdict", Verdict},
      {"static", llvm::json::Object{{"verdict", Verdict}, {"elapsed_ms", R.ElapsedMs}, {"findings", std::move(Findings)}}}});
  }
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{{"schema", "kcheck.report/1"}, {"results", std::move(Results)}}));
  return Exit;
}

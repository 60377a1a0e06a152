// JUnit XML: a suite a file, a test case a rule, one more for the dynamic track. A reject is a failure, a
// review is a skipped test with its message, what could not be checked is an error.
#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/output/Xml.h"

using namespace kcheck;

namespace {

struct Case {
  std::string Name, Text;
  Severity Worst = Severity::Off;
  bool NotRun = false;
};

std::vector<Case> cases(const FileReport &F) {
  std::vector<Case> Out;
  for (const RegisteredRule &R : allRules()) {
    if (llvm::is_contained(F.Static.RulesOff, R.Info.Id))
      continue;
    Case C{R.Info.Id.str(), "", Severity::Off, false};
    for (const Finding &X : F.Static.Findings) {
      if (X.Suppressed || X.Rule != R.Info.Id || X.Level < Severity::Review)
        continue;
      C.Worst = std::max(C.Worst, X.Level);
      C.Text += llvm::formatv("{0}:{1}:{2}: {3}: {4}\n", F.File, X.Where.Line, X.Where.Column, X.Tag, X.Message).str();
    }
    Out.push_back(std::move(C));
  }
  Case D{"dynamic", "", Severity::Off, F.Dynamic.State == "not_run"};
  if (D.NotRun)
    D.Text = "not run: " + F.Dynamic.Why;
  for (const Finding &X : F.Dynamic.Findings) {
    D.Worst = std::max(D.Worst, X.Level);
    D.Text += llvm::formatv("{0}:{1}:{2}: {3}: {4}\n", F.File, X.Where.Line, X.Where.Column, X.Tag, X.Message).str();
  }
  for (const Reason &R : F.Dynamic.Reasons) {
    D.Worst = std::max(D.Worst, R.Level);
    D.Text += R.Tag + "\n";
  }
  Out.push_back(std::move(D));
  return Out;
}

void testCase(llvm::raw_ostream &OS, const Case &C, const FileReport &F) {
  OS << "    <testcase classname=\"" << xmlEscape(F.File) << "\" name=\"" << xmlEscape(C.Name) << "\"";
  llvm::StringRef First = llvm::StringRef(C.Text).split('\n').first;
  if (C.Worst == Severity::Reject)
    OS << "><failure type=\"reject\" message=\"" << xmlEscape(First) << "\">" << xmlEscape(C.Text) << "</failure></testcase>\n";
  else if (C.Worst == Severity::Review)
    OS << "><skipped message=\"review: " << xmlEscape(First) << "\"/><system-out>" << xmlEscape(C.Text) << "</system-out></testcase>\n";
  else if (C.NotRun)
    OS << "><skipped message=\"" << xmlEscape(First) << "\"/></testcase>\n";
  else
    OS << "/>\n";
}

void suite(llvm::raw_ostream &OS, const FileReport &F) {
  std::string Seconds = llvm::formatv("{0:f4}", F.Static.ElapsedMs / 1000).str();
  if (!F.Error.empty()) {
    OS << "  <testsuite name=\"" << xmlEscape(F.File) << "\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"" << Seconds << "\">\n"
       << "    <testcase classname=\"" << xmlEscape(F.File) << "\" name=\"kcheck\"><error message=\"" << xmlEscape(F.Error)
       << "\"/></testcase>\n  </testsuite>\n";
    return;
  }
  std::vector<Case> All = cases(F);
  size_t Failures = llvm::count_if(All, [](const Case &C) { return C.Worst == Severity::Reject; });
  size_t Skipped = llvm::count_if(All, [](const Case &C) { return C.Worst == Severity::Review || (C.NotRun && C.Worst < Severity::Review); });
  OS << "  <testsuite name=\"" << xmlEscape(F.File) << "\" tests=\"" << All.size() << "\" failures=\"" << Failures
     << "\" errors=\"0\" skipped=\"" << Skipped << "\" time=\"" << Seconds << "\">\n";
  for (const Case &C : All)
    testCase(OS, C, F);
  OS << "  </testsuite>\n";
}

} // namespace

void kcheck::writeJunit(llvm::raw_ostream &OS, const Report &R) {
  OS << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kcheck\">\n";
  for (const FileReport &F : R.Files)
    suite(OS, F);
  OS << "</testsuites>\n";
}

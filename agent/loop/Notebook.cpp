// notebook.md: what an engineer would have written down.
#include "agent/loop/Folder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kcheck;
using namespace kcheck::agent;

namespace {

std::string ms(const Measurement &M) { return llvm::formatv("{0:f4} ms{1}", M.Ms, M.Modelled ? " (modelled)" : ""); }

std::string limitsOf(const Diagnosis &D) {
  std::string Text;
  for (size_t I = 0; I < D.Found.size() && I < 3; ++I)
    Text += (I ? "; " : "") + D.Found[I].Label + ": " + D.Found[I].Evidence;
  return Text.empty() ? "nothing that the counters show" : Text;
}

std::string roofline(const Diagnosis &D) { return D.RooflineShare > 0 ? llvm::formatv(", {0:f0} % of the {1} roofline", D.RooflineShare * 100, D.Ceiling).str() : std::string(); }

std::string conclusion(const Outcome &O) {
  if (!O.good()) {
    std::string Text = "no number: " + O.Failure + " (" + toString(O.Reached).str() + ")";
    llvm::StringRef First = llvm::StringRef(O.Message).split('\n').first;
    return Text + (First.empty() ? "" : ", " + First.str());
  }
  std::string Text = verdictOn(O).str();
  Text += O.Gain > 0.99 && O.Gain < 1.01 ? ": as fast as" : llvm::formatv(": {0:f2}x as fast as", O.Gain).str();
  Text += " `" + O.What.heldAgainst() + "`";
  if (O.What.PredictedGain > 0)
    Text += llvm::formatv(" ({0:f2}x was expected)", O.What.PredictedGain);
  return Text + "; now limited by " + limitsOf(O.Why);
}

void entry(llvm::raw_ostream &OS, const Outcome &O) {
  OS << "\n### " << O.What.Id << (O.What.Varies.empty() ? ", on " + O.What.Parent : ", " + O.What.Varies + " with one step changed") << "\n\n";
  if (!O.What.Hypothesis.empty())
    OS << "- hypothesis: " << O.What.Hypothesis << "\n";
  OS << "- change: " << (O.What.Source ? "an edited source" : toString(O.What.Steps)) << "\n";
  if (O.good())
    OS << "- measurement: " << ms(O.Measured) << llvm::formatv(", {0:f2}x of the start", O.Speedup) << roofline(O.Why) << ", " << O.Verdict
       << (O.Reasons.empty() ? "" : " (" + llvm::join(O.Reasons, ", ") + ")") << "\n";
  OS << "- conclusion: " << conclusion(O) << "\n";
}

/// What a round taught beyond its entries.
void learned(llvm::raw_ostream &OS, const Round &X) {
  auto [Best, Worst] = distinguishing(X);
  if (!Best.empty())
    OS << "\nOnly the best of this round have: " << llvm::join(Best, ", ") << ".\n";
  if (!Worst.empty())
    OS << "\nOnly the last have: " << llvm::join(Worst, ", ") << ".\n";
}

llvm::StringRef whyStopped(llvm::StringRef Word) {
  return Word == "roofline"   ? "the roofline is reached"
         : Word == "no_gain"  ? "two rounds in a row gained less than asked for"
         : Word == "cancelled" ? "it was cancelled"
                               : "all rounds are used up";
}

} // namespace

std::string agent::notebook(const LoopResult &R, const Context &C, const std::vector<std::pair<unsigned, std::string>> &Analyses) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  const Outcome &Start = R.Rounds.front().Outcomes.front(), &W = R.winner();
  OS << "# " << (C.Operator.empty() ? std::string("A kernel") : C.Operator) << ": from " << ms(Start.Measured) << " to " << ms(W.Measured)
     << llvm::formatv(" ({0:f2}x)", R.Speedup) << "\n\n";
  OS << "Device: " << Start.Measured.Device << ". Tuned for " << C.TunedShape << ".";
  if (Start.Measured.Modelled)
    OS << " Times are those of a cost model, not of a clock.";
  OS << "\n\n## The kernel as it came\n\n" << ms(Start.Measured) << roofline(Start.Why) << ". Limited by " << limitsOf(Start.Why) << ".\n";
  for (const Round &X : llvm::ArrayRef(R.Rounds).drop_front()) {
    OS << "\n## Round " << X.Number << "\n";
    for (const auto &[Number, Analysis] : Analyses)
      if (Number == X.Number && !Analysis.empty())
        OS << "\n" << Analysis << "\n";
    for (const Outcome &O : X.Outcomes)
      entry(OS, O);
    learned(OS, X);
    OS << "\nAfter this round: `" << X.Best << llvm::formatv("`, {0:f4} ms.\n", X.BestMs);
  }
  OS << "\n## Result\n\n`" << R.Winner << "`, " << ms(W.Measured) << llvm::formatv(", {0:f2}x of the start", R.Speedup) << roofline(W.Why) << ". Stopped because "
     << whyStopped(R.Stopped) << ".\n";
  if (!R.Shapes.empty())
    OS << "\n| shape | start ms | winner ms | |\n|---|---|---|---|\n";
  for (const DispatchRule &D : R.Shapes)
    OS << "| " << D.Shape << llvm::formatv(" | {0:f4} | {1:f4} | {2} |\n", D.StartMs, D.WinnerMs, D.Best == R.Winner ? "" : llvm::formatv("{0} is faster, {1:f4} ms", D.Best, D.Ms).str());
  if (!R.Dispatch.empty())
    OS << "\nThe fastest depends on the shape: " << R.Dispatch << ".\n";
  for (const std::string &Warning : R.Warnings)
    OS << "\nWarning: " << Warning << ".\n";
  return Text;
}

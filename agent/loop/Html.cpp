// report.html: for the engineer who decides. Nothing is fetched from anywhere; charts are SVG.
#include "agent/loop/Folder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

std::string escape(llvm::StringRef Text) {
  std::string Out;
  for (char C : Text)
    Out += C == '&' ? std::string("&amp;") : C == '<' ? "&lt;" : C == '>' ? "&gt;" : C == '"' ? "&quot;" : std::string(1, C);
  return Out;
}

constexpr llvm::StringLiteral Style = R"(body{font:15px/1.45 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.8em}table{border-collapse:collapse;display:block;overflow-x:auto}th,td.n,td:first-child,td:nth-child(2){white-space:nowrap}.wide td:nth-child(3){min-width:13em;overflow-wrap:anywhere}.wide td:last-child{min-width:17em}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}pre{overflow-x:auto;background:#f6f6f6;padding:.7em;font-size:13px}
.add{background:#dfd}.del{background:#fdd}.at{color:#667}.bad{color:#a22}.note{background:#fff6d8;padding:.5em .8em}
h1,p{overflow-wrap:anywhere}.note{border-radius:6px}pre{border-radius:6px}svg{max-width:100%;max-height:24em;overflow:visible}svg text{font:12px system-ui,sans-serif;fill:#333}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}pre{background:#22252a}td,th{border-color:#3a3d42}.add{background:#143d1c}.del{background:#4a1a1a}.note{background:#3d3510}svg text{fill:#ccc}}
@media(max-width:40em){body{margin:1em auto}svg text{font-size:15px}}
)";

struct Scale {
  double Low, High, From, To;
  bool Log;
  double operator()(double X) const {
    double A = Log ? std::log10(Low) : Low, B = Log ? std::log10(High) : High, V = Log ? std::log10(X) : X;
    return B > A ? From + (To - From) * (V - A) / (B - A) : From;
  }
};

std::string text(double X, double Y, llvm::StringRef What, llvm::StringRef Anchor = "start") {
  return llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\">{3}</text>", X, Y, Anchor, escape(What));
}
std::string line(double X1, double Y1, double X2, double Y2, llvm::StringRef Colour, llvm::StringRef More = "") {
  return llvm::formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" y2=\"{3:f1}\" stroke=\"{4}\" {5}/>", X1, Y1, X2, Y2, Colour, More);
}
std::string dot(double X, double Y, llvm::StringRef Colour, llvm::StringRef Title, double Radius = 4) {
  return llvm::formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"{2:f1}\" fill=\"{3}\"><title>{4}</title></circle>", X, Y, Radius, Colour, escape(Title));
}

/// Time of every candidate by round, and the best so far.
std::string roundsChart(const LoopResult &R) {
  double Low = R.StartMs, High = R.StartMs, Floor = R.Rounds.front().Outcomes.front().Measured.FloorMs;
  for (const Round &X : R.Rounds)
    for (const Outcome &O : X.Outcomes)
      if (O.good())
        Low = std::min(Low, O.Measured.Ms), High = std::max(High, O.Measured.Ms);
  if (Floor > 0)
    Low = std::min(Low, Floor);
  constexpr double W = 680, H = 300, Left = 70, Bottom = 30;
  Scale Y{Low * 0.9, High * 1.1, H - Bottom, 12, true}, X{0, double(std::max<size_t>(1, R.Rounds.size() - 1)), Left + 20, W - 30, false};
  std::string S = llvm::formatv("<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"time of each candidate by round\">", W, H);
  for (double V : {High, std::sqrt(High * Low), Low})
    S += line(Left, Y(V), W, Y(V), "#8884") + text(Left - 6, Y(V) + 4, llvm::formatv("{0:f3} ms", V).str(), "end");
  if (Floor > 0)
    S += line(Left, Y(Floor), W, Y(Floor), "#2a7", "stroke-dasharray=\"5 4\"") + text(W - 4, Y(Floor) - 5, "roofline", "end");
  double PX = 0, PY = 0;
  for (const Round &A : R.Rounds) {
    double At = X(A.Number), Best = Y(A.Number ? A.BestMs : R.StartMs);
    if (A.Number)
      S += line(PX, PY, At, Best, "#36c", "stroke-width=\"2\"");
    PX = At, PY = Best;
    S += text(At, H - 8, A.Number ? "round " + std::to_string(A.Number) : std::string("start"), "middle");
    for (const Outcome &O : A.Outcomes)
      if (O.good())
        S += dot(At, Y(O.Measured.Ms), O.What.Id == R.Winner ? "#d60" : "#36c", llvm::formatv("{0}: {1:f4} ms", O.What.Id, O.Measured.Ms).str(), O.What.Id == R.Winner ? 6 : 4);
  }
  return S + "</svg>";
}

/// Work over traffic of the operator, and what start and winner make of it.
std::string rooflinePlot(const LoopResult &R) {
  const Measurement &M = R.Rounds.front().Outcomes.front().Measured, &B = R.winner().Measured;
  if (M.CopyGBs <= 0 || M.FmaGflops <= 0 || M.Bytes <= 0 || M.Flops <= 0)
    return "<p>Not drawn: the operator's work, its traffic or the device's ceilings are not known.</p>";
  double Intensity = M.Flops / M.Bytes, Ridge = M.FmaGflops / M.CopyGBs;
  double Slow = M.Flops / (M.Ms * 1e6), Fast = M.Flops / (B.Ms * 1e6);
  constexpr double W = 680, H = 300, Left = 90, Bottom = 40;
  Scale X{std::min(Intensity, Ridge) / 10, std::max(Intensity, Ridge) * 10, Left, W - 20, true};
  Scale Y{std::min(Slow, M.CopyGBs * X.Low) / 2, M.FmaGflops * 2, H - Bottom, 12, true};
  std::string S = llvm::formatv("<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"roofline\">", W, H);
  S += line(X(X.Low), Y(M.CopyGBs * X.Low), X(Ridge), Y(M.FmaGflops), "#2a7", "stroke-width=\"2\"") + line(X(Ridge), Y(M.FmaGflops), X(X.High), Y(M.FmaGflops), "#2a7", "stroke-width=\"2\"");
  S += text(W - 20, Y(M.FmaGflops) - 6, llvm::formatv("{0:f1} TFLOP/s", M.FmaGflops / 1000).str(), "end") + text(X(X.Low) + 4, Y(M.CopyGBs * X.Low) - 10, llvm::formatv("{0:f0} GB/s", M.CopyGBs).str());
  S += line(X(Intensity), Y(Y.Low), X(Intensity), 12, "#8886", "stroke-dasharray=\"3 3\"");
  S += dot(X(Intensity), Y(Slow), "#36c", "start") + text(X(Intensity) - 8, Y(Slow) + 4, llvm::formatv("start, {0:f2} TFLOP/s", Slow / 1000).str(), "end");
  S += dot(X(Intensity), Y(Fast), "#d60", "winner", 6) + text(X(Intensity) + 8, Y(Fast) + 4, llvm::formatv("winner, {0:f2} TFLOP/s", Fast / 1000).str());
  S += text((Left + W) / 2, H - 8, "FLOP a byte of least traffic", "middle");
  return S + "</svg>";
}

/// How many candidates came how far, and how the gains spread.
std::string histograms(const LoopResult &R) {
  std::map<std::string, unsigned> Ends;
  std::vector<double> Gains;
  for (const Round &X : llvm::ArrayRef(R.Rounds).drop_front())
    for (const Outcome &O : X.Outcomes) {
      ++Ends[O.good() ? "measured" : O.Failure];
      if (O.good())
        Gains.push_back(O.Gain);
    }
  std::string S = "<table><tr><th>end<th class=n>candidates<th></tr>";
  for (const auto &[End, N] : Ends)
    S += "<tr><td>" + escape(End) + "<td class=n>" + std::to_string(N) + "<td><svg width=\"" + std::to_string(12 * N) + "\" height=\"10\"><rect width=\"100%\" height=\"10\" fill=\"#36c\"/></svg>";
  S += "</table><h3>Gain over the parent</h3><table>";
  constexpr double Edges[] = {0, 0.5, 0.9, 1.0, 1.1, 1.5, 2, 4, 1e9};
  for (size_t I = 0; I + 1 < std::size(Edges); ++I) {
    size_t N = size_t(llvm::count_if(Gains, [&](double G) { return G >= Edges[I] && G < Edges[I + 1]; }));
    std::string Name = I + 2 == std::size(Edges) ? "4x and more" : llvm::formatv("{0:f1}x to {1:f1}x", Edges[I], Edges[I + 1]).str();
    S += "<tr><td>" + Name + "<td class=n>" + std::to_string(N) + "<td><svg width=\"" + std::to_string(12 * N) + "\" height=\"10\"><rect width=\"100%\" height=\"10\" fill=\"#36c\"/></svg>";
  }
  return S + "</table>";
}

std::string diffHtml(llvm::StringRef Diff) {
  std::string S = "<pre>";
  while (!Diff.empty()) {
    auto [L, Rest] = Diff.split('\n');
    const char *Class = L.starts_with("+") ? "add" : L.starts_with("-") ? "del" : L.starts_with("@@") ? "at" : "";
    S += llvm::formatv("<span class=\"{0}\">{1}</span>\n", Class, escape(L));
    Diff = Rest;
  }
  return S + "</pre>";
}

std::string candidateRow(const Outcome &O, const LoopResult &R) {
  std::string S = llvm::formatv("<tr><td>{0}{1}<td>{2}<td>{3}", O.What.Id == R.Winner ? "<b>winner</b> " : "", escape(O.What.Id), escape(O.What.Parent),
                                escape(O.What.Source ? "an edited source" : toString(O.What.Steps)));
  if (O.good())
    S += llvm::formatv("<td class=n>{0:f4}<td class=n>{1:f2}x<td class=n>{2:f2}x<td>{3}", O.Measured.Ms, O.Speedup, O.Gain, O.Why.Found.empty() ? "" : escape(O.Why.Found.front().Label));
  else
    S += "<td colspan=4 class=bad>" + escape(O.Failure) + "<details><summary>message</summary><pre>" + escape(O.Message) + "</pre></details>";
  return S + "<td>" + escape(O.Verdict + (O.Reasons.empty() ? "" : ": " + llvm::join(O.Reasons, ", "))) + "<td>" + escape(O.What.Hypothesis) + "</tr>\n";
}

std::string shapesTable(const LoopResult &R) {
  if (R.Shapes.empty())
    return "";
  std::string S = "<h2>Every shape of the task</h2><table><tr><th>shape<th>start ms<th>winner ms<th>gain<th>fastest</tr>";
  for (const DispatchRule &D : R.Shapes)
    S += llvm::formatv("<tr><td>{0}<td class=n>{1:f4}<td class=n>{2:f4}<td class=n>{3:f2}x<td>{4}", escape(D.Shape), D.StartMs, D.WinnerMs, D.WinnerMs > 0 ? D.StartMs / D.WinnerMs : 0, escape(D.Best));
  return S + "</table>" + (R.Dispatch.empty() ? "" : "<p class=note>The fastest depends on the shape: " + escape(R.Dispatch) + ".</p>");
}

} // namespace

std::string agent::htmlReport(const LoopResult &R, const Context &C) {
  const Outcome &Start = R.Rounds.front().Outcomes.front(), &W = R.winner();
  std::string Title = (C.Operator.empty() ? "kernel" : C.Operator) + llvm::formatv(": {0:f4} ms to {1:f4} ms, {2:f2}x", R.StartMs, R.BestMs, R.Speedup).str();
  std::string S = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>" + escape(Title) + "</title><style>" + Style.str() +
                  "</style><h1>" + escape(Title) + "</h1><p>" + escape(Start.Measured.Device) + ", tuned for " + escape(C.TunedShape) + ", stopped: " + escape(R.Stopped) + ".</p>";
  if (Start.Measured.Modelled)
    S += "<p class=note>Times are modelled from simulated counters, not measured. They rank candidates; they are no promise.</p>";
  for (const std::string &Warning : R.Warnings)
    S += "<p class=note>" + escape(Warning) + "</p>";
  S += "<h2>Rounds</h2>" + roundsChart(R) + "<h2>Roofline</h2>" + rooflinePlot(R);
  if (W.Why.RooflineShare > 0)
    S += llvm::formatv("<p>The winner reaches {0:f0} % of the {1} roofline; the start reached {2:f0} %.</p>", W.Why.RooflineShare * 100, W.Why.Ceiling, Start.Why.RooflineShare * 100);
  S += shapesTable(R) + "<h2>The winner's change</h2>" + diffHtml(lineDiff(C.Source, W.Text, "start -> " + W.What.Id));
  S += "<h2>Candidates</h2><table class=wide><tr><th>id<th>on<th>change<th>ms<th>of start<th>of parent<th>limited by<th>verdict<th>hypothesis</tr>";
  for (const Round &X : llvm::ArrayRef(R.Rounds).drop_front())
    for (const Outcome &O : X.Outcomes)
      S += candidateRow(O, R);
  return S + "</table><h2>How far they came</h2>" + histograms(R) + "</html>\n";
}

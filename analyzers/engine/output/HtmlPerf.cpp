// Time, roofline and counters of the dynamic track for a person's eye. Inline SVG, no script; what was not measured is said, not drawn.
#include "analyzers/engine/output/HtmlParts.h"
#include "analyzers/engine/output/Xml.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
namespace json = llvm::json;

namespace {

double number(const json::Object &O, llvm::StringRef Key) { return O.getNumber(Key).value_or(0); }

/// Three significant digits, as people write them.
std::string digits(double V) {
  char Text[32];
  if (V >= 1000)
    std::snprintf(Text, sizeof Text, "%.0f", V);
  else
    std::snprintf(Text, sizeof Text, "%.3g", V);
  return Text;
}
std::string duration(double Ms) { return Ms >= 1 ? digits(Ms) + " ms" : digits(Ms * 1000) + " µs"; }

//===- time ----------------------------------------------------------------===//

constexpr double Left = 98, Width = 428, RowHeight = 34;

/// One row: whisker from the best run, box of the middle half, median.
void timingRow(llvm::raw_ostream &OS, const json::Object &T, llvm::StringRef Name, double Y, double Most) {
  auto X = [&](double Ms) { return Left + Width * Ms / Most; };
  double Least = number(T, "least_ms"), Low = number(T, "low_ms"), Median = number(T, "median_ms"), High = number(T, "high_ms");
  OS << llvm::formatv("<text x=\"{0}\" y=\"{1}\" class=\"lab\" text-anchor=\"end\">{2}</text>", Left - 8, Y + 4, Name)
     << llvm::formatv("<line x1=\"{0:f1}\" x2=\"{1:f1}\" y1=\"{2}\" y2=\"{2}\" class=\"whisker\"/>", X(Least > 0 ? Least : Low), X(High), Y)
     << llvm::formatv("<rect x=\"{0:f1}\" y=\"{1}\" width=\"{2:f1}\" height=\"16\" rx=\"3\" class=\"{3}\"/>", X(Low), Y - 8, std::max(2.0, X(High) - X(Low)), Name)
     << llvm::formatv("<line x1=\"{0:f1}\" x2=\"{0:f1}\" y1=\"{1}\" y2=\"{2}\" class=\"median\"/>", X(Median), Y - 11, Y + 11)
     << llvm::formatv("<text x=\"{0:f1}\" y=\"{1}\" class=\"val\">{2}</text>", std::min(X(High) + 6, Left + Width + 4), Y + 4, duration(Median));
}

void timing(llvm::raw_ostream &OS, const json::Object &P) {
  const json::Object *Candidate = P.getObject("candidate"), *Baseline = P.getObject("baseline");
  if (!Candidate)
    return;
  double Floor = number(P, "floor_ms");
  double Most = std::max({number(*Candidate, "high_ms"), Baseline ? number(*Baseline, "high_ms") : 0, Floor}) * 1.02;
  if (!(Most > 0))
    return;
  double Height = (Baseline ? 2 : 1) * RowHeight + 30;
  OS << "<figure class=\"plot\"><svg viewBox=\"0 0 600 " << Height << "\" role=\"img\" aria-label=\"time of each run\">";
  double Y = 22;
  if (Floor > 0) {
    double X = Left + Width * Floor / Most;
    OS << llvm::formatv("<line x1=\"{0:f1}\" x2=\"{0:f1}\" y1=\"4\" y2=\"{1}\" class=\"roof\"/>", X, Height - 18)
       << llvm::formatv("<text x=\"{0:f1}\" y=\"{1}\" class=\"lab\" text-anchor=\"middle\">roofline {2}</text>", std::max(X, Left + 40), Height - 5, duration(Floor));
  }
  if (Baseline)
    timingRow(OS, *Baseline, "baseline", Y, Most), Y += RowHeight;
  timingRow(OS, *Candidate, "candidate", Y, Most);
  OS << "</svg><figcaption>" << digits(number(*Candidate, "samples")) << " runs at " << xmlEscape(P.getString("shape").value_or(""))
     << ": best run, middle half, median";
  if (const json::Object *R = P.getObject("ratio"))
    OS << "; " << digits(number(*R, "value")) << "x the baseline's time (" << digits(number(*R, "low")) << " to " << digits(number(*R, "high")) << ")";
  OS << "</figcaption></figure>\n";
}

//===- roofline --------------------------------------------------------------===//

/// Log-log axes, a decade apart.
struct Axes {
  double X0, X1, Y0, Y1; ///< decades
  static constexpr double L = 52, R = 590, T = 12, B = 208;
  double x(double V) const { return L + (R - L) * (std::log10(V) - X0) / (X1 - X0); }
  double y(double V) const { return B - (B - T) * (std::log10(V) - Y0) / (Y1 - Y0); }
};

/// 0.1 to 1000 as they are, the others as a power of ten.
std::string decade(int N) {
  if (N >= -1 && N <= 3)
    return digits(std::pow(10, N));
  static constexpr llvm::StringLiteral Raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string Text = N < 0 ? "10⁻" : "10";
  for (char C : std::to_string(std::abs(N)))
    Text += Raised[C - '0'];
  return Text;
}

void grid(llvm::raw_ostream &OS, const Axes &A) {
  for (int N = int(A.X0); N <= int(A.X1); ++N)
    OS << llvm::formatv("<line x1=\"{0:f1}\" x2=\"{0:f1}\" y1=\"{1}\" y2=\"{2}\" class=\"grid\"/><text x=\"{0:f1}\" y=\"222\" class=\"lab\" text-anchor=\"middle\">{3}</text>",
                        A.x(std::pow(10, N)), A.T, A.B, decade(N));
  for (int N = int(A.Y0); N <= int(A.Y1); ++N)
    OS << llvm::formatv("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:f1}\" y2=\"{2:f1}\" class=\"grid\"/><text x=\"{3}\" y=\"{4:f1}\" class=\"lab\" text-anchor=\"end\">{5}</text>", A.L,
                        A.R, A.y(std::pow(10, N)), A.L - 6, A.y(std::pow(10, N)) + 4, decade(N));
}

void point(llvm::raw_ostream &OS, const Axes &A, double Intensity, double Rate, llvm::StringRef Name) {
  OS << llvm::formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"6\" class=\"{2}\"/>", A.x(Intensity), A.y(Rate), Name);
}

/// Beside the picture, not in it: the points often stand close to each other and to the roof.
void key(llvm::raw_ostream &OS, double Rate, llvm::StringRef Name, double Roof) {
  OS << llvm::formatv("<span class=\"key\"><i class=\"{0}\"></i>{0}, {1:f0} % of the roof</span>", Name, 100 * Rate / Roof);
}

void roofline(llvm::raw_ostream &OS, const json::Object &P) {
  const json::Object *Candidate = P.getObject("candidate"), *Baseline = P.getObject("baseline");
  double Bytes = number(P, "bytes"), Flops = number(P, "flops"), Copy = number(P, "copy_gb_s"), Fma = number(P, "fma_gflop_s");
  double Ms = Candidate ? number(*Candidate, "median_ms") : 0;
  if (!(Bytes > 0 && Flops > 0 && Copy > 0 && Fma > 0 && Ms > 0))
    return;
  double Intensity = Flops / Bytes, Rate = Flops / Ms / 1e6, Roof = std::min(Copy * Intensity, Fma), Ridge = Fma / Copy;
  double BaseRate = Baseline && number(*Baseline, "median_ms") > 0 ? Flops / number(*Baseline, "median_ms") / 1e6 : 0;
  Axes A{std::floor(std::log10(std::min(Intensity, Ridge))) - 1, std::ceil(std::log10(std::max(Intensity, Ridge))) + 1, 0, std::ceil(std::log10(Fma))};
  A.Y0 = std::floor(std::log10(std::min({Rate, BaseRate > 0 ? BaseRate : Rate, Copy * std::pow(10, A.X0)})));
  OS << "<figure class=\"plot\"><svg viewBox=\"0 0 600 252\" role=\"img\" aria-label=\"roofline\">";
  grid(OS, A);
  OS << llvm::formatv("<polyline points=\"{0:f1},{1:f1} {2:f1},{3:f1} {4:f1},{3:f1}\" class=\"roofline\"/>", A.x(std::pow(10, A.X0)), A.y(Copy * std::pow(10, A.X0)),
                      A.x(Ridge), A.y(Fma), A.x(std::pow(10, A.X1)))
     << llvm::formatv("<line x1=\"{0:f1}\" x2=\"{0:f1}\" y1=\"{1:f1}\" y2=\"{2:f1}\" class=\"whisker\"/>", A.x(Intensity), A.y(Roof), A.y(std::min(Rate, BaseRate > 0 ? BaseRate : Rate)));
  if (BaseRate > 0)
    point(OS, A, Intensity, BaseRate, "baseline");
  point(OS, A, Intensity, Rate, "candidate");
  OS << llvm::formatv("<text x=\"{0}\" y=\"246\" class=\"lab\" text-anchor=\"middle\">FLOP for each byte that must move</text>", (A.L + A.R) / 2)
     << "</svg><figcaption>";
  key(OS, Rate, "candidate", Roof);
  if (BaseRate > 0)
    key(OS, BaseRate, "baseline", Roof);
  OS << "<br>GFLOP/s against the measured ceilings of this device: " << digits(Copy) << " GB/s copied, " << digits(Fma / 1000)
     << " TFLOP/s of fp32 FMA</figcaption></figure>\n";
}

//===- counters ----------------------------------------------------------------===//

void labels(llvm::raw_ostream &OS, const json::Object &K) {
  const json::Array *All = K.getArray("labels");
  for (const json::Value &V : All ? *All : json::Array()) {
    const json::Object *L = V.getAsObject();
    if (!L)
      continue;
    llvm::StringRef Name = L->getString("label").value_or(L->getString("name").value_or(""));
    OS << "<p class=\"tagline\"><span class=\"tag" << (L->getBoolean("primary").value_or(false) ? " primary" : "") << "\">" << xmlEscape(Name) << "</span> "
       << xmlEscape(L->getString("evidence").value_or("")) << "</p>";
  }
}

void meter(llvm::raw_ostream &OS, llvm::StringRef Name, double Value, double Full, const std::string &Text) {
  OS << "<div class=\"meter\"><span>" << xmlEscape(Name) << "</span><span class=\"bar\"><i style=\"width:" << digits(std::clamp(100 * Value / Full, 0.0, 100.0)) << "%\"></i></span><b>"
     << xmlEscape(Text) << "</b></div>";
}

void counters(llvm::raw_ostream &OS, const json::Object &K) {
  OS << "<div class=\"kernel\"><h3>" << xmlEscape(K.getString("kernel").value_or("")) << "</h3>";
  if (auto Why = K.getString("why"))
    OS << "<p class=\"soft\">not measured: " << xmlEscape(*Why) << "</p>";
  const json::Object *Values = K.getObject("values");
  for (auto [Key, Name] : {std::pair("memory_pct", "memory throughput"), std::pair("compute_pct", "compute throughput"), std::pair("occupancy_pct", "occupancy")})
    if (Values && Values->getNumber(Key))
      meter(OS, Name, number(*Values, Key), 100, digits(number(*Values, Key)) + " %");
  if (K.getNumber("occupancy_percent")) // of the simulator
    meter(OS, "occupancy", number(K, "occupancy_percent"), 100, digits(number(K, "occupancy_percent")) + " %");
  double Lanes = Values ? number(*Values, "active_lanes") : number(K, "active_lanes");
  if (Lanes > 0)
    meter(OS, "active lanes", Lanes, 32, digits(Lanes) + " of 32");
  if (double S = number(K, "sectors_per_ideal"); S > 0)
    meter(OS, "useful sectors", 1 / S, 1, digits(100 / S) + " %");
  labels(OS, K);
  OS << "</div>\n";
}

} // namespace

void kcheck::writePerfHtml(llvm::raw_ostream &OS, const json::Object &P) {
  if (P.getString("state").value_or("") != "measured")
    return;
  OS << "<div class=\"plots\">";
  timing(OS, P);
  roofline(OS, P);
  OS << "</div>\n";
}

void kcheck::writeCountersHtml(llvm::raw_ostream &OS, const json::Object &C) {
  const json::Array *All = C.getArray("kernels");
  if (!All)
    All = C.getArray("launches");
  if (!All || All->empty())
    return;
  OS << "<div class=\"kernels\">";
  for (const json::Value &V : *All)
    if (const json::Object *K = V.getAsObject())
      counters(OS, *K);
  OS << "</div>\n";
}

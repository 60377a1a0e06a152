// The numerics of the dynamic track for a person's eye: a row a case, then for the case with the largest error (and the first wrong
// one) the values of both outputs side by side and the errors by size. Inline SVG, no script.
#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/output/Xml.h"
#include <cstdio>
#include <map>

using namespace kcheck;
namespace json = llvm::json;

namespace {

std::string show(const json::Value *V) {
  if (!V)
    return "";
  if (auto S = V->getAsString())
    return S->str();
  if (auto I = V->getAsInteger())
    return std::to_string(*I);
  if (auto D = V->getAsNumber()) {
    char Text[32];
    std::snprintf(Text, sizeof Text, "%.3g", *D);
    return Text;
  }
  return "";
}

std::string shapeOf(const json::Object &Case) {
  std::string S;
  if (const json::Object *Shape = Case.getObject("shape")) {
    std::map<llvm::StringRef, const json::Value *> Sorted; // the object itself has no order
    for (const auto &E : *Shape)
      Sorted[E.first] = &E.second;
    for (const auto &[Name, Size] : Sorted)
      S += (S.empty() ? "" : ", ") + Name.str() + "=" + show(Size);
  }
  return S + " (" + Case.getString("distribution").value_or("").str() + ")";
}

void bars(llvm::raw_ostream &OS, const json::Array *Counts, llvm::StringRef Class, llvm::StringRef Caption) {
  if (!Counts || Counts->empty())
    return;
  int64_t Most = 1, Sum = 0;
  for (const json::Value &V : *Counts)
    Sum += V.getAsInteger().value_or(0), Most = std::max(Most, V.getAsInteger().value_or(0));
  OS << "<figure class=\"" << Class << "\">";
  if (!Sum) {
    OS << "<div class=\"none\">none is finite</div><figcaption>" << xmlEscape(Caption) << "</figcaption></figure>";
    return;
  }
  OS << "<svg viewBox=\"0 0 " << Counts->size() * 10 << " 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\""
     << xmlEscape(Caption) << "\">";
  for (size_t I = 0; I < Counts->size(); ++I) {
    double H = 100.0 * double((*Counts)[I].getAsInteger().value_or(0)) / double(Most);
    if (H > 0)
      OS << llvm::formatv("<rect x=\"{0}\" y=\"{1:f1}\" width=\"9\" height=\"{2:f1}\"/>", I * 10, 100 - std::max(H, 1.0), std::max(H, 1.0));
  }
  OS << "</svg><figcaption>" << xmlEscape(Caption) << "</figcaption></figure>";
}

std::string summary(const json::Object &S) {
  int64_t Nan = S.getInteger("nan").value_or(0), Inf = S.getInteger("inf").value_or(0);
  std::string Text;
  if (Nan + Inf < S.getInteger("count").value_or(0))
    Text = show(S.get("low")) + " to " + show(S.get("high")) + ", mean " + show(S.get("mean"));
  for (auto [Count, Name] : {std::pair(Nan, " NaN"), std::pair(Inf, " infinite")})
    if (Count)
      Text += (Text.empty() ? "" : ", ") + std::to_string(Count) + Name;
  return Text;
}

void histograms(llvm::raw_ostream &OS, const json::Object &Case) {
  const json::Array *Outputs = Case.getArray("outputs");
  for (const json::Value &V : Outputs ? *Outputs : json::Array()) {
    const json::Object *O = V.getAsObject();
    if (!O)
      continue;
    std::string Name = O->getString("name").value_or("").str();
    OS << "<div class=\"bars\">";
    for (auto [Key, What] : {std::pair("want", "reference"), std::pair("got", "candidate")})
      if (const json::Object *S = O->getObject(Key))
        bars(OS, S->getArray("histogram"), "val", Name + ", " + What + ": " + summary(*S));
    bars(OS, O->getArray("error_histogram"), "err", Name + ", |error| by powers of ten, 1e-12 to 1e2");
    OS << "</div>\n";
  }
}

double worstOf(const json::Object &Case) {
  double W = 0;
  if (const json::Array *Outputs = Case.getArray("outputs"))
    for (const json::Value &V : *Outputs)
      if (const json::Object *O = V.getAsObject())
        W = std::max(W, O->getNumber("worst_of_allowed").value_or(0));
  return W;
}

} // namespace

void kcheck::writeNumericsHtml(llvm::raw_ostream &OS, const json::Object &N) {
  const json::Array *Shapes = N.getArray("shapes");
  if (!Shapes || Shapes->empty())
    return;
  OS << "<details><summary>numerics: " << Shapes->size() << (Shapes->size() == 1 ? " case, seed " : " cases, seed ") << show(N.get("seed"))
     << "</summary><div class=\"num\"><table><tr><th>case</th><th>output</th><th>elements</th><th>wrong</th><th>max abs err</th><th>max rel err</th>"
        "<th>of allowed</th><th></th></tr>\n";
  const json::Object *Show = nullptr, *Wrong = nullptr;
  for (const json::Value &V : *Shapes) {
    const json::Object *Case = V.getAsObject();
    const json::Array *Outputs = Case ? Case->getArray("outputs") : nullptr;
    if (!Outputs)
      continue;
    if (!Show || worstOf(*Case) > worstOf(*Show))
      Show = Case;
    bool Bad = Case->getString("state").value_or("") != "pass";
    if (Bad && !Wrong)
      Wrong = Case;
    for (const json::Value &W : *Outputs)
      if (const json::Object *O = W.getAsObject())
        OS << "<tr><td>" << xmlEscape(shapeOf(*Case)) << "</td><td>" << xmlEscape(show(O->get("name"))) << "</td><td>" << show(O->get("elements"))
           << "</td><td>" << show(O->get("wrong")) << "</td><td>" << show(O->get("max_abs_error")) << "</td><td>" << show(O->get("max_rel_error"))
           << "</td><td>" << show(O->get("worst_of_allowed")) << "</td><td class=\"" << (Bad ? "REJECT" : "PASS") << "\">" << (Bad ? "-" : "+")
           << "</td></tr>\n";
  }
  OS << "</table></div></details>\n";
  const json::Object *Chosen = Wrong ? Wrong : Show;
  if (Chosen) {
    OS << "<p class=\"soft\">values at " << xmlEscape(shapeOf(*Chosen)) << "</p>\n";
    histograms(OS, *Chosen);
  }
}

// The report as one self-contained page: a table of the files, then each file's source with its findings in
// place. No script, no outside resource; light and dark by the reader's setting, readable on a phone.
#include "analyzers/engine/output/HtmlParts.h"
#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/output/Xml.h"

using namespace kcheck;

namespace {

constexpr llvm::StringLiteral Style = R"css(
:root{color-scheme:light dark;--bg:#fbfbfc;--card:#fff;--fg:#1a1d21;--soft:#5b626b;--line:#e2e5ea;--panel:#f4f5f8;--pass:#12703a;--review:#8a5a00;--reject:#b3261e;--note:#3457c8;--grid:#e8eaee}
@media (prefers-color-scheme:dark){:root{--bg:#101216;--card:#171a1f;--fg:#e7e9ec;--soft:#9aa2ac;--line:#2a2f37;--panel:#1d2127;--pass:#62d08d;--review:#f0b849;--reject:#ff8a80;--note:#8da9ff;--grid:#262b32}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:76rem;padding:1.2rem 1rem 3rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:.2em}a:hover{text-decoration-color:currentColor}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem .9rem;margin-bottom:1rem}h1{font-size:1.45rem;letter-spacing:-.01em;margin:0}h2{font-size:1.05rem;margin:0;display:inline;overflow-wrap:anywhere}h3{font:600 .9rem ui-monospace,monospace;margin:0 0 .4rem;overflow-wrap:anywhere}
.soft{color:var(--soft)}.tally{margin-left:auto;display:flex;gap:.4rem}
.PASS{color:var(--pass)}.REVIEW{color:var(--review)}.REJECT,.ERROR{color:var(--reject)}
.verdict{font-size:.78rem;font-weight:700;letter-spacing:.04em;white-space:nowrap;padding:.12rem .55rem;border-radius:1rem;background:color-mix(in srgb,currentColor 13%,transparent)}
table.files{width:100%;border-collapse:separate;border-spacing:0;margin-bottom:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:10px;overflow:hidden}
table.files td{padding:.5rem .8rem;border-top:1px solid var(--line);overflow-wrap:anywhere;vertical-align:baseline}table.files tr:first-child td{border-top:0}table.files td:first-child{width:6.5rem}table.files td:last-child{color:var(--soft);font:.85rem ui-monospace,monospace}
details.file{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0 0 1.2rem;overflow:clip}details.file>summary{padding:.7rem .9rem;cursor:pointer;background:var(--panel);list-style:none;display:flex;gap:.7rem;align-items:baseline}details.file>summary::-webkit-details-marker{display:none}details.file>summary::before{content:"\25B8";color:var(--soft);transition:transform .1s}details.file[open]>summary::before{transform:rotate(90deg)}details.file>summary .verdict{margin-left:auto}
.body{padding:.6rem .9rem}.body details>summary{cursor:pointer;padding:.2rem 0}ul.checks{list-style:none;padding:0;margin:.2rem 0 .5rem}ul.checks li{display:flex;gap:.6rem;padding:.08rem 0;overflow-wrap:anywhere}ul.checks .m{flex:none;width:1.25rem;height:1.25rem;margin-top:.12rem;border-radius:50%;text-align:center;line-height:1.2rem;font-weight:700;font-size:.85rem;background:color-mix(in srgb,currentColor 14%,transparent)}
ul.checks li>span:last-child{min-width:0}
.src{overflow-x:auto;border-top:1px solid var(--line);font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;padding:.4rem 0}
.src .l{white-space:pre;min-height:1.5em;padding-right:.5rem;width:max-content;min-width:100%}.src .n{display:inline-block;width:3.5rem;padding-right:1rem;text-align:right;color:var(--soft);opacity:.75;user-select:none}
.src .hit{background:color-mix(in srgb,var(--review) 13%,transparent);box-shadow:inset 3px 0 var(--review)}.src .hit.reject{background:color-mix(in srgb,var(--reject) 13%,transparent);box-shadow:inset 3px 0 var(--reject)}.src .hit.note{background:color-mix(in srgb,var(--note) 9%,transparent);box-shadow:inset 3px 0 var(--note)}
.f{position:sticky;left:0;width:fit-content;max-width:min(66rem,calc(100vw - 3rem));margin:.4rem .6rem .6rem 3.5rem;padding:.5rem .8rem;border:1px solid var(--line);border-left:4px solid var(--note);background:var(--card);border-radius:4px 8px 8px 4px;font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;white-space:normal;overflow-wrap:anywhere;box-shadow:0 1px 3px rgb(0 0 0/.07)}
.f.reject{border-left-color:var(--reject)}.f.review{border-left-color:var(--review)}.f.reject strong{color:var(--reject)}.f.review strong{color:var(--review)}.f.note strong{color:var(--note)}.f .id{font:12px ui-monospace,monospace;color:var(--soft)}.f .why{margin:.25rem 0 0;color:var(--soft)}
.num{overflow-x:auto}.num table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}.num td,.num th{padding:.2rem .7rem;text-align:right;border-top:1px solid var(--line);white-space:nowrap}.num th{color:var(--soft);font-weight:500;border-top:0}.num td:first-child,.num th:first-child{text-align:left}
.bars{display:flex;flex-wrap:wrap;gap:1rem;margin:.6rem 0}.bars figure{margin:0;flex:1 1 15rem;max-width:22rem}figcaption{font-size:.85rem;color:var(--soft);margin-top:.25rem}.bars svg,.bars .none{display:block;width:100%;height:5.5rem;background:var(--panel);border-radius:6px}.bars .none{display:grid;place-items:center;color:var(--soft);font-size:.9rem}.bars rect{fill:var(--note)}.bars .err rect{fill:var(--review)}
.plots{display:flex;flex-wrap:wrap;gap:1.2rem;margin:.8rem 0}.plot{margin:0;flex:1 1 26rem;min-width:0;max-width:44rem}.plot svg{display:block;width:100%;height:auto;background:var(--panel);border-radius:8px;overflow:visible}
.plot text{font:12px system-ui,sans-serif;fill:var(--fg)}.plot .lab{fill:var(--soft)}.plot .val{font-weight:600;paint-order:stroke;stroke:var(--panel);stroke-width:4px;stroke-linejoin:round}.plot .grid{stroke:var(--grid)}.plot .whisker{stroke:var(--soft);stroke-width:1.5}.plot .median{stroke:var(--fg);stroke-width:2}.plot .roof{stroke:var(--pass);stroke-width:1.5;stroke-dasharray:4 3}.plot .roofline{fill:none;stroke:var(--pass);stroke-width:2.5;stroke-linejoin:round}
.plot rect.baseline,.plot circle.baseline{fill:var(--soft);fill-opacity:.55}.plot rect.candidate,.plot circle.candidate{fill:var(--note)}
.key{display:inline-block;margin-right:1rem;color:var(--fg)}.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;margin-right:.4rem}.key i.candidate{background:var(--note)}.key i.baseline{background:var(--soft);opacity:.55}
.kernels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:.8rem;margin:.8rem 0}.kernel{border:1px solid var(--line);border-radius:8px;padding:.7rem .8rem;background:var(--panel)}
.meter{display:grid;grid-template-columns:9.5rem 1fr auto;align-items:center;gap:.6rem;font-size:.85rem;padding:.08rem 0}.meter .bar{height:.5rem;border-radius:.25rem;background:var(--grid)}.meter .bar i{display:block;height:100%;border-radius:.25rem;background:var(--note)}.meter b{font-weight:600;font-variant-numeric:tabular-nums}
.tagline{margin:.4rem 0 0;font-size:.88rem;color:var(--soft)}.tag{font:600 12px ui-monospace,monospace;padding:.05rem .4rem;border-radius:.3rem;border:1px solid var(--line);color:var(--fg)}.tag.primary{color:var(--review);border-color:currentColor}
@media (max-width:40rem){body{padding:.9rem .6rem 2rem}.tally{margin-left:0;width:100%}table.files td{display:block;border-top:0;padding:.1rem .8rem}table.files td:first-child{border-top:1px solid var(--line);padding-top:.5rem;width:auto}table.files td:last-child{padding-bottom:.5rem}table.files tr:first-child td:first-child{border-top:0}.src .n{width:2.4rem;padding-right:.5rem}.f{margin-left:.5rem;max-width:calc(100vw - 2.4rem)}.meter{grid-template-columns:7.5rem 1fr auto}.plot text{font-size:17px}}
@media print{details.file{break-inside:avoid-page}.f{box-shadow:none}}
)css";

class HtmlWriter {
public:
  explicit HtmlWriter(llvm::raw_ostream &OS) : OS(OS) {}

  void page(const Report &R) {
    OS << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
       << "<title>kcheck report</title><style>" << Style << "</style></head><body>\n<header><h1>kcheck report</h1><span class=\"soft\">kcheck "
       << xmlEscape(R.Tool.Version) << ", Clang " << xmlEscape(R.Tool.Clang);
    if (!R.Tool.Cuda.empty())
      OS << ", CUDA " << xmlEscape(R.Tool.Cuda);
    OS << "</span>";
    tally(R);
    OS << "</header>\n<table class=\"files\">\n";
    for (size_t I = 0; I < R.Files.size(); ++I) {
      const FileReport &F = R.Files[I];
      OS << "<tr><td>";
      verdict(F);
      OS << "</td><td><a href=\"#f" << I << "\">" << xmlEscape(F.File) << "</a></td><td>" << xmlEscape(llvm::join(F.Reasons, ", ")) << "</td></tr>\n";
    }
    OS << "</table>\n";
    for (size_t I = 0; I < R.Files.size(); ++I)
      file(R.Files[I], I);
    OS << "</body></html>\n";
  }

private:
  /// How many of each, where there is more than one file.
  void tally(const Report &R) {
    if (R.Files.size() < 2)
      return;
    std::map<llvm::StringRef, unsigned> Count;
    for (const FileReport &F : R.Files)
      ++Count[F.Error.empty() ? toString(F.Result) : "ERROR"];
    OS << "<span class=\"tally\">";
    for (llvm::StringRef V : {"REJECT", "REVIEW", "PASS", "ERROR"})
      if (unsigned N = Count[V])
        OS << "<span class=\"verdict " << V << "\">" << N << " " << V << "</span>";
    OS << "</span>";
  }

  void verdict(const FileReport &F) {
    llvm::StringRef V = F.Error.empty() ? toString(F.Result) : "ERROR";
    OS << "<span class=\"verdict " << V << "\">" << V << "</span>";
  }

  void file(const FileReport &F, size_t Index) {
    bool Open = !F.Error.empty() || F.Result != Verdict::Pass;
    OS << "<details class=\"file\" id=\"f" << Index << "\"" << (Open ? " open" : "") << "><summary><h2>" << xmlEscape(F.File) << "</h2> ";
    verdict(F);
    OS << "</summary>\n<div class=\"body\">";
    if (!F.Error.empty())
      OS << xmlEscape(F.Error);
    else
      checks(F);
    OS << "</div>\n";
    source(F);
    OS << "</details>\n";
  }

  void checks(const FileReport &F) {
    OS << "<ul class=\"checks\">";
    for (auto &[Rule, Text] : passedGroups(F))
      line("PASS", "+", Text);
    for (auto &[By, Count] : suppressedCounts(F))
      line("PASS", "+", std::to_string(Count) + " suppressed by " + By);
    for (const CheckLine &L : F.Dynamic.Lines)
      line(L.Kind == Mark::Reject ? "REJECT" : L.Kind == Mark::Review ? "REVIEW" : L.Kind == Mark::Ok ? "PASS" : "soft",
           L.Kind == Mark::Reject ? "-" : L.Kind == Mark::Review ? "~" : L.Kind == Mark::Ok ? "+" : "?", L.Text);
    if (F.Dynamic.State == "not_run")
      line("soft", "?", "dynamic track not run: " + F.Dynamic.Why);
    OS << "</ul>";
    for (const auto *List : {&F.Static.Findings, &F.Dynamic.Findings})
      for (const Finding &X : *List) // those that stand in no line of this source
        if (!X.Suppressed && !inSource(X, F))
          finding(X);
    if (const llvm::json::Object *N = F.Dynamic.Sections.getObject("numerics"))
      writeNumericsHtml(OS, *N);
    if (const llvm::json::Object *P = F.Dynamic.Sections.getObject("perf"))
      writePerfHtml(OS, *P);
    if (const llvm::json::Object *C = F.Dynamic.Sections.getObject("counters"))
      writeCountersHtml(OS, *C);
  }

  void line(llvm::StringRef Class, llvm::StringRef Mark, llvm::StringRef Text) {
    OS << "<li><span class=\"m " << Class << "\">" << Mark << "</span><span>" << xmlEscape(Text) << "</span></li>";
  }

  static bool inSource(const Finding &X, const FileReport &F) {
    return X.Where.Line > 0 && X.Where.Line <= llvm::StringRef(F.Text).count('\n') + 1 && (X.Where.File.empty() || X.Where.File == F.File);
  }

  void finding(const Finding &X) {
    OS << "<div class=\"f " << toString(X.Level) << "\"><strong>" << toString(X.Level) << "</strong> " << xmlEscape(X.Message)
       << " <span class=\"id\">" << xmlEscape(X.check()) << "</span>";
    for (const FindingNote &N : X.Notes)
      OS << "<p class=\"why\">" << (N.Where.Line ? "line " + std::to_string(N.Where.Line) + ": " : std::string()) << xmlEscape(N.Message) << "</p>";
    for (const Fix &Y : X.Fixes)
      OS << "<p class=\"why\">fix: " << xmlEscape(Y.Description) << "</p>";
    OS << "</div>\n";
  }

  static llvm::StringRef worst(const std::vector<const Finding *> &All) {
    Severity Most = Severity::Off;
    for (const Finding *X : All)
      Most = std::max(Most, X->Level);
    return Most == Severity::Reject ? "l hit reject" : Most == Severity::Review ? "l hit" : "l hit note";
  }

  void source(const FileReport &F) {
    if (F.Text.empty())
      return;
    std::map<unsigned, std::vector<const Finding *>> At;
    for (const auto *List : {&F.Static.Findings, &F.Dynamic.Findings})
      for (const Finding &X : *List)
        if (!X.Suppressed && inSource(X, F))
          At[X.Where.Line].push_back(&X);
    OS << "<div class=\"src\">";
    llvm::SmallVector<llvm::StringRef, 0> Lines;
    llvm::StringRef(F.Text).split(Lines, '\n');
    for (unsigned N = 1; N <= Lines.size(); ++N) {
      auto It = At.find(N);
      llvm::StringRef Class = "l";
      if (It != At.end())
        Class = worst(It->second);
      OS << "<div class=\"" << Class << "\"><span class=\"n\">" << N << "</span>" << xmlEscape(Lines[N - 1].rtrim("\r")) << "</div>\n";
      if (It != At.end())
        for (const Finding *X : It->second)
          finding(*X);
    }
    OS << "</div>\n";
  }

  llvm::raw_ostream &OS;
};

} // namespace

void kcheck::writeHtml(llvm::raw_ostream &OS, const Report &R) { HtmlWriter(OS).page(R); }

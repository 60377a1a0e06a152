// The report as one self-contained page: a table of the files, then each file's source with its findings in
// place. No script, no outside resource; light and dark by the reader's setting, readable on a phone.
#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/output/Xml.h"

using namespace kcheck;

namespace {

constexpr llvm::StringLiteral Style = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--soft:#60646c;--line:#e0e3e8;--panel:#f6f7f9;--pass:#137333;--review:#8a5a00;--reject:#b3261e;--note:#3a5ccc}
@media (prefers-color-scheme:dark){:root{--bg:#14161a;--fg:#e6e8eb;--soft:#9ba1a8;--line:#2d3138;--panel:#1c1f25;--pass:#67d391;--review:#f0b849;--reject:#ff8a80;--note:#8da9ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.3rem;margin:.2rem 0 1rem}h2{font-size:1.05rem;margin:0;display:inline;overflow-wrap:anywhere}
table.files{width:100%;border-collapse:collapse;margin-bottom:1.5rem}table.files td{padding:.3rem .5rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
.PASS{color:var(--pass)}.REVIEW{color:var(--review)}.REJECT,.ERROR{color:var(--reject)}.verdict{font-weight:600;white-space:nowrap}
details.file{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;overflow:hidden}details.file>summary{padding:.6rem .8rem;cursor:pointer;background:var(--panel)}
.body{padding:.4rem .8rem}.soft{color:var(--soft)}ul.checks{list-style:none;padding:0;margin:.3rem 0}ul.checks li{padding-left:1.4rem;text-indent:-1.4rem}
.src{overflow-x:auto;border-top:1px solid var(--line);font:13px/1.45 ui-monospace,monospace}
.src .l{white-space:pre;min-height:1.45em;padding-right:.5rem}.src .n{display:inline-block;width:3.5rem;padding-right:.8rem;text-align:right;color:var(--soft);user-select:none}
.src .hit{background:color-mix(in srgb,var(--review) 14%,transparent)}.src .hit.reject{background:color-mix(in srgb,var(--reject) 14%,transparent)}
.f{position:sticky;left:0;max-width:min(68rem,calc(100vw - 2.2rem));margin:.3rem .5rem .5rem 3.5rem;padding:.4rem .7rem;border-left:4px solid var(--note);background:var(--panel);border-radius:0 6px 6px 0;font:15px/1.45 system-ui,sans-serif;white-space:normal;overflow-wrap:anywhere}
.f.reject{border-color:var(--reject)}.f.review{border-color:var(--review)}.f .id{font:12px ui-monospace,monospace;color:var(--soft)}.f .why{margin:.2rem 0 0;color:var(--soft)}
.num{overflow-x:auto}.num table{border-collapse:collapse;font-size:.9rem}.num td,.num th{padding:.15rem .6rem;text-align:right;border-top:1px solid var(--line);white-space:nowrap}.num th{color:var(--soft);font-weight:500}.num td:first-child,.num th:first-child{text-align:left}
.bars{display:flex;flex-wrap:wrap;gap:1rem;margin:.6rem 0}.bars figure{margin:0}.bars figcaption{font-size:.85rem;color:var(--soft)}.bars svg{display:block;width:15rem;height:5rem;background:var(--panel)}.bars rect{fill:var(--note)}.bars .err rect{fill:var(--review)}
@media (max-width:40rem){.src .n{width:2.4rem;padding-right:.4rem}.f{margin-left:.5rem}}
)css";

class HtmlWriter {
public:
  explicit HtmlWriter(llvm::raw_ostream &OS) : OS(OS) {}

  void page(const Report &R) {
    OS << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
       << "<title>kcheck report</title><style>" << Style << "</style></head><body>\n<h1>kcheck report</h1>\n<p class=\"soft\">kcheck "
       << xmlEscape(R.Tool.Version) << ", Clang " << xmlEscape(R.Tool.Clang);
    if (!R.Tool.Cuda.empty())
      OS << ", CUDA " << xmlEscape(R.Tool.Cuda);
    OS << "</p>\n<table class=\"files\">\n";
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
  }

  void line(llvm::StringRef Class, llvm::StringRef Mark, llvm::StringRef Text) {
    OS << "<li><span class=\"" << Class << "\">" << Mark << "</span> " << xmlEscape(Text) << "</li>";
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
        Class = llvm::any_of(It->second, [](const Finding *X) { return X->Level == Severity::Reject; }) ? "l hit reject" : "l hit";
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

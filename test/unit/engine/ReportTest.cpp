#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/output/Xml.h"
#include "analyzers/engine/suppress/Suppress.h"
#include <gtest/gtest.h>

using namespace kcheck;

static Finding finding(std::string Tag, Severity Level, unsigned Line) {
  Finding F;
  F.Rule = "kcheck-sync";
  F.Tag = Tag;
  F.Cmpd = "7";
  F.Level = Level;
  F.Where.Line = Line;
  F.Where.Column = 1;
  F.Message = "message of " + Tag;
  return F;
}

static FileReport report(std::vector<Finding> Found, std::string Text = "one\ntwo\nthree\n") {
  LintResult L;
  L.File = "a.cu";
  L.Findings = std::move(Found);
  return makeFileReport(std::move(L), Text);
}

TEST(Report, VerdictIsTheWorstAndReasonsAreWorstFirst) {
  FileReport F = report({finding("missing_barrier", Severity::Review, 1), finding("shuffle_mask", Severity::Note, 2),
                         finding("barrier_divergence", Severity::Reject, 3), finding("missing_barrier", Severity::Review, 3)});
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_EQ(F.Reasons, (std::vector<std::string>{"barrier_divergence", "missing_barrier"}));
  EXPECT_EQ(report({finding("shuffle_mask", Severity::Note, 2)}).Result, Verdict::Pass);
}

TEST(Report, DynamicReasonsCount) {
  FileReport F = report({});
  F.Dynamic.Reasons.push_back({"numerics_not_run", Severity::Review});
  conclude(F);
  EXPECT_EQ(F.Static.Result, Verdict::Pass);
  EXPECT_EQ(F.Result, Verdict::Review);
  EXPECT_EQ(F.Reasons, std::vector<std::string>{"numerics_not_run"});
}

TEST(Report, FingerprintsSurviveOtherEdits) {
  FileReport A = report({finding("missing_barrier", Severity::Review, 2)});
  FileReport B = report({finding("missing_barrier", Severity::Review, 4)}, "zero\n\none\n  two\n");
  FileReport C = report({finding("missing_barrier", Severity::Review, 1)});
  EXPECT_EQ(fingerprints(A), fingerprints(B));
  EXPECT_NE(fingerprints(A), fingerprints(C));
  FileReport Twice = report({finding("missing_barrier", Severity::Review, 2), finding("missing_barrier", Severity::Review, 2)});
  std::vector<std::string> P = fingerprints(Twice);
  EXPECT_NE(P[0], P[1]);
}

TEST(Report, SuppressionTakesTheWeight) {
  FileReport F = report({finding("barrier_divergence", Severity::Reject, 2)}, "a\nb // NOLINT(kcheck-sync)\n");
  suppress(F, Policy::builtin(), {});
  EXPECT_EQ(F.Result, Verdict::Pass);
  EXPECT_TRUE(F.Reasons.empty());
  EXPECT_EQ(suppressedCounts(F)["NOLINT"], 1u);
  FileReport G = report({finding("barrier_divergence", Severity::Reject, 2)}, "a\nb // NOLINT(kcheck-sync)\n");
  suppress(G, Policy::builtin(), {/*NoLintComments=*/false, nullptr});
  EXPECT_EQ(G.Result, Verdict::Reject);
}

TEST(Report, WritersEscape) {
  FileReport F = report({finding("barrier_divergence", Severity::Reject, 1)}, "if (a < b && \"c\")\n\x01\xff\n");
  F.Static.Findings[0].Message = "a <b> & %\nsecond, line: x";
  F.File = "d,e:f.cu";
  Report R;
  R.Files.push_back(F);
  auto Text = [&](Format Form) {
    std::string Out;
    llvm::raw_string_ostream OS(Out);
    writeReport(OS, R, Form, {});
    return Out;
  };
  EXPECT_NE(Text(Format::Html).find("if (a &lt; b &amp;&amp; &quot;c&quot;)"), std::string::npos);
  EXPECT_EQ(Text(Format::Html).find("<b>"), std::string::npos);
  EXPECT_NE(Text(Format::Junit).find("a &lt;b&gt; &amp; %"), std::string::npos);
  EXPECT_EQ(Text(Format::Github), "::error file=d%2Ce%3Af.cu,line=1,col=1,title=kcheck-sync-barrier-divergence::a <b> & %25%0Asecond, line: x\n");
  EXPECT_NE(Text(Format::Sarif).find("d%2Ce%3Af.cu"), std::string::npos);
  EXPECT_TRUE(bool(llvm::json::parse(Text(Format::Json))));
  EXPECT_TRUE(bool(llvm::json::parse(Text(Format::Sarif))));
}

TEST(Report, FormatNames) {
  for (llvm::StringRef Name : formatNames())
    EXPECT_TRUE(parseFormat(Name).has_value());
  EXPECT_FALSE(parseFormat("jsn").has_value());
}

TEST(Xml, ControlCharactersGo) { EXPECT_EQ(xmlEscape("a\x01\tb"), "a\xEF\xBF\xBD\tb"); }

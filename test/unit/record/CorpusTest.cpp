#include "analyzers/engine/record/Corpus.h"
#include "analyzers/engine/record/Repairs.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace kcheck;

namespace {

/// A path that no file has yet, removed afterwards.
class CorpusTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kcheck-corpus", Dir));
    Path = (Dir + "/sub/corpus.db").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Dir); }

  std::unique_ptr<Corpus> open() {
    auto C = Corpus::open(Path);
    if (!C) {
      ADD_FAILURE() << llvm::toString(C.takeError());
      return nullptr;
    }
    return std::move(*C);
  }

  static FileReport bad(std::string Text, std::string Tag = "barrier_divergence", Severity Level = Severity::Reject) {
    LintResult L;
    L.File = "k.cu";
    Finding F;
    F.Rule = "kcheck-sync";
    F.Tag = Tag;
    F.Cmpd = "7";
    F.Level = Level;
    F.Where.Line = 3;
    F.Message = "threads part";
    L.Findings.push_back(F);
    return makeFileReport(std::move(L), Text);
  }

  llvm::SmallString<128> Dir;
  std::string Path;
};

constexpr int64_t Monday = 1732492800; // 2024-11-25, week 48
constexpr int64_t Day = 86400;

TEST_F(CorpusTest, CountsByVerdictReasonAndWeek) {
  auto C = open();
  ASSERT_TRUE(C);
  ToolInfo T{"1", "22", ""};
  ASSERT_FALSE(bool(C->add(bad("a"), T, Monday)));
  ASSERT_FALSE(bool(C->add(bad("a"), T, Monday + 6 * Day)));
  ASSERT_FALSE(bool(C->add(bad("b", "scalar_access", Severity::Review), T, Monday + 7 * Day)));
  auto S = C->stats();
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(S->Checks, 3);
  EXPECT_EQ(S->Sources, 2); // by content
  EXPECT_EQ(S->ByVerdict["REJECT"], 2);
  EXPECT_EQ(S->ByVerdict["REVIEW"], 1);
  EXPECT_EQ(S->ByReason.front(), (std::pair<std::string, int64_t>("barrier_divergence", 2)));
  EXPECT_EQ(S->ByWeek["2024-W48"]["REJECT"], 2);
  EXPECT_EQ(S->ByWeek["2024-W49"]["REVIEW"], 1);
}

TEST_F(CorpusTest, IsoWeeksAtTheTurnOfTheYear) {
  auto C = open();
  ASSERT_TRUE(C);
  for (int64_t Time : {1735603200 /* 2024-12-31 */, 1609459200 /* 2021-01-01 */, 1704067200 /* 2024-01-01 */})
    ASSERT_FALSE(bool(C->add(bad("a"), {}, Time)));
  auto S = C->stats();
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(S->ByWeek.count("2025-W01"), 1u);
  EXPECT_EQ(S->ByWeek.count("2020-W53"), 1u);
  EXPECT_EQ(S->ByWeek.count("2024-W01"), 1u);
}

TEST_F(CorpusTest, ExamplesAreShortAndDistinct) {
  auto C = open();
  ASSERT_TRUE(C);
  std::string One = "__global__ void one(float *a, int n) { if (threadIdx.x < n) __syncthreads(); a[0] = 1; }\n";
  std::string Same = "// other words\n__global__ void one(float *a, int n) { if (threadIdx.x < n) __syncthreads(); a[0] = 2; }\n";
  std::string Other = "__device__ int g; __global__ void two() { for (int i = 0; i < threadIdx.x; ++i) { __syncthreads(); g += i; } }\n";
  for (const std::string &Text : {One, Same, Other, std::string(500, '\n') + Other})
    ASSERT_FALSE(bool(C->add(bad(Text), {}, Monday)));
  auto E = C->examples(10, 80);
  ASSERT_TRUE(bool(E));
  ASSERT_EQ(E->size(), 2u);
  EXPECT_EQ((*E)[0].Source, One);
  EXPECT_EQ((*E)[1].Source, Other);
  EXPECT_EQ((*E)[0].Line, 3u);
  EXPECT_EQ((*E)[0].Message, "threads part");
  auto None = C->examples(10, 80, "scalar_access");
  ASSERT_TRUE(bool(None));
  EXPECT_TRUE(None->empty());
}

TEST_F(CorpusTest, SuppressedFindingsAreNoReasons) {
  auto C = open();
  ASSERT_TRUE(C);
  FileReport F = bad("a");
  F.Static.Findings[0].Suppressed = true;
  F.Static.Findings[0].SuppressedBy = "NOLINT";
  conclude(F);
  ASSERT_FALSE(bool(C->add(F, {}, Monday)));
  auto S = C->stats();
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(S->ByVerdict["PASS"], 1);
  EXPECT_TRUE(S->ByReason.empty());
}

TEST_F(CorpusTest, MigratesTheOldSchema) {
  {
    auto D = Database::open(Path);
    ASSERT_TRUE(bool(D));
    ASSERT_FALSE(bool((*D)->script(
        "CREATE TABLE source(hash TEXT PRIMARY KEY, text TEXT NOT NULL);"
        "CREATE TABLE checks(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, file TEXT NOT NULL, source TEXT NOT NULL REFERENCES source(hash),"
        " verdict TEXT NOT NULL, tool TEXT NOT NULL, report TEXT NOT NULL);"
        "CREATE TABLE reason(check_id INTEGER NOT NULL REFERENCES checks(id), tag TEXT NOT NULL);"
        "INSERT INTO source VALUES('h', 'old source');"
        "INSERT INTO checks VALUES(1, 1732492800, 'o.cu', 'h', 'REJECT', '0', "
        "'{\"verdict\":\"REJECT\",\"reasons\":[\"missing_barrier\"],\"static\":{\"findings\":[{\"tag\":\"missing_barrier\",\"severity\":\"reject\",\"line\":7,\"message\":\"m\"}]}}');"
        "INSERT INTO reason VALUES(1, 'missing_barrier'); PRAGMA user_version=1;")));
  }
  auto C = open();
  ASSERT_TRUE(C);
  auto E = C->examples(1, 80);
  ASSERT_TRUE(bool(E));
  ASSERT_EQ(E->size(), 1u);
  EXPECT_EQ((*E)[0].Line, 7u);
  EXPECT_EQ((*E)[0].Message, "m");
  EXPECT_EQ((*E)[0].Source, "old source");
  ASSERT_FALSE(bool(C->add(bad("new"), {}, Monday)));
}

TEST_F(CorpusTest, RefusesANewerSchemaAndGarbage) {
  {
    auto D = Database::open(Path);
    ASSERT_TRUE(bool(D));
    ASSERT_FALSE(bool((*D)->script("PRAGMA user_version=99")));
  }
  auto C = Corpus::open(Path);
  ASSERT_FALSE(bool(C));
  EXPECT_NE(llvm::toString(C.takeError()).find("newer kcheck (schema 99"), std::string::npos);
  std::string Garbage = (Dir + "/garbage").str();
  std::error_code EC;
  llvm::raw_fd_ostream(Garbage, EC) << std::string(4096, 'x');
  auto G = Corpus::open(Garbage);
  ASSERT_FALSE(bool(G));
  EXPECT_NE(llvm::toString(G.takeError()).find("not a database"), std::string::npos);
}

TEST(Similarity, NumbersAndCommentsDoNotCount) {
  EXPECT_EQ(similarity("int a = 1; /* x */ int b;", "int a = 22; // y\nint b;"), 1.0);
  EXPECT_LT(similarity("int a = 1; f(a, a);", "while (x) { --x; }"), 0.2);
  EXPECT_EQ(similarity("", ""), 1.0);
}

TEST_F(CorpusTest, PairsARejectWithWhatRepairedIt) {
  auto C = open();
  ASSERT_TRUE(C);
  ToolInfo T{"1", "22", ""};
  const std::string Body = "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = a[i] * 2.0f; ";
  auto good = [](std::string Text) {
    LintResult L;
    L.File = "k.cu";
    FileReport F = makeFileReport(std::move(L), Text);
    conclude(F);
    return F;
  };
  ASSERT_FALSE(bool(C->add(good(Body + "} // before"), T, Monday)));
  ASSERT_FALSE(bool(C->add(bad(Body + "if (i > 3) __syncthreads(); }"), T, Monday)));
  ASSERT_FALSE(bool(C->add(good("void unrelated() {}"), T, Monday)));
  ASSERT_FALSE(bool(C->add(good(Body + "__syncthreads(); }"), T, Monday)));
  auto All = repairs(Path, "", 5);
  ASSERT_TRUE(bool(All));
  ASSERT_EQ(All->size(), 1u);
  EXPECT_EQ(All->front().Reason, "barrier_divergence");
  EXPECT_NE(All->front().Bad.find("i > 3"), std::string::npos);
  EXPECT_EQ(All->front().Good, Body + "__syncthreads(); }"); // neither what came before nor what has nothing to do with it
  EXPECT_EQ(repairs(Path, Body + "}", 5)->size(), 1u);
  EXPECT_EQ(repairs(Path, "int main() { return 0; }", 5)->size(), 0u);
}

} // namespace

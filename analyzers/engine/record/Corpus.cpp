#include "analyzers/engine/record/Corpus.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include <ctime>

using namespace kcheck;
namespace json = llvm::json;

namespace {

constexpr int Version = 2;

// Version 1 knew the tags of a check, no more.
constexpr const char *Version1 = R"sql(
CREATE TABLE source(hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE checks(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, file TEXT NOT NULL, source TEXT NOT NULL REFERENCES source(hash),
                    verdict TEXT NOT NULL, tool TEXT NOT NULL, report TEXT NOT NULL);
CREATE TABLE reason(check_id INTEGER NOT NULL REFERENCES checks(id), tag TEXT NOT NULL);
CREATE INDEX reason_tag ON reason(tag);
CREATE INDEX checks_time ON checks(time);
)sql";

constexpr const char *To2 = R"sql(
ALTER TABLE reason ADD COLUMN severity TEXT NOT NULL DEFAULT 'review';
ALTER TABLE reason ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reason ADD COLUMN message TEXT NOT NULL DEFAULT '';
)sql";

std::string hashOf(llvm::StringRef Text) {
  llvm::SHA256 H;
  H.update(Text);
  return llvm::toHex(H.final(), /*LowerCase=*/true);
}

struct ReasonRow {
  std::string Tag, Severity, Message;
  int64_t Line = 0;
};

/// The weighty findings of a stored report, each tag once, then tags of the dynamic track.
std::vector<ReasonRow> reasonRows(const json::Object &Report) {
  std::vector<ReasonRow> Rows;
  auto Has = [&](llvm::StringRef Tag) { return llvm::any_of(Rows, [&](const ReasonRow &R) { return R.Tag == Tag; }); };
  const json::Object *Static = Report.getObject("static");
  if (const json::Array *Findings = Static ? Static->getArray("findings") : nullptr)
    for (const json::Value &V : *Findings) {
      const json::Object *F = V.getAsObject();
      llvm::StringRef Severity = F ? F->getString("severity").value_or("note") : "note", Tag = F ? F->getString("tag").value_or("") : "";
      if (Severity == "note" || F->getBoolean("suppressed").value_or(false) || Has(Tag))
        continue;
      Rows.push_back({Tag.str(), Severity.str(), F->getString("message").value_or("").str(), F->getInteger("line").value_or(0)});
    }
  if (const json::Array *Reasons = Report.getArray("reasons"))
    for (const json::Value &V : *Reasons)
      if (auto Tag = V.getAsString(); Tag && !Has(*Tag))
        Rows.push_back({Tag->str(), Report.getString("verdict") == "REJECT" ? "reject" : "review", "", 0});
  return Rows;
}

llvm::Error insertReasons(Database &D, int64_t Check, const json::Object &Report) {
  for (const ReasonRow &R : reasonRows(Report))
    if (llvm::Error E = D.run("INSERT INTO reason(check_id, tag, severity, line, message) VALUES(?,?,?,?,?)",
                              {Check, R.Tag, R.Severity, R.Line, R.Message}))
      return E;
  return llvm::Error::success();
}

/// Fills in what version 1 left out from the reports it kept.
llvm::Error refillReasons(Database &D) {
  std::vector<std::pair<int64_t, std::string>> Reports;
  if (llvm::Error E = D.run("SELECT id, report FROM checks", {}, [&](const Database::Row &R) { Reports.emplace_back(R.integer(0), R.text(1).str()); }))
    return E;
  for (auto &[Id, Text] : Reports) {
    llvm::Expected<json::Value> V = json::parse(Text);
    if (!V || !V->getAsObject()) {
      llvm::consumeError(V.takeError());
      continue;
    }
    if (llvm::Error E = D.run("DELETE FROM reason WHERE check_id=?", {Id}))
      return E;
    if (llvm::Error E = insertReasons(D, Id, *V->getAsObject()))
      return E;
  }
  return llvm::Error::success();
}

} // namespace

std::string Corpus::defaultPath() {
  llvm::SmallString<128> P;
  if (const char *Data = ::getenv("XDG_DATA_HOME"); Data && *Data)
    P = Data;
  else {
    llvm::sys::path::home_directory(P);
    llvm::sys::path::append(P, ".local", "share");
  }
  llvm::sys::path::append(P, "kcheck", "corpus.db");
  return std::string(P);
}

llvm::Expected<std::unique_ptr<Corpus>> Corpus::open(llvm::StringRef Path) {
  auto D = Database::open(Path);
  if (!D)
    return D.takeError();
  std::unique_ptr<Corpus> C(new Corpus(std::move(*D)));
  if (llvm::Error E = C->migrate())
    return std::move(E);
  return C;
}

llvm::Error Corpus::migrate() {
  auto Stored = [this](int64_t &V) { return D->run("PRAGMA user_version", {}, [&](const Database::Row &R) { V = R.integer(0); }); };
  int64_t Have = 0;
  if (llvm::Error E = Stored(Have))
    return E;
  if (Have > Version)
    return llvm::createStringError("the corpus was written by a newer kcheck (schema %d, this one reads %d); take another file",
                                   static_cast<int>(Have), Version);
  if (Have == Version)
    return llvm::Error::success();
  return D->transaction([&]() -> llvm::Error {
    if (llvm::Error E = Stored(Have)) // another process may have been first
      return E;
    if (Have < 1)
      if (llvm::Error E = D->script(Version1))
        return E;
    if (Have < 2) {
      if (llvm::Error E = D->script(To2))
        return E;
      if (llvm::Error E = refillReasons(*D))
        return E;
    }
    return D->script("PRAGMA user_version=2");
  });
}

llvm::Error Corpus::add(const FileReport &F, const ToolInfo &Tool, int64_t Now) {
  json::Value Report = toJson(F);
  std::string Text = llvm::formatv("{0}", Report), Hash = hashOf(F.Text);
  return D->transaction([&]() -> llvm::Error {
    if (llvm::Error E = D->run("INSERT OR IGNORE INTO source(hash, text) VALUES(?,?)", {Hash, F.Text}))
      return E;
    if (llvm::Error E = D->run("INSERT INTO checks(time, file, source, verdict, tool, report) VALUES(?,?,?,?,?,?)",
                               {Now < 0 ? static_cast<int64_t>(::time(nullptr)) : Now, F.File, Hash, toString(F.Result).str(), Tool.Version, Text}))
      return E;
    return insertReasons(*D, D->lastId(), *Report.getAsObject());
  });
}

/// ISO week of a time: the week of that week's Thursday.
static std::string isoWeek(int64_t Seconds) {
  auto Day = Seconds >= 0 ? Seconds / 86400 : (Seconds - 86399) / 86400;
  int64_t Monday0 = ((Day + 3) % 7 + 7) % 7; // 1970-01-01 was a Thursday
  time_t Thursday = (Day - Monday0 + 3) * 86400;
  tm T;
  gmtime_r(&Thursday, &T);
  return llvm::formatv("{0}-W{1,0+2}", 1900 + T.tm_year, T.tm_yday / 7 + 1).str();
}

llvm::Expected<CorpusStats> Corpus::stats() {
  CorpusStats S;
  if (llvm::Error E = D->run("SELECT count(*) FROM source", {}, [&](const Database::Row &R) { S.Sources = R.integer(0); }))
    return std::move(E);
  if (llvm::Error E = D->run("SELECT time, verdict FROM checks", {}, [&](const Database::Row &R) {
        ++S.Checks;
        ++S.ByVerdict[R.text(1).str()];
        ++S.ByWeek[isoWeek(R.integer(0))][R.text(1).str()];
      }))
    return std::move(E);
  if (llvm::Error E = D->run("SELECT tag, count(*) AS n FROM reason GROUP BY tag ORDER BY n DESC, tag", {},
                             [&](const Database::Row &R) { S.ByReason.emplace_back(R.text(0).str(), R.integer(1)); }))
    return std::move(E);
  std::map<std::string, std::map<std::string, int64_t>> Tags;
  if (llvm::Error E = D->run("SELECT time, tag FROM reason JOIN checks ON checks.id = check_id", {},
                             [&](const Database::Row &R) { ++Tags[isoWeek(R.integer(0))][R.text(1).str()]; }))
    return std::move(E);
  for (auto &[W, Counts] : Tags) {
    auto &Sorted = S.WeekReasons[W];
    Sorted.assign(Counts.begin(), Counts.end());
    std::stable_sort(Sorted.begin(), Sorted.end(), [](auto &A, auto &B) { return A.second > B.second; });
  }
  return S;
}

llvm::Expected<std::vector<CorpusExample>> Corpus::examples(unsigned PerReason, unsigned MaxLines, llvm::StringRef Only) {
  std::vector<CorpusExample> Chosen;
  std::map<std::string, unsigned> Count;
  // Rejects first, then the shortest: a prompt has little room.
  llvm::Error E = D->run(
      "SELECT reason.tag, reason.severity, checks.file, reason.line, reason.message, source.text FROM reason"
      " JOIN checks ON checks.id = check_id JOIN source ON source.hash = checks.source WHERE (?1 = '' OR reason.tag = ?1)"
      " GROUP BY reason.tag, source.hash ORDER BY reason.tag, reason.severity, length(source.text), checks.id",
      {Only.str()}, [&](const Database::Row &R) {
        std::string Tag = R.text(0).str();
        llvm::StringRef Source = R.text(5);
        if (Count[Tag] >= PerReason || Source.count('\n') > MaxLines)
          return;
        for (const CorpusExample &X : Chosen)
          if (X.Reason == Tag && similarity(X.Source, Source) > 0.7)
            return;
        ++Count[Tag];
        Chosen.push_back({Tag, R.text(1).str(), R.text(2).str(), R.text(4).str(), Source.str(), static_cast<unsigned>(R.integer(3))});
      });
  if (E)
    return std::move(E);
  return Chosen;
}

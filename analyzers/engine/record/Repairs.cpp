// Pairs of a reject and what repaired it: the next check of the same file that is no reject and much alike.
#include "analyzers/engine/record/Repairs.h"
#include "analyzers/engine/record/Corpus.h"
#include <set>

using namespace kcheck;
namespace json = llvm::json;

namespace {

constexpr double RepairIsLike = 0.4, KernelIsLike = 0.2;
constexpr int64_t RejectsLookedAt = 400, ChecksAfter = 16;

struct Rejected {
  int64_t Id = 0;
  CorpusRepair Pair;
  double Rank = 0; ///< alike, or late
};

} // namespace

llvm::Expected<std::vector<CorpusRepair>> kcheck::repairs(llvm::StringRef Path, llvm::StringRef Like, size_t Most, unsigned MaxLines) {
  if (auto C = Corpus::open(Path); !C) // brings an old one up to date
    return C.takeError();
  auto Opened = Database::open(Path);
  if (!Opened)
    return Opened.takeError();
  Database *D = Opened->get();
  std::vector<Rejected> All;
  llvm::Error E = D->run("SELECT checks.id, checks.file, source.text, reason.tag, reason.message, reason.line FROM checks"
                         " JOIN source ON source.hash = checks.source JOIN reason ON reason.check_id = checks.id"
                         " WHERE checks.verdict = 'REJECT' AND reason.severity = 'reject' GROUP BY checks.id ORDER BY checks.id DESC LIMIT ?1",
                         {RejectsLookedAt}, [&](const Database::Row &R) {
                           if (R.text(2).count('\n') > MaxLines)
                             return;
                           Rejected X;
                           X.Id = R.integer(0);
                           X.Pair = {R.text(3).str(), R.text(4).str(), R.text(1).str(), R.text(2).str(), "", unsigned(R.integer(5))};
                           X.Rank = Like.empty() ? double(X.Id) : similarity(Like, X.Pair.Bad);
                           if (Like.empty() || X.Rank >= KernelIsLike)
                             All.push_back(std::move(X));
                         });
  if (E)
    return std::move(E);
  llvm::stable_sort(All, [](const Rejected &A, const Rejected &B) { return A.Rank > B.Rank; });
  std::vector<CorpusRepair> First, More;
  std::set<std::string> Reasons;
  for (Rejected &X : All) {
    if (First.size() >= Most)
      break;
    bool New = !Reasons.count(X.Pair.Reason);
    if (!New && More.size() >= Most)
      continue;
    if (llvm::Error E = D->run("SELECT source.text FROM checks JOIN source ON source.hash = checks.source WHERE checks.file = ?1 AND checks.id > ?2"
                               " AND checks.verdict <> 'REJECT' ORDER BY checks.id LIMIT ?3",
                               {X.Pair.File, X.Id, ChecksAfter}, [&](const Database::Row &R) {
                                 if (X.Pair.Good.empty() && R.text(0).count('\n') <= MaxLines && R.text(0) != llvm::StringRef(X.Pair.Bad) && similarity(X.Pair.Bad, R.text(0)) >= RepairIsLike)
                                   X.Pair.Good = R.text(0).str();
                               }))
      return std::move(E);
    if (X.Pair.Good.empty())
      continue;
    Reasons.insert(X.Pair.Reason);
    (New ? First : More).push_back(std::move(X.Pair));
  }
  for (size_t I = 0; I < More.size() && First.size() < Most; ++I)
    First.push_back(std::move(More[I]));
  return First;
}

static void fenced(llvm::raw_ostream &OS, llvm::StringRef Source) {
  std::string Fence = "```";
  while (Source.contains(Fence))
    Fence += "`";
  OS << "\n" << Fence << "cuda\n" << Source << (Source.ends_with("\n") ? "" : "\n") << Fence << "\n";
}

void kcheck::writeRepairsMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusRepair> Repairs) {
  for (const CorpusRepair &X : Repairs) {
    OS << (&X == Repairs.begin() ? "" : "\n") << "## " << X.Reason << "\n\nRejected";
    if (X.Line)
      OS << ", line " << X.Line;
    OS << (X.Message.empty() ? "" : ": ") << X.Message << "\n";
    fenced(OS, X.Bad);
    OS << "\nWhat repaired it:\n";
    fenced(OS, X.Good);
  }
}

void kcheck::writeRepairsJsonl(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusRepair> Repairs) {
  for (const CorpusRepair &X : Repairs)
    OS << llvm::formatv("{0}", json::Value(json::Object{{"reason", X.Reason}, {"file", json::fixUTF8(X.File)}, {"line", X.Line}, {"message", json::fixUTF8(X.Message)},
                                            {"bad", json::fixUTF8(X.Bad)}, {"good", json::fixUTF8(X.Good)}}))
       << "\n";
}

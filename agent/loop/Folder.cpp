#include "agent/loop/Folder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

bool RunFolder::write(const std::string &Name, llvm::StringRef Text) const {
  if (none())
    return true;
  std::string File = Path + "/" + Name, New = File + ".new";
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(File));
  std::error_code EC;
  {
    llvm::raw_fd_ostream OS(New, EC);
    if (EC)
      return false;
    OS << Text;
    OS.close();
    if (OS.has_error()) {
      OS.clear_error();
      return false;
    }
  }
  return ::rename(New.c_str(), File.c_str()) == 0;
}

bool RunFolder::writeJson(const std::string &Name, const json::Value &V) const { return write(Name, llvm::formatv("{0:2}\n", V).str()); }

std::optional<std::string> RunFolder::read(const std::string &Name) const {
  if (none())
    return std::nullopt;
  auto B = llvm::MemoryBuffer::getFile(Path + "/" + Name);
  return B ? std::optional((*B)->getBuffer().str()) : std::nullopt;
}

std::optional<json::Value> RunFolder::readJson(const std::string &Name) const {
  auto Text = read(Name);
  if (!Text)
    return std::nullopt;
  auto V = json::parse(*Text);
  if (V)
    return std::move(*V);
  llvm::consumeError(V.takeError());
  return std::nullopt;
}

json::Value agent::toJson(const Proposal &P) {
  json::Array Candidates, Failures;
  for (const Candidate &C : P.Candidates)
    Candidates.push_back(toJson(C));
  for (const PolicyFailure &F : P.Failures)
    Failures.push_back(json::Object{{"type", F.Type}, {"message", F.Message}});
  return json::Object{{"analysis", P.Analysis}, {"candidates", std::move(Candidates)}, {"failures", std::move(Failures)}};
}

std::optional<Proposal> agent::proposalFromJson(const json::Value &V) {
  const json::Object *O = V.getAsObject();
  const json::Array *All = O ? O->getArray("candidates") : nullptr;
  if (!All)
    return std::nullopt;
  Proposal P;
  P.Analysis = O->getString("analysis").value_or("").str();
  std::string Error;
  for (const json::Value &One : *All) {
    auto C = candidateFromJson(One, Error);
    if (!C)
      return std::nullopt;
    P.Candidates.push_back(std::move(*C));
  }
  if (const json::Array *Failures = O->getArray("failures"))
    for (const json::Value &F : *Failures)
      if (const json::Object *X = F.getAsObject())
        P.Failures.push_back({X->getString("type").value_or("").str(), X->getString("message").value_or("").str()});
  return P;
}

json::Value agent::toJson(const LoopResult &R) {
  json::Array Rounds, Shapes;
  for (const Round &X : R.Rounds) {
    json::Array Candidates;
    for (const Outcome &O : X.Outcomes) {
      json::Object J{{"id", O.What.Id}, {"parent", O.What.Parent}, {"stage", toString(O.Reached)}, {"verdict", O.Verdict}};
      if (O.good()) {
        J["ms"] = O.Measured.Ms, J["speedup"] = O.Speedup, J["gain"] = O.Gain, J["predicted_gain"] = O.What.PredictedGain;
        if (!O.Why.Found.empty())
          J["primary"] = O.Why.Found.front().Label;
      } else {
        J["failure"] = O.Failure;
      }
      J["change"] = O.What.Source ? "an edited source" : toString(O.What.Steps);
      Candidates.push_back(std::move(J));
    }
    Rounds.push_back(json::Object{{"number", X.Number}, {"best", X.Best}, {"best_ms", X.BestMs}, {"candidates", std::move(Candidates)}});
  }
  for (const DispatchRule &D : R.Shapes)
    Shapes.push_back(json::Object{{"shape", D.Shape}, {"best", D.Best}, {"best_ms", D.Ms}, {"winner_ms", D.WinnerMs}, {"start_ms", D.StartMs}});
  const Outcome &W = R.winner();
  return json::Object{{"schema", "kcheck.optimize/1"}, {"device", W.Measured.Device}, {"modelled", W.Measured.Modelled}, {"winner", R.Winner}, {"start_ms", R.StartMs},
                      {"best_ms", R.BestMs}, {"speedup", R.Speedup}, {"roofline_share", W.Why.RooflineShare}, {"ceiling", W.Why.Ceiling}, {"stopped", R.Stopped},
                      {"verdict", W.Verdict}, {"reasons", json::Array(W.Reasons)}, {"rounds", std::move(Rounds)}, {"shapes", std::move(Shapes)}, {"dispatch", R.Dispatch},
                      {"warnings", json::Array(R.Warnings)}};
}

//===--- diff -----------------------------------------------------------------===//

namespace {

std::vector<llvm::StringRef> linesOf(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> L;
  Text.split(L, '\n');
  if (!L.empty() && L.back().empty())
    L.pop_back();
  return {L.begin(), L.end()};
}

/// One line of an edit script: ' ', '-' or '+'.
using Script = std::vector<std::pair<char, llvm::StringRef>>;

/// By longest common subsequence between equal ends.
Script scriptOf(const std::vector<llvm::StringRef> &A, const std::vector<llvm::StringRef> &B) {
  size_t Head = 0, Tail = 0;
  while (Head < A.size() && Head < B.size() && A[Head] == B[Head])
    ++Head;
  while (Tail < A.size() - Head && Tail < B.size() - Head && A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  size_t N = A.size() - Head - Tail, M = B.size() - Head - Tail;
  Script S;
  for (size_t I = 0; I < Head; ++I)
    S.push_back({' ', A[I]});
  if (N * M > (size_t(1) << 24)) { // longer than anyone reads
    for (size_t I = 0; I < N; ++I)
      S.push_back({'-', A[Head + I]});
    for (size_t J = 0; J < M; ++J)
      S.push_back({'+', B[Head + J]});
  } else {
    std::vector<uint32_t> L((N + 1) * (M + 1));
    for (size_t I = N; I-- > 0;)
      for (size_t J = M; J-- > 0;)
        L[I * (M + 1) + J] = A[Head + I] == B[Head + J] ? L[(I + 1) * (M + 1) + J + 1] + 1 : std::max(L[(I + 1) * (M + 1) + J], L[I * (M + 1) + J + 1]);
    size_t I = 0, J = 0;
    while (I < N || J < M) {
      if (I < N && J < M && A[Head + I] == B[Head + J])
        S.push_back({' ', A[Head + I]}), ++I, ++J;
      else if (I < N && (J == M || L[(I + 1) * (M + 1) + J] >= L[I * (M + 1) + J + 1]))
        S.push_back({'-', A[Head + I++]});
      else
        S.push_back({'+', B[Head + J++]});
    }
  }
  for (size_t I = A.size() - Tail; I < A.size(); ++I)
    S.push_back({' ', A[I]});
  return S;
}

} // namespace

std::string agent::lineDiff(llvm::StringRef Old, llvm::StringRef New, llvm::StringRef Name) {
  constexpr size_t Around = 3;
  Script S = scriptOf(linesOf(Old), linesOf(New));
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  size_t OldLine = 1, NewLine = 1;
  for (size_t I = 0; I < S.size();) {
    if (S[I].first == ' ') {
      ++I, ++OldLine, ++NewLine;
      continue;
    }
    size_t From = I - std::min(I, Around), To = I, Quiet = 0;
    for (size_t K = I; K < S.size() && Quiet <= 2 * Around; ++K) {
      Quiet = S[K].first == ' ' ? Quiet + 1 : 0;
      if (!Quiet)
        To = K + 1;
    }
    To = std::min(S.size(), To + Around);
    size_t OldFrom = OldLine - (I - From), NewFrom = NewLine - (I - From);
    size_t OldCount = llvm::count_if(llvm::make_range(S.begin() + long(From), S.begin() + long(To)), [](auto &E) { return E.first != '+'; });
    size_t NewCount = llvm::count_if(llvm::make_range(S.begin() + long(From), S.begin() + long(To)), [](auto &E) { return E.first != '-'; });
    if (Text.empty())
      OS << "--- " << Name.split(" -> ").first << "\n+++ " << Name.split(" -> ").second << "\n";
    OS << "@@ -" << OldFrom << "," << OldCount << " +" << NewFrom << "," << NewCount << " @@\n";
    for (size_t K = From; K < To; ++K)
      OS << S[K].first << S[K].second << "\n";
    for (; I < To; ++I)
      OldLine += S[I].first != '+', NewLine += S[I].first != '-';
  }
  return Text;
}

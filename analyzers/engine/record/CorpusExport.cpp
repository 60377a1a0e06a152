// Writes corpus examples for a prompt and tells near-identical ones apart.
#include "analyzers/engine/record/Corpus.h"
#include <set>

using namespace kcheck;
namespace json = llvm::json;

/// Words and signs of the code, without comments; numbers are one word, so that a changed size is no new example.
static std::vector<std::string> tokens(llvm::StringRef T) {
  std::vector<std::string> Out;
  for (size_t I = 0; I < T.size();) {
    if (T.drop_front(I).starts_with("//"))
      I = std::min(T.find('\n', I), T.size());
    else if (T.drop_front(I).starts_with("/*")) {
      size_t End = T.find("*/", I + 2);
      I = End == llvm::StringRef::npos ? T.size() : End + 2;
    } else if (isalpha(static_cast<unsigned char>(T[I])) || T[I] == '_') {
      size_t B = I;
      while (I < T.size() && (isalnum(static_cast<unsigned char>(T[I])) || T[I] == '_'))
        ++I;
      Out.push_back(T.slice(B, I).str());
    } else if (isdigit(static_cast<unsigned char>(T[I]))) {
      while (I < T.size() && (isalnum(static_cast<unsigned char>(T[I])) || T[I] == '.'))
        ++I;
      Out.push_back("0");
    } else {
      if (!isspace(static_cast<unsigned char>(T[I])))
        Out.push_back(std::string(1, T[I]));
      ++I;
    }
  }
  return Out;
}

static std::set<std::string> shingles(llvm::StringRef T) {
  std::vector<std::string> W = tokens(T);
  std::set<std::string> Out;
  for (size_t I = 0; I + 2 < W.size(); ++I)
    Out.insert(W[I] + " " + W[I + 1] + " " + W[I + 2]);
  return Out;
}

double kcheck::similarity(llvm::StringRef A, llvm::StringRef B) {
  std::set<std::string> X = shingles(A), Y = shingles(B);
  if (X.empty() && Y.empty())
    return 1;
  size_t Both = 0;
  for (const std::string &S : X)
    Both += Y.count(S);
  return double(Both) / double(X.size() + Y.size() - Both);
}

void kcheck::writeExamplesMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusExample> Examples) {
  std::string Last;
  for (const CorpusExample &X : Examples) {
    if (X.Reason != Last)
      OS << (Last.empty() ? "" : "\n") << "## " << X.Reason << "\n";
    Last = X.Reason;
    OS << "\n" << X.Severity;
    if (X.Line)
      OS << ", line " << X.Line;
    if (!X.Message.empty())
      OS << ": " << X.Message;
    // A fence longer than any run of backticks in the source.
    std::string Fence = "```";
    while (X.Source.find(Fence) != std::string::npos)
      Fence += "`";
    OS << "\n\n" << Fence << "cuda\n" << X.Source << (llvm::StringRef(X.Source).ends_with("\n") ? "" : "\n") << Fence << "\n";
  }
}

void kcheck::writeExamplesJsonl(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusExample> Examples) {
  for (const CorpusExample &X : Examples)
    OS << llvm::formatv("{0}", json::Value(json::Object{{"reason", X.Reason}, {"severity", X.Severity}, {"file", json::fixUTF8(X.File)},
                                            {"line", X.Line}, {"message", json::fixUTF8(X.Message)}, {"source", json::fixUTF8(X.Source)}}))
       << "\n";
}

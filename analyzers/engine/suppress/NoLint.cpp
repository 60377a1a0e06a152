#include "analyzers/engine/suppress/NoLint.h"
#include "analyzers/engine/Policy.h"
#include <climits>

using namespace kcheck;

namespace {

/// Calls Use(text, first line) for each comment of C++ source. Strings, raw strings and character literals
/// are skipped; digit separators (1'000) start no literal.
template <class Fn> void forEachComment(llvm::StringRef T, Fn &&Use) {
  unsigned Line = 1;
  size_t I = 0;
  auto SkipTo = [&](size_t End) {
    End = std::min(End, T.size());
    Line += T.slice(I, End).count('\n');
    I = End;
  };
  while (I < T.size()) {
    llvm::StringRef Rest = T.drop_front(I);
    if (Rest.starts_with("//")) {
      size_t End = T.find('\n', I);
      while (End != llvm::StringRef::npos && End > 0 && T[End - 1] == '\\') // the comment goes on
        End = T.find('\n', End + 1);
      End = std::min(End, T.size());
      Use(T.slice(I, End), Line);
      SkipTo(End);
    } else if (Rest.starts_with("/*")) {
      size_t End = T.find("*/", I + 2);
      End = End == llvm::StringRef::npos ? T.size() : End + 2;
      Use(T.slice(I, End), Line);
      SkipTo(End);
    } else if (Rest.starts_with("R\"") && (I == 0 || !(isalnum(static_cast<unsigned char>(T[I - 1])) || T[I - 1] == '_') ||
                                           T[I - 1] == 'L' || T[I - 1] == 'u' || T[I - 1] == 'U' || T[I - 1] == '8')) {
      size_t Paren = T.find('(', I);
      if (Paren == llvm::StringRef::npos)
        return;
      std::string Close = (")" + T.slice(I + 2, Paren) + "\"").str();
      size_t End = T.find(Close, Paren);
      SkipTo(End == llvm::StringRef::npos ? T.size() : End + Close.size());
    } else if (T[I] == '"' || (T[I] == '\'' && (I == 0 || !isalnum(static_cast<unsigned char>(T[I - 1]))))) {
      size_t E = I + 1;
      while (E < T.size() && T[E] != T[I] && T[E] != '\n')
        E += T[E] == '\\' ? 2 : 1;
      SkipTo(E + (E < T.size() && T[E] == T[I]));
      if (I < T.size() && T[I] == '\n')
        SkipTo(I + 1);
    } else
      SkipTo(I + 1);
  }
}

bool wordChar(char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; }

} // namespace

NoLint::NoLint(llvm::StringRef Text, bool AnyText) {
  if (!Text.contains("NOLINT"))
    return;
  if (AnyText)
    comment(Text, 1);
  else
    forEachComment(Text, [&](llvm::StringRef C, unsigned Line) { comment(C, Line); });
  for (const Range &R : Open)
    Problems.push_back(std::to_string(R.First) + ": NOLINTBEGIN without NOLINTEND; it suppresses nothing");
}

void NoLint::comment(llvm::StringRef Text, unsigned Line) {
  size_t At = 0;
  while ((At = Text.find("NOLINT", At)) != llvm::StringRef::npos) {
    unsigned Here = Line + Text.take_front(At).count('\n');
    bool Starts = At == 0 || !wordChar(Text[At - 1]);
    size_t End = At;
    while (End < Text.size() && wordChar(Text[End]))
      ++End;
    llvm::StringRef Kind = Text.slice(At, End);
    At = End;
    if (!Starts)
      continue;
    std::vector<std::string> Patterns;
    if (At < Text.size() && Text[At] == '(') {
      size_t Close = Text.find_first_of(")\n", At);
      if (Close == llvm::StringRef::npos || Text[Close] != ')') {
        Problems.push_back(std::to_string(Here) + ": " + Kind.str() + "( without ')'; it suppresses nothing");
        continue;
      }
      llvm::SmallVector<llvm::StringRef, 4> Items;
      Text.slice(At + 1, Close).split(Items, ',', -1, false);
      for (llvm::StringRef I : Items)
        if (!I.trim().empty())
          Patterns.push_back(I.trim().str());
      At = Close;
      if (Patterns.empty()) // NOLINT(): nothing is named
        continue;
    }
    directive(Kind, std::move(Patterns), Here);
  }
}

void NoLint::directive(llvm::StringRef Kind, std::vector<std::string> Patterns, unsigned Line) {
  if (Kind == "NOLINT")
    Ranges.push_back({Line, Line, std::move(Patterns)});
  else if (Kind == "NOLINTNEXTLINE")
    Ranges.push_back({Line + 1, Line + 1, std::move(Patterns)});
  else if (Kind == "NOLINTFILE")
    Ranges.push_back({0, UINT_MAX, std::move(Patterns)});
  else if (Kind == "NOLINTBEGIN")
    Open.push_back({Line, 0, std::move(Patterns)});
  else if (Kind == "NOLINTEND") {
    if (Open.empty() || Open.back().Patterns != Patterns) {
      Problems.push_back(std::to_string(Line) + ": NOLINTEND without the same NOLINTBEGIN before it");
      return;
    }
    Range R = std::move(Open.back());
    Open.pop_back();
    R.Last = Line;
    Ranges.push_back(std::move(R));
  }
}

bool NoLint::suppresses(unsigned Line, llvm::StringRef Rule, llvm::StringRef Tag) const {
  for (const Range &R : Ranges) {
    if (Line < R.First || Line > R.Last)
      continue;
    if (R.Patterns.empty())
      return true;
    for (const std::string &P : R.Patterns)
      if (Policy::names(P, Rule, Tag))
        return true;
  }
  return false;
}

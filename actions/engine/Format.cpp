#include "actions/engine/Format.h"
#include "clang/Format/Format.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <algorithm>
#include <map>

using namespace kcheck;
using namespace clang;

/// Does what stands around the first edit indent by tabs? Where nothing there is indented: does the file?
static bool usesTabs(llvm::StringRef Text, llvm::ArrayRef<Edit> Edits) {
  auto Count = [](llvm::StringRef Part) {
    llvm::SmallVector<llvm::StringRef, 64> Lines;
    Part.split(Lines, '\n');
    return std::pair{llvm::count_if(Lines, [](llvm::StringRef L) { return L.starts_with("\t"); }), llvm::count_if(Lines, [](llvm::StringRef L) { return L.starts_with("  "); })};
  };
  for (const Edit &E : Edits)
    if (llvm::StringRef(E.Text).contains('\n'))
      if (auto [Tabs, Spaces] = Count(Text.slice(Text.rfind('\n', E.Offset) + 1, size_t(E.Offset) + E.Length)); Tabs || Spaces)
        return Tabs > Spaces;
  auto [Tabs, Spaces] = Count(Text);
  return Tabs > Spaces;
}

/// The habits of a file that has no .clang-format: indentation, tabs, braces, line length.
static format::FormatStyle styleOf(llvm::StringRef Text, llvm::ArrayRef<Edit> Edits) {
  format::FormatStyle S = format::getLLVMStyle();
  std::map<unsigned, unsigned> Steps;
  unsigned Longest = 80, OwnLineBraces = 0, EndBraces = 0, Before = 0;
  llvm::SmallVector<llvm::StringRef, 256> Lines;
  Text.split(Lines, '\n');
  for (llvm::StringRef L : Lines) {
    llvm::StringRef Body = L.trim();
    if (Body.empty() || Body.starts_with("#") || Body.starts_with("//") || Body.starts_with("*"))
      continue;
    Longest = std::max(Longest, unsigned(std::min<size_t>(L.size(), 140)));
    OwnLineBraces += Body == "{";
    EndBraces += Body.size() > 1 && Body.ends_with("{");
    unsigned Indent = unsigned(L.size() - L.ltrim(' ').size());
    if (Indent > Before && Indent - Before <= 8)
      ++Steps[Indent - Before];
    Before = Indent;
  }
  unsigned Best = 0;
  for (auto &[Step, Times] : Steps)
    if (Step > 1 && Times > Best) {
      Best = Times;
      S.IndentWidth = Step;
    }
  S.ColumnLimit = Longest;
  S.ContinuationIndentWidth = std::max(4u, S.IndentWidth);
  if (usesTabs(Text, Edits)) {
    S.UseTab = format::FormatStyle::UT_ForIndentation;
    S.TabWidth = S.IndentWidth = 4;
  }
  if (OwnLineBraces > EndBraces)
    S.BreakBeforeBraces = format::FormatStyle::BS_Allman;
  S.DerivePointerAlignment = true;
  S.ReflowComments = format::FormatStyle::RCS_Never;
  return S;
}

static format::FormatStyle styleFor(llvm::StringRef File, llvm::StringRef Text, llvm::ArrayRef<Edit> Edits) {
  auto FS = llvm::vfs::getRealFileSystem();
  auto S = format::getStyle("file", File, "none", Text, FS.get());
  format::FormatStyle Style = S && !S->DisableFormat ? *S : styleOf(Text, Edits);
  if (!S)
    llvm::consumeError(S.takeError());
  Style.SortIncludes.Enabled = false;
  return Style;
}

/// Whole lines put in front of what stands on a line already: that keeps its own indentation, whatever the formatter
/// takes for the lines that it was asked for.
static void keepIndentation(llvm::StringRef Text, Edit &E) {
  size_t End = size_t(E.Offset) + E.Length;
  if (!llvm::StringRef(E.Text).ends_with("\n") || End >= Text.size() || Text[End] == '\n')
    return;
  size_t Begin = Text.take_front(E.Offset).rfind('\n');
  llvm::StringRef Before = Text.slice(Begin == llvm::StringRef::npos ? 0 : Begin + 1, E.Offset);
  if (Before.trim(" \t").empty())
    E.Text += Before;
}

/// The formatter owns the white space in front of a range, empty lines of the user among it: those keep their bytes.
static tooling::Replacements outsideKept(llvm::StringRef Text, llvm::ArrayRef<tooling::Range> Ranges, const tooling::Replacements &All) {
  tooling::Replacements Out;
  for (const tooling::Replacement &R : All) {
    tooling::Replacement Kept = R;
    for (const tooling::Range &X : Ranges) {
      unsigned Begin = R.getOffset(), End = Begin + R.getLength(), First = X.getOffset();
      llvm::StringRef Before = Begin < First && First <= End ? Text.slice(Begin, First) : "";
      size_t Lines = Before.rfind('\n') + 1;
      if (Lines > 0 && Text.slice(Begin, End).trim().empty() && R.getReplacementText().contains('\n'))
        Kept = tooling::Replacement(R.getFilePath(), Begin + unsigned(Lines), R.getLength() - unsigned(Lines), R.getReplacementText().substr(R.getReplacementText().rfind('\n') + 1));
    }
    if (llvm::Error E = Out.add(Kept))
      return llvm::consumeError(std::move(E)), All;
  }
  return Out;
}

/// A line without the white space that says nothing; empty where there is a literal that has some.
static std::string squeezed(llvm::StringRef Line) {
  std::string Out;
  if (Line.contains('"') || Line.contains('\''))
    return Out;
  auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  bool Space = false;
  for (char C : Line.trim()) {
    if (llvm::isSpace(C)) {
      Space = true;
      continue;
    }
    if (Space && !Out.empty() && (Out.back() == C || (IsWord(Out.back()) && IsWord(C)))) // "a - -b", "int a"
      Out += ' ';
    Space = false;
    Out += C;
  }
  return Out;
}

/// Lines of the ranges that are the user's but for white space get the user's back, at the indentation that they have now.
static std::string withUsersLines(llvm::StringRef Text, llvm::ArrayRef<Edit> Edits, llvm::StringRef New, llvm::ArrayRef<tooling::Range> Ranges) {
  llvm::StringMap<llvm::StringRef> Users;
  for (const Edit &E : Edits) {
    llvm::SmallVector<llvm::StringRef, 32> Old;
    size_t Begin = Text.rfind('\n', E.Offset) + 1; // npos + 1 is the first byte
    Text.slice(Begin, size_t(E.Offset) + E.Length).split(Old, '\n');
    for (llvm::StringRef L : Old)
      if (std::string Key = squeezed(L); Key.size() > 1)
        Users.try_emplace(Key, L.trim());
  }
  std::string Out;
  for (size_t At = 0; At < New.size();) {
    size_t End = std::min(New.find('\n', At), New.size());
    llvm::StringRef Line = New.slice(At, End);
    auto User = Users.find(squeezed(Line));
    bool Within = llvm::any_of(Ranges, [&](const tooling::Range &R) { return At < R.getOffset() + R.getLength() && R.getOffset() < End; });
    if (Within && User != Users.end())
      Out += (Line.take_front(Line.size() - Line.ltrim().size()) + User->second + (Line.ends_with("\r") ? "\r" : "")).str();
    else
      Out += Line;
    if (End < New.size())
      Out += '\n';
    At = End + 1;
  }
  return Out;
}

llvm::Expected<std::string> kcheck::applyFormatted(llvm::StringRef File, llvm::StringRef Text, std::vector<Edit> Edits) {
  std::stable_sort(Edits.begin(), Edits.end(), [](const Edit &A, const Edit &B) { return A.Offset < B.Offset; });
  for (Edit &E : Edits)
    keepIndentation(Text, E);
  auto New = applyEdits(Text, Edits);
  if (!New)
    return New;
  std::vector<tooling::Range> Ranges;
  int64_t Shift = 0;
  for (const Edit &E : Edits) {
    if (E.Text.find('\n') != std::string::npos)
      Ranges.emplace_back(unsigned(E.Offset + Shift), unsigned(llvm::StringRef(E.Text).rtrim("\n \t").size()));
    Shift += int64_t(E.Text.size()) - E.Length;
  }
  if (Ranges.empty())
    return New;
  tooling::Replacements Formatted = outsideKept(*New, Ranges, format::reformat(styleFor(File, Text, Edits), *New, Ranges, "kernel.cpp"));
  auto Done = tooling::applyAllReplacements(*New, Formatted);
  return Done ? llvm::Expected<std::string>(withUsersLines(Text, Edits, *Done, tooling::calculateRangesAfterReplacements(Formatted, Ranges))) : std::move(Done);
}

namespace {
using Lines = llvm::SmallVector<llvm::StringRef, 256>;

/// Marks the lines of a longest common subsequence (the common head and tail are cut off before).
void commonLines(llvm::ArrayRef<llvm::StringRef> A, llvm::ArrayRef<llvm::StringRef> B, std::vector<std::pair<size_t, size_t>> &Out, size_t Base) {
  size_t N = A.size(), M = B.size();
  std::vector<std::vector<unsigned>> L(N + 1, std::vector<unsigned>(M + 1, 0));
  for (size_t I = N; I-- > 0;)
    for (size_t J = M; J-- > 0;)
      L[I][J] = A[I] == B[J] ? L[I + 1][J + 1] + 1 : std::max(L[I + 1][J], L[I][J + 1]);
  for (size_t I = 0, J = 0; I < N && J < M;)
    if (A[I] == B[J])
      Out.push_back({Base + I++, Base + J++});
    else if (L[I + 1][J] >= L[I][J + 1])
      ++I;
    else
      ++J;
}
} // namespace

std::string kcheck::unifiedDiff(llvm::StringRef Name, llvm::StringRef Old, llvm::StringRef New) {
  if (Old == New)
    return {};
  Lines A, B;
  Old.split(A, '\n');
  New.split(B, '\n');
  size_t Head = 0, Tail = 0;
  while (Head < A.size() && Head < B.size() && A[Head] == B[Head])
    ++Head;
  while (Tail < A.size() - Head && Tail < B.size() - Head && A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  std::vector<std::pair<size_t, size_t>> Same;
  for (size_t I = 0; I < Head; ++I)
    Same.push_back({I, I});
  auto MidA = llvm::ArrayRef<llvm::StringRef>(A).slice(Head, A.size() - Head - Tail);
  auto MidB = llvm::ArrayRef<llvm::StringRef>(B).slice(Head, B.size() - Head - Tail);
  if (MidA.size() * MidB.size() < 16000000)
    commonLines(MidA, MidB, Same, Head);
  for (size_t I = Tail; I > 0; --I)
    Same.push_back({A.size() - I, B.size() - I});
  Same.push_back({A.size(), B.size()});

  // A script of ' ', '-' and '+' lines, then hunks of it.
  struct Step {
    char Kind;
    llvm::StringRef Text;
    size_t A, B;
  };
  std::vector<Step> Script;
  size_t I = 0, J = 0;
  for (auto [SA, SB] : Same) {
    for (; I < SA; ++I)
      Script.push_back({'-', A[I], I, J});
    for (; J < SB; ++J)
      Script.push_back({'+', B[J], I, J});
    if (SA < A.size())
      Script.push_back({' ', A[SA], I++, J++});
  }
  std::string Out = ("--- a/" + Name + "\n+++ b/" + Name + "\n").str();
  for (size_t P = 0; P < Script.size();) {
    if (Script[P].Kind == ' ') {
      ++P;
      continue;
    }
    size_t First = P >= 3 ? P - 3 : 0, Last = P, End = P;
    for (; End < Script.size() && End <= Last + 6; ++End)
      if (Script[End].Kind != ' ')
        Last = End;
    size_t Stop = std::min(Script.size(), Last + 4);
    if (Stop == Script.size() && Script.back().Kind == ' ' && Script.back().Text.empty())
      --Stop; // the empty piece behind the last newline
    size_t CountA = 0, CountB = 0;
    std::string Body;
    for (size_t K = First; K < Stop; ++K) {
      CountA += Script[K].Kind != '+';
      CountB += Script[K].Kind != '-';
      Body += (llvm::Twine(Script[K].Kind) + Script[K].Text + "\n").str();
    }
    Out += "@@ -" + std::to_string(Script[First].A + (CountA ? 1 : 0)) + "," + std::to_string(CountA) + " +" +
           std::to_string(Script[First].B + (CountB ? 1 : 0)) + "," + std::to_string(CountB) + " @@\n" + Body;
    P = Last + 1 > Stop ? Last + 1 : Stop;
  }
  return Out;
}

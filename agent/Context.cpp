#include "agent/Context.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::agent;

size_t agent::tokensOf(llvm::StringRef Text) { return (Text.size() + 3) / 4; }

namespace {

/// A part of the prompt. Rank: what goes first when there is no room, 0 never goes.
struct Section {
  std::string Title, Text;
  unsigned Rank = 0;
};

std::string bullets(const std::vector<std::string> &Lines) {
  std::string Text;
  for (const std::string &L : Lines)
    Text += "- " + L + "\n";
  return Text;
}

std::string code(llvm::StringRef Text) { return "```cuda\n" + Text.rtrim().str() + "\n```\n"; }

std::string task(const Context &C) {
  std::string T;
  auto line = [&](const char *Name, const std::string &What) {
    if (!What.empty())
      T += std::string("- ") + Name + ": " + What + "\n";
  };
  line("operator", C.Operator + (C.Formula.empty() ? "" : ": " + C.Formula));
  line("launcher", "`" + C.Signature + "`");
  line("tuned for", C.TunedShape);
  line("tolerance", C.Tolerance);
  return T;
}

std::string devices(const Context &C) {
  std::string T;
  for (const DeviceFacts &D : C.Devices) {
    T += llvm::formatv("- {0} ({1}): {2} threads a block, {3} KiB of static shared memory a block, {4} registers a thread", D.Name, D.Arch, D.ThreadsPerBlock,
                       D.StaticShared / 1024, D.RegistersPerThread);
    if (D.ThreadsPerUnit)
      T += llvm::formatv("; a multiprocessor holds {0} threads, {1} KiB of shared memory, {2} registers", D.ThreadsPerUnit, D.SharedPerUnit / 1024, D.RegistersPerUnit);
    if (D.Units)
      T += llvm::formatv("; {0} multiprocessors", D.Units);
    if (D.CopyGBs > 0)
      T += llvm::formatv("; copies {0:f0} GB/s, {1:f1} TFLOP/s of fp32 FMA", D.CopyGBs, D.FmaGflops / 1000);
    T += D.Modelled ? "; times are modelled, not measured\n" : "\n";
  }
  return T;
}

std::string percent(const std::optional<double> &V) { return V ? llvm::formatv("{0:f0} %", *V).str() : std::string("not known"); }

/// Always with memory throughput, compute throughput and occupancy.
std::string profile(const Parent &P) {
  std::string T = llvm::formatv("`{0}`: {1:f4} ms{2}, {3:f2}x of the start", P.Id, P.Ms, P.Measured.Modelled ? " (modelled)" : "", P.Speedup);
  if (P.Why.RooflineShare > 0)
    T += llvm::formatv(", {0:f0} % of the {1} roofline", P.Why.RooflineShare * 100, P.Why.Ceiling);
  T += "\n- memory throughput " + percent(P.Why.MemoryPct) + ", compute throughput " + percent(P.Why.ComputePct) + ", occupancy " + percent(P.Why.OccupancyPct);
  if (P.Why.ActiveLanes)
    T += llvm::formatv(", {0:f1} active lanes", *P.Why.ActiveLanes);
  T += "\n";
  for (const Bottleneck &B : P.Why.Found)
    T += llvm::formatv("- {0}{1}: {2} (weight {3:f2}, confidence {4:f2})\n", &B == &P.Why.Found.front() ? "primary: " : "", B.Label, B.Evidence, B.Weight, B.Confidence);
  return T;
}

std::string sites(const Parent &P) {
  std::string T;
  for (const ActionSite &S : P.Sites) {
    if (!S.WhyNot.empty())
      continue;
    T += "- `" + toString(Step{S.Action, {}, S.Kernel, S.Line}) + "` " + S.What;
    for (size_t I = 0; I < S.Options.size() && I < 3; ++I)
      T += (I ? "; " : ", such as ") + toString(Step{"", S.Options[I].Set, "", 0}) + " " + llvm::formatv("{0}", llvm::json::Value(llvm::json::Object(S.Options[I].Effect))).str();
    T += "\n";
  }
  return T;
}

std::string actions(const Context &C) {
  std::string T;
  for (const ActionDoc &A : C.Actions) {
    T += "- `" + A.Name + "`: " + A.Summary;
    for (const auto &[Name, Range] : A.Parameters)
      T += "; " + Name + ": " + Range;
    T += "\n";
  }
  return T;
}

std::string examples(const Context &C) {
  std::string T;
  for (const RepairExample &E : C.Examples)
    T += E.Reason + ": " + E.Message + "\n\nRejected:\n" + code(E.Bad) + "What repaired it:\n" + code(E.Good);
  return T;
}

std::vector<Section> sectionsOf(const Context &C) {
  std::vector<Section> All;
  auto add = [&](std::string Title, std::string Text, unsigned Rank) {
    if (!Text.empty())
      All.push_back({std::move(Title), std::move(Text), Rank});
  };
  for (size_t I = 0; I < C.Rounds.size(); ++I) // the last round is the one that counts
    add("Result of round " + std::to_string(C.Rounds[I].Number), feedbackMarkdown(C.Rounds[I]), I + 1 == C.Rounds.size() ? 2 : 8);
  add("Task", task(C), 0);
  add("Constraints", bullets(C.Constraints), 0);
  add("Shapes at which it must be right", bullets(C.Shapes), 3);
  add("Devices", devices(C), 0);
  for (size_t I = 0; I < C.Parents.size(); ++I) {
    const Parent &P = C.Parents[I];
    add("Profile of " + P.Id, profile(P), I ? 4 : 0);
    add("Source of " + P.Id + (P.Steps.empty() ? "" : " (" + toString(P.Steps) + ")"), code(P.Text), I ? 6 : 0);
    add("Where actions apply to " + P.Id, sites(P), I ? 7 : 2);
  }
  if (C.Parents.empty())
    add("Source", code(C.Source), 0);
  add("Findings", bullets(C.Findings), 3);
  add("Actions", actions(C), 2);
  add("Callers", C.Callers.empty() ? "" : code(C.Callers), 7);
  add("Comments of the author", bullets(C.Comments), 9);
  add("Rejected before, and repaired", examples(C), 5);
  return All;
}

std::string render(const Section &S) { return "## " + S.Title + "\n\n" + S.Text + "\n"; }

/// The first whole lines that fit; an open code block is closed.
std::string shorten(llvm::StringRef Text, size_t Characters) {
  constexpr llvm::StringLiteral Tail = "...\n";
  std::string Kept;
  bool Fence = false;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (Kept.size() + Line.size() + 1 + Tail.size() + 4 > Characters)
      break;
    Kept += Line.str() + "\n";
    if (Line.starts_with("```"))
      Fence = !Fence;
    Text = Rest;
  }
  if (Kept.empty())
    return "";
  return Kept + Tail.str() + (Fence ? "```\n" : "");
}

} // namespace

std::string agent::renderContext(const Context &C, size_t Budget, std::vector<std::string> *Cut) {
  std::vector<Section> All = sectionsOf(C);
  size_t Used = 0, Room = Budget * 4; // characters
  for (const Section &S : All)
    Used += render(S).size();
  std::vector<Section *> ByRank;
  for (Section &S : All)
    if (S.Rank)
      ByRank.push_back(&S);
  std::stable_sort(ByRank.begin(), ByRank.end(), [](const Section *A, const Section *B) { return A->Rank > B->Rank; });
  for (Section *S : ByRank) {
    if (!Budget || Used <= Room)
      break;
    size_t Own = render(*S).size(), Over = Used - Room, Frame = Own - S->Text.size();
    S->Text = Own > Over + Frame ? shorten(S->Text, Own - Over - Frame) : "";
    Used -= Own;
    if (!S->Text.empty())
      Used += render(*S).size();
    if (Cut)
      Cut->push_back(S->Title);
  }
  std::string Text;
  for (const Section &S : All)
    if (!S.Text.empty())
      Text += render(S);
  return Text;
}

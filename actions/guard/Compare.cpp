#include "actions/guard/Guard.h"
#include "analyzers/engine/Policy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/thread.h"

using namespace kcheck;

namespace {

class Comparison {
public:
  Comparison(const GuardFacts &A, const GuardFacts &B, llvm::StringRef File, const GuardOptions &O, const Policy &P)
      : Parent(A), Candidate(B), File(File), O(O), P(P) {}

  GuardResult run() {
    if (!Candidate.Errors.empty())
      violation("does_not_compile", 0, "", "the candidate does not compile: " + Candidate.Errors.front());
    regions();
    for (const FunctionFacts &F : Parent.Functions)
      function(F);
    for (const FunctionFacts &F : Candidate.Functions)
      if (!find(Parent, F))
        changed(F, "added");
    if (Parent.FileScope != Candidate.FileScope) {
      R.Changes.push_back({"", "declarations outside functions changed", 0});
      if (O.InnerOnly)
        violation("outside_region", 0, "", "declarations outside functions changed");
    }
    return std::move(R);
  }

private:
  static const FunctionFacts *find(const GuardFacts &In, const FunctionFacts &Like) {
    const FunctionFacts *Named = nullptr;
    unsigned Times = 0;
    for (const FunctionFacts &F : In.Functions)
      if (F.Name == Like.Name) {
        if (F.Signature == Like.Signature)
          return &F;
        Named = &F;
        ++Times;
      }
    return Times == 1 ? Named : nullptr;
  }

  void violation(llvm::StringRef Tag, unsigned Line, std::string Function, std::string Message, Certainty Sure = Certainty::Proven) {
    if (llvm::is_contained(O.Allow, Tag))
      return;
    Finding F;
    F.Rule = "kcheck-guard";
    F.Tag = Tag.str();
    F.Cmpd = "E";
    F.Sure = Sure;
    F.Level = P.severity(F.Rule, Tag, Sure);
    F.Where = {File.str(), Line, Line ? 1u : 0u};
    F.Message = std::move(Message);
    F.Kernel = std::move(Function);
    if (F.Level == Severity::Off)
      return;
    R.Worst = std::max(R.Worst, F.Level);
    R.Violations.push_back(std::move(F));
  }
  void changed(const FunctionFacts &F, std::string What) { R.Changes.push_back({F.Name, std::move(What), F.Line}); }

  /// The same words mean something else: a macro that they name is new or another. One that is gone has made place for a declaration.
  static bool otherMeaning(const std::map<std::string, std::string> &Old, const std::map<std::string, std::string> &New) {
    return llvm::any_of(New, [&](const auto &M) {
      auto It = Old.find(M.first);
      return It == Old.end() || It->second != M.second;
    });
  }

  void regions() {
    if (!Parent.MarkerFault.empty())
      violation("outside_region", 0, "", "the parent's markers are broken: " + Parent.MarkerFault);
    if (Parent.Protected.empty())
      return;
    if (!Candidate.MarkerFault.empty() || Candidate.Protected.size() != Parent.Protected.size())
      return violation("outside_region", 0, "", "the markers of a protected region were changed");
    for (size_t I = 0; I < Parent.Protected.size(); ++I)
      if (Parent.Protected[I].second != Candidate.Protected[I].second || otherMeaning(Parent.ProtectedMacros[I], Candidate.ProtectedMacros[I]))
        violation("outside_region", Candidate.Protected[I].first, "",
                  "the protected region of line " + std::to_string(Parent.Protected[I].first) + " was changed");
  }

  void function(const FunctionFacts &Old) {
    const FunctionFacts *New = find(Candidate, Old);
    static constexpr const char *Names[] = {"kernel", "device function", "host function"};
    std::string What = Names[Old.K];
    if (!New) {
      changed(Old, "removed");
      if (Old.K == FunctionFacts::Device)
        return; // inlined or no longer needed
      return violation(Old.K == FunctionFacts::Kernel ? "signature_changed" : "host_code_changed", 0, Old.Name, What + " " + Old.Name + " is gone");
    }
    if (Old.Signature != New->Signature && Old.K != FunctionFacts::Device)
      violation("signature_changed", New->Line, New->Name, What + " " + New->Name + " was '" + Old.Signature + "' and is '" + New->Signature + "'");
    if (Old.Tokens == New->Tokens && Old.Launches == New->Launches && !otherMeaning(Old.Macros, New->Macros))
      return;
    changed(*New, What + " changed");
    if (O.InnerOnly && !outsideKept(Old, *New))
      violation("outside_region", New->Line, New->Name, New->Name + " was changed outside its innermost loops");
    if (Old.K == FunctionFacts::Host)
      return hostCode(Old, *New);
    bool Called = llvm::any_of(Parent.Functions, [](const FunctionFacts &F) { return F.K == FunctionFacts::Kernel; });
    if (Old.K == FunctionFacts::Kernel || !Called) // a kernel counts what the functions do that it calls
      barriers(Old, *New);
    if (Old.K == FunctionFacts::Kernel)
      guards(Old, *New);
  }

  void hostCode(const FunctionFacts &Old, const FunctionFacts &New) {
    bool Else = Old.WithoutLaunches != New.WithoutLaunches || otherMeaning(Old.Macros, New.Macros);
    if (!Else && Old.Launches == New.Launches)
      return; // the same sizes in other words
    if (!Else)
      violation("launch_changed", New.Line, New.Name, "the sizes of a launch in " + New.Name + " were changed");
    else
      violation("host_code_changed", New.Line, New.Name, "host function " + New.Name + " was changed");
  }

  /// The tokens around the parent's innermost loops stand in the candidate in the same order, at its ends too.
  static bool outsideKept(const FunctionFacts &Old, const FunctionFacts &New) {
    std::vector<std::vector<std::string>> Pieces(1);
    for (size_t I = 0; I < Old.Plain.size(); ++I)
      if (Old.InInnerLoop[I]) {
        if (!Pieces.back().empty())
          Pieces.emplace_back();
      } else {
        Pieces.back().push_back(Old.Plain[I]);
      }
    if (Pieces.size() == 1)
      return Old.Plain == New.Plain;
    auto At = New.Plain.begin(), End = New.Plain.end();
    const auto &First = Pieces.front(), &Last = Pieces.back();
    if (New.Plain.size() < First.size() + Last.size() || !std::equal(First.begin(), First.end(), At) ||
        !std::equal(Last.rbegin(), Last.rend(), New.Plain.rbegin()))
      return false;
    At += First.size();
    End -= Last.size();
    for (size_t I = 1; I + 1 < Pieces.size(); ++I) {
      At = std::search(At, End, Pieces[I].begin(), Pieces[I].end());
      if (At == End)
        return false;
      At += Pieces[I].size();
    }
    return true;
  }

  /// For each kind: as many of it, or of one that reaches further, as before; and as many that all threads come by.
  void barriers(const FunctionFacts &Old, const FunctionFacts &New) {
    auto Count = [](const FunctionFacts &F, const BarrierFact &Like, bool FreeOnly) {
      return llvm::count_if(F.Barriers, [&](const BarrierFact &B) { return B.Of == Like.Of && B.Reach >= Like.Reach && (!FreeOnly || !B.InBranch); });
    };
    std::set<std::string> Said;
    for (const BarrierFact &B : Old.Barriers) {
      if (!Said.insert(B.Kind).second)
        continue;
      auto Was = Count(Old, B, false), Is = Count(New, B, false);
      if (Is < Was) {
        violation(B.Of == BarrierFact::Fence ? "fence_removed" : "barrier_removed", New.Line, New.Name,
                  New.Name + " had " + std::to_string(Was) + " of kind '" + B.Kind + "' and has " + std::to_string(Is));
      } else if (Count(New, B, true) < Count(Old, B, true)) {
        auto Moved = llvm::find_if(New.Barriers, [&](const BarrierFact &X) { return X.Of == B.Of && X.Reach >= B.Reach && X.InBranch; });
        violation("barrier_moved", Moved == New.Barriers.end() ? New.Line : Moved->Line, New.Name,
                  "a " + B.Kind + " of " + New.Name + " was moved to where not all threads come by");
      }
    }
    if (!Old.Races && New.Races)
      violation("barrier_moved", New.Line, New.Name, "threads of a block conflict in " + New.Name + ", which they did not before");
  }

  void guards(const FunctionFacts &Old, const FunctionFacts &New) {
    // What the launches reach settles it where they can be tried: an equivalent guard reaches as far.
    bool Tried = Parent.Does && Candidate.Does;
    std::string Further = Tried ? Parent.Does->difference(*Candidate.Does, /*FurtherOnly=*/true) : "";
    bool Same = Tried && Further.empty() && Parent.Does->comparable(*Candidate.Does);
    // A kernel that was built anew has other indices: where its launches go no further, as far as they can be followed, it may well be right.
    bool Seen = Tried && Parent.Does->seenIn(*Candidate.Does), Long = Tried && !Seen && Parent.Does->followed();
    Certainty Sure = Further.empty() && (Seen || (Long && Candidate.Patient)) ? Certainty::Doubt : Certainty::Proven;
    std::string Aside = !Further.empty() ? "; " + Further : Long ? "; its launches take too long to be followed" : "";
    std::set<std::string> Said;
    bool Any = false;
    for (const auto &[Parameter, Atoms] : Old.Guards) {
      auto It = New.Guards.find(Parameter);
      if (It == New.Guards.end())
        continue; // no access is left
      std::string Buffer = Parameter < New.Parameters.size() ? New.Parameters[Parameter] : "?";
      for (const BoundAtom &A : Atoms) {
        const BoundAtom *Weaker = nullptr;
        bool Kept = false;
        for (const BoundAtom &B : It->second)
          if (B.Rest == A.Rest) {
            Kept |= B.Constant <= A.Constant;
            Weaker = &B;
          }
        if (Kept || Same || !Said.insert(A.Text).second)
          continue;
        Any = true;
        R.Unfollowed |= Long && Further.empty() && !Candidate.Patient;
        if (Weaker)
          violation("guard_weakened", Weaker->Line, New.Name,
                    "the check '" + A.Text + "' in front of " + Buffer + " became '" + Weaker->Text + "'" + Aside, Sure);
        else
          violation("guard_removed", New.Line, New.Name,
                    "the check '" + A.Text + "' no longer stands in front of every access of " + Buffer + Aside, Sure);
      }
    }
    if (!Any && !Further.empty())
      violation("guard_weakened", New.Line, New.Name, New.Name + " reaches further than before: " + Further);
  }

  const GuardFacts &Parent, &Candidate;
  llvm::StringRef File;
  const GuardOptions &O;
  const Policy &P;
  GuardResult R;
};

} // namespace

GuardResult kcheck::compareFacts(const GuardFacts &Parent, const GuardFacts &Candidate, llvm::StringRef File, const GuardOptions &O, const Policy &P) {
  return Comparison(Parent, Candidate, File, O, P).run();
}

static llvm::Expected<GuardFacts> factsOf(const LintInput &I, const ParseOptions &Options, bool Patient) {
  GuardFacts F;
  if (llvm::Error E = parse(I.File, *I.Text, Options, View::Device, [&](TranslationUnit &TU) { F = guardFacts(TU, Patient); }))
    return std::move(E);
  return F;
}

static llvm::Expected<GuardResult> guardOnce(const LintInput &Parent, const LintInput &Candidate, const ParseOptions &Options, const GuardOptions &O, const Policy &P, bool Patient) {
  llvm::Expected<GuardFacts> A = GuardFacts(), B = GuardFacts();
  llvm::consumeError(A.takeError());
  llvm::consumeError(B.takeError());
  llvm::thread Second(std::optional<unsigned>(256u << 20), [&] { B = factsOf(Candidate, Options, Patient); }); // a parse recurses deeply
  A = factsOf(Parent, Options, Patient);
  Second.join();
  if (!A) {
    llvm::consumeError(B.takeError());
    return A.takeError();
  }
  if (!A->Errors.empty()) {
    llvm::consumeError(B.takeError());
    return llvm::createStringError(Parent.File + ": the parent does not compile: " + A->Errors.front());
  }
  if (!B)
    return B.takeError();
  return compareFacts(*A, *B, Candidate.File, O, P);
}

llvm::Expected<GuardResult> kcheck::guard(const LintInput &Parent, const LintInput &Candidate, const ParseOptions &Options, const GuardOptions &O, const Policy &P) {
  llvm::Expected<GuardResult> R = guardOnce(Parent, Candidate, Options, O, P, /*Patient=*/false);
  return R && R->Unfollowed ? guardOnce(Parent, Candidate, Options, O, P, /*Patient=*/true) : std::move(R);
}

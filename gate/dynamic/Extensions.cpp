#include "gate/dynamic/Extensions.h"
#include "runner/protocol/StandIns.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Failure;
using protocol::State;

namespace {

constexpr int64_t AsShown = 3;

/// The words of the call (kcheck_torch_search.h, Mode).
struct Mode {
  int64_t Level = 0, Distinct = 0, Counting = 0, MergeA = -1, MergeB = -1;
};

protocol::Job jobOf(const PreparedExtension &X, const Mode &M) {
  protocol::CallStep S;
  for (int64_t W : {M.Level, M.Distinct, M.Counting, M.MergeA, M.MergeB}) {
    protocol::Argument A;
    A.Type = protocol::DType::I64;
    A.Int = W;
    S.Args.push_back(std::move(A));
  }
  protocol::Job J;
  J.Source = X.Source;
  J.Steps.push_back({std::move(S), X.Call.Line});
  J.Limits.Seconds = 10;
  return J;
}

/// What a job said of itself, taken out of its findings.
struct Told {
  std::map<std::string, std::string> Words;
  const std::string &at(const char *Kind) { return Words[Kind]; }
};
Told takeTold(protocol::Result &R) {
  Told T;
  llvm::erase_if(R.Findings, [&](const protocol::Finding &X) {
    llvm::StringRef Tag = X.Tag;
    if (!Tag.consume_front(protocol::ExtensionTag))
      return false;
    T.Words[Tag.str()] = X.Message;
    return true;
  });
  return T;
}

bool isRace(const protocol::Finding &X) { return llvm::StringRef(X.Tag).starts_with("race_"); }

/// What a place that data chooses may be wrong about: the data are made up.
bool hangsOnData(const protocol::Finding &X) {
  llvm::StringRef T = X.Tag;
  return T == "timeout" || T == "device_assert" || T == "launch_config" || T == "null_access" || T == "memcpy_size" || T == "crash" || T == "leak" || T == "unchecked_launch_error";
}

/// A tensor whose length follows from nothing is roomy; behind its end lies another's memory, and every access is in doubt.
void dropBeyondRoom(const std::string &Rooms, std::vector<protocol::Finding> &All) {
  std::set<std::string> Names;
  for (llvm::StringRef N : llvm::split(Rooms, '\n'))
    Names.insert(N.str());
  Names.erase("");
  auto Beyond = [&](const protocol::Finding &X) { return X.Tag == "out_of_bounds_global" && Names.count(X.Buffer); };
  if (llvm::none_of(All, Beyond))
    return;
  llvm::erase_if(All, [](const protocol::Finding &X) {
    llvm::StringRef T = X.Tag;
    return T == "out_of_bounds_global" || T == "uninitialised_read" || T == "race_global" || T == "race_blocks" || T == "race_launches";
  });
}

std::string keyOf(const protocol::Finding &X) { return X.Tag + ":" + std::to_string(X.Where.Line) + ":" + X.Buffer; }

class Function {
public:
  Function(const PreparedExtension &X, ExtensionOutcome &Out) : X(X), Out(Out) {}

  /// All dims one size, three of them; each its own, in two orders; those of the file; integers that count up.
  std::vector<Mode> modes() const {
    std::vector<Mode> All = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 1}};
    if (X.Shown)
      All.push_back({0, AsShown, 0});
    return All;
  }

  void take(const Mode &M, protocol::Result R) {
    Told T = takeTold(R);
    if (R.Failure == Failure::NoWorker || R.Failure == Failure::BadJob) {
      Out.Trouble = R.Message.empty() ? "the worker does not say why" : R.Message;
      return;
    }
    if (R.Failure == Failure::CompileError || R.Failure == Failure::Unsupported) {
      Why = R.Message;
      for (const protocol::CompileMessage &C : R.Compile)
        if (R.Failure == Failure::CompileError && C.Level == "error") {
          Why += " (" + std::to_string(C.Where.Line) + ":" + std::to_string(C.Where.Column) + " " + C.Message + ")";
          break;
        }
      return;
    }
    if (!T.at("refused").empty()) {
      Refused = T.at("refused");
      return;
    }
    if (R.State == State::NotMeasured) {
      Why = R.Message;
      return;
    }
    if (T.at("shapes").empty()) { // it ended before its first launch
      Why = R.Message.empty() ? "it ends before its first launch" : R.Message;
      return;
    }
    llvm::erase_if(R.Findings, [](const protocol::Finding &F) { return llvm::StringRef(F.Tag).starts_with("unsupported_by_") || F.Tag == "leak" || F.Tag == "unchecked_launch_error"; });
    dropBeyondRoom(T.at("rooms"), R.Findings);
    Seen.push_back({M, std::move(T), std::move(R.Findings)});
  }

  /// Dims to make one, to see what is left of the faults that only different sizes show.
  std::vector<Mode> questions() const {
    constexpr size_t Most = 12;
    std::vector<Mode> Out;
    for (const Run &R : Seen)
      if (isMade(R.M) && llvm::any_of(R.Findings, [&](const protocol::Finding &F) { return !inAlike(F); }))
        for (llvm::StringRef Line : llvm::split(merges(R), '\n')) {
          auto [A, B] = Line.split(' ');
          Mode M = R.M;
          if (!A.getAsInteger(10, M.MergeA) && !B.getAsInteger(10, M.MergeB) && Out.size() < Most)
            Out.push_back(M);
        }
    return Out;
  }
  void answer(const Mode &M, protocol::Result R) {
    Told T = takeTold(R);
    dropBeyondRoom(T.at("rooms"), R.Findings);
    if (!T.at("shapes").empty())
      Merged.push_back({M, std::move(T), std::move(R.Findings)});
  }

  void finish() {
    if (Seen.empty()) {
      Out.Problems.push_back(X.Call.Name + " (line " + std::to_string(X.Call.Line) + "): " +
                             (!Why.empty() ? Why : Refused.empty() ? "it was not run" : "no sizes were found that its checks accept: " + Refused));
      return;
    }
    ++Out.Ran;
    std::set<std::string> Had;
    for (Run &R : Seen) {
      if (R.M.Counting)
        continue;
      for (protocol::Finding &F : R.Findings) {
        if (isRace(F) && !counted(F))
          continue;
        if (!Had.insert(keyOf(F)).second)
          continue;
        F.Sure &= !hangsOnData(F) && (!isMade(R.M) || inAlike(F) || standsMerged(R.M, F));
        Out.Findings.push_back({F, R.Said.at("shapes")});
      }
    }
  }

private:
  struct Run {
    Mode M;
    Told Said;
    std::vector<protocol::Finding> Findings;
  };

  /// Different sizes that nothing shows.
  static bool isMade(const Mode &M) { return M.Distinct && M.Distinct != AsShown; }
  static const std::string &merges(const Run &R) {
    static const std::string None;
    auto It = R.Said.Words.find("merges");
    return It == R.Said.Words.end() ? None : It->second;
  }
  static bool has(const Run &R, const protocol::Finding &F) {
    return llvm::any_of(R.Findings, [&](const protocol::Finding &G) { return keyOf(G) == keyOf(F); });
  }
  bool inAlike(const protocol::Finding &F) const {
    return llvm::any_of(Seen, [&](const Run &R) { return !R.M.Distinct && !R.M.Counting && has(R, F); });
  }
  /// Tensors of zeros name one place often; a race that is gone when all integers differ is the data's.
  bool counted(const protocol::Finding &F) const {
    auto It = llvm::find_if(Seen, [](const Run &R) { return R.M.Counting; });
    return It == Seen.end() || llvm::any_of(It->Findings, [&](const protocol::Finding &G) { return isRace(G) && G.Where.Line == F.Where.Line; });
  }
  bool standsMerged(const Mode &Of, const protocol::Finding &F) const {
    return llvm::all_of(Merged, [&](const Run &R) { return R.M.Distinct != Of.Distinct || has(R, F); });
  }

  const PreparedExtension &X;
  ExtensionOutcome &Out;
  std::vector<Run> Seen, Merged;
  std::string Why, Refused;
};

} // namespace

std::string gate::extensionText(const ExtensionCall &C, llvm::ArrayRef<KnownArgument> Known) {
  std::string Text = "#include <kcheck_torch_host.h>\nextern \"C\" void kcheck_call(void **W) {\n  kcheck_torch::Search S(W);\n";
  for (size_t I = 0; I < Known.size(); ++I) {
    std::string Dims;
    for (const KnownDim &D : Known[I].Dims)
      Dims += (Dims.empty() ? "" : ", ") + ("{\"" + D.Word + "\", " + std::to_string(D.Value) + "}");
    if (Known[I].IsWhole)
      Text += "  S.number(" + std::to_string(I) + ", " + std::to_string(Known[I].Whole) + ");\n";
    else if (!Dims.empty())
      Text += "  S.known(" + std::to_string(I) + ", {" + Dims + "});\n";
  }
  return Text + "  S.run([&] { (void)" + C.Call + "; });\n}";
}

ExtensionOutcome gate::runExtensions(const std::vector<PreparedExtension> &All, const RunJobs &Run) {
  ExtensionOutcome Out;
  std::vector<Function> Functions;
  for (const PreparedExtension &X : All)
    Functions.emplace_back(X, Out);
  struct Asked {
    size_t Of;
    Mode M;
  };
  auto Ask = [&](const std::vector<Asked> &What, auto Take) {
    std::vector<protocol::Job> Jobs;
    for (const Asked &A : What)
      Jobs.push_back(jobOf(All[A.Of], A.M));
    if (Jobs.empty() || !Out.Trouble.empty())
      return;
    Answers Given = Run(std::move(Jobs), false);
    for (const Asked &A : What) {
      std::optional<protocol::Result> R = Given.next();
      if (!R)
        break;
      Out.Results.push_back(*R);
      Take(A, std::move(*R));
    }
  };
  std::vector<Asked> First, Second;
  for (size_t I = 0; I < All.size(); ++I)
    for (const Mode &M : Functions[I].modes())
      First.push_back({I, M});
  Ask(First, [&](const Asked &A, protocol::Result R) { Functions[A.Of].take(A.M, std::move(R)); });
  for (size_t I = 0; I < All.size(); ++I)
    for (const Mode &M : Functions[I].questions())
      Second.push_back({I, M});
  Ask(Second, [&](const Asked &A, protocol::Result R) { Functions[A.Of].answer(A.M, std::move(R)); });
  for (Function &F : Functions)
    F.finish();
  return Out;
}

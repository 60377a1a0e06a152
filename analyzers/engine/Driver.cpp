#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/Parse.h"
#include "analyzers/engine/driver/PythonStrings.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace kcheck;

/// Both views where they differ; Options are effective ones.
static llvm::Error lintViews(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Given, const Policy &P, LintResult &R) {
  ParseOptions Options = Given;
  Options.ReadTemplates = true;
  ParseFacts Device;
  std::vector<Finding> Found;
  llvm::Error E = parseView(File, Text, Options, View::Device, Device, [&](TranslationUnit &TU) {
    Found = runRules(TU, P);
    std::vector<KernelSummary> Kernels = summariseKernels(TU);
    R.Kernels.insert(R.Kernels.end(), std::make_move_iterator(Kernels.begin()), std::make_move_iterator(Kernels.end()));
    R.Passed.insert(R.Passed.end(), std::make_move_iterator(TU.Passed.begin()), std::make_move_iterator(TU.Passed.end()));
    R.MissingHeaders.insert(R.MissingHeaders.end(), TU.MissingHeaders.begin(), TU.MissingHeaders.end());
  });
  R.Arch = Device.Arch;
  R.CudaVersion = Device.CudaVersion;
  R.HasToolkit = Device.HasToolkit;
  for (std::string &N : Device.Notes)
    if (!llvm::is_contained(R.Notes, N))
      R.Notes.push_back(std::move(N));
  if (E)
    return E;
  if (Device.HostDiffers) {
    ParseFacts Host;
    Host.Macros = Device.Macros;
    std::vector<Finding> More;
    if (llvm::Error HostError = parseView(File, Text, Options, View::Host, Host, [&](TranslationUnit &TU) { More = runRules(TU, P); }))
      return HostError;
    R.HostViewToo = true;
    addHostFindings(Found, std::move(More), Host.DeviceOnly);
  }
  dropRepeats(Found);
  R.Findings.insert(R.Findings.end(), std::make_move_iterator(Found.begin()), std::make_move_iterator(Found.end()));
  return llvm::Error::success();
}

namespace {

/// Moves what was found in a Python file's string to where it stands in the file.
class PythonPlaces {
public:
  PythonPlaces(llvm::StringRef Python, const CudaString &S, llvm::StringRef File) : Python(Python), S(S), File(File) {}

  void move(Finding &F) const {
    move(F.Where);
    for (FindingNote &N : F.Notes)
      move(N.Where);
    llvm::erase_if(F.Fixes, [&](Fix &X) { return !move(X); });
  }
  unsigned line(unsigned Line) const {
    Location L{File.str(), Line, 1};
    move(L);
    return L.Line;
  }

private:
  std::optional<unsigned> offset(std::optional<unsigned> At) const {
    if (!At)
      return std::nullopt;
    for (unsigned I = *At; I < S.Offsets.size(); ++I) // what has no place of its own: the next that has
      if (S.Offsets[I] != ~0u)
        return S.Offsets[I];
    return std::nullopt;
  }
  void move(Location &L) const {
    if (L.File != File)
      return;
    if (auto At = offset(offsetOf(S.Text, L.Line, L.Column)))
      std::tie(L.Line, L.Column) = lineColumn(Python, *At);
    else
      L.Line = L.Column = 0;
  }
  bool move(Fix &X) const {
    for (Edit &E : X.Edits) {
      if (E.File != File || !S.Raw || E.Offset + E.Length >= S.Offsets.size() || S.Offsets[E.Offset] == ~0u)
        return false;
      if (S.Offsets[E.Offset + E.Length] - S.Offsets[E.Offset] != E.Length || E.Text.find_first_of("\\\"'") != std::string::npos)
        return false;
      E.Offset = S.Offsets[E.Offset];
    }
    return true;
  }

  llvm::StringRef Python;
  const CudaString &S;
  llvm::StringRef File;
};

} // namespace

static llvm::Error lintPython(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Policy &P, LintResult &R) {
  std::vector<CudaString> Strings = cudaStrings(Text);
  if (Strings.empty())
    R.Notes.push_back("no CUDA code in the strings of this file");
  for (const CudaString &S : Strings) {
    size_t FirstFinding = R.Findings.size(), FirstKernel = R.Kernels.size();
    if (llvm::Error E = lintViews(File, S.Text, Options, P, R))
      return E;
    PythonPlaces Places(Text, S, File);
    for (size_t I = FirstFinding; I < R.Findings.size(); ++I)
      Places.move(R.Findings[I]);
    for (size_t I = FirstKernel; I < R.Kernels.size(); ++I) {
      R.Kernels[I].Line = Places.line(R.Kernels[I].Line);
      for (LaunchSummary &L : R.Kernels[I].Launches)
        L.Line = Places.line(L.Line);
    }
    if (!S.Holes)
      continue;
    // What is filled in at run time is not there to be parsed: no word on whether it compiles, and no proof of the rest.
    R.Notes.push_back("parts of a CUDA string are filled in at run time: it was not checked for compile errors, and its other faults are doubts");
    for (size_t I = FirstFinding; I < R.Findings.size(); ++I)
      if (Finding &F = R.Findings[I]; F.Level == Severity::Reject) {
        F.Sure = Certainty::Doubt;
        F.Level = P.severity(F.Rule, F.Tag, F.Sure);
      }
    for (size_t I = R.Findings.size(); I-- > FirstFinding;)
      if (R.Findings[I].Rule == "kcheck-compile")
        R.Findings.erase(R.Findings.begin() + I);
  }
  return llvm::Error::success();
}

LintResult kcheck::lint(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Policy &P) {
  LintResult R;
  R.File = File.str();
  auto Start = std::chrono::steady_clock::now();
  auto Look = [&]() -> llvm::Error {
    auto Effective = effectiveOptions(File, Options);
    if (!Effective)
      return Effective.takeError();
    bool Python = llvm::sys::path::extension(File) == ".py";
    return (Python ? lintPython : lintViews)(File, Text, *Effective, P, R);
  };
  if (llvm::Error E = Look())
    R.Error = llvm::toString(std::move(E));
  R.ElapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Start).count();
  return R;
}

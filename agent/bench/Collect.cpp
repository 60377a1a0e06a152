// The context collector: what is known of a kernel before anything of it runs.
#include "actions/engine/Device.h"
#include "agent/bench/CostModel.h"
#include "agent/bench/LocalBench.h"
#include "gate/dynamic/Bind.h"
#include "analyzers/engine/output/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kcheck;
using namespace kcheck::agent;

namespace {

/// The text of a function from its first line to the brace that closes it.
std::string functionAt(llvm::StringRef Text, unsigned Line) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  std::string Out;
  int Depth = 0;
  bool Opened = false;
  for (size_t I = Line ? Line - 1 : 0; I < Lines.size() && Out.size() < 6000; ++I) {
    Out += Lines[I].str() + "\n";
    for (char C : Lines[I]) {
      Depth += C == '{' ? 1 : C == '}' ? -1 : 0;
      Opened |= C == '{';
    }
    if (Opened && Depth <= 0)
      break;
  }
  return Out;
}

/// Lines outside the function that mention its name.
std::string callersOf(llvm::StringRef Text, llvm::StringRef Name, unsigned From, unsigned To) {
  std::string Out;
  unsigned Line = 0;
  for (llvm::StringRef Rest = Text; !Rest.empty();) {
    auto [L, Next] = Rest.split('\n');
    ++Line;
    if ((Line < From || Line > To) && L.contains((Name + "(").str()) && !L.trim().starts_with("//"))
      Out += llvm::formatv("{0}: {1}\n", Line, L.rtrim());
    Rest = Next;
  }
  return Out;
}

std::vector<std::string> commentsOf(llvm::StringRef Text) {
  std::vector<std::string> Out;
  while (!Text.empty()) {
    auto [L, Rest] = Text.split('\n');
    size_t At = L.find("//");
    llvm::StringRef Words = At == llvm::StringRef::npos ? llvm::StringRef() : L.substr(At + 2).trim();
    if (!Words.empty() && !Words.starts_with("verdict:") && Out.size() < 40)
      Out.push_back(Words.str());
    Text = Rest;
  }
  return Out;
}

std::string signatureOf(const gate::Launcher &L, llvm::StringRef Text) {
  std::string Body = functionAt(Text, L.Line);
  return llvm::StringRef(Body).split('{').first.trim().str();
}

std::vector<std::string> constraintsOf(const Context &C, const DeviceLimits &L) {
  return {llvm::formatv("at most {0} threads a block, {1} KiB of static shared memory a block, {2} registers a thread", L.ThreadsPerBlock, L.StaticShared / 1024, L.RegistersPerThread),
          "the launcher's name and parameters stay as they are: " + C.Signature,
          "bounds checks and barriers stay in force for every access; no barrier where threads of a block may differ",
          "results stay within the tolerance at every shape, not only at the one that is tuned for",
          "no library calls, no inline assembly, no code that looks at particular sizes or values to skip work"};
}

} // namespace

llvm::Expected<Context> agent::collectContext(const BenchOptions &O, llvm::StringRef Text) {
  Context C;
  C.File = O.File;
  C.Source = Text.str();
  std::vector<std::string> Problems;
  llvm::Error E = gate::withCandidate(O.File, Text, O.Parse, [&](gate::Candidate &K) {
    auto B = gate::bind(O.Task, K, Problems);
    if (!B)
      return;
    C.Signature = signatureOf(*B->L, Text);
    C.Launcher = functionAt(Text, B->L->Line);
    unsigned Lines = unsigned(llvm::StringRef(C.Launcher).count('\n'));
    C.Callers = callersOf(Text, B->L->Name, B->L->Line, B->L->Line + Lines);
  });
  if (E)
    return std::move(E);
  if (!Problems.empty())
    return llvm::createStringError(llvm::join(Problems, "\n"));
  C.Operator = O.Task.Op;
  if (const ops::Operator *Op = ops::findOperator(O.Task.Op))
    C.Formula = Op->Summary;
  for (const ops::Dims &D : checkedShapes(O.Task))
    C.Shapes.push_back(ops::toString(D));
  C.TunedShape = ops::toString(tunedShape(O.Task));
  if (O.Task.Relative || O.Task.Absolute)
    C.Tolerance = llvm::formatv("relative {0}, absolute {1}", O.Task.Relative.value_or(0), O.Task.Absolute.value_or(0));
  C.Comments = commentsOf(Text);

  LintResult L = lintFiles({{O.File, Text.str()}}, O.Parse, O.Rules ? *O.Rules : Policy::builtin()).front();
  if (!L.Error.empty())
    return llvm::createStringError(O.File + ": " + L.Error);
  for (const Finding &F : L.Findings)
    if (!F.Suppressed && F.Level != Severity::Off)
      C.Findings.push_back(llvm::formatv("line {0}: {1}: {2}", F.Where.Line, F.Tag, F.Message));
  DeviceLimits Limits = DeviceLimits::of(O.Parse.Arch);
  C.Constraints = constraintsOf(C, Limits);
  std::vector<std::string> Archs = O.Archs.empty() ? std::vector<std::string>{O.Parse.Arch.empty() ? "sm_80" : O.Parse.Arch} : O.Archs;
  for (const std::string &Device : O.Devices) {
    if (Device == "sim") {
      for (const std::string &A : Archs)
        C.Devices.push_back(DeviceModel::of(A).facts(A));
      continue;
    }
    DeviceFacts F;
    F.Name = Device;
    F.Arch = O.Parse.Arch;
    F.ThreadsPerUnit = Limits.ThreadsPerSM, F.SharedPerUnit = Limits.SharedPerSM, F.RegistersPerUnit = Limits.RegistersPerSM;
    C.Devices.push_back(std::move(F));
  }
  return C;
}

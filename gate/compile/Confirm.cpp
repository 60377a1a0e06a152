#include "gate/compile/Confirm.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/PythonStrings.h"
#include "gate/compile/Nvrtc.h"
#include "gate/compile/Slice.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <set>
#include <thread>

using namespace kcheck;
using namespace kcheck::gate;

static constexpr llvm::StringLiteral CompileRule = "kcheck-compile";

/// A finding that a compiler can settle.
static bool isOpen(const Finding &F) { return F.Rule == CompileRule && F.Tag != "missing_header" && !F.Suppressed; }

llvm::StringRef gate::tagOfMessage(llvm::StringRef M) {
  if (M.contains("is undefined") || M.contains("has no member") || M.contains("was not declared") || M.contains("is ambiguous"))
    return "undeclared_api";
  if (M.contains("No such file") || M.contains("could not open source file"))
    return "missing_header";
  if (M.contains("calling a __host__") || M.contains("calling a constexpr __host__") || M.contains("in device code"))
    return "undeclared_api";
  if (M.contains("expected ") || M.contains("unrecognized token") || M.contains("has no storage class") || M.contains("syntax"))
    return "syntax_error";
  if (M.contains("incomplete type") && M.contains("[]"))
    return "missing_extern_shared";
  return "type_mismatch";
}

static void weigh(Finding &F, Certainty Sure, const Policy &P) {
  F.Sure = Sure;
  F.Level = P.severity(F.Rule, F.Tag, Sure);
}

/// Name as a whole word of Text.
static bool mentions(llvm::StringRef Text, llvm::StringRef Name) {
  if (Name.empty())
    return false;
  for (size_t At = Text.find(Name); At != llvm::StringRef::npos; At = Text.find(Name, At + 1)) {
    auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
    bool Left = At == 0 || !IsWord(Text[At - 1]);
    bool Right = At + Name.size() >= Text.size() || !IsWord(Text[At + Name.size()]);
    if (Left && Right)
      return true;
  }
  return false;
}

/// The real compiler says so too: the finding counts in full and carries its words.
static void prove(Finding &F, const CompilerMessage &M, const CompileResult &A, const Policy &P) {
  weigh(F, Certainty::Proven, P);
  std::string Words = llvm::json::fixUTF8(M.Text);
  F.Evidence["compiler"] = A.Compiler;
  F.Evidence["error"] = Words;
  FindingNote N;
  N.Where = {F.Where.File, M.Line, std::max(M.Column, 1u)};
  if (M.Line == 0)
    N.Where = F.Where;
  N.Message = A.Compiler + ": " + Words;
  F.Notes.push_back(std::move(N));
}

/// The compiler's error that is about the finding: near it, or about the same name.
static const CompilerMessage *answerTo(const Finding &F, const CompileResult &A) {
  auto Name = F.Evidence.getString("name");
  const CompilerMessage *Near = nullptr;
  for (const CompilerMessage &M : A.Errors) {
    if (M.FromAssembler)
      continue;
    if (Name && mentions(M.Text, *Name))
      return &M;
    unsigned Distance = M.Line > F.Where.Line ? M.Line - F.Where.Line : F.Where.Line - M.Line;
    if (!Near && M.Line && Distance <= 3)
      Near = &M;
    if (!Near && F.Tag == "syntax_error" && tagOfMessage(M.Text) == "syntax_error")
      Near = &M;
  }
  return F.Tag == "nvcc_decides" ? nullptr : Near;
}

static Finding fromMessage(const CompilerMessage &M, llvm::StringRef File) {
  Finding F;
  F.Rule = CompileRule.str();
  F.Cmpd = "0";
  F.Tag = tagOfMessage(M.Text).str();
  F.Where = {File.str(), M.Line, std::max(M.Column, 1u)};
  F.Message = M.Text;
  return F;
}

void gate::applyAnswer(LintResult &R, const CompileResult &A, const Policy &P) {
  using State = CompileResult::State;
  auto Drop = [&](auto Which) { llvm::erase_if(R.Findings, [&](const Finding &F) { return isOpen(F) && Which(F); }); };
  if (A.How == State::Accepted) {
    Drop([](const Finding &) { return true; });
    return;
  }
  if (A.How == State::NotRun) {
    Drop([](const Finding &F) { return F.Tag == "nvcc_decides"; });
    for (Finding &F : R.Findings)
      if (isOpen(F))
        weigh(F, Certainty::Doubt, P);
    return;
  }
  bool Any = false;
  for (Finding &F : R.Findings) {
    if (!isOpen(F))
      continue;
    const CompilerMessage *M = answerTo(F, A);
    if (!M) {
      if (F.Tag != "nvcc_decides")
        weigh(F, Certainty::Doubt, P);
      continue;
    }
    Any = true;
    if (F.Tag == "nvcc_decides")
      F.Tag = "missing_include";
    prove(F, *M, A, P);
  }
  Drop([](const Finding &F) { return F.Tag == "nvcc_decides"; });
  // Clang may have seen the same use, in another place, by itself.
  std::set<std::pair<std::string, std::string>> Named;
  Drop([&](const Finding &F) {
    auto Name = F.Evidence.getString("name");
    return F.Tag == "missing_include" && Name && !Named.insert({F.Tag, Name->str()}).second;
  });
  if (Any)
    return;
  // The compiler refuses the file for another reason than Clang saw: its first word about the candidate counts.
  for (const CompilerMessage &M : A.Errors) {
    if (M.FromAssembler || !M.Line)
      continue;
    Finding F = fromMessage(M, R.File);
    if (F.Tag == "missing_header")
      continue;
    prove(F, M, A, P);
    if (F.Level != Severity::Off)
      R.Findings.push_back(std::move(F));
    return;
  }
}

/// Two compilers that name the same thing, or stumble at the same line of a kernel.
static const CompilerMessage *deviceAnswerTo(const Finding &F, const CompileResult &A, bool Torch) {
  llvm::StringRef Name = F.Evidence.getString("name").value_or("");
  if (F.Kernel.empty() || F.Tag == "nvcc_decides" || (Torch && !Name.starts_with("__")))
    return nullptr;
  const CompilerMessage *M = answerTo(F, A);
  bool SameLine = M && M->Line >= F.Where.Line && M->Line - F.Where.Line <= 1;
  return M && (SameLine || mentions(M->Text, Name)) ? M : nullptr;
}

bool gate::applyDeviceAnswer(LintResult &R, const CompileResult &A, const Policy &P, bool Torch) {
  if (A.How != CompileResult::State::Rejected)
    return false;
  llvm::SmallVector<std::pair<Finding *, const CompilerMessage *>> Answered;
  bool All = true;
  for (Finding &F : R.Findings) {
    if (!isOpen(F))
      continue;
    if (const CompilerMessage *M = deviceAnswerTo(F, A, Torch))
      Answered.push_back({&F, M});
    else
      All = false;
  }
  // nvcc reads PyTorch's headers no better, so what NVRTC settled counts.
  if (!All && !Torch)
    return false;
  for (auto &[F, M] : Answered)
    prove(*F, *M, A, P);
  return All && !Answered.empty();
}

/// Words that say of what the message is: "identifier", then the name.
static llvm::StringRef undefinedName(llvm::StringRef Message) {
  auto [Before, After] = Message.split("identifier \"");
  auto [Name, Rest] = After.split('"');
  return Rest.trim().starts_with("is undefined") ? Name : "";
}

static bool isCudaName(llvm::StringRef Name) { return Name.starts_with("cuda") || Name.starts_with("__"); }

/// A word in capitals with an argument list that nothing in Text defines may be a macro of PyTorch's.
static bool hasUnknownMacro(llvm::StringRef Line, llvm::StringRef Text) {
  for (size_t At = 0; At < Line.size();) {
    if (!llvm::isAlpha(Line[At]) && Line[At] != '_') {
      ++At;
      continue;
    }
    llvm::StringRef Word = Line.substr(At).take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
    At += Word.size();
    bool Capitals = Word.size() > 3 && llvm::none_of(Word, llvm::isLower);
    if (Capitals && Line.substr(At).ltrim().starts_with("(") && !Text.contains(("#define " + Word).str()))
      return true;
  }
  return false;
}

/// Whether a declaration that the stand-ins lack could be all that is wrong.
static bool mayBeTheirs(const CompilerMessage &M, const CompileResult &A, llvm::StringRef Text) {
  llvm::StringRef Words = M.Text;
  if (llvm::StringRef Name = undefinedName(Words); !Name.empty())
    return !isCudaName(Name);
  for (llvm::StringRef Theirs : {"at::", "c10::", "torch", "pybind11", "Tensor", "Scalar", "has no member", "\"atomicAdd\"", "incomplete type is not allowed"})
    if ((Words.contains(Theirs) || llvm::StringRef(M.Types).contains(Theirs)) && !(Theirs.starts_with("incomplete") && tagOfMessage(Words) == "missing_extern_shared"))
      return true;
  if (tagOfMessage(Words) != "syntax_error")
    return false;
  auto Undefined = [](const CompilerMessage &O) {
    llvm::StringRef Name = undefinedName(O.Text);
    return !Name.empty() && !isCudaName(Name);
  };
  if (llvm::any_of(A.Errors, Undefined))
    return true;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (unsigned L = M.Line > 1 ? M.Line - 1 : M.Line; L && L <= M.Line && L <= Lines.size(); ++L)
    if (hasUnknownMacro(Lines[L - 1], Text))
      return true;
  return false;
}

void gate::applyStandInAnswer(LintResult &R, const CompileResult &A, llvm::StringRef Text, const Policy &P) {
  if (A.How == CompileResult::State::Accepted)
    return applyAnswer(R, A, P);
  for (Finding &F : R.Findings) {
    if (!isOpen(F) || F.Evidence.get("compiler"))
      continue;
    const CompilerMessage *M = A.How == CompileResult::State::Rejected ? answerTo(F, A) : nullptr;
    if (M && !mayBeTheirs(*M, A, Text))
      prove(F, *M, A, P);
  }
}

namespace {
struct DeviceAnswer {
  CompileResult Result;
  bool Torch = false;
};
} // namespace

/// Slices the file and asks NVRTC.
static DeviceAnswer askDevice(const CompileJob &Job, const ParseOptions &Options) {
  DeviceAnswer Answer;
  Answer.Result.Why = "no NVRTC";
  if (!haveNvrtc(Job.CudaRoot))
    return Answer;
  std::optional<DeviceSlice> Slice;
  llvm::Error E = parse(Job.File, Job.Text, Options, View::Device,
                        [&](TranslationUnit &TU) { Slice = sliceDevice(TU, Job.CudaRoot + "/include"); });
  if (E) {
    Answer.Result.Why = llvm::toString(std::move(E));
    return Answer;
  }
  if (!Slice)
    return Answer;
  Answer.Torch = Slice->Torch;
  Answer.Result = compileByNvrtc(Job, *Slice);
  return Answer;
}

/// No compiler can be asked about the rest: what is not proven yet is a doubt.
static void leaveDoubts(LintResult &R, const Policy &P) {
  llvm::erase_if(R.Findings, [](const Finding &F) { return isOpen(F) && F.Tag == "nvcc_decides"; });
  for (Finding &F : R.Findings)
    if (isOpen(F) && !F.Evidence.get("compiler"))
      weigh(F, Certainty::Doubt, P);
}

/// The findings of one CUDA text. Lines: where its lines stand in a Python file; null: it is the file.
static std::vector<std::string> confirmText(LintResult &R, llvm::StringRef Text, const ParseOptions &Options, const Policy &P,
                                            const AlignedCuda *Lines = nullptr) {
  auto NotAsked = [&](std::string Why) -> std::vector<std::string> {
    leaveDoubts(R, P);
    R.Notes.push_back("compile errors are not confirmed: " + std::move(Why));
    return {};
  };
  auto Moved = [&](CompileResult A) {
    for (CompilerMessage &M : A.Errors)
      M.Line = Lines ? Lines->pythonLine(M.Line) : M.Line;
    return A;
  };
  llvm::Expected<CompileJob> Job = makeJob(R.File, Text, Options);
  if (!Job)
    return NotAsked(llvm::toString(Job.takeError()));
  if (Lines)
    Job->File += ".cu"; // what the text is
  if (llvm::any_of(R.Findings, [](const Finding &F) { return F.Rule == CompileRule && F.Tag == "missing_header"; }))
    return NotAsked("a header is not here"); // it could explain every one of them

  bool InKernel = llvm::any_of(R.Findings, [](const Finding &F) { return isOpen(F) && !F.Kernel.empty() && F.Tag != "nvcc_decides"; });
  if (InKernel) {
    DeviceAnswer Device = askDevice(*Job, Options);
    if (applyDeviceAnswer(R, Moved(std::move(Device.Result)), P, Device.Torch))
      return {"compile_device"};
  }
  Job->StandIns = includesTorch(Text);
  CompileResult Answer = Moved(compileByNvcc(*Job));
  if (Job->StandIns) {
    applyStandInAnswer(R, Answer, Text, P);
    leaveDoubts(R, P);
    bool Any = llvm::any_of(R.Findings, [](const Finding &F) { return isOpen(F) && F.Evidence.get("compiler"); });
    if (Answer.How == CompileResult::State::NotRun && !Any)
      return NotAsked(Answer.Why);
    return Any ? std::vector<std::string>{"compile_device"} : std::vector<std::string>();
  }
  if (Answer.How == CompileResult::State::NotRun)
    return NotAsked(Answer.Why);
  applyAnswer(R, Answer, P);
  return {"compile_device", "compile_host"};
}

/// Each CUDA string of a Python file by itself, with the findings that stand in it.
static std::vector<std::string> confirmPython(LintResult &R, llvm::StringRef Python, const ParseOptions &Options, const Policy &P) {
  std::set<std::string> Covered;
  for (const AlignedCuda &S : alignedStrings(Python)) {
    LintResult Part;
    Part.File = R.File;
    auto Mine = [&](const Finding &F) { return F.Rule == CompileRule && S.holds(F.Where.Line); };
    llvm::copy_if(R.Findings, std::back_inserter(Part.Findings), Mine);
    if (llvm::none_of(Part.Findings, isOpen))
      continue;
    llvm::erase_if(R.Findings, Mine);
    for (std::string &C : confirmText(Part, S.Text, Options, P, &S))
      Covered.insert(std::move(C));
    R.Findings.insert(R.Findings.end(), std::make_move_iterator(Part.Findings.begin()), std::make_move_iterator(Part.Findings.end()));
    for (std::string &N : Part.Notes)
      if (!llvm::is_contained(R.Notes, N))
        R.Notes.push_back(std::move(N));
  }
  leaveDoubts(R, P);
  llvm::stable_sort(R.Findings, [](const Finding &A, const Finding &B) { return std::tie(A.Where.Line, A.Where.Column) < std::tie(B.Where.Line, B.Where.Column); });
  return {Covered.begin(), Covered.end()};
}

std::vector<std::string> gate::confirmCompile(LintResult &R, llvm::StringRef Text, const ParseOptions &Options, const Policy &P) {
  if (!R.Error.empty() || llvm::none_of(R.Findings, isOpen))
    return {};
  return llvm::StringRef(R.File).ends_with(".py") ? confirmPython(R, Text, Options, P) : confirmText(R, Text, Options, P);
}

std::vector<std::vector<std::string>> gate::confirmAll(std::vector<LintResult> &Results, llvm::ArrayRef<LintInput> Inputs,
                                                       const ParseOptions &Options, const Policy &P) {
  std::vector<std::vector<std::string>> Out(Results.size());
  std::vector<size_t> Todo;
  for (size_t I = 0; I < Results.size(); ++I)
    if (llvm::any_of(Results[I].Findings, isOpen))
      Todo.push_back(I);
  std::atomic<size_t> Next = 0;
  auto Work = [&] {
    for (size_t K; (K = Next++) < Todo.size();) {
      size_t I = Todo[K];
      std::string Text;
      if (Inputs[I].Text)
        Text = *Inputs[I].Text;
      else if (auto Buffer = llvm::MemoryBuffer::getFile(Inputs[I].File))
        Text = (*Buffer)->getBuffer().str();
      Out[I] = confirmCompile(Results[I], Text, Options, P);
    }
  };
  size_t Threads = std::min<size_t>(Todo.size(), Options.Jobs ? Options.Jobs : std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> Pool;
  for (size_t I = 1; I < Threads; ++I)
    Pool.emplace_back(Work);
  Work();
  for (std::thread &T : Pool)
    T.join();
  return Out;
}

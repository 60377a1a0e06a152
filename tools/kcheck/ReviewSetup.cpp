#include "tools/kcheck/ReviewSetup.h"
#include "tools/kcheck/Inputs.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using namespace kcheck::cli;

llvm::Error cli::checkArch(llvm::StringRef Arch) {
  if (Arch.empty() || Arch == "native")
    return llvm::Error::success();
  llvm::StringRef Number = Arch;
  if (!Number.consume_front("sm_"))
    Number.consume_front("compute_");
  clang::OffloadArch A = clang::StringToOffloadArch(("sm_" + Number).str());
  if (clang::IsNVIDIAOffloadArch(A))
    return llvm::Error::success();
  std::vector<std::string> Known;
  for (unsigned I = 0; I < static_cast<unsigned>(clang::OffloadArch::LAST); ++I)
    if (auto X = static_cast<clang::OffloadArch>(I); clang::IsNVIDIAOffloadArch(X))
      Known.push_back(clang::OffloadArchToString(X));
  return llvm::createStringError("--arch " + Arch + ": unknown GPU architecture" + didYouMean(Arch, Known) +
                                 " (such as sm_80, sm_90, sm_100)");
}

llvm::Expected<llvm::json::Array> cli::parseDim(llvm::StringRef Option, llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 3> Parts;
  Text.split(Parts, ',');
  llvm::json::Array Dims;
  for (llvm::StringRef P : Parts) {
    unsigned N;
    if (Parts.size() > 3 || P.trim().getAsInteger(10, N) || N == 0 || N > 2147483647)
      return llvm::createStringError(Option + " " + Text + ": not one to three positive numbers, such as 32,8");
    Dims.push_back(N);
  }
  while (Dims.size() < 3)
    Dims.push_back(1);
  return Dims;
}

/// What the command line says stands over every policy file.
static llvm::Error applyOptions(Policy &P, const ReviewOptions &O) {
  if (!O.Rules.empty())
    if (llvm::Error E = P.select(O.Rules))
      return llvm::createStringError("--rules: " + llvm::toString(std::move(E)));
  for (auto [Key, Option, Text] : {std::tuple<llvm::StringRef, llvm::StringRef, const std::string &>{"block", "--block-dim", O.BlockDim},
                                   {"grid", "--grid-dim", O.GridDim}}) {
    if (Text.empty())
      continue;
    auto Dims = parseDim(Option, Text);
    if (!Dims)
      return Dims.takeError();
    llvm::json::Object &Root = *P.Root.getAsObject();
    if (!Root.getObject("launch"))
      Root["launch"] = llvm::json::Object{};
    (*Root.getObject("launch"))[Key] = std::move(*Dims);
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ReviewSetup>> ReviewSetup::make(const ReviewOptions &O, const Context &Ctx) {
  auto S = std::make_unique<ReviewSetup>();
  auto F = parseFormat(O.Format);
  if (!F) {
    std::vector<std::string> Names(formatNames().begin(), formatNames().end());
    std::string Hint = didYouMean(O.Format, Names);
    return llvm::createStringError("--format " + O.Format + ": unknown format" + (Hint.empty() ? "; one of " + llvm::join(Names, ", ") : Hint));
  }
  S->Form = *F;
  if (O.FailOn != "reject" && O.FailOn != "review")
    return llvm::createStringError("--fail-on " + O.FailOn + ": neither 'reject' nor 'review'");
  S->FailFrom = O.FailOn == "review" ? Verdict::Review : Verdict::Reject;
  if (llvm::Error E = checkArch(O.Arch))
    return std::move(E);
  if (!O.BuildDir.empty() && !llvm::sys::fs::exists(O.BuildDir + "/compile_commands.json"))
    return llvm::createStringError("-p " + O.BuildDir + ": no compile_commands.json there; CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  S->Parse.Arch = O.Arch;
  S->Parse.BuildDir = O.BuildDir;
  S->Parse.ExtraArgs = Ctx.AfterDashes;
  S->Parse.Jobs = O.Jobs;
  S->Parse.Try = Ctx.Try;

  S->Base = Policy::builtin();
  if (!O.Config.empty()) {
    auto P = Policy::load(O.Config, Policy::builtin());
    if (!P)
      return P.takeError();
    S->Base = std::move(*P);
  }
  if (llvm::Error E = applyOptions(S->Base, O))
    return std::move(E);
  S->Policies.emplace(S->Base, !O.NoLocalConfig, [O](Policy &P) { return applyOptions(P, O); });
  if (!O.BaselineReport.empty()) {
    auto B = Baseline::load(O.BaselineReport);
    if (!B)
      return B.takeError();
    S->Known = std::move(*B);
  }
  auto Files = expandInputs(O.Files);
  if (!Files)
    return Files.takeError();
  S->Files = std::move(*Files);
  if (!O.DiffBase.empty()) {
    auto C = ChangedLines::since(O.DiffBase, S->Files.empty() ? "" : llvm::sys::path::parent_path(S->Files.front()));
    if (!C)
      return C.takeError();
    S->Changed = std::move(*C);
  }
  for (const auto &[Name, Text] : O.Texts)
    S->Files.push_back(Name);
  return S;
}

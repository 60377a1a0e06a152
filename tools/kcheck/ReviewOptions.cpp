#include "tools/kcheck/ReviewOptions.h"
#include "tools/kcheck/Inputs.h"
#include "tools/kcheck/Version.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kcheck;
using namespace kcheck::cli;

void cli::addReviewOptions(CLI::App &Sub, ReviewOptions &O) {
  Sub.add_option("FILE", O.Files, "CUDA files, Python files with CUDA strings, folders, or - for stdin")->required();
  Sub.add_option("--format", O.Format, "form of the report: text, json")->type_name("NAME");
  Sub.add_option("-o,--output", O.Output, "write the report to this file")->type_name("F");
  Sub.add_option("--fail-on", O.FailOn, "exit with 1 from this verdict on: reject or review")->type_name("VERDICT");
  Sub.add_option("--arch", O.Arch, "GPU architecture to read the code for, such as sm_90")->type_name("sm_XX");
  Sub.add_option("-p", O.BuildDir, "folder with a compile_commands.json")->type_name("BUILD");
  Sub.add_option("-j,--jobs", O.Jobs, "files at a time; 0 for all cores")->type_name("N");
  Sub.add_flag("-q,--quiet", O.Quiet, "show findings only, no progress");
}

/// Reads every input; what cannot be read gets its error in Unread, the others an entry in Inputs.
static std::vector<LintInput> readAll(const std::vector<std::string> &Files, std::vector<std::string> &Unread) {
  std::vector<LintInput> Inputs;
  for (const std::string &File : Files) {
    auto Text = readInput(File);
    Inputs.push_back({displayName(File), Text ? (*Text)->getBuffer().str() : std::string()});
    Unread.push_back(Text ? std::string() : llvm::toString(Text.takeError()));
  }
  return Inputs;
}

/// One line on a terminal that says how far a long run is.
static void showProgress(size_t Done, size_t All) {
  if (All < 8 || !llvm::sys::Process::StandardErrIsDisplayed())
    return;
  llvm::errs() << llvm::formatv("\r{0} of {1} files{2}", Done, All, Done == All ? "\r\033[K" : "");
}

static bool wantColor(const ReviewOptions &O) {
  const char *No = ::getenv("NO_COLOR");
  return O.Output.empty() && !(No && *No) && llvm::sys::Process::StandardOutIsDisplayed();
}

static int write(const ReviewOptions &O, const Report &R, Format F) {
  WriteOptions W{wantColor(O), O.Quiet};
  std::error_code EC;
  llvm::raw_fd_ostream OS(O.Output.empty() ? "-" : O.Output, EC);
  if (EC)
    return complain(O.Output + ": cannot write: " + EC.message());
  writeReport(OS, R, F, W);
  OS.flush();
  if (!OS.has_error())
    return 0;
  EC = OS.error();
  OS.clear_error();
  return complain((O.Output.empty() ? std::string("standard output") : O.Output) + ": cannot write the report: " + EC.message());
}

int cli::review(const ReviewOptions &O, const Context &Ctx, const std::function<void(FileReport &)> &Finish) {
  auto F = parseFormat(O.Format);
  if (!F) {
    std::vector<std::string> Known(formatNames().begin(), formatNames().end());
    return complain("--format " + O.Format + ": unknown format" + didYouMean(O.Format, Known) + "; one of " + llvm::join(Known, ", "));
  }
  if (O.FailOn != "reject" && O.FailOn != "review")
    return complain("--fail-on " + O.FailOn + ": neither 'reject' nor 'review'");
  auto Files = expandInputs(O.Files);
  if (!Files)
    return complain(llvm::toString(Files.takeError()));

  ParseOptions PO;
  PO.Arch = O.Arch;
  PO.BuildDir = O.BuildDir;
  PO.ExtraArgs = Ctx.AfterDashes;
  const Policy &P = Policy::builtin();

  Report R;
  R.Tool = toolInfo();
  PO.Jobs = O.Jobs;
  std::vector<std::string> Unread;
  std::vector<LintInput> Inputs = readAll(*Files, Unread);
  std::vector<LintInput> Readable;
  for (size_t I = 0; I < Inputs.size(); ++I)
    if (Unread[I].empty())
      Readable.push_back(Inputs[I]);
  std::vector<LintResult> Results = lintFiles(Readable, PO, P, [&](size_t Done) {
    if (!O.Quiet)
      showProgress(Done, Readable.size());
  });
  for (size_t I = 0, Next = 0; I < Inputs.size(); ++I) {
    LintResult X;
    if (Unread[I].empty()) {
      X = std::move(Results[Next++]);
    } else {
      X.File = Inputs[I].File;
      X.Error = Unread[I];
    }
    R.Files.push_back(makeFileReport(std::move(X), *Inputs[I].Text));
    if (R.Files.back().Error.empty())
      Finish(R.Files.back());
  }

  int Exit = 0;
  for (const FileReport &X : R.Files) {
    if (!X.Error.empty())
      Exit = complain(X.Error);
    else if (X.Result == Verdict::Reject || (O.FailOn == "review" && X.Result == Verdict::Review))
      Exit = std::max(Exit, 1);
  }
  return std::max(Exit, write(O, R, *F));
}

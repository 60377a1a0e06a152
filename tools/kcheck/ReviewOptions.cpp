#include "tools/kcheck/ReviewOptions.h"
#include "tools/kcheck/Inputs.h"
#include "tools/kcheck/Version.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <thread>

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

static FileReport reviewOne(const std::string &File, const ParseOptions &PO, const Policy &P) {
  auto Text = readInput(File);
  if (!Text) {
    LintResult R;
    R.File = displayName(File);
    R.Error = llvm::toString(Text.takeError());
    return makeFileReport(std::move(R), "");
  }
  return makeFileReport(lint(displayName(File), (*Text)->getBuffer(), PO, P), (*Text)->getBuffer());
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
  R.Files.resize(Files->size());
  std::atomic<size_t> Next = 0;
  auto Work = [&] {
    for (size_t I; (I = Next++) < Files->size();) {
      R.Files[I] = reviewOne((*Files)[I], PO, P);
      if (R.Files[I].Error.empty())
        Finish(R.Files[I]);
    }
  };
  unsigned Threads = O.Jobs ? O.Jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> Pool;
  for (unsigned I = 1; I < std::min<size_t>(Threads, Files->size()); ++I)
    Pool.emplace_back(Work);
  Work();
  for (std::thread &T : Pool)
    T.join();

  int Exit = 0;
  for (const FileReport &X : R.Files) {
    if (!X.Error.empty())
      Exit = complain(X.Error);
    else if (X.Result == Verdict::Reject || (O.FailOn == "review" && X.Result == Verdict::Review))
      Exit = std::max(Exit, 1);
  }
  return std::max(Exit, write(O, R, *F));
}

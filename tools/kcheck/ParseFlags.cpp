#include "tools/kcheck/ParseFlags.h"
#include "tools/kcheck/Inputs.h"
#include "tools/kcheck/ReviewSetup.h"

using namespace kcheck;

void cli::ParseFlags::add(CLI::App &Sub) {
  Sub.add_option("--arch", Arch, "GPU architecture to read the code for, such as sm_90")->type_name("sm_XX");
  Sub.add_option("-p", BuildDir, "folder with a compile_commands.json")->type_name("BUILD");
}

llvm::Expected<ParseOptions> cli::ParseFlags::options(const Context &Ctx) const {
  if (llvm::Error E = checkArch(Arch))
    return std::move(E);
  ParseOptions O;
  O.Arch = Arch;
  O.BuildDir = BuildDir;
  O.ExtraArgs = Ctx.AfterDashes;
  return O;
}

llvm::Expected<LintInput> cli::readCandidate(const std::string &File) {
  auto Text = readInput(File);
  if (!Text)
    return Text.takeError();
  return LintInput{displayName(File), (*Text)->getBuffer().str()};
}

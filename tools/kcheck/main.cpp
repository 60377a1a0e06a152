// kcheck's command line: everything is done by the sub-commands, one unit each (Command.h).
#include "analyzers/engine/driver/OneShot.h"
#include "tools/kcheck/Command.h"
#include "tools/kcheck/Version.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;

static std::vector<std::string> optionNames(const CLI::App &App) {
  std::vector<std::string> Names;
  for (const CLI::Option *O : App.get_options())
    for (const std::string &L : O->get_lnames())
      Names.push_back("--" + L);
  return Names;
}

static std::vector<std::string> commandNames(const CLI::App &App) {
  std::vector<std::string> Names;
  for (const CLI::App *Sub : App.get_subcommands([](const CLI::App *S) { return !S->get_name().empty(); }))
    Names.push_back(Sub->get_name());
  return Names;
}

/// One line for a word that CLI11 could not place.
static std::string explainExtra(const CLI::App &App, llvm::StringRef Word) {
  const auto Used = App.get_subcommands();
  const CLI::App &In = Used.empty() ? App : *Used.front();
  if (Word.starts_with("-"))
    return ("unknown option '" + Word + "'" + didYouMean(Word.split('=').first, optionNames(In)) + "; see 'kcheck" +
            (Used.empty() ? "" : " " + In.get_name()) + " --help'").str();
  if (Used.empty())
    return ("unknown command '" + Word + "'" + didYouMean(Word, commandNames(App)) + "; see 'kcheck --help'").str();
  return ("unexpected argument '" + Word + "' of 'kcheck " + In.get_name() + "'").str();
}

static int usageError(const CLI::App &App, const CLI::ParseError &E) {
  if (dynamic_cast<const CLI::ExtrasError *>(&E)) {
    std::vector<std::string> Extra = App.remaining(/*recurse=*/true);
    if (!Extra.empty())
      return complain(explainExtra(App, Extra.front()));
  }
  std::string What = E.what();
  while (!What.empty() && (What.back() == '\n' || What.back() == '.'))
    What.pop_back();
  const auto Used = App.get_subcommands();
  return complain(What + "; see 'kcheck" + (Used.empty() ? "" : " " + Used.front()->get_name()) + " --help'");
}

static pid_t MainProcess;

/// Ctrl-C: one line and the status of a failure, no core, no half report. Workers end in silence.
static void interrupted(int) {
  if (::getpid() != MainProcess)
    ::_exit(2);
  unsilenceErrors();
  static constexpr char Text[] = "\nkcheck: interrupted\n";
  (void)!::write(2, Text, sizeof(Text) - 1);
  ::_exit(2);
}

static int run(int Argc, char **Argv) {
  MainProcess = ::getpid();
  std::signal(SIGINT, interrupted);
  std::signal(SIGTERM, interrupted);
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of the write, seen there
  Context Ctx;
  std::vector<std::string> Words;
  for (int I = 1; I < Argc; ++I) {
    if (!Ctx.SawDashes && llvm::StringRef(Argv[I]) == "--")
      Ctx.SawDashes = true;
    else
      (Ctx.SawDashes ? Ctx.AfterDashes : Words).push_back(Argv[I]);
  }

  // Standard input can be read only once: no second try then.
  if (!Words.empty() && Words[0] == "lint" && !llvm::is_contained(Words, "-"))
    Ctx.Try = firstTry(Argv);
  prepareHeap();

  CLI::App App("checks CUDA kernels: reads them with Clang's AST, runs them, says PASS, REVIEW or REJECT", "kcheck");
  App.require_subcommand(0, 1);
  App.set_version_flag("--version", versionText());
  for (const Command &C : allCommands())
    C.Add(App, Ctx);

  if (Words.empty()) {
    llvm::errs() << App.help();
    return 2;
  }
  std::reverse(Words.begin(), Words.end()); // CLI11 takes the vector from its end
  try {
    App.parse(Words);
  } catch (const CLI::CallForHelp &E) {
    llvm::outs() << (App.get_subcommands().empty() ? App.help() : App.get_subcommands().front()->help("kcheck"));
    return 0;
  } catch (const CLI::Success &E) { // --version
    llvm::outs() << E.what() << "\n";
    return 0;
  } catch (const CLI::ParseError &E) {
    return usageError(App, E);
  }
  if (App.get_subcommands().empty())
    return complain("no command given; see 'kcheck --help'");
  return Ctx.Exit;
}

int main(int Argc, char **Argv) {
  int Exit = run(Argc, Argv);
#if !__has_feature(address_sanitizer)
  // The system takes everything back at once; freeing it piece by piece takes milliseconds.
  llvm::outs().flush();
  llvm::errs().flush();
  if (std::fflush(nullptr) || llvm::outs().has_error())
    Exit = complain("cannot write to standard output: " + llvm::outs().error().message());
  ::_exit(Exit);
#endif
  return Exit;
}

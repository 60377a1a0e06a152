//===- Command.h - one sub-command, one unit ----------------------------------===//
//
//   argv ─► split at "--" ─► CLI11 ─► the sub-command's run ─► exit status
//
// To add a sub-command: a unit tools/kcheck/<Name>Command.cpp that defines its options and ends with
// KCHECK_COMMAND(order, add…). CMake finds the file, `--help` lists it in the given order. Messages go to
// stderr through complain(); the exit status is 0, 1 (something at or above --fail-on) or 2 (usage, input,
// a failure of kcheck itself).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_COMMAND_H
#define KCHECK_TOOLS_KCHECK_COMMAND_H

#include "analyzers/engine/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kcheck::cli {

/// What every command sees of the call.
struct Context {
  std::vector<std::string> AfterDashes; ///< the words after `--`
  bool SawDashes = false;
  FirstTry Try = FirstTry::NotMade; ///< of the static track on a single file
  int Exit = 0; ///< set by the command that ran
};

struct Command {
  int Order;
  void (*Add)(CLI::App &App, Context &Ctx);
};
/// In the order of `--help`.
std::vector<Command> allCommands();

struct CommandRegistration {
  CommandRegistration(int Order, void (*Add)(CLI::App &, Context &));
};
#define KCHECK_COMMAND(Order, Add) static const ::kcheck::cli::CommandRegistration Register##Add(Order, Add)

/// Writes "kcheck: MESSAGE" to stderr, whole lines even from several threads; returns 2, the status for it.
int complain(const llvm::Twine &Message);

/// Writes Text to a file, or to stdout for "-". A file that is there is replaced as a whole or, where the disk is full, left as it was.
/// Returns 0, or 2 after a complaint.
int writeWhole(llvm::StringRef To, llvm::StringRef Text);

/// "; did you mean 'X'?" when one of Known is near Word, else empty.
std::string didYouMean(llvm::StringRef Word, llvm::ArrayRef<std::string> Known);

} // namespace kcheck::cli
#endif

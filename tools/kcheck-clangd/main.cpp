//===- main.cpp - clangd with kcheck's rules built in -------------------------===//
//
// clangd itself, its clang-tidy checks and the kcheck-* checks in one program. Four functions of clangd are
// wrapped at link time (CMakeLists.txt), because stock clangd would drop checks that it does not know and cannot
// read nvcc's command lines:
//   provideDefaultChecks       which checks run without any configuration: kcheck-* too
//   isFastTidyCheck            which checks are quick enough to run while typing: kcheck-* are
//   CommandMangler::operator() every compile command on its way to the parser: Commands.h
//   newJSONTransport           the messages on their way to the editor: Session.h
// These are private names of clangd 22: look at them again with each LLVM.
//
//===--------------------------------------------------------------------------===//
#include "clang-tidy/ClangTidyOptions.h"
#include "tools/clang-tidy-plugin/Adapter.h"
#include "tools/kcheck-clangd/Arguments.h"
#include "tools/kcheck-clangd/Commands.h"
#include "tools/kcheck-clangd/Session.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>

namespace clang::clangd {
int clangdMain(int Argc, char *Argv[]);

class SymbolIndex;
class Transport {
public:
  virtual ~Transport(); // the first virtual function, as in clangd's own declaration
};
enum JSONStreamStyle : int;
namespace remote {
// A remote index needs gRPC, which kcheck does without.
std::unique_ptr<SymbolIndex> getClient(llvm::StringRef, llvm::StringRef);
} // namespace remote
} // namespace clang::clangd

using TidyProvider =
    llvm::unique_function<void(clang::tidy::ClangTidyOptions &, llvm::StringRef File) const>;

namespace {

/// The checks that the user has, with ours: before them, so that the user's removals win, but behind a
/// leading "-*", which only says "none of the stock ones".
std::string withKcheck(llvm::StringRef Checks) {
  std::string Head;
  llvm::StringRef Rest = Checks.ltrim();
  if (Rest.consume_front("-*"))
    Head = "-*,";
  Rest.consume_front(",");
  return Head + "kcheck-*" + (Rest.empty() ? "" : ",") + Rest.str();
}

} // namespace

extern "C++" {
TidyProvider realProvideDefaultChecks() __asm__("__real__ZN5clang6clangd20provideDefaultChecksEv");
TidyProvider wrapProvideDefaultChecks() __asm__("__wrap__ZN5clang6clangd20provideDefaultChecksEv");
std::optional<bool> realIsFast(llvm::StringRef) __asm__("__real__ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE");
std::optional<bool> wrapIsFast(llvm::StringRef) __asm__("__wrap__ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE");
using Connection = std::unique_ptr<clang::clangd::Transport>;
Connection realTransport(std::FILE *In, llvm::raw_ostream &Out, llvm::raw_ostream *Mirror, bool Pretty, clang::clangd::JSONStreamStyle)
    __asm__("__real__ZN5clang6clangd16newJSONTransportEP8_IO_FILERN4llvm11raw_ostreamEPS4_bNS0_15JSONStreamStyleE");
Connection wrapTransport(std::FILE *In, llvm::raw_ostream &Out, llvm::raw_ostream *Mirror, bool Pretty, clang::clangd::JSONStreamStyle)
    __asm__("__wrap__ZN5clang6clangd16newJSONTransportEP8_IO_FILERN4llvm11raw_ostreamEPS4_bNS0_15JSONStreamStyleE");
void realMangle(const void *Mangler, clang::tooling::CompileCommand &Command, llvm::StringRef File)
    __asm__("__real__ZNK5clang6clangd14CommandManglerclERNS_7tooling14CompileCommandEN4llvm9StringRefE");
void wrapMangle(const void *Mangler, clang::tooling::CompileCommand &Command, llvm::StringRef File)
    __asm__("__wrap__ZNK5clang6clangd14CommandManglerclERNS_7tooling14CompileCommandEN4llvm9StringRefE");
}

TidyProvider wrapProvideDefaultChecks() {
  return [Stock = realProvideDefaultChecks()](clang::tidy::ClangTidyOptions &Options, llvm::StringRef File) {
    Stock(Options, File);
    Options.Checks = withKcheck(Options.Checks.value_or(""));
  };
}

std::optional<bool> wrapIsFast(llvm::StringRef Check) {
  return Check.starts_with("kcheck-") ? true : realIsFast(Check);
}

static kcheck::Session &session() {
  static kcheck::Session TheSession;
  return TheSession;
}

void wrapMangle(const void *Mangler, clang::tooling::CompileCommand &Command, llvm::StringRef File) {
  session().sawCommand(File, Command.Directory, Command.CommandLine);
  kcheck::adjustCudaCommand(Command.CommandLine, Command.Directory, File);
  realMangle(Mangler, Command, File);
}

/// The session lives as long as the process, as the transport does.
Connection wrapTransport(std::FILE *In, llvm::raw_ostream &Out, llvm::raw_ostream *Mirror, bool Pretty,
                         clang::clangd::JSONStreamStyle Style) {
  if (Style != 0) // the delimited form of clangd's own tests
    return realTransport(In, Out, Mirror, Pretty, Style);
  static kcheck::MessageStream FromEditor([Mirror](llvm::StringRef Message) {
    session().sawInput(Message);
    if (Mirror)
      *Mirror << "Content-Length: " << Message.size() << "\r\n\r\n" << Message;
  });
  static kcheck::MessageStream ToEditor([&Out](llvm::StringRef Message) {
    for (const std::string &Text : session().toSend(Message))
      Out << "Content-Length: " << Text.size() << "\r\n\r\n" << Text;
    Out.flush();
  });
  return realTransport(In, ToEditor, &FromEditor, Pretty, Style);
}

std::unique_ptr<clang::clangd::SymbolIndex> clang::clangd::remote::getClient(llvm::StringRef, llvm::StringRef) {
  return nullptr;
}

int main(int Argc, char **Argv) {
  kcheck::hurryTidyChecks();
  std::vector<std::string> Words = kcheck::clangdArguments(Argc, Argv);
  std::vector<char *> Pointers;
  for (std::string &W : Words)
    Pointers.push_back(W.data());
  Pointers.push_back(nullptr);
  return clang::clangd::clangdMain(int(Words.size()), Pointers.data());
}

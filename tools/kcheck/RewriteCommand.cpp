// kcheck rewrite FILE --action NAME: one named edit, checked before anyone sees it.
#include "actions/engine/Format.h"
#include "actions/engine/Rewrite.h"
#include "tools/kcheck/ParseFlags.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct RewriteFlags {
  std::string File, Kernel, Output;
  std::vector<std::string> Actions, Set;
  unsigned Line = 0;
  bool Diff = false, InPlace = false;
  ParseFlags Parse;
};

/// "unroll:factor=4,line=12": one step of a sequence, settings of its own behind the colon.
llvm::Expected<RewriteRequest> step(const std::string &Words, const RewriteFlags &O) {
  RewriteRequest R;
  R.Kernel = O.Kernel;
  auto [Name, Own] = llvm::StringRef(Words).split(':');
  R.Action = Name.str();
  llvm::SmallVector<llvm::StringRef, 8> Settings;
  Own.split(Settings, ',', -1, false);
  if (O.Actions.size() == 1 || Settings.empty())
    for (const std::string &S : O.Set)
      Settings.push_back(S);
  R.Line = O.Line;
  for (llvm::StringRef S : Settings) {
    auto [Key, Value] = S.split('=');
    int64_t V;
    if (Key.empty() || Value.getAsInteger(0, V))
      return llvm::createStringError("'" + S + "' is not of the form name=number");
    if (Key == "line")
      R.Line = unsigned(V);
    else
      R.Set[Key.str()] = V;
  }
  return R;
}

int run(const RewriteFlags &O, const Context &Ctx) {
  if (int(O.Diff) + O.InPlace + !O.Output.empty() > 1)
    return complain("--diff, --in-place and -o exclude each other");
  if (O.InPlace && O.File == "-")
    return complain("--in-place: stdin has no place; use -o");
  auto Options = O.Parse.options(Ctx);
  if (!Options)
    return complain(llvm::toString(Options.takeError()));
  auto In = readCandidate(O.File);
  if (!In)
    return complain(llvm::toString(In.takeError()));
  std::string Text = *In->Text;
  for (const std::string &Words : O.Actions) {
    auto R = step(Words, O);
    if (!R)
      return complain(llvm::toString(R.takeError()));
    auto New = rewrite(In->File, Text, *Options, *R);
    if (!New) {
      bool Usage = false; // a word that the call has wrong, rather than an edit that the kernel does not allow
      llvm::Error Why = llvm::handleErrors(New.takeError(), [&](std::unique_ptr<llvm::StringError> E) {
        Usage = E->convertToErrorCode() == std::errc::invalid_argument;
        return llvm::Error(std::move(E));
      });
      complain(In->File + ": " + llvm::toString(std::move(Why)));
      return Usage ? 2 : 1;
    }
    Text = std::move(New->Text);
  }
  if (O.Diff)
    return writeWhole("-", unifiedDiff(In->File, *In->Text, Text));
  if (O.InPlace)
    return writeWhole(O.File, Text);
  return writeWhole(O.Output.empty() ? "-" : O.Output, Text);
}

void addRewrite(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<RewriteFlags>();
  CLI::App *Sub = App.add_subcommand("rewrite", "edit a kernel through named actions; the result compiles and is checked, or there is none");
  Sub->add_option("FILE", O->File, "a CUDA file, or - for stdin")->required();
  Sub->add_option("--action", O->Actions, "an action of 'kcheck actions', with settings as NAME:k=v,k=v; several are applied in order")
      ->required()->allow_extra_args(false)->type_name("NAME");
  Sub->add_option("--set", O->Set, "a parameter of the action, k=v")->allow_extra_args(false)->type_name("K=V");
  Sub->add_option("--kernel", O->Kernel, "only in this kernel")->type_name("K");
  Sub->add_option("--line", O->Line, "only at this line")->type_name("N");
  Sub->add_option("-o,--output", O->Output, "write the result to this file")->type_name("F");
  Sub->add_flag("--diff", O->Diff, "print a unified diff instead of the result");
  Sub->add_flag("--in-place", O->InPlace, "write the result over the file");
  O->Parse.add(*Sub);
  Sub->callback([O, &Ctx] { Ctx.Exit = run(*O, Ctx); });
}

} // namespace

KCHECK_COMMAND(41, addRewrite);

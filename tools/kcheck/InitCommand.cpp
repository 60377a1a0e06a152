// kcheck init [DIR]: what an editor, clangd and pre-commit need in a project. Never overwrites without being asked to.
#include "tools/kcheck/Command.h"
#include "tools/kcheck/ReviewSetup.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct InitOptions {
  std::string Dir = ".", Arch;
  std::vector<std::string> Editors;
  bool Force = false;
};

struct NewFile {
  std::string Name, Text;
};

constexpr char Clangd[] = R"(# kcheck-clangd runs the kcheck-* checks without any configuration; this file is where to change that.
Diagnostics:
  ClangTidy:
    # Remove: [kcheck-perf-scalar-access]
    # CheckOptions: {kcheck-sync-barrier-divergence.severity: review}
    FastCheckFilter: Strict
)";
constexpr char PreCommit[] = R"(repos:
  - repo: local
    hooks:
      - id: kcheck
        name: kcheck (static)
        entry: kcheck lint
        language: system
        files: \.(cu|cuh)$
)";
constexpr char VsCode[] = R"({
  "clangd.path": "kcheck-clangd",
  "C_Cpp.intelliSenseEngine": "disabled"
}
)";
constexpr char Neovim[] = R"(-- Read by Neovim 0.9 and newer when 'exrc' is set; older ones take it by :source.
vim.api.nvim_create_autocmd("FileType", {pattern = {"cuda", "cpp"}, callback = function(args)
  local server = {name = "kcheck", cmd = {"kcheck-clangd"}, root_dir = vim.fn.getcwd()}
  if vim.lsp.start then
    vim.lsp.start(server)
  else
    kcheck = kcheck or vim.lsp.start_client(server)
    vim.lsp.buf_attach_client(args.buf, kcheck)
  end
end})
)";
constexpr char Emacs[] = R"(((nil . ((eval . (with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((cuda-mode c++-mode) . ("kcheck-clangd"))))))))
)";

std::string below(llvm::StringRef Dir, llvm::StringRef Name) {
  llvm::SmallString<256> P(Dir);
  llvm::sys::path::append(P, Name);
  return std::string(P);
}

/// The .cu files below Dir, build folders and hidden ones left out.
std::vector<std::string> looseFiles(llvm::StringRef Dir) {
  std::vector<std::string> Out;
  std::error_code E;
  for (llvm::sys::fs::recursive_directory_iterator It(Dir, E, false), End; It != End && !E; It.increment(E)) {
    llvm::StringRef Name = llvm::sys::path::filename(It->path());
    if (It->type() == llvm::sys::fs::file_type::directory_file && (Name.starts_with(".") || Name.starts_with("build")))
      It.no_push();
    else if (Name.ends_with(".cu"))
      Out.push_back(It->path());
  }
  llvm::sort(Out);
  return Out;
}

std::string database(llvm::StringRef Dir, llvm::StringRef Arch) {
  llvm::json::Array Entries;
  for (const std::string &File : looseFiles(Dir)) {
    llvm::json::Array Words{"clang++", "-x", "cuda", "-std=c++17"};
    if (!Arch.empty())
      Words.push_back(("--cuda-gpu-arch=" + Arch).str());
    Words.push_back(File);
    Entries.push_back(llvm::json::Object{{"directory", Dir}, {"file", File}, {"arguments", std::move(Words)}});
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(Entries)));
}

/// The files to write, or nothing after a complaint.
std::optional<std::vector<NewFile>> plan(const InitOptions &O, llvm::StringRef Dir) {
  std::vector<NewFile> Files{{".clangd", Clangd}, {"compile_commands.json", database(Dir, O.Arch)}, {".pre-commit-config.yaml", PreCommit}};
  for (const std::string &E : O.Editors) {
    if (E == "vscode")
      Files.push_back({".vscode/settings.json", VsCode});
    else if (E == "neovim")
      Files.push_back({".nvim.lua", Neovim});
    else if (E == "emacs")
      Files.push_back({".dir-locals.el", Emacs});
    else {
      complain("unknown editor '" + E + "'" + didYouMean(E, {"vscode", "neovim", "emacs"}) + " (vscode, neovim or emacs)");
      return std::nullopt;
    }
  }
  return Files;
}

/// Whether an existing file may go: asks on a terminal, says no elsewhere.
bool mayReplace(llvm::StringRef Path, bool Force) {
  if (Force)
    return true;
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
    return false;
  llvm::errs() << Path << " is there already. Replace it? [y/N] ";
  std::string Answer;
  std::getline(std::cin, Answer);
  return Answer == "y" || Answer == "Y" || Answer == "yes";
}

bool write(llvm::StringRef Path, llvm::StringRef Text) {
  std::error_code E = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path));
  if (!E) {
    llvm::raw_fd_ostream Out(Path, E);
    if (!E)
      Out << Text;
  }
  if (E)
    complain(Path + ": " + E.message());
  return !E;
}

/// What a file that is kept lacks perhaps, to be added by hand.
void showLines(const NewFile &F) {
  llvm::outs() << "           lines for it, where it lacks them:\n";
  llvm::SmallVector<llvm::StringRef, 16> Lines;
  llvm::StringRef(F.Text).rtrim().split(Lines, '\n');
  for (llvm::StringRef L : Lines)
    llvm::outs() << "             " << L << "\n";
}

int init(const InitOptions &O) {
  if (llvm::Error E = checkArch(O.Arch))
    return complain(llvm::toString(std::move(E)));
  llvm::SmallString<256> Dir(O.Dir);
  if (llvm::sys::fs::make_absolute(Dir) || !llvm::sys::fs::is_directory(Dir))
    return complain(O.Dir + ": no such folder");
  llvm::sys::path::remove_dots(Dir, true);
  std::optional<std::vector<NewFile>> Files = plan(O, Dir);
  if (!Files)
    return 2;
  for (const NewFile &F : *Files) {
    std::string Path = below(Dir, F.Name);
    auto Old = llvm::MemoryBuffer::getFile(Path);
    if (Old && (*Old)->getBuffer() == F.Text) {
      llvm::outs() << "as it was  " << F.Name << "\n";
    } else if (llvm::sys::fs::exists(Path) && !mayReplace(F.Name, O.Force)) {
      llvm::outs() << "kept       " << F.Name << " (--force replaces it)\n";
      if (F.Name != "compile_commands.json")
        showLines(F);
    } else {
      if (!write(Path, F.Text))
        return 2;
      llvm::outs() << "written    " << F.Name << "\n";
    }
  }
  llvm::outs() << "next       pre-commit install   (in a git repository: the hook runs at each commit)\n";
  if (O.Editors.empty())
    llvm::outs() << "next       kcheck init --editor vscode, neovim or emacs; other editors: run kcheck-clangd for clangd\n";
  return 0;
}

void addInit(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<InitOptions>();
  CLI::App *Sub = App.add_subcommand("init", "set a project up: .clangd, compile database, pre-commit hook, editor files");
  Sub->add_option("DIR", O->Dir, "the project's folder (default: here)");
  Sub->add_option("--editor", O->Editors, "settings for vscode, neovim or emacs too; may be given again")->type_name("NAME");
  Sub->add_option("--arch", O->Arch, "GPU architecture for the compile database")->type_name("sm_XX");
  Sub->add_flag("--force", O->Force, "replace files that are there without asking");
  Sub->callback([O, &Ctx] { Ctx.Exit = init(*O); });
}

KCHECK_COMMAND(90, addInit);

} // namespace

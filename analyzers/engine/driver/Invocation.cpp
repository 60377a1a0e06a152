#include "analyzers/engine/driver/Invocation.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/Flags.h"
#include "analyzers/engine/driver/SourceFiles.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include <map>
#include <mutex>

using namespace kcheck;
using namespace clang;

static std::string bundled(llvm::StringRef Path) { return (BundledRoot + Path).str(); }

/// Clang 22 reads toolkits as if they were 12.9 at most.
static llvm::VersionTuple sdkVersion(unsigned CudaVersion) {
  unsigned V = CudaVersion && CudaVersion < 12090 ? CudaVersion : 12090;
  return llvm::VersionTuple(V / 1000, V % 1000 / 10);
}

static std::vector<std::string> driverArgs(const Setup &S, const ParseFlags &Flags) {
  std::vector<std::string> Args = {"clang++", "-x", "cuda", S.Which == View::Device ? "--cuda-device-only" : "--cuda-host-only",
                                   "--cuda-gpu-arch=" + S.Arch, "-nocudainc", "-nocudalib", "-fsyntax-only", "-ferror-limit=0", "-w",
                                   "-Wno-unknown-cuda-version", "-fbracket-depth=1024", "-ftemplate-depth=512", "-fconstexpr-depth=512",
                                   "-fconstexpr-steps=1000000", "-std=" + (Flags.Standard.empty() ? "c++17" : Flags.Standard),
                                   "-resource-dir=" + bundled("clang")};
  Args.insert(Args.end(), Flags.Clang.begin(), Flags.Clang.end());
  Args.push_back("candidate.cu");
  return Args;
}

/// Puts CUDA's folders where Clang's driver would, and ours after everything the user named.
static void addHeaderFolders(CompilerInvocation &I, const Toolkit &T) {
  HeaderSearchOptions &H = I.getHeaderSearchOpts();
  auto System = [](llvm::StringRef Path) { return HeaderSearchOptions::Entry(Path, frontend::System, false, true); };
  std::vector<HeaderSearchOptions::Entry> Entries;
  auto Rest = H.UserEntries.begin();
  while (Rest != H.UserEntries.end() && Rest->Group != frontend::System && Rest->Group != frontend::ExternCSystem)
    Entries.push_back(*Rest++);
  if (T.found())
    Entries.push_back(System(bundled("clang/include/cuda_wrappers")));
  Entries.push_back(System(bundled("ours/prelude")));
  Entries.insert(Entries.end(), Rest, H.UserEntries.end());
  // Debian's driver names its own package's folder whatever -resource-dir says: on other machines it is not there.
  for (HeaderSearchOptions::Entry &E : Entries)
    if (llvm::StringRef(E.Path).starts_with("/usr/include/clang/"))
      E.Path = bundled("clang/include");
  if (T.found()) {
    Entries.push_back(System(T.Include));
    if (llvm::sys::fs::is_directory(T.Include + "/cccl"))
      Entries.push_back(System(T.Include + "/cccl"));
  } else {
    Entries.push_back(System(bundled("ours/cuda")));
  }
  Entries.push_back(System(bundled("ours/torch")));
  H.UserEntries = std::move(Entries);
}

static void adjust(CompilerInvocation &I, const Setup &S) {
  TargetOptions &T = I.getTargetOpts();
  T.SDKVersion = sdkVersion(S.TheToolkit.Version);
  if (S.Which == View::Device) {
    llvm::erase_if(T.FeaturesAsWritten, [](const std::string &F) { return llvm::StringRef(F).starts_with("+ptx"); });
    T.FeaturesAsWritten.push_back("+ptx88");
  }
  LangOptions &L = I.getLangOpts();
  L.PCHInstantiateTemplates = true;
  L.CUID.clear(); // differs by input name, and would make every PCH a stranger
  DiagnosticOptions &D = I.getDiagnosticOpts();
  D.SpellCheckingLimit = 12;
  D.ShowCarets = false;
  FrontendOptions &F = I.getFrontendOpts();
  F.Inputs.clear();
  F.DisableFree = false;
  PreprocessorOptions &P = I.getPreprocessorOpts();
  P.addMacroDef("__CUDA_ARCH_LIST__=" + S.Arch.substr(3, S.Arch.find_first_not_of("0123456789", 3) - 3) + "0");
  llvm::erase(P.Includes, "__clang_cuda_runtime_wrapper.h");
  P.Includes.insert(P.Includes.begin(), S.TheToolkit.found() ? "kcheck_toolkit.h" : "kcheck_bundled.h");
  I.getCodeGenOpts().LinkBitcodeFiles.clear();
}

/// Everything that decides what the headers mean, as one short word.
static std::string keyOf(const Setup &S, llvm::ArrayRef<std::string> Args) {
  llvm::SHA1 Hash;
  auto Add = [&](llvm::StringRef Text) {
    Hash.update(Text);
    Hash.update(llvm::StringRef("\0", 1));
  };
  Add(getClangFullVersion());
  Add(bundledHeadersDigest());
  for (const std::string &A : Args)
    Add(A);
  for (const std::string &D : S.SystemDirs)
    Add(D);
  Add(S.TheToolkit.Include);
  // An upgrade in place keeps the names: the headers that carry the versions are looked at too.
  for (const std::string &D : S.SystemDirs)
    for (llvm::StringRef Name : {"cuda_runtime_api.h", "bits/c++config.h", "features.h"}) {
      llvm::sys::fs::file_status St;
      llvm::SmallString<128> P(D);
      llvm::sys::path::append(P, Name);
      if (!llvm::sys::fs::status(P, St))
        Add((llvm::Twine(P) + ":" + llvm::Twine(St.getSize()) + ":" + llvm::Twine(St.getLastModificationTime().time_since_epoch().count())).str());
    }
  return llvm::toHex(Hash.final(), true).substr(0, 24);
}

static llvm::Expected<std::shared_ptr<const Setup>> makeSetup(const ParseOptions &Options, View Which) {
  llvm::Expected<ParseFlags> Flags = translateFlags(Options.ExtraArgs, Options.Directory);
  if (!Flags)
    return Flags.takeError();
  auto S = std::make_shared<Setup>();
  S->Which = Which;
  S->TheToolkit = findToolkit(Options.CudaRoot);
  std::string Note;
  S->Arch = chooseArch(Options.Arch.empty() ? Flags->Arch : Options.Arch, S->TheToolkit, Note);
  if (!Note.empty())
    S->Notes.push_back(Note);
  if (!Options.CudaRoot.empty() && Options.CudaRoot != "none" && !S->TheToolkit.found())
    S->Notes.push_back("no CUDA toolkit in " + Options.CudaRoot + ": parsed against the bundled declarations");

  std::vector<std::string> Args = driverArgs(*S, *Flags);
  std::vector<const char *> Words;
  for (const std::string &A : Args)
    Words.push_back(A.c_str());
  auto Files = llvm::makeIntrusiveRefCnt<SourceFiles>();
  Files->allowAll();
  DiagnosticOptions DiagOptions;
  TextDiagnosticBuffer Messages;
  CreateInvocationOptions Create;
  Create.Diags = CompilerInstance::createDiagnostics(*Files, DiagOptions, &Messages, false);
  Create.VFS = Files;
  Create.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> I = createInvocation(Words, std::move(Create));
  if (!I)
    return llvm::createStringError("the front end does not understand these flags" +
                                   (Messages.err_begin() == Messages.err_end() ? std::string() : ": " + Messages.err_begin()->second));
  for (auto E = Messages.err_begin(); E != Messages.err_end(); ++E)
    S->Notes.push_back(E->second);
  addHeaderFolders(*I, S->TheToolkit);
  adjust(*I, *S);
  for (const HeaderSearchOptions::Entry &E : I->getHeaderSearchOpts().UserEntries)
    (E.Group == frontend::System || E.Group == frontend::ExternCSystem ? S->SystemDirs : S->UserDirs).push_back(E.Path);
  for (const std::string &D : Flags->IncludeDirs) // -isystem counts as the user's
    if (llvm::is_contained(S->SystemDirs, D)) {
      llvm::erase(S->SystemDirs, D);
      S->UserDirs.push_back(D);
    }
  S->Key = keyOf(*S, Args);
  S->Base = std::move(I);
  return S;
}

llvm::Expected<std::shared_ptr<const Setup>> kcheck::setupFor(const ParseOptions &Options, View Which) {
  static std::mutex M;
  static std::map<std::string, std::shared_ptr<const Setup>> Known;
  std::string Id = Options.Arch + '\0' + Options.CudaRoot + '\0' + Options.Directory + '\0' + (Which == View::Device ? "d" : "h");
  for (const std::string &A : Options.ExtraArgs)
    Id += '\0' + A;
  std::lock_guard<std::mutex> Lock(M);
  if (auto I = Known.find(Id); I != Known.end())
    return I->second;
  auto S = makeSetup(Options, Which);
  if (S)
    Known[Id] = *S;
  return S;
}

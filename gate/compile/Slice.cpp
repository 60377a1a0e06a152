#include "gate/compile/Slice.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "gate/compile/BundledStandard.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::gate;

namespace {

/// One declaration's text.
struct Chunk {
  const Decl *D;
  FileID File;
  unsigned Begin, End;
  std::vector<std::string> Names; ///< that it declares
  bool Keep = false, HostOnly = false;
};

bool hasDeviceAttr(const Decl *D) {
  return D->hasAttr<CUDAGlobalAttr>() || D->hasAttr<CUDADeviceAttr>() || D->hasAttr<CUDASharedAttr>() ||
         D->hasAttr<CUDAConstantAttr>() || D->hasAttr<HIPManagedAttr>();
}

/// The function or variable below a template head.
const NamedDecl *inner(const Decl *D) {
  if (const auto *T = dyn_cast<TemplateDecl>(D))
    return T->getTemplatedDecl() ? T->getTemplatedDecl() : T;
  return dyn_cast<NamedDecl>(D);
}

class Slicer {
public:
  Slicer(TranslationUnit &TU, llvm::StringRef CudaInclude) : TU(TU), SM(TU.sources()), Lang(TU.AST.getLangOpts()), CudaInclude(CudaInclude) {}
  DeviceSlice run();

private:
  TranslationUnit &TU;
  const SourceManager &SM;
  const LangOptions &Lang;
  std::string CudaInclude;
  std::vector<Chunk> Chunks;
  std::map<FileID, std::string> Texts;

  std::string &textOf(FileID F);
  bool isOurs(SourceLocation Loc) const;
  bool place(SourceRange R, FileID &F, unsigned &Begin, unsigned &End) const;
  void collect(const Decl *D);
  void addNames(const Decl *D, Chunk &C) const;
  void mentions(FileID F, unsigned Begin, unsigned End, llvm::StringSet<> &Out, bool DirectivesOnly) const;
  void keepReachable();
  void blank(FileID F, unsigned Begin, unsigned End, char First = ' ');
  void trimMethods(const CXXRecordDecl *R);
  void dropBody(const FunctionDecl *F);
  void nameInstances(DeviceSlice &S);
  void addHeaders(llvm::StringRef Text, DeviceSlice &S);
};

std::string &Slicer::textOf(FileID F) {
  auto [It, New] = Texts.try_emplace(F);
  if (New)
    It->second = SM.getBufferData(F).str();
  return It->second;
}

bool Slicer::isOurs(SourceLocation Loc) const { return Loc.isValid() && !SM.isInSystemHeader(SM.getExpansionLoc(Loc)); }

bool Slicer::place(SourceRange R, FileID &F, unsigned &Begin, unsigned &End) const {
  if (R.isInvalid())
    return false;
  SourceLocation B = SM.getExpansionLoc(R.getBegin()), E = SM.getExpansionRange(R.getEnd()).getEnd();
  auto [FB, OB] = SM.getDecomposedLoc(B);
  auto [FE, OE] = SM.getDecomposedLoc(E);
  if (FB != FE)
    return false;
  F = FB;
  Begin = OB;
  End = OE + Lexer::MeasureTokenLength(E, SM, Lang);
  return End > Begin;
}

void Slicer::addNames(const Decl *D, Chunk &C) const {
  if (const auto *N = dyn_cast<NamedDecl>(D); N && N->getDeclName().isIdentifier() && !N->getName().empty())
    C.Names.push_back(N->getNameAsString());
  if (const auto *E = dyn_cast<EnumDecl>(D))
    for (const EnumConstantDecl *K : E->enumerators())
      C.Names.push_back(K->getNameAsString());
  if (const auto *R = dyn_cast<RecordDecl>(D); R && R->isAnonymousStructOrUnion())
    for (const FieldDecl *F : R->fields())
      C.Names.push_back(F->getNameAsString());
}

void Slicer::collect(const Decl *D) {
  if (D->isImplicit() || !isOurs(D->getLocation()))
    return;
  if (isa<NamespaceDecl, LinkageSpecDecl>(D)) {
    for (const Decl *Child : cast<DeclContext>(D)->decls())
      collect(Child);
    return;
  }
  if (isa<EmptyDecl>(D))
    return;
  Chunk C{D, {}, 0, 0, {}};
  SourceRange R = D->getSourceRange();
  if (!place(R, C.File, C.Begin, C.End))
    return;
  const NamedDecl *Inner = inner(D);
  addNames(Inner ? Inner : D, C);
  const auto *F = dyn_cast_or_null<FunctionDecl>(Inner);
  const auto *V = dyn_cast_or_null<VarDecl>(Inner);
  C.Keep = Inner && hasDeviceAttr(Inner) && (F || V);
  if (F) {
    C.HostOnly = !hasDeviceAttr(F) && !F->isConstexpr();
    // A method that is defined outside its class goes with the class's declaration of it.
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isOutOfLine() && !C.HostOnly)
      C.Keep = true;
    // Explicit instances of kernels.
    if (F->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition && F->getPrimaryTemplate())
      C.Keep = hasDeviceAttr(F->getPrimaryTemplate()->getTemplatedDecl());
  }
  if (V && !C.Keep)
    C.HostOnly = !V->isConstexpr() && !V->getType().isConstQualified();
  if (const auto *U = dyn_cast<UsingDirectiveDecl>(D)) {
    C.Keep = false;
    const NamespaceDecl *N = U->getNominatedNamespace();
    for (const NamespaceDecl *Redecl : N->redecls()) {
      llvm::StringRef Name = SM.getFilename(SM.getExpansionLoc(Redecl->getLocation()));
      C.Keep |= isOurs(Redecl->getLocation()) || Name.starts_with(CudaInclude) || N->isStdNamespace();
    }
  }
  Chunks.push_back(std::move(C));
}

/// Identifiers of a stretch of text; of its #define lines only, where asked.
void Slicer::mentions(FileID F, unsigned Begin, unsigned End, llvm::StringSet<> &Out, bool DirectivesOnly) const {
  llvm::StringRef Buffer = SM.getBufferData(F);
  SourceLocation Start = SM.getLocForStartOfFile(F);
  Lexer Raw(Start, Lang, Buffer.begin(), Buffer.begin() + Begin, Buffer.end());
  bool InDirective = false;
  Token T;
  for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
    if (SM.getFileOffset(T.getLocation()) >= End)
      break;
    if (T.isAtStartOfLine())
      InDirective = T.is(tok::hash);
    if (T.is(tok::raw_identifier) && (!DirectivesOnly || InDirective))
      Out.insert(T.getRawIdentifier());
  }
}

void Slicer::keepReachable() {
  llvm::StringSet<> Needed;
  std::set<FileID> Files;
  for (const Chunk &C : Chunks)
    if (Files.insert(C.File).second)
      mentions(C.File, 0, SM.getBufferData(C.File).size(), Needed, true);
  std::vector<bool> Read(Chunks.size());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < Chunks.size(); ++I) {
      Chunk &C = Chunks[I];
      if (!C.Keep && !C.HostOnly && llvm::any_of(C.Names, [&](auto &N) { return Needed.contains(N); }))
        C.Keep = true;
      if (C.Keep && !Read[I]) {
        Read[I] = Changed = true;
        mentions(C.File, C.Begin, C.End, Needed, false);
      }
    }
  }
}

/// Spaces for everything but line breaks and preprocessor lines (with their continuations).
void Slicer::blank(FileID F, unsigned Begin, unsigned End, char First) {
  std::string &Text = textOf(F);
  bool Directive = false, LineSeen = false, Written = First == ' ';
  // Is Begin itself inside a line that starts with '#'? Declarations never are.
  for (unsigned I = Begin; I < End && I < Text.size(); ++I) {
    char &C = Text[I];
    if (C == '\n') {
      bool Continued = I > 0 && Text[I - 1] == '\\';
      Directive = Directive && Continued;
      LineSeen = false;
      continue;
    }
    if (!LineSeen && C != ' ' && C != '\t') {
      Directive |= C == '#' && I > Begin;
      LineSeen = true;
    }
    if (Directive || C == '\r')
      continue;
    C = ' ';
    if (!Written) {
      C = First;
      Written = true;
    }
  }
}

void Slicer::dropBody(const FunctionDecl *F) {
  if (hasDeviceAttr(F) || F->isConstexpr() || F->isDefaulted() || F->isDeleted() || F->isImplicit() || !F->doesThisDeclarationHaveABody())
    return;
  SourceRange Body = F->getBody() ? F->getBody()->getSourceRange() : SourceRange();
  if (const auto *K = dyn_cast<CXXConstructorDecl>(F); K && K->getNumCtorInitializers())
    for (const CXXCtorInitializer *I : K->inits())
      if (I->isWritten() && SM.isBeforeInTranslationUnit(I->getSourceLocation(), Body.getBegin()))
        Body.setBegin(I->getSourceLocation());
  FileID File;
  unsigned Begin, End;
  if (!place(Body, File, Begin, End))
    return;
  // The colon of the initialisers.
  const std::string &Text = textOf(File);
  unsigned B = Begin;
  while (B > 0 && isspace(static_cast<unsigned char>(Text[B - 1])))
    --B;
  if (B > 0 && Text[B - 1] == ':')
    Begin = B - 1;
  blank(File, Begin, End, ';');
}

void Slicer::trimMethods(const CXXRecordDecl *R) {
  for (const Decl *D : R->decls()) {
    const NamedDecl *N = inner(D);
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(N))
      dropBody(F);
    else if (const auto *Nested = dyn_cast_or_null<CXXRecordDecl>(N); Nested && Nested->isThisDeclarationADefinition() && !Nested->isImplicit())
      trimMethods(Nested);
  }
}

void Slicer::nameInstances(DeviceSlice &S) {
  PrintingPolicy PP(Lang);
  PP.SuppressTagKeyword = true;
  PP.FullyQualifiedName = true;
  llvm::StringSet<> Seen;
  for (const Chunk &C : Chunks) {
    if (!C.Keep)
      continue;
    if (const auto *F = dyn_cast<FunctionDecl>(C.D); F && F->hasAttr<CUDAGlobalAttr>() && F->isThisDeclarationADefinition() && !F->getPrimaryTemplate())
      S.Kernels.push_back(F->getQualifiedNameAsString());
    const auto *T = dyn_cast<FunctionTemplateDecl>(C.D);
    if (!T || !T->getTemplatedDecl()->hasAttr<CUDAGlobalAttr>())
      continue;
    for (const FunctionDecl *Spec : T->specializations()) {
      if (Spec->isInvalidDecl() || !Spec->getTemplateSpecializationArgs())
        continue;
      std::string Name;
      llvm::raw_string_ostream OS(Name);
      OS << Spec->getQualifiedNameAsString();
      printTemplateArgumentList(OS, Spec->getTemplateSpecializationArgs()->asArray(), PP);
      // Types without a name cannot be written down.
      if (llvm::StringRef(Name).contains("lambda") || llvm::StringRef(Name).contains("(anonymous") || llvm::StringRef(Name).contains("(unnamed"))
        continue;
      if (Seen.insert(Name).second)
        S.NameExpressions.push_back(Name);
    }
  }
}

/// A stand-in for each header of Text that NVRTC would not find.
void Slicer::addHeaders(llvm::StringRef Text, DeviceSlice &S) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (llvm::StringRef L : Lines) {
    L = L.trim();
    if (!L.consume_front("#"))
      continue;
    L = L.ltrim();
    if (!L.consume_front("include"))
      continue;
    L = L.trim();
    if (!L.starts_with("\"") && !L.starts_with("<"))
      continue;
    char Close = L.front() == '"' ? '"' : '>';
    llvm::StringRef Name = L.drop_front().take_until([&](char C) { return C == Close; });
    if (Name.empty() || S.Headers.count(Name.str()))
      continue;
    bool Local = false;
    for (auto &[File, Sliced] : Texts) {
      if (File == SM.getMainFileID())
        continue;
      llvm::StringRef Path = SM.getFilename(SM.getLocForStartOfFile(File));
      llvm::StringRef Tail = Name;
      while (Tail.consume_front("../") || Tail.consume_front("./"))
        ;
      if (Path.ends_with(Tail)) {
        S.Headers[Name.str()] = Sliced;
        Local = true;
        std::string Copy = Sliced;
        addHeaders(Copy, S);
        break;
      }
    }
    if (Local || llvm::sys::fs::exists(CudaInclude + "/" + Name.str()) || llvm::sys::fs::exists(CudaInclude + "/cccl/" + Name.str()))
      continue;
    S.Headers[Name.str()] = standardHeader(Name, CudaInclude);
    if (bundledHeader((TorchStandIns + Name).str()))
      S.Torch = true;
  }
}

DeviceSlice Slicer::run() {
  DeviceSlice S;
  for (const Decl *D : TU.AST.getTraversalScope())
    collect(D);
  keepReachable();
  // Local headers that hold nothing but macros have no chunk; they are served as they are.
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &E = SM.getLocalSLocEntry(I);
    if (!E.isFile())
      continue;
    SourceLocation Start = SourceLocation::getFromRawEncoding(E.getOffset());
    FileID F = SM.getFileID(Start);
    if (F.isValid() && SM.getFileEntryForID(F) && !SM.isInSystemHeader(Start) && !SM.getFilename(Start).starts_with("/kcheck-builtin/"))
      textOf(F);
  }
  textOf(SM.getMainFileID());
  for (const Chunk &C : Chunks) {
    // `int a, b;`: one text, several declarations.
    bool SharesText = llvm::any_of(Chunks, [&](const Chunk &O) { return O.Keep && O.File == C.File && O.Begin < C.End && C.Begin < O.End; });
    if (!SharesText) {
      blank(C.File, C.Begin, C.End);
      continue;
    }
    if (!C.Keep)
      continue;
    const NamedDecl *N = inner(C.D);
    if (const auto *R = dyn_cast_or_null<CXXRecordDecl>(N); R && R->isThisDeclarationADefinition())
      trimMethods(R);
  }
  S.Text = textOf(SM.getMainFileID());
  std::string Main = S.Text;
  addHeaders(Main, S);
  S.Headers["kcheck_slice_prelude.h"] = slicePrelude().str();
  nameInstances(S);
  return S;
}

} // namespace

DeviceSlice gate::sliceDevice(TranslationUnit &TU, llvm::StringRef CudaInclude) { return Slicer(TU, CudaInclude).run(); }

#include "gate/plan/Launchers.h"
#include "gate/plan/Convert.h"
#include "gate/plan/Extension.h"
#include "gate/plan/Guess.h"
#include "gate/plan/HostCode.h"
#include "gate/plan/Types.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "runner/protocol/StandIns.h"
#include "matchers/LaunchModel.h"
#include "matchers/eval/Machine.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::gate;

namespace {

class FloatAtomics : public RecursiveASTVisitor<FloatAtomics> {
public:
  bool Found = false;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || !F->getIdentifier() || !F->getName().starts_with("atomicAdd"))
      return true;
    QualType T = F->getNumParams() ? F->getParamDecl(0)->getType() : QualType();
    Found |= !T.isNull() && T->isPointerType() && !T->getPointeeType()->isIntegerType();
    return !Found;
  }
};

class ParsedCandidate : public Candidate {
public:
  ParsedCandidate(TranslationUnit &TU, llvm::StringRef File, llvm::StringRef Text)
      : TU(TU), Ctx(TU.AST), Model(TU.get<LaunchModel>()), Shared(TU.AST), Raised(TU.AST) {
    for (const FunctionDecl *F : Model.launchers())
      if (inCandidate(F))
        add(F, false);
    for (const FunctionDecl *K : Model.kernels())
      if (inCandidate(K))
        add(K, true);
    FloatAtomics V;
    for (Decl *D : ownDecls())
      V.TraverseDecl(D);
    Atomics = V.Found;
    Told = comparedWithParameters(Ctx, ownDecls());
    Concern = gate::hostConcern(Ctx, ownDecls());
    collectSource(File, Text);
  }

  const std::vector<Launcher> &launchers() const override { return All; }
  const Launcher *find(llvm::StringRef Name) const override {
    for (const Launcher &L : All)
      if (L.Name == Name)
        return &L;
    return nullptr;
  }
  bool hasFloatAtomics() const override { return Atomics; }
  const std::vector<int64_t> &comparedSizes() const override { return Told; }
  HostCall hostCall(const Launcher &L) const override {
    const FunctionDecl *F = Functions[size_t(&L - All.data())];
    return {callTextOf(F), hostMemoryOf(F, false), hostMemoryOf(F, true), hostStateOf(F, ownDecls())};
  }
  const std::string &hostConcern() const override { return Concern; }
  bool isProgram() const override {
    return llvm::any_of(ownDecls(), [](const Decl *D) {
      const auto *F = dyn_cast<FunctionDecl>(D);
      return F && F->isMain() && F->isThisDeclarationADefinition();
    });
  }
  std::optional<Guess> guess(const Launcher &L, std::string &Why) override {
    return guessArguments(Functions[size_t(&L - All.data())], L.Params, Model, Why);
  }
  std::vector<ExtensionCall> extensionCalls() const override { return gate::extensionCalls(Ctx, ownDecls()); }
  const protocol::Source &source() const override { return Source; }

  StepPlan plan(const Launcher &L, const std::vector<ParamValue> &Values) override {
    Shared.Budget = 600000; // each case anew
    eval::HostRun Run;
    Run.Launcher = Functions[size_t(&L - All.data())];
    std::vector<int64_t> Sizes = integers(Run.Launcher, Values);
    eval::Machine M(Shared, Run, [&](unsigned I) { return I < Sizes.size() ? Sizes[I] : int64_t(0); });
    M.runHost();
    return convertRun(Run, Values, Raised, Ctx);
  }

  StepPlan planKernel(const Launcher &L, const std::vector<ParamValue> &Values, protocol::Dim3 Grid, protocol::Dim3 Block,
                      uint64_t SharedBytes) override {
    const FunctionDecl *K = Functions[size_t(&L - All.data())];
    protocol::LaunchStep S;
    S.Kernel = nameExpression(K);
    S.Grid = Grid;
    S.Block = Block;
    S.SharedBytes = SharedBytes;
    StepPlan P;
    for (unsigned I = 0; I < K->getNumParams(); ++I) {
      auto A = kernelArgument(K->getParamDecl(I)->getType(), Values[I]);
      if (!A) {
        P.Refusal = "kernel parameter '" + K->getParamDecl(I)->getNameAsString() + "' is of a type that a task cannot give";
        return P;
      }
      S.Args.push_back(std::move(*A));
    }
    P.Steps.push_back({std::move(S), L.Line});
    return P;
  }

private:
  /// The top-level declarations of the candidate's own files.
  std::vector<Decl *> ownDecls() const {
    std::vector<Decl *> Out;
    for (Decl *D : Ctx.getTranslationUnitDecl()->noload_decls())
      if (!Ctx.getSourceManager().isInSystemHeader(Ctx.getSourceManager().getExpansionLoc(D->getLocation())))
        Out.push_back(D);
    return Out;
  }

  bool inCandidate(const FunctionDecl *F) const {
    return F->getIdentifier() && !Ctx.getSourceManager().isInSystemHeader(Ctx.getSourceManager().getExpansionLoc(F->getLocation()));
  }

  void add(const FunctionDecl *F, bool Kernel) {
    Launcher L;
    L.Name = Kernel ? nameExpression(F) : F->getQualifiedNameAsString();
    L.Line = Ctx.getSourceManager().getExpansionLineNumber(F->getLocation());
    L.Kernel = Kernel;
    for (const ParmVarDecl *P : F->parameters())
      L.Params.push_back(describeParam(P, Ctx));
    All.push_back(std::move(L));
    Functions.push_back(F->getDefinition() ? F->getDefinition() : F);
  }

  /// The values of the integer parameters, in the order in which the interpreter asks for them.
  static std::vector<int64_t> integers(const FunctionDecl *F, const std::vector<ParamValue> &Values) {
    std::vector<int64_t> Sizes;
    for (unsigned I = 0; I < F->getNumParams() && I < Values.size(); ++I) {
      QualType T = F->getParamDecl(I)->getType().getNonReferenceType().getCanonicalType();
      if (T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType())
        Sizes.push_back(Values[I].What == ParamValue::Kind::Real ? int64_t(Values[I].Real) : Values[I].Int);
    }
    return Sizes;
  }

  std::optional<protocol::Argument> kernelArgument(QualType T, const ParamValue &V) {
    protocol::Argument A;
    switch (V.What) {
    case ParamValue::Kind::Buffer:
      A.What = protocol::Argument::Kind::Pointer;
      A.Where.Buffer = V.Buffer;
      return A;
    case ParamValue::Kind::Integer: return scalarArgument(T, V.Int, double(V.Int), Ctx);
    case ParamValue::Kind::Real: return scalarArgument(T, int64_t(V.Real), V.Real, Ctx);
    case ParamValue::Kind::None: break;
    }
    A.What = protocol::Argument::Kind::Null;
    return T->isPointerType() ? std::optional(A) : std::nullopt;
  }

  void collectSource(llvm::StringRef File, llvm::StringRef Text) {
    Source.File = llvm::sys::path::filename(File).str();
    Source.Text = Text.str();
    Source.Arch = TU.Arch;
    const SourceManager &SM = Ctx.getSourceManager();
    auto Folder = llvm::sys::path::parent_path(File);
    // Only the unit's own entries: those of a precompiled header are the toolkit's, and not all of them are loaded.
    std::set<std::string> Had;
    for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
      const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      if (!Entry.isFile())
        continue;
      FileID Id = SM.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
      OptionalFileEntryRef Included = SM.getFileEntryRefForID(Id);
      if (Id == SM.getMainFileID() || !Included)
        continue;
      llvm::StringRef Path = Included->getName();
      if (SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
        continue;
      if (!Folder.empty() && Path.starts_with(Folder))
        Path = Path.drop_front(Folder.size()).ltrim('/');
      if (llvm::sys::path::is_absolute(Path))
        continue; // not below the candidate: the worker has its own
      if (auto Buffer = SM.getBufferOrNone(Id); Buffer && Had.insert(Path.str()).second)
        Source.Includes.push_back({Path.str(), Buffer->getBuffer().str()});
    }
    addStandIns();
  }

  /// What stands in for PyTorch's headers here stands in for them where the device code is compiled. They include each other.
  void addStandIns() {
    if (!includesTorch(Source.Text) && llvm::none_of(Source.Includes, [](const protocol::SourceFile &I) { return includesTorch(I.Text); }))
      return;
    for (const BundledHeader &H : bundledHeaders())
      if (llvm::StringRef Path = H.Path; Path.consume_front(TorchStandIns))
        Source.Includes.push_back({protocol::StandInFolder + Path.str(), bundledHeader(H.Path)->str()});
  }

  TranslationUnit &TU;
  ASTContext &Ctx;
  LaunchModel &Model;
  eval::Facts Shared;
  SharedOptIns Raised;
  std::vector<Launcher> All;
  std::vector<const FunctionDecl *> Functions;
  protocol::Source Source;
  std::vector<int64_t> Told;
  std::string Concern;
  bool Atomics = false;
};

} // namespace

llvm::Error gate::withCandidate(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options,
                                llvm::function_ref<void(Candidate &)> Use) {
  return parse(File, Text, Options, View::Host, [&](TranslationUnit &TU) {
    ParsedCandidate C(TU, File, Text);
    Use(C);
  });
}

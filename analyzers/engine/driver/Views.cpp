#include "analyzers/engine/driver/Views.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Token.h"
#include <set>

using namespace kcheck;
using namespace clang;

namespace {

class ArchMacroWatcher : public PPCallbacks {
public:
  ArchMacroWatcher(const SourceManager &SM, bool &Differs) : SM(SM), Differs(Differs) {}
  void MacroExpands(const Token &Name, const MacroDefinition &, SourceRange, const MacroArgs *) override { look(Name); }
  void Defined(const Token &Name, const MacroDefinition &, SourceRange) override { look(Name); }
  void Ifdef(SourceLocation, const Token &Name, const MacroDefinition &) override { look(Name); }
  void Ifndef(SourceLocation, const Token &Name, const MacroDefinition &) override { look(Name); }
  using PPCallbacks::Elifdef;
  void Elifdef(SourceLocation, const Token &Name, const MacroDefinition &) override { look(Name); }
  using PPCallbacks::Elifndef;
  void Elifndef(SourceLocation, const Token &Name, const MacroDefinition &) override { look(Name); }

private:
  void look(const Token &Name) {
    const IdentifierInfo *II = Name.getIdentifierInfo();
    if (!Differs && II && II->getName() == "__CUDA_ARCH__" && !SM.isInSystemHeader(SM.getExpansionLoc(Name.getLocation())))
      Differs = true;
  }
  const SourceManager &SM;
  bool &Differs;
};

void addRange(const Decl *D, const SourceManager &SM, std::vector<LineRange> &Out) {
  if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
    D = T->getTemplatedDecl();
  if (const auto *T = dyn_cast<ClassTemplateDecl>(D))
    D = T->getTemplatedDecl();
  if (const auto *F = dyn_cast<FunctionDecl>(D)) {
    bool DeviceOnly = F->hasAttr<CUDAGlobalAttr>() || (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
    if (!DeviceOnly || F->getEndLoc().isInvalid())
      return;
    PresumedLoc First = SM.getPresumedLoc(SM.getExpansionLoc(F->getBeginLoc()), false);
    PresumedLoc Name = SM.getPresumedLoc(SM.getExpansionLoc(F->getLocation()), false);
    PresumedLoc Last = SM.getPresumedLoc(SM.getExpansionLoc(F->getEndLoc()), false);
    if (Name.isValid() && Last.isValid())
      Out.push_back({Name.getFilename(), std::min(First.isValid() ? First.getLine() : Name.getLine(), Name.getLine()), Last.getLine()});
    return;
  }
  if (const auto *C = dyn_cast<DeclContext>(D))
    if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(D))
      for (const Decl *Inner : C->decls())
        addRange(Inner, SM, Out);
}

} // namespace

std::unique_ptr<PPCallbacks> kcheck::watchForArchMacro(const SourceManager &SM, bool &Differs) {
  return std::make_unique<ArchMacroWatcher>(SM, Differs);
}

std::vector<LineRange> kcheck::deviceOnlyCode(llvm::ArrayRef<Decl *> Decls, const SourceManager &SM) {
  std::vector<LineRange> Out;
  for (const Decl *D : Decls)
    addRange(D, SM, Out);
  return Out;
}

void kcheck::addHostFindings(std::vector<Finding> &Device, std::vector<Finding> Host, llvm::ArrayRef<LineRange> DeviceOnly) {
  for (Finding &F : Host) {
    bool OnDevice = llvm::any_of(DeviceOnly, [&](const LineRange &R) {
      return R.File == F.Where.File && R.First <= F.Where.Line && F.Where.Line <= R.Last;
    });
    if (!OnDevice && F.Kernel.empty())
      Device.push_back(std::move(F));
  }
  dropRepeats(Device);
}

void kcheck::dropRepeats(std::vector<Finding> &Findings) {
  // The heaviest of equal ones stays, at the place of the first.
  std::map<std::tuple<std::string, std::string, std::string, unsigned, unsigned>, size_t> Seen;
  std::vector<Finding> Out;
  for (Finding &F : Findings) {
    auto [At, New] = Seen.try_emplace({F.Rule, F.Tag, F.Where.File, F.Where.Line, F.Where.Column}, Out.size());
    if (New)
      Out.push_back(std::move(F));
    else if (F.Level > Out[At->second].Level)
      Out[At->second] = std::move(F);
  }
  Findings = std::move(Out);
}

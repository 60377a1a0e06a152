//===- Names.cpp - API names against the tables of rules.yaml -----------------===//
//
// The front end says which names it does not know. A name of the CUDA families is then one that a newer
// toolkit dropped (with its replacement), or one that never was.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kcheck;

namespace {

/// "use of undeclared identifier 'x'" and the like: x, or nothing.
StringRef unknownName(StringRef Message) {
  if (!Message.contains("undeclared") && !Message.contains("neither visible") && !Message.contains("unknown type name") &&
      !Message.contains("no template named") && !Message.contains("no member named"))
    return {};
  return Message.split('\'').second.split('\'').first;
}

class Names {
public:
  explicit Names(ApiReporter &R) : R(R), P(R.Ctx.policy()) {
    if (const llvm::json::Value *V = P.table({"api", "known"}))
      if (const llvm::json::Array *A = V->getAsArray())
        for (const llvm::json::Value &X : *A)
          if (auto S = X.getAsString())
            Known.insert(*S);
  }

  void diagnostics() {
    for (const ParseDiagnostic &D : R.Ctx.TU.Diagnostics) {
      StringRef Name = D.IsError && D.InMainFile ? unknownName(D.Message) : StringRef();
      // Once a line; once a file where a header that is not here may declare it.
      if (Name.empty() || !Seen.insert(R.Ctx.TU.MissingHeaders.empty() ? (Name + std::to_string(D.Where.Line)).str() : Name.str()).second)
        continue;
      if (const llvm::json::Object *Gone = removed(Name))
        R.Ctx.report("removed_api", D.Where, removedMessage(Name, *Gone));
      else if (ofFamily(Name) && !Known.contains(Name))
        unknown(Name, D);
    }
  }

  /// A runtime name that the candidate declares itself, to make the compiler believe in it.
  void selfDeclared(const CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || !F->getIdentifier() || F->getBuiltinID() || !R.Ctx.TU.inMainFile(F->getLocation()) || F->hasBody() || F->isDefined())
      return;
    StringRef Name = F->getName();
    if (!runtimeName(Name) || Known.contains(Name) || !R.first("unknown_api", C->getExprLoc()))
      return;
    R.Ctx.report("unknown_api", C->getExprLoc(),
                 "'" + Name + "' is declared here, but no CUDA runtime has it: links only if another library defines it")
        .doubt()
        .note(F->getLocation(), "declared here");
  }

  void legacy(const CallExpr *C) {
    CallKind K = callKind(C);
    if (K != CallKind::LegacyShuffle && K != CallKind::LegacyVote)
      return;
    const FunctionDecl *F = C->getDirectCallee();
    if (F && R.Ctx.TU.inMainFile(F->getLocation()))
      return; // the candidate's own function of that name
    std::string Name = calleeName(C);
    if (R.first("deprecated_intrinsic", C->getExprLoc()))
      R.Ctx.report("deprecated_intrinsic", C->getExprLoc(),
                   "'" + Name + "' is gone since sm_70: use '" + Name + "_sync' with the mask of the lanes that take part");
  }

private:
  const llvm::json::Object *removed(StringRef Name) const {
    const llvm::json::Value *V = P.table({"api", "removed", Name});
    return V ? V->getAsObject() : nullptr;
  }

  static std::string removedMessage(StringRef Name, const llvm::json::Object &Gone) {
    std::string M = ("'" + Name + "' was removed").str();
    if (auto In = Gone.getString("in"))
      M += (" in CUDA " + *In).str();
    if (auto Use = Gone.getString("use"))
      M += (": use " + *Use).str();
    return M;
  }

  static bool runtimeName(StringRef Name) { return Name.starts_with("cuda") && Name.size() > 4 && llvm::isUpper(Name[4]); }

  bool ofFamily(StringRef Name) const {
    if (runtimeName(Name))
      return true;
    for (const std::string &Prefix : P.listOption("kcheck-api", "families"))
      if (Name.starts_with(Prefix))
        return hasHeaderOf(Prefix);
    return false;
  }

  /// A library whose header was not read (another, missing one includes it) tells nothing of its names.
  bool hasHeaderOf(StringRef Family) const {
    StringRef Known = llvm::StringSwitch<StringRef>(Family)
                          .Case("cublas", "cublasCreate_v2")
                          .Case("cudnn", "cudnnCreate")
                          .Case("cufft", "cufftPlan1d")
                          .Case("curand_", "curand_init")
                          .Default("");
    const IdentifierTable &Names = R.Ctx.TU.AST.Idents;
    return Known.empty() || Names.find(Known) != Names.end();
  }

  void unknown(StringRef Name, const ParseDiagnostic &D) {
    std::string M = ("no CUDA version has '" + Name + "'").str();
    if (StringRef Near = nearest(Name); !Near.empty())
      M += ("; did you mean '" + Near + "'?").str();
    auto F = R.Ctx.report("unknown_api", D.Where, M);
    if (!R.Ctx.TU.HasToolkit || !R.Ctx.TU.MissingHeaders.empty())
      F.doubt();
  }

  StringRef nearest(StringRef Name) const {
    StringRef Best;
    unsigned Distance = std::max<unsigned>(3, Name.size() / 3) + 1;
    for (const auto &Entry : Known) {
      unsigned D = Name.edit_distance(Entry.getKey(), true, Distance);
      if (D < Distance) {
        Distance = D;
        Best = Entry.getKey();
      }
    }
    return Best;
  }

  ApiReporter &R;
  const Policy &P;
  llvm::StringSet<> Known, Seen;
};

class NameVisitor : public ApiWalker {
public:
  NameVisitor(ApiReporter &R, Names &N) : ApiWalker(R), N(N) {}
  bool VisitCallExpr(CallExpr *C) override {
    if (R.exempt(Function))
      return true;
    N.selfDeclared(C);
    if (isDeviceFunction(Function))
      N.legacy(C);
    return true;
  }

private:
  Names &N;
};

} // namespace

void kcheck::checkApiNames(ApiReporter &R) {
  Names N(R);
  N.diagnostics();
  NameVisitor(R, N).TraverseAST(R.Ctx.TU.AST);
}

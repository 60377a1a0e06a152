//===- ActionContext.h - what an action sees of one parsed file ----------------===//
//
// The kernels of the file with their launches, the shared analyses, and the words to say where text stands and
// what takes its place. Code inside macro expansions or in other files cannot be edited.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_ACTIONCONTEXT_H
#define KCHECK_ACTIONS_ENGINE_ACTIONCONTEXT_H

#include "actions/engine/Action.h"
#include "actions/engine/Device.h"
#include "analyzers/engine/TranslationUnit.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include "llvm/ADT/DenseSet.h"

namespace kcheck {

/// One launch of a kernel in this file.
struct LaunchSite {
  LaunchSyntax Syntax;
  const clang::FunctionDecl *In = nullptr; ///< the host function around it
};

/// A kernel with a body in the main file. Of a template, Decl is an instantiation (the pattern where there is none).
struct KernelView {
  const clang::FunctionDecl *Decl = nullptr;
  std::string Name;
  bool Template = false;
  unsigned Instances = 1;
  std::vector<LaunchSite> Launches;
  const clang::DeclRefExpr *OtherUse = nullptr; ///< its address is taken: launches may be hidden
  const clang::CompoundStmt *body() const;
};

class ActionContext {
public:
  ActionContext(TranslationUnit &TU, llvm::StringRef File);

  TranslationUnit &TU;
  clang::ASTContext &AST;
  const clang::SourceManager &SM;
  const clang::LangOptions &LO;
  std::string File;
  llvm::StringRef Text; ///< of the main file
  DeviceLimits Limits;

  llvm::ArrayRef<KernelView> kernels() const { return Kernels; }
  template <class Analysis> Analysis &get() { return TU.get<Analysis>(); }

  // Where text stands.
  /// The whole range is written out in the main file, outside macro expansions.
  bool editable(clang::SourceRange R) const;
  unsigned offset(clang::SourceLocation Loc) const;    ///< of a token's first byte
  unsigned endOffset(clang::SourceLocation Loc) const; ///< behind a token
  /// Bytes of a node; a statement takes its semicolon with it.
  std::pair<unsigned, unsigned> bytes(const clang::Stmt *S) const;
  std::string text(const clang::Stmt *S) const;        ///< an expression's or a statement's own words
  std::string text(clang::SourceRange R) const;
  /// Words for "not E", a comparison turned round where that says the same (of floating-point numbers it does not).
  std::string negated(const clang::Expr *E) const;
  /// Text of the bytes with inner edits applied.
  std::string text(std::pair<unsigned, unsigned> Bytes, std::vector<Edit> Inner) const;
  /// The white space in front of the line that holds Offset.
  llvm::StringRef indentation(unsigned Offset) const;

  // What takes its place.
  Edit replace(const clang::Stmt *S, std::string With) const;
  Edit replace(clang::SourceRange R, std::string With) const;
  Edit replace(std::pair<unsigned, unsigned> Bytes, std::string With) const;
  /// New lines between the braces of a function's body.
  Edit replaceBody(const clang::CompoundStmt *Body, const std::string &Lines) const;
  Edit insert(unsigned Offset, std::string What) const { return Edit{File, Offset, 0, std::move(What)}; }

  // Questions that many actions ask.
  /// Is Name free as a local variable in F: nobody declares or uses it there, and no macro has it?
  bool isFree(const clang::FunctionDecl *F, llvm::StringRef Name) const;
  std::string freeName(const clang::FunctionDecl *F, llvm::StringRef Wanted) const;
  /// E always has this value.
  std::optional<int64_t> constant(const clang::Expr *E) const;
  /// Evaluating E twice, or not at all, changes nothing, and it reads no memory that other code may write.
  bool isPure(const clang::Expr *E, bool LoadsToo = false) const;
  /// Why launches of K cannot be rewritten together with it; empty when they can.
  std::string whyLaunchesAreFixed(const KernelView &K) const;
  Site siteAt(const KernelView &K, clang::SourceLocation Loc, std::string What) const;

private:
  void collect();
  std::vector<KernelView> Kernels;
};

/// Calls F(node) for S and everything below it, parents first.
void forEachStmt(const clang::Stmt *S, llvm::function_ref<void(const clang::Stmt *)> F);
/// The variables that S reads or writes.
llvm::DenseSet<const clang::ValueDecl *> namedIn(const clang::Stmt *S);
/// E is a reference to D, casts and parentheses aside.
bool refersTo(const clang::Expr *E, const clang::ValueDecl *D);
const clang::ValueDecl *referredTo(const clang::Expr *E);

} // namespace kcheck
#endif

//===- TranslationUnit.h - what a rule sees of one parsed file ----------------===//
#ifndef KCHECK_ENGINE_TRANSLATIONUNIT_H
#define KCHECK_ENGINE_TRANSLATIONUNIT_H

#include "analyzers/engine/Finding.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"
#include <memory>
#include <vector>

namespace kcheck {

/// One message of the front end, as plain data.
struct ParseDiagnostic {
  unsigned ID = 0;            ///< clang::diag::…
  bool IsError = false;
  Location Where;             ///< expansion location in the main file where there is one
  bool InMainFile = false;
  std::string Message;
  std::string Spelling;       ///< the source line's token at the place, if any
  std::vector<FindingNote> Notes;
};

enum class View { Device, Host };

/// What a rule looked at and found in order: one "+" line of the text report.
struct PassedCheck {
  std::string Rule; ///< "kcheck-index-space"
  std::string Text; ///< "index mapping matches launch config (checked at n = 1, 255)"
};

/// One parsed view of one file, with a store for analyses that rules share. An analysis is any class with
/// a constructor from ASTContext&; it is built when first asked for and lives as long as the unit.
class TranslationUnit {
public:
  TranslationUnit(clang::ASTContext &AST, clang::Preprocessor &PP) : AST(AST), PP(PP) {}

  clang::ASTContext &AST;
  clang::Preprocessor &PP;
  View Which = View::Device;
  bool HasToolkit = true;     ///< false: parsed against the bundled declarations
  unsigned CudaVersion = 0;   ///< 13000 for 13.0; 0 unknown
  std::string Arch = "sm_80";
  std::vector<ParseDiagnostic> Diagnostics;
  std::vector<std::string> MissingHeaders; ///< third-party includes that were not found
  std::vector<PassedCheck> Passed;         ///< filled in by RuleContext::passed

  const clang::SourceManager &sources() const { return AST.getSourceManager(); }
  bool inMainFile(clang::SourceLocation Loc) const {
    return Loc.isValid() && sources().isInMainFile(sources().getExpansionLoc(Loc));
  }
  /// The expansion location of Loc as plain data.
  Location where(clang::SourceLocation Loc) const;
  /// The source text of a range, macro arguments resolved where possible; empty when there is none.
  std::string text(clang::SourceRange Range) const;

  template <class Analysis> Analysis &get() {
    static const char Key = 0;
    for (auto &[K, A] : Store)
      if (K == &Key)
        return *static_cast<Analysis *>(A.get());
    auto Made = std::make_shared<Analysis>(AST);
    Analysis &Ref = *Made;
    Store.emplace_back(&Key, std::move(Made));
    return Ref;
  }

private:
  std::vector<std::pair<const void *, std::shared_ptr<void>>> Store;
};

} // namespace kcheck
#endif

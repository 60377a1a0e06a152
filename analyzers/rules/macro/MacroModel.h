//===- MacroModel.h - macros of one file: history, expansions, regions --------===//
//
// A preprocessor that starts from a precompiled preamble replays no callbacks, so nothing here listens:
// definitions come from the preprocessor's directive history, expansions from the source manager's own
// entries, and both are complete whenever the file has been parsed.
//
// A *region* is the run of tokens that one macro body, or one use of a macro parameter, put into the
// program. Tokens of an operand that lie partly in a region and partly outside show that an expansion was
// torn apart by operator precedence.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_MACRO_MACROMODEL_H
#define KCHECK_RULES_MACRO_MACROMODEL_H

#include "analyzers/engine/TranslationUnit.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace kcheck {

/// One #define of the candidate's own text, with where it stops to hold.
struct DefinedMacro {
  const clang::IdentifierInfo *Name = nullptr;
  const clang::MacroInfo *Info = nullptr;
  clang::SourceLocation Defined, Undefined; ///< Undefined is invalid while it holds to the end
  const clang::MacroInfo *Replaces = nullptr; ///< a definition that was still in force here
};

/// An #if or #elif of the main file that tests a macro's value.
struct ConditionalTest {
  std::string Name;
  clang::SourceLocation Loc;
};

/// One expansion that starts in the text of the file (not inside another macro).
struct ExpandedMacro {
  const clang::IdentifierInfo *Name = nullptr;
  const clang::MacroInfo *Info = nullptr;
  clang::SourceLocation Begin, End;
};

class MacroModel {
public:
  MacroModel(const clang::SourceManager &SM, clang::Preprocessor &PP);

  /// Definitions outside system headers, by name and in order of the text.
  llvm::ArrayRef<DefinedMacro> definitions() const { return Definitions; }
  llvm::ArrayRef<ExpandedMacro> expansions() const { return Expansions; }

  llvm::ArrayRef<ConditionalTest> tests() const { return Tests; }
  /// Adds every macro that expanding Name at a place may use, Name included.
  void addUsed(const clang::IdentifierInfo *Name, clang::SourceLocation At,
               llvm::SmallPtrSetImpl<const DefinedMacro *> &Out) const;

  /// The definition whose body spells Loc, or null.
  const DefinedMacro *spelledIn(clang::SourceLocation Loc) const;
  /// The definition in force for Name at a place of the main file, or null.
  const DefinedMacro *inForce(const clang::IdentifierInfo *Name, clang::SourceLocation At) const;
  /// The macro use that made Loc, seen from the outside: the first definition on the way up.
  const DefinedMacro *owner(clang::SourceLocation Loc) const;

private:
  void readDirectives(clang::Preprocessor &PP);
  void collectDefinitions(clang::Preprocessor &PP);
  void collectExpansions(clang::Preprocessor &PP);

  const clang::SourceManager &SM;
  std::vector<DefinedMacro> Definitions;
  std::vector<ExpandedMacro> Expansions;
  std::vector<ConditionalTest> Tests;
  llvm::SmallSetVector<const clang::IdentifierInfo *, 32> Names;
};

/// Key of a region; equal keys mean the same run of tokens.
struct Region {
  enum Kind { Body, Argument } What;
  unsigned Key;                      ///< file id of a body, raw location of the parameter of an argument
  clang::SourceLocation Inside;      ///< a location spelled in the macro's definition
  bool operator==(const Region &O) const { return What == O.What && Key == O.Key; }
};
using Regions = llvm::SmallVector<Region, 4>;

/// All regions that Loc lies in, innermost first.
Regions regionsOf(const clang::SourceManager &SM, clang::SourceLocation Loc);
inline bool contains(const Regions &R, const Region &X) { return llvm::is_contained(R, X); }

} // namespace kcheck
#endif

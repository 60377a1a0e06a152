#include "analyzers/rules/macro/MacroModel.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace kcheck;

MacroModel::MacroModel(const SourceManager &SM, Preprocessor &PP) : SM(SM) {
  readDirectives(PP);
  collectDefinitions(PP);
  collectExpansions(PP);
}

// The names come from the text of the main file: a precompiled preamble hands its macros out by name only.
void MacroModel::readDirectives(Preprocessor &PP) {
  FileID Main = SM.getMainFileID();
  Lexer Raw(Main, SM.getBufferOrFake(Main), SM, PP.getLangOpts());
  Token T;
  bool More = true;
  auto Next = [&] {
    More = !Raw.LexFromRawLexer(T);
    return More && !T.isAtStartOfLine() && T.is(tok::raw_identifier);
  };
  for (More = !Raw.LexFromRawLexer(T); More;) {
    if (T.isNot(tok::hash) || !T.isAtStartOfLine()) {
      More = !Raw.LexFromRawLexer(T);
      continue;
    }
    if (!Next())
      continue;
    StringRef Directive = T.getRawIdentifier();
    if (Directive == "define") {
      if (Next())
        Names.insert(PP.getIdentifierInfo(T.getRawIdentifier()));
    } else if (Directive == "if" || Directive == "elif") {
      bool AfterDefined = false;
      while (!Raw.LexFromRawLexer(T) && !T.isAtStartOfLine()) {
        if (T.is(tok::l_paren))
          continue;
        bool IsName = T.is(tok::raw_identifier);
        if (IsName && !AfterDefined && T.getRawIdentifier() != "defined")
          Tests.push_back({T.getRawIdentifier().str(), T.getLocation()});
        AfterDefined = IsName && T.getRawIdentifier() == "defined";
      }
      More = T.isNot(tok::eof);
    }
  }
}

void MacroModel::addUsed(const IdentifierInfo *Name, SourceLocation At,
                         llvm::SmallPtrSetImpl<const DefinedMacro *> &Out) const {
  const DefinedMacro *D = inForce(Name, At);
  if (!D || !Out.insert(D).second)
    return;
  for (const Token &T : D->Info->tokens())
    if (const IdentifierInfo *II = T.getIdentifierInfo())
      addUsed(II, At, Out);
}

void MacroModel::collectDefinitions(Preprocessor &PP) {
  for (const auto &Entry : PP.macros(/*IncludeExternalMacros=*/false))
    Names.insert(Entry.first);
  for (const IdentifierInfo *Name : Names) {
    SourceLocation Undefined;
    for (const MacroDirective *D = PP.getLocalMacroDirectiveHistory(Name); D; D = D->getPrevious()) {
      if (isa<UndefMacroDirective>(D)) {
        Undefined = D->getLocation();
        continue;
      }
      const auto *Def = dyn_cast<DefMacroDirective>(D);
      if (!Def)
        continue;
      const MacroInfo *Info = Def->getInfo();
      SourceLocation Loc = Info->getDefinitionLoc();
      const auto *Before = dyn_cast_or_null<DefMacroDirective>(D->getPrevious());
      if (Loc.isFileID() && !SM.isInSystemHeader(Loc) && !SM.isWrittenInBuiltinFile(Loc) &&
          !SM.isWrittenInCommandLineFile(Loc))
        Definitions.push_back({Name, Info, Loc, Undefined, Before ? Before->getInfo() : nullptr});
      Undefined = Loc; // a later definition replaces this one here
    }
  }
  llvm::sort(Definitions, [&](const DefinedMacro &A, const DefinedMacro &B) {
    return SM.isBeforeInTranslationUnit(A.Defined, B.Defined);
  });
}

void MacroModel::collectExpansions(Preprocessor &PP) {
  for (unsigned I = 0, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isExpansion() || !Entry.getExpansion().isMacroBodyExpansion())
      continue;
    SourceLocation Begin = Entry.getExpansion().getExpansionLocStart();
    if (!Begin.isFileID() || !SM.isInMainFile(Begin))
      continue;
    llvm::SmallString<32> Buffer;
    StringRef Name = Lexer::getSpelling(Begin, Buffer, SM, PP.getLangOpts());
    const IdentifierInfo *II = PP.getIdentifierInfo(Name);
    const DefinedMacro *Def = inForce(II, Begin);
    if (!Expansions.empty() && Expansions.back().Begin == Begin)
      continue;
    Expansions.push_back({II, Def ? Def->Info : nullptr, Begin, Entry.getExpansion().getExpansionLocEnd()});
  }
}

const DefinedMacro *MacroModel::spelledIn(SourceLocation Loc) const {
  if (Loc.isMacroID())
    Loc = SM.getSpellingLoc(Loc);
  for (const DefinedMacro &D : Definitions) {
    SourceLocation End = D.Info->getDefinitionEndLoc();
    if (SM.getFileID(Loc) == SM.getFileID(D.Defined) && SM.getFileOffset(Loc) >= SM.getFileOffset(D.Defined) &&
        SM.getFileOffset(Loc) <= SM.getFileOffset(End))
      return &D;
  }
  return nullptr;
}

const DefinedMacro *MacroModel::inForce(const IdentifierInfo *Name, SourceLocation At) const {
  const DefinedMacro *Found = nullptr;
  for (const DefinedMacro &D : Definitions) {
    if (D.Name != Name || !SM.isBeforeInTranslationUnit(D.Defined, At))
      continue;
    Found = D.Undefined.isValid() && SM.isBeforeInTranslationUnit(D.Undefined, At) ? nullptr : &D;
  }
  return Found;
}

const DefinedMacro *MacroModel::owner(SourceLocation Loc) const {
  for (const Region &R : regionsOf(SM, Loc))
    if (const DefinedMacro *D = spelledIn(R.Inside))
      return D;
  return nullptr;
}

static void addRegions(const SourceManager &SM, SourceLocation Loc, Regions &Out, unsigned Depth) {
  while (Loc.isMacroID() && Depth++ < 64) {
    if (!SM.isMacroArgExpansion(Loc)) {
      Out.push_back({Region::Body, SM.getFileID(Loc).getHashValue(), SM.getSpellingLoc(Loc)});
      Loc = SM.getImmediateExpansionRange(Loc).getBegin();
      continue;
    }
    // The argument may itself come from a macro: those regions are further in.
    SourceLocation Written = SM.getImmediateSpellingLoc(Loc);
    if (Written.isMacroID())
      addRegions(SM, Written, Out, Depth);
    SourceLocation Parameter = SM.getImmediateExpansionRange(Loc).getBegin();
    Out.push_back({Region::Argument, Parameter.getRawEncoding(), SM.getSpellingLoc(Parameter)});
    Loc = Parameter;
  }
}

Regions kcheck::regionsOf(const SourceManager &SM, SourceLocation Loc) {
  Regions Out;
  addRegions(SM, Loc, Out, 0);
  return Out;
}

#include "analyzers/engine/driver/Diagnostics.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticSerialization.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace kcheck;
using namespace clang;

/// A broken file may have a message a token; nobody reads more than these.
static constexpr size_t MaxDiagnostics = 400;

static bool isPchTrouble(unsigned ID) {
  constexpr unsigned First = diag::DIAG_START_SERIALIZATION;
  return ID >= First && ID < First + unsigned(diag::DIAG_SIZE_SERIALIZATION);
}

static std::string tokenAt(SourceLocation Loc, const SourceManager &SM, const LangOptions &Lang) {
  bool Invalid = false;
  const char *Text = SM.getCharacterData(Loc, &Invalid);
  unsigned Size = Invalid ? 0 : Lexer::MeasureTokenLength(Loc, SM, Lang);
  return std::string(Text, std::min(Size, 200u));
}

void DiagnosticCollector::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (isPchTrouble(Info.getID()) && Level >= DiagnosticsEngine::Error) {
    llvm::SmallString<128> Why;
    Info.FormatDiagnostic(Why);
    if (BadPch.empty())
      BadPch = std::string(Why);
    return;
  }
  if (Level != DiagnosticsEngine::Note)
    NotesFollow = Level >= DiagnosticsEngine::Warning && All.size() < MaxDiagnostics;
  if (!NotesFollow)
    return;

  llvm::SmallString<128> Text;
  Info.FormatDiagnostic(Text);
  Location Where;
  bool InMain = false;
  std::string Spelling;
  if (Info.hasSourceManager() && Info.getLocation().isValid()) {
    const SourceManager &SM = Info.getSourceManager();
    SourceLocation Loc = SM.getExpansionLoc(Info.getLocation());
    PresumedLoc P = SM.getPresumedLoc(Loc, /*UseLineDirectives=*/false);
    if (P.isValid())
      Where = {P.getFilename(), P.getLine(), P.getColumn()};
    InMain = SM.isInMainFile(Loc);
    if (Level >= DiagnosticsEngine::Error && Lang)
      Spelling = tokenAt(SM.getSpellingLoc(Info.getLocation()), SM, *Lang);
  }
  if (Level == DiagnosticsEngine::Note) {
    if (!All.empty() && All.back().Notes.size() < 20)
      All.back().Notes.push_back({Where, std::string(Text)});
    return;
  }
  if (Info.getID() == diag::err_pp_file_not_found && Info.getNumArgs() &&
      Info.getArgKind(0) == DiagnosticsEngine::ak_std_string)
    MissingHeaders.push_back(Info.getArgStdStr(0));
  ParseDiagnostic D;
  D.ID = Info.getID();
  D.IsError = Level >= DiagnosticsEngine::Error;
  D.Where = std::move(Where);
  D.InMainFile = InMain;
  D.Message = std::string(Text);
  D.Spelling = std::move(Spelling);
  All.push_back(std::move(D));
}

//===- Diagnostics.h - the front end's messages as plain data -----------------===//
#ifndef KCHECK_ENGINE_DRIVER_DIAGNOSTICS_H
#define KCHECK_ENGINE_DRIVER_DIAGNOSTICS_H

#include "analyzers/engine/TranslationUnit.h"
#include "clang/Basic/Diagnostic.h"

namespace kcheck {

class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  void BeginSourceFile(const clang::LangOptions &L, const clang::Preprocessor *) override { Lang = &L; }
  void EndSourceFile() override { Lang = nullptr; }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override;

  std::vector<ParseDiagnostic> All;
  std::vector<std::string> MissingHeaders;
  std::string BadPch; ///< why the precompiled header could not be used

private:
  const clang::LangOptions *Lang = nullptr;
  bool NotesFollow = false;
};

} // namespace kcheck
#endif

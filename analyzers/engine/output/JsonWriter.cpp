// The report as JSON, schema "kcheck.report/1" (docs/schema/report.schema.json). Field names never change
// their meaning inside a schema number.
#include "analyzers/engine/output/Report.h"
#include <cmath>

using namespace kcheck;
namespace json = llvm::json;

static json::Value cmpd(llvm::StringRef Text) {
  unsigned N;
  if (!Text.getAsInteger(10, N))
    return N;
  return Text.str();
}

static json::Object fixJson(const Fix &X) {
  json::Array Edits;
  for (const Edit &E : X.Edits)
    Edits.push_back(json::Object{{"file", E.File}, {"offset", E.Offset}, {"length", E.Length}, {"text", E.Text}});
  return json::Object{{"description", X.Description}, {"edits", std::move(Edits)}};
}

static json::Object findingJson(const Finding &F, llvm::StringRef File, const std::string &Print) {
  json::Object O{{"rule", F.Rule}, {"check", F.check()}, {"cmpd", cmpd(F.Cmpd)}, {"tag", F.Tag},
                 {"severity", toString(F.Level)}, {"certainty", F.Sure == Certainty::Proven ? "proven" : "doubt"},
                 {"line", F.Where.Line}, {"column", F.Where.Column}, {"message", json::fixUTF8(F.Message)},
                 {"kernel", F.Kernel}, {"evidence", json::Object(F.Evidence)}, {"fingerprint", Print}};
  // A finding outside the file itself (a header of it) names its file.
  if (!F.Where.File.empty() && F.Where.File != File)
    O["file"] = F.Where.File;
  if (F.Defer)
    O["defer"] = true;
  json::Array Notes, Fixes;
  for (const FindingNote &N : F.Notes) {
    json::Object Note{{"line", N.Where.Line}, {"column", N.Where.Column}, {"message", json::fixUTF8(N.Message)}};
    if (!N.Where.File.empty() && N.Where.File != File)
      Note["file"] = N.Where.File;
    Notes.push_back(std::move(Note));
  }
  for (const Fix &X : F.Fixes)
    Fixes.push_back(fixJson(X));
  O["notes"] = std::move(Notes);
  O["fixes"] = std::move(Fixes);
  if (F.Suppressed) {
    O["suppressed"] = true;
    O["suppressed_by"] = F.SuppressedBy;
  }
  return O;
}

static json::Array kernelsJson(const StaticTrack &S) {
  json::Array Kernels;
  for (const KernelSummary &K : S.Kernels) {
    json::Array Launches;
    for (const LaunchSummary &L : K.Launches)
      Launches.push_back(json::Object{{"line", L.Line}, {"grid", json::fixUTF8(L.Grid)}, {"block", json::fixUTF8(L.Block)},
                                      {"shared_bytes", json::fixUTF8(L.SharedBytes)}});
    Kernels.push_back(json::Object{{"name", K.Name}, {"line", K.Line}, {"launches", std::move(Launches)}});
  }
  return Kernels;
}

static json::Object staticJson(const FileReport &F) {
  json::Array Findings;
  std::vector<std::string> Prints = fingerprints(F);
  for (size_t I = 0; I < Prints.size(); ++I)
    Findings.push_back(findingJson(F.Static.Findings[I], F.File, Prints[I]));
  json::Object Suppressed;
  for (auto &[By, Count] : suppressedCounts(F))
    Suppressed[By] = Count;
  return json::Object{{"verdict", F.Error.empty() ? json::Value(toString(F.Static.Result)) : json::Value(nullptr)},
          {"elapsed_ms", std::round(F.Static.ElapsedMs * 1000) / 1000},
          {"arch", F.Static.Arch},
          {"toolkit", F.Static.HasToolkit},
          {"missing_headers", json::Array(F.Static.MissingHeaders)},
          {"rules_off", json::Array(F.Static.RulesOff)},
          {"kernels", kernelsJson(F.Static)},
          {"findings", std::move(Findings)},
          {"suppressed", std::move(Suppressed)}};
}

static json::Object dynamicJson(const FileReport &F) {
  const DynamicTrack &D = F.Dynamic;
  json::Object O = D.Sections;
  json::Array Findings;
  std::vector<std::string> Prints = fingerprints(F, D.Findings);
  for (size_t I = 0; I < Prints.size(); ++I)
    Findings.push_back(findingJson(D.Findings[I], F.File, Prints[I]));
  O["findings"] = std::move(Findings);
  O["verdict"] = D.Result ? json::Value(toString(*D.Result)) : json::Value(nullptr);
  O["device"] = D.Device;
  O["state"] = D.State;
  O["why"] = D.Why;
  O["host_code_executed"] = D.HostCodeExecuted;
  return O;
}

json::Value kcheck::toJson(const FileReport &F) {
  json::Object O{{"file", json::fixUTF8(F.File)},
                 {"verdict", F.Error.empty() ? json::Value(toString(F.Result)) : json::Value(nullptr)},
                 {"reasons", json::Array(F.Reasons)},
                 {"coverage", json::Array(F.Coverage)},
                 {"static", staticJson(F)},
                 {"dynamic", dynamicJson(F)}};
  if (!F.Error.empty())
    O["error"] = json::fixUTF8(F.Error);
  return O;
}

json::Value kcheck::toJson(const Report &R) {
  json::Array Results;
  for (const FileReport &F : R.Files)
    Results.push_back(toJson(F));
  return json::Object{{"schema", "kcheck.report/1"},
                      {"tool", json::Object{{"name", "kcheck"},
                                            {"version", R.Tool.Version},
                                            {"clang", R.Tool.Clang},
                                            {"cuda", R.Tool.Cuda.empty() ? json::Value(nullptr) : json::Value(R.Tool.Cuda)}}},
                      {"results", std::move(Results)}};
}

void kcheck::writeJson(llvm::raw_ostream &OS, const Report &R) { OS << llvm::formatv("{0:2}\n", toJson(R)); }

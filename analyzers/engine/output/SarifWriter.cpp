// The report as SARIF 2.1.0: rule metadata, results with fixes, suppressions and fingerprints, so that code
// hosts and editors show findings and follow them over time.
#include "analyzers/engine/output/Report.h"

using namespace kcheck;
namespace json = llvm::json;

namespace {

llvm::StringRef level(Severity S) {
  return S == Severity::Reject ? "error" : S == Severity::Review ? "warning" : S == Severity::Note ? "note" : "none";
}

/// A path as a URI: relative paths stay so, absolute ones become file URIs.
std::string uri(llvm::StringRef Path) {
  std::string Out = Path.starts_with("/") ? "file://" : "";
  for (unsigned char C : Path)
    if (isalnum(C) || llvm::StringRef("-._~/").contains(C))
      Out += C;
    else
      Out += llvm::formatv("%{0}", llvm::utohexstr(C, false, 2)).str();
  return Out;
}

json::Object text(llvm::StringRef T) { return json::Object{{"text", json::fixUTF8(T)}}; }

json::Object artifact(llvm::StringRef Path) { return json::Object{{"uri", uri(Path)}}; }

json::Object location(const Location &W, llvm::StringRef File) {
  json::Object Physical{{"artifactLocation", artifact(W.File.empty() ? File : llvm::StringRef(W.File))}};
  if (W.Line) {
    json::Object Region{{"startLine", W.Line}};
    if (W.Column)
      Region["startColumn"] = W.Column;
    Physical["region"] = std::move(Region);
  }
  return json::Object{{"physicalLocation", std::move(Physical)}};
}

/// Line and column of a byte offset, both from 1.
std::pair<unsigned, unsigned> place(llvm::StringRef Text, unsigned Offset) {
  llvm::StringRef Before = Text.take_front(Offset);
  size_t Start = Before.rfind('\n');
  return {Before.count('\n') + 1, Offset - (Start == llvm::StringRef::npos ? 0 : Start + 1) + 1};
}

json::Object region(const Edit &E, const FileReport &F) {
  bool Here = E.File.empty() || E.File == F.File;
  if (!Here || size_t(E.Offset) + E.Length > F.Text.size())
    return json::Object{{"byteOffset", E.Offset}, {"byteLength", E.Length}};
  auto [StartLine, StartColumn] = place(F.Text, E.Offset);
  auto [EndLine, EndColumn] = place(F.Text, E.Offset + E.Length);
  return json::Object{{"startLine", StartLine}, {"startColumn", StartColumn}, {"endLine", EndLine}, {"endColumn", EndColumn}};
}

json::Object fix(const Fix &X, const FileReport &F) {
  std::map<std::string, json::Array> ByFile;
  for (const Edit &E : X.Edits)
    ByFile[E.File.empty() ? F.File : E.File].push_back(
        json::Object{{"deletedRegion", region(E, F)}, {"insertedContent", text(E.Text)}});
  json::Array Changes;
  for (auto &[File, Replacements] : ByFile)
    Changes.push_back(json::Object{{"artifactLocation", artifact(File)}, {"replacements", std::move(Replacements)}});
  return json::Object{{"description", text(X.Description)}, {"artifactChanges", std::move(Changes)}};
}

/// Every check of every rule, in order; Index finds its place.
json::Array rules(std::map<std::string, unsigned> &Index) {
  json::Array Out;
  for (const RegisteredRule &R : allRules())
    for (const TagInfo &T : R.Info.Tags) {
      std::string Id = checkId(R.Info.Id, T.Tag);
      Index[Id] = Out.size();
      Severity Usual = Policy::builtin().severity(R.Info.Id, T.Tag, Certainty::Proven);
      Out.push_back(json::Object{{"id", Id},
                                 {"name", T.Tag},
                                 {"shortDescription", text(T.Summary)},
                                 {"fullDescription", text((R.Info.Summary + ": " + T.Summary).str())},
                                 {"help", text(("kcheck explain " + T.Tag).str())},
                                 {"defaultConfiguration", json::Object{{"level", level(Usual)}}},
                                 {"properties", json::Object{{"rule", R.Info.Id}, {"cmpd", R.Info.Cmpd}}}});
    }
  return Out;
}

json::Object result(const Finding &X, const FileReport &F, const std::string &Print, const std::map<std::string, unsigned> &Index) {
  json::Object O{{"ruleId", X.check()},
                 {"level", level(X.Level)},
                 {"message", text(X.Message)},
                 {"locations", json::Array{location(X.Where, F.File)}},
                 {"partialFingerprints", json::Object{{"kcheck/1", Print}}},
                 {"properties", json::Object{{"tag", X.Tag}, {"severity", toString(X.Level)}, {"kernel", X.Kernel}, {"evidence", json::Object(X.Evidence)}}}};
  if (auto It = Index.find(X.check()); It != Index.end())
    O["ruleIndex"] = It->second;
  json::Array Related, Fixes;
  for (const FindingNote &N : X.Notes) {
    json::Object L = location(N.Where, F.File);
    L["message"] = text(N.Message);
    Related.push_back(std::move(L));
  }
  for (const Fix &Y : X.Fixes)
    if (!Y.Edits.empty())
      Fixes.push_back(fix(Y, F));
  if (!Related.empty())
    O["relatedLocations"] = std::move(Related);
  if (!Fixes.empty())
    O["fixes"] = std::move(Fixes);
  if (X.Suppressed)
    O["suppressions"] = json::Array{json::Object{{"kind", X.SuppressedBy == "NOLINT" ? "inSource" : "external"}, {"justification", X.SuppressedBy}}};
  return O;
}

} // namespace

void kcheck::writeSarif(llvm::raw_ostream &OS, const Report &R) {
  std::map<std::string, unsigned> Index;
  json::Array Rules = rules(Index), Results, Trouble;
  for (const FileReport &F : R.Files) {
    if (!F.Error.empty())
      Trouble.push_back(json::Object{{"level", "error"}, {"message", text(F.Error)}, {"locations", json::Array{location({}, F.File)}}});
    std::vector<std::string> Prints = fingerprints(F);
    for (size_t I = 0; I < Prints.size(); ++I)
      Results.push_back(result(F.Static.Findings[I], F, Prints[I], Index));
    Prints = fingerprints(F, F.Dynamic.Findings);
    for (size_t I = 0; I < Prints.size(); ++I)
      Results.push_back(result(F.Dynamic.Findings[I], F, Prints[I], Index));
    for (const Reason &D : F.Dynamic.Reasons)
      Results.push_back(json::Object{{"ruleId", "kcheck-dynamic-" + D.Tag}, {"level", level(D.Level)},
                                     {"message", text("dynamic check: " + D.Tag)}, {"locations", json::Array{location({}, F.File)}}});
  }
  json::Object Run{
      {"tool", json::Object{{"driver", json::Object{{"name", "kcheck"}, {"version", R.Tool.Version}, {"rules", std::move(Rules)}}}}},
      {"columnKind", "unicodeCodePoints"},
      {"invocations", json::Array{json::Object{{"executionSuccessful", Trouble.empty()}, {"toolExecutionNotifications", std::move(Trouble)}}}},
      {"results", std::move(Results)}};
  OS << llvm::formatv("{0:2}\n", json::Value(json::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                                           {"version", "2.1.0"},
                                                           {"runs", json::Array{std::move(Run)}}}));
}

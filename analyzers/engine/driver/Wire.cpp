#include "analyzers/engine/driver/Wire.h"

using namespace kcheck;
namespace json = llvm::json;

/// Source text may hold any bytes; JSON holds UTF-8 only.
static std::string clean(llvm::StringRef S) { return json::isUTF8(S) ? S.str() : json::fixUTF8(S); }

static json::Value strings(const std::vector<std::string> &List) {
  json::Array A;
  for (const std::string &S : List)
    A.push_back(clean(S));
  return A;
}
static json::Value place(const Location &L) { return json::Array{clean(L.File), L.Line, L.Column}; }

static json::Value finding(const Finding &F) {
  json::Array Notes, Fixes;
  for (const FindingNote &N : F.Notes)
    Notes.push_back(json::Object{{"where", place(N.Where)}, {"message", clean(N.Message)}});
  for (const Fix &X : F.Fixes) {
    json::Array Edits;
    for (const Edit &E : X.Edits)
      Edits.push_back(json::Array{clean(E.File), E.Offset, E.Length, clean(E.Text)});
    Fixes.push_back(json::Object{{"description", clean(X.Description)}, {"edits", std::move(Edits)}});
  }
  return json::Object{{"rule", F.Rule}, {"tag", F.Tag}, {"cmpd", F.Cmpd}, {"level", int(F.Level)}, {"sure", int(F.Sure)},
                      {"where", place(F.Where)}, {"message", clean(F.Message)}, {"kernel", clean(F.Kernel)}, {"notes", std::move(Notes)},
                      {"evidence", json::Object(F.Evidence)}, {"fixes", std::move(Fixes)}, {"defer", F.Defer}, {"suppressed", F.Suppressed},
                      {"suppressed_by", clean(F.SuppressedBy)}};
}

json::Value kcheck::toWire(const LintResult &R) {
  json::Array Findings, Kernels, Passed;
  for (const Finding &F : R.Findings)
    Findings.push_back(finding(F));
  for (const KernelSummary &K : R.Kernels) {
    json::Array Launches;
    for (const LaunchSummary &L : K.Launches)
      Launches.push_back(json::Array{L.Line, clean(L.Grid), clean(L.Block), clean(L.SharedBytes)});
    Kernels.push_back(json::Object{{"name", clean(K.Name)}, {"line", K.Line}, {"shared", K.UsesShared}, {"launches", std::move(Launches)}});
  }
  for (const PassedCheck &P : R.Passed)
    Passed.push_back(json::Array{P.Rule, clean(P.Text)});
  return json::Object{{"file", clean(R.File)}, {"findings", std::move(Findings)}, {"kernels", std::move(Kernels)}, {"passed", std::move(Passed)},
                      {"ms", R.ElapsedMs}, {"error", clean(R.Error)}, {"notes", strings(R.Notes)}, {"missing", strings(R.MissingHeaders)},
                      {"arch", R.Arch}, {"cuda", R.CudaVersion}, {"toolkit", R.HasToolkit}, {"host", R.HostViewToo}};
}

//===- reading: written by this program, so shape errors only yield defaults ---===//

static std::string text(const json::Object &O, llvm::StringRef Key) { return O.getString(Key).value_or("").str(); }
static unsigned number(const json::Object &O, llvm::StringRef Key) { return unsigned(O.getInteger(Key).value_or(0)); }
static bool flag(const json::Object &O, llvm::StringRef Key) { return O.getBoolean(Key).value_or(false); }
static std::string textAt(const json::Array &A, size_t I) { return I < A.size() ? A[I].getAsString().value_or("").str() : ""; }
static unsigned numberAt(const json::Array &A, size_t I) { return I < A.size() ? unsigned(A[I].getAsInteger().value_or(0)) : 0; }

template <class Fn> static void each(const json::Object &O, llvm::StringRef Key, Fn Visit) {
  if (const json::Array *A = O.getArray(Key))
    for (const json::Value &V : *A)
      Visit(V);
}
static std::vector<std::string> list(const json::Object &O, llvm::StringRef Key) {
  std::vector<std::string> Out;
  each(O, Key, [&](const json::Value &V) { Out.push_back(V.getAsString().value_or("").str()); });
  return Out;
}
static Location where(const json::Object &O) {
  const json::Array *A = O.getArray("where");
  return A ? Location{textAt(*A, 0), numberAt(*A, 1), numberAt(*A, 2)} : Location();
}

static Finding readFinding(const json::Object &O) {
  Finding F;
  F.Rule = text(O, "rule");
  F.Tag = text(O, "tag");
  F.Cmpd = text(O, "cmpd");
  F.Level = Severity(number(O, "level"));
  F.Sure = Certainty(number(O, "sure"));
  F.Where = where(O);
  F.Message = text(O, "message");
  F.Kernel = text(O, "kernel");
  each(O, "notes", [&](const json::Value &V) {
    if (const json::Object *N = V.getAsObject())
      F.Notes.push_back({where(*N), text(*N, "message")});
  });
  if (const json::Object *E = O.getObject("evidence"))
    F.Evidence = *E;
  each(O, "fixes", [&](const json::Value &V) {
    const json::Object *X = V.getAsObject();
    if (!X)
      return;
    Fix Made{text(*X, "description"), {}};
    each(*X, "edits", [&](const json::Value &E) {
      if (const json::Array *A = E.getAsArray())
        Made.Edits.push_back({textAt(*A, 0), numberAt(*A, 1), numberAt(*A, 2), textAt(*A, 3)});
    });
    F.Fixes.push_back(std::move(Made));
  });
  F.Defer = flag(O, "defer");
  F.Suppressed = flag(O, "suppressed");
  F.SuppressedBy = text(O, "suppressed_by");
  return F;
}

std::optional<LintResult> kcheck::fromWire(llvm::StringRef Text) {
  auto V = json::parse(Text);
  if (!V) {
    llvm::consumeError(V.takeError());
    return std::nullopt;
  }
  const json::Object *O = V->getAsObject();
  if (!O)
    return std::nullopt;
  LintResult R;
  R.File = text(*O, "file");
  each(*O, "findings", [&](const json::Value &F) {
    if (const json::Object *X = F.getAsObject())
      R.Findings.push_back(readFinding(*X));
  });
  each(*O, "kernels", [&](const json::Value &E) {
    const json::Object *K = E.getAsObject();
    if (!K)
      return;
    KernelSummary S;
    S.Name = text(*K, "name");
    S.Line = number(*K, "line");
    S.UsesShared = flag(*K, "shared");
    each(*K, "launches", [&](const json::Value &L) {
      if (const json::Array *A = L.getAsArray())
        S.Launches.push_back({numberAt(*A, 0), textAt(*A, 1), textAt(*A, 2), textAt(*A, 3)});
    });
    R.Kernels.push_back(std::move(S));
  });
  each(*O, "passed", [&](const json::Value &E) {
    if (const json::Array *A = E.getAsArray())
      R.Passed.push_back({textAt(*A, 0), textAt(*A, 1)});
  });
  R.ElapsedMs = O->getNumber("ms").value_or(0);
  R.Error = text(*O, "error");
  R.Notes = list(*O, "notes");
  R.MissingHeaders = list(*O, "missing");
  R.Arch = text(*O, "arch");
  R.CudaVersion = number(*O, "cuda");
  R.HasToolkit = flag(*O, "toolkit");
  R.HostViewToo = flag(*O, "host");
  return R;
}

#include "analyzers/engine/suppress/Baseline.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
namespace json = llvm::json;

llvm::Expected<Baseline> Baseline::load(llvm::StringRef File) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "baseline report " + File + ": cannot read: " + Buffer.getError().message());
  llvm::Expected<json::Value> V = json::parse((*Buffer)->getBuffer());
  if (!V)
    return llvm::createStringError("baseline report " + File + ": not JSON: " + llvm::toString(V.takeError()));
  const json::Object *O = V->getAsObject();
  const json::Array *Results = O && O->getString("schema") == "kcheck.report/1" ? O->getArray("results") : nullptr;
  if (!Results)
    return llvm::createStringError("baseline report " + File + ": no report of kcheck; make one with --write-baseline-report");
  Baseline B;
  for (const json::Value &R : *Results) {
    const json::Object *One = R.getAsObject();
    const json::Object *Static = One ? One->getObject("static") : nullptr;
    const json::Array *Findings = Static ? Static->getArray("findings") : nullptr;
    if (!Findings || !One->getString("file"))
      continue;
    std::string Name = llvm::sys::path::filename(*One->getString("file")).str();
    for (const json::Value &F : *Findings)
      if (const json::Object *X = F.getAsObject())
        if (auto Print = X->getString("fingerprint"))
          ++B.Known[{Name, Print->str()}];
  }
  return B;
}

void Baseline::apply(FileReport &F) const {
  auto Left = Known; // each known finding excuses one
  std::string Name = llvm::sys::path::filename(F.File).str();
  std::vector<std::string> Prints = fingerprints(F);
  for (size_t I = 0; I < Prints.size(); ++I) {
    Finding &X = F.Static.Findings[I];
    auto It = Left.find({Name, Prints[I]});
    if (X.Suppressed || It == Left.end() || It->second == 0)
      continue;
    --It->second;
    X.Suppressed = true;
    X.SuppressedBy = "baseline";
  }
}

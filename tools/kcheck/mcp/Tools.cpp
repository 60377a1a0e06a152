#include "tools/kcheck/mcp/Tools.h"
#include "tools/kcheck/Explain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using namespace kcheck::cli;

const std::string cli::CandidateMembers = R"json(
  "file": {"type": "string", "minLength": 1, "maxLength": 4096,
           "description": "path of the .cu or .cuh file, or of a .py file with CUDA strings"},
  "source": {"type": "string", "maxLength": 8000000,
             "description": "the candidate's text, in place of what stands in the file; without 'file' it is taken for candidate.cu"},)json";

const std::string cli::FlagMembers = R"json(
  "arch": {"type": "string", "maxLength": 32, "description": "GPU architecture to read the code for, such as sm_90"},
  "args": {"type": "array", "maxItems": 200, "items": {"type": "string", "maxLength": 4096},
           "description": "more compiler flags, such as -Iinclude or -DN=4"})json";

mcp::Answer cli::failed(llvm::Error E) { return {true, llvm::toString(std::move(E))}; }
mcp::Answer cli::answer(llvm::json::Value V) { return {false, llvm::formatv("{0}", V).str()}; }

std::string cli::text(const llvm::json::Object &Arguments, llvm::StringRef Key) { return Arguments.getString(Key).value_or("").str(); }

llvm::Error cli::allowed(llvm::StringRef Path, const ToolLimits &L) {
  if (L.Roots.empty())
    return llvm::Error::success();
  llvm::SmallString<256> Real, Root;
  if (!llvm::sys::fs::real_path(Path, Real)) // what is not there is refused below, like what is elsewhere
    for (const std::string &R : L.Roots)
      if (!llvm::sys::fs::real_path(R, Root) && (Real == Root || Real.starts_with((Root + "/").str())))
        return llvm::Error::success();
  return llvm::createStringError(Path + ": not a file below the folders that this server may read (--root)");
}

llvm::Expected<LintInput> cli::candidate(const llvm::json::Object &Arguments, const ToolLimits &L, llvm::StringRef FileKey, llvm::StringRef SourceKey) {
  std::string File = text(Arguments, FileKey);
  if (auto Source = Arguments.getString(SourceKey))
    return LintInput{File.empty() ? "candidate.cu" : File, Source->str()};
  if (File.empty())
    return llvm::createStringError("neither '" + FileKey + "' nor '" + SourceKey + "' is given");
  if (llvm::Error E = allowed(File, L))
    return std::move(E);
  if (llvm::sys::fs::is_directory(File))
    return llvm::createStringError(File + ": a folder; name one file");
  auto Text = llvm::MemoryBuffer::getFile(File);
  if (!Text)
    return llvm::createStringError(File + ": cannot read: " + Text.getError().message());
  return LintInput{File, (*Text)->getBuffer().str()};
}

Context cli::contextOf(const llvm::json::Object &Arguments) {
  Context Ctx;
  if (const llvm::json::Array *Args = Arguments.getArray("args"))
    for (const llvm::json::Value &A : *Args)
      Ctx.AfterDashes.push_back(A.getAsString().value_or("").str());
  return Ctx;
}

mcp::Tool cli::makeTool(std::string Name, std::string Title, std::string Description, std::string Input, std::string Output,
                        std::function<llvm::Expected<llvm::json::Value>(const llvm::json::Object &, const mcp::Report &)> Run) {
  return {std::move(Name), std::move(Title), std::move(Description), std::move(Input), std::move(Output),
          [Run = std::move(Run)](const std::string &Arguments, const mcp::Report &Progress) -> mcp::Answer {
            auto Parsed = llvm::json::parse(Arguments);
            if (!Parsed)
              return failed(Parsed.takeError());
            const llvm::json::Object *O = Parsed->getAsObject();
            if (!O)
              return {true, "the arguments are no object"};
            auto V = Run(*O, Progress);
            return V ? answer(std::move(*V)) : failed(V.takeError());
          }};
}

mcp::Tool cli::explainTool() {
  return makeTool(
      "explain", "Explain a finding",
      "What a rule or a tag of a finding means, why it matters, with bad and good code. Use it on a tag that a report names, before editing.",
      R"json({"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
  "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "a rule (kcheck-sync), a tag (barrier_divergence) or a check (kcheck-sync-barrier-divergence)"}}})json",
      R"json({"type": "object", "required": ["schema", "name", "text"], "properties": {
  "schema": {"const": "kcheck.explain/1"}, "name": {"type": "string"}, "text": {"type": "string", "description": "Markdown"}}})json",
      [](const llvm::json::Object &Arguments, const mcp::Report &) -> llvm::Expected<llvm::json::Value> {
        auto Text = explain(text(Arguments, "name"));
        if (!Text)
          return Text.takeError();
        return llvm::json::Object{{"schema", "kcheck.explain/1"}, {"name", text(Arguments, "name")}, {"text", *Text}};
      });
}

std::vector<mcp::Tool> cli::allTools(const ToolLimits &L) {
  return {checkTool(L), lintTool(L), runTool(L), actionsTool(L), rewriteTool(L), guardTool(L), optimizeStepTool(L), explainTool()};
}

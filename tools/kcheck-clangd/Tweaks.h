//===- Tweaks.h - kcheck's actions among an editor's code actions ----------------===//
//
//   didOpen, didChange ─► the text as the editor has it
//   codeAction         ─► clangd's reply + what applies on these lines (found once for each version of the text)
//   executeCommand     ─► rewrite(): a checked text ─► workspace/applyEdit
//
// Works on the messages of the Language Server Protocol beside clangd, whose own tweaks need structures of clangd's that
// no package declares. An edit is made when it is chosen, not when it is offered: offering costs one parse a version.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_CLANGD_TWEAKS_H
#define KCHECK_TOOLS_KCHECK_CLANGD_TWEAKS_H

#include "actions/engine/Rewrite.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace kcheck {

/// The name of our command.
inline constexpr llvm::StringRef RewriteCommand = "kcheck.rewrite";

class Tweaks {
public:
  /// The compile command of a file, as the project gave it.
  void sawCommand(llvm::StringRef File, llvm::StringRef Directory, const std::vector<std::string> &Words);
  /// Notifications and requests from the editor: keeps the texts of CUDA files.
  void sawInput(const llvm::json::Object &Message);
  /// Columns count bytes (an extension of clangd's) instead of UTF-16 units.
  void countBytes(bool Yes) { Bytes = Yes; }

  /// Code actions for the lines of a request's range (from 0), after what it says it wants.
  llvm::json::Array offers(const llvm::json::Object &Params);
  /// The workspace edit of a chosen one, or why there is none.
  llvm::Expected<llvm::json::Object> apply(const llvm::json::Object &Arguments);

private:
  struct Document {
    std::string Text;
    std::optional<FileActions> Found; ///< of this text
  };
  struct Command {
    std::string Directory;
    std::vector<std::string> Words;
  };
  void change(Document &D, const llvm::json::Object &Change) const;
  size_t offset(llvm::StringRef Text, const llvm::json::Object *Position) const;
  ParseOptions options(llvm::StringRef File) const;
  const FileActions &found(llvm::StringRef Uri, Document &D);

  llvm::StringMap<Document> Open;    ///< by URI
  llvm::StringMap<Command> Commands; ///< by file
  bool Literals = false;             ///< the editor understands more than commands
  bool Bytes = false;
};

} // namespace kcheck
#endif

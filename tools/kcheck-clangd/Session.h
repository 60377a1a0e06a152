//===- Session.h - what an editor is told about kcheck's findings ---------------===//
//
//   editor ─► input ──────────────► clangd ─► output ─► editor
//              └ sawInput (hovers)             └ adjusted: links of kcheck-* go to nobody's web page,
//                                                a hover on a finding explains its rule, code actions from actions/
//
// Works on the messages of the Language Server Protocol, so that no structure of clangd's is touched.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_CLANGD_SESSION_H
#define KCHECK_TOOLS_KCHECK_CLANGD_SESSION_H

#include "tools/kcheck-clangd/Tweaks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kcheck {

class Session {
public:
  /// A message from the editor: remembers where it hovers, what it asks for, and the texts.
  void sawInput(llvm::StringRef Message);
  /// What is sent to the editor in place of a message of clangd's: that message, adjusted, behind those of our own.
  std::vector<std::string> toSend(llvm::StringRef Message);
  /// The compile command of a file, before it is adjusted.
  void sawCommand(llvm::StringRef File, llvm::StringRef Directory, const std::vector<std::string> &Words);

private:
  struct Place {
    int64_t Line = 0, Character = 0;
    bool operator<=(const Place &O) const { return std::tie(Line, Character) <= std::tie(O.Line, O.Character); }
  };
  struct Shown {
    Place Begin, End;
    std::string Check;
  };
  static Place place(const llvm::json::Object *O);
  bool adjustDiagnostics(llvm::json::Object &Params);
  bool explain(llvm::json::Object &Reply, llvm::StringRef Uri, Place At);

  bool adjustReply(llvm::json::Object &Reply, std::vector<std::string> &First);
  bool announce(llvm::json::Object &Reply);
  bool execute(llvm::json::Object &Reply, const llvm::json::Object &Arguments, std::vector<std::string> &First);

  std::mutex Lock;
  std::map<int64_t, std::pair<std::string, Place>> Hovers; ///< by request id
  std::map<int64_t, llvm::json::Object> Asked;             ///< codeAction requests: their parameters
  std::map<int64_t, llvm::json::Object> Chosen;            ///< executeCommand requests of ours: their argument
  std::optional<int64_t> Initialize;
  unsigned Sent = 0;
  Tweaks Actions;
  llvm::StringMap<std::vector<Shown>> Findings;            ///< by URI
};

/// A stream of "Content-Length" messages; calls Each with every complete one (headers removed).
class MessageStream : public llvm::raw_ostream {
public:
  explicit MessageStream(std::function<void(llvm::StringRef)> Each) : llvm::raw_ostream(/*unbuffered=*/true), Each(std::move(Each)) {}

private:
  void write_impl(const char *Ptr, size_t Size) override;
  uint64_t current_pos() const override { return Position; }

  std::function<void(llvm::StringRef)> Each;
  std::string Pending;
  uint64_t Position = 0;
};

} // namespace kcheck
#endif

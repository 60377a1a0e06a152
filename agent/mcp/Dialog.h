//===- Dialog.h - what the protocol asks for, and what it is answered -------------===//
//
//   line ─► request ──┬─► answered at once: initialize, server/discover, ping, tools/list, errors
//                     ├─► tools/call ─► Host::start … finish() ─► result
//                     └─► notifications/cancelled ─► Host::cancel
//
// Two eras live side by side. From 2026-07-28 on every request carries its protocol version in _meta and stands alone;
// before that a session opens with `initialize`, and one version holds for all that follows.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_MCP_DIALOG_H
#define KCHECK_AGENT_MCP_DIALOG_H

#include "agent/mcp/Message.h"
#include "agent/mcp/Tool.h"
#include <set>
#include <vector>

namespace kcheck::mcp {

struct ServerInfo {
  std::string Name, Title, Version, Instructions;
};

struct CallRequest {
  Json Id, ProgressToken; ///< a null token: no progress is wanted
  std::string Version;    ///< of the protocol
  const Tool *Wanted = nullptr;
  std::string Arguments;
};

/// Who sends messages and runs calls.
class Host {
public:
  virtual ~Host() = default;
  virtual void send(const Json &Message) = 0;
  virtual void start(CallRequest R) = 0;
  virtual void cancel(const Json &Id) = 0;
};

class Dialog {
public:
  Dialog(std::vector<Tool> Tools, ServerInfo Info, Host &H);
  void line(const std::string &Text, bool TooLong);
  /// A call that was started has ended.
  void finish(const CallRequest &R, const Answer &A);
  /// No more requests will come: open streams end.
  void close();

private:
  struct Request {
    Json Id, Params;
    std::string Method, Version;
    bool modern() const;
  };
  void message(const Json &M);
  void request(const Json &M);
  void notified(const Json &M);
  bool versionOf(Request &R);
  void initialize(const Request &R);
  void discover(const Request &R);
  void list(const Request &R);
  void call(const Request &R);
  void listen(const Request &R);
  void reply(const Request &R, Json Result);
  void refuse(const Json &Id, int Code, const std::string &Why, Json Data = nullptr);
  Json describe(const Tool &T, const std::string &Version) const;
  Json self(const std::string &Version) const;

  std::vector<Tool> Tools;
  std::vector<Json> Inputs; ///< schemas, beside Tools
  ServerInfo Info;
  Host &H;
  std::string Session;        ///< version that initialize agreed on; empty: none
  std::set<Json> Open;        ///< calls under way
  std::set<Json> Streams;     ///< subscriptions/listen
};

/// Of the revisions with and without a session, the newest first.
const std::vector<std::string> &sessionVersions();
const std::vector<std::string> &statelessVersions();

} // namespace kcheck::mcp
#endif

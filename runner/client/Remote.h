//===- Remote.h - jobs to a kcheck-gpu server ----------------------------------------===//
//
//   jobs ─► one POST, a job a line ─► kcheck-gpu serve ─► a result a line
//
// What goes wrong on the way is Failure::NoWorker with a line that says what to do about it. The token and certificates come
// from the environment: KCHECK_GPU_TOKEN or KCHECK_GPU_TOKEN_FILE, KCHECK_GPU_CA. Nothing is sent in the clear but to
// this machine itself.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_REMOTE_H
#define KCHECK_CLIENT_REMOTE_H

#include "runner/client/Http.h"
#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"

namespace kcheck::client {

struct RemoteOptions {
  std::string Url; ///< "https://host:port", "http://127.0.0.1:port"
  std::string Token, CaFile;
  RetryPolicy Retries;
};

/// Options of a URL with what the environment adds; nothing and a reason where it cannot be used.
bool remoteOptions(const std::string &Url, RemoteOptions &Out, std::string &Why);

struct RemoteDevice {
  int Index = 0;
  std::string Name, Arch;
};

class Remote {
public:
  explicit Remote(RemoteOptions O) : O(std::move(O)) {}
  /// The server's devices; nothing and a reason where nobody answers, the token is wrong, or it is no such server.
  bool devices(std::vector<RemoteDevice> &Out, std::string &Why);
  /// Answers all jobs, or with StopAtFault the first ones up to the one that ended it. Device: its number there, -1 for any.
  std::vector<protocol::Result> run(const std::vector<protocol::Job> &Jobs, bool StopAtFault, int Device = -1, std::function<bool()> Cancelled = nullptr);
  const std::string &url() const { return O.Url; }

private:
  HttpResponse ask(HttpRequest R);
  std::string explain(const HttpResponse &A) const;
  RemoteOptions O;
  HttpClient Http;
};

} // namespace kcheck::client
#endif

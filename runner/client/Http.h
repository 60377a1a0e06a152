//===- Http.h - one HTTP request --------------------------------------------------===//
//
//   HttpRequest ─► HttpClient::send ─► libcurl, opened on first use ─► HttpResponse
//                        └─ sendWithRetries: again after a refused connection, 429, 502, 503, 504
//
// Only http and https, no redirects (a token must not follow them), certificates are checked. libcurl is no load-time
// dependency: a program that never talks to a remote starts without it.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_HTTP_H
#define KCHECK_CLIENT_HTTP_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcheck::client {

struct HttpRequest {
  std::string Method = "GET"; ///< with a body usually POST
  std::string Url, Body;
  std::vector<std::string> Headers; ///< "Name: value"
  std::string Token;                ///< sent as "Authorization: Bearer …"; empty: none
  std::string CaFile;               ///< certificates to trust instead of the system's; empty: the system's
  double ConnectSeconds = 10;
  double Seconds = 120;         ///< of one try, all of it
  uint64_t MostBytes = 1u << 30; ///< of the answer's body
  /// Gets the body as it comes, instead of HttpResponse::Body; false ends the request as Cancelled. Only of answers with status 200.
  std::function<bool(std::string_view)> OnData;
  /// Asked a few times a second; true ends the request as Cancelled.
  std::function<bool()> Cancelled;
};

struct HttpResponse {
  enum class Outcome {
    Answered,     ///< Status says how
    NoLibrary,    ///< libcurl is not installed
    BadUrl,
    NoConnection, ///< nobody there: name, address, port
    Certificate,
    TimedOut,
    Cancelled,
    TooLarge,     ///< more than MostBytes
    Broken        ///< the connection ended amid the exchange
  } How = Outcome::NoConnection;
  int Status = 0;
  std::string Body;
  std::map<std::string, std::string> Headers; ///< names in lower case
  std::string Why; ///< for people, one line; empty for a status below 400
  double Seconds = 0;
  unsigned Tries = 1;
  bool ok() const { return How == Outcome::Answered && Status >= 200 && Status < 300; }
};

struct RetryPolicy {
  unsigned Tries = 4;
  bool ServerErrors = false; ///< again after any 5xx, not only those of a gateway
  double FirstSeconds = 0.25, MostSeconds = 10; ///< the wait doubles; a Retry-After of the server counts instead, up to MostSeconds
};

/// Keeps its connection from request to request. One request at a time.
class HttpClient {
public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient &) = delete;
  HttpClient &operator=(const HttpClient &) = delete;
  /// Never throws.
  HttpResponse send(const HttpRequest &R);
  /// For requests that may be sent twice. What streamed through OnData is not asked for again.
  HttpResponse sendWithRetries(const HttpRequest &R, const RetryPolicy &P = {});

private:
  void *Handle = nullptr;
};

/// The parts of an http(s) URL.
struct Url {
  std::string Scheme, Host; ///< lower case; Host of an IPv6 address without brackets
  unsigned Port = 0;        ///< the scheme's where none is given
  std::string Path;         ///< with its slash; empty: none
  bool loopback() const;    ///< localhost, 127.x.y.z, ::1
};
/// Nothing, and why, where it is no http(s) URL.
bool parseUrl(std::string_view Text, Url &Out, std::string &Why);

} // namespace kcheck::client
#endif

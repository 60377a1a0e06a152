//===- Server.h - jobs over HTTP ----------------------------------------------------===//
//
//   GET  /health    what this server is and which devices it has (devices only with the token, where one is set)
//   GET  /metrics   counters in Prometheus' text form
//   POST /v1/jobs[?stop_at_fault=1][&device=N]   one job a line; one result a line comes back as it is there, blank lines
//                                                between them say that the server lives; {"error": …} ends it early
//
// Plain HTTP is for loopback addresses only. Any other address needs a certificate and a token. What a job may ask for is
// bounded here, not by the client.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_SERVE_SERVER_H
#define KCHECK_GPU_SERVE_SERVER_H

#include "runner/gpu/Supervisor.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kcheck::gpu {

struct ServeOptions {
  std::string Host = "127.0.0.1";
  int Port = 8471;           ///< 0: a free one
  std::vector<int> Devices;  ///< none: server without a device, it says so
  std::string DeviceText;    ///< JSON of the probe, for /health
  std::string Worker;        ///< program that answers jobs
  Confinement Within;        ///< what it is held to …
  std::string Confined;      ///< … in a few words, for /health
  std::string Token;         ///< empty: none is asked for
  std::string Certificate, Key; ///< PEM files; both or neither
  uint64_t BodyBytes = 256ull << 20;
  unsigned Queue = 16;       ///< requests that wait; one more is refused with 429
  double RequestSeconds = 900; ///< of one request, once it has a device
  double JobSeconds = 60, CompileSeconds = 60; ///< the most that a job may ask for
  uint64_t MemoryMb = 16384;
  unsigned JobsPerRequest = 4096;
};

/// Why a server like this must not be started; empty: it may.
std::string refusal(const ServeOptions &O);
/// Whether only this machine reaches the address.
bool isLoopback(const std::string &Host);
/// The job within the server's limits and without a path of the server's; nothing and a reason where it is none.
bool boundJob(const std::string &Line, const ServeOptions &O, std::string &Out, std::string &Why);

/// Serves until SIGTERM or SIGINT. Prints the address in use to stdout once it listens. Exit status.
int serve(const ServeOptions &O);

} // namespace kcheck::gpu
#endif

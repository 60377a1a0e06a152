#include "runner/gpu/serve/Server.h"
#include "runner/gpu/serve/DevicePool.h"
#include "runner/protocol/Job.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

using namespace kcheck;
using namespace kcheck::gpu;
using nlohmann::json;
using Steady = std::chrono::steady_clock;

bool gpu::isLoopback(const std::string &Host) {
  return Host == "localhost" || Host == "::1" || (Host.starts_with("127.") && Host.find_first_not_of("0123456789.") == Host.npos);
}

std::string gpu::refusal(const ServeOptions &O) {
  if (O.Certificate.empty() != O.Key.empty())
    return "--cert and --key go together";
  if (isLoopback(O.Host))
    return "";
  std::string Missing = O.Certificate.empty() ? "a certificate (--cert, --key)" : "";
  if (O.Token.empty())
    Missing += std::string(Missing.empty() ? "" : " and ") + "a token (--token-file)";
  return Missing.empty() ? "" : "to listen on " + O.Host + ", which others reach, needs " + Missing + "; or listen on 127.0.0.1";
}

bool gpu::boundJob(const std::string &Line, const ServeOptions &O, std::string &Out, std::string &Why) {
  auto J = protocol::parseJob(Line, Why);
  if (!J)
    return false;
  if (!J->Source.CallText.empty()) {
    Why = "this server runs no host code of candidates";
    return false;
  }
  J->OutputFile.clear(); // a path of this machine
  J->Limits.Seconds = std::clamp(J->Limits.Seconds, 0.001, O.JobSeconds);
  J->Limits.CompileSeconds = std::clamp(J->Limits.CompileSeconds, 0.001, O.CompileSeconds);
  J->Limits.MemoryMb = std::min(J->Limits.MemoryMb, O.MemoryMb);
  if (J->Perf)
    J->Perf->Runs = std::min(J->Perf->Runs, 1000u);
  Out = protocol::toJson(*J);
  return true;
}

namespace {

/// Takes the same time for every wrong token of one length.
bool sameSecret(const std::string &A, const std::string &B) {
  unsigned char Differ = A.size() != B.size();
  for (size_t I = 0; I < A.size() && !B.empty(); ++I)
    Differ |= static_cast<unsigned char>(A[I] ^ B[I % B.size()]);
  return !Differ;
}

struct Counters {
  std::atomic<uint64_t> Requests{0}, Unauthorized{0}, TooLarge{0}, Busy{0}, Jobs{0}, Failed{0}, Cancelled{0}, BytesIn{0}, BytesOut{0}, Milliseconds{0};
};

std::atomic<bool> StopAsked = false;
void askStop(int) { StopAsked = true; }

class JobServer {
public:
  explicit JobServer(const ServeOptions &O) : O(O), Pool(O.Devices, O.Worker, O.Queue, O.Within) {
    if (O.Certificate.empty())
      S = std::make_unique<httplib::Server>();
    else
      S = std::make_unique<httplib::SSLServer>(O.Certificate.c_str(), O.Key.c_str());
  }

  int run() {
    if (!S->is_valid()) {
      fprintf(stderr, "kcheck-gpu serve: the certificate %s or its key %s cannot be used\n", O.Certificate.c_str(), O.Key.c_str());
      return 2;
    }
    configure();
    int Port = O.Port ? (S->bind_to_port(O.Host, O.Port) ? O.Port : -1) : S->bind_to_any_port(O.Host);
    if (Port < 0) {
      fprintf(stderr, "kcheck-gpu serve: cannot listen on %s port %d\n", O.Host.c_str(), O.Port);
      return 2;
    }
    bool V6 = O.Host.find(':') != O.Host.npos;
    printf("kcheck-gpu serves %zu device%s at %s://%s%s%s:%d%s\n", O.Devices.size(), O.Devices.size() == 1 ? "" : "s", O.Certificate.empty() ? "http" : "https",
           V6 ? "[" : "", O.Host.c_str(), V6 ? "]" : "", Port, O.Token.empty() ? ", no token asked" : "");
    fflush(stdout);
    std::signal(SIGTERM, askStop);
    std::signal(SIGINT, askStop);
    std::thread Stopper([this] {
      while (!StopAsked && !Ended)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      S->stop();
    });
    bool Fine = S->listen_after_bind();
    Ended = true;
    Stopper.join();
    return Fine || StopAsked ? 0 : 1;
  }

private:
  void configure() {
    size_t Threads = O.Devices.size() + O.Queue + 8;
    S->new_task_queue = [Threads] { return new httplib::ThreadPool(Threads); };
    S->set_payload_max_length(O.BodyBytes);
    S->set_read_timeout(30);
    S->set_write_timeout(30);
    S->set_pre_routing_handler([this](const httplib::Request &R, httplib::Response &A) { return admit(R, A); });
    S->set_error_handler([this](const httplib::Request &, httplib::Response &A) { explain(A); });
    S->set_exception_handler([](const httplib::Request &, httplib::Response &A, std::exception_ptr) {
      A.status = 500;
      A.set_content("the server failed\n", "text/plain");
    });
    S->Get("/health", [this](const httplib::Request &R, httplib::Response &A) { A.set_content(health(R).dump(1) + "\n", "application/json"); });
    S->Get("/metrics", [this](const httplib::Request &, httplib::Response &A) { A.set_content(metrics(), "text/plain; version=0.0.4"); });
    S->Post("/v1/jobs", [this](const httplib::Request &R, httplib::Response &A) { jobs(R, A); });
  }

  bool hasToken(const httplib::Request &R) const {
    std::string Given = R.get_header_value("Authorization");
    return Given.starts_with("Bearer ") && sameSecret(Given.substr(7), O.Token);
  }

  /// Before a body is read.
  httplib::Server::HandlerResponse admit(const httplib::Request &R, httplib::Response &A) {
    ++N.Requests;
    bool Open = R.path == "/health" && !R.has_header("Authorization");
    bool Known = O.Token.empty() || Open || hasToken(R);
    if (Known && !R.has_header("Content-Encoding"))
      return httplib::Server::HandlerResponse::Unhandled;
    A.set_header("Connection", "close"); // its body was not read
    if (Known) {
      refuse(A, 415, "compressed bodies are not taken");
      return httplib::Server::HandlerResponse::Handled;
    }
    ++N.Unauthorized;
    A.set_header("WWW-Authenticate", "Bearer");
    refuse(A, 401, R.has_header("Authorization") ? "the token is wrong" : "a token is needed (Authorization: Bearer ...)");
    return httplib::Server::HandlerResponse::Handled;
  }

  void explain(httplib::Response &A) {
    if (A.status == 413) {
      ++N.TooLarge;
      A.set_content("the body is larger than " + std::to_string(O.BodyBytes >> 20) + " MB, the limit here\n", "text/plain");
    } else if (A.status == 404 && A.body.empty()) {
      A.set_content("no such path; there are /health, /metrics and /v1/jobs\n", "text/plain");
    }
  }

  json health(const httplib::Request &R) const {
    json J{{"schema", "kcheck.health/1"}, {"program", "kcheck-gpu " KCHECK_VERSION}, {"status", O.Devices.empty() ? "no_device" : "ok"}};
    if (!O.Token.empty() && !hasToken(R))
      return J;
    json Probe = json::parse(O.DeviceText, nullptr, false);
    if (Probe.is_object() && Probe.contains("driver"))
      J["driver"] = Probe["driver"];
    J["devices"] = json::array();
    for (const DevicePool::State &D : Pool.states()) {
      json One{{"index", D.Device}, {"busy", D.Busy}};
      if (Probe.is_object())
        for (const json &P : Probe.value("devices", json::array()))
          if (P.value("index", -1) == D.Device)
            for (const char *Key : {"name", "arch", "memory_mb"})
              if (P.contains(Key))
                One[Key] = P[Key];
      J["devices"].push_back(std::move(One));
    }
    J["waiting"] = Pool.waiting();
    J["workers"] = O.Confined;
    J["limits"] = {{"body_bytes", O.BodyBytes}, {"queue", O.Queue},          {"request_seconds", O.RequestSeconds},
                   {"job_seconds", O.JobSeconds}, {"compile_seconds", O.CompileSeconds}, {"memory_mb", O.MemoryMb}};
    return J;
  }

  std::string metrics() const {
    std::ostringstream T;
    auto one = [&](const char *Name, const char *Kind, const char *Help, double Value) {
      T << "# HELP kcheck_" << Name << " " << Help << "\n# TYPE kcheck_" << Name << " " << Kind << "\nkcheck_" << Name << " " << Value << "\n";
    };
    T.precision(15);
    one("requests_total", "counter", "requests of any kind", double(N.Requests));
    one("unauthorized_total", "counter", "requests without the right token", double(N.Unauthorized));
    one("too_large_total", "counter", "requests with too large a body", double(N.TooLarge));
    one("queue_full_total", "counter", "requests refused because the queue was full", double(N.Busy));
    one("cancelled_total", "counter", "requests whose client went away", double(N.Cancelled));
    one("jobs_total", "counter", "jobs answered", double(N.Jobs));
    one("jobs_failed_total", "counter", "jobs that ended in a failure", double(N.Failed));
    one("job_seconds_total", "counter", "time that jobs took", double(N.Milliseconds) / 1000);
    one("received_bytes_total", "counter", "bytes of jobs", double(N.BytesIn));
    one("sent_bytes_total", "counter", "bytes of results", double(N.BytesOut));
    one("waiting", "gauge", "requests that wait for a device", Pool.waiting());
    T << "# HELP kcheck_device_busy whether a device serves a request\n# TYPE kcheck_device_busy gauge\n";
    for (const DevicePool::State &D : Pool.states())
      T << "kcheck_device_busy{device=\"" << D.Device << "\"} " << D.Busy << "\n";
    T << "# HELP kcheck_workers_replaced_total worker processes lost to faults and hangs\n# TYPE kcheck_workers_replaced_total counter\n";
    for (const DevicePool::State &D : Pool.states())
      T << "kcheck_workers_replaced_total{device=\"" << D.Device << "\"} " << D.Replaced << "\n";
    return T.str();
  }

  static void refuse(httplib::Response &A, int Status, const std::string &Why) {
    A.status = Status;
    A.set_content(Why + "\n", "text/plain");
  }

  /// One request on its way.
  struct Work {
    std::vector<std::string> Lines;
    size_t Next = 0;
    bool StopAtFault = false;
    DevicePool::Lease Lease;
    Steady::time_point Until;
  };

  void jobs(const httplib::Request &R, httplib::Response &A) {
    if (O.Devices.empty())
      return refuse(A, 503, "this server has no device" + (whyNone().empty() ? "" : ": " + whyNone()));
    auto W = std::make_shared<Work>();
    W->StopAtFault = R.has_param("stop_at_fault") && R.get_param_value("stop_at_fault") == "1";
    int Wanted = -1;
    if (R.has_param("device")) {
      std::string Text = R.get_param_value("device");
      if (Text.empty() || Text.size() > 4 || Text.find_first_not_of("0123456789") != Text.npos)
        return refuse(A, 400, "device is a number");
      Wanted = std::stoi(Text);
    }
    std::istringstream Lines(R.body);
    for (std::string Line; std::getline(Lines, Line);)
      if (Line.find_first_not_of(" \t\r") != Line.npos)
        W->Lines.push_back(std::move(Line));
    if (W->Lines.empty())
      return refuse(A, 400, "no job in the body: one a line is wanted");
    if (W->Lines.size() > O.JobsPerRequest)
      return refuse(A, 413, "more than " + std::to_string(O.JobsPerRequest) + " jobs in one request");
    N.BytesIn += R.body.size();
    switch (Pool.take(Wanted, [] { return StopAsked.load(); }, W->Lease)) {
    case DevicePool::Answer::NoSuchDevice: return refuse(A, 404, "no device " + std::to_string(Wanted) + " here");
    case DevicePool::Answer::Cancelled: return refuse(A, 503, "the server is being stopped");
    case DevicePool::Answer::QueueFull:
      ++N.Busy;
      A.set_header("Retry-After", "2");
      return refuse(A, 429, "all devices are busy and " + std::to_string(O.Queue) + " requests wait already");
    case DevicePool::Answer::Taken: break;
    }
    W->Until = Steady::now() + std::chrono::milliseconds(int64_t(O.RequestSeconds * 1000));
    std::string Bound, Why;
    for (size_t I = 1; I < W->Lines.size(); ++I)
      if (boundJob(W->Lines[I], O, Bound, Why))
        W->Lease.worker().expect(Bound);
    A.set_chunked_content_provider("application/x-ndjson", [this, W](size_t, httplib::DataSink &Sink) { return answerNext(*W, Sink); });
  }

  std::string whyNone() const {
    json Probe = json::parse(O.DeviceText, nullptr, false);
    return Probe.is_object() && Probe.contains("driver") ? Probe["driver"].value("why", "") : "";
  }

  /// Answers the next job of a request. A blank line now and then finds out whether anybody still listens.
  bool answerNext(Work &W, httplib::DataSink &Sink) {
    auto say = [&](const std::string &Text) {
      N.BytesOut += Text.size();
      return Sink.write(Text.data(), Text.size());
    };
    if (W.Next == W.Lines.size()) {
      W.Lease = {};
      Sink.done();
      return true;
    }
    bool Gone = false, Late = false;
    auto Beat = Steady::now() + std::chrono::seconds(2);
    Cancel Cancelled = [&] {
      auto Now = Steady::now();
      Late = Now > W.Until || StopAsked;
      if (Now > Beat) {
        Beat = Now + std::chrono::seconds(2);
        Gone = Gone || !Sink.is_writable() || !Sink.write("\n", 1);
      }
      return Gone || Late;
    };
    std::string Job, Why, Answer;
    auto T0 = Steady::now();
    const std::string &Line = W.Lines[W.Next++];
    Answer = W.Lease.worker().answer(boundJob(Line, O, Job, Why) ? Job : Line, Cancelled);
    N.Milliseconds += uint64_t(std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - T0).count());
    if (Gone) {
      ++N.Cancelled;
      W.Lease = {};
      return false;
    }
    if (Late) {
      std::string Text = StopAsked ? "the server is being stopped" : "the request took longer than " + std::to_string(int(O.RequestSeconds)) + " s, the limit here";
      say(json{{"error", Text}}.dump() + "\n");
      W.Next = W.Lines.size();
      return true;
    }
    ++N.Jobs;
    auto R = protocol::parseResult(Answer, Why);
    bool Failed = !R || R->State != protocol::State::Ok;
    N.Failed += Failed;
    if (W.StopAtFault && (Failed || std::any_of(R->Findings.begin(), R->Findings.end(), [](const protocol::Finding &F) { return F.Sure; })))
      W.Next = W.Lines.size();
    if (say(Answer + "\n"))
      return true;
    ++N.Cancelled;
    W.Lease = {};
    return false;
  }

  const ServeOptions &O;
  DevicePool Pool;
  Counters N;
  std::unique_ptr<httplib::Server> S;
  std::atomic<bool> Ended = false;
};

} // namespace

int gpu::serve(const ServeOptions &O) { return JobServer(O).run(); }

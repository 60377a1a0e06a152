#include "runner/client/Remote.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace kcheck;
using namespace kcheck::client;
using nlohmann::json;
using Outcome = HttpResponse::Outcome;

static std::string environment(const char *Name) {
  const char *V = getenv(Name);
  return V ? V : "";
}

bool client::remoteOptions(const std::string &Text, RemoteOptions &Out, std::string &Why) {
  Url U;
  if (!parseUrl(Text, U, Why))
    return false;
  if (U.Path.size() > 1) {
    Why = "a path is not wanted: http(s)://host:port";
    return false;
  }
  if (U.Scheme == "http" && !U.loopback()) {
    Why = "plain http would send code and token in the clear; it is for this machine only, others are asked by https";
    return false;
  }
  Out.Url = Text;
  while (Out.Url.ends_with("/"))
    Out.Url.pop_back();
  Out.Token = environment("KCHECK_GPU_TOKEN");
  Out.CaFile = environment("KCHECK_GPU_CA");
  if (std::string File = environment("KCHECK_GPU_TOKEN_FILE"); Out.Token.empty() && !File.empty()) {
    std::ifstream In(File);
    if (!std::getline(In, Out.Token)) {
      Why = "the token file " + File + " cannot be read";
      return false;
    }
    Out.Token.erase(Out.Token.find_last_not_of(" \t\r") + 1);
  }
  return true;
}

HttpResponse Remote::ask(HttpRequest R) {
  R.Url = O.Url + R.Url;
  R.Token = O.Token;
  R.CaFile = O.CaFile;
  return Http.sendWithRetries(R, O.Retries);
}

std::string Remote::explain(const HttpResponse &A) const {
  switch (A.How) {
  case Outcome::Answered: break;
  case Outcome::NoLibrary:
  case Outcome::BadUrl: return A.Why;
  case Outcome::NoConnection: return "nobody answers at " + O.Url + ": " + A.Why + " (tried " + std::to_string(A.Tries) + " times)";
  case Outcome::Certificate: return "the certificate of " + O.Url + " is not trusted: " + A.Why + " (KCHECK_GPU_CA names a file with one that is)";
  case Outcome::TimedOut: return O.Url + " gave no answer in time: " + A.Why;
  case Outcome::Cancelled: return "cancelled";
  case Outcome::TooLarge:
  case Outcome::Broken: return "the connection to " + O.Url + " failed: " + A.Why;
  }
  std::string Said = A.Why.substr(0, 300);
  switch (A.Status) {
  case 401: return O.Url + " refuses the token (KCHECK_GPU_TOKEN or KCHECK_GPU_TOKEN_FILE): " + Said;
  case 413: return "the jobs are larger than " + O.Url + " takes: " + Said;
  case 429: return O.Url + " is busy, tried " + std::to_string(A.Tries) + " times: " + Said;
  case 200: return O.Url + " is no kcheck-gpu server: its answer makes no sense";
  default: return O.Url + ": " + Said;
  }
}

bool Remote::devices(std::vector<RemoteDevice> &Out, std::string &Why) {
  HttpRequest R;
  R.Url = "/health";
  R.Seconds = 20;
  R.MostBytes = 1 << 20;
  HttpResponse A = ask(R);
  json J = A.ok() ? json::parse(A.Body, nullptr, false) : json();
  if (!J.is_object() || J.value("schema", "") != "kcheck.health/1") {
    Why = explain(A);
    return false;
  }
  if (!J.contains("devices")) {
    Why = O.Url + " asks for a token (KCHECK_GPU_TOKEN or KCHECK_GPU_TOKEN_FILE)";
    return false;
  }
  for (const json &D : J["devices"])
    Out.push_back({D.value("index", 0), D.value("name", ""), D.value("arch", "")});
  if (!Out.empty())
    return true;
  Why = O.Url + " has no GPU" + (J.contains("driver") && J["driver"].contains("why") ? ": " + J["driver"].value("why", "") : "");
  return false;
}

static protocol::Result noWorker(const protocol::Job &J, std::string Why) {
  protocol::Result R;
  R.Id = J.Id;
  R.State = protocol::State::Failed;
  R.Failure = protocol::Failure::NoWorker;
  R.Message = std::move(Why);
  return R;
}

std::vector<protocol::Result> Remote::run(const std::vector<protocol::Job> &Jobs, bool StopAtFault, int Device, std::function<bool()> Cancelled) {
  std::vector<protocol::Result> Answers;
  if (Jobs.empty())
    return Answers;
  HttpRequest R;
  R.Method = "POST";
  R.Url = std::string("/v1/jobs?stop_at_fault=") + (StopAtFault ? "1" : "0") + (Device < 0 ? "" : "&device=" + std::to_string(Device));
  R.Headers = {"Content-Type: application/x-ndjson"};
  R.Seconds = 1800; // the server has its own limit; blank lines tell that it lives
  R.MostBytes = 4ull << 30;
  R.Cancelled = std::move(Cancelled);
  for (const protocol::Job &J : Jobs)
    R.Body += protocol::toJson(J) + "\n";
  HttpResponse A = ask(std::move(R));
  if (!A.ok()) {
    Answers.push_back(noWorker(Jobs.front(), explain(A)));
    return Answers;
  }
  std::istringstream Lines(A.Body);
  bool Ended = false; // by the job that was answered last
  std::string Why = "the server ended its answer early";
  for (std::string Line; Answers.size() < Jobs.size() && std::getline(Lines, Line);) {
    if (Line.empty())
      continue;
    std::string Error;
    auto One = protocol::parseResult(Line, Error);
    if (!One) {
      json J = json::parse(Line, nullptr, false);
      Why = J.is_object() && J.contains("error") && J["error"].is_string() ? O.Url + ": " + J["error"].get<std::string>() : O.Url + " gave an answer that makes no sense: " + Error;
      break;
    }
    Ended = StopAtFault && (One->State != protocol::State::Ok ||
                            std::any_of(One->Findings.begin(), One->Findings.end(), [](const protocol::Finding &F) { return F.Sure; }));
    Answers.push_back(std::move(*One));
  }
  if (Answers.size() < Jobs.size() && !Ended)
    Answers.push_back(noWorker(Jobs[Answers.size()], Why));
  return Answers;
}

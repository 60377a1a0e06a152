// kcheck-gpu-serve: what `kcheck-gpu serve` becomes. Jobs over HTTP(S), for kcheck --device URL.
#include "runner/client/GpuSandbox.h"
#include "runner/gpu/Process.h"
#include "runner/gpu/serve/Server.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

using namespace kcheck::gpu;

namespace {

constexpr char Usage[] =
    "usage: kcheck-gpu serve [options]        answers jobs of kcheck --device URL, until SIGTERM\n"
    "  --listen HOST:PORT     where to listen, 127.0.0.1:8471 by default; port 0 takes a free one and says which\n"
    "  --devices all|0,1,...  GPUs to use, all by default; one request a device at a time, several devices at once\n"
    "  --token-file FILE      clients must send the token in it (else: KCHECK_GPU_TOKEN in the environment)\n"
    "  --cert FILE --key FILE PEM files: HTTPS instead of HTTP\n"
    "  --max-body MB          largest request (256)\n"
    "  --queue N              requests that may wait for a device (16); more are told to come back\n"
    "  --max-seconds S        longest request, once it has a device (900)\n"
    "  --job-seconds S        longest launch sequence that a job may ask for (60)\n"
    "  --job-memory MB        most device memory that a job may ask for (16384)\n"
    "  --worker PROGRAM       answers the jobs, instead of kcheck-gpu beside this program\n"
    "An address that others reach needs both a token and a certificate.\n";

int complain(const std::string &Text) {
  fprintf(stderr, "kcheck-gpu serve: %s\n", Text.c_str());
  return 2;
}

/// A whole number from Low up; false where Text is none.
template <class T> bool number(const std::string &Text, uint64_t Low, uint64_t High, T &Out) {
  if (Text.empty() || Text.size() > 9 || Text.find_first_not_of("0123456789") != Text.npos)
    return false;
  uint64_t N = std::stoull(Text);
  Out = T(N);
  return N >= Low && N <= High;
}

bool address(const std::string &Text, ServeOptions &O) {
  size_t Colon = Text.rfind(':');
  if (Colon == Text.npos || !number(Text.substr(Colon + 1), 0, 65535, O.Port))
    return false;
  O.Host = Text.substr(0, Colon);
  if (O.Host.size() > 2 && O.Host.front() == '[' && O.Host.back() == ']')
    O.Host = O.Host.substr(1, O.Host.size() - 2);
  return !O.Host.empty();
}

bool tokenFrom(const std::string &File, std::string &Token, std::string &Why) {
  bool Ok = false;
  Token = readWhole(File, Ok);
  while (!Token.empty() && (Token.back() == '\n' || Token.back() == '\r' || Token.back() == ' '))
    Token.pop_back();
  Why = !Ok ? File + ": cannot be read" : Token.size() < 16 ? File + ": a token has at least 16 characters" : "";
  return Why.empty();
}

struct Words {
  std::string Devices = "all", TokenFile;
};

/// Reads the command line; false and a reason.
bool read(int Argc, char **Argv, ServeOptions &O, Words &W, std::string &Why) {
  for (int I = 1; I < Argc; I += 2) {
    std::string A = Argv[I], V = I + 1 < Argc ? Argv[I + 1] : "";
    unsigned Seconds = 0, Mb = 0;
    bool Good = I + 1 < Argc, Known = true;
    if (A == "--listen")
      Good = Good && address(V, O);
    else if (A == "--devices")
      W.Devices = V;
    else if (A == "--token-file")
      W.TokenFile = V;
    else if (A == "--cert")
      O.Certificate = V;
    else if (A == "--key")
      O.Key = V;
    else if (A == "--worker")
      O.Worker = V;
    else if (A == "--max-body") {
      Good = Good && number(V, 1, 16384, Mb);
      O.BodyBytes = uint64_t(Mb) << 20;
    } else if (A == "--queue")
      Good = Good && number(V, 0, 1000, O.Queue);
    else if (A == "--max-seconds") {
      Good = Good && number(V, 1, 86400, Seconds);
      O.RequestSeconds = Seconds;
    } else if (A == "--job-seconds") {
      Good = Good && number(V, 1, 3600, Seconds);
      O.JobSeconds = Seconds;
    } else if (A == "--job-memory")
      Good = Good && number(V, 16, 1 << 20, O.MemoryMb);
    else
      Known = false;
    if (!Known || !Good) {
      Why = !Known ? "unknown option " + A : I + 1 >= Argc ? A + " wants a value" : A + " " + V + ": not a value of its kind";
      return false;
    }
  }
  return true;
}

/// Which devices to use, of those that the worker sees.
bool chooseDevices(const std::string &Wanted, ServeOptions &O, std::string &Why) {
  ProcessResult P = runProcess({O.Worker, "--probe"}, "", 60);
  O.DeviceText = P.Out.substr(P.Out.find('{') == P.Out.npos ? P.Out.size() : P.Out.find('{'));
  nlohmann::json J = nlohmann::json::parse(O.DeviceText, nullptr, false);
  if (!J.is_object() || !J.contains("devices")) {
    Why = O.Worker + " --probe says nothing of devices";
    return false;
  }
  std::vector<int> Usable;
  for (const auto &D : J["devices"])
    if (D.value("usable", false))
      Usable.push_back(D.value("index", 0));
  if (Wanted == "all") {
    O.Devices = Usable;
    return true;
  }
  std::istringstream Parts(Wanted);
  for (std::string Part; std::getline(Parts, Part, ',');) {
    int D = 0;
    if (!number(Part, 0, 1000, D) || std::find(Usable.begin(), Usable.end(), D) == Usable.end()) {
      Why = "--devices " + Wanted + ": no usable GPU " + Part + " here";
      return false;
    }
    O.Devices.push_back(D);
  }
  return true;
}

std::string workerBeside() {
  char Self[4096];
  ssize_t N = readlink("/proc/self/exe", Self, sizeof Self - 1);
  std::string Path(Self, size_t(N > 0 ? N : 0));
  size_t End = Path.rfind("-serve");
  return End == Path.npos ? "" : Path.substr(0, End);
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc == 2 && (std::string(Argv[1]) == "--help" || std::string(Argv[1]) == "-h")) {
    fputs(Usage, stdout);
    return 0;
  }
  ServeOptions O;
  Words W;
  std::string Why;
  if (!read(Argc, Argv, O, W, Why)) {
    complain(Why);
    fputs(Usage, stderr);
    return 2;
  }
  if (!W.TokenFile.empty()) {
    if (!tokenFrom(W.TokenFile, O.Token, Why))
      return complain(Why);
  } else if (const char *T = getenv("KCHECK_GPU_TOKEN")) {
    O.Token = T;
  }
  unsetenv("KCHECK_GPU_TOKEN"); // no business of the workers
  if (Why = refusal(O); !Why.empty())
    return complain(Why);
  if (O.Worker.empty())
    O.Worker = workerBeside();
  if (access(O.Worker.c_str(), X_OK) != 0)
    return complain("the worker program " + O.Worker + " is not there");
  if (!chooseDevices(W.Devices, O, Why))
    return complain(Why);
  if (O.Devices.empty())
    fprintf(stderr, "kcheck-gpu serve: no usable GPU here: jobs are refused, /health says why\n");
  signal(SIGPIPE, SIG_IGN);
  kcheck::client::GpuConfinement Within = kcheck::client::confineGpuWorker(O.Worker);
  if (Within.Enter)
    O.Within = {Within.Enter, Within.Scratch->path()};
  O.Confined = Within.Enter ? "confined by landlock" : "not confined: " + Within.Why;
  if (!Within.Enter)
    fprintf(stderr, "kcheck-gpu serve: workers are not confined: %s\n", Within.Why.c_str());
  return serve(O);
}

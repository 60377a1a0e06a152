#include "gate/dynamic/Devices.h"
#include "runner/client/Batch.h"
#include "runner/client/GpuSandbox.h"
#include "runner/client/Remote.h"
#include "runner/client/Worker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <array>

using namespace kcheck;
using namespace kcheck::gate;

static llvm::Error problem(const llvm::Twine &Text) { return llvm::createStringError(Text); }

namespace {

/// The simulator: a fresh confined worker a batch.
class SimLane : public Lane {
public:
  explicit SimLane(std::string Program) : Program(std::move(Program)) {}

  void expect(bool StopAtFault) override { Ready = std::make_unique<client::Batch>(options(StopAtFault)); }

  Answers run(std::vector<protocol::Job> Jobs, bool StopAtFault) override {
    if (Jobs.empty())
      return Answers(std::vector<protocol::Result>());
    client::BatchOptions O = options(StopAtFault);
    client::prepareCache(Program, Jobs.front().Source);
    O.HostCode = client::wantsHostCode(Jobs);
    if (O.HostCode)
      for (const protocol::Job &J : Jobs)
        if (!J.Source.CallText.empty()) {
          client::prepareHostCache(Program, J.Source, O.CacheFolder);
          break;
        }
    std::shared_ptr<client::Batch> B = std::move(Ready);
    if (!B || B->options().StopAtFault != O.StopAtFault || B->options().HostCode != O.HostCode)
      B = std::make_shared<client::Batch>(O);
    B->give(std::move(Jobs));
    return Answers([B] { return B->next(); });
  }

private:
  client::BatchOptions options(bool StopAtFault) const {
    client::BatchOptions O;
    O.Program = Program;
    O.CacheFolder = client::cacheFolder();
    O.StopAtFault = StopAtFault;
    return O;
  }

  std::string Program;
  std::unique_ptr<client::Batch> Ready; ///< started, waits for its jobs
};

/// A GPU of this machine: the worker keeps its context from candidate to candidate.
class GpuLane : public Lane {
public:
  GpuLane(const std::string &Program, unsigned Device) : Confined(client::confineGpuWorker(Program)), Worker(options(Program, Device, Confined)) {
    for (Helper &H : Helpers) {
      client::WorkerOptions O = options(Program, Device, Confined);
      O.Args.push_back("--compile-ahead");
      H.Compiler = std::make_unique<client::Worker>(std::move(O));
    }
  }
  Answers run(std::vector<protocol::Job> Jobs, bool StopAtFault) override {
    std::vector<protocol::Result> All;
    for (const protocol::Job &J : Jobs) {
      All.push_back(Worker.run(J));
      const protocol::Result &R = All.back();
      if (StopAtFault && (R.State != protocol::State::Ok || llvm::any_of(R.Findings, [](const protocol::Finding &X) { return X.Sure; })))
        break;
    }
    return All;
  }

  /// Into the worker's cache, by processes that hold no device. What they say does not matter: the worker finds out again.
  void prepare(const std::vector<protocol::Job> &Jobs) override {
    for (Helper &H : Helpers) {
      std::unique_lock Mine(H.Busy, std::try_to_lock);
      if (!Mine)
        continue;
      std::vector<protocol::Job> Distinct;
      for (const protocol::Job &J : Jobs) {
        protocol::Job Only;
        Only.Id = J.Id;
        Only.Source = J.Source;
        Only.Compiler = J.Compiler;
        Only.Limits = J.Limits;
        llvm::copy_if(J.Steps, std::back_inserter(Only.Steps), [](const protocol::Step &S) { return std::holds_alternative<protocol::LaunchStep>(S.Do); });
        if (llvm::none_of(Distinct, [&](const protocol::Job &X) { return kernelsOf(X) == kernelsOf(Only); })) // one candidate, so one source
          Distinct.push_back(std::move(Only));
      }
      for (const protocol::Job &J : Distinct)
        H.Compiler->run(J);
      return;
    }
  }

private:
  /// A compiler for one waiting candidate; started when it is first needed.
  struct Helper {
    std::mutex Busy;
    std::unique_ptr<client::Worker> Compiler;
  };

  static std::vector<std::string> kernelsOf(const protocol::Job &J) {
    std::vector<std::string> Names;
    for (const protocol::Step &S : J.Steps)
      if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do); L && !llvm::is_contained(Names, L->Kernel))
        Names.push_back(L->Kernel);
    return Names;
  }

  static client::WorkerOptions options(const std::string &Program, unsigned Device, const client::GpuConfinement &C) {
    client::WorkerOptions W;
    W.Program = Program;
    W.Args = {"--device", std::to_string(Device)};
    W.GraceSeconds = 200; // it watches its own limits
    W.Wrapper = C.Wrapper;
    W.Confine = C.Enter;
    return W;
  }
  client::GpuConfinement Confined;
  client::Worker Worker;
  std::array<Helper, 3> Helpers; ///< candidates that wait for one lane (Session::parallel), the one that runs left out
};

/// A GPU of another machine.
class RemoteLane : public Lane {
public:
  RemoteLane(client::RemoteOptions O, int Device) : Remote(std::move(O)), Device(Device) {}
  Answers run(std::vector<protocol::Job> Jobs, bool StopAtFault) override {
    std::vector<protocol::Result> All = Remote.run(Jobs, StopAtFault, Device);
    for (protocol::Result &R : All)
      if (R.Device.starts_with("gpu:"))
        R.Device = Remote.url() + " " + R.Device;
    return All;
  }

private:
  client::Remote Remote;
  int Device;
};

llvm::Expected<std::string> workerProgram(llvm::StringRef Device, const std::string &Name) {
  std::string Path = client::findWorker(Name);
  if (Path.empty())
    return problem("--device " + Device + ": the worker program " + Name + " is neither beside kcheck nor on the PATH");
  return Path;
}

/// What `kcheck-gpu --list` says.
llvm::Expected<std::vector<client::RemoteDevice>> listDevices(const std::string &Program) {
  llvm::SmallString<128> Out;
  if (std::error_code EC = llvm::sys::fs::createTemporaryFile("kcheck-list", "json", Out))
    return problem("no temporary file: " + EC.message());
  std::string Error;
  std::optional<llvm::StringRef> Redirects[] = {llvm::StringRef(""), Out.str(), llvm::StringRef("")};
  int Status = llvm::sys::ExecuteAndWait(Program, {Program, "--list"}, std::nullopt, Redirects, /*SecondsToWait=*/60, 0, &Error);
  auto Text = llvm::MemoryBuffer::getFile(Out);
  llvm::sys::fs::remove(Out);
  if (Status != 0 || !Text)
    return problem("kcheck-gpu --list failed" + (Error.empty() ? "" : ": " + Error));
  auto J = llvm::json::parse((*Text)->getBuffer());
  if (!J)
    return J.takeError();
  std::vector<client::RemoteDevice> All;
  const llvm::json::Object *O = J->getAsObject();
  if (const llvm::json::Array *A = O ? O->getArray("devices") : nullptr)
    for (const llvm::json::Value &V : *A)
      if (const llvm::json::Object *D = V.getAsObject())
        All.push_back({int(D->getInteger("index").value_or(0)), D->getString("name").value_or("").str(), D->getString("arch").value_or("").str()});
  if (All.empty())
    return problem("no usable GPU on this machine: " + (O ? O->getString("why").value_or("").str() : std::string()));
  return All;
}

llvm::Error openGpu(llvm::StringRef Name, Target &T) {
  auto Program = workerProgram(Name, "kcheck-gpu");
  if (!Program)
    return Program.takeError();
  auto Devices = listDevices(*Program);
  if (!Devices)
    return problem("--device " + Name + ": " + llvm::toString(Devices.takeError()) + " (kcheck doctor says what this machine has)");
  llvm::StringRef Which = Name.drop_front(3);
  unsigned Number = 0;
  bool All = Which == ":all";
  if (!All && Which.consume_front(":"))
    (void)Which.getAsInteger(10, Number); // seen to be a number
  for (const client::RemoteDevice &D : *Devices) {
    if (!All && unsigned(D.Index) != Number)
      continue;
    if (T.Arch.empty())
      T.Arch = D.Arch;
    T.Lanes.push_back(std::make_unique<GpuLane>(*Program, unsigned(D.Index)));
  }
  if (T.Lanes.empty())
    return problem("--device " + Name + ": there is no GPU " + std::to_string(Number) + ", this machine has " + std::to_string(Devices->size()));
  return llvm::Error::success();
}

llvm::Error openRemote(llvm::StringRef Url, Target &T) {
  client::RemoteOptions O;
  std::string Why;
  std::vector<client::RemoteDevice> Devices;
  if (!client::remoteOptions(Url.str(), O, Why) || !client::Remote(O).devices(Devices, Why))
    return problem("--device " + Url + ": " + Why);
  T.Arch = Devices.front().Arch;
  T.Local = false;
  for (const client::RemoteDevice &D : Devices)
    T.Lanes.push_back(std::make_unique<RemoteLane>(O, D.Index));
  return llvm::Error::success();
}

bool isUrl(llvm::StringRef Name) { return Name.starts_with("http://") || Name.starts_with("https://"); }

bool isGpuWord(llvm::StringRef Name) {
  unsigned Number;
  return Name == "gpu" || Name == "gpu:all" || (Name.starts_with("gpu:") && !Name.drop_front(4).getAsInteger(10, Number));
}

} // namespace

llvm::Expected<std::unique_ptr<Target>> gate::openTarget(llvm::StringRef Name) {
  auto T = std::make_unique<Target>();
  T->Name = Name.str();
  T->Gpu = Name != "sim";
  if (isUrl(Name) || isGpuWord(Name)) {
    if (llvm::Error E = isUrl(Name) ? openRemote(Name, *T) : openGpu(Name, *T))
      return std::move(E);
    return std::move(T);
  }
  auto Program = workerProgram(Name, "kcheck-sim");
  if (!Program)
    return Program.takeError();
  T->Lanes.push_back(std::make_unique<SimLane>(std::move(*Program)));
  return std::move(T);
}

llvm::Expected<std::vector<std::string>> gate::deviceWords(llvm::StringRef List) {
  llvm::SmallVector<llvm::StringRef> Parts;
  List.split(Parts, ',');
  std::vector<std::string> Words;
  for (llvm::StringRef P : Parts) {
    P = P.trim();
    if (P != "sim" && P != "none" && !isGpuWord(P) && !isUrl(P))
      return problem("--device " + P + ": neither sim, gpu, gpu:N, gpu:all, http(s)://host:port nor none");
    if (P == "none" && Parts.size() > 1)
      return problem("--device " + List + ": none stands alone");
    if (llvm::is_contained(Words, P.str()))
      return problem("--device " + List + ": " + P + " is there twice");
    Words.push_back(P.str());
  }
  return Words;
}

Target::Seat::Seat(Target &T) : T(T) {
  std::lock_guard Guard(T.Lock);
  while (T.Uses.size() < T.Lanes.size())
    T.Uses.push_back(std::make_unique<Use>());
  At = size_t(std::min_element(T.Uses.begin(), T.Uses.end(), [](auto &A, auto &B) { return A->Seats < B->Seats; }) - T.Uses.begin());
  ++T.Uses[At]->Seats;
}

Target::Seat::~Seat() {
  std::lock_guard Guard(T.Lock);
  --T.Uses[At]->Seats;
}

Answers Target::Seat::run(std::vector<protocol::Job> Jobs, bool StopAtFault) {
  auto Guard = std::make_shared<std::unique_lock<std::mutex>>(T.Uses[At]->Running, std::try_to_lock);
  if (!*Guard) {
    T.Lanes[At]->prepare(Jobs);
    Guard->lock();
  }
  auto Given = std::make_shared<Answers>(T.Lanes[At]->run(std::move(Jobs), StopAtFault));
  return Answers([Given, Guard] { return Given->next(); }); // the lane is taken until they are dropped
}

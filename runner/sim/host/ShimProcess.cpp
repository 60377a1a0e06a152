// The program's process: the runtime's lock, names that nobody has, the ways in which a program can end.
#include "runner/sim/host/HostRun.h"
#include "runner/sim/host/ShimSupport.h"
#include "runner/guest/Signals.h"
#include <cxxabi.h>
#include <memory>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <semaphore.h>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

HostDevice *Device = nullptr;
std::function<void(const protocol::Result &)> Answer;
std::recursive_mutex Lock;
std::atomic<bool> Ended{false};
thread_local unsigned InCall = 0;

/// A signal's facts, handed to the watching thread: a signal handler itself may do next to nothing.
struct Crash {
  int Signal = 0;
  uint64_t Address = 0, Pc = 0;
  void **Frame = nullptr;
  bool Write = false, Known = false;
} Crashed;
sem_t Wake;
std::atomic<bool> Stop{false};

[[noreturn]] void finish(int Status) {
  if (Ended.exchange(true))
    for (;;)
      pause(); // another thread writes the result
  fflush(nullptr);
  std::cout.flush();
  protocol::Result &R = Device->R;
  Device->settle();
  R.Findings = Device->Out.take();
  R.ExitStatus = Status;
  Answer(R);
  _exit(0);
}

/// What a signal means for the program.
void describe(const Crash &C) {
  HostDevice &D = *Device;
  protocol::Result &R = D.R;
  bool Own = D.Program && D.Program->isCode(C.Pc);
  Place At = D.placeOf({C.Pc + (Own ? 1 : 0), C.Frame, {}});
  if (C.Signal == SIGABRT) {
    R.Message = "the program ended itself by abort()";
    R.State = protocol::State::Ok;
    R.Failure = protocol::Failure::None;
    return;
  }
  D.reportCrash(C.Signal, C.Known ? C.Address : 0, C.Write, At, InCall);
}

void onSignal(int Signal, siginfo_t *Info, void *Context) {
  auto *U = static_cast<ucontext_t *>(Context);
  Crashed = {Signal, uint64_t(Info->si_addr), uint64_t(U->uc_mcontext.gregs[REG_RIP]), reinterpret_cast<void **>(U->uc_mcontext.gregs[REG_RBP]),
             (U->uc_mcontext.gregs[REG_ERR] & 2) != 0, Info->si_code > 0};
  Stop = true;
  sem_post(&Wake);
  for (;;)
    pause();
}

void watch(double Seconds) {
  timespec Until;
  clock_gettime(CLOCK_REALTIME, &Until);
  Until.tv_sec += time_t(Seconds) + 1;
  while (!Stop) {
    if (sem_timedwait(&Wake, &Until) == 0 || errno == EINTR)
      continue;
    Device->R.State = protocol::State::NotMeasured;
    Device->R.Message = "the program is not done after " + std::to_string(int(Seconds)) + " s";
    finish(-1);
  }
  describe(Crashed);
  finish(128 + Crashed.Signal);
}

void atEnd() { finish(HostExitStatus); }

/// A name that nobody has gets code that tells so when it is called.
struct Stubs {
  uint8_t *At = nullptr, *End = nullptr;
  std::map<std::string, void *> Made;
};

/// "at::Tensor::softmax" of what a compiler makes of it.
std::string readable(const char *Name) {
  std::unique_ptr<char, void (*)(void *)> Plain(abi::__cxa_demangle(Name, nullptr, nullptr, nullptr), free);
  if (!Plain)
    return Name;
  std::string S = Plain.get();
  S = S.substr(0, S.find_first_of("(<"));
  return S.substr(S.rfind(' ') + 1); // without the result's type
}

void missing(const char *Name) {
  CallSite &Site = currentCall();
  Site = {uint64_t(__builtin_return_address(0)), static_cast<void **>(__builtin_frame_address(0)), {}};
  std::lock_guard<std::recursive_mutex> Guard(Lock);
  Device->unsupported("the function " + readable(Name));
}

void *stubFor(const std::string &Name) {
  static Stubs S;
  void *&Out = S.Made[Name];
  if (Out)
    return Out;
  if (S.At == S.End) {
    S.At = static_cast<uint8_t *>(mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (S.At == MAP_FAILED)
      return nullptr;
    S.End = S.At + (1 << 16);
  }
  // mov rdi, name; mov rax, missing; jmp rax
  uint8_t *P = S.At;
  const char *Kept = strdup(Name.c_str());
  auto Target = reinterpret_cast<uint64_t>(&missing);
  memcpy(P, "\x48\xBF", 2), memcpy(P + 2, &Kept, 8);
  memcpy(P + 10, "\x48\xB8", 2), memcpy(P + 12, &Target, 8);
  memcpy(P + 20, "\xFF\xE0", 2);
  S.At += 32;
  return Out = P;
}

double wallTime() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double wallTick() { return 1e-9; }
int one() { return 1; }
int zero() { return 0; }
void nothingInt(int) {}

extern "C" {
static void kcheck_exit_now(int Status) {
  if (Device->Link)
    Device->Link->exits(Status);
  finish(Status);
}
static void kcheck_exit(int Status) {
  if (Device->Link)
    Device->Link->exits(Status);
  HostExitStatus = Status;
  exit(Status);
}
static void kcheck_free(void *P) {
  if (P && Device->isDevice(P)) {
    API_CALL;
    const Allocation *A = Device->Link ? nullptr : Device->find(P);
    Device->report("illegal_address", "free() of " + (A ? A->Name : std::string("an address of the device")) + ", which is memory of the device", true, A ? A->Name : "");
    return;
  }
  free(P);
}
static int kcheck_atexit(void (*F)()) { return atexit(F); }
}

} // namespace

int kcheck::sim::HostExitStatus = 0;

HostDevice &kcheck::sim::hostDevice() { return *Device; }
void kcheck::sim::setHostDevice(HostDevice *D) { Device = D; }

ApiCall::ApiCall(void *Pc, void *Frame) {
  Lock.lock();
  if (InCall++ == 0)
    currentCall() = {uint64_t(Pc), static_cast<void **>(Frame), {}};
}
ApiCall::~ApiCall() {
  --InCall;
  Lock.unlock();
}

void kcheck::sim::endProgram(int Status) { finish(Status); }

void *kcheck::sim::resolveForProgram(const std::string &Name, const Program &Code) {
  static const Table Shims = [] {
    Table T;
    addMemory(T);
    addLaunch(T);
    addStreams(T);
    addInfo(T);
    addGraphs(T);
    addArrays(T);
    addProcess(T);
    addTorch(T);
    addDriver(T);
    return T;
  }();
  if (auto It = Shims.find(Name); It != Shims.end())
    return It->second;
  for (const Variable &V : Code.Variables)
    if (V.Managed && V.Mangled == Name)
      return reinterpret_cast<void *>(DataBase + V.Address);
  auto begins = [&](const char *P) { return Name.starts_with(P) && Name.size() > strlen(P) && (isupper(Name[strlen(P)]) || Name[strlen(P)] == '_'); };
  bool Cuda = begins("cuda") || begins("cu") || begins("cublas") || begins("cufft") || begins("curand");
  if (!Cuda)
    if (void *P = dlsym(RTLD_DEFAULT, Name.c_str()))
      return P;
  return Name == "main" || Name.starts_with("kcheck_constructor_") || Name == "kcheck_call" ? nullptr : stubFor(Name);
}

void kcheck::sim::addProcess(Table &T) {
  SHIM_AS("exit", kcheck_exit);
  SHIM_AS("_exit", kcheck_exit_now);
  SHIM_AS("_Exit", kcheck_exit_now);
  SHIM_AS("quick_exit", kcheck_exit_now);
  SHIM_AS("atexit", kcheck_atexit);
  SHIM_AS("free", kcheck_free);
  SHIM_AS("omp_get_wtime", wallTime);
  SHIM_AS("omp_get_wtick", wallTick);
  for (const char *Name : {"omp_get_max_threads", "omp_get_num_threads", "omp_get_num_procs"})
    SHIM_AS(Name, one);
  for (const char *Name : {"omp_get_thread_num", "omp_get_num_devices"})
    SHIM_AS(Name, zero);
  for (const char *Name : {"omp_set_num_threads", "omp_set_dynamic"})
    SHIM_AS(Name, nothingInt);
}

void kcheck::sim::startProcess(HostDevice &D, double Seconds, std::function<void(const protocol::Result &)> Write) {
  Device = &D;
  Answer = std::move(Write);
  sem_init(&Wake, 0, 0);
  atexit(atEnd); // the first one registered is the last one called
  std::thread(watch, Seconds).detach();
  handleOnOwnStack(onSignal, {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT});
}

// Streams and events. Work runs at once, in the order of the calls; what the streams leave unordered is kept in
// Streams, for the races between launches.
#include "runner/sim/host/ShimSupport.h"
#include <chrono>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }
using Steady = std::chrono::steady_clock;

struct Stream {
  int Number;
  int Priority = 0;
  unsigned Flags = 0;
};
struct Event {
  bool Recorded = false;
  unsigned Flags = 0;
  Steady::time_point At;
  StreamClock Before;
};

std::map<void *, std::unique_ptr<Stream>> AllStreams;
std::map<void *, std::unique_ptr<Event>> AllEvents;
int NextStream = 1;

Event *event(void *E) {
  auto It = AllEvents.find(E);
  return It == AllEvents.end() ? nullptr : It->second.get();
}
bool isStream(void *S) { return uint64_t(S) <= 2 || AllStreams.count(S); }

int makeStream(void **Out, unsigned Flags, int Priority) {
  auto S = std::make_unique<Stream>();
  S->Number = NextStream++;
  S->Flags = Flags;
  S->Priority = Priority;
  D().orderBlocking(S->Number, !(Flags & 1));
  *Out = S.get();
  AllStreams[S.get()] = std::move(S);
  return Success;
}

int makeEvent(void **Out, unsigned Flags) {
  auto E = std::make_unique<Event>();
  E->Flags = Flags;
  *Out = E.get();
  AllEvents[E.get()] = std::move(E);
  return Success;
}

} // namespace

int kcheck::sim::streamOf(void *S) {
  auto It = AllStreams.find(S);
  return It == AllStreams.end() ? 0 : It->second->Number;
}

void *kcheck::sim::branchStream() {
  void *S = nullptr;
  makeStream(&S, /*Flags: does not block=*/1, 0);
  return S;
}

extern "C" {

static int cudaStreamCreate(void **S) { API_CALL; return makeStream(S, 0, 0); }
static int cudaStreamCreateWithFlags(void **S, unsigned Flags) { API_CALL; return makeStream(S, Flags, 0); }
static int cudaStreamCreateWithPriority(void **S, unsigned Flags, int Priority) { API_CALL; return makeStream(S, Flags, Priority); }
static int cudaStreamDestroy(void *S) {
  API_CALL;
  auto It = AllStreams.find(S);
  if (It == AllStreams.end())
    return D().fail(InvalidResourceHandle);
  AllStreams.erase(It);
  return Success;
}
static int cudaStreamSynchronize(void *S) {
  API_CALL;
  if (!isStream(S))
    return D().fail(InvalidResourceHandle);
  D().orderSync(streamOf(S));
  return D().synced();
}
static int cudaStreamQuery(void *S) { return cudaStreamSynchronize(S); }
static int cudaStreamGetFlags(void *S, unsigned *Flags) {
  API_CALL;
  auto It = AllStreams.find(S);
  *Flags = It == AllStreams.end() ? 0 : It->second->Flags;
  return Success;
}
static int cudaStreamGetPriority(void *S, int *Priority) {
  API_CALL;
  auto It = AllStreams.find(S);
  *Priority = It == AllStreams.end() ? 0 : It->second->Priority;
  return Success;
}
static int cudaStreamGetId(void *S, unsigned long long *Id) { API_CALL; *Id = uint64_t(streamOf(S)); return Success; }
static int cudaStreamGetDevice(void *, int *Device) { *Device = 0; return Success; }
static int cudaStreamWaitEvent(void *S, void *E, unsigned) {
  API_CALL;
  Event *Ev = event(E);
  if (!Ev)
    return D().fail(InvalidResourceHandle);
  D().orderWait(streamOf(S), Ev->Before);
  return Success;
}
static int cudaStreamAttachMemAsync(void *, void *, size_t, unsigned) { return Success; }
static int cudaStreamAddCallback(void *S, void (*F)(void *, int, void *), void *Data, unsigned) {
  API_CALL;
  D().orderSync(streamOf(S));
  F(S, D().sticky(), Data);
  return Success;
}
static int cudaLaunchHostFunc(void *S, void (*F)(void *), void *Data) {
  API_CALL;
  if (captured(S, [=] { F(Data); return 0; }))
    return Success;
  F(Data);
  return Success;
}

static int cudaEventCreate(void **E) { API_CALL; return makeEvent(E, 0); }
static int cudaEventCreateWithFlags(void **E, unsigned Flags) { API_CALL; return makeEvent(E, Flags); }
static int cudaEventDestroy(void *E) {
  API_CALL;
  return AllEvents.erase(E) ? Success : D().fail(InvalidResourceHandle);
}
static int cudaEventRecordWithFlags(void *E, void *S, unsigned) {
  API_CALL;
  Event *Ev = event(E);
  if (!Ev || !isStream(S))
    return D().fail(InvalidResourceHandle);
  Ev->Recorded = true;
  Ev->At = Steady::now();
  Ev->Before = D().orderRecord(streamOf(S));
  return Success;
}
static int cudaEventRecord(void *E, void *S) { return cudaEventRecordWithFlags(E, S, 0); }
static int cudaEventSynchronize(void *E) {
  API_CALL;
  Event *Ev = event(E);
  if (!Ev)
    return D().fail(InvalidResourceHandle);
  D().orderHostWait(Ev->Before);
  return D().synced();
}
static int cudaEventQuery(void *E) { return cudaEventSynchronize(E); }
static int cudaEventElapsedTime(float *Ms, void *A, void *B) {
  API_CALL;
  Event *From = event(A), *To = event(B);
  if (!From || !To || !From->Recorded || !To->Recorded)
    return D().fail(InvalidResourceHandle);
  *Ms = std::max(0.001f, std::chrono::duration<float, std::milli>(To->At - From->At).count());
  return Success;
}

static int cudaDeviceSynchronize() { API_CALL; D().orderSyncAll(); return D().synced(); }
static int cudaGetLastError() { API_CALL; return D().last(true); }
static int cudaPeekAtLastError() { API_CALL; return D().last(false); }

} // extern "C"

void kcheck::sim::addStreams(Table &T) {
  SHIM(cudaStreamCreate); SHIM(cudaStreamCreateWithFlags); SHIM(cudaStreamCreateWithPriority); SHIM(cudaStreamDestroy);
  SHIM(cudaStreamSynchronize); SHIM(cudaStreamQuery); SHIM(cudaStreamGetFlags); SHIM(cudaStreamGetPriority); SHIM(cudaStreamGetId);
  SHIM(cudaStreamGetDevice); SHIM(cudaStreamWaitEvent); SHIM(cudaStreamAttachMemAsync); SHIM(cudaStreamAddCallback);
  SHIM(cudaLaunchHostFunc); SHIM(cudaEventCreate); SHIM(cudaEventCreateWithFlags); SHIM(cudaEventDestroy); SHIM(cudaEventRecord);
  SHIM(cudaEventRecordWithFlags); SHIM(cudaEventSynchronize); SHIM(cudaEventQuery); SHIM(cudaEventElapsedTime);
  SHIM_AS("cudaEventElapsedTime_v2", cudaEventElapsedTime);
  SHIM(cudaDeviceSynchronize); SHIM_AS("cudaThreadSynchronize", cudaDeviceSynchronize); SHIM(cudaGetLastError); SHIM(cudaPeekAtLastError);
}

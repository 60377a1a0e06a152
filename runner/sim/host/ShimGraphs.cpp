// Graphs: recorded or built node by node, run in an order that the dependencies allow.
#include "runner/sim/host/ShimSupport.h"
#include <algorithm>
#include <cstring>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }

struct Node {
  int Type = 0; ///< cudaGraphNodeType: 0 kernel, 1 memcpy, 2 memset, 3 host, 4 graph, 5 empty
  std::function<int()> Run;
  std::vector<Node *> After;
};
struct Graph {
  std::vector<std::unique_ptr<Node>> Nodes;
};
struct ExecGraph {
  std::vector<std::pair<Node *, std::function<int()>>> Steps;
};

std::map<void *, std::unique_ptr<Graph>> Graphs;
std::map<void *, std::unique_ptr<ExecGraph>> Execs;
std::vector<std::unique_ptr<Node>> Removed; ///< executable graphs name them still
Graph *Capturing = nullptr;
void *CaptureStream = nullptr;

Graph *graph(void *G) {
  auto It = Graphs.find(G);
  return It == Graphs.end() ? nullptr : It->second.get();
}
ExecGraph *exec(void *G) {
  auto It = Execs.find(G);
  return It == Execs.end() ? nullptr : It->second.get();
}
Graph *newGraph() {
  auto G = std::make_unique<Graph>();
  Graph *P = G.get();
  Graphs[P] = std::move(G);
  return P;
}

Node *add(Graph &G, int Type, std::function<int()> Run, void **Before, size_t Count) {
  auto N = std::make_unique<Node>();
  N->Type = Type;
  N->Run = std::move(Run);
  for (size_t I = 0; I < Count; ++I)
    N->After.push_back(static_cast<Node *>(Before[I]));
  G.Nodes.push_back(std::move(N));
  return G.Nodes.back().get();
}

/// Nodes in an order in which each comes behind those that it depends on.
std::vector<Node *> sorted(const Graph &G) {
  std::vector<Node *> Out;
  std::map<Node *, int> State;
  std::function<void(Node *)> visit = [&](Node *N) {
    if (State[N]++)
      return;
    for (Node *B : N->After)
      visit(B);
    Out.push_back(N);
  };
  for (auto &N : G.Nodes)
    visit(N.get());
  return Out;
}

int instantiate(void **Out, void *G) {
  Graph *From = graph(G);
  if (!From)
    return D().fail(InvalidValue);
  auto E = std::make_unique<ExecGraph>();
  for (Node *N : sorted(*From))
    E->Steps.push_back({N, N->Run});
  *Out = E.get();
  Execs[E.get()] = std::move(E);
  return Success;
}

int runAll(const ExecGraph &E) {
  for (auto &[N, Run] : E.Steps)
    if (Run)
      if (int Error = Run())
        return Error;
  return Success;
}

} // namespace

bool kcheck::sim::captured(void *Stream, std::function<int()> Do) {
  // A capture takes in the streams that wait for its events: in practice all that are not the default one.
  if (!Capturing || (Stream != CaptureStream && !Stream))
    return false;
  Node *Last = Capturing->Nodes.empty() ? nullptr : Capturing->Nodes.back().get();
  void *Before = Last;
  add(*Capturing, 0, std::move(Do), &Before, Last ? 1 : 0);
  return true;
}

extern "C" {

static int cudaStreamBeginCapture(void *Stream, int) {
  API_CALL;
  if (Capturing || !Stream)
    return D().fail(900);
  Capturing = newGraph();
  CaptureStream = Stream;
  return Success;
}
static int cudaStreamEndCapture(void *Stream, void **Out) {
  API_CALL;
  if (!Capturing || Stream != CaptureStream)
    return D().fail(901);
  *Out = Capturing;
  Capturing = nullptr;
  return Success;
}
static int cudaStreamIsCapturing(void *Stream, int *Status) { API_CALL; *Status = Capturing && Stream == CaptureStream ? 1 : 0; return Success; }
static int cudaThreadExchangeStreamCaptureMode(int *) { return Success; }

static int cudaGraphCreate(void **Out, unsigned) { API_CALL; *Out = newGraph(); return Success; }
static int cudaGraphDestroy(void *G) {
  API_CALL;
  auto It = Graphs.find(G);
  if (It == Graphs.end())
    return D().fail(InvalidValue);
  for (auto &N : It->second->Nodes)
    Removed.push_back(std::move(N));
  Graphs.erase(It);
  return Success;
}
static int cudaGraphClone(void **Out, void *G) {
  API_CALL;
  Graph *From = graph(G), *To = newGraph();
  if (!From)
    return D().fail(InvalidValue);
  for (Node *N : sorted(*From))
    add(*To, N->Type, N->Run, nullptr, 0);
  *Out = To;
  return Success;
}
static int cudaGraphInstantiate(void **Out, void *G, unsigned long long) { API_CALL; return instantiate(Out, G); }
static int cudaGraphExecDestroy(void *E) { API_CALL; return Execs.erase(E) ? Success : D().fail(InvalidValue); }
static int cudaGraphLaunch(void *E, void *) {
  API_CALL;
  ExecGraph *G = exec(E);
  return G ? runAll(*G) : D().fail(InvalidValue);
}
static int cudaGraphUpload(void *, void *) { return Success; }
static int cudaGraphGetNodes(void *G, void **Out, size_t *Count) {
  API_CALL;
  Graph *From = graph(G);
  if (!From)
    return D().fail(InvalidValue);
  if (Out)
    for (size_t I = 0; I < std::min(*Count, From->Nodes.size()); ++I)
      Out[I] = From->Nodes[I].get();
  *Count = From->Nodes.size();
  return Success;
}
static int cudaGraphGetRootNodes(void *G, void **Out, size_t *Count) {
  API_CALL;
  Graph *From = graph(G);
  if (!From)
    return D().fail(InvalidValue);
  size_t N = 0;
  for (auto &Node : From->Nodes)
    if (Node->After.empty()) {
      if (Out && N < *Count)
        Out[N] = Node.get();
      ++N;
    }
  *Count = N;
  return Success;
}
static int cudaGraphNodeGetType(void *N, int *Type) { API_CALL; *Type = static_cast<Node *>(N)->Type; return Success; }
static int cudaGraphAddEmptyNode(void **Out, void *G, void **Before, size_t Count) {
  API_CALL;
  if (!graph(G))
    return D().fail(InvalidValue);
  *Out = add(*graph(G), 5, nullptr, Before, Count);
  return Success;
}
static int cudaGraphAddChildGraphNode(void **Out, void *G, void **Before, size_t Count, void *Child) {
  API_CALL;
  Graph *From = graph(Child);
  if (!graph(G) || !From)
    return D().fail(InvalidValue);
  std::vector<std::function<int()>> Steps;
  for (Node *N : sorted(*From))
    Steps.push_back(N->Run);
  *Out = add(*graph(G), 4, [Steps] {
    for (auto &Run : Steps)
      if (Run)
        if (int E = Run())
          return E;
    return int(Success);
  }, Before, Count);
  return Success;
}
static int cudaGraphAddDependencies(void *, void **From, void **To, size_t Count) {
  API_CALL;
  for (size_t I = 0; I < Count; ++I)
    static_cast<Node *>(To[I])->After.push_back(static_cast<Node *>(From[I]));
  return Success;
}

// For the glue, which knows the layout of the parameter structures.
static int kcheck_graph_kernel(void **Out, void *G, void **Before, size_t Count, const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!graph(G) || !H)
    return D().fail(InvalidValue);
  std::vector<uint8_t> Params = D().pack(*H->K, Args);
  *Out = add(*graph(G), 0, [=] { return D().run(*H, Params, Grid, Block, Shared, 0, false); }, Before, Count);
  return Success;
}
static int kcheck_graph_update_kernel(void *E, void *N, const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!H)
    return D().fail(InvalidValue);
  std::vector<uint8_t> Params = D().pack(*H->K, Args);
  std::function<int()> Run = [=] { return D().run(*H, Params, Grid, Block, Shared, 0, false); };
  if (!E) {
    static_cast<Node *>(N)->Run = Run;
    return Success;
  }
  if (ExecGraph *X = exec(E))
    for (auto &[Node, Old] : X->Steps)
      if (Node == N)
        Old = Run;
  return Success;
}
static int kcheck_graph_host(void **Out, void *G, void **Before, size_t Count, void (*F)(void *), void *Data) {
  API_CALL;
  if (!graph(G))
    return D().fail(InvalidValue);
  *Out = add(*graph(G), 3, [=] { F(Data); return int(Success); }, Before, Count);
  return Success;
}
/// A copy or set of rows; the glue calls back with its own copy of the parameters.
static int kcheck_graph_call(void **Out, void *G, void **Before, size_t Count, int Type, int (*F)(const void *), const void *Params, size_t Bytes) {
  API_CALL;
  if (!graph(G))
    return D().fail(InvalidValue);
  std::vector<char> Copy(static_cast<const char *>(Params), static_cast<const char *>(Params) + Bytes);
  *Out = add(*graph(G), Type, [=] { return F(Copy.data()); }, Before, Count);
  return Success;
}

} // extern "C"

void kcheck::sim::addGraphs(Table &T) {
  SHIM(cudaStreamBeginCapture); SHIM(cudaStreamEndCapture); SHIM(cudaStreamIsCapturing); SHIM(cudaThreadExchangeStreamCaptureMode);
  SHIM(cudaGraphCreate); SHIM(cudaGraphDestroy); SHIM(cudaGraphClone); SHIM(cudaGraphInstantiate);
  SHIM_AS("cudaGraphInstantiateWithFlags", cudaGraphInstantiate); SHIM(cudaGraphExecDestroy); SHIM(cudaGraphLaunch); SHIM(cudaGraphUpload);
  SHIM(cudaGraphGetNodes); SHIM(cudaGraphGetRootNodes); SHIM(cudaGraphNodeGetType); SHIM(cudaGraphAddEmptyNode);
  SHIM(cudaGraphAddChildGraphNode); SHIM(cudaGraphAddDependencies); SHIM(kcheck_graph_kernel); SHIM(kcheck_graph_update_kernel);
  SHIM(kcheck_graph_host); SHIM(kcheck_graph_call);
}

// Graphs: recorded or built node by node (runner/guest/Graphs.h).
#include "runner/guest/Graphs.h"
#include "runner/sim/host/ShimSupport.h"
#include <cstring>

using namespace kcheck::sim;
using kcheck::guest::GraphStep;
using kcheck::guest::NodeKind;

namespace {

HostDevice &D() { return hostDevice(); }

class StreamBranches : public kcheck::guest::Branches {
public:
  void *fork(void *From) override {
    if (Free.empty())
      Free.push_back(branchStream());
    void *Own = Free.back();
    Free.pop_back();
    wait(Own, From);
    wait(Own, nullptr); // whatever the default stream may hold back
    return Own;
  }
  void wait(void *Stream, void *For) override { D().orderWait(streamOf(Stream), D().orderRecord(streamOf(For))); }
  void done(void *Branch) override { Free.push_back(Branch); }

private:
  std::vector<void *> Free;
};

kcheck::guest::Graphs &graphs() {
  static StreamBranches Branches;
  static kcheck::guest::Graphs G(&Branches);
  return G;
}

/// A launch of a kernel as a step of a graph; none where there is no such kernel.
GraphStep launchStep(const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared) {
  KernelHandle *H = D().kernel(F);
  if (!H)
    return {};
  std::vector<uint8_t> Params = D().pack(*H->K, Args);
  return [=](void *Stream) { return D().run(*H, Params, Grid, Block, Shared, streamOf(Stream), false); };
}

} // namespace

bool kcheck::sim::captured(void *Stream, std::function<int()> Do) {
  return graphs().captured(Stream, [Do = std::move(Do)](void *) { return Do(); });
}

extern "C" {

static int cudaStreamBeginCapture(void *Stream, int) { API_CALL; return D().fail(graphs().beginCapture(Stream)); }
static int cudaStreamEndCapture(void *Stream, void **Out) { API_CALL; return D().fail(graphs().endCapture(Stream, Out)); }
static int cudaStreamIsCapturing(void *Stream, int *Status) { API_CALL; *Status = graphs().capturing(Stream); return Success; }
static int cudaThreadExchangeStreamCaptureMode(int *) { return Success; }

static int cudaGraphCreate(void **Out, unsigned) { API_CALL; return D().fail(graphs().create(Out)); }
static int cudaGraphDestroy(void *G) { API_CALL; return D().fail(graphs().destroy(G)); }
static int cudaGraphClone(void **Out, void *G) { API_CALL; return D().fail(graphs().clone(Out, G)); }
static int cudaGraphInstantiate(void **Out, void *G, unsigned long long) { API_CALL; return D().fail(graphs().instantiate(Out, G)); }
/// The result's structure begins with cudaGraphExecUpdateSuccess, and names no node.
static int cudaGraphExecUpdate(void *E, void *G, void *Result) {
  API_CALL;
  if (Result)
    memset(Result, 0, 3 * sizeof(void *));
  return D().fail(graphs().update(E, G));
}
static int cudaGraphExecDestroy(void *E) { API_CALL; return D().fail(graphs().destroyExecutable(E)); }
static int cudaGraphLaunch(void *E, void *Stream) { API_CALL; return D().fail(graphs().launch(E, Stream)); }
static int cudaGraphUpload(void *, void *) { return Success; }
static int cudaGraphGetNodes(void *G, void **Out, size_t *Count) { API_CALL; return D().fail(graphs().nodes(G, Out, Count, false)); }
static int cudaGraphGetRootNodes(void *G, void **Out, size_t *Count) { API_CALL; return D().fail(graphs().nodes(G, Out, Count, true)); }
static int cudaGraphNodeGetType(void *N, int *Type) { API_CALL; return D().fail(graphs().kind(N, Type)); }
static int cudaGraphAddEmptyNode(void **Out, void *G, void **Before, size_t Count) { API_CALL; return D().fail(graphs().add(Out, G, Before, Count, NodeKind::Empty, {})); }
static int cudaGraphAddChildGraphNode(void **Out, void *G, void **Before, size_t Count, void *Child) {
  API_CALL;
  return D().fail(graphs().addChild(Out, G, Before, Count, Child));
}

// For the glue, which knows the layout of the parameter structures.
static int kcheck_graph_dependencies(void **From, void **To, size_t Count) { API_CALL; return D().fail(graphs().addDependencies(From, To, Count)); }
static int kcheck_graph_kernel(void **Out, void *G, void **Before, size_t Count, const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared) {
  API_CALL;
  GraphStep Launch = launchStep(F, Grid, Block, Args, Shared);
  return D().fail(Launch ? graphs().add(Out, G, Before, Count, NodeKind::Kernel, std::move(Launch)) : int(InvalidValue));
}
static int kcheck_graph_update_kernel(void *E, void *N, const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared) {
  API_CALL;
  GraphStep Launch = launchStep(F, Grid, Block, Args, Shared);
  return D().fail(Launch ? graphs().setStep(E, N, std::move(Launch)) : int(InvalidValue));
}
static int kcheck_graph_host(void **Out, void *G, void **Before, size_t Count, void (*F)(void *), void *Data) {
  API_CALL;
  return D().fail(graphs().add(Out, G, Before, Count, NodeKind::Host, [=](void *) { F(Data); return int(Success); }));
}
/// A copy or set of rows; the glue calls back with its own copy of the parameters.
static int kcheck_graph_call(void **Out, void *G, void **Before, size_t Count, int Type, int (*F)(const void *), const void *Params, size_t Bytes) {
  API_CALL;
  std::vector<char> Copy(static_cast<const char *>(Params), static_cast<const char *>(Params) + Bytes);
  return D().fail(graphs().add(Out, G, Before, Count, NodeKind(Type), [=](void *) { return F(Copy.data()); }));
}

} // extern "C"

void kcheck::sim::addGraphs(Table &T) {
  SHIM(cudaStreamBeginCapture); SHIM(cudaStreamEndCapture); SHIM(cudaStreamIsCapturing); SHIM(cudaThreadExchangeStreamCaptureMode);
  SHIM(cudaGraphCreate); SHIM(cudaGraphDestroy); SHIM(cudaGraphClone); SHIM(cudaGraphInstantiate);
  SHIM_AS("cudaGraphInstantiateWithFlags", cudaGraphInstantiate); SHIM(cudaGraphExecUpdate); SHIM(cudaGraphExecDestroy); SHIM(cudaGraphLaunch); SHIM(cudaGraphUpload);
  SHIM(cudaGraphGetNodes); SHIM(cudaGraphGetRootNodes); SHIM(cudaGraphNodeGetType); SHIM(cudaGraphAddEmptyNode);
  SHIM(cudaGraphAddChildGraphNode); SHIM(kcheck_graph_dependencies); SHIM(kcheck_graph_kernel); SHIM(kcheck_graph_update_kernel);
  SHIM(kcheck_graph_host); SHIM(kcheck_graph_call);
}

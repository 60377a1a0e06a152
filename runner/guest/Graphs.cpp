#include "runner/guest/Graphs.h"
#include "runner/guest/Errors.h"
#include <algorithm>
#include <set>
#include <utility>

using namespace kcheck::guest;

Graphs::Graph *Graphs::graph(void *G) const {
  auto It = All.find(G);
  return It == All.end() ? nullptr : It->second.get();
}

Graphs::Node *Graphs::node(void *N) const {
  auto It = Nodes.find(N);
  return It == Nodes.end() ? nullptr : It->second;
}

Graphs::Node *Graphs::append(Graph &To, NodeKind Kind, GraphStep Do, void **Before, size_t Count) {
  auto N = std::make_unique<Node>(Node{Kind, std::move(Do), {}});
  for (size_t I = 0; I < Count; ++I)
    if (Node *B = node(Before[I]))
      N->After.push_back(B);
  Node *P = N.get();
  Nodes[P] = P;
  To.Nodes.push_back(std::move(N));
  return P;
}

/// Each behind those that it depends on.
std::vector<Graphs::Node *> Graphs::sorted(const Graph &G) {
  std::vector<Node *> Out;
  std::set<Node *> Seen;
  std::function<void(Node *)> visit = [&](Node *N) {
    if (!Seen.insert(N).second)
      return;
    for (Node *B : N->After)
      visit(B);
    Out.push_back(N);
  };
  for (auto &N : G.Nodes)
    visit(N.get());
  return Out;
}

Graphs::Executable Graphs::stepsOf(const Graph &G) {
  Executable Steps;
  for (Node *N : sorted(G))
    Steps.emplace_back(N, N->Do);
  return Steps;
}

/// Each step on a stream of its own that waits for those of the steps before it.
int Graphs::runBranches(const Executable &Steps, void *Stream) {
  std::map<Node *, void *> Branch;
  int Error = Success;
  for (auto &[N, Do] : Steps) {
    void *Own = Branch[N] = Of->fork(Stream);
    for (Node *B : N->After)
      if (auto It = Branch.find(B); It != Branch.end())
        Of->wait(Own, It->second);
    if (Do && !Error)
      Error = Do(Own);
  }
  for (auto &[N, Own] : Branch) {
    Of->wait(Stream, Own);
    Of->done(Own);
  }
  return Error;
}

int Graphs::runAll(const Executable &Steps, void *Stream) {
  bool Chain = true;
  for (size_t I = 1; I < Steps.size(); ++I)
    Chain &= std::find(Steps[I].first->After.begin(), Steps[I].first->After.end(), Steps[I - 1].first) != Steps[I].first->After.end();
  if (Of && !Chain)
    return runBranches(Steps, Stream);
  for (auto &[N, Do] : Steps)
    if (Do)
      if (int Error = Do(Stream))
        return Error;
  return Success;
}

bool Graphs::captured(void *Stream, GraphStep Do) {
  // A capture takes in the streams that wait for its events: in practice all that are not the default one.
  if (!Capturing || (Stream != CaptureStream && !Stream))
    return false;
  void *Last = Capturing->Nodes.empty() ? nullptr : Capturing->Nodes.back().get();
  append(*Capturing, NodeKind::Kernel, std::move(Do), &Last, Last ? 1 : 0);
  return true;
}

int Graphs::beginCapture(void *Stream) {
  if (Capturing || !Stream)
    return CaptureUnsupported;
  void *New = nullptr;
  create(&New);
  Capturing = graph(New);
  CaptureStream = Stream;
  return Success;
}

int Graphs::endCapture(void *Stream, void **Out) {
  if (!capturing(Stream))
    return CaptureInvalidated;
  *Out = std::exchange(Capturing, nullptr);
  return Success;
}

int Graphs::create(void **Out) {
  auto G = std::make_unique<Graph>();
  *Out = G.get();
  All[*Out] = std::move(G);
  return Success;
}

int Graphs::destroy(void *G) {
  Graph *Of = graph(G);
  if (!Of || Of == Capturing)
    return InvalidValue;
  std::move(Of->Nodes.begin(), Of->Nodes.end(), std::back_inserter(Removed));
  All.erase(G);
  return Success;
}

int Graphs::clone(void **Out, void *G) {
  Graph *From = graph(G);
  if (!From)
    return InvalidValue;
  std::vector<Node *> Order = sorted(*From);
  create(Out);
  std::map<Node *, Node *> Copies;
  for (Node *N : Order) {
    Node *Copy = Copies[N] = append(*graph(*Out), N->Kind, N->Do, nullptr, 0);
    for (Node *B : N->After)
      if (auto It = Copies.find(B); It != Copies.end())
        Copy->After.push_back(It->second);
  }
  return Success;
}

int Graphs::add(void **Out, void *G, void **Before, size_t Count, NodeKind Kind, GraphStep Do) {
  Graph *To = graph(G);
  if (!To)
    return InvalidValue;
  *Out = append(*To, Kind, std::move(Do), Before, Count);
  return Success;
}

int Graphs::addChild(void **Out, void *G, void **Before, size_t Count, void *Child) {
  Graph *From = graph(Child);
  if (!From)
    return InvalidValue;
  return add(Out, G, Before, Count, NodeKind::Graph, [this, Steps = stepsOf(*From)](void *Stream) { return runAll(Steps, Stream); });
}

int Graphs::addDependencies(void **From, void **To, size_t Count) {
  for (size_t I = 0; I < Count; ++I) {
    Node *First = node(From[I]), *Then = node(To[I]);
    if (!First || !Then)
      return InvalidValue;
    Then->After.push_back(First);
  }
  return Success;
}

int Graphs::nodes(void *G, void **Out, size_t *Count, bool RootsOnly) const {
  Graph *From = graph(G);
  if (!From)
    return InvalidValue;
  size_t N = 0;
  for (auto &Node : From->Nodes)
    if (!RootsOnly || Node->After.empty()) {
      if (Out && N < *Count)
        Out[N] = Node.get();
      ++N;
    }
  *Count = N;
  return Success;
}

int Graphs::kind(void *N, int *Kind) const {
  Node *Of = node(N);
  if (!Of)
    return InvalidValue;
  *Kind = int(Of->Kind);
  return Success;
}

int Graphs::instantiate(void **Out, void *G) {
  Graph *From = graph(G);
  if (!From)
    return InvalidValue;
  auto E = std::make_unique<Executable>(stepsOf(*From));
  *Out = E.get();
  Executables[*Out] = std::move(E);
  return Success;
}

int Graphs::update(void *E, void *G) {
  auto It = Executables.find(E);
  Graph *From = graph(G);
  if (It == Executables.end() || !From)
    return InvalidValue;
  *It->second = stepsOf(*From);
  return Success;
}

int Graphs::launch(void *E, void *Stream) {
  auto It = Executables.find(E);
  return It == Executables.end() ? int(InvalidValue) : runAll(*It->second, Stream);
}

int Graphs::destroyExecutable(void *E) { return Executables.erase(E) ? Success : InvalidValue; }

int Graphs::setStep(void *E, void *N, GraphStep Do) {
  Node *Of = node(N);
  if (!Of)
    return InvalidValue;
  if (!E) {
    Of->Do = std::move(Do);
    return Success;
  }
  auto It = Executables.find(E);
  if (It == Executables.end())
    return InvalidValue;
  for (auto &[Node, Old] : *It->second)
    if (Node == Of)
      Old = Do;
  return Success;
}

//===- Graphs.h - CUDA graphs as host code sees them ------------------------------===//
//
//   capture, or node by node ─► graph ─► executable graph ─► launch: its steps one after another, on the stream of the launch
//
// A graph is kept where the host code runs; what its steps do is the caller's. They run in an order that the dependencies
// allow, which is one of those that a device may choose.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GUEST_GRAPHS_H
#define KCHECK_GUEST_GRAPHS_H

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace kcheck::guest {

/// Does its work on the stream; a cudaError_t.
using GraphStep = std::function<int(void *Stream)>;

/// cudaGraphNodeType.
enum class NodeKind : int { Kernel = 0, Copy = 1, Set = 2, Host = 3, Graph = 4, Empty = 5 };

/// The branches of a graph as streams of their own, for who keeps the order of streams.
class Branches {
public:
  virtual ~Branches() = default;
  virtual void *fork(void *From) = 0;             ///< a stream that waits for what From has so far
  virtual void wait(void *Stream, void *For) = 0; ///< what Stream does next waits for For
  virtual void done(void *Branch) = 0;
};

/// Results are cudaError_t; handles are pointers that mean nothing to anyone else.
class Graphs {
public:
  explicit Graphs(Branches *Of = nullptr) : Of(Of) {}
  /// Whether work on the stream is being recorded; then Do is, and the call is done.
  bool captured(void *Stream, GraphStep Do);
  bool capturing(void *Stream) const { return Capturing && Stream == CaptureStream; }
  int beginCapture(void *Stream);
  int endCapture(void *Stream, void **Out);

  int create(void **Out);
  int destroy(void *G);
  int clone(void **Out, void *G);
  int add(void **Out, void *G, void **Before, size_t Count, NodeKind Kind, GraphStep Do);
  int addChild(void **Out, void *G, void **Before, size_t Count, void *Child);
  int addDependencies(void **From, void **To, size_t Count);
  int nodes(void *G, void **Out, size_t *Count, bool RootsOnly) const;
  int kind(void *Node, int *Kind) const;

  int instantiate(void **Out, void *G);
  int update(void *Executable, void *G);
  int launch(void *Executable, void *Stream);
  int destroyExecutable(void *Executable);
  /// Of a node, or where an executable graph is given of its step for that node.
  int setStep(void *Executable, void *Node, GraphStep Do);

private:
  struct Node {
    NodeKind Kind;
    GraphStep Do;
    std::vector<Node *> After;
  };
  struct Graph {
    std::vector<std::unique_ptr<Node>> Nodes;
  };
  using Executable = std::vector<std::pair<Node *, GraphStep>>;

  Graph *graph(void *G) const;
  Node *node(void *N) const;
  static std::vector<Node *> sorted(const Graph &G);
  static Executable stepsOf(const Graph &G);
  int runAll(const Executable &Steps, void *Stream);
  int runBranches(const Executable &Steps, void *Stream);
  Node *append(Graph &To, NodeKind Kind, GraphStep Do, void **Before, size_t Count);

  std::map<void *, std::unique_ptr<Graph>> All;
  std::map<void *, std::unique_ptr<Executable>> Executables;
  std::vector<std::unique_ptr<Node>> Removed; ///< executable graphs name them still
  std::map<void *, Node *> Nodes;
  Branches *Of;
  Graph *Capturing = nullptr;
  void *CaptureStream = nullptr;
};

} // namespace kcheck::guest
#endif

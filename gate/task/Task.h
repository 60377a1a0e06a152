//===- Task.h - task.yaml: the operator that a candidate must implement ----------===//
//
//   task.yaml ─► loadTask (every key known, every type right, every dim bound) ─► Task ─► plan, job, comparison
//
// To add a key: a row in the table of its section in Loader.cpp, the field here, docs/tasks.md and
// docs/schema/task.schema.json.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_TASK_TASK_H
#define KCHECK_GATE_TASK_TASK_H

#include "runner/ops/Match.h"
#include "runner/ops/Samples.h"

namespace kcheck::gate {

/// An argument of the candidate's launcher (or kernel), as the task says it.
struct TaskArg {
  enum class Kind { Buffer, Dim, Scalar, Stream } What = Kind::Buffer;
  std::string Name;
  protocol::Role How = protocol::Role::In;
  protocol::DType Type = protocol::DType::F32;
  std::vector<std::string> Shape; ///< expressions over the dims
  std::string Dim;                ///< Dim: an expression, mostly a name
  double Value = 0;               ///< Scalar
  std::optional<ops::Draw> Inputs; ///< an own distribution
  std::string Below;              ///< indices in [0, Below)
  unsigned Line = 0;
};

struct Task {
  std::string File;
  std::string Op;          ///< a built-in operator …
  std::string CppReference; ///< … or a C++ file …
  std::string NpzReference; ///< … or stored outputs (and inputs)
  std::string Entry;       ///< the launcher's name …
  std::string Kernel;      ///< … or a kernel with its launch
  std::vector<std::string> Grid, Block;
  std::string SharedBytes = "0";
  std::vector<TaskArg> Args; ///< empty: from the launcher's declaration
  std::vector<ops::Dims> Shapes; ///< empty: the operator's own
  std::vector<ops::Draw> Draws;  ///< empty: the operator's own
  std::optional<double> Relative, Absolute;
  std::string Baseline;
  ops::Dims PerfShape;
  unsigned PerfRuns = 50;
  double PerfMaxRatio = 2;
  double Seconds = 2, SimSeconds = 30;
  unsigned GpuMb = 4096;
};

/// What is wrong with a task, and where.
struct TaskError {
  unsigned Line = 0, Column = 0;
  std::string Message;
};

/// Reads a task; paths in it are taken relative to its file. All errors are collected.
std::optional<Task> loadTask(const std::string &File, std::vector<TaskError> &Errors);
std::optional<Task> parseTask(const std::string &Text, const std::string &File, std::vector<TaskError> &Errors);

/// The task that `--op NAME` stands for.
Task taskForOperator(const std::string &Op);

/// "task.yaml:3:1: unknown key 'ops'; did you mean 'op'?"
std::string toString(const TaskError &E, const std::string &File);

} // namespace kcheck::gate
#endif

//===- Reference.h - outputs judged on the device by an fp64 reference ------------===//
//
//   inputs ─► widened to fp64 ─► reference kernel (kernels/references.cu) ─► comparison ─► Judgement
//
// The reference is computed after the candidate has run, so that nothing of it lies in memory meanwhile. Before it judges
// anything it is itself checked against the CPU's: on a small shape, and on windows of the big tensors. Operators
// without a kernel are judged by the CPU's reference on the whole.
//
// To add an operator: its kernel, and its row in Reference.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_REFERENCE_H
#define KCHECK_GPU_REFERENCE_H

#include "runner/gpu/Execute.h"
#include "runner/ops/Compare.h"

namespace kcheck::gpu {

/// A part of the work along one dim: all of it where Count is negative.
struct Window {
  int64_t Begin = 0, Count = -1;
};

/// What kernels/helpers.cu reports of a comparison.
struct CompareReport {
  uint64_t Wrong, NanWrong, Unwritten, First, MaxAbs, MaxRel, Worst, Half, WantHalf, Brain, Constant, LastRight;
};

/// How an operator's reference kernel is called.
struct ReferenceRow {
  const char *Operator, *Kernel;
  std::vector<const char *> Inputs; ///< the operator's arguments in the kernel's order; absent ones are null
  const char *Output;
  std::vector<const char *> Dims;   ///< expressions over the operator's dims
  std::vector<const char *> Attrs;
  const char *Length;               ///< L (Compare.h), an expression over the operator's dims
  const char *Along;                ///< dim along which inputs and output can be cut into windows; empty: none
  bool Heavy = false;               ///< much more work than reading its inputs: one window a call
};
const std::vector<ReferenceRow> &referenceRows();
const ReferenceRow *referenceRow(const std::string &Operator);

class DeviceReference {
public:
  /// Throws Failed (BadJob) when the request does not fit the operator.
  DeviceReference(Device &G, const protocol::ReferenceRequest &R, const std::vector<protocol::Buffer> &Declared);

  bool onDevice() const { return Row != nullptr; }
  const ops::Operator &op() const { return *Op; }
  /// Operator's argument -> declared buffer; null where the launcher lacks it.
  const protocol::Buffer *bufferOf(const std::string &Arg) const;
  std::vector<std::string> inputs() const;  ///< arguments of role In or InOut that are bound
  std::vector<std::string> outputs() const; ///< of role Out or InOut

  /// Floating-point operations of the whole; 0: not known.
  double flops() const;
  uint64_t inputBytes() const, outputBytes() const;

  /// Checks the device's reference against the CPU's on a small shape; a reason when it differs.
  std::string validateSmall();

  /// Queues the comparison of what lies at Got with the reference of the inputs at In (argument -> address); the report
  /// goes to Report on the device. Window: of a heavy operator only.
  void queue(const std::map<std::string, DevicePtr> &In, DevicePtr Got, const Window &W, DevicePtr Report);
  /// The same by the CPU, at once.
  protocol::Judgement judgeOnCpu(const std::map<std::string, DevicePtr> &In, DevicePtr Got);
  /// The CPU's values of the output.
  std::vector<double> cpuAnswer(const std::map<std::string, DevicePtr> &In);
  protocol::Judgement judgementOf(const CompareReport &R, int64_t Elements) const;

  /// Compares the device's reference with the CPU's on a random window of the inputs; a reason when they differ.
  std::string validateWindow(const std::map<std::string, DevicePtr> &In, uint64_t Random);

  Window randomWindow(uint64_t Random, int64_t Most) const;
  int64_t alongSize() const;
  int64_t outputElements() const;

private:
  struct Launch {
    std::map<std::string, DevicePtr> In;
    ops::Dims Dims;
    std::map<std::string, std::vector<int64_t>> Shapes;
    std::map<std::string, ops::DType> Types;
    int64_t Elements = 0;
    double Length = 1;
  };
  Launch windowed(const std::map<std::string, DevicePtr> &In, const Window &W) const;
  /// Reference of a launch into Want and Terms.
  void evaluate(const Launch &L);
  ops::Value onCpu(const Launch &L, ops::Call &Kept);
  std::vector<double> readDoubles(DevicePtr P, int64_t N);
  DevicePtr room(DeviceMemory &M, size_t Bytes);
  ops::Tolerance tolerance() const;
  std::vector<int64_t> shapeOf(const ops::Arg &A, const ops::Dims &D) const;
  double lengthOf(const ops::Dims &D) const;

  Device &G;
  protocol::ReferenceRequest R;
  const ops::Operator *Op = nullptr;
  const ReferenceRow *Row = nullptr;
  std::map<std::string, const protocol::Buffer *> Bound;
  std::map<std::string, double> Attrs;
  std::map<std::string, DeviceMemory> Wide;
  DeviceMemory Want, Terms;
};

} // namespace kcheck::gpu
#endif

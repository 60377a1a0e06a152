#include "runner/gpu/Reference.h"
#include "runner/ops/Philox.h"
#include "runner/ops/Samples.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using protocol::Role;

const std::vector<ReferenceRow> &gpu::referenceRows() {
  using Names = std::vector<const char *>;
  static const std::vector<ReferenceRow> Rows = [] {
    std::vector<ReferenceRow> R;
    for (const char *N : {"abs", "copy", "exp", "gelu", "hardswish", "relu", "sigmoid", "silu", "softplus", "square", "tanh"})
      R.push_back({N, N, {"x"}, "y", {"n"}, {}, "1", "n"});
    for (const char *N : {"elu", "leaky_relu"})
      R.push_back({N, N, {"x"}, "y", {"n"}, {"alpha"}, "1", "n"});
    R.push_back({"scale", "scale", {"x"}, "y", {"n"}, {"factor"}, "1", "n"});
    for (const char *N : {"add", "add_relu", "mul", "sigmoid_mul", "silu_mul", "sub", "tanh_add"})
      R.push_back({N, N, {"a", "b"}, "out", {"n"}, {}, "2", "n"});
    R.push_back({"mul_add", "mul_add", {"a", "b", "c"}, "out", {"n"}, {}, "2", "n"});
    R.push_back({"axpy", "axpy", {"x", "y"}, "y", {"n"}, {"alpha"}, "2", "n"});
    for (const char *N : {"bias_add", "bias_relu", "bias_gelu"})
      R.push_back({N, N, {"x", "bias"}, "y", {"rows", "cols"}, {}, "2", "rows"});
    for (const char *N : {"softmax", "log_softmax", "row_sum", "row_mean"})
      R.push_back({N, N, {"x"}, "y", {"rows", "cols"}, {}, "cols", "rows"});
    R.push_back({"row_max", "row_max", {"x"}, "y", {"rows", "cols"}, {}, "1", "rows"});
    R.push_back({"layernorm", "layernorm", {"x", "gamma", "beta"}, "y", {"rows", "cols"}, {"eps"}, "cols", "rows"});
    R.push_back({"rmsnorm", "rmsnorm", {"x", "weight"}, "y", {"rows", "cols"}, {"eps"}, "cols", "rows"});
    R.push_back({"batchnorm", "batchnorm", {"x", "gamma", "beta", "mean", "var"}, "y", {"n", "c", "s"}, {"eps"}, "4", "n"});
    R.push_back({"col_sum", "col_sum", {"x"}, "y", {"rows", "cols"}, {}, "rows", ""});
    for (const char *N : {"reduce_sum", "reduce_mean"})
      R.push_back({N, N, {"x"}, "y", {"n"}, {}, "n", ""});
    R.push_back({"reduce_max", "reduce_max", {"x"}, "y", {"n"}, {}, "1", ""});
    for (const char *N : {"dot", "mse_loss"})
      R.push_back({N, N, {"a", "b"}, "out", {"n"}, {}, "n", ""});
    const Names MNK = {"m", "n", "k"};
    R.push_back({"matmul", "matmul", {"a", "b"}, "c", MNK, {}, "k", "m", true});
    R.push_back({"matmul_nt", "matmul_nt", {"a", "b"}, "c", MNK, {}, "k", "m", true});
    R.push_back({"matmul_tn", "matmul_tn", {"a", "b"}, "c", MNK, {}, "k", "", true});
    R.push_back({"matmul_tt", "matmul_tt", {"a", "b"}, "c", MNK, {}, "k", "", true});
    R.push_back({"matmul_square", "matmul", {"a", "b"}, "c", {"n", "n", "n"}, {}, "n", "", true});
    R.push_back({"matvec", "matmul", {"a", "x"}, "y", {"rows", "1", "cols"}, {}, "cols", "rows"});
    R.push_back({"batched_matmul", "matmul", {"a", "b"}, "c", {"m", "n", "k", "batch"}, {}, "k", "batch", true});
    R.push_back({"gemm", "gemm", {"a", "b", "", "c"}, "c", MNK, {"alpha", "beta"}, "k", "m", true});
    R.push_back({"linear", "matmul_nt", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"linear_relu", "linear_relu", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"linear_gelu", "linear_gelu", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"linear_kn", "matmul", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"linear_relu_kn", "linear_relu_kn", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"linear_gelu_kn", "linear_gelu_kn", {"x", "w", "bias"}, "y", MNK, {}, "k+1", "m", true});
    R.push_back({"transpose", "transpose", {"x"}, "y", {"rows", "cols"}, {}, "1", ""});
    R.push_back({"gather", "gather", {"src", "idx"}, "out", {"m"}, {}, "1", ""});
    R.push_back({"gather_known", "gather", {"src", "idx"}, "out", {"m"}, {}, "1", ""});
    R.push_back({"embedding", "embedding", {"table", "ids"}, "out", {"n", "d"}, {}, "1", "n"});
    return R;
  }();
  return Rows;
}

const ReferenceRow *gpu::referenceRow(const std::string &Operator) {
  for (const ReferenceRow &R : referenceRows())
    if (Operator == R.Operator)
      return &R;
  return nullptr;
}

static bool isInput(const ops::Arg &A) { return A.What == ops::Arg::Kind::Buffer && A.How != Role::Out && A.How != Role::Scratch; }
static bool isOutput(const ops::Arg &A) { return A.What == ops::Arg::Kind::Buffer && (A.How == Role::Out || A.How == Role::InOut); }

DeviceReference::DeviceReference(Device &G, const protocol::ReferenceRequest &Request, const std::vector<protocol::Buffer> &Declared)
    : G(G), R(Request) {
  Op = ops::findOperator(R.Operator);
  if (!Op)
    throw Failed{Failure::BadJob, "reference: unknown operator '" + R.Operator + "'"};
  Row = referenceRow(R.Operator);
  for (const ops::Arg &A : Op->Args) {
    if (A.What == ops::Arg::Kind::Dim && !R.Dims.count(A.Name))
      throw Failed{Failure::BadJob, "reference: no size '" + A.Name + "'"};
    if (A.What == ops::Arg::Kind::Attr)
      Attrs[A.Name] = R.Attrs.count(A.Name) ? R.Attrs.at(A.Name) : A.Default;
    auto It = R.Buffers.find(A.Name);
    if (A.What != ops::Arg::Kind::Buffer || It == R.Buffers.end())
      continue;
    for (const protocol::Buffer &B : Declared)
      if (B.Name == It->second)
        Bound[A.Name] = &B;
    if (!Bound.count(A.Name))
      throw Failed{Failure::BadJob, "reference: no buffer '" + It->second + "'"};
    int64_t Elements = 1;
    for (int64_t D : shapeOf(A, R.Dims))
      Elements *= D;
    if (Elements != Bound[A.Name]->elements())
      throw Failed{Failure::BadJob, "reference: buffer '" + It->second + "' has " + std::to_string(Bound[A.Name]->elements()) + " elements, '" +
                                        A.Name + "' needs " + std::to_string(Elements)};
  }
  for (const ops::Arg &A : Op->Args)
    if (A.What == ops::Arg::Kind::Buffer && !A.Optional && !Bound.count(A.Name))
      throw Failed{Failure::BadJob, "reference: no buffer is bound to '" + A.Name + "'"};
}

const protocol::Buffer *DeviceReference::bufferOf(const std::string &Arg) const {
  auto It = Bound.find(Arg);
  return It == Bound.end() ? nullptr : It->second;
}
std::vector<std::string> DeviceReference::inputs() const {
  std::vector<std::string> N;
  for (const ops::Arg &A : Op->Args)
    if (isInput(A) && Bound.count(A.Name))
      N.push_back(A.Name);
  return N;
}
std::vector<std::string> DeviceReference::outputs() const {
  std::vector<std::string> N;
  for (const ops::Arg &A : Op->Args)
    if (isOutput(A) && Bound.count(A.Name))
      N.push_back(A.Name);
  return N;
}

std::vector<int64_t> DeviceReference::shapeOf(const ops::Arg &A, const ops::Dims &D) const {
  std::vector<int64_t> S;
  for (const std::string &E : A.Shape)
    for (const std::string &Part : ops::splitShape(E))
      S.push_back(ops::evaluate(Part, D).value_or(0));
  return S;
}

uint64_t DeviceReference::inputBytes() const {
  uint64_t N = 0;
  for (const std::string &A : inputs())
    N += Bound.at(A)->bytes();
  return N;
}
uint64_t DeviceReference::outputBytes() const {
  uint64_t N = 0;
  for (const std::string &A : outputs())
    N += Bound.at(A)->bytes();
  return N;
}
int64_t DeviceReference::outputElements() const { return Row ? Bound.at(Row->Output)->elements() : 0; }

double DeviceReference::flops() const {
  if (!Row || !Row->Heavy)
    return 0;
  double F = 2;
  for (const char *E : Row->Dims)
    F *= double(ops::evaluate(E, R.Dims).value_or(0));
  return F;
}

double DeviceReference::lengthOf(const ops::Dims &D) const { return std::max(1.0, double(ops::evaluate(Row->Length, D).value_or(1))); }

int64_t DeviceReference::alongSize() const { return Row && Row->Along[0] ? R.Dims.at(Row->Along) : 0; }

Window DeviceReference::randomWindow(uint64_t Random, int64_t Most) const {
  int64_t N = alongSize();
  if (N <= Most)
    return {};
  return {int64_t((unsigned __int128)(Random) * uint64_t(N - Most + 1) >> 64), Most};
}

DeviceReference::Launch DeviceReference::windowed(const std::map<std::string, DevicePtr> &In, const Window &W) const {
  Launch L;
  L.Dims = R.Dims;
  if (W.Count >= 0)
    L.Dims[Row->Along] = W.Count;
  for (const ops::Arg &A : Op->Args) {
    if (A.What != ops::Arg::Kind::Buffer || !Bound.count(A.Name))
      continue;
    L.Types[A.Name] = Bound.at(A.Name)->Type;
    std::vector<int64_t> Whole = shapeOf(A, R.Dims), Part = Whole;
    bool Cut = W.Count >= 0 && !A.Shape.empty() && ops::splitShape(A.Shape[0])[0] == Row->Along;
    int64_t Stride = 1;
    for (size_t I = 1; I < Whole.size(); ++I)
      Stride *= Whole[I];
    if (Cut)
      Part[0] = W.Count;
    L.Shapes[A.Name] = Part;
    if (auto It = In.find(A.Name); It != In.end())
      L.In[A.Name] = It->second + (Cut ? uint64_t(W.Begin) * uint64_t(Stride) * protocol::sizeOf(L.Types[A.Name]) : 0);
    if (Row && A.Name == Row->Output) {
      L.Elements = 1;
      for (int64_t D : Part)
        L.Elements *= D;
    }
  }
  if (Row)
    L.Length = lengthOf(L.Dims);
  return L;
}

DevicePtr DeviceReference::room(DeviceMemory &M, size_t Bytes) {
  if (M.size() < Bytes)
    M = G.allocate(Bytes, "reference");
  return M.get();
}

namespace {
/// As in kernels/references.cu.
struct KernelArgs {
  DevicePtr In[8] = {};
  DevicePtr Out = 0, Terms = 0;
  long long D[8] = {};
  double A[4] = {};
  int Variant = 0;
};

int64_t count(const std::vector<int64_t> &Shape) {
  int64_t N = 1;
  for (int64_t D : Shape)
    N *= D;
  return N;
}
} // namespace

void DeviceReference::evaluate(const Launch &L) {
  KernelArgs K;
  for (size_t I = 0; I < Row->Inputs.size(); ++I) {
    auto It = L.In.find(Row->Inputs[I]);
    if (It == L.In.end())
      continue;
    int64_t N = count(L.Shapes.at(It->first));
    K.In[I] = room(Wide[It->first], size_t(N) * 8);
    G.call("kc_widen", N, It->second, int(L.Types.at(It->first)), (long long)N, K.In[I]);
  }
  K.Out = room(Want, size_t(L.Elements) * 8);
  K.Terms = L.Length > 1 ? room(Terms, size_t(L.Elements) * 8) : 0;
  for (size_t I = 0; I < Row->Dims.size(); ++I)
    K.D[I] = ops::evaluate(Row->Dims[I], L.Dims).value_or(0);
  for (size_t I = 0; I < Row->Attrs.size(); ++I)
    K.A[I] = Attrs.at(Row->Attrs[I]);
  K.Variant = R.Variant == "tanh";
  G.call(G.reference(std::string("ref_") + Row->Kernel), int64_t(G.fullGrid()) * 256, K);
}

ops::Tolerance DeviceReference::tolerance() const {
  std::string Out = Row ? Row->Output : outputs().front();
  ops::Tolerance T = ops::defaultTolerance(Bound.at(Out)->Type);
  if (R.Relative >= 0)
    T.Relative = R.Relative;
  if (R.Absolute >= 0)
    T.Absolute = R.Absolute;
  return T;
}

void DeviceReference::queue(const std::map<std::string, DevicePtr> &In, DevicePtr Got, const Window &W, DevicePtr Report) {
  Launch L = windowed(In, W);
  evaluate(L);
  ops::DType Type = L.Types.at(Row->Output);
  ops::Tolerance T = tolerance();
  double U = ops::unitRoundoff(Type);
  if (L.Length > 4)
    U = std::min(U, 0x1p-24);
  if (Type == ops::DType::F64)
    U = 0x1p-53;
  double Rounding = L.Length > 1 ? T.Factor * U * std::sqrt(L.Length) : 0;
  int64_t Whole = outputElements();
  int64_t Base = W.Count >= 0 ? W.Begin * (Whole / std::max<int64_t>(1, alongSize())) : 0;
  int Size = int(protocol::sizeOf(Type));
  DevicePtr None = 0;
  G.call("kc_clear", 1, Report, None);
  G.call("kc_compare", L.Elements, Got + uint64_t(Base) * uint64_t(Size), int(Type), Size, Want.get(), L.Length > 1 ? Terms.get() : None,
         (long long)L.Elements, T.Relative, T.Absolute, Rounding, (unsigned char)0xFF, (long long)Base, Report);
}

protocol::Judgement DeviceReference::judgementOf(const CompareReport &C, int64_t Elements) const {
  protocol::Judgement J;
  J.Buffer = Bound.at(Row->Output)->Name;
  J.Elements = Elements;
  J.Wrong = int64_t(C.Wrong);
  J.NanWrong = int64_t(C.NanWrong);
  J.Unwritten = int64_t(C.Unwritten);
  J.First = C.Wrong ? int64_t(C.First) : -1;
  J.MaxAbs = std::bit_cast<double>(C.MaxAbs);
  J.MaxRel = std::bit_cast<double>(C.MaxRel);
  J.Worst = std::bit_cast<double>(C.Worst);
  if (J.Wrong) {
    J.Tag = J.Unwritten ? "not_all_written" : J.NanWrong ? "nan_inf" : "wrong_result";
    J.Message = "output '" + J.Buffer + "': " + std::to_string(J.Wrong) + " of " + std::to_string(Elements) + " elements wrong" +
                (J.Unwritten ? ", " + std::to_string(J.Unwritten) + " never written" : "") + "; first at " + std::to_string(J.First);
  }
  return J;
}

std::vector<double> DeviceReference::readDoubles(DevicePtr P, int64_t N) {
  std::vector<double> V(size_t(N), 0.0);
  if (N)
    G.check(G.api().copyFromDevice(V.data(), P, size_t(N) * 8, G.stream()), "reading a reference");
  G.synchronize("reading a reference");
  return V;
}

ops::Value DeviceReference::onCpu(const Launch &L, ops::Call &C) {
  C = {};
  C.Sizes = L.Dims;
  C.Variant = R.Variant;
  C.Attrs = Attrs;
  std::map<std::string, ops::DType> Types;
  for (const ops::Arg &A : Op->Args) {
    if (A.What != ops::Arg::Kind::Buffer || !Bound.count(A.Name))
      continue;
    if (isOutput(A))
      Types[A.Name] = L.Types.at(A.Name);
    if (!isInput(A))
      continue;
    ops::Value &V = C.In[A.Name];
    V.Type = L.Types.at(A.Name);
    V.Shape = L.Shapes.at(A.Name);
    ops::Bytes Raw(size_t(count(V.Shape)) * protocol::sizeOf(V.Type));
    if (!Raw.empty())
      G.check(G.api().copyFromDevice(Raw.data(), L.In.at(A.Name), Raw.size(), G.stream()), "reading an input");
    G.synchronize("reading an input");
    V.Data = ops::toDoubles(V.Type, Raw);
  }
  ops::evaluateReference(*Op, C, Types);
  return C.Out.at(Row ? Row->Output : Types.begin()->first);
}

/// The two references must agree far more closely than any tolerance.
static std::string differs(const std::vector<double> &Device, const ops::Value &Cpu, const std::vector<double> *Terms, double Length) {
  for (size_t I = 0; I < Cpu.Data.size(); ++I) {
    double A = Device[I], B = Cpu.Data[I];
    if (std::isnan(A) && std::isnan(B))
      continue;
    double S = Cpu.Terms.empty() ? std::fabs(B) : Cpu.Terms[I];
    if (A != B && !(std::fabs(A - B) <= 1e-11 * (std::fabs(B) + S) + 1e-290))
      return "element " + std::to_string(I) + " is " + std::to_string(A) + " on the device and " + std::to_string(B) + " on the CPU";
    if (Terms && !Cpu.Terms.empty() && !(std::fabs((*Terms)[I] - Cpu.Terms[I]) <= 1e-9 * std::fabs(Cpu.Terms[I]) + 1e-290))
      return "S of element " + std::to_string(I) + " is " + std::to_string((*Terms)[I]) + " on the device and " + std::to_string(Cpu.Terms[I]) + " on the CPU";
  }
  if (Length != Cpu.Length)
    return "L is " + std::to_string(Length) + " on the device and " + std::to_string(Cpu.Length) + " on the CPU";
  return "";
}

std::string DeviceReference::validateSmall() {
  // The operator's own second usual shape (the first may be too regular), inputs of their domains.
  const ops::Dims &Small = Op->Shapes[Op->Shapes.size() > 1 && !Row->Heavy ? Op->Shapes.size() - 1 : 0];
  ops::Dims D = Small;
  for (auto &[Name, N] : D)
    if (Op->Shapes.size() && D.size() == 1)
      N = std::min<int64_t>(N, 4099);
  protocol::ReferenceRequest Request = R;
  for (const auto &[Name, N] : D)
    Request.Dims[Name] = N;
  std::vector<protocol::Buffer> Declared;
  uint64_t Stream = 0;
  for (const ops::Arg &A : Op->Args) {
    if (A.What != ops::Arg::Kind::Buffer || !Bound.count(A.Name))
      continue;
    protocol::Buffer B;
    B.Name = A.Name;
    B.Type = Bound.at(A.Name)->Type;
    B.Shape = shapeOf(A, Request.Dims);
    B.How = A.How;
    if (isInput(A)) {
      B.Fill = protocol::Content::Generated;
      B.Gen = ops::generatorFor(A, B.Type, Op->Draws.front(), Request.Dims, 20261, ++Stream);
    }
    Request.Buffers[A.Name] = A.Name;
    Declared.push_back(std::move(B));
  }
  Buffers Own(G, uint64_t(1) << 34);
  std::map<std::string, DevicePtr> In;
  for (const protocol::Buffer &B : Declared) {
    Own.make(B, {});
    In[B.Name] = Own.address(B.Name);
  }
  DeviceReference Other(G, Request, Declared);
  return Other.validateWindow(In, 0);
}

std::string DeviceReference::validateWindow(const std::map<std::string, DevicePtr> &In, uint64_t Random) {
  int64_t PerStep = std::max<int64_t>(1, outputElements() / std::max<int64_t>(1, alongSize()));
  Window W = alongSize() ? randomWindow(Random, std::clamp<int64_t>((Row->Heavy ? 8192 : 65536) / PerStep, 4, 65536)) : Window{};
  if (!alongSize() && (flops() > 4e8 || inputBytes() > (64u << 20)))
    return ""; // cannot be cut into windows and is too big for the CPU: the small shape has to do
  Launch L = windowed(In, W);
  evaluate(L);
  std::vector<double> Device = readDoubles(Want.get(), L.Elements), S;
  if (L.Length > 1)
    S = readDoubles(Terms.get(), L.Elements);
  ops::Call C;
  return differs(Device, onCpu(L, C), S.empty() ? nullptr : &S, L.Length);
}

std::vector<double> DeviceReference::cpuAnswer(const std::map<std::string, DevicePtr> &In) {
  ops::Call C;
  return onCpu(windowed(In, {}), C).Data;
}

protocol::Judgement DeviceReference::judgeOnCpu(const std::map<std::string, DevicePtr> &In, DevicePtr Got) {
  Launch L = windowed(In, {});
  ops::Call C;
  ops::Value V = onCpu(L, C);
  std::string Arg = outputs().front();
  const protocol::Buffer &B = *Bound.at(Arg);
  V.Type = B.Type;
  ops::Bytes Raw(B.bytes());
  if (!Raw.empty())
    G.check(G.api().copyFromDevice(Raw.data(), Got, Raw.size(), G.stream()), "reading an output");
  G.synchronize("reading an output");
  ops::Comparison X = ops::compare(Raw, V, tolerance(), 0xFF, [&](int64_t I, double Value) { return Op->Accept && Op->Accept(C, Arg, I, Value); });
  protocol::Judgement J;
  J.Buffer = B.Name;
  J.Elements = X.Elements;
  J.Wrong = X.Wrong;
  J.NanWrong = X.NanWrong;
  J.Unwritten = X.Unwritten;
  J.MaxAbs = X.MaxAbs;
  J.MaxRel = X.MaxRel;
  J.Worst = X.Worst;
  if (!X.First.empty()) {
    J.First = X.First.front().Flat;
    J.Got = X.First.front().Got;
    J.Want = X.First.front().Want;
    J.Allowed = X.First.front().Allowed;
  }
  J.Tag = X.tag();
  J.Message = X.pass() ? "" : "output '" + J.Buffer + "': " + ops::describe(X);
  return J;
}

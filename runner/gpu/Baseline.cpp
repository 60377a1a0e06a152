#include "runner/gpu/Baseline.h"
#include "runner/gpu/Hash.h"
#include "runner/gpu/Process.h"
#include "runner/ops/Baselines.h"
#include <chrono>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;

// Arguments arrive as pointers to an address, a long long or a double, by what the parameter is.
static constexpr char Entry[] = R"(
namespace {
template <typename A, bool Pointer, bool Floating> struct kcheck_take;
template <typename A> struct kcheck_take<A, true, false> { static A from(void *p) { return *static_cast<A *>(p); } };
template <typename A> struct kcheck_take<A, false, true> { static A from(void *p) { return A(*static_cast<double *>(p)); } };
template <typename A> struct kcheck_take<A, false, false> { static A from(void *p) { return A(*static_cast<long long *>(p)); } };
template <typename A> struct kcheck_pointer { static constexpr bool value = false; };
template <typename A> struct kcheck_pointer<A *> { static constexpr bool value = true; };
template <typename A> struct kcheck_floating { static constexpr bool value = false; };
template <> struct kcheck_floating<float> { static constexpr bool value = true; };
template <> struct kcheck_floating<double> { static constexpr bool value = true; };
template <size_t... I> struct kcheck_indices {};
template <size_t N, size_t... I> struct kcheck_count : kcheck_count<N - 1, N - 1, I...> {};
template <size_t... I> struct kcheck_count<0, I...> { typedef kcheck_indices<I...> type; };
template <typename... A, size_t... I> void kcheck_spread(void (*f)(A...), void **p, kcheck_indices<I...>) {
  f(kcheck_take<A, kcheck_pointer<A>::value, kcheck_floating<A>::value>::from(p[I])...);
}
template <typename... A> void kcheck_apply(void (*f)(A...), void **p) { kcheck_spread(f, p, typename kcheck_count<sizeof...(A)>::type()); }
} // namespace
)";

std::string gpu::baselineProgram(const std::string &Operator) {
  std::string_view Text = ops::baseline(Operator);
  if (Text.empty())
    return "";
  return std::string(Text) + Entry + "extern \"C\" void kcheck_call(void **p) { kcheck_apply(&launch_" + Operator + ", p); }\n";
}

std::string gpu::baselineType(protocol::DType T) {
  switch (T) {
  case protocol::DType::F32: return "float";
  case protocol::DType::F64: return "double";
  case protocol::DType::F16: return "__half";
  case protocol::DType::BF16: return "__nv_bfloat16";
  case protocol::DType::I32: return "int";
  case protocol::DType::I64: return "long long";
  default: return "";
  }
}

static std::string build(Device &G, const std::string &Operator, const std::string &Type, double &Ms, std::string &Why) {
  std::string Text = baselineProgram(Operator), Nvcc = toolkitProgram("nvcc");
  if (Text.empty() || Nvcc.empty()) {
    Why = Text.empty() ? "the operator has no baseline" : "nvcc, which builds the baseline, is not on this machine";
    return "";
  }
  std::string Header(ops::baselineHeader());
  std::string Key = Sha256().part("baseline " KCHECK_VERSION).part(Text).part(Header).part(Type).part(Nvcc).part(G.arch()).part(G.driverVersion()).hex();
  std::string Folder = G.cache().folder();
  static TemporaryFolder Own;
  if (Folder.empty())
    Folder = Own.path();
  std::string File = Folder + "/" + Key + ".so";
  if (access(File.c_str(), R_OK) == 0)
    return File;
  auto T0 = std::chrono::steady_clock::now();
  TemporaryFolder Work;
  Work.write("baseline.cu", Text);
  Work.write("baseline.cuh", Header);
  std::string Out = File + "." + std::to_string(getpid());
  ProcessResult P = runProcess({Nvcc, "-shared", "-Xcompiler", "-fPIC", "-std=c++17", "-O2", "-lineinfo", "-arch=" + G.arch(), "-DKCHECK_T=" + Type, "-o", Out,
                                Work.path() + "/baseline.cu"},
                               "", 120);
  std::error_code Error;
  if (P.Status == 0)
    std::filesystem::rename(Out, File, Error);
  if (P.Status != 0 || Error) {
    Why = "the baseline does not compile: " + P.Out.substr(0, 300);
    return "";
  }
  Ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count();
  return File;
}

std::unique_ptr<Baseline> Baseline::open(Device &G, const protocol::ReferenceRequest &R, const DeviceReference &Ref, std::string &Why) {
  std::unique_ptr<Baseline> B(new Baseline);
  std::string Type;
  for (const ops::Arg &A : Ref.op().Args) {
    Value V;
    switch (A.What) {
    case ops::Arg::Kind::Buffer: {
      const protocol::Buffer *Of = Ref.bufferOf(A.Name);
      bool MayLack = A.Name == "bias"; // the baselines of linear and conv take none as well
      if (!Of && !MayLack) {
        Why = "the baseline needs '" + A.Name + "', which the candidate has not";
        return nullptr;
      }
      V.Buffer = A.Name;
      if (Of && A.Types != ops::TypeClass::Integer && Type.empty())
        Type = baselineType(Of->Type);
      break;
    }
    case ops::Arg::Kind::Dim: V.Integer = R.Dims.at(A.Name); break;
    case ops::Arg::Kind::Attr:
      V.Real = R.Attrs.count(A.Name) ? R.Attrs.at(A.Name) : A.Default;
      V.Integer = (long long)V.Real;
      break;
    }
    B->Values.push_back(std::move(V));
  }
  if (Type.empty())
    Type = "float"; // integers only
  std::string File = build(G, Ref.op().Name, Type, B->CompileMs, Why);
  if (File.empty())
    return nullptr;
  B->Library = dlopen(File.c_str(), RTLD_NOW | RTLD_LOCAL);
  B->Call = B->Library ? reinterpret_cast<void (*)(void **)>(dlsym(B->Library, "kcheck_call")) : nullptr;
  if (!B->Call) {
    const char *Text = dlerror();
    Why = std::string("the baseline cannot be loaded: ") + (Text ? Text : "no entry");
    return nullptr;
  }
  return B;
}

void Baseline::run(const std::function<DevicePtr(const std::string &)> &Address) const {
  struct Cell {
    DevicePtr Pointer;
    long long Integer;
    double Real;
  };
  // Attributes are floating parameters; one that is 0 has the same bits in either reading.
  std::vector<Cell> Cells(Values.size());
  std::vector<void *> Args(Values.size());
  for (size_t I = 0; I < Values.size(); ++I) {
    Cells[I] = {Values[I].Buffer.empty() ? 0 : Address(Values[I].Buffer), Values[I].Integer, Values[I].Real};
    Args[I] = !Values[I].Buffer.empty() ? static_cast<void *>(&Cells[I].Pointer) : Values[I].Real != 0 ? static_cast<void *>(&Cells[I].Real) : static_cast<void *>(&Cells[I].Integer);
  }
  Call(Args.data());
}

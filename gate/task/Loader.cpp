#include "analyzers/engine/DidYouMean.h"
#include "gate/task/Task.h"
#include "runner/ops/Generate.h"
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <yaml-cpp/yaml.h>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

namespace {

class Loader {
public:
  Loader(std::string File, std::vector<TaskError> &Errors) : Errors(Errors) { T.File = std::move(File); }

  std::optional<Task> load(const YAML::Node &Root) {
    if (!Root.IsMap()) {
      fail(Root, "a task is a map of keys: kcheck, op, entry, args, shapes");
      return std::nullopt;
    }
    keys(Root, {"kcheck", "op", "reference", "entry", "kernel", "grid", "block", "shared", "args", "shapes", "inputs", "tolerance",
                "baseline", "perf", "limits"});
    version(Root);
    reference(Root);
    entry(Root);
    each(Root, "args", [&](const YAML::Node &N) { argument(N); });
    each(Root, "shapes", [&](const YAML::Node &N) { T.Shapes.push_back(dims(N)); ShapeNodes.push_back(N); });
    each(Root, "inputs", [&](const YAML::Node &N) { if (auto D = draw(N)) T.Draws.push_back(*D); });
    sections(Root);
    checkDims(Root);
    return Errors.empty() ? std::optional(std::move(T)) : std::nullopt;
  }

private:
  void fail(const YAML::Node &At, std::string Message) {
    YAML::Mark M = At.Mark();
    Errors.push_back({M.is_null() ? 0 : unsigned(M.line + 1), M.is_null() ? 0 : unsigned(M.column + 1), std::move(Message)});
  }

  static std::string suggest(const std::string &Word, const std::vector<std::string> &Known) {
    std::string Near = nearest(Word, Known);
    return Near.empty() ? "; one of " + join(Known) : "; did you mean '" + Near + "'?";
  }
  static std::string join(const std::vector<std::string> &Words) {
    std::string S;
    for (const std::string &W : Words)
      S += (S.empty() ? "" : ", ") + W;
    return S;
  }

  void keys(const YAML::Node &Map, const std::vector<std::string> &Known) {
    std::set<std::string> Seen;
    for (const auto &E : Map) {
      std::string Key = E.first.IsScalar() ? E.first.Scalar() : "";
      if (std::find(Known.begin(), Known.end(), Key) == Known.end())
        fail(E.first, "unknown key '" + Key + "'" + suggest(Key, Known));
      else if (!Seen.insert(Key).second)
        fail(E.first, "key '" + Key + "' stands here twice");
    }
  }

  template <typename V> std::optional<V> as(const YAML::Node &N, const std::string &What, const char *Kind) {
    if (N.IsScalar())
      try {
        return N.as<V>();
      } catch (const YAML::Exception &) {
      }
    fail(N, What + ": " + Kind + " is wanted" + (N.IsScalar() ? ", not '" + N.Scalar() + "'" : N.IsMap() ? ", not a map" : ", not a list"));
    return std::nullopt;
  }
  std::string text(const YAML::Node &Map, const char *Key) {
    YAML::Node N = Map[Key];
    return N ? as<std::string>(N, Key, "a text").value_or("") : "";
  }
  void number(const YAML::Node &Map, const char *Key, double &Out, double Low) {
    YAML::Node N = Map[Key];
    if (!N)
      return;
    auto V = as<double>(N, Key, "a number");
    if (V && !(*V >= Low))
      fail(N, std::string(Key) + ": must be at least " + std::to_string(Low));
    else if (V)
      Out = *V;
  }
  void whole(const YAML::Node &Map, const char *Key, unsigned &Out) {
    YAML::Node N = Map[Key];
    if (!N)
      return;
    auto V = as<int64_t>(N, Key, "a whole number");
    if (V && (*V < 1 || *V > 1'000'000))
      fail(N, std::string(Key) + ": must be between 1 and 1000000");
    else if (V)
      Out = unsigned(*V);
  }
  template <typename Fn> void each(const YAML::Node &Map, const char *Key, Fn F) {
    YAML::Node N = Map[Key];
    if (!N)
      return;
    if (!N.IsSequence())
      return fail(N, std::string(Key) + ": a list is wanted");
    for (const YAML::Node &E : N)
      F(E);
  }
  std::string path(const YAML::Node &Map, const char *Key) {
    std::string P = text(Map, Key);
    if (P.empty())
      return P;
    std::filesystem::path Full = std::filesystem::path(T.File).parent_path() / P;
    std::error_code EC;
    if (!std::filesystem::is_regular_file(Full, EC))
      fail(Map[Key], std::string(Key) + ": no file '" + P + "' beside the task");
    return Full.string();
  }

  void version(const YAML::Node &Root) {
    YAML::Node N = Root["kcheck"];
    if (!N)
      return fail(Root, "key 'kcheck' is missing; write 'kcheck: 1'");
    auto V = as<int>(N, "kcheck", "a whole number");
    if (V && *V != 1)
      fail(N, "kcheck: version " + std::to_string(*V) + " is not known; this program reads version 1");
  }

  void reference(const YAML::Node &Root) {
    T.Op = text(Root, "op");
    if (!T.Op.empty() && !ops::findOperator(T.Op)) {
      std::vector<std::string> Names;
      for (const ops::Operator *O : ops::allOperators())
        Names.push_back(O->Name);
      std::string Near = nearest(T.Op, Names);
      fail(Root["op"], "unknown operator '" + T.Op + "'" + (Near.empty() ? "; 'kcheck ops' lists them" : "; did you mean '" + Near + "'?"));
    }
    YAML::Node R = Root["reference"];
    if (!R && T.Op.empty())
      return fail(Root, "neither 'op' nor 'reference' says what the right answer is");
    if (R && !T.Op.empty())
      return fail(R, "'op' and 'reference' exclude each other");
    if (!R)
      return;
    if (!R.IsMap())
      return fail(R, "reference: {cpp: FILE} or {npz: FILE} is wanted");
    keys(R, {"cpp", "npz"});
    T.CppReference = path(R, "cpp");
    T.NpzReference = path(R, "npz");
    if (bool(R["cpp"]) == bool(R["npz"]))
      fail(R, "reference: exactly one of 'cpp' and 'npz' is wanted");
    if (!Root["args"])
      fail(R, "a reference of your own needs 'args'");
    if (!Root["shapes"])
      fail(R, "a reference of your own needs 'shapes'");
  }

  void entry(const YAML::Node &Root) {
    T.Entry = text(Root, "entry");
    T.Kernel = text(Root, "kernel");
    if (!T.Entry.empty() && !T.Kernel.empty())
      fail(Root["kernel"], "'entry' and 'kernel' exclude each other");
    T.Grid = expressions(Root, "grid");
    T.Block = expressions(Root, "block");
    if (Root["shared"])
      T.SharedBytes = text(Root, "shared");
    if (!T.Kernel.empty() && (T.Grid.empty() || T.Block.empty()))
      fail(Root["kernel"], "'kernel' needs 'grid' and 'block'");
    if (T.Kernel.empty())
      for (const char *K : {"grid", "block", "shared"})
        if (Root[K])
          fail(Root[K], std::string("'") + K + "' is for 'kernel'; the launcher of 'entry' has its own");
  }

  /// 256, "(n+255)/256" or a list of up to three.
  std::vector<std::string> expressions(const YAML::Node &Map, const char *Key) {
    std::vector<std::string> Out;
    YAML::Node N = Map[Key];
    if (!N)
      return Out;
    if (N.IsSequence() && N.size() <= 3) {
      for (const YAML::Node &E : N)
        Out.push_back(as<std::string>(E, Key, "an expression").value_or("1"));
    } else if (N.IsScalar()) {
      Out.push_back(N.Scalar());
    } else {
      fail(N, std::string(Key) + ": an expression or a list of up to three is wanted");
    }
    return Out;
  }

  void argument(const YAML::Node &N) {
    if (!N.IsMap())
      return fail(N, "args: {name: x, in: \"f32[n]\"} is wanted");
    keys(N, {"name", "in", "out", "inout", "scratch", "dim", "value", "type", "stream", "dist", "a", "b", "below"});
    TaskArg A;
    A.Name = text(N, "name");
    A.Line = unsigned(N.Mark().line + 1);
    if (A.Name.empty())
      fail(N, "an argument needs a 'name'");
    int Kinds = 0;
    for (auto [Key, How] : {std::pair("in", Role::In), {"out", Role::Out}, {"inout", Role::InOut}, {"scratch", Role::Scratch}})
      if (N[Key]) {
        ++Kinds;
        A.How = How;
        tensor(N[Key], A);
      }
    if (N["dim"]) {
      ++Kinds;
      A.What = TaskArg::Kind::Dim;
      A.Type = protocol::DType::I32;
      A.Dim = text(N, "dim");
    }
    if (N["value"]) {
      ++Kinds;
      A.What = TaskArg::Kind::Scalar;
      A.Value = as<double>(N["value"], "value", "a number").value_or(0);
    }
    if (N["stream"]) {
      ++Kinds;
      A.What = TaskArg::Kind::Stream;
    }
    if (Kinds != 1)
      fail(N, "argument '" + A.Name + "': exactly one of in, out, inout, scratch, dim, value, stream is wanted");
    if (N["type"])
      type(N["type"], text(N, "type"), A.Type);
    if (N["dist"])
      A.Inputs = draw(N);
    A.Below = text(N, "below");
    T.Args.push_back(std::move(A));
    ArgNodes.push_back(N);
  }

  void type(const YAML::Node &At, const std::string &Name, protocol::DType &Out) {
    if (auto D = protocol::parseDType(Name)) {
      Out = *D;
      return;
    }
    static const std::vector<std::string> Known = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "bool"};
    static const std::map<std::string, std::string> Other = {{"float", "f32"}, {"float32", "f32"}, {"double", "f64"}, {"half", "f16"},
                                                             {"float16", "f16"}, {"int", "i32"}, {"int32", "i32"}, {"bfloat16", "bf16"}};
    auto O = Other.find(Name);
    fail(At, "unknown type '" + Name + "'" + (O == Other.end() ? suggest(Name, Known) : "; did you mean '" + O->second + "'?"));
  }

  /// "f32[n, k]"; "f32" is one element.
  void tensor(const YAML::Node &N, TaskArg &A) {
    auto S = as<std::string>(N, "argument '" + A.Name + "'", "a type with a shape such as \"f32[n]\"");
    if (!S)
      return;
    size_t Open = S->find('[');
    type(N, S->substr(0, Open), A.Type);
    if (Open == std::string::npos)
      return;
    if (S->back() != ']')
      return fail(N, "argument '" + A.Name + "': ']' is missing in '" + *S + "'");
    A.Shape = ops::splitShape(std::string_view(*S).substr(Open + 1, S->size() - Open - 2));
  }

  ops::Dims dims(const YAML::Node &N) {
    ops::Dims D;
    if (!N.IsMap()) {
      fail(N, "a shape is a map of dims: {n: 1024}");
      return D;
    }
    for (const auto &E : N) {
      auto V = as<int64_t>(E.second, E.first.Scalar(), "a whole number");
      if (V && (*V < 0 || *V > int64_t(1) << 40))
        fail(E.second, E.first.Scalar() + ": out of range");
      D[E.first.Scalar()] = V.value_or(0);
    }
    return D;
  }

  std::optional<ops::Draw> draw(const YAML::Node &N) {
    ops::Draw D;
    if (N.IsScalar()) {
      D.Distribution = N.Scalar();
    } else if (N.IsMap()) {
      if (!N["in"] && !N["inout"])
        keys(N, {"dist", "a", "b"});
      D.Distribution = text(N, "dist");
      D.A = N["a"] ? as<double>(N["a"], "a", "a number").value_or(0) : 0;
      D.B = N["b"] ? as<double>(N["b"], "b", "a number").value_or(1) : 1;
    }
    if (!ops::isDistribution(D.Distribution)) {
      fail(N, "unknown distribution '" + D.Distribution + "'" + suggest(D.Distribution, ops::distributions()));
      return std::nullopt;
    }
    return D;
  }

  void sections(const YAML::Node &Root) {
    if (YAML::Node N = Root["tolerance"]) {
      keys(N, {"rtol", "atol"});
      double R = -1, A = -1;
      number(N, "rtol", R, 0);
      number(N, "atol", A, 0);
      if (R >= 0)
        T.Relative = R;
      if (A >= 0)
        T.Absolute = A;
    }
    if (Root["baseline"])
      T.Baseline = path(Root, "baseline");
    if (YAML::Node N = Root["perf"]) {
      keys(N, {"shape", "runs", "max_ratio"});
      if (N["shape"]) {
        T.PerfShape = dims(N["shape"]);
        PerfNode = N["shape"];
      }
      whole(N, "runs", T.PerfRuns);
      number(N, "max_ratio", T.PerfMaxRatio, 1);
    }
    if (YAML::Node N = Root["limits"]) {
      keys(N, {"seconds", "sim_seconds", "gpu_mb"});
      number(N, "seconds", T.Seconds, 0.01);
      number(N, "sim_seconds", T.SimSeconds, 0.01);
      whole(N, "gpu_mb", T.GpuMb);
    }
  }

  /// Every dim that an expression names has a value in every shape.
  void checkDims(const YAML::Node &Root) {
    std::vector<std::pair<YAML::Node, std::string>> Uses;
    for (size_t I = 0; I < T.Args.size(); ++I) {
      for (const std::string &E : T.Args[I].Shape)
        Uses.push_back({ArgNodes[I], E});
      for (const std::string &E : {T.Args[I].Dim, T.Args[I].Below})
        if (!E.empty())
          Uses.push_back({ArgNodes[I], E});
    }
    for (const char *K : {"grid", "block"})
      for (const std::string &E : K[0] == 'g' ? T.Grid : T.Block)
        Uses.push_back({Root[K], E});
    std::set<std::string> Named;
    for (const auto &[N, E] : Uses)
      for (const std::string &D : ops::namesIn(E))
        Named.insert(D);
    if (const ops::Operator *O = T.Args.empty() ? ops::findOperator(T.Op) : nullptr)
      for (const std::string &D : O->dims())
        Named.insert(D);
    for (size_t I = 0; I < T.Shapes.size(); ++I)
      checkShape(ShapeNodes[I], T.Shapes[I], Uses, Named);
    if (!T.PerfShape.empty())
      checkShape(*PerfNode, T.PerfShape, Uses, Named);
  }

  void checkShape(const YAML::Node &At, const ops::Dims &D, const std::vector<std::pair<YAML::Node, std::string>> &Uses,
                  const std::set<std::string> &Named) {
    std::vector<std::string> Known;
    for (const auto &[Name, V] : D)
      Known.push_back(Name);
    size_t Before = Errors.size();
    for (const std::string &Name : Named)
      if (!D.count(Name))
        fail(At, "dim '" + Name + "' has no value in this shape" + (nearest(Name, Known).empty() ? "" : "; is '" + nearest(Name, Known) + "' meant for it?"));
    std::vector<std::string> Wanted(Named.begin(), Named.end());
    for (const std::string &Name : Known)
      if (!Named.empty() && !Named.count(Name) && (!T.Args.empty() || !T.Op.empty()))
        fail(At, "dim '" + Name + "' is used nowhere" + suggest(Name, Wanted));
    for (const auto &[N, E] : Uses) {
      std::string Why;
      auto V = Errors.size() == Before ? ops::evaluate(E, D, &Why) : std::optional<int64_t>(0);
      if (!V)
        fail(N, Why);
      else if (*V < 0)
        fail(At, "'" + E + "' is negative at " + ops::toString(D));
    }
  }

  Task T;
  std::vector<TaskError> &Errors;
  std::vector<YAML::Node> ArgNodes, ShapeNodes;
  std::optional<YAML::Node> PerfNode;
};

} // namespace

std::optional<Task> gate::parseTask(const std::string &Text, const std::string &File, std::vector<TaskError> &Errors) try {
  return Loader(File, Errors).load(YAML::Load(Text));
} catch (const YAML::Exception &E) {
  Errors.push_back({unsigned(E.mark.line + 1), unsigned(E.mark.column + 1), E.msg});
  return std::nullopt;
}

std::optional<Task> gate::loadTask(const std::string &File, std::vector<TaskError> &Errors) {
  std::error_code Why;
  if (std::filesystem::is_directory(File, Why))
    Why = std::make_error_code(std::errc::is_a_directory);
  errno = 0;
  std::ifstream In(File, std::ios::binary);
  if (!In || Why) {
    Errors.push_back({0, 0, "cannot read the task: " + (Why ? Why : std::error_code(errno, std::generic_category())).message()});
    return std::nullopt;
  }
  return parseTask(std::string(std::istreambuf_iterator<char>(In), {}), File, Errors);
}

Task gate::taskForOperator(const std::string &Op) {
  Task T;
  T.Op = Op;
  return T;
}

std::string gate::toString(const TaskError &E, const std::string &File) {
  std::string Place = E.Line ? ":" + std::to_string(E.Line) + ":" + std::to_string(E.Column) : "";
  return File + Place + ": " + E.Message;
}

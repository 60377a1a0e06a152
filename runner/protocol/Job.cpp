#include "runner/protocol/Job.h"
#include "runner/protocol/MeasureJson.h"

using namespace kcheck;
using namespace kcheck::protocol;
using nlohmann::json;

namespace {

constexpr std::string_view Roles[] = {"in", "out", "inout", "scratch"};
constexpr std::string_view Contents[] = {"uninitialised", "poison", "zero", "data", "generated"};

template <typename E, size_t N> std::optional<E> lookUp(const std::string_view (&Names)[N], std::string_view Text) {
  for (size_t I = 0; I < N; ++I)
    if (Names[I] == Text)
      return E(I);
  return std::nullopt;
}
std::optional<Content> parseContent(std::string_view T) { return lookUp<Content>(Contents, T); }

json write(const Place &P) {
  json J = P.Symbol.empty() ? json{{"buffer", P.Buffer}} : json{{"symbol", P.Symbol}};
  if (P.Offset)
    J["offset"] = P.Offset;
  return J;
}
Place readPlace(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Place P;
  R.into("buffer", P.Buffer);
  R.into("symbol", P.Symbol);
  R.into("offset", P.Offset);
  R.finish();
  return P;
}

void readBytes(Reader &R, const char *Key, Bytes &Out) {
  std::string Text;
  R.into(Key, Text);
  auto Data = decodeBase64(Text);
  if (!Data)
    throw BadJson(R.path(Key) + ": no base64");
  Out = std::move(*Data);
}

json write(const Source &S) {
  json J{{"file", S.File}, {"text", S.Text}, {"arch", S.Arch}, {"standard", S.Standard}};
  if (!S.DeviceText.empty())
    J["device_text"] = S.DeviceText;
  if (!S.CallText.empty())
    J["call_text"] = S.CallText;
  for (const SourceFile &F : S.Includes)
    J["includes"].push_back({{"path", F.Path}, {"text", F.Text}});
  for (const SourceFile &F : S.DeviceIncludes)
    J["device_includes"].push_back({{"path", F.Path}, {"text", F.Text}});
  if (!S.Defines.empty())
    J["defines"] = S.Defines;
  if (!S.Args.empty())
    J["args"] = S.Args;
  return J;
}
Source readSource(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Source S;
  R.into("file", S.File);
  R.into("text", S.Text);
  R.into("call_text", S.CallText);
  R.into("device_text", S.DeviceText);
  R.into("arch", S.Arch);
  R.into("standard", S.Standard);
  R.into("defines", S.Defines);
  R.into("args", S.Args);
  auto files = [&R](const char *Key, std::vector<SourceFile> &Out) {
    R.each(Key, [&](const json &E, const std::string &P) {
      Reader I(E, P);
      SourceFile F;
      I.into("path", F.Path);
      I.into("text", F.Text);
      I.finish();
      Out.push_back(std::move(F));
    });
  };
  files("includes", S.Includes);
  files("device_includes", S.DeviceIncludes);
  R.finish();
  return S;
}

json write(const Buffer &B) {
  json J{{"name", B.Name}, {"dtype", toString(B.Type)}, {"shape", B.Shape}, {"role", toString(B.How)},
         {"content", Contents[size_t(B.Fill)]}};
  if (B.Fill == Content::Data)
    J["data"] = encodeBase64(B.Data);
  if (B.Fill == Content::Generated)
    J["generator"] = {{"distribution", B.Gen.Distribution}, {"seed", B.Gen.Seed}, {"stream", B.Gen.Stream},
                      {"a", B.Gen.A}, {"b", B.Gen.B}};
  if (B.PoisonByte != 0xFF)
    J["poison_byte"] = B.PoisonByte;
  if (B.Managed)
    J["managed"] = true;
  return J;
}
Buffer readBuffer(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Buffer B;
  R.into("name", B.Name);
  R.word("dtype", B.Type, parseDType);
  R.into("shape", B.Shape);
  R.word("role", B.How, parseRole);
  R.word("content", B.Fill, parseContent);
  readBytes(R, "data", B.Data);
  if (const json *G = R.get("generator")) {
    Reader GR(*G, R.path("generator"));
    GR.into("distribution", B.Gen.Distribution);
    GR.into("seed", B.Gen.Seed);
    GR.into("stream", B.Gen.Stream);
    GR.into("a", B.Gen.A);
    GR.into("b", B.Gen.B);
    GR.finish();
  }
  R.into("poison_byte", B.PoisonByte);
  R.into("managed", B.Managed);
  R.finish();
  if (B.Name.empty())
    throw BadJson(Path + ".name: missing");
  for (int64_t D : B.Shape)
    if (D < 0 || D > (int64_t(1) << 40))
      throw BadJson(Path + ".shape: dimension out of range");
  if (B.Fill == Content::Data && B.Data.size() != B.bytes())
    throw BadJson(Path + ".data: " + std::to_string(B.Data.size()) + " bytes, the shape needs " + std::to_string(B.bytes()));
  return B;
}

json write(const Argument &A) {
  switch (A.What) {
  case Argument::Kind::Pointer: return {{"pointer", write(A.Where)}};
  case Argument::Kind::Null: return {{"pointer", nullptr}};
  case Argument::Kind::Struct: {
    json J{{"struct", encodeBase64(A.Raw)}};
    for (size_t I = 0; I < A.Fields.size(); ++I) {
      json F = write(A.Fields[I]);
      J["fields"].push_back({{"at", A.FieldOffsets[I]}, {"pointer", F}});
    }
    return J;
  }
  case Argument::Kind::Scalar: break;
  }
  json J{{"type", toString(A.Type)}};
  // JSON has no NaN and no infinity: those travel as their bits.
  if (!isFloat(A.Type))
    J["value"] = A.Int;
  else if (A.Float - A.Float == 0)
    J["value"] = A.Float;
  else
    J["value"] = A.Float != A.Float ? "nan" : A.Float > 0 ? "inf" : "-inf";
  return J;
}
Argument readArgument(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Argument A;
  if (const json *P = R.get("pointer")) {
    A.What = P->is_null() ? Argument::Kind::Null : Argument::Kind::Pointer;
    if (!P->is_null())
      A.Where = readPlace(*P, R.path("pointer"));
    R.finish();
    return A;
  }
  if (R.get("struct")) {
    A.What = Argument::Kind::Struct;
    readBytes(R, "struct", A.Raw);
    R.each("fields", [&](const json &E, const std::string &P) {
      Reader F(E, P);
      uint64_t At = 0;
      F.into("at", At);
      const json *Where = F.get("pointer");
      if (!Where)
        throw BadJson(P + ".pointer: missing");
      F.finish();
      if (At + 8 > A.Raw.size())
        throw BadJson(P + ".at: outside the struct");
      A.FieldOffsets.push_back(At);
      A.Fields.push_back(readPlace(*Where, P + ".pointer"));
    });
    R.finish();
    return A;
  }
  R.word("type", A.Type, parseDType);
  const json *V = R.get("value");
  if (!V)
    throw BadJson(Path + ": neither pointer, struct nor value");
  if (isFloat(A.Type) && V->is_string()) {
    std::string T = *V;
    A.Float = T == "nan" ? __builtin_nan("") : T == "inf" ? __builtin_inf() : -__builtin_inf();
  } else if (isFloat(A.Type)) {
    R.into("value", A.Float);
  } else if (V->is_number_unsigned()) {
    A.Int = int64_t(V->get<uint64_t>());
  } else if (V->is_boolean()) {
    A.Int = V->get<bool>();
  } else {
    R.into("value", A.Int);
  }
  R.finish();
  return A;
}

json write(const Dim3 &D) { return json::array({D.X, D.Y, D.Z}); }
Dim3 readDim(Reader &R, const char *Key) {
  std::vector<uint32_t> V;
  R.into(Key, V);
  if (V.size() > 3)
    throw BadJson(R.path(Key) + ": more than three dimensions");
  V.resize(3, 1);
  return {V[0], V[1], V[2]};
}

json write(const Step &S) {
  json J = std::visit(
      [](const auto &D) -> json {
        using T = std::decay_t<decltype(D)>;
        if constexpr (std::is_same_v<T, AllocStep>)
          return {{"do", "alloc"}, {"buffer", D.Buffer}};
        else if constexpr (std::is_same_v<T, FreeStep>)
          return {{"do", "free"}, {"buffer", D.Buffer}};
        else if constexpr (std::is_same_v<T, SetStep>)
          return {{"do", "set"}, {"to", write(D.To)}, {"value", D.Value}, {"bytes", D.Bytes}};
        else if constexpr (std::is_same_v<T, CopyStep>) {
          json C{{"do", "copy"}, {"to", write(D.To)}, {"bytes", D.Bytes}};
          if (D.From.Buffer.empty() && D.From.Symbol.empty())
            C["data"] = encodeBase64(D.Data);
          else
            C["from"] = write(D.From);
          return C;
        } else if constexpr (std::is_same_v<T, LaunchStep>) {
          json L{{"do", "launch"}, {"kernel", D.Kernel}, {"grid", write(D.Grid)}, {"block", write(D.Block)},
                 {"shared_bytes", D.SharedBytes}, {"args", json::array()}};
          for (const Argument &A : D.Args)
            L["args"].push_back(write(A));
          if (D.Stream)
            L["stream"] = D.Stream;
          if (D.Cooperative)
            L["cooperative"] = true;
          if (D.DefaultShared)
            L["default_shared"] = true;
          return L;
        } else if constexpr (std::is_same_v<T, CallStep>) {
          json L{{"do", "call"}, {"args", json::array()}};
          for (const Argument &A : D.Args)
            L["args"].push_back(write(A));
          return L;
        } else
          return {{"do", "sync"}, {"stream", D.Stream}};
      },
      S.Do);
  if (S.Line)
    J["line"] = S.Line;
  return J;
}

Step readStep(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Step S;
  std::string Do;
  R.into("do", Do);
  R.into("line", S.Line);
  auto place = [&](const char *Key) {
    const json *P = R.get(Key);
    return P ? readPlace(*P, R.path(Key)) : Place{};
  };
  if (Do == "alloc") {
    AllocStep A;
    R.into("buffer", A.Buffer);
    S.Do = A;
  } else if (Do == "free") {
    FreeStep F;
    R.into("buffer", F.Buffer);
    S.Do = F;
  } else if (Do == "set") {
    SetStep T;
    T.To = place("to");
    R.into("value", T.Value);
    R.into("bytes", T.Bytes);
    S.Do = T;
  } else if (Do == "copy") {
    CopyStep C;
    C.To = place("to");
    C.From = place("from");
    R.into("bytes", C.Bytes);
    readBytes(R, "data", C.Data);
    if (C.From.Buffer.empty() && C.From.Symbol.empty() && C.Data.size() != C.Bytes)
      throw BadJson(Path + ".data: length is not bytes");
    S.Do = C;
  } else if (Do == "launch") {
    LaunchStep L;
    R.into("kernel", L.Kernel);
    L.Grid = readDim(R, "grid");
    L.Block = readDim(R, "block");
    R.into("shared_bytes", L.SharedBytes);
    R.into("stream", L.Stream);
    R.into("cooperative", L.Cooperative);
    R.into("default_shared", L.DefaultShared);
    R.each("args", [&](const json &E, const std::string &P) { L.Args.push_back(readArgument(E, P)); });
    S.Do = L;
  } else if (Do == "call") {
    CallStep C;
    R.each("args", [&](const json &E, const std::string &P) { C.Args.push_back(readArgument(E, P)); });
    S.Do = C;
  } else if (Do == "sync") {
    SyncStep Y;
    R.into("stream", Y.Stream);
    S.Do = Y;
  } else {
    throw BadJson(Path + ".do: unknown step '" + Do + "'");
  }
  R.finish();
  return S;
}

json write(const PerfRequest &P) {
  json J{{"runs", P.Runs}, {"source", write(P.Source)}, {"steps", json::array()}, {"scratch", json::array()}};
  for (const Buffer &B : P.Scratch)
    J["scratch"].push_back(write(B));
  for (const Step &S : P.Steps)
    J["steps"].push_back(write(S));
  return J;
}
PerfRequest readPerfRequest(const json &J, const std::string &Path) {
  Reader R(J, Path);
  PerfRequest P;
  R.into("runs", P.Runs);
  if (const json *S = R.get("source"))
    P.Source = readSource(*S, R.path("source"));
  R.each("scratch", [&](const json &E, const std::string &At) { P.Scratch.push_back(readBuffer(E, At)); });
  R.each("steps", [&](const json &E, const std::string &At) { P.Steps.push_back(readStep(E, At)); });
  R.finish();
  if (P.Runs < 1 || P.Runs > 10000)
    throw BadJson(Path + ".runs: not between 1 and 10000");
  return P;
}

void readGpuParts(Reader &R, Job &J) {
  if (const json *F = R.get("reference"))
    J.Reference = readReference(*F, "reference");
  if (const json *P = R.get("perf"))
    J.Perf = readPerfRequest(*P, "perf");
  R.into("counters", J.Counters);
  R.into("sanitizers", J.Sanitizers);
  R.into("compiler", J.Compiler);
  for (const std::string &S : J.Sanitizers)
    if (S != "memcheck" && S != "racecheck" && S != "synccheck" && S != "initcheck")
      throw BadJson("sanitizers: unknown tool '" + S + "'");
  if (!J.Compiler.empty() && J.Compiler != "nvrtc" && J.Compiler != "nvcc")
    throw BadJson("compiler: neither nvrtc nor nvcc");
}

} // namespace

std::string_view protocol::toString(Role R) { return Roles[size_t(R)]; }
std::optional<Role> protocol::parseRole(std::string_view Text) { return lookUp<Role>(Roles, Text); }

int64_t Buffer::elements() const {
  int64_t N = 1;
  for (int64_t D : Shape)
    N *= D;
  return N;
}
uint64_t Buffer::bytes() const { return uint64_t(elements()) * sizeOf(Type); }

const Buffer *Job::find(std::string_view Name) const {
  for (const protocol::Buffer &B : Buffers)
    if (B.Name == Name)
      return &B;
  return nullptr;
}

std::string protocol::toJson(const Job &J, int Indent) {
  json Out{{"schema", "kcheck.job/1"}, {"id", J.Id}, {"source", write(J.Source)}, {"buffers", json::array()},
           {"steps", json::array()}, {"outputs", J.Outputs}};
  for (const Buffer &B : J.Buffers)
    Out["buffers"].push_back(write(B));
  for (const Step &S : J.Steps)
    Out["steps"].push_back(write(S));
  Out["checks"] = {{"bounds", J.Checks.Bounds}, {"init", J.Checks.Init}, {"races", J.Checks.Races},
                   {"sync", J.Checks.Sync}, {"metrics", J.Checks.Metrics}};
  Out["limits"] = {{"seconds", J.Limits.Seconds}, {"compile_seconds", J.Limits.CompileSeconds},
                   {"memory_mb", J.Limits.MemoryMb}, {"loop_iterations", J.Limits.LoopIterations},
                   {"max_findings", J.Limits.MaxFindings}, {"threads", J.Limits.Threads}};
  if (!J.OutputFile.empty())
    Out["output_file"] = J.OutputFile;
  if (J.Reference)
    Out["reference"] = writeMeasure(*J.Reference);
  if (J.Perf)
    Out["perf"] = write(*J.Perf);
  if (J.Counters)
    Out["counters"] = true;
  if (!J.Sanitizers.empty())
    Out["sanitizers"] = J.Sanitizers;
  if (!J.Compiler.empty())
    Out["compiler"] = J.Compiler;
  return Out.dump(Indent, ' ', false, json::error_handler_t::replace);
}

std::optional<Job> protocol::parseJob(std::string_view Text, std::string &Error) try {
  json Root = json::parse(Text);
  Reader R(Root, "");
  std::string Schema;
  R.into("schema", Schema);
  if (Schema != "kcheck.job/1")
    throw BadJson("schema: '" + Schema + "' is not kcheck.job/1");
  Job J;
  R.into("id", J.Id);
  if (const json *S = R.get("source"))
    J.Source = readSource(*S, "source");
  R.each("buffers", [&](const json &E, const std::string &P) { J.Buffers.push_back(readBuffer(E, P)); });
  R.each("steps", [&](const json &E, const std::string &P) { J.Steps.push_back(readStep(E, P)); });
  R.into("outputs", J.Outputs);
  R.into("output_file", J.OutputFile);
  readGpuParts(R, J);
  if (const json *C = R.get("checks")) {
    Reader CR(*C, "checks");
    CR.into("bounds", J.Checks.Bounds);
    CR.into("init", J.Checks.Init);
    CR.into("races", J.Checks.Races);
    CR.into("sync", J.Checks.Sync);
    CR.into("metrics", J.Checks.Metrics);
    CR.finish();
  }
  if (const json *L = R.get("limits")) {
    Reader LR(*L, "limits");
    LR.into("seconds", J.Limits.Seconds);
    LR.into("compile_seconds", J.Limits.CompileSeconds);
    LR.into("memory_mb", J.Limits.MemoryMb);
    LR.into("loop_iterations", J.Limits.LoopIterations);
    LR.into("max_findings", J.Limits.MaxFindings);
    LR.into("threads", J.Limits.Threads);
    LR.finish();
  }
  R.finish();
  return J;
} catch (const BadJson &E) {
  Error = E.what();
  return std::nullopt;
} catch (const nlohmann::json::exception &E) {
  Error = E.what();
  return std::nullopt;
}

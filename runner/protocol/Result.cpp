#include "runner/protocol/Result.h"
#include "runner/protocol/MeasureJson.h"

using namespace kcheck;
using namespace kcheck::protocol;
using nlohmann::json;

namespace {

constexpr std::string_view States[] = {"ok", "failed", "not_measured"};
struct FailureName {
  std::string_view Name, Tag;
};
constexpr FailureName Failures[] = {
    {"none", ""}, {"compile_error", "compile_error"}, {"launch_config", "launch_config"},
    {"illegal_address", "illegal_address"}, {"out_of_memory", "out_of_memory"}, {"timeout", "timeout"},
    {"stack_overflow", "stack_overflow"}, {"device_assert", "device_assert"},
    {"barrier_divergence", "barrier_divergence"}, {"warp_lane_absent", "warp_lane_absent"}, {"crash", "crash"},
    {"unsupported", "unsupported_by_simulator"}, {"bad_job", ""}, {"no_worker", ""}, {"misaligned", "misaligned_access"}};

json write(const SourcePlace &P) { return {{"file", P.File}, {"line", P.Line}, {"column", P.Column}}; }
SourcePlace readPlace(const json &J, const std::string &Path) {
  Reader R(J, Path);
  SourcePlace P;
  R.into("file", P.File);
  R.into("line", P.Line);
  R.into("column", P.Column);
  R.finish();
  return P;
}

json write(const Finding &F) {
  json J{{"tag", F.Tag}, {"where", write(F.Where)}, {"message", F.Message}, {"kernel", F.Kernel}, {"count", F.Count},
         {"sure", F.Sure}, {"threads", json::array()}};
  for (const ThreadId &T : F.Threads)
    J["threads"].push_back({{"block", T.Block}, {"thread", T.Thread}});
  if (F.Other.known()) {
    J["other"] = write(F.Other);
    J["other_message"] = F.OtherMessage;
  }
  if (!F.Buffer.empty()) {
    J["buffer"] = F.Buffer;
    J["index"] = F.Index;
    J["size"] = F.Size;
  }
  if (F.AccessBytes)
    J["access_bytes"] = F.AccessBytes;
  return J;
}
Finding readFinding(const json &J, const std::string &Path) {
  Reader R(J, Path);
  Finding F;
  R.into("tag", F.Tag);
  if (const json *W = R.get("where"))
    F.Where = readPlace(*W, Path + ".where");
  R.into("message", F.Message);
  R.into("kernel", F.Kernel);
  R.into("count", F.Count);
  R.into("sure", F.Sure);
  R.each("threads", [&](const json &E, const std::string &P) {
    Reader T(E, P);
    ThreadId Id;
    T.into("block", Id.Block);
    T.into("thread", Id.Thread);
    F.Threads.push_back(Id);
  });
  if (const json *O = R.get("other"))
    F.Other = readPlace(*O, Path + ".other");
  R.into("other_message", F.OtherMessage);
  R.into("buffer", F.Buffer);
  R.into("index", F.Index);
  R.into("size", F.Size);
  R.into("access_bytes", F.AccessBytes);
  R.finish();
  return F;
}

json write(const LineMetrics &M) {
  return {{"line", M.Line}, {"global_requests", M.GlobalRequests}, {"global_sectors", M.GlobalSectors},
          {"ideal_sectors", M.IdealSectors}, {"shared_requests", M.SharedRequests},
          {"shared_wavefronts", M.SharedWavefronts}, {"branches", M.Branches}, {"divergent_branches", M.DivergentBranches}};
}
LineMetrics readLine(const json &J, const std::string &Path) {
  Reader R(J, Path);
  LineMetrics M;
  R.into("line", M.Line);
  R.into("global_requests", M.GlobalRequests);
  R.into("global_sectors", M.GlobalSectors);
  R.into("ideal_sectors", M.IdealSectors);
  R.into("shared_requests", M.SharedRequests);
  R.into("shared_wavefronts", M.SharedWavefronts);
  R.into("branches", M.Branches);
  R.into("divergent_branches", M.DivergentBranches);
  R.finish();
  return M;
}

json write(const LaunchMetrics &M) {
  json J{{"kernel", M.Kernel}, {"host_line", M.HostLine}, {"blocks", M.Blocks}, {"threads_per_block", M.ThreadsPerBlock},
         {"sampled_blocks", M.SampledBlocks}, {"total", write(M.Total)}, {"lines", json::array()},
         {"global_bytes", M.GlobalBytes}, {"shared_bytes", M.SharedBytes}, {"flops", M.Flops},
         {"instructions", M.Instructions}, {"active_lanes", M.ActiveLanes}, {"static_shared", M.StaticShared},
         {"dynamic_shared", M.DynamicShared}, {"local_bytes", M.LocalBytes}, {"milliseconds", M.Milliseconds}};
  for (const LineMetrics &L : M.Lines)
    J["lines"].push_back(write(L));
  return J;
}
LaunchMetrics readLaunch(const json &J, const std::string &Path) {
  Reader R(J, Path);
  LaunchMetrics M;
  R.into("kernel", M.Kernel);
  R.into("host_line", M.HostLine);
  R.into("blocks", M.Blocks);
  R.into("threads_per_block", M.ThreadsPerBlock);
  R.into("sampled_blocks", M.SampledBlocks);
  if (const json *T = R.get("total"))
    M.Total = readLine(*T, Path + ".total");
  R.each("lines", [&](const json &E, const std::string &P) { M.Lines.push_back(readLine(E, P)); });
  R.into("global_bytes", M.GlobalBytes);
  R.into("shared_bytes", M.SharedBytes);
  R.into("flops", M.Flops);
  R.into("instructions", M.Instructions);
  R.into("active_lanes", M.ActiveLanes);
  R.into("static_shared", M.StaticShared);
  R.into("dynamic_shared", M.DynamicShared);
  R.into("local_bytes", M.LocalBytes);
  R.into("milliseconds", M.Milliseconds);
  R.finish();
  return M;
}

void writeGpuParts(json &J, const Result &R) {
  for (const KernelFacts &K : R.Kernels)
    J["kernels"].push_back(writeMeasure(K));
  for (const Judgement &G : R.Judged)
    J["judged"].push_back(writeMeasure(G));
  if (R.Perf)
    J["perf"] = writeMeasure(*R.Perf);
  for (const CounterResult &C : R.Counters)
    J["counters"].push_back(writeMeasure(C));
  if (!R.Notes.empty())
    J["notes"] = R.Notes;
}
void readGpuParts(Reader &R, Result &Out) {
  R.each("kernels", [&](const json &E, const std::string &P) { Out.Kernels.push_back(readKernelFacts(E, P)); });
  R.each("judged", [&](const json &E, const std::string &P) { Out.Judged.push_back(readJudgement(E, P)); });
  if (const json *P = R.get("perf"))
    Out.Perf = readPerf(*P, "perf");
  R.each("counters", [&](const json &E, const std::string &P) { Out.Counters.push_back(readCounters(E, P)); });
  R.into("notes", Out.Notes);
}

} // namespace

std::string_view protocol::toString(State S) { return States[size_t(S)]; }
std::string_view protocol::toString(Failure F) { return Failures[size_t(F)].Name; }
std::string_view protocol::tagOf(Failure F) { return Failures[size_t(F)].Tag; }

std::optional<State> protocol::parseState(std::string_view Text) {
  for (size_t I = 0; I < std::size(States); ++I)
    if (States[I] == Text)
      return State(I);
  return std::nullopt;
}
std::optional<Failure> protocol::parseFailure(std::string_view Text) {
  for (size_t I = 0; I < std::size(Failures); ++I)
    if (Failures[I].Name == Text)
      return Failure(I);
  return std::nullopt;
}

std::string protocol::toJson(const Result &R, int Indent) {
  json J{{"schema", "kcheck.result/1"}, {"id", R.Id}, {"worker", R.Worker}, {"device", R.Device},
         {"state", toString(R.State)}, {"failure", toString(R.Failure)}, {"message", R.Message},
         {"findings", json::array()}, {"outputs", json::array()}, {"launches", json::array()}, {"times_ms", R.Times},
         {"compile", json::array()}};
  if (R.Failure != Failure::None)
    J["failed_step"] = R.FailedStep;
  if (!R.Printed.empty())
    J["printed"] = R.Printed;
  if (R.ExitStatus)
    J["exit_status"] = *R.ExitStatus;
  for (const CompileMessage &M : R.Compile)
    J["compile"].push_back({{"where", write(M.Where)}, {"level", M.Level}, {"message", M.Message}});
  for (const Finding &F : R.Findings)
    J["findings"].push_back(write(F));
  for (const Output &O : R.Outputs) {
    json E{{"buffer", O.Buffer}, {"size", O.Size}, {"unwritten_bytes", O.UnwrittenBytes}};
    if (O.File.empty())
      E["data"] = encodeBase64(O.Data);
    else
      E.update({{"file", O.File}, {"offset", O.Offset}});
    J["outputs"].push_back(std::move(E));
  }
  for (const LaunchMetrics &M : R.Launches)
    J["launches"].push_back(write(M));
  writeGpuParts(J, R);
  return J.dump(Indent, ' ', false, json::error_handler_t::replace);
}

std::optional<Result> protocol::parseResult(std::string_view Text, std::string &Error) try {
  json Root = json::parse(Text);
  Reader R(Root, "");
  std::string Schema;
  R.into("schema", Schema);
  if (Schema != "kcheck.result/1")
    throw BadJson("schema: '" + Schema + "' is not kcheck.result/1");
  Result Out;
  R.into("id", Out.Id);
  R.into("worker", Out.Worker);
  R.into("device", Out.Device);
  R.word("state", Out.State, parseState);
  R.word("failure", Out.Failure, parseFailure);
  R.into("message", Out.Message);
  R.into("failed_step", Out.FailedStep);
  R.into("printed", Out.Printed);
  if (R.get("exit_status")) {
    int Status = 0;
    R.into("exit_status", Status);
    Out.ExitStatus = Status;
  }
  R.into("times_ms", Out.Times);
  R.each("compile", [&](const json &E, const std::string &P) {
    Reader C(E, P);
    CompileMessage M;
    if (const json *W = C.get("where"))
      M.Where = readPlace(*W, P + ".where");
    C.into("level", M.Level);
    C.into("message", M.Message);
    C.finish();
    Out.Compile.push_back(std::move(M));
  });
  R.each("findings", [&](const json &E, const std::string &P) { Out.Findings.push_back(readFinding(E, P)); });
  R.each("outputs", [&](const json &E, const std::string &P) {
    Reader O(E, P);
    Output T;
    std::string Data;
    O.into("buffer", T.Buffer);
    O.into("size", T.Size);
    O.into("unwritten_bytes", T.UnwrittenBytes);
    O.into("file", T.File);
    O.into("offset", T.Offset);
    O.into("data", Data);
    O.finish();
    auto Decoded = decodeBase64(Data);
    if (!Decoded)
      throw BadJson(P + ".data: no base64");
    T.Data = std::move(*Decoded);
    Out.Outputs.push_back(std::move(T));
  });
  R.each("launches", [&](const json &E, const std::string &P) { Out.Launches.push_back(readLaunch(E, P)); });
  readGpuParts(R, Out);
  R.finish();
  return Out;
} catch (const BadJson &E) {
  Error = E.what();
  return std::nullopt;
} catch (const nlohmann::json::exception &E) {
  Error = E.what();
  return std::nullopt;
}

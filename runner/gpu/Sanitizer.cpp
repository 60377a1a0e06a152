#include "runner/gpu/Sanitizer.h"
#include "runner/gpu/Library.h"
#include "runner/gpu/Process.h"
#include <filesystem>
#include <regex>
#include <sstream>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Finding;

namespace {

/// One block of lines, from a headline to the next.
struct Block {
  std::string Head;
  std::vector<std::string> Rest;
};

std::vector<Block> blocks(const std::string &Text) {
  std::vector<Block> All;
  std::istringstream In(Text);
  for (std::string Line; std::getline(In, Line);) {
    if (!Line.starts_with("========="))
      continue;
    Line.erase(0, 9);
    size_t Indent = Line.find_first_not_of(' ');
    if (Indent == std::string::npos)
      continue;
    std::string Body = Line.substr(Indent);
    if (Indent <= 1)
      All.push_back({Body, {}});
    else if (!All.empty())
      All.back().Rest.push_back(Body);
  }
  return All;
}

std::string tagOf(const std::string &Tool, const Block &B) {
  const std::string &H = B.Head;
  if (H.find("SUMMARY") != std::string::npos)
    return "";
  auto has = [](const std::string &In, const char *What) { return In.find(What) != std::string::npos; };
  if (Tool == "racecheck") // "Error: Race reported between Write access …"; warnings are races that may be meant
    return has(H, "Race reported") || has(H, "hazard") ? "race_shared" : "";
  if (Tool == "synccheck")
    return has(H, "Barrier error") || has(H, "Divergent thread") ? "barrier_divergence" : has(H, "Invalid arguments") ? "warp_lane_absent" : "";
  if (Tool == "initcheck")
    return has(H, "Uninitialized") ? "uninitialised_read" : "";
  std::string All = H;
  for (const std::string &R : B.Rest)
    if (!has(R, "Saved host backtrace"))
      All += "\n" + R;
    else
      break;
  if (has(All, "misaligned"))
    return "misaligned_access";
  if (has(All, "use after free") || has(All, "Use after free") || has(All, "freed"))
    return "use_after_free";
  if (has(H, "Invalid __global__"))
    return has(All, "Address 0x0 ") ? "null_access" : "out_of_bounds_global";
  if (has(H, "Invalid __shared__"))
    return "out_of_bounds_shared";
  if (has(H, "Invalid __local__"))
    return "out_of_bounds_local";
  if (has(H, "Stack overflow"))
    return "stack_overflow";
  return has(H, "Invalid ") && has(H, " of size ") ? "illegal_address" : "";
}

void place(const std::string &Line, const std::string &File, protocol::SourcePlace &P, std::string &Kernel) {
  // "at k(float *, int)+0x70 in a.cu:5", "at 0x70 in /tmp/a.cu:5:k(float*)"
  static const std::regex New(R"((?:^|[ .])at (.+?)\+0x[0-9a-f]+(?: in ([^ :]+):(\d+))?(?: |$))"), Old(R"(at 0x[0-9a-f]+ in ([^ :]+):(\d+):([^(]+))");
  std::smatch M;
  std::string Name;
  unsigned At = 0;
  if (std::regex_search(Line, M, New)) {
    Kernel = M[1].str().substr(0, M[1].str().find('('));
    Name = M[2];
    At = M[3].matched ? unsigned(std::stoul(M[3])) : 0;
  } else if (std::regex_search(Line, M, Old)) {
    Name = M[1];
    At = unsigned(std::stoul(M[2]));
    Kernel = M[3];
  }
  if (!At || std::filesystem::path(Name).filename() != std::filesystem::path(File).filename())
    return;
  P = {File, At, 1};
}

Finding findingOf(const std::string &Tool, const std::string &Tag, const Block &B, const std::string &File) {
  static const std::regex Thread(R"(by thread (\([0-9,]+\)) in block (\([0-9,]+\)))"), Size(R"(of size (\d+))");
  Finding F;
  F.Tag = Tag;
  F.Where.File = File;
  F.Message = Tool + ": " + B.Head;
  F.Sure = !B.Head.starts_with("Warning");
  std::smatch M;
  if (std::regex_search(B.Head, M, Size))
    F.AccessBytes = std::stoull(M[1]);
  size_t And = B.Head.find(" and ");
  place(B.Head.substr(0, And), File, F.Where, F.Kernel);
  for (const std::string &R : B.Rest) {
    if (R.starts_with("Saved host backtrace"))
      break;
    std::string Other;
    if (R.starts_with("and ") && R.find(" access at ") != std::string::npos)
      place(R, File, F.Other, Other);
    else if (!F.Where.known())
      place(R, File, F.Where, F.Kernel);
    if (std::regex_search(R, M, Thread) && F.Threads.empty())
      F.Threads.push_back({M[2], M[1]});
    if (R.starts_with("Access ") || R.starts_with("and is ") || R.starts_with("Address "))
      F.Message += (R.starts_with("and") ? " " : ": ") + R;
  }
  // Addresses differ from run to run and help nobody.
  F.Message = std::regex_replace(F.Message, std::regex(R"((?: (?:at|to))? 0x[0-9a-f]{6,})"), "");
  if (F.Other.known())
    F.OtherMessage = "the other access";
  return F;
}

} // namespace

std::vector<Finding> gpu::parseSanitizerReport(const std::string &Tool, const std::string &Text, const std::string &File) {
  std::vector<Finding> All;
  for (const Block &B : blocks(Text)) {
    std::string Tag = tagOf(Tool, B);
    if (Tag.empty())
      continue;
    Finding F = findingOf(Tool, Tag, B, File);
    bool Known = false;
    for (Finding &X : All)
      if (X.Tag == F.Tag && X.Where.Line == F.Where.Line && X.Other.Line == F.Other.Line && X.Kernel == F.Kernel) {
        ++X.Count;
        Known = true;
      }
    if (!Known && All.size() < 32)
      All.push_back(std::move(F));
  }
  return All;
}

void gpu::sanitize(const protocol::Job &J, int Device, protocol::Result &R) {
  std::string Program = toolkitProgram("compute-sanitizer");
  if (Program.empty()) {
    R.Notes["sanitizer"] = "not run: compute-sanitizer is not on this machine";
    return;
  }
  protocol::Job Plain = J;
  Plain.Sanitizers.clear();
  Plain.Perf.reset();
  Plain.Reference.reset();
  Plain.Counters = false;
  Plain.Outputs.clear();
  Plain.Limits.Seconds = 60;
  TemporaryFolder Folder;
  Folder.write("job.json", protocol::toJson(Plain));
  std::string Self = std::filesystem::read_symlink("/proc/self/exe"), Done;
  for (const std::string &Tool : J.Sanitizers) {
    std::vector<std::string> Words = {Program, "--tool", Tool, "--print-limit", "64"};
    if (Tool == "racecheck")
      Words.insert(Words.end(), {"--racecheck-report", "analysis"});
    Words.insert(Words.end(), {Self, "--bare", "--device", std::to_string(Device), "--job", Folder.path() + "/job.json"});
    ProcessResult P = runProcess(Words, "", 120);
    bool Worked = P.Started && !P.TimedOut && P.Out.find("========= COMPUTE-SANITIZER") != std::string::npos;
    if (!Worked || P.Out.find("Device not supported") != std::string::npos) {
      Done += (Done.empty() ? "" : "; ") + Tool + " not run: " + (P.TimedOut ? "not done after 120 s" : P.Out.empty() ? "it did not start" : P.Out.substr(0, 200));
      continue;
    }
    Done += (Done.empty() ? "" : "; ") + Tool + " ran";
    for (Finding &F : parseSanitizerReport(Tool, P.Out, J.Source.File))
      R.Findings.push_back(std::move(F));
  }
  R.Notes["sanitizer"] = Done;
}

// kcheck-nvrtc: one NVRTC compile, started by kcheck in a sandbox.
//
//   stdin   {"library": path, "name": "a.cu", "source": text, "headers": {name: text}, "options": [...], "names": [...], "want": "none"|"ptx"|"cubin"}
//   fd 3    {"version": "13.0", "ok": bool, "log": text, "seconds": s, "lowered": {name: symbol}, "image": base16}
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using Json = nlohmann::json;
using Program = struct OpaqueProgram *;

/// The functions of libnvrtc that are used, by their C names.
struct Nvrtc {
  int (*Version)(int *, int *) = nullptr;
  int (*Create)(Program *, const char *, const char *, int, const char *const *, const char *const *) = nullptr;
  int (*AddName)(Program, const char *) = nullptr;
  int (*Compile)(Program, int, const char *const *) = nullptr;
  int (*LogSize)(Program, size_t *) = nullptr;
  int (*Log)(Program, char *) = nullptr;
  int (*Lowered)(Program, const char *, const char **) = nullptr;
  int (*PtxSize)(Program, size_t *) = nullptr;
  int (*Ptx)(Program, char *) = nullptr;
  int (*CubinSize)(Program, size_t *) = nullptr;
  int (*Cubin)(Program, char *) = nullptr;

  std::string open(const std::string &Path) {
    void *Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!Library)
      return dlerror();
    auto Get = [&](auto &Function, const char *Name) {
      Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(dlsym(Library, Name));
      return Function != nullptr;
    };
    bool All = Get(Version, "nvrtcVersion") && Get(Create, "nvrtcCreateProgram") && Get(AddName, "nvrtcAddNameExpression") &&
               Get(Compile, "nvrtcCompileProgram") && Get(LogSize, "nvrtcGetProgramLogSize") && Get(Log, "nvrtcGetProgramLog") &&
               Get(Lowered, "nvrtcGetLoweredName") && Get(PtxSize, "nvrtcGetPTXSize") && Get(Ptx, "nvrtcGetPTX") &&
               Get(CubinSize, "nvrtcGetCUBINSize") && Get(Cubin, "nvrtcGetCUBIN");
    return All ? "" : "the library lacks a function of NVRTC";
  }
};

std::string hex(const std::string &Bytes) {
  static const char Digits[] = "0123456789abcdef";
  std::string Out;
  Out.reserve(2 * Bytes.size());
  for (unsigned char C : Bytes) {
    Out += Digits[C >> 4];
    Out += Digits[C & 15];
  }
  return Out;
}

std::string fetch(Program P, int (*Size)(Program, size_t *), int (*Get)(Program, char *)) {
  size_t N = 0;
  if (Size(P, &N) != 0 || N == 0)
    return {};
  std::string Text(N, 0);
  return Get(P, Text.data()) == 0 ? Text : std::string();
}

Json compile(const Json &Job) {
  Json Answer = {{"ok", false}, {"log", ""}};
  Nvrtc N;
  if (std::string Why = N.open(Job.at("library").get<std::string>()); !Why.empty()) {
    Answer["error"] = Why;
    return Answer;
  }
  int Major = 0, Minor = 0;
  N.Version(&Major, &Minor);
  Answer["version"] = std::to_string(Major) + "." + std::to_string(Minor);

  std::vector<std::string> Names, Texts;
  const Json NoHeaders = Json::object(), NoList = Json::array();
  const Json &Given = Job.contains("headers") ? Job.at("headers") : NoHeaders;
  for (auto It = Given.begin(); It != Given.end(); ++It) {
    Names.push_back(It.key());
    Texts.push_back(It.value().get<std::string>());
  }
  std::vector<const char *> NamePointers, TextPointers, Options;
  for (size_t I = 0; I < Names.size(); ++I) {
    NamePointers.push_back(Names[I].c_str());
    TextPointers.push_back(Texts[I].c_str());
  }
  auto Words = Job.at("options").get<std::vector<std::string>>();
  for (const std::string &W : Words)
    Options.push_back(W.c_str());
  auto Source = Job.at("source").get<std::string>(), Name = Job.at("name").get<std::string>();
  Program P = nullptr;
  if (int E = N.Create(&P, Source.c_str(), Name.c_str(), int(Names.size()), TextPointers.data(), NamePointers.data())) {
    Answer["error"] = "nvrtcCreateProgram: error " + std::to_string(E);
    return Answer;
  }
  auto Expressions = (Job.contains("names") ? Job.at("names") : NoList).get<std::vector<std::string>>();
  for (const std::string &E : Expressions)
    N.AddName(P, E.c_str());
  auto Start = std::chrono::steady_clock::now();
  int Status = N.Compile(P, int(Options.size()), Options.data());
  Answer["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  Answer["ok"] = Status == 0;
  Answer["status"] = Status;
  Answer["log"] = fetch(P, N.LogSize, N.Log).c_str();
  if (Status != 0)
    return Answer;
  Json Lowered = Json::object();
  for (const std::string &E : Expressions) {
    const char *Symbol = nullptr;
    if (N.Lowered(P, E.c_str(), &Symbol) == 0 && Symbol)
      Lowered[E] = Symbol;
  }
  Answer["lowered"] = std::move(Lowered);
  std::string Want = Job.value("want", "none");
  if (Want == "ptx")
    Answer["image"] = hex(fetch(P, N.PtxSize, N.Ptx));
  else if (Want == "cubin")
    Answer["image"] = hex(fetch(P, N.CubinSize, N.Cubin));
  return Answer;
}

} // namespace

int main() {
  std::string Text(std::istreambuf_iterator<char>(std::cin), {});
  Json Answer;
  try {
    Answer = compile(Json::parse(Text));
  } catch (const Json::exception &E) {
    Answer = {{"ok", false}, {"log", ""}, {"error", std::string("bad job: ") + E.what()}};
  }
  std::string Out = Answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  const char *Number = std::getenv("KCHECK_RESULT_FD");
  int FD = Number ? std::atoi(Number) : 1;
  for (size_t At = 0; At < Out.size();) {
    ssize_t N = write(FD, Out.data() + At, Out.size() - At);
    if (N <= 0)
      return 2;
    At += size_t(N);
  }
  return Answer.contains("error") ? 1 : 0;
}

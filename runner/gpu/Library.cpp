#include "runner/gpu/Library.h"
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;

namespace {

/// Looks one symbol up; a missing one is named in Why.
bool take(void *Library, const char *Symbol, void **To, std::string &Why) {
  *To = dlsym(Library, Symbol);
  if (!*To && Why.empty())
    Why = std::string("it has no ") + Symbol;
  return *To != nullptr;
}

template <typename T> struct Loaded {
  T Table;
  std::string Why;
  bool Ok = false;
};

#define KCHECK_TAKE(Name, Symbol, Params) Good &= take(Library, #Symbol, reinterpret_cast<void **>(&L.Table.Name), L.Why);
#define KCHECK_TAKE_OPTIONAL(Name, Symbol, Params) take(Library, #Symbol, reinterpret_cast<void **>(&L.Table.Name), Ignored);

Loaded<Driver> loadDriver() {
  Loaded<Driver> L;
  void *Library = openLibrary({"libcuda.so.1"}, L.Why);
  if (!Library)
    return L;
  bool Good = true;
  std::string Ignored;
  KCHECK_DRIVER_FUNCTIONS(KCHECK_TAKE)
  KCHECK_DRIVER_OPTIONAL(KCHECK_TAKE_OPTIONAL)
  if (!Good) {
    L.Why = "the driver library is too old: " + L.Why;
    return L;
  }
  Status S = L.Table.init(0);
  if (S) {
    L.Why = "the driver does not start: " + errorText(L.Table, S);
    return L;
  }
  L.Ok = true;
  return L;
}

Loaded<Nvrtc> loadNvrtc() {
  Loaded<Nvrtc> L;
  void *Library = openLibrary({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, L.Why);
  if (!Library)
    return L;
  bool Good = true;
  KCHECK_NVRTC_FUNCTIONS(KCHECK_TAKE)
  if (!Good)
    return L;
  link_map *Map = nullptr;
  if (dlinfo(Library, RTLD_DI_LINKMAP, &Map) == 0 && Map)
    L.Table.Path = Map->l_name;
  L.Ok = L.Table.version(&L.Table.Major, &L.Table.Minor) == 0;
  return L;
}

Loaded<Nvml> loadNvml() {
  Loaded<Nvml> L;
  void *Library = openLibrary({"libnvidia-ml.so.1"}, L.Why);
  if (!Library)
    return L;
  bool Good = true;
  std::string Ignored;
  KCHECK_NVML_FUNCTIONS(KCHECK_TAKE)
  KCHECK_NVML_OPTIONAL(KCHECK_TAKE_OPTIONAL)
  L.Ok = Good && L.Table.init() == 0;
  if (Good && !L.Ok)
    L.Why = "NVML does not start";
  return L;
}

template <typename T> const T *given(const Loaded<T> &L, std::string &Why) {
  if (!L.Ok)
    Why = L.Why;
  return L.Ok ? &L.Table : nullptr;
}

bool isFolder(const std::string &P) { return !P.empty() && access((P + "/.").c_str(), X_OK) == 0; }

} // namespace

const Driver *gpu::driver(std::string &Why) {
  static const Loaded<Driver> L = loadDriver();
  return given(L, Why);
}
const Nvrtc *gpu::nvrtc(std::string &Why) {
  static const Loaded<Nvrtc> L = loadNvrtc();
  return given(L, Why);
}
const Nvml *gpu::nvml(std::string &Why) {
  static const Loaded<Nvml> L = loadNvml();
  return given(L, Why);
}

std::string gpu::errorText(const Driver &D, Status S) {
  const char *Name = nullptr, *Text = nullptr;
  if (D.errorName(S, &Name) || !Name)
    return "error " + std::to_string(S);
  if (D.errorText(S, &Text) || !Text)
    return Name;
  return std::string(Name) + " (" + Text + ")";
}

std::string gpu::toolkitRoot() {
  for (const char *Variable : {"KCHECK_CUDA", "CUDA_HOME", "CUDA_PATH"})
    if (const char *P = getenv(Variable); P && isFolder(P))
      return P;
  for (const char *P : {"/usr/local/cuda", "/opt/cuda"})
    if (isFolder(P))
      return P;
  return "";
}

std::string gpu::toolkitProgram(const std::string &Name) {
  std::vector<std::string> Places;
  if (std::string Root = toolkitRoot(); !Root.empty())
    Places = {Root + "/bin/" + Name, Root + "/compute-sanitizer/" + Name, Root + "/extras/compute-sanitizer/" + Name};
  const char *Path = getenv("PATH");
  for (std::string Rest = Path ? Path : ""; !Rest.empty();) {
    size_t End = Rest.find(':');
    Places.push_back(Rest.substr(0, End) + "/" + Name);
    Rest = End == std::string::npos ? "" : Rest.substr(End + 1);
  }
  for (const std::string &P : Places)
    if (access(P.c_str(), X_OK) == 0)
      return P;
  return "";
}

void *gpu::openLibrary(const std::vector<std::string> &Names, std::string &Why) {
  std::string Root = toolkitRoot();
  for (const std::string &N : Names) {
    if (void *L = dlopen(N.c_str(), RTLD_NOW | RTLD_LOCAL))
      return L;
    if (Root.empty())
      continue;
    for (const char *Folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/", "/extras/CUPTI/lib64/"})
      if (void *L = dlopen((Root + Folder + N).c_str(), RTLD_NOW | RTLD_LOCAL))
        return L;
  }
  Why = Names.front() + " is not on this machine";
  return nullptr;
}

#include "runner/gpu/Cache.h"
#include "runner/gpu/Hash.h"
#include "runner/gpu/Process.h"
#include <filesystem>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using nlohmann::json;

// Layout: hash of the rest, a line feed, a line of JSON, a line feed, the libraries of host code, the cubin.
std::string gpu::writeEntry(const Binary &B) {
  json J{{"ok", B.Ok}, {"lowered", B.Lowered}, {"error", B.Error}, {"with", B.With}, {"ms", B.Ms}, {"host", B.Host.size()}, {"glue", B.Glue.size()}, {"messages", json::array()}};
  for (const protocol::CompileMessage &M : B.Messages)
    J["messages"].push_back({M.Where.File, M.Where.Line, M.Where.Column, M.Level, M.Message});
  std::string Rest = J.dump(-1, ' ', false, json::error_handler_t::replace) + "\n" + B.Host + B.Glue + B.Cubin;
  return Sha256().raw(Rest).hex() + "\n" + Rest;
}

std::optional<Binary> gpu::readEntry(const std::string &Text) try {
  if (Text.size() < 66 || Text[64] != '\n' || Sha256().raw(std::string_view(Text).substr(65)).hex() != Text.substr(0, 64))
    return std::nullopt;
  size_t End = Text.find('\n', 65);
  if (End == std::string::npos)
    return std::nullopt;
  json J = json::parse(Text.begin() + 65, Text.begin() + std::ptrdiff_t(End));
  Binary B;
  B.Ok = J.at("ok");
  B.Lowered = J.at("lowered").get<std::map<std::string, std::string>>();
  B.Error = J.at("error");
  B.With = J.at("with");
  B.Ms = J.at("ms");
  for (const json &M : J.at("messages"))
    B.Messages.push_back({{M.at(0), M.at(1), M.at(2)}, M.at(3), M.at(4)});
  size_t Host = J.at("host"), Glue = J.at("glue");
  if (Host > Text.size() - End - 1 || Glue > Text.size() - End - 1 - Host)
    return std::nullopt;
  B.Host = Text.substr(End + 1, Host);
  B.Glue = Text.substr(End + 1 + Host, Glue);
  B.Cubin = Text.substr(End + 1 + Host + Glue);
  B.Cached = true;
  return B;
} catch (const json::exception &) {
  return std::nullopt;
}

static std::string defaultFolder() {
  auto from = [](const char *Name) {
    const char *V = getenv(Name);
    return std::string(V ? V : "");
  };
  if (std::string D = from("KCHECK_CACHE_DIR"); !D.empty())
    return D == "off" ? "" : D + "/gpu";
  if (std::string D = from("XDG_CACHE_HOME"); !D.empty())
    return D + "/kcheck/gpu";
  std::string Home = from("HOME");
  return Home.empty() ? "" : Home + "/.cache/kcheck/gpu";
}

Cache::Cache() : Folder(defaultFolder()) {
  std::error_code Error;
  if (!Folder.empty() && !std::filesystem::create_directories(Folder, Error) && Error)
    Folder.clear();
}

std::optional<std::string> Cache::findText(const std::string &Name) const {
  if (Folder.empty())
    return std::nullopt;
  bool Ok = false;
  std::string Text = readWhole(Folder + "/" + Name, Ok);
  return Ok ? std::optional(Text) : std::nullopt;
}

void Cache::storeText(const std::string &Name, const std::string &Text) const {
  if (Folder.empty())
    return;
  std::string Temporary = Folder + "/." + Name + "." + std::to_string(getpid());
  int FD = open(Temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (FD < 0)
    return;
  bool Ok = writeWhole(FD, Text);
  close(FD);
  if (!Ok || rename(Temporary.c_str(), (Folder + "/" + Name).c_str()) != 0)
    unlink(Temporary.c_str());
}

std::optional<Binary> Cache::find(const std::string &Key) const {
  auto Text = findText(Key);
  return Text ? readEntry(*Text) : std::nullopt;
}

void Cache::store(const std::string &Key, const Binary &B) const { storeText(Key, writeEntry(B)); }

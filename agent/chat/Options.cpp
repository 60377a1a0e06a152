// Where the URL, the model and the key come from.
#include "agent/chat/Chat.h"
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>

using namespace kcheck;
using namespace kcheck::agent;
using Json = nlohmann::json;

namespace {

std::string environment(const std::string &Name) {
  const char *Value = Name.empty() ? nullptr : std::getenv(Name.c_str());
  return Value ? Value : "";
}

std::string configPath() {
  std::string Base = environment("XDG_CONFIG_HOME");
  if (Base.empty() && !environment("HOME").empty())
    Base = environment("HOME") + "/.config";
  return Base.empty() ? "" : Base + "/kcheck/llm.json";
}

/// An empty object where there is no file.
bool readConfig(Json &Config, std::string &Error) {
  Config = Json::object();
  std::string Path = configPath();
  struct stat Info;
  if (Path.empty() || ::stat(Path.c_str(), &Info))
    return true;
  std::ifstream In(Path);
  std::stringstream Text;
  Text << In.rdbuf();
  Config = Json::parse(Text.str(), nullptr, false, /*ignore_comments=*/true);
  if (!In || !Config.is_object()) {
    Error = Path + ": not a JSON object";
    return false;
  }
  for (auto &[Key, Value] : Config.items()) {
    bool Price = Key == "prompt_price" || Key == "reply_price";
    bool Word = Key == "url" || Key == "model" || Key == "key" || Key == "key_variable" || Key == "ca_file";
    if ((!Price || !Value.is_number()) && (!Word || !Value.is_string())) {
      Error = Path + ": '" + Key + "': " + (Price ? "a number is wanted" : Word ? "a text is wanted" : "unknown key; known are url, model, key, key_variable, prompt_price, reply_price, ca_file");
      return false;
    }
  }
  if (Config.contains("key") && (Info.st_mode & 077)) {
    Error = Path + ": it holds a key and others may read it; chmod 600 it, or name a variable by key_variable";
    return false;
  }
  return true;
}

void fill(std::string &To, const std::string &Value) {
  if (To.empty())
    To = Value;
}
void fill(double &To, double Value) {
  if (To <= 0 && Value > 0)
    To = Value;
}

bool sound(const ChatOptions &O, std::string &Error) {
  client::Url U;
  if (O.Url.empty() || O.Model.empty())
    Error = std::string("the language model needs ") + (O.Url.empty() ? "a URL: --llm-url, KCHECK_LLM_URL" : "a model's name: --llm-model, KCHECK_LLM_MODEL") + " or " + configPath();
  else if (!client::parseUrl(O.Url, U, Error))
    return false;
  else if (!O.Key.empty() && U.Scheme == "http" && !U.loopback())
    Error = O.Url + ": a key is not sent over plain http to another machine; use https, or no key";
  else if (O.Key.find_first_of("\r\n") != O.Key.npos)
    Error = "the key has a line break in it";
  else if (O.MostCost > 0 && O.PromptPrice <= 0 && O.ReplyPrice <= 0)
    Error = "a cost limit needs prices: KCHECK_LLM_PROMPT_PRICE and KCHECK_LLM_REPLY_PRICE, of a million tokens";
  return Error.empty();
}

} // namespace

bool agent::completeChatOptions(ChatOptions &O, const std::string &KeyVariable, std::string &Error) {
  Json Config;
  if (!readConfig(Config, Error))
    return false;
  auto config = [&](const char *Key) { return Config.value(Key, std::string()); };
  auto price = [&](const char *Variable, const char *Key) {
    std::string Text = environment(Variable);
    return Text.empty() ? Config.value(Key, 0.0) : std::strtod(Text.c_str(), nullptr);
  };
  if (!KeyVariable.empty() && O.Key.empty() && (O.Key = environment(KeyVariable)).empty()) {
    Error = "the variable " + KeyVariable + ", which should hold the key, is not set";
    return false;
  }
  fill(O.Url, environment("KCHECK_LLM_URL"));
  fill(O.Url, config("url"));
  fill(O.Model, environment("KCHECK_LLM_MODEL"));
  fill(O.Model, config("model"));
  fill(O.Key, environment("KCHECK_LLM_KEY"));
  fill(O.Key, environment(config("key_variable")));
  fill(O.Key, config("key"));
  fill(O.CaFile, config("ca_file"));
  fill(O.PromptPrice, price("KCHECK_LLM_PROMPT_PRICE", "prompt_price"));
  fill(O.ReplyPrice, price("KCHECK_LLM_REPLY_PRICE", "reply_price"));
  while (!O.Key.empty() && std::isspace(static_cast<unsigned char>(O.Key.back())))
    O.Key.pop_back(); // the newline of a file that was read into the variable
  return sound(O, Error);
}

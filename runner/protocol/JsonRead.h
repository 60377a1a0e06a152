//===- JsonRead.h - reads an object key by key, and objects to keys nobody asked for ===//
#ifndef KCHECK_PROTOCOL_JSONREAD_H
#define KCHECK_PROTOCOL_JSONREAD_H

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace kcheck::protocol {

/// Thrown inside this folder only; parseJob and parseResult turn it into a message.
struct BadJson : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Reader {
public:
  Reader(const nlohmann::json &J, std::string Path) : J(J), Path(std::move(Path)) {
    if (!J.is_object())
      throw BadJson(this->Path + ": not an object");
  }

  const nlohmann::json *get(const char *Key) {
    Seen.insert(Key);
    auto It = J.find(Key);
    return It == J.end() ? nullptr : &*It;
  }
  std::string path(const std::string &Key) const { return Path.empty() ? Key : Path + "." + Key; }

  /// Sets Value when the key is there; throws when it has the wrong type.
  template <typename T> void into(const char *Key, T &Value) {
    const nlohmann::json *V = get(Key);
    if (!V)
      return;
    try {
      V->get_to(Value);
    } catch (const nlohmann::json::exception &) {
      throw BadJson(path(Key) + ": wrong type");
    }
  }
  /// A string turned into an enumerator by Parse.
  template <typename T, typename F> void word(const char *Key, T &Value, F Parse) {
    std::string Text;
    if (!get(Key))
      return;
    into(Key, Text);
    auto V = Parse(Text);
    if (!V)
      throw BadJson(path(Key) + ": unknown value '" + Text + "'");
    Value = *V;
  }
  template <typename F> void each(const char *Key, F Use) {
    const nlohmann::json *V = get(Key);
    if (!V)
      return;
    if (!V->is_array())
      throw BadJson(path(Key) + ": not an array");
    for (size_t I = 0; I < V->size(); ++I)
      Use((*V)[I], path(Key) + "[" + std::to_string(I) + "]");
  }
  void finish() {
    for (auto It = J.begin(); It != J.end(); ++It)
      if (!Seen.count(It.key()))
        throw BadJson(path(It.key()) + ": unknown key");
  }

private:
  const nlohmann::json &J;
  std::string Path;
  std::set<std::string> Seen;
};

} // namespace kcheck::protocol
#endif

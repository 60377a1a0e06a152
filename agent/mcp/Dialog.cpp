#include "agent/mcp/Dialog.h"
#include "agent/mcp/Schema.h"
#include <algorithm>

using namespace kcheck::mcp;

const std::vector<std::string> &kcheck::mcp::sessionVersions() {
  static const std::vector<std::string> Versions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
  return Versions;
}
const std::vector<std::string> &kcheck::mcp::statelessVersions() {
  static const std::vector<std::string> Versions{"2026-07-28"};
  return Versions;
}

namespace {

constexpr const char *VersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char *CapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char *ServerKey = "io.modelcontextprotocol/serverInfo";
constexpr const char *StreamKey = "io.modelcontextprotocol/subscriptionId";
constexpr int HourMs = 3600000;

bool contains(const std::vector<std::string> &List, const std::string &Word) { return std::find(List.begin(), List.end(), Word) != List.end(); }

bool isId(const Json &Id) { return Id.is_string() || Id.is_number_integer(); }

/// The member of an object, or null.
const Json &member(const Json &Object, const char *Key) {
  static const Json Null;
  if (!Object.is_object())
    return Null;
  auto It = Object.find(Key);
  return It == Object.end() ? Null : *It;
}

/// Titles, output schemas and structured content came with 2025-06-18; versions are dates, so they compare as text.
bool hasStructure(const std::string &Version) { return Version >= "2025-06-18"; }

} // namespace

bool Dialog::Request::modern() const { return contains(statelessVersions(), Version); }

Dialog::Dialog(std::vector<Tool> Given, ServerInfo Info, Host &H) : Tools(std::move(Given)), Info(std::move(Info)), H(H) {
  for (const Tool &T : Tools)
    Inputs.push_back(Json::parse(T.Input));
}

void Dialog::refuse(const Json &Id, int Code, const std::string &Why, Json Data) { H.send(errorResponse(Id, Code, Why, std::move(Data))); }

void Dialog::line(const std::string &Text, bool TooLong) {
  if (TooLong)
    return refuse(nullptr, InvalidRequest, "a message has more than " + std::to_string(MostLineBytes) + " bytes");
  if (Text.find_first_not_of(" \t") == std::string::npos)
    return;
  std::string Why;
  auto M = parseMessage(Text, Why);
  if (!M)
    return refuse(nullptr, ParseError, Why);
  // Batches were part of one revision only. Its answers may come one by one.
  if (M->is_array() && Session == "2025-03-26" && !M->empty()) {
    for (const Json &One : *M)
      message(One);
    return;
  }
  message(*M);
}

void Dialog::message(const Json &M) {
  const Json &Id = member(M, "id"), &Known = isId(Id) ? Id : member(Json(), "");
  if (!M.is_object() || member(M, "jsonrpc") != "2.0")
    return refuse(Known, InvalidRequest, "not a JSON-RPC 2.0 message");
  if (!M.contains("method")) {
    if (M.contains("result") || M.contains("error")) // this server asks nothing
      return;
    return refuse(Known, InvalidRequest, "no method");
  }
  if (!M["method"].is_string())
    return refuse(Known, InvalidRequest, "method: not a string");
  if (!M.contains("id"))
    return notified(M);
  if (!isId(Id))
    return refuse(nullptr, InvalidRequest, "id: neither a string nor an integer");
  request(M);
}

void Dialog::notified(const Json &M) {
  if (M["method"] != "notifications/cancelled")
    return; // initialized and others: nothing follows from them
  const Json &Id = member(member(M, "params"), "requestId");
  Streams.erase(Id);
  if (Open.erase(Id))
    H.cancel(Id);
}

/// The version that the request is to be understood by; false: it was refused.
bool Dialog::versionOf(Request &R) {
  const Json &Meta = member(R.Params, "_meta"), &Version = member(Meta, VersionKey);
  if (Version.is_null() && !Session.empty() && R.Method != "server/discover") {
    R.Version = Session;
    return true;
  }
  if (Version.is_null()) {
    refuse(R.Id, InvalidParams, "params._meta has no " + std::string(VersionKey) + ", and no session was opened by initialize");
    return false;
  }
  if (!Version.is_string() || !contains(statelessVersions(), Version.get<std::string>())) {
    refuse(R.Id, UnsupportedVersion, "unsupported protocol version", {{"supported", statelessVersions()}, {"requested", Version}});
    return false;
  }
  if (!member(Meta, CapabilitiesKey).is_object()) {
    refuse(R.Id, InvalidParams, "params._meta has no " + std::string(CapabilitiesKey));
    return false;
  }
  R.Version = Version;
  return true;
}

void Dialog::request(const Json &M) {
  Request R{M["id"], member(M, "params"), M["method"], ""};
  if (!R.Params.is_null() && !R.Params.is_object())
    return refuse(R.Id, InvalidParams, "params: not an object");
  if (R.Method == "initialize")
    return initialize(R);
  if (R.Method == "ping" && member(member(R.Params, "_meta"), VersionKey).is_null())
    return H.send(response(R.Id, Json::object()));
  if (!versionOf(R))
    return;
  if (R.Method == "server/discover" && R.modern())
    return discover(R);
  if (R.Method == "tools/list")
    return list(R);
  if (R.Method == "tools/call")
    return call(R);
  if (R.Method == "subscriptions/listen" && R.modern())
    return listen(R);
  refuse(R.Id, MethodNotFound, "unknown method: " + R.Method.substr(0, 100));
}

void Dialog::reply(const Request &R, Json Result) {
  if (R.modern()) {
    Result["resultType"] = "complete";
    Result["_meta"][ServerKey] = self(R.Version);
  }
  H.send(response(R.Id, std::move(Result)));
}

Json Dialog::self(const std::string &Version) const {
  Json Out{{"name", Info.Name}, {"version", Info.Version}};
  if (hasStructure(Version))
    Out["title"] = Info.Title;
  return Out;
}

void Dialog::initialize(const Request &R) {
  const Json &Wanted = member(R.Params, "protocolVersion");
  if (!Wanted.is_string())
    return refuse(R.Id, InvalidParams, "protocolVersion: not a string");
  Session = contains(sessionVersions(), Wanted) ? Wanted.get<std::string>() : sessionVersions().front();
  H.send(response(R.Id, {{"protocolVersion", Session},
                         {"capabilities", {{"tools", Json::object()}}},
                         {"serverInfo", self(Session)},
                         {"instructions", Info.Instructions}}));
}

void Dialog::discover(const Request &R) {
  reply(R, {{"supportedVersions", statelessVersions()},
            {"capabilities", {{"tools", Json::object()}}},
            {"instructions", Info.Instructions},
            {"ttlMs", HourMs},
            {"cacheScope", "public"}});
}

Json Dialog::describe(const Tool &T, const std::string &Version) const {
  Json Out{{"name", T.Name}, {"description", T.Description}, {"inputSchema", Json::parse(T.Input)}};
  if (Version >= "2025-03-26") // no tool writes to the user's files or reaches out
    Out["annotations"] = {{"title", T.Title}, {"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}};
  if (hasStructure(Version)) {
    Out["title"] = T.Title;
    Out["outputSchema"] = Json::parse(T.Output);
  }
  return Out;
}

void Dialog::list(const Request &R) {
  if (!member(R.Params, "cursor").is_null()) // all tools are on the first page
    return refuse(R.Id, InvalidParams, "unknown cursor");
  Json Out{{"tools", Json::array()}};
  for (const Tool &T : Tools)
    Out["tools"].push_back(describe(T, R.Version));
  if (R.modern()) {
    Out["ttlMs"] = HourMs;
    Out["cacheScope"] = "public";
  }
  reply(R, std::move(Out));
}

void Dialog::call(const Request &R) {
  const Json &Name = member(R.Params, "name"), &Given = member(R.Params, "arguments");
  if (!Name.is_string())
    return refuse(R.Id, InvalidParams, "name: not a string");
  const auto Wanted = Name.get<std::string>();
  auto T = std::find_if(Tools.begin(), Tools.end(), [&](const Tool &X) { return X.Name == Wanted; });
  if (T == Tools.end())
    return refuse(R.Id, InvalidParams, "unknown tool: " + Wanted.substr(0, 100));
  if (!Given.is_null() && !Given.is_object())
    return refuse(R.Id, InvalidParams, "arguments: not an object");
  if (!Open.insert(R.Id).second)
    return refuse(R.Id, InvalidRequest, "a request of this id is under way");
  const Json Arguments = Given.is_null() ? Json::object() : Given;
  const Json &Token = member(member(R.Params, "_meta"), "progressToken");
  CallRequest C{R.Id, isId(Token) ? Token : Json(), R.Version, &*T, Arguments.dump(-1, ' ', false, Json::error_handler_t::replace)};
  // A model can mend its arguments when it is told; so what is wrong with them is a result, not a fault of the protocol.
  std::string Wrong;
  for (const std::string &Fault : faults(Arguments, Inputs[size_t(T - Tools.begin())]))
    Wrong += (Wrong.empty() ? "wrong arguments: " : "; ") + Fault;
  if (!Wrong.empty())
    return finish(C, {true, Wrong});
  H.start(std::move(C));
}

void Dialog::finish(const CallRequest &R, const Answer &A) {
  if (!Open.erase(R.Id)) // cancelled meanwhile: nothing more may be said of it
    return;
  Answer Told = A;
  Json Value = A.Failed ? Json() : Json::parse(A.Text, nullptr, false);
  if (Value.is_discarded())
    Told = {true, "kcheck failed: the answer is no JSON"};
  Json Result{{"content", Json::array({{{"type", "text"}, {"text", Told.Text}}})}, {"isError", Told.Failed}};
  if (!Told.Failed && hasStructure(R.Version))
    Result["structuredContent"] = std::move(Value);
  reply({R.Id, nullptr, "", R.Version}, std::move(Result));
}

/// The list of tools never changes, so there is nothing to tell: the stream is open and stays silent.
void Dialog::listen(const Request &R) {
  Streams.insert(R.Id);
  H.send(notification("notifications/subscriptions/acknowledged", {{"_meta", {{StreamKey, R.Id}}}, {"notifications", Json::object()}}));
}

void Dialog::close() {
  for (const Json &Id : Streams)
    H.send(response(Id, {{"resultType", "complete"}, {"_meta", {{StreamKey, Id}}}}));
  Streams.clear();
}

#include "tools/kcheck-clangd/Session.h"
#include "analyzers/engine/Rule.h"

using namespace kcheck;
using llvm::json::Object;

void MessageStream::write_impl(const char *Ptr, size_t Size) {
  Pending.append(Ptr, Size);
  Position += Size;
  while (true) {
    size_t Head = Pending.find("\r\n\r\n");
    if (Head == std::string::npos)
      return;
    size_t Length = 0;
    llvm::StringRef Headers(Pending.data(), Head);
    while (!Headers.empty()) {
      auto [Line, Rest] = Headers.split("\r\n");
      if (Line.consume_front_insensitive("content-length:"))
        Line.trim().getAsInteger(10, Length);
      Headers = Rest;
    }
    if (Pending.size() < Head + 4 + Length)
      return;
    std::string Message = Pending.substr(Head + 4, Length);
    Pending.erase(0, Head + 4 + Length);
    Each(Message);
  }
}

Session::Place Session::place(const Object *O) {
  Place P;
  if (O) {
    P.Line = O->getInteger("line").value_or(0);
    P.Character = O->getInteger("character").value_or(0);
  }
  return P;
}

void Session::sawInput(llvm::StringRef Message) {
  static constexpr llvm::StringRef Watched[] = {"textDocument/hover", "textDocument/did", "textDocument/codeAction", "workspace/executeCommand", "\"initialize\""};
  if (llvm::none_of(Watched, [&](llvm::StringRef M) { return Message.contains(M); }))
    return;
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Message);
  if (!V)
    return llvm::consumeError(V.takeError());
  const Object *O = V->getAsObject();
  const Object *Params = O ? O->getObject("params") : nullptr;
  if (!Params)
    return;
  std::lock_guard<std::mutex> Hold(Lock);
  Actions.sawInput(*O);
  llvm::StringRef Method = O->getString("method").value_or("");
  std::optional<int64_t> Id = O->getInteger("id");
  if (!Id)
    return;
  const Object *Document = Params->getObject("textDocument");
  if (Method == "initialize") {
    Initialize = Id;
  } else if (Method == "textDocument/hover" && Document) {
    Hovers[*Id] = {Document->getString("uri").value_or("").str(), place(Params->getObject("position"))};
  } else if (Method == "textDocument/codeAction") {
    Asked[*Id] = *Params;
  } else if (Method == "workspace/executeCommand" && Params->getString("command") == RewriteCommand) {
    const llvm::json::Array *Arguments = Params->getArray("arguments");
    const Object *One = Arguments && !Arguments->empty() ? Arguments->front().getAsObject() : nullptr;
    Chosen[*Id] = One ? *One : Object();
  }
}

void Session::sawCommand(llvm::StringRef File, llvm::StringRef Directory, const std::vector<std::string> &Words) {
  std::lock_guard<std::mutex> Hold(Lock);
  Actions.sawCommand(File, Directory, Words);
}

bool Session::adjustDiagnostics(Object &Params) {
  llvm::json::Array *List = Params.getArray("diagnostics");
  std::vector<Shown> &Known = Findings[Params.getString("uri").value_or("")];
  Known.clear();
  if (!List)
    return false;
  bool Changed = false;
  for (llvm::json::Value &V : *List) {
    Object *D = V.getAsObject();
    std::optional<llvm::StringRef> Code = D ? D->getString("code") : std::nullopt;
    if (!Code || !Code->starts_with("kcheck-"))
      continue;
    Changed |= D->erase("codeDescription");
    if (const Object *R = D->getObject("range"))
      Known.push_back({place(R->getObject("start")), place(R->getObject("end")), Code->str()});
  }
  return Changed;
}

/// "kcheck-sync-barrier-divergence: barrier that not all threads reach (rule 7, barriers and races)"
static std::string ruleText(llvm::StringRef Check) {
  const RegisteredRule *R = findRule(Check);
  if (!R)
    return "";
  for (const TagInfo &T : R->Info.Tags)
    if (checkId(R->Info.Id, T.Tag) == Check)
      return ("**" + Check + "**: " + T.Summary + " (rule " + R->Info.Cmpd + ": " + R->Info.Summary + ")\n\n`kcheck explain " + T.Tag + "`").str();
  return "";
}

bool Session::explain(Object &Reply, llvm::StringRef Uri, Place At) {
  std::string Text;
  for (const Shown &F : Findings[Uri])
    if (F.Begin <= At && At <= F.End)
      if (std::string One = ruleText(F.Check); !One.empty() && !llvm::StringRef(Text).contains(One))
        Text += (Text.empty() ? "" : "\n\n") + One;
  if (Text.empty())
    return false;
  Object *Result = Reply.getObject("result");
  if (!Result) {
    Reply["result"] = Object{{"contents", Object{{"kind", "markdown"}, {"value", Text}}}};
    return true;
  }
  Object *Contents = Result->getObject("contents");
  if (!Contents)
    return false;
  (*Contents)["value"] = Text + "\n\n---\n" + Contents->getString("value").value_or("").str();
  return true;
}

/// Editors send only commands that were announced.
bool Session::announce(Object &Reply) {
  Object *Result = Reply.getObject("result");
  if (!Result)
    return false;
  Actions.countBytes(Result->getString("offsetEncoding") == "utf-8");
  Object *Capabilities = Result->getObject("capabilities");
  Object *Provider = Capabilities ? Capabilities->getObject("executeCommandProvider") : nullptr;
  llvm::json::Array *Commands = Provider ? Provider->getArray("commands") : nullptr;
  if (!Commands)
    return false;
  Commands->push_back(RewriteCommand);
  return true;
}

/// clangd does not know the command and says so: its answer is replaced.
bool Session::execute(Object &Reply, const Object &Arguments, std::vector<std::string> &First) {
  llvm::Expected<Object> Edit = Actions.apply(Arguments);
  Reply.erase("error");
  Reply.erase("result");
  if (!Edit) {
    Reply["error"] = Object{{"code", -32803}, {"message", llvm::toString(Edit.takeError())}};
    return true;
  }
  Object Request{{"jsonrpc", "2.0"}, {"id", "kcheck-" + std::to_string(++Sent)}, {"method", "workspace/applyEdit"}, {"params", Object{{"edit", std::move(*Edit)}}}};
  First.push_back(llvm::formatv("{0}", llvm::json::Value(std::move(Request))).str());
  Reply["result"] = nullptr;
  return true;
}

bool Session::adjustReply(Object &Reply, std::vector<std::string> &First) {
  std::optional<int64_t> Id = Reply.getInteger("id");
  if (!Id)
    return false;
  if (Initialize == Id) {
    Initialize.reset();
    return announce(Reply);
  }
  bool Changed = false;
  if (auto It = Hovers.find(*Id); It != Hovers.end()) {
    Changed = explain(Reply, It->second.first, It->second.second);
    Hovers.erase(It);
  } else if (auto It = Asked.find(*Id); It != Asked.end()) {
    llvm::json::Array More = Actions.offers(It->second);
    if (llvm::json::Array *List = Reply.getArray("result"); List && !More.empty()) {
      for (llvm::json::Value &V : More)
        List->push_back(std::move(V));
      Changed = true;
    }
    Asked.erase(It);
  } else if (auto It = Chosen.find(*Id); It != Chosen.end()) {
    Changed = execute(Reply, It->second, First);
    Chosen.erase(It);
  }
  return Changed;
}

std::vector<std::string> Session::toSend(llvm::StringRef Message) {
  std::lock_guard<std::mutex> Hold(Lock);
  bool IsDiagnostics = Message.contains("textDocument/publishDiagnostics");
  if (!IsDiagnostics && Hovers.empty() && Asked.empty() && Chosen.empty() && !Initialize)
    return {Message.str()};
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Message);
  if (!V) {
    llvm::consumeError(V.takeError());
    return {Message.str()};
  }
  std::vector<std::string> Out;
  Object *O = V->getAsObject();
  bool Changed = false;
  if (Object *Params = O && IsDiagnostics ? O->getObject("params") : nullptr) {
    Changed = adjustDiagnostics(*Params);
  } else if (O && !O->get("method")) {
    Changed = adjustReply(*O, Out);
  }
  Out.push_back(Changed ? llvm::formatv("{0}", *V).str() : Message.str());
  return Out;
}

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
  if (!Message.contains("textDocument/hover"))
    return;
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Message);
  if (!V)
    return llvm::consumeError(V.takeError());
  const Object *O = V->getAsObject();
  const Object *Params = O ? O->getObject("params") : nullptr;
  const Object *Document = Params ? Params->getObject("textDocument") : nullptr;
  if (!Document || O->getString("method") != "textDocument/hover" || !O->getInteger("id"))
    return;
  std::lock_guard<std::mutex> Hold(Lock);
  Hovers[*O->getInteger("id")] = {Document->getString("uri").value_or("").str(), place(Params->getObject("position"))};
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

std::string Session::adjusted(llvm::StringRef Message) {
  std::lock_guard<std::mutex> Hold(Lock);
  bool IsDiagnostics = Message.contains("textDocument/publishDiagnostics");
  if (!IsDiagnostics && Hovers.empty())
    return Message.str();
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Message);
  if (!V) {
    llvm::consumeError(V.takeError());
    return Message.str();
  }
  Object *O = V->getAsObject();
  bool Changed = false;
  if (Object *Params = O && IsDiagnostics ? O->getObject("params") : nullptr) {
    Changed = adjustDiagnostics(*Params);
  } else if (std::optional<int64_t> Id = O && !O->get("method") ? O->getInteger("id") : std::nullopt) {
    if (auto It = Hovers.find(*Id); It != Hovers.end()) {
      Changed = explain(*O, It->second.first, It->second.second);
      Hovers.erase(It);
    }
  }
  return Changed ? llvm::formatv("{0}", *V).str() : Message.str();
}

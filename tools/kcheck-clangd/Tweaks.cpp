#include "tools/kcheck-clangd/Tweaks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// "file:///a%20b.cu" as a path; empty for other schemes.
std::string pathOf(llvm::StringRef Uri) {
  if (!Uri.consume_front("file://"))
    return {};
  std::string Out;
  for (size_t I = 0; I < Uri.size(); ++I) {
    unsigned Code;
    if (Uri[I] == '%' && I + 2 < Uri.size() && !Uri.substr(I + 1, 2).getAsInteger(16, Code)) {
      Out += char(Code);
      I += 2;
    } else {
      Out += Uri[I];
    }
  }
  return Out;
}

bool isCuda(llvm::StringRef Uri) { return Uri.ends_with(".cu") || Uri.ends_with(".cuh"); }

llvm::StringRef uriOf(const Object &Params) {
  const Object *Document = Params.getObject("textDocument");
  return Document ? Document->getString("uri").value_or("") : "";
}

Object position(int64_t Line) { return Object{{"line", Line}, {"character", 0}}; }

/// The lines that differ as one edit.
Object lineEdit(llvm::StringRef Old, llvm::StringRef New) {
  llvm::SmallVector<llvm::StringRef, 256> A, B;
  Old.split(A, '\n');
  New.split(B, '\n');
  size_t Head = 0, Tail = 0, Most = std::min(A.size(), B.size());
  while (Head < Most && A[Head] == B[Head])
    ++Head;
  // the last piece has no line end of its own: it stays outside
  while (Tail + Head < Most && A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  std::string Text;
  for (size_t I = Head; I < B.size() - Tail; ++I)
    Text += B[I].str() + (I + 1 < B.size() ? "\n" : "");
  Object End = position(int64_t(A.size() - Tail));
  if (!Tail) // up to the end of a text without a last line end
    End = Object{{"line", int64_t(A.size()) - 1}, {"character", int64_t(A.back().size())}};
  return Object{{"range", Object{{"start", position(int64_t(Head))}, {"end", std::move(End)}}}, {"newText", Text}};
}

/// Does the request want this kind? `only` names kinds or what they begin with.
bool wants(const Object &Params, llvm::StringRef Kind) {
  const Object *Context = Params.getObject("context");
  const Array *Only = Context ? Context->getArray("only") : nullptr;
  return !Only || llvm::any_of(*Only, [&](const llvm::json::Value &V) {
    llvm::StringRef O = V.getAsString().value_or("");
    return O.empty() || Kind == O || (Kind.starts_with(O) && Kind[O.size()] == '.');
  });
}

} // namespace

void Tweaks::sawCommand(llvm::StringRef File, llvm::StringRef Directory, const std::vector<std::string> &Words) {
  if (Words.size() > 1 && isCuda(File))
    Commands[File] = {Directory.str(), {Words.begin() + 1, Words.end()}};
}

size_t Tweaks::offset(llvm::StringRef Text, const Object *Position) const {
  int64_t Line = Position ? Position->getInteger("line").value_or(0) : 0, Column = Position ? Position->getInteger("character").value_or(0) : 0;
  size_t At = 0;
  for (; Line > 0; --Line) {
    size_t End = Text.find('\n', At);
    if (End == llvm::StringRef::npos)
      return Text.size();
    At = End + 1;
  }
  size_t Stop = std::min(Text.find('\n', At), Text.size());
  while (Column > 0 && At < Stop) {
    unsigned Length = Bytes ? 1 : llvm::getNumBytesForUTF8(llvm::UTF8(Text[At]));
    Column -= Length == 4 && !Bytes ? 2 : 1; // beyond the first plane: two units
    At = std::min(At + Length, Stop);
  }
  return At;
}

void Tweaks::change(Document &D, const Object &Change) const {
  llvm::StringRef Text = Change.getString("text").value_or("");
  D.Found.reset();
  const Object *Range = Change.getObject("range");
  if (!Range) {
    D.Text = Text.str();
    return;
  }
  size_t Begin = offset(D.Text, Range->getObject("start")), End = offset(D.Text, Range->getObject("end"));
  if (Begin <= End)
    D.Text.replace(Begin, End - Begin, Text.str());
}

void Tweaks::sawInput(const Object &Message) {
  llvm::StringRef Method = Message.getString("method").value_or("");
  const Object *Params = Message.getObject("params");
  if (!Params)
    return;
  if (Method == "initialize") {
    const Object *C = Params->getObject("capabilities");
    C = C ? C->getObject("textDocument") : nullptr;
    C = C ? C->getObject("codeAction") : nullptr;
    Literals = C && C->get("codeActionLiteralSupport");
    return;
  }
  llvm::StringRef Uri = uriOf(*Params);
  if (!isCuda(Uri))
    return;
  if (Method == "textDocument/didClose") {
    Open.erase(Uri);
  } else if (Method == "textDocument/didOpen") {
    change(Open[Uri], *Params->getObject("textDocument"));
  } else if (Method == "textDocument/didChange") {
    auto It = Open.find(Uri);
    if (const Array *Changes = Params->getArray("contentChanges"); Changes && It != Open.end())
      for (const llvm::json::Value &V : *Changes)
        if (const Object *One = V.getAsObject())
          change(It->second, *One);
  }
}

ParseOptions Tweaks::options(llvm::StringRef File) const {
  ParseOptions O;
  if (auto It = Commands.find(File); It != Commands.end()) {
    O.ExtraArgs = It->second.Words;
    O.Directory = It->second.Directory;
  }
  return O;
}

const FileActions &Tweaks::found(llvm::StringRef Uri, Document &D) {
  if (!D.Found) {
    std::string File = pathOf(Uri);
    auto F = findActions(File, D.Text, options(File));
    D.Found = F ? std::move(*F) : FileActions();
    if (!F)
      llvm::consumeError(F.takeError());
  }
  return *D.Found;
}

Array Tweaks::offers(const Object &Params) {
  Array Out;
  llvm::StringRef Uri = uriOf(Params);
  auto It = Open.find(Uri);
  const Object *Range = Params.getObject("range");
  if (It == Open.end() || !Range || (!wants(Params, "refactor.rewrite") && !wants(Params, "quickfix")))
    return Out;
  auto Line = [&](llvm::StringRef End) {
    const Object *P = Range->getObject(End);
    return P ? P->getInteger("line").value_or(0) + 1 : 0;
  };
  int64_t First = Line("start"), Last = Line("end");
  for (const ActionSummary &A : found(Uri, It->second).Actions) {
    llvm::StringRef Kind = A.Info->Name.starts_with("fix-") ? "quickfix" : "refactor.rewrite";
    if (!wants(Params, Kind))
      continue;
    for (const SiteSummary &S : A.Sites) {
      if (!S.WhyNot.empty() || int64_t(S.Where.Line) < First || int64_t(S.Where.Line) > Last)
        continue;
      Settings Best = S.Sets.empty() ? Settings() : S.Sets.front().Values;
      std::string Words;
      Object Set;
      for (const auto &[Name, Value] : Best) {
        if (Value) // what is off is not worth a word
          Words += (Words.empty() ? " (" : ", ") + Name + "=" + std::to_string(Value);
        Set[Name] = Value;
      }
      std::string Title = "kcheck: " + A.Info->Summary.str() + (Words.empty() ? "" : Words + ")") + (S.What.empty() ? "" : ": " + S.What);
      Object Command{{"title", Title},
                     {"command", RewriteCommand},
                     {"arguments", Array{Object{{"uri", Uri.str()}, {"action", A.Info->Name}, {"kernel", S.Kernel}, {"line", S.Where.Line}, {"set", std::move(Set)}}}}};
      if (Literals)
        Out.push_back(Object{{"title", Title}, {"kind", Kind}, {"command", std::move(Command)}});
      else
        Out.push_back(std::move(Command));
    }
  }
  return Out;
}

llvm::Expected<Object> Tweaks::apply(const Object &Arguments) {
  llvm::StringRef Uri = Arguments.getString("uri").value_or("");
  auto It = Open.find(Uri);
  if (It == Open.end())
    return llvm::createStringError("the file is not open");
  RewriteRequest R;
  R.Action = Arguments.getString("action").value_or("").str();
  R.Kernel = Arguments.getString("kernel").value_or("").str();
  R.Line = unsigned(Arguments.getInteger("line").value_or(0));
  if (const Object *Set = Arguments.getObject("set"))
    for (const auto &[Name, Value] : *Set)
      R.Set[Name.str()] = Value.getAsInteger().value_or(0);
  std::string File = pathOf(Uri);
  auto New = rewrite(File, It->second.Text, options(File), R);
  if (!New)
    return New.takeError();
  return Object{{"changes", Object{{Uri.str(), Array{lineEdit(It->second.Text, New->Text)}}}}};
}

#include "gate/plan/PythonInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>
#include <set>

using namespace kcheck::gate;
using llvm::StringRef;

namespace {

bool isWordChar(char C) { return llvm::isAlnum(C) || C == '_'; }

/// A line with what its brackets take in of the next ones.
struct Statement {
  unsigned Indent = 0;
  std::string Text;
};

/// The file without its comments, strings empty.
std::vector<Statement> statements(StringRef S) {
  std::vector<Statement> Out;
  Statement Now;
  int Depth = 0;
  bool Start = true;
  auto End = [&] {
    StringRef T = StringRef(Now.Text).rtrim();
    if (!T.empty())
      Out.push_back({Now.Indent, T.str()});
    Now = {};
    Start = true;
  };
  for (size_t At = 0; At < S.size();) {
    char C = S[At];
    if (C == '\n') {
      ++At;
      if (Depth == 0)
        End();
      continue;
    }
    if (C == '#') {
      At = std::min(S.find('\n', At), S.size());
      continue;
    }
    if (C == '\\' && At + 1 < S.size() && S[At + 1] == '\n') {
      At += 2;
      continue;
    }
    if (C == '"' || C == '\'') {
      const std::string Quote(S.substr(At).starts_with(std::string(3, C)) ? 3 : 1, C);
      At += Quote.size();
      while (At < S.size() && !S.substr(At).starts_with(Quote) && !(Quote.size() == 1 && S[At] == '\n'))
        At += S[At] == '\\' ? 2 : 1;
      At = std::min(At + Quote.size(), S.size());
      Now.Text += "''";
      Start = false;
      continue;
    }
    if (Start && (C == ' ' || C == '\t')) {
      Now.Indent += C == '\t' ? 8 : 1;
      ++At;
      continue;
    }
    Start = false;
    Depth += llvm::is_contained({'(', '[', '{'}, C) ? 1 : llvm::is_contained({')', ']', '}'}, C) ? -1 : 0;
    Depth = std::max(Depth, 0);
    Now.Text += C;
    ++At;
  }
  End();
  return Out;
}

/// The parts between commas of this depth.
std::vector<std::string> parts(StringRef S) {
  std::vector<std::string> Out;
  int Depth = 0;
  std::string Now;
  for (char C : S) {
    Depth += llvm::is_contained({'(', '[', '{'}, C) ? 1 : llvm::is_contained({')', ']', '}'}, C) ? -1 : 0;
    if (C == ',' && Depth == 0) {
      Out.push_back(StringRef(Now).trim().str());
      Now.clear();
    } else {
      Now += C;
    }
  }
  if (!StringRef(Now).trim().empty())
    Out.push_back(StringRef(Now).trim().str());
  return Out;
}

/// What stands in the bracket that opens at Open.
std::optional<StringRef> bracket(StringRef S, size_t Open) {
  int Depth = 0;
  for (size_t I = Open; I < S.size(); ++I) {
    Depth += llvm::is_contained({'(', '[', '{'}, S[I]) ? 1 : llvm::is_contained({')', ']', '}'}, S[I]) ? -1 : 0;
    if (Depth == 0)
      return S.slice(Open + 1, I);
  }
  return std::nullopt;
}

/// A keyword argument such as `device="cuda"`.
bool isKeyword(StringRef Part) {
  StringRef Name = Part.take_while(isWordChar);
  StringRef Rest = Part.drop_front(Name.size()).ltrim();
  return !Name.empty() && Rest.starts_with("=") && !Rest.starts_with("==");
}

class File {
public:
  explicit File(StringRef Python) : All(statements(Python)) {
    for (const Statement &S : All)
      if (S.Indent == 0)
        assign(S.Text, Module);
    takeInputs();
  }

  std::vector<KnownArgument> argumentsOf(StringRef Function) const {
    for (size_t I = 0; I < All.size(); ++I) {
      if (!StringRef(All[I].Text).starts_with("class "))
        continue;
      std::map<std::string, KnownArgument> Names = Module;
      takeInit(I, Names);
      if (auto F = method(I, "forward"))
        if (auto Out = callIn(*F, Function, Names); !Out.empty())
          return Out;
    }
    return {};
  }

private:
  using Known = std::map<std::string, KnownArgument>;

  std::optional<KnownArgument> whole(StringRef E, const Known &Names) const {
    E = E.trim();
    KnownArgument K;
    K.IsWhole = true;
    if (!E.getAsInteger(10, K.Whole)) {
      K.Dims = {{E.str(), K.Whole}};
      return K;
    }
    if (auto It = Names.find(E.str()); It != Names.end() && It->second.IsWhole)
      return It->second;
    return std::nullopt;
  }

  /// An expression as far as it is known; a whole number has one dim, which holds its word.
  std::optional<KnownArgument> value(StringRef E, const Known &Names) const {
    E = E.trim();
    while (E.size() > 1 && E.front() == '(' && bracket(E, 0) && bracket(E, 0)->size() + 2 == E.size())
      E = E.drop_front().drop_back().trim();
    if (auto W = whole(E, Names))
      return W;
    if (auto It = Names.find(E.str()); It != Names.end())
      return It->second;
    for (StringRef Pure : {".contiguous()", ".cuda()", ".detach()", ".float()", ".half()", ".clone()"})
      if (StringRef Rest = E; Rest.consume_back(Pure))
        return value(Rest, Names);
    for (StringRef Wrapper : {"nn.Parameter(", "torch.nn.Parameter("})
      if (StringRef Rest = E; Rest.consume_front(Wrapper) && Rest.consume_back(")"))
        return value(parts(Rest).empty() ? "" : parts(Rest).front(), Names);
    for (StringRef Factory : {"torch.randn(", "torch.rand(", "torch.zeros(", "torch.ones(", "torch.empty("})
      if (StringRef Rest = E; Rest.consume_front(Factory) && Rest.consume_back(")"))
        return tensor(parts(Rest), Names);
    return std::nullopt;
  }

  std::optional<KnownArgument> tensor(std::vector<std::string> Parts, const Known &Names) const {
    llvm::erase_if(Parts, [](const std::string &P) { return isKeyword(P); });
    if (Parts.size() == 1 && (Parts[0].front() == '(' || Parts[0].front() == '[') && bracket(Parts[0], 0))
      Parts = parts(*bracket(Parts[0], 0));
    KnownArgument K;
    for (StringRef P : Parts) {
      if (P.consume_front("*")) // a tuple of sizes by its name
        return std::nullopt;
      auto W = whole(P, Names);
      if (!W || W->Whole < 1)
        return std::nullopt;
      K.Dims.push_back({W->Dims.front().Word, W->Whole});
    }
    return K.Dims.empty() ? std::nullopt : std::optional(K);
  }

  /// `NAME = …`: what is not known forgets what the name stood for.
  void assign(StringRef S, Known &Names) const {
    StringRef Name = S.take_while([](char C) { return isWordChar(C) || C == '.'; });
    StringRef Rest = S.drop_front(Name.size()).ltrim();
    if (Name.empty() || !Rest.consume_front("=") || Rest.starts_with("="))
      return;
    auto V = value(Rest, Names);
    if (!V) {
      Names.erase(Name.str());
      return;
    }
    int64_t Number;
    if (V->IsWhole && !Rest.trim().getAsInteger(10, Number) && !Name.contains('.'))
      V->Dims = {{Name.str(), V->Whole}}; // a name of its own
    Names[Name.str()] = *V;
  }

  struct Body {
    std::vector<std::string> Params;
    std::map<std::string, std::string> Defaults;
    std::vector<StringRef> Lines;
  };
  Body bodyOf(size_t Def) const {
    Body B;
    StringRef Head = All[Def].Text;
    if (auto P = bracket(Head, Head.find('(')))
      for (StringRef Part : parts(*P)) {
        StringRef Name = Part.take_while(isWordChar);
        B.Params.push_back(Name.str());
        if (auto [Before, Default] = Part.split('='); !Default.empty())
          B.Defaults[Name.str()] = Default.trim().str();
      }
    for (size_t I = Def + 1; I < All.size() && All[I].Indent > All[Def].Indent; ++I)
      B.Lines.push_back(All[I].Text);
    return B;
  }
  std::optional<Body> function(StringRef Name) const {
    for (size_t I = 0; I < All.size(); ++I)
      if (All[I].Indent == 0 && StringRef(All[I].Text).starts_with(("def " + Name + "(").str()))
        return bodyOf(I);
    return std::nullopt;
  }
  std::optional<Body> method(size_t Class, StringRef Name) const {
    for (size_t I = Class + 1; I < All.size() && All[I].Indent > All[Class].Indent; ++I)
      if (StringRef(All[I].Text).starts_with(("def " + Name + "(").str()))
        return bodyOf(I);
    return std::nullopt;
  }

  /// What a function returns as a list.
  std::vector<KnownArgument> listOf(StringRef Name) const {
    std::vector<KnownArgument> Out;
    auto B = function(Name);
    Known Names = Module;
    for (StringRef L : B ? B->Lines : std::vector<StringRef>()) {
      if (!L.consume_front("return")) {
        assign(L, Names);
        continue;
      }
      L = L.trim();
      if (!L.empty() && (L.front() == '[' || L.front() == '(') && bracket(L, 0))
        L = *bracket(L, 0);
      for (const std::string &P : parts(L))
        Out.push_back(value(P, Names).value_or(KnownArgument()));
      break;
    }
    return Out;
  }
  void takeInputs() {
    Inputs = listOf("get_inputs");
    InitInputs = listOf("get_init_inputs");
  }

  void takeInit(size_t Class, Known &Names) const {
    auto B = method(Class, "__init__");
    if (!B)
      return;
    Known Local = Names;
    for (size_t I = 1; I < B->Params.size(); ++I) {
      Local.erase(B->Params[I]);
      if (I - 1 < InitInputs.size() && InitInputs[I - 1].known())
        Local[B->Params[I]] = InitInputs[I - 1];
      else if (auto D = B->Defaults.find(B->Params[I]); D != B->Defaults.end())
        if (auto V = value(D->second, Module))
          Local[B->Params[I]] = *V;
    }
    for (StringRef L : B->Lines) {
      assign(L, Local);
      if (StringRef Name = L.take_while([](char C) { return isWordChar(C) || C == '.'; }); Name.starts_with("self.") && Local.count(Name.str()))
        Names[Name.str()] = Local[Name.str()];
    }
  }

  std::vector<KnownArgument> callIn(const Body &B, StringRef Function, Known Names) const {
    for (size_t I = 1; I < B.Params.size(); ++I) {
      Names.erase(B.Params[I]);
      if (I - 1 < Inputs.size() && Inputs[I - 1].known())
        Names[B.Params[I]] = Inputs[I - 1];
    }
    for (StringRef L : B.Lines) {
      size_t At = L.find((Function + "(").str());
      if (At != StringRef::npos && (At == 0 || !isWordChar(L[At - 1])))
        if (auto Inside = bracket(L, At + Function.size())) {
          std::vector<KnownArgument> Out;
          for (const std::string &P : parts(*Inside)) {
            if (isKeyword(P))
              return {};
            Out.push_back(value(P, Names).value_or(KnownArgument()));
          }
          for (KnownArgument &K : Out)
            if (K.IsWhole)
              K.Dims.clear();
          return llvm::any_of(Out, [](const KnownArgument &K) { return K.known(); }) ? Out : std::vector<KnownArgument>();
        }
      assign(L, Names);
    }
    return {};
  }

  std::vector<Statement> All;
  Known Module;
  std::vector<KnownArgument> Inputs, InitInputs;
};

} // namespace

std::vector<KnownArgument> kcheck::gate::pythonArguments(StringRef Python, StringRef Function) { return File(Python).argumentsOf(Function); }

// Reads a policy file (YAML) over another policy. The built-in policy is the schema for rules, tags, options
// and tables: a name that it does not have is an error, with its place and the nearest name that it has.
#include "analyzers/engine/DidYouMean.h"
#include "analyzers/engine/Policy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <yaml-cpp/yaml.h>

using namespace kcheck;
namespace json = llvm::json;

namespace {

constexpr size_t MaxBytes = 1 << 20, MaxNodes = 100000, MaxErrors = 20;

/// A plain scalar by YAML's core schema: null, true, false, integers, reals; all else is text. `off` is text.
json::Value scalar(const YAML::Node &N) {
  const std::string &S = N.Scalar();
  if (N.Tag() == "!")
    return S; // quoted
  if (S == "null" || S == "~" || S.empty())
    return nullptr;
  if (S == "true" || S == "false")
    return S == "true";
  int64_t I;
  if (!llvm::StringRef(S).getAsInteger(10, I))
    return I;
  double D;
  if (S.find_first_not_of("0123456789+-.eE") == std::string::npos && llvm::to_float(S, D))
    return D;
  return S;
}

llvm::StringRef kindName(json::Value::Kind K) {
  switch (K) {
  case json::Value::Null: return "nothing";
  case json::Value::Boolean: return "true or false";
  case json::Value::Number: return "a number";
  case json::Value::String: return "a text";
  case json::Value::Array: return "a list";
  case json::Value::Object: return "a map";
  }
  return "a value";
}

class Reader {
public:
  Reader(llvm::StringRef Name, const Policy &Base) : Name(Name), Base(Base) {}

  std::vector<std::string> Errors;

  json::Value document(const YAML::Node &N) {
    json::Object Out;
    if (!N.IsMap()) {
      error(N, "a policy is a map that starts with 'kcheck: 1'");
      return Out;
    }
    std::vector<std::string> Known = {"kcheck", "rules", "launch", "exempt", "root"};
    for (const auto &[Key, V] : *Base.Root.getAsObject())
      if (!llvm::is_contained(Known, Key.str()))
        Known.push_back(Key.str());
    bool SawVersion = false;
    each(N, [&](const std::string &Key, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (!known(Key, KeyNode, "key", Known))
        return;
      if (Key == "kcheck") {
        SawVersion = true;
        if (!V.IsScalar() || V.Scalar() != "1")
          error(V, "policy version '" + text(V) + "' is not known; this kcheck reads 'kcheck: 1'");
      } else if (Key == "rules")
        Out[Key] = rules(V);
      else if (Key == "launch")
        Out[Key] = launch(V);
      else if (Key == "exempt")
        Out[Key] = exempt(V);
      else if (Key == "root") {
        json::Value B = scalarOf(V);
        if (B.kind() != json::Value::Boolean)
          error(V, "'root' is true or false, not '" + text(V) + "'");
      } else
        Out[Key] = like(V, *Base.table({Key}), Key, /*Open=*/Key == "api" || Key == "compile");
    });
    if (!SawVersion)
      error(N, "no 'kcheck: 1'; it says which version of the policy format this file follows");
    return Out;
  }

private:
  void error(const YAML::Node &N, const llvm::Twine &Message) {
    if (Errors.size() == MaxErrors)
      return;
    YAML::Mark M = N.Mark();
    Errors.push_back((Name + ":" + llvm::Twine(M.line + 1) + ":" + llvm::Twine(M.column + 1) + ": " + Message).str());
  }

  static std::string text(const YAML::Node &N) { return N.IsScalar() ? N.Scalar() : N.IsSequence() ? "[…]" : "{…}"; }

  /// Aliases may be nested to make a small file endless: nodes are counted as they are visited.
  bool budget(const YAML::Node &N) {
    if (++Visited <= MaxNodes)
      return true;
    if (Visited == MaxNodes + 1)
      error(N, "more than 100000 values; a policy is not that long");
    return false;
  }

  json::Value scalarOf(const YAML::Node &N) { return N.IsScalar() ? scalar(N) : json::Value(nullptr); }

  template <class Fn> void each(const YAML::Node &N, Fn &&Use) {
    llvm::StringSet<> Seen;
    for (const auto &Pair : N) {
      if (!budget(Pair.first))
        return;
      if (!Pair.first.IsScalar()) {
        error(Pair.first, "a key is a word, not " + text(Pair.first));
        continue;
      }
      std::string Key = Pair.first.Scalar();
      if (!Seen.insert(Key).second)
        error(Pair.first, "'" + Key + "' stands here twice");
      else
        Use(Key, Pair.first, Pair.second);
    }
  }

  bool known(const std::string &Key, const YAML::Node &At, llvm::StringRef What, const std::vector<std::string> &Known) {
    if (llvm::is_contained(Known, Key))
      return true;
    std::string Near = nearest(Key, Known);
    std::string Hint = Near.empty() ? (Known.size() <= 12 && !Known.empty() ? "; one of " + llvm::join(Known, ", ") : "")
                                    : "; did you mean '" + Near + "'?";
    error(At, "unknown " + What + " '" + Key + "'" + Hint);
    return false;
  }

  static std::vector<std::string> keysOf(const json::Value *V) {
    std::vector<std::string> Keys;
    if (V)
      if (const json::Object *O = V->getAsObject())
        for (const auto &[K, Ignored] : *O)
          Keys.push_back(K.str());
    return Keys;
  }

  bool isMap(const YAML::Node &N, const llvm::Twine &What) {
    if (N.IsMap())
      return true;
    error(N, What + " is a map, not " + (N.IsScalar() ? "'" + text(N) + "'" : N.IsNull() ? std::string("nothing") : std::string("a list")));
    return false;
  }

  json::Value rules(const YAML::Node &N) {
    json::Object Out;
    if (!isMap(N, "'rules'"))
      return Out;
    each(N, [&](const std::string &Id, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (known(Id, KeyNode, "rule", keysOf(Base.table({"rules"}))) && isMap(V, "'" + Id + "'"))
        Out[Id] = rule(Id, V);
    });
    return Out;
  }

  json::Value rule(const std::string &Id, const YAML::Node &N) {
    json::Object Out;
    each(N, [&](const std::string &Key, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (!known(Key, KeyNode, "key of " + Id, {"enabled", "tags", "options", "cmpd"}))
        return;
      if (Key == "enabled") {
        json::Value B = scalarOf(V);
        if (B.kind() == json::Value::Boolean)
          Out[Key] = std::move(B);
        else
          error(V, "'enabled' is true or false, not '" + text(V) + "'");
      } else if (Key == "tags") {
        if (isMap(V, "'tags'"))
          Out[Key] = tags(Id, V);
      } else if (Key == "options") {
        if (isMap(V, "'options'"))
          Out[Key] = options(Id, V);
      }
    });
    return Out;
  }

  json::Value tags(const std::string &Id, const YAML::Node &N) {
    json::Object Out;
    each(N, [&](const std::string &Tag, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (!known(Tag, KeyNode, "tag of " + Id, keysOf(Base.table({"rules", Id, "tags"}))))
        return;
      if (!V.IsMap()) {
        if (severity(V, Severity::Reject))
          Out[Tag] = V.Scalar();
        return;
      }
      json::Object Both;
      each(V, [&](const std::string &Sure, const YAML::Node &SureNode, const YAML::Node &Level) {
        if (known(Sure, SureNode, "certainty", {"proven", "doubt"}) &&
            severity(Level, Sure == "doubt" ? Severity::Review : Severity::Reject))
          Both[Sure] = Level.Scalar();
      });
      Out[Tag] = std::move(Both);
    });
    return Out;
  }

  bool severity(const YAML::Node &N, Severity Most) {
    auto S = N.IsScalar() ? parseSeverity(N.Scalar()) : std::nullopt;
    if (!S) {
      std::string Near = N.IsScalar() ? nearest(N.Scalar(), {"off", "note", "review", "reject"}) : "";
      error(N, "'" + text(N) + "' is no severity" +
                   (Near.empty() ? "; one of off, note, review, reject" : "; did you mean '" + Near + "'?"));
      return false;
    }
    if (*S > Most) {
      error(N, "a doubt weighs at most 'review'");
      return false;
    }
    return true;
  }

  json::Value options(const std::string &Id, const YAML::Node &N) {
    json::Object Out;
    each(N, [&](const std::string &Key, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (known(Key, KeyNode, "option of " + Id, keysOf(Base.table({"rules", Id, "options"}))))
        Out[Key] = like(V, *Base.table({"rules", Id, "options", Key}), Key, /*Open=*/true);
    });
    return Out;
  }

  /// A value of the same kind as Model. Open: a map may have keys that Model has not (an API table).
  json::Value like(const YAML::Node &N, const json::Value &Model, const std::string &Key, bool Open) {
    json::Value V = any(N);
    if (V.kind() != Model.kind() && Model.kind() != json::Value::Null) {
      error(N, "'" + Key + "' is " + kindName(Model.kind()) + ", not " + (N.IsScalar() ? "'" + text(N) + "'" : kindName(V.kind()).str()));
      return Model;
    }
    const json::Object *O = Model.getAsObject();
    if (!O || !N.IsMap())
      return V;
    json::Object Out;
    each(N, [&](const std::string &K, const YAML::Node &KeyNode, const YAML::Node &Child) {
      if (const json::Value *M = O->get(K))
        Out[K] = like(Child, *M, K, true);
      else if (Open && Key != "api")
        Out[K] = any(Child);
      else
        known(K, KeyNode, "table of " + Key, keysOf(&Model));
    });
    return Out;
  }

  json::Value any(const YAML::Node &N) {
    if (!budget(N))
      return nullptr;
    if (N.IsSequence()) {
      json::Array A;
      for (const auto &E : N)
        A.push_back(any(E));
      return A;
    }
    if (N.IsMap()) {
      json::Object O;
      for (const auto &P : N)
        if (P.first.IsScalar())
          O[P.first.Scalar()] = any(P.second);
      return O;
    }
    return scalarOf(N);
  }

  json::Value launch(const YAML::Node &N) {
    json::Object Out;
    if (!isMap(N, "'launch'"))
      return Out;
    each(N, [&](const std::string &Key, const YAML::Node &KeyNode, const YAML::Node &V) {
      if (!known(Key, KeyNode, "key of launch", {"block", "grid"}))
        return;
      json::Array Dims;
      bool Ok = (V.IsSequence() && V.size() >= 1 && V.size() <= 3) || V.IsScalar();
      auto Add = [&](const YAML::Node &D) {
        auto I = scalarOf(D).getAsInteger();
        if (!I || *I < 1 || *I > 2147483647)
          Ok = false;
        else
          Dims.push_back(*I);
      };
      if (V.IsScalar())
        Add(V);
      else if (Ok)
        for (const auto &D : V)
          Add(D);
      if (!Ok)
        return error(V, "'" + Key + "' is one to three positive numbers, such as [32, 8]");
      while (Dims.size() < 3)
        Dims.push_back(1);
      Out[Key] = std::move(Dims);
    });
    return Out;
  }

  json::Value exempt(const YAML::Node &N) {
    json::Array Out;
    if (!N.IsSequence()) {
      error(N, "'exempt' is a list of {path: …, rules: […], why: …}");
      return Out;
    }
    for (const auto &E : N) {
      if (!isMap(E, "an exemption"))
        continue;
      json::Object One;
      each(E, [&](const std::string &Key, const YAML::Node &KeyNode, const YAML::Node &V) {
        if (!known(Key, KeyNode, "key of an exemption", {"path", "rules", "why"}))
          return;
        if (Key == "rules")
          One[Key] = exemptRules(V);
        else if (V.IsScalar())
          One[Key] = V.Scalar();
        else
          error(V, "'" + Key + "' is a text");
      });
      if (!One.get("path"))
        error(E, "an exemption needs a path, such as 'third_party/**'");
      Out.push_back(std::move(One));
    }
    return Out;
  }

  json::Value exemptRules(const YAML::Node &N) {
    json::Array Out;
    if (!N.IsSequence()) {
      error(N, "'rules' is a list of rules, tags or check ids");
      return Out;
    }
    std::vector<std::string> Known;
    for (auto &[Rule, Tags] : Base.ruleTags()) {
      Known.push_back(Rule);
      for (auto &T : Tags)
        Known.push_back(T), Known.push_back(checkId(Rule, T));
    }
    for (const auto &R : N) {
      std::string Word = text(R);
      bool Any = false;
      for (auto &[Rule, Tags] : Base.ruleTags())
        for (auto &T : Tags)
          Any |= Policy::names(Word, Rule, T);
      if (Any)
        Out.push_back(Word);
      else
        known(Word, R, "rule, tag or check", Known);
    }
    return Out;
  }

  llvm::StringRef Name;
  const Policy &Base;
  size_t Visited = 0;
};

void merge(json::Value &Into, const json::Value &Over) {
  json::Object *O = Into.getAsObject();
  const json::Object *P = Over.getAsObject();
  if (O && P) {
    for (const auto &[K, V] : *P) {
      auto It = O->find(K);
      if (It == O->end())
        (*O)[K.str()] = V;
      else
        merge(It->second, V);
    }
    return;
  }
  const json::Array *A = Over.getAsArray();
  json::Array *Old = Into.getAsArray();
  if (!A || !Old || A->empty() || (*A)[0].getAsString() != "inherit") {
    Into = Over;
    return;
  }
  for (size_t I = 1; I < A->size(); ++I)
    Old->push_back((*A)[I]);
}

} // namespace

llvm::Expected<Policy> Policy::parse(llvm::StringRef Name, llvm::StringRef Yaml, const Policy &Base) {
  if (Yaml.size() > MaxBytes)
    return llvm::createStringError(Name + ": over 1 MB; a policy is not that long");
  if (size_t Bad; !json::isUTF8(Yaml, &Bad))
    return llvm::createStringError(Name + ":" + llvm::Twine(Yaml.take_front(Bad).count('\n') + 1) + ": not UTF-8; save it as such");
  Reader R(Name, Base);
  json::Value Over = nullptr;
  try { // yaml-cpp throws
    std::vector<YAML::Node> Docs = YAML::LoadAll(Yaml.str());
    if (Docs.size() > 1)
      return llvm::createStringError(Name + ": more than one document; a policy is one");
    Over = R.document(Docs.empty() ? YAML::Node() : Docs[0]);
  } catch (const YAML::Exception &E) {
    return llvm::createStringError(Name + ":" + llvm::Twine(E.mark.line + 1) + ":" + llvm::Twine(E.mark.column + 1) +
                                   ": not YAML: " + E.msg);
  }
  if (!R.Errors.empty())
    return llvm::createStringError(llvm::join(R.Errors, "\n"));
  Policy P = Base;
  merge(P.Root, Over);
  return P;
}

llvm::Expected<Policy> Policy::load(llvm::StringRef File, const Policy &Base) {
  llvm::sys::fs::file_status Status;
  if (std::error_code EC = llvm::sys::fs::status(File, Status))
    return llvm::createStringError(EC, "policy " + File + ": " + EC.message());
  if (Status.type() != llvm::sys::fs::file_type::regular_file) // not a fifo or device that never ends
    return llvm::createStringError("policy " + File + ": not a regular file");
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "policy " + File + ": cannot read: " + Buffer.getError().message());
  return parse(File, (*Buffer)->getBuffer(), Base);
}

#include "analyzers/engine/driver/PythonStrings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>

using namespace kcheck;
using llvm::StringRef;

namespace {

/// A string's value and where its bytes came from.
struct Value {
  std::string Text;
  std::vector<unsigned> Offsets;
  bool Raw = true, Holes = false;
  void put(char C, unsigned At) {
    Text.push_back(C);
    Offsets.push_back(At);
  }
  void put(StringRef S, unsigned At) {
    for (char C : S)
      put(C, At);
  }
  void append(const Value &V) {
    Text += V.Text;
    Offsets.insert(Offsets.end(), V.Offsets.begin(), V.Offsets.end());
    Raw &= V.Raw;
    Holes |= V.Holes;
  }
};

bool holdsDeviceCode(StringRef Text) {
  return (Text.contains("__global__") || Text.contains("__device__") || Text.contains("<<<")) && Text.contains('{') && Text.contains(';');
}

class Scanner {
public:
  explicit Scanner(StringRef S) : S(S) { constants(); }

  /// The strings, and those that are put together from several by their names.
  std::vector<Value> strings() {
    bool Joins = false; // the next string continues the last one
    while (At < S.size()) {
      char C = S[At];
      if (C == '#') {
        At = std::min(S.find('\n', At), S.size());
      } else if (size_t Quote = stringStart()) {
        Value V = string(Quote - 1);
        if (Joins && !Found.empty()) {
          Found.back().append(V);
        } else {
          Found.push_back(std::move(V));
          link({Found.size() - 1});
        }
        Joins = true;
      } else if (llvm::isAlnum(C) || C == '_') {
        size_t Begin = At;
        while (At < S.size() && (llvm::isAlnum(S[At]) || S[At] == '_'))
          ++At;
        name(S.slice(Begin, At));
        Joins = false;
      } else {
        if (C == '%' || S.substr(At).starts_with(".format") || S.substr(At).starts_with(".replace") || S.substr(At).starts_with(".substitute"))
          if (Joins && !Found.empty())
            Found.back().Holes = true;
        // White space and '+' between two strings join them; anything else parts them.
        if (!llvm::isSpace(C) && C != '+' && C != '\\')
          Joins = false;
        sign(C);
        ++At;
      }
    }
    endChain();
    return together();
  }

private:
  using Chain = llvm::SmallVector<size_t, 4>; ///< of Found

  /// A word: what is assigned to, or a string's name.
  void name(StringRef Word) {
    auto It = Names.find(Word);
    if (It != Names.end())
      link(Chain(It->second));
    else
      endChain();
    Last = Word;
  }

  void link(const Chain &More) {
    if (!Linked)
      endChain();
    Open.append(More);
    Linked = false;
    Last = {};
  }

  /// `header + kernel`; in a list of sources, which load_inline() puts into one file, `[kernel, launcher]`.
  void sign(char C) {
    if (C == '=' && Brackets.empty() && !Last.empty()) {
      StringRef Name = Last;
      endChain();
      Target = Name.str();
    } else if (C == '+' || (C == ',' && !Brackets.empty() && Brackets.back() == '[' && S.contains("load_inline"))) {
      Linked = !Open.empty();
    } else if ((!llvm::isSpace(C) && C != '(' && C != ')' && C != '\\') || (C == '\n' && Brackets.empty())) {
      endChain();
    }
    if (C == '\n' && Brackets.empty())
      Target.clear();
    if (C == '[' || C == '(')
      Brackets.push_back(C);
    else if ((C == ']' || C == ')') && !Brackets.empty())
      Brackets.pop_back();
  }

  void endChain() {
    Linked = false;
    if (Open.empty())
      return;
    if (!Target.empty())
      Names[Target] = Open;
    if (Open.size() > 1)
      Chains.push_back(Open);
    Open.clear();
  }

  /// What stands in a longer text is no text of its own.
  std::vector<Value> together() {
    std::vector<Value> Out;
    std::vector<bool> Used(Found.size(), false);
    llvm::erase_if(Chains, [&](const Chain &C) { return llvm::none_of(C, [&](size_t I) { return holdsDeviceCode(Found[I].Text); }); });
    for (const Chain &C : Chains)
      for (size_t I : C)
        Used[I] = true;
    for (size_t I = 0; I < Found.size(); ++I)
      if (!Used[I])
        Out.push_back(Found[I]);
    for (const Chain &C : Chains) {
      auto Holds = [&](const Chain &Longer) { return Longer.size() > C.size() && std::search(Longer.begin(), Longer.end(), C.begin(), C.end()) != Longer.end(); };
      if (llvm::any_of(Chains, Holds))
        continue;
      Value Whole;
      for (size_t Part : C) {
        Whole.append(Found[Part]);
        Whole.put('\n', ~0u);
      }
      Out.push_back(std::move(Whole));
    }
    return Out;
  }

  /// NAME = 123 or NAME = "text" at the start of a line: what an f-string may name.
  void constants() {
    for (StringRef Line : llvm::split(S, '\n')) {
      auto [Name, Rest] = Line.split('=');
      Name = Name.trim();
      Rest = Rest.split('#').first.trim();
      if (Name.empty() || !llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || C == '_'; }) || Rest.empty())
        continue;
      bool Number = llvm::all_of(Rest, llvm::isDigit);
      bool Text = Rest.size() >= 2 && (Rest.front() == '"' || Rest.front() == '\'') && Rest.back() == Rest.front() && !Rest.drop_front().drop_back().contains(Rest.front());
      if (Number)
        Constants[Name] = Rest.str();
      else if (Text)
        Constants[Name] = Rest.drop_front().drop_back().str();
    }
  }

  /// Where a string begins here: offset of its quote plus one, else 0.
  size_t stringStart() const {
    size_t Q = At;
    while (Q < S.size() && Q - At < 2 && StringRef("rRbBuUfF").contains(S[Q]))
      ++Q;
    return Q < S.size() && (S[Q] == '"' || S[Q] == '\'') ? Q + 1 : 0;
  }

  Value string(size_t Quote) {
    StringRef Prefix = S.slice(At, Quote);
    bool Raw = Prefix.contains_insensitive("r"), Format = Prefix.contains_insensitive("f");
    char Q = S[Quote];
    bool Triple = S.substr(Quote).starts_with(std::string(3, Q));
    At = Quote + (Triple ? 3 : 1);
    Value V;
    while (At < S.size()) {
      if (S[At] == Q && (!Triple || S.substr(At).starts_with(std::string(3, Q)))) {
        At += Triple ? 3 : 1;
        return V;
      }
      if (S[At] == '\n' && !Triple)
        return V; // unterminated
      if (S[At] == '\\' && At + 1 < S.size()) {
        if (Raw) {
          V.put(S[At], unsigned(At));
          V.put(S[At + 1], unsigned(At + 1));
          At += 2;
        } else {
          escape(V);
        }
      } else if (Format && (S[At] == '{' || S[At] == '}')) {
        brace(V);
      } else {
        V.put(S[At], unsigned(At));
        ++At;
      }
    }
    return V;
  }

  void escape(Value &V) {
    unsigned Start = unsigned(At);
    V.Raw = false;
    char C = S[At + 1];
    At += 2;
    switch (C) {
    case '\n': return;
    case 'n': return V.put('\n', Start);
    case 't': return V.put('\t', Start);
    case 'r': return V.put('\r', Start);
    case '0': return V.put('\0', Start);
    case 'a': return V.put('\a', Start);
    case '\\': case '\'': case '"': return V.put(C, Start);
    case 'x': case 'u': case 'U': {
      size_t Digits = C == 'x' ? 2 : C == 'u' ? 4 : 8;
      unsigned Code = 0;
      StringRef Hex = S.substr(At, Digits);
      if (Hex.size() == Digits && !Hex.getAsInteger(16, Code)) {
        At += Digits;
        char Utf8[4], *End = Utf8;
        if (llvm::ConvertCodePointToUTF8(Code, End))
          V.put(StringRef(Utf8, size_t(End - Utf8)), Start);
        return;
      }
      [[fallthrough]];
    }
    default: // Python keeps what it does not know
      V.put('\\', Start);
      V.put(C, Start + 1);
    }
  }

  void brace(Value &V) {
    unsigned Start = unsigned(At);
    V.Raw = false;
    if (At + 1 < S.size() && S[At + 1] == S[At]) { // {{ and }}
      V.put(S[At], Start);
      At += 2;
      return;
    }
    size_t Close = S.find('}', At);
    if (S[At] == '}' || Close == StringRef::npos) {
      V.put(S[At++], Start);
      return;
    }
    StringRef Name = S.slice(At + 1, Close).split(':').first.split('!').first.trim();
    At = Close + 1;
    if (auto K = Constants.find(Name); K != Constants.end()) {
      V.put(K->second, Start);
    } else {
      V.put('1', Start);
      V.Holes = true;
    }
  }

  StringRef S;
  size_t At = 0;
  llvm::StringMap<std::string> Constants;
  std::vector<Value> Found;
  llvm::StringMap<Chain> Names; ///< of strings and of what is put together from them
  std::vector<Chain> Chains;
  Chain Open;                   ///< the strings of the expression at hand
  bool Linked = false;          ///< the next string belongs to it
  std::string Target;           ///< the variable that the statement assigns to
  StringRef Last;               ///< the last word
  std::string Brackets;         ///< that are open
};

} // namespace

std::vector<CudaString> kcheck::cudaStrings(StringRef Python) {
  // load_inline() puts these before cuda_sources.
  StringRef Prologue = Python.contains("load_inline") ? "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n" : "";
  std::vector<CudaString> Out;
  for (Value &V : Scanner(Python).strings()) {
    StringRef Text = V.Text;
    // A whole Python program as a string, with the CUDA code in a string of its own, is no CUDA code.
    StringRef First = Text.ltrim();
    bool Program = First.starts_with("import ") || First.starts_with("from ");
    if (!holdsDeviceCode(Text) || Program)
      continue;
    CudaString C;
    C.Text = Prologue.str() + V.Text;
    C.Offsets.assign(Prologue.size(), ~0u);
    C.Offsets.insert(C.Offsets.end(), V.Offsets.begin(), V.Offsets.end());
    C.Raw = V.Raw;
    C.Holes = V.Holes;
    Out.push_back(std::move(C));
  }
  return Out;
}

static AlignedCuda aligned(const CudaString &S, StringRef Python) {
  std::vector<unsigned> Starts{0}; // of the Python file's lines
  for (size_t I = 0; I < Python.size(); ++I)
    if (Python[I] == '\n')
      Starts.push_back(unsigned(I + 1));
  auto LineAt = [&](unsigned Offset) { return unsigned(std::upper_bound(Starts.begin(), Starts.end(), Offset) - Starts.begin()); };
  AlignedCuda A;
  A.Holes = S.Holes;
  for (size_t At = 0; At < S.Text.size();) {
    size_t End = std::min(S.Text.find('\n', At), S.Text.size() - 1) + 1;
    auto Known = std::find_if(S.Offsets.begin() + At, S.Offsets.begin() + End, [](unsigned O) { return O != ~0u; });
    const unsigned Line = Known == S.Offsets.begin() + End ? 0 : LineAt(*Known);
    while (A.Lines.size() + 1 < Line) {
      A.Text += '\n';
      A.Lines.push_back(0);
    }
    A.Text.append(S.Text, At, End - At);
    A.Lines.push_back(Line);
    At = End;
  }
  return A;
}

std::vector<AlignedCuda> kcheck::alignedStrings(StringRef Python) {
  std::vector<AlignedCuda> Out;
  for (const CudaString &S : cudaStrings(Python))
    Out.push_back(aligned(S, Python));
  return Out;
}

unsigned AlignedCuda::pythonLine(unsigned Line) const { return Line && Line <= Lines.size() && Lines[Line - 1] ? Lines[Line - 1] : Line; }

bool AlignedCuda::holds(unsigned PythonLine) const { return PythonLine && llvm::is_contained(Lines, PythonLine); }

std::pair<unsigned, unsigned> kcheck::lineColumn(StringRef Text, unsigned Offset) {
  StringRef Before = Text.take_front(Offset);
  return {unsigned(Before.count('\n')) + 1, unsigned(Before.size() - (Before.rfind('\n') + 1)) + 1};
}

std::optional<unsigned> kcheck::offsetOf(StringRef Text, unsigned Line, unsigned Column) {
  size_t At = 0;
  for (unsigned L = 1; L < Line; ++L) {
    At = Text.find('\n', At);
    if (At == StringRef::npos)
      return std::nullopt;
    ++At;
  }
  At += Column ? Column - 1 : 0;
  return At < Text.size() ? std::optional(unsigned(At)) : std::nullopt;
}

#include "runner/ops/Match.h"
#include <algorithm>
#include <array>

using namespace kcheck;
using namespace kcheck::ops;
using protocol::Role;

namespace {

std::string lower(std::string S) {
  for (char &C : S)
    C = C >= 'A' && C <= 'Z' ? char(C - 'A' + 'a') : C;
  return S;
}

/// d_x, h_x, x_ptr, p_x and x_d mean x.
std::string bare(const std::string &Name) {
  std::string S = lower(Name);
  for (std::string_view P : {"d_", "dev_", "g_", "p_"})
    if (S.size() > P.size() && S.starts_with(P))
      return S.substr(P.size());
  for (std::string_view P : {"_ptr", "_d", "_dev", "_data"})
    if (S.size() > P.size() && S.ends_with(P))
      return S.substr(0, S.size() - P.size());
  return S;
}

template <size_t N> bool among(const std::array<std::string_view, N> &Names, const std::string &S) {
  return std::find(Names.begin(), Names.end(), S) != Names.end();
}
constexpr std::array<std::string_view, 11> InputNames = {"x", "in", "input", "src", "source", "a", "data", "inp", "b", "lhs", "rhs"};
constexpr std::array<std::string_view, 11> OutputNames = {"y", "out", "output", "dst", "dest", "result", "res", "c", "o", "z", "outp"};

int nameScore(const Arg &A, const std::string &Name) {
  if (A.Name == Name)
    return 100;
  std::string B = bare(Name);
  if (lower(A.Name) == B)
    return 95;
  if (std::find(A.Aliases.begin(), A.Aliases.end(), Name) != A.Aliases.end())
    return 85;
  for (const std::string &X : A.Aliases)
    if (lower(X) == B)
      return 80;
  return 0;
}

bool isOutput(const Arg &A) { return A.How == Role::Out || A.How == Role::InOut; }

bool classFits(TypeClass C, DType T) {
  bool Float = protocol::isFloat(T);
  return C == TypeClass::Any || Float == (C == TypeClass::Float);
}

class Matcher {
public:
  Matcher(const Operator &O, const std::vector<Param> &Params) : O(O), Params(Params), Arg(Params.size(), nullptr) {}

  std::optional<Binding> run(std::vector<std::string> &Problems) {
    pair([](const Param &P) { return P.Pointer; }, Arg::Kind::Buffer);
    pair(isInteger, Arg::Kind::Dim);
    pair([](const Param &P) { return isScalar(P); }, Arg::Kind::Attr);
    for (size_t I = 0; I < Params.size(); ++I)
      if (!Arg[I] && !Params[I].Stream && !isFactor(I))
        Problems.push_back(complaint(Params[I]));
    for (const ops::Arg &A : O.Args)
      if (!taken(A) && !A.Optional && !factored(A))
        Problems.push_back(missing(A));
    return Problems.empty() ? std::optional(binding()) : std::nullopt;
  }

private:
  static bool isScalar(const Param &P) { return !P.Pointer && !P.Stream && P.Type; }
  static bool isInteger(const Param &P) { return isScalar(P) && !protocol::isFloat(*P.Type) && *P.Type != DType::Bool; }

  bool taken(const ops::Arg &A) const { return std::find(Arg.begin(), Arg.end(), &A) != Arg.end(); }

  /// Elementwise kernels take rows and columns too: the one dim of the operator is then the product of them all.
  bool factored(const ops::Arg &A) const { return A.What == Arg::Kind::Dim && !Factors.empty(); }
  bool isFactor(size_t I) const { return std::find(Factors.begin(), Factors.end(), I) != Factors.end(); }

  int score(size_t I, const ops::Arg &A, size_t Rank, size_t ArgRank) const {
    const Param &P = Params[I];
    if (A.What == Arg::Kind::Buffer) {
      if ((P.Type && !classFits(A.Types, *P.Type)) || (!P.Type && P.Pointer && P.Spelling != "void *" && P.Spelling != "const void *"))
        return -1;
      if (P.Const && isOutput(A))
        return -1;
    }
    int S = nameScore(A, P.Name) * 10;
    if (A.What == Arg::Kind::Buffer) {
      std::string B = bare(P.Name);
      if (S == 0 && !isOutput(A) && among(InputNames, B))
        S += 200;
      if (S == 0 && isOutput(A) && among(OutputNames, B))
        S += 200;
      S += P.Const == !isOutput(A) ? 100 : 0;
      S += P.Type && *P.Type == A.Usual ? 5 : 0;
    }
    if (A.What == Arg::Kind::Attr && P.Type && protocol::isFloat(*P.Type))
      S += 1; // attributes are floats more often than integers
    return S + 10 - int(std::min<size_t>(9, Rank > ArgRank ? Rank - ArgRank : ArgRank - Rank));
  }

  /// Greedy by score: the surest pair first, order breaks ties.
  template <typename Pred> void pair(Pred Wanted, ops::Arg::Kind What) {
    std::vector<size_t> Open;
    for (size_t I = 0; I < Params.size(); ++I)
      if (!Arg[I] && Wanted(Params[I]))
        Open.push_back(I);
    std::vector<const ops::Arg *> Args;
    for (const ops::Arg &A : O.Args)
      if (A.What == What)
        Args.push_back(&A);
    if (What == Arg::Kind::Dim)
      reserveIntegerAttrs(Open);
    if (What == Arg::Kind::Dim && Args.size() == 1 && Open.size() > 1) {
      Factors = Open;
      return;
    }
    while (true) {
      int Best = -1;
      size_t BestParam = 0;
      const ops::Arg *BestArg = nullptr;
      for (size_t R = 0; R < Open.size(); ++R)
        for (size_t Q = 0; Q < Args.size(); ++Q) {
          if (Arg[Open[R]] || taken(*Args[Q]))
            continue;
          int S = score(Open[R], *Args[Q], R, Q);
          if (S > Best) {
            Best = S;
            BestParam = Open[R];
            BestArg = Args[Q];
          }
        }
      if (!BestArg)
        return;
      Arg[BestParam] = BestArg;
    }
  }

  /// An integer that bears an attribute's name (zero_point) is no dim.
  void reserveIntegerAttrs(std::vector<size_t> &Open) {
    std::erase_if(Open, [&](size_t I) {
      for (const ops::Arg &A : O.Args)
        if (A.What == Arg::Kind::Attr && nameScore(A, Params[I].Name) >= 80)
          return true;
      return false;
    });
  }

  std::string formals() const {
    std::string S;
    for (const ops::Arg &A : O.Args)
      S += (S.empty() ? "" : ", ") + A.Name + (A.Optional ? "?" : "");
    return O.Name + "(" + S + ")";
  }
  std::string complaint(const Param &P) const {
    return "parameter '" + P.Name + "'" + (P.Spelling.empty() ? "" : " (" + P.Spelling + ")") + " fits no argument of " + formals();
  }
  std::string missing(const ops::Arg &A) const {
    const char *What = A.What == Arg::Kind::Dim ? "size" : A.What == Arg::Kind::Attr ? "attribute" : isOutput(A) ? "output" : "input";
    return std::string("no parameter for ") + What + " '" + A.Name + "' of " + formals();
  }

  Binding binding() const {
    Binding B;
    B.Op = &O;
    for (size_t I = 0; I < Params.size(); ++I)
      B.Params.push_back(bound(I));
    std::string Product;
    for (size_t I : Factors) {
      B.Free.push_back(Params[I].Name);
      Product += (Product.empty() ? "" : "*") + Params[I].Name;
    }
    for (const ops::Arg &A : O.Args) {
      if (A.What == Arg::Kind::Attr && !taken(A))
        B.Unbound.push_back(A.Name);
      if (A.What != Arg::Kind::Dim)
        continue;
      if (Factors.empty())
        B.Free.push_back(A.Name);
      B.DimOf[A.Name] = Factors.empty() ? A.Name : Product;
    }
    return B;
  }

  BoundParam bound(size_t I) const {
    const Param &P = Params[I];
    BoundParam B;
    if (P.Stream) {
      B.What = BoundParam::Kind::Stream;
    } else if (!Arg[I]) {
      B.What = BoundParam::Kind::Dim;
      B.Arg = P.Name;
    } else {
      B.What = Arg[I]->What == Arg::Kind::Dim ? BoundParam::Kind::Dim
               : Arg[I]->What == Arg::Kind::Attr ? BoundParam::Kind::Attr : BoundParam::Kind::Buffer;
      B.Arg = Arg[I]->Name;
    }
    B.Type = P.Type.value_or(Arg[I] ? Arg[I]->Usual : DType::I32);
    return B;
  }

  const Operator &O;
  const std::vector<Param> &Params;
  std::vector<const ops::Arg *> Arg;
  std::vector<size_t> Factors;
};

} // namespace

Dims Binding::operatorDims(const Dims &Chosen) const {
  Dims D;
  for (const auto &[Name, Text] : DimOf)
    D[Name] = evaluate(Text, Chosen).value_or(0);
  return D;
}

const BoundParam *Binding::find(std::string_view Wanted) const {
  for (const BoundParam &P : Params)
    if (P.Arg == Wanted)
      return &P;
  return nullptr;
}

DType Binding::typeOf(const Arg &A) const {
  const BoundParam *P = find(A.Name);
  return P ? P->Type : A.Usual;
}

std::optional<Binding> ops::match(const Operator &O, const std::vector<Param> &Params, std::vector<std::string> &Problems) {
  if (auto B = Matcher(O, Params).run(Problems))
    return B;
  for (const std::string &Name : O.Else) {
    std::vector<std::string> Ignored;
    const Operator *Other = findOperator(Name);
    if (!Other)
      continue;
    if (auto B = Matcher(*Other, Params).run(Ignored)) {
      Problems.clear();
      return B;
    }
  }
  return std::nullopt;
}

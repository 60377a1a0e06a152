#include "gate/dynamic/Bind.h"
#include "analyzers/engine/DidYouMean.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

ops::Dims Bound::operatorDims(const ops::Case &C) const {
  ops::Dims D;
  for (const auto &[Name, Text] : DimOf)
    D[Name] = ops::evaluate(Text, C.Sizes).value_or(0);
  return D;
}

ops::Dims Bound::dims(const ops::Case &C) const {
  ops::Dims D = operatorDims(C);
  for (const auto &[Name, V] : C.Sizes) // the task's own names win
    D[Name] = V;
  return D;
}

std::vector<int64_t> Bound::shapeOf(const BoundArg &A, const ops::Case &C) const {
  ops::Dims D = A.Spec && A.Shape == A.Spec->Shape ? operatorDims(C) : dims(C);
  std::vector<int64_t> S;
  for (const std::string &E : A.Shape)
    S.push_back(ops::evaluate(E, D).value_or(0));
  return S;
}

namespace {

class Binder {
public:
  Binder(const Task &T, const Candidate &C, std::vector<std::string> &Problems) : T(T), C(C), Problems(Problems) {}

  std::optional<Bound> run() {
    std::vector<const Launcher *> Candidates = choose();
    std::optional<Bound> Made;
    std::vector<std::string> First;
    for (const Launcher *L : Candidates) {
      std::vector<std::string> Here;
      Made = T.Args.empty() ? fromOperator(*L, Here) : fromTask(*L, Here);
      if (Made)
        break;
      for (std::string &P : Here)
        P = std::to_string(L->Line) + ": " + L->Name + ": " + P;
      if (First.empty())
        First = std::move(Here);
    }
    if (!Made) {
      Problems.insert(Problems.end(), First.begin(), First.end());
      return std::nullopt;
    }
    makeCases(*Made);
    return Made;
  }

private:
  std::string names(bool Kernels) const {
    std::vector<std::string> N;
    for (const Launcher &L : C.launchers())
      if (L.Kernel == Kernels)
        N.push_back(L.Name);
    return N.empty() ? "none" : llvm::join(N, ", ");
  }

  /// The launchers to try, the likeliest first.
  std::vector<const Launcher *> choose() {
    bool Kernel = !T.Kernel.empty();
    const std::string &Wanted = Kernel ? T.Kernel : T.Entry;
    if (!Wanted.empty()) {
      const Launcher *L = C.find(Wanted);
      if (L && L->Kernel == Kernel)
        return {L};
      std::vector<std::string> Known;
      for (const Launcher &X : C.launchers())
        if (X.Kernel == Kernel)
          Known.push_back(X.Name);
      std::string Near = nearest(Wanted, Known);
      Problems.push_back(std::string(Kernel ? "no kernel '" : "no launcher '") + Wanted + "' in the candidate" +
                         (Near.empty() ? "; it has: " + names(Kernel) : "; did you mean '" + Near + "'?"));
      return {};
    }
    std::vector<const Launcher *> Found;
    for (const Launcher &L : C.launchers())
      if (!L.Kernel && std::any_of(L.Params.begin(), L.Params.end(), [](const ops::Param &P) { return P.Pointer; }))
        Found.push_back(&L);
    auto rank = [&](const Launcher *L) {
      return L->Name == "launch_" + T.Op ? 0 : L->Name == T.Op ? 1 : llvm::StringRef(L->Name).contains(T.Op) ? 2 : llvm::StringRef(L->Name).contains("launch") ? 3 : 4;
    };
    std::stable_sort(Found.begin(), Found.end(), [&](const Launcher *A, const Launcher *B) { return rank(A) < rank(B); });
    if (Found.empty())
      Problems.push_back("the candidate has no launcher (a host function that takes device pointers and launches a kernel); name a kernel "
                         "with 'kernel', 'grid' and 'block' in a task");
    return Found;
  }

  std::optional<Bound> fromOperator(const Launcher &L, std::vector<std::string> &Here) {
    auto M = ops::match(*ops::findOperator(T.Op), L.Params, Here);
    if (!M)
      return std::nullopt;
    Bound B;
    B.L = &L;
    B.Op = M->Op;
    B.DimOf = M->DimOf;
    B.AbsentAttrs = M->Unbound;
    for (size_t I = 0; I < L.Params.size(); ++I) {
      const ops::BoundParam &P = M->Params[I];
      BoundArg A = argument(B, P, L.Params[I]);
      if (A.What == TaskArg::Kind::Dim)
        A.Dim = P.Arg;
      B.Args.push_back(std::move(A));
    }
    Match = std::move(M);
    return B;
  }

  static BoundArg argument(const Bound &B, const ops::BoundParam &P, const ops::Param &Decl) {
    BoundArg A;
    A.Name = Decl.Name.empty() ? P.Arg : Decl.Name;
    A.Type = P.Type;
    A.Spec = B.Op->find(P.Arg);
    A.OpArg = A.Spec ? P.Arg : "";
    switch (P.What) {
    case ops::BoundParam::Kind::Stream: A.What = TaskArg::Kind::Stream; break;
    case ops::BoundParam::Kind::Dim: A.What = TaskArg::Kind::Dim; break;
    case ops::BoundParam::Kind::Attr:
      A.What = TaskArg::Kind::Scalar;
      A.Value = A.Spec->Default;
      break;
    case ops::BoundParam::Kind::Buffer:
      A.How = A.Spec->How;
      A.Shape = A.Spec->Shape;
      break;
    }
    return A;
  }

  std::optional<Bound> fromTask(const Launcher &L, std::vector<std::string> &Here) {
    if (T.Args.size() != L.Params.size()) {
      Here.push_back("it has " + std::to_string(L.Params.size()) + " parameters, the task has " + std::to_string(T.Args.size()) + " args");
      return std::nullopt;
    }
    Bound B;
    B.L = &L;
    for (size_t I = 0; I < T.Args.size(); ++I) {
      std::string Why = misfit(T.Args[I], L.Params[I]);
      if (!Why.empty())
        Here.push_back("parameter '" + L.Params[I].Name + "' (" + L.Params[I].Spelling + ") and arg '" + T.Args[I].Name + "' differ: " + Why);
      const TaskArg &From = T.Args[I];
      BoundArg A;
      A.What = From.What;
      A.Name = From.Name;
      A.How = From.How;
      A.Type = From.What == TaskArg::Kind::Buffer || !L.Params[I].Type ? From.Type : *L.Params[I].Type;
      A.Shape = From.Shape;
      A.Dim = From.Dim;
      A.Value = From.Value;
      A.Inputs = From.Inputs;
      A.Below = From.Below;
      B.Args.push_back(std::move(A));
    }
    if (!Here.empty())
      return std::nullopt;
    if (!T.Op.empty() && !joinOperator(B, Here))
      return std::nullopt;
    return B;
  }

  static std::string misfit(const TaskArg &A, const ops::Param &P) {
    if (A.What == TaskArg::Kind::Stream)
      return P.Stream ? "" : "it is no stream";
    bool Buffer = A.What == TaskArg::Kind::Buffer;
    if (Buffer != P.Pointer)
      return Buffer ? "it is no pointer" : "it is a pointer";
    if (Buffer && P.Type && *P.Type != A.Type && protocol::sizeOf(*P.Type) == protocol::sizeOf(A.Type) && protocol::isFloat(*P.Type) == protocol::isFloat(A.Type) && !protocol::isFloat(A.Type))
      return ""; // int and unsigned, int8 and bool: the same bytes
    if (Buffer && P.Type && *P.Type != A.Type)
      return "the task says " + std::string(protocol::toString(A.Type)) + ", the code has " + std::string(protocol::toString(*P.Type));
    if (Buffer && P.Const && (A.How == Role::Out || A.How == Role::InOut))
      return "the task writes to it, the code declares it const";
    return "";
  }

  /// The operator's arguments among the task's: by name, type and order, as for a launcher.
  bool joinOperator(Bound &B, std::vector<std::string> &Here) {
    std::vector<ops::Param> Params;
    std::vector<size_t> At;
    for (size_t I = 0; I < B.Args.size(); ++I) {
      const BoundArg &A = B.Args[I];
      if (A.What == TaskArg::Kind::Stream || (A.What == TaskArg::Kind::Buffer && A.How == Role::Scratch))
        continue;
      ops::Param P;
      P.Name = A.Name;
      P.Pointer = A.What == TaskArg::Kind::Buffer;
      P.Const = P.Pointer && A.How == Role::In;
      P.Type = A.Type;
      Params.push_back(std::move(P));
      At.push_back(I);
    }
    auto M = ops::match(*ops::findOperator(T.Op), Params, Here);
    if (!M)
      return false;
    B.Op = M->Op;
    B.AbsentAttrs = M->Unbound;
    for (size_t K = 0; K < At.size(); ++K) {
      BoundArg &A = B.Args[At[K]];
      A.Spec = B.Op->find(M->Params[K].Arg);
      A.OpArg = A.Spec ? M->Params[K].Arg : "";
      if (A.What == TaskArg::Kind::Buffer && A.Spec)
        dimsFromShape(B, A, Here);
      else if (A.What == TaskArg::Kind::Dim && A.Spec && A.Spec->What == ops::Arg::Kind::Dim)
        B.DimOf.emplace(A.Spec->Name, A.Dim);
    }
    for (const std::string &D : B.Op->dims())
      if (!B.DimOf.count(D))
        Here.push_back("size '" + D + "' of " + B.Op->Name + " follows from no argument of the task");
    return Here.empty();
  }

  /// "m,k" of the operator against "batch,d" of the task: m is batch, k is d.
  static void dimsFromShape(Bound &B, const BoundArg &A, std::vector<std::string> &Here) {
    const std::vector<std::string> &Want = A.Spec->Shape;
    if (Want.size() == 1 && A.Shape.size() > 1) { // a flat operator on a matrix
      B.DimOf.emplace(Want[0], "(" + llvm::join(A.Shape, ")*(") + ")");
      return;
    }
    if (Want.size() != A.Shape.size()) {
      if (!(Want == std::vector<std::string>{"1"} && A.Shape.empty()))
        Here.push_back("arg '" + A.Name + "' has " + std::to_string(A.Shape.size()) + " dims, '" + A.Spec->Name + "' of " + B.Op->Name + " has " +
                       std::to_string(Want.size()));
      return;
    }
    for (size_t I = 0; I < Want.size(); ++I)
      if (B.Op->find(Want[I]))
        B.DimOf.emplace(Want[I], A.Shape[I]);
  }

  void makeCases(Bound &B) {
    std::vector<ops::Draw> Draws = !T.Draws.empty() ? T.Draws : B.Op ? B.Op->Draws : std::vector<ops::Draw>{{"normal", 0, 1}, {"uniform", -1, 1}};
    if (!T.Shapes.empty()) {
      B.Cases = ops::casesAt(T.Shapes, Draws);
      if (T.Args.empty() && Match) // the task's dims are the operator's
        for (const auto &[Name, V] : T.Shapes.front())
          if (B.Op->find(Name))
            B.DimOf[Name] = Name;
      return;
    }
    if (Match) {
      ops::SampleOptions O;
      for (int64_t V : C.comparedSizes())
        for (int64_t N : {V - 1, V, V + 1})
          if (N > 0)
            O.Also.push_back(N);
      B.Cases = ops::sampleCases(*Match, O);
      return;
    }
    B.Cases = ops::casesAt(B.Op ? shapesOfOperator(B) : std::vector<ops::Dims>{}, Draws);
  }

  /// The operator's usual shapes where the task names dims as the operator does.
  static std::vector<ops::Dims> shapesOfOperator(Bound &B) {
    std::vector<ops::Dims> Shapes;
    for (const ops::Dims &D : B.Op->Shapes) {
      ops::Dims Own;
      bool Plain = true;
      for (const auto &[Name, Text] : B.DimOf) {
        Plain &= ops::namesIn(Text) == std::vector<std::string>{Text};
        Own[Text] = D.count(Name) ? D.at(Name) : 1;
      }
      if (Plain)
        Shapes.push_back(std::move(Own));
    }
    return Shapes;
  }

  const Task &T;
  const Candidate &C;
  std::vector<std::string> &Problems;
  std::optional<ops::Binding> Match;
};

} // namespace

std::optional<Bound> gate::bind(const Task &T, const Candidate &C, std::vector<std::string> &Problems) {
  auto B = Binder(T, C, Problems).run();
  if (B && B->Cases.empty()) {
    Problems.push_back("there is no shape to try; give 'shapes' in the task");
    return std::nullopt;
  }
  return B;
}

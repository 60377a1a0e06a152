#include "runner/ops/Operator.h"
#include <algorithm>
#include <numeric>

using namespace kcheck;
using namespace kcheck::ops;
using protocol::Role;

static std::map<std::string, Operator, std::less<>> &registry() {
  static std::map<std::string, Operator, std::less<>> All;
  return All;
}

Registration::Registration(Operator O) {
  std::string Name = O.Name;
  registry().emplace(std::move(Name), std::move(O));
}

const Operator *ops::findOperator(std::string_view Name) {
  auto Found = registry().find(Name);
  return Found == registry().end() ? nullptr : &Found->second;
}

std::vector<const Operator *> ops::allOperators() {
  std::vector<const Operator *> All;
  for (const auto &[Name, O] : registry())
    All.push_back(&O);
  return All;
}

static Arg buffer(std::string Name, std::string_view Shape, TypeClass Types, Role How) {
  Arg A;
  A.Name = std::move(Name);
  A.Shape = splitShape(Shape);
  A.Types = Types;
  A.How = How;
  if (Types == TypeClass::Integer)
    A.Usual = DType::I32;
  return A;
}
Arg ops::in(std::string Name, std::string Shape, TypeClass T) { return buffer(std::move(Name), Shape, T, Role::In); }
Arg ops::out(std::string Name, std::string Shape, TypeClass T) { return buffer(std::move(Name), Shape, T, Role::Out); }
Arg ops::inout(std::string Name, std::string Shape, TypeClass T) { return buffer(std::move(Name), Shape, T, Role::InOut); }

Arg ops::dim(std::string Name, std::vector<std::string> Aliases) {
  Arg A;
  A.What = Arg::Kind::Dim;
  A.Name = std::move(Name);
  A.Aliases = std::move(Aliases);
  return A;
}
Arg ops::attr(std::string Name, double Default, std::vector<std::string> Aliases) {
  Arg A;
  A.What = Arg::Kind::Attr;
  A.Name = std::move(Name);
  A.Default = Default;
  A.Aliases = std::move(Aliases);
  A.Optional = true;
  return A;
}

std::vector<Draw> ops::smoothDraws() {
  return {{"normal", 0, 1}, {"uniform", -1, 1}, {"constant", 0.5, 0}, {"one_hot", 0, 1}, {"zero", 0, 0}};
}
std::vector<Draw> ops::allDraws(bool Nan) {
  auto D = smoothDraws();
  D.insert(D.end(), {{"denormal", 0, 1}, {"extreme", 0, 1}, {Nan ? "nan_inf" : "inf", 0, 1}});
  return D;
}

int64_t Call::size(const std::string &Name) const {
  auto Found = In.find(Name);
  return int64_t((Found == In.end() ? Out.at(Name) : Found->second).Data.size());
}

double *Call::terms(const std::string &Name, double Length) {
  Value &V = Out.at(Name);
  V.Length = std::max(1.0, Length);
  V.Terms.assign(V.Data.size(), 0);
  return V.Terms.data();
}

const Arg *Operator::find(std::string_view Wanted) const {
  for (const Arg &A : Args)
    if (A.Name == Wanted)
      return &A;
  return nullptr;
}

std::vector<std::string> Operator::dims() const {
  std::vector<std::string> Names;
  for (const Arg &A : Args)
    if (A.What == Arg::Kind::Dim)
      Names.push_back(A.Name);
  return Names;
}

bool Operator::fits(const Dims &D) const {
  for (const auto &[Name, Step] : Steps)
    if (D.at(Name) % Step)
      return false;
  for (const auto &[Name, Low] : Least)
    if (D.at(Name) < Low)
      return false;
  for (const Arg &A : Args)
    for (const std::string &E : A.Shape) {
      auto V = evaluate(E, D);
      if (!V || *V < 0)
        return false;
    }
  return true;
}

void ops::evaluateReference(const Operator &O, Call &C, const std::map<std::string, DType> &OutputTypes) {
  for (const Arg &A : O.Args) {
    if (A.What == Arg::Kind::Attr && !C.Attrs.count(A.Name))
      C.Attrs[A.Name] = A.Default;
    if (A.What != Arg::Kind::Buffer || (A.How != Role::Out && A.How != Role::InOut))
      continue;
    Value V;
    auto T = OutputTypes.find(A.Name);
    V.Type = T == OutputTypes.end() ? A.Usual : T->second;
    for (const std::string &E : A.Shape)
      V.Shape.push_back(evaluate(E, C.Sizes).value_or(0));
    V.Data.assign(size_t(std::accumulate(V.Shape.begin(), V.Shape.end(), int64_t(1), std::multiplies<>())), 0.0);
    C.Out[A.Name] = std::move(V);
  }
  if (C.Variant.empty() && !O.Variants.empty())
    C.Variant = O.Variants.front();
  O.Reference(C);
}

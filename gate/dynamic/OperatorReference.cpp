#include "gate/dynamic/Reference.h"

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

namespace {

class OperatorReference : public Reference {
public:
  explicit OperatorReference(const Bound &B) : B(B) {
    std::vector<std::string> Variants = B.Op->Variants.empty() ? std::vector<std::string>{""} : B.Op->Variants;
    for (const std::string &V : Variants)
      Choices.push_back({V, {}});
    // An attribute that the launcher keeps in its code may have any of the usual values there.
    for (const std::string &Name : B.AbsentAttrs) {
      const ops::Arg *A = B.Op->find(Name);
      std::vector<double> Values = A->Absent.empty() ? std::vector<double>{A->Default} : A->Absent;
      std::vector<Choice> More;
      for (const Choice &C : Choices)
        for (double V : Values) {
          More.push_back(C);
          More.back().Attrs[Name] = V;
        }
      Choices = std::move(More);
    }
  }

  size_t alternatives() const override { return Choices.size(); }
  std::string nameOf(size_t I) const override {
    std::string S = Choices[I].Variant;
    for (const auto &[Name, V] : Choices[I].Attrs) {
      char Text[32];
      std::snprintf(Text, sizeof(Text), "%g", V);
      S += (S.empty() ? "" : ", ") + Name + "=" + Text;
    }
    return S;
  }

  void choose(size_t I, protocol::ReferenceRequest &R) const override {
    R.Variant = Choices[I].Variant;
    for (const auto &[Name, V] : Choices[I].Attrs)
      R.Attrs[Name] = V;
  }

  std::optional<std::map<std::string, ops::Value>> outputs(const ops::Case &K, const Inputs &In, size_t Alternative, std::string &) override {
    Last = ops::Call();
    Last.Sizes = B.operatorDims(K);
    Last.Variant = Choices[Alternative].Variant;
    Last.Attrs = Choices[Alternative].Attrs;
    std::map<std::string, protocol::DType> Types;
    for (const BoundArg &A : B.Args) {
      if (A.OpArg.empty())
        continue;
      if (A.What == TaskArg::Kind::Scalar)
        Last.Attrs[A.OpArg] = ops::roundTo(A.Type, A.Value); // as the launcher gets it
      if (A.What != TaskArg::Kind::Buffer)
        continue;
      if (A.How == Role::In || A.How == Role::InOut) {
        ops::Value &V = Last.In[A.OpArg];
        V.Type = A.Type;
        V.Shape = B.shapeOf(A, K);
        V.Data = ops::toDoubles(A.Type, In.at(A.Name));
      }
      if (A.How == Role::Out || A.How == Role::InOut)
        Types[A.OpArg] = A.Type;
    }
    ops::evaluateReference(*B.Op, Last, Types);
    std::map<std::string, ops::Value> Out;
    for (const BoundArg &A : B.Args)
      if (A.What == TaskArg::Kind::Buffer && Last.Out.count(A.OpArg) && !Out.count(A.Name)) {
        // What accepts other answers looks at the call again; else the values move.
        Out[A.Name] = B.Op->Accept ? Last.Out[A.OpArg] : std::move(Last.Out[A.OpArg]);
        Out[A.Name].Shape = B.shapeOf(A, K); // mismatches are told in the task's dims
      }
    return Out;
  }

  bool accepts(const std::string &Output, int64_t Index, double Got) override {
    if (!B.Op->Accept)
      return false;
    for (const BoundArg &A : B.Args)
      if (A.Name == Output)
        return B.Op->Accept(Last, A.OpArg, Index, Got);
    return false;
  }

private:
  struct Choice {
    std::string Variant;
    std::map<std::string, double> Attrs;
  };
  const Bound &B;
  std::vector<Choice> Choices;
  ops::Call Last;
};

} // namespace

std::unique_ptr<Reference> gate::operatorReference(const Bound &B) { return std::make_unique<OperatorReference>(B); }

#include "gate/dynamic/Reference.h"
#include "gate/reference/Npy.h"

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

namespace {

class StoredReference : public Reference {
public:
  StoredReference(const Bound &B, std::map<std::string, StoredArray> Arrays) : B(B), Arrays(std::move(Arrays)) {}

  std::optional<std::map<std::string, ops::Value>> outputs(const ops::Case &C, const Inputs &, size_t, std::string &Error) override {
    std::map<std::string, ops::Value> Out;
    for (const BoundArg &A : B.Args) {
      if (A.What != TaskArg::Kind::Buffer || (A.How != Role::Out && A.How != Role::InOut))
        continue;
      const StoredArray *S = find(A.Name, true);
      ops::Value V;
      V.Type = A.Type;
      V.Shape = B.shapeOf(A, C);
      V.Data = ops::toDoubles(S->Type, S->Data);
      if (!sameCount(V.Shape, V.Data.size())) {
        Error = "the stored '" + A.Name + "' has " + std::to_string(V.Data.size()) + " elements, not those of " + ops::toString(C.Sizes);
        return std::nullopt;
      }
      Out[A.Name] = std::move(V);
    }
    return Out;
  }

  bool stored() const override { return true; }
  std::optional<protocol::Bytes> storedInput(const std::string &Name) override {
    const StoredArray *S = find(Name, false);
    for (const BoundArg &A : B.Args)
      if (S && A.Name == Name)
        return ops::fromDoubles(A.Type, ops::toDoubles(S->Type, S->Data));
    return std::nullopt;
  }

  const StoredArray *find(const std::string &Name, bool Output) const {
    auto It = Arrays.find(Name);
    if (It == Arrays.end() && Output && Arrays.size() == 1)
      It = Arrays.find(""); // an .npy holds one array without a name
    return It == Arrays.end() ? nullptr : &It->second;
  }

private:
  static bool sameCount(const std::vector<int64_t> &Shape, size_t Count) {
    int64_t N = 1;
    for (int64_t D : Shape)
      N *= D;
    return N == int64_t(Count);
  }
  const Bound &B;
  std::map<std::string, StoredArray> Arrays;
};

} // namespace

std::unique_ptr<Reference> gate::storedReference(const Bound &B, const std::string &File, std::string &Error) {
  auto Arrays = readArrays(File, Error);
  if (!Arrays) {
    Error = File + ": " + Error;
    return nullptr;
  }
  auto R = std::make_unique<StoredReference>(B, std::move(*Arrays));
  for (const BoundArg &A : B.Args) {
    bool Buffer = A.What == TaskArg::Kind::Buffer, Output = A.How == Role::Out || A.How == Role::InOut;
    if (Buffer && Output && !R->find(A.Name, true))
      Error = File + ": no array '" + A.Name + "' for this output";
    else if (Buffer && A.How == Role::In && !R->find(A.Name, false))
      Error = File + ": no array '" + A.Name + "' for this input; stored outputs belong to stored inputs";
  }
  return Error.empty() ? std::move(R) : nullptr;
}

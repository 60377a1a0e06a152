#include "runner/gpu/SelfTest.h"
#include "runner/gpu/Reference.h"
#include "runner/ops/Generate.h"
#include "runner/ops/Samples.h"
#include <cmath>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::DType;

namespace {

class SelfTest {
public:
  SelfTest(Device &G, std::vector<std::string> &Lines, int &Failed) : G(G), Lines(Lines), Failures(Failed) {}

  void generators() {
    int Done = 0;
    for (const char *Name : {"normal", "uniform", "constant", "zero", "index", "iota"})
      for (DType T : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16, DType::I8, DType::U64, DType::U32, DType::U16, DType::U8, DType::Bool})
        for (auto [A, B] : {std::pair{0.0, 1.0}, {-3.0, 7.5}, {0.3, 90.0}}) {
          protocol::Buffer X;
          X.Name = "x";
          X.Type = T;
          X.Shape = {70001};
          X.Fill = protocol::Content::Generated;
          X.Gen = {Name, 12345678901234ull, 3, A, B};
          Buffers Own(G, 1 << 30);
          Own.make(X, {});
          ++Done;
          int64_t At = ops::firstDifference(Own.content("x"), ops::generate(X.Gen, T, X.Shape), T);
          if (At >= 0)
            fail(std::string("generator ") + Name + " " + std::string(protocol::toString(T)) + " differs at " + std::to_string(At));
        }
    Lines.push_back("generators: " + std::to_string(Done) + " compared bit for bit");
  }

  void references() {
    int Done = 0;
    for (const ReferenceRow &Row : referenceRows())
      for (DType T : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
        const ops::Operator &O = *ops::findOperator(Row.Operator);
        for (const std::string &Variant : O.Variants.empty() ? std::vector<std::string>{""} : O.Variants) {
          ++Done;
          reference(O, Variant, T);
        }
      }
    Lines.push_back("references: " + std::to_string(Done) + " compared with the CPU's");
  }

private:
  void fail(std::string What) {
    ++Failures;
    Lines.push_back("FAIL " + std::move(What));
  }

  void reference(const ops::Operator &O, const std::string &Variant, DType T) {
    protocol::ReferenceRequest R;
    R.Operator = O.Name;
    R.Variant = Variant;
    for (const auto &[Name, N] : O.Shapes.front())
      R.Dims[Name] = N;
    std::vector<protocol::Buffer> Declared;
    uint64_t Stream = 0;
    for (const ops::Arg &A : O.Args) {
      if (A.What != ops::Arg::Kind::Buffer)
        continue;
      protocol::Buffer B;
      B.Name = A.Name;
      B.Type = A.Types == ops::TypeClass::Integer ? A.Usual : T;
      for (const std::string &E : A.Shape)
        B.Shape.push_back(ops::evaluate(E, R.Dims).value_or(0));
      B.How = A.How;
      if (A.How != protocol::Role::Out) {
        B.Fill = protocol::Content::Generated;
        B.Gen = ops::generatorFor(A, B.Type, O.Draws.front(), R.Dims, 99, ++Stream);
      } else {
        B.Fill = protocol::Content::Poison;
      }
      R.Buffers[A.Name] = A.Name;
      Declared.push_back(std::move(B));
    }
    std::string Name = O.Name + (Variant.empty() ? "" : "/" + Variant) + " " + std::string(protocol::toString(T));
    try {
      DeviceReference Ref(G, R, Declared);
      if (std::string Why = Ref.validateSmall(); !Why.empty())
        return fail("reference " + Name + ": " + Why);
      comparison(Name, Ref, Declared);
    } catch (const Failed &F) {
      fail("reference " + Name + ": " + F.Message);
    }
  }

  /// Poison must be seen as such; the CPU's answer, rounded, must pass; one element off must be found where it is.
  void comparison(const std::string &Name, DeviceReference &Ref, const std::vector<protocol::Buffer> &Declared) {
    Buffers Own(G, uint64_t(1) << 33);
    std::map<std::string, DevicePtr> In;
    for (const protocol::Buffer &B : Declared) {
      Own.make(B, {});
      if (B.How != protocol::Role::Out)
        In[B.Name] = Own.address(B.Name);
    }
    const protocol::Buffer &Out = *Ref.bufferOf(Ref.outputs().front());
    DeviceMemory Report = G.allocate(sizeof(CompareReport), "report"), Got = G.allocate(Out.bytes(), "output");
    auto judge = [&] {
      Ref.queue(In, Got.get(), {}, Report.get());
      return G.read<CompareReport>(Report.get(), "report");
    };
    G.check(G.api().set8(Got.get(), 0xFF, Out.bytes(), G.stream()), "poison");
    CompareReport C = judge();
    if (Out.Type == DType::F32 && C.Unwritten != uint64_t(Out.elements()))
      fail("comparison " + Name + ": " + std::to_string(C.Unwritten) + " of " + std::to_string(Out.elements()) + " seen as unwritten");
    ops::Bytes Right = ops::fromDoubles(Out.Type, Ref.cpuAnswer(In));
    G.check(G.api().copyToDevice(Got.get(), Right.data(), Right.size(), G.stream()), "output");
    C = judge();
    if (C.Wrong)
      fail("comparison " + Name + ": the right answer is wrong in " + std::to_string(C.Wrong) + " elements, first " + std::to_string(C.First));
    size_t At = size_t(Out.elements()) * 2 / 3;
    double Value = ops::loadElement(Out.Type, Right.data() + At * protocol::sizeOf(Out.Type));
    ops::storeElement(Out.Type, Value * 3 + 1000, Right.data() + At * protocol::sizeOf(Out.Type));
    G.check(G.api().copyToDevice(Got.get(), Right.data(), Right.size(), G.stream()), "output");
    C = judge();
    if (C.Wrong != 1 || C.First != At)
      fail("comparison " + Name + ": one wrong element at " + std::to_string(At) + " is reported as " + std::to_string(C.Wrong) + " at " + std::to_string(C.First));
  }

  Device &G;
  std::vector<std::string> &Lines;
  int &Failures;
};

} // namespace

std::vector<std::string> gpu::selfTest(int Index, int &Failed) {
  std::vector<std::string> Lines;
  std::string Why;
  Failed = 0;
  auto G = Device::open(Index, Why);
  if (!G) {
    Failed = -1;
    return {"SKIPPED: " + Why};
  }
  try {
    SelfTest T(*G, Lines, Failed);
    T.generators();
    T.references();
  } catch (const gpu::Failed &F) {
    ++Failed;
    Lines.push_back("FAIL " + F.Message);
  }
  return Lines;
}

#include "gate/dynamic/Case.h"
#include "runner/ops/Generate.h"

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

std::string gate::toString(const ops::Case &C) {
  ops::Dims Sizes = C.Sizes;
  std::erase_if(Sizes, [](const auto &E) { return E.first.starts_with("room_"); }); // made up by a guess
  return ops::toString(Sizes) + " (" + C.Inputs.Distribution + ")";
}

int64_t CaseVerdict::wrong() const {
  int64_t N = 0;
  for (const OutputVerdict &O : Outputs)
    N += O.Result.Wrong;
  return N;
}

protocol::Generator gate::generatorOf(const Bound &B, size_t I, const ops::Case &C, uint64_t Seed) {
  const BoundArg &A = B.Args[I];
  ops::Arg Plain;
  const ops::Arg *Spec = A.Spec ? A.Spec : &Plain;
  if (!A.Below.empty()) {
    Plain.Values = ops::Domain::Index;
    Plain.Bound = A.Below;
    return ops::generatorFor(Plain, A.Type, C.Inputs, B.dims(C), Seed, I);
  }
  if (A.Inputs) {
    protocol::Generator G;
    G.Distribution = A.Inputs->Distribution;
    G.A = A.Inputs->A;
    G.B = A.Inputs->B;
    G.Seed = Seed;
    G.Stream = I;
    return G;
  }
  return ops::generatorFor(*Spec, A.Type, C.Inputs, B.operatorDims(C), Seed, I);
}

Inputs gate::makeInputs(const Bound &B, const ops::Case &C, uint64_t Seed, Reference *R) {
  Inputs In;
  for (size_t I = 0; I < B.Args.size(); ++I) {
    const BoundArg &A = B.Args[I];
    if (!A.isInput())
      continue;
    if (auto Stored = R ? R->storedInput(A.Name) : std::nullopt)
      In[A.Name] = std::move(*Stored);
    else
      In[A.Name] = ops::generate(generatorOf(B, I, C, Seed), A.Type, B.shapeOf(A, C));
  }
  return In;
}

protocol::Job gate::makeJob(const Bound &B, const PlannedCase &P, const protocol::Source &S, const JobOptions &O, Reference *R) {
  protocol::Job J;
  J.Id = toString(P.Case);
  J.Source = S;
  J.Steps = P.Plan.Steps;
  J.Steps.push_back({protocol::SyncStep{}, 0});
  J.Buffers = P.Plan.Scratch;
  J.Checks.Metrics = O.Metrics;
  J.Limits.Seconds = O.Seconds;
  for (size_t I = 0; I < B.Args.size(); ++I) {
    const BoundArg &A = B.Args[I];
    if (A.What != TaskArg::Kind::Buffer)
      continue;
    protocol::Buffer X;
    X.Name = A.Name;
    X.Type = A.Type;
    X.Shape = B.shapeOf(A, P.Case);
    X.How = A.How;
    X.Managed = A.HostMemory;
    if (A.How == Role::Out)
      X.Fill = protocol::Content::Poison;
    if (A.isInput()) {
      X.Gen = generatorOf(B, I, P.Case, O.Seed);
      X.Fill = protocol::Content::Generated;
      if (auto Stored = R ? R->storedInput(A.Name) : std::nullopt) {
        X.Fill = protocol::Content::Data;
        X.Data = std::move(*Stored);
      }
    }
    if (A.isOutput() || (A.How == Role::In && O.WantInputs))
      J.Outputs.push_back(A.Name);
    J.Buffers.push_back(std::move(X));
  }
  return J;
}

std::optional<protocol::ReferenceRequest> gate::referenceOf(const Bound &B, const ops::Case &C, const Task &T, const Reference &Ref, size_t Alternative) {
  if (!B.Op)
    return std::nullopt;
  protocol::ReferenceRequest R;
  R.Operator = B.Op->Name;
  for (const auto &[Name, Size] : B.operatorDims(C))
    R.Dims[Name] = Size;
  Ref.choose(Alternative, R);
  for (const BoundArg &A : B.Args) {
    if (A.OpArg.empty())
      continue;
    if (A.What == TaskArg::Kind::Scalar)
      R.Attrs[A.OpArg] = ops::roundTo(A.Type, A.Value); // as the launcher gets it
    if (A.isBuffer())
      R.Buffers[A.OpArg] = A.Name;
  }
  R.Relative = T.Relative.value_or(-1);
  R.Absolute = T.Absolute.value_or(-1);
  return R;
}

std::optional<CaseVerdict> gate::judgedByWorker(const Bound &B, const ops::Case &C, const protocol::Result &R, size_t Alternative) {
  if (R.Judged.empty())
    return std::nullopt;
  CaseVerdict V;
  V.Case = C;
  V.Alternative = Alternative;
  for (const protocol::Judgement &J : R.Judged) {
    if (!J.Tag.empty() && V.Tag.empty()) {
      V.Tag = J.Tag;
      V.Buffer = J.Buffer;
      V.Message = J.Message;
    }
    for (const BoundArg &A : B.Args) {
      if (A.Name != J.Buffer || !A.isOutput())
        continue;
      OutputVerdict O;
      O.Name = A.Name;
      O.Type = A.Type;
      O.Result.Elements = J.Elements;
      O.Result.Wrong = J.Wrong;
      O.Result.NanWrong = J.NanWrong;
      O.Result.Unwritten = J.Unwritten;
      O.Result.MaxAbs = J.MaxAbs;
      O.Result.MaxRel = J.MaxRel;
      O.Result.Worst = J.Worst;
      V.Outputs.push_back(std::move(O));
    }
  }
  return V;
}

protocol::Job gate::makeSecondCall(const Bound &B, const PlannedCase &P, protocol::Job J, uint64_t SecondSeed) {
  J.Id += ", called twice";
  J.Checks.Metrics = false;
  for (size_t I = 0; I < B.Args.size(); ++I) {
    const BoundArg &A = B.Args[I];
    if (A.What != TaskArg::Kind::Buffer || A.How == Role::Scratch)
      continue;
    uint64_t Bytes = protocol::sizeOf(A.Type);
    for (int64_t D : B.shapeOf(A, P.Case))
      Bytes *= uint64_t(D);
    protocol::Place To;
    To.Buffer = A.Name;
    if (A.How == Role::Out) {
      J.Steps.push_back({protocol::SetStep{To, 0xFF, Bytes}, 0});
      continue;
    }
    // The worker makes the other inputs itself, in a buffer that the launcher never sees.
    protocol::Buffer Other;
    Other.Name = A.Name + " of the second call";
    Other.Type = A.Type;
    Other.Shape = B.shapeOf(A, P.Case);
    Other.Fill = protocol::Content::Generated;
    Other.Gen = generatorOf(B, I, P.Case, SecondSeed);
    protocol::Place From;
    From.Buffer = Other.Name;
    J.Buffers.push_back(std::move(Other));
    J.Steps.push_back({protocol::CopyStep{To, From, {}, Bytes}, 0});
  }
  J.Steps.insert(J.Steps.end(), P.Plan.Steps.begin(), P.Plan.Steps.end());
  J.Steps.push_back({protocol::SyncStep{}, 0});
  return J;
}

static constexpr char OfFirst[] = " of the first call";

protocol::Job gate::makeBothCalls(const Bound &B, const PlannedCase &P, protocol::Job J, uint64_t SecondSeed) {
  std::vector<std::string> Kept;
  for (const std::string &Name : J.Outputs) {
    protocol::Buffer Copy = *J.find(Name);
    Copy.Name = Name + OfFirst;
    Copy.How = Role::Scratch;
    Copy.Fill = protocol::Content::Uninitialised;
    Copy.Data.clear();
    Copy.Managed = false;
    protocol::Place To, From;
    To.Buffer = Copy.Name;
    From.Buffer = Name;
    J.Steps.push_back({protocol::CopyStep{To, From, {}, Copy.bytes()}, 0});
    Kept.push_back(Copy.Name);
    J.Buffers.push_back(std::move(Copy));
  }
  J.Outputs.insert(J.Outputs.end(), Kept.begin(), Kept.end());
  bool Metrics = J.Checks.Metrics;
  J = makeSecondCall(B, P, std::move(J), SecondSeed);
  J.Checks.Metrics = Metrics;
  return J;
}

protocol::Result gate::takeFirstCall(protocol::Result &R) {
  std::vector<protocol::Output> All = std::move(R.Outputs);
  R.Outputs.clear();
  protocol::Result First = R;
  for (protocol::Output &O : All) {
    bool Of = llvm::StringRef(O.Buffer).ends_with(OfFirst);
    if (Of)
      O.Buffer.resize(O.Buffer.size() - (sizeof(OfFirst) - 1));
    (Of ? First.Outputs : R.Outputs).push_back(std::move(O));
  }
  return First;
}

namespace {

const protocol::Output *findOutput(const protocol::Result &R, const std::string &Name) {
  for (const protocol::Output &O : R.Outputs)
    if (O.Buffer == Name)
      return &O;
  return nullptr;
}

ops::Tolerance toleranceOf(const Task &T, protocol::DType Type) {
  ops::Tolerance Tol = ops::defaultTolerance(Type);
  if (T.Relative)
    Tol.Relative = *T.Relative;
  if (T.Absolute)
    Tol.Absolute = *T.Absolute;
  return Tol;
}

void fault(CaseVerdict &V, const std::string &Buffer, std::string Tag, std::string Message) {
  if (!V.Tag.empty())
    return;
  V.Buffer = Buffer;
  V.Tag = std::move(Tag);
  V.Message = std::move(Message);
}

CaseVerdict judgeBy(const Bound &B, const ops::Case &C, const protocol::Result &R, const Inputs &In, const std::map<std::string, ops::Value> *Want,
                    const std::string &Error, Reference &Ref, size_t Alternative, const Task &T) {
  CaseVerdict V;
  V.Case = C;
  V.Alternative = Alternative;
  if (!Want) {
    fault(V, "", "numerics_not_run", "the reference gives no answer: " + Error);
    return V;
  }
  for (const BoundArg &A : B.Args) {
    const protocol::Output *Got = A.isBuffer() ? findOutput(R, A.Name) : nullptr;
    protocol::Output Untouched; // a buffer that no step names is never made: it still holds what it held
    if (!Got && A.isOutput()) {
      Untouched.Data.assign(Want->at(A.Name).Data.size() * protocol::sizeOf(A.Type), 0xFF);
      Got = &Untouched;
    }
    if (!Got)
      continue;
    if (A.isOutput()) {
      const ops::Value &W = Want->at(A.Name);
      if (Got->Data.size() != W.Data.size() * protocol::sizeOf(A.Type)) {
        fault(V, A.Name, "shape_mismatch", "output '" + A.Name + "' has " + std::to_string(Got->Data.size() / protocol::sizeOf(A.Type)) +
                                       " elements, the reference has " + std::to_string(W.Data.size()));
        continue;
      }
      OutputVerdict O;
      O.Name = A.Name;
      O.Type = A.Type;
      O.Result = ops::compare(Got->Data, W, toleranceOf(T, A.Type), 0xFF, [&](int64_t I, double G) { return Ref.accepts(A.Name, I, G); });
      if (!O.Result.pass())
        fault(V, A.Name, O.Result.tag(), "output '" + A.Name + "': " + ops::describe(O.Result));
      else if (Got->UnwrittenBytes && A.How == Role::Out)
        fault(V, A.Name, "not_all_written", "output '" + A.Name + "': " + std::to_string(Got->UnwrittenBytes) + " bytes are never written; what lay there happens to be right");
      V.Outputs.push_back(std::move(O));
    } else if (A.How == Role::In) {
      int64_t At = ops::firstDifference(In.at(A.Name), Got->Data, A.Type);
      if (At >= 0)
        fault(V, A.Name, "input_mutated", "input '" + A.Name + "' was changed, first at element " + std::to_string(At));
    }
  }
  return V;
}

} // namespace

CaseVerdict gate::judge(const Bound &B, const ops::Case &C, const protocol::Result &R, const Inputs &In, Reference &Ref, size_t Alternative,
                        const Task &T) {
  std::string Error;
  auto Outputs = Ref.outputs(C, In, Alternative, Error);
  return judgeBy(B, C, R, In, Outputs ? &*Outputs : nullptr, Error, Ref, Alternative, T);
}

CaseVerdict gate::judge(const Bound &B, const ops::Case &C, const protocol::Result &R, const Wanted &W, Reference &Ref, const Task &T) {
  return judgeBy(B, C, R, W.In, W.Outputs ? &*W.Outputs : nullptr, W.Error, Ref, W.Alternative, T);
}

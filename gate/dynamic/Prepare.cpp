#include "gate/dynamic/Prepare.h"
#include "gate/plan/Guess.h"
#include "runner/protocol/StandIns.h"
#include <set>

using namespace kcheck;
using namespace kcheck::gate;

namespace {

ParamValue valueOf(const BoundArg &A, const ops::Dims &Dims) {
  ParamValue V;
  switch (A.What) {
  case TaskArg::Kind::Buffer:
    V.What = ParamValue::Kind::Buffer;
    V.Buffer = A.Name;
    break;
  case TaskArg::Kind::Dim:
    V.What = ParamValue::Kind::Integer;
    V.Int = ops::evaluate(A.Dim, Dims).value_or(0);
    V.Real = double(V.Int);
    break;
  case TaskArg::Kind::Scalar:
    V.What = protocol::isFloat(A.Type) ? ParamValue::Kind::Real : ParamValue::Kind::Integer;
    V.Real = A.Value;
    V.Int = int64_t(A.Value);
    break;
  case TaskArg::Kind::Stream: break;
  }
  return V;
}

StepPlan planCase(Candidate &C, const Bound &B, const ops::Case &K, const Task *T) {
  ops::Dims Dims = B.dims(K);
  std::vector<ParamValue> Values;
  for (const BoundArg &A : B.Args)
    Values.push_back(valueOf(A, Dims));
  if (!B.L->Kernel || !T)
    return C.plan(*B.L, Values);
  auto three = [&](const std::vector<std::string> &E) {
    auto at = [&](size_t I) { return I < E.size() ? uint32_t(ops::evaluate(E[I], Dims).value_or(0)) : 1u; };
    return protocol::Dim3{at(0), at(1), at(2)};
  };
  return C.planKernel(*B.L, Values, three(T->Grid), three(T->Block),
                      uint64_t(std::max<int64_t>(0, ops::evaluate(T->SharedBytes, Dims).value_or(0))));
}

/// The launcher itself, called with the case's buffers and sizes.
StepPlan callCase(const Bound &B, const ops::Case &K) {
  ops::Dims Dims = B.dims(K);
  protocol::CallStep S;
  for (size_t I = 0; I < B.Args.size(); ++I) {
    ParamValue V = valueOf(B.Args[I], Dims);
    protocol::Argument A;
    A.What = protocol::Argument::Kind::Null;
    if (V.What == ParamValue::Kind::Buffer) {
      A.What = protocol::Argument::Kind::Pointer;
      A.Where.Buffer = V.Buffer;
    } else if (V.What != ParamValue::Kind::None) {
      A.What = protocol::Argument::Kind::Scalar;
      A.Type = B.L->Params[I].Type.value_or(B.Args[I].Type);
      A.Int = V.What == ParamValue::Kind::Real ? int64_t(V.Real) : V.Int;
      A.Float = V.What == ParamValue::Kind::Real ? V.Real : double(V.Int);
    }
    S.Args.push_back(std::move(A));
  }
  StepPlan P;
  P.Steps.push_back({std::move(S), B.L->Line});
  return P;
}

/// The size that is timed: the task's, else the operator's usual one. A dim that the launcher has as a product is split.
std::optional<ops::Case> perfCase(const Bound &B, const Task &T) {
  ops::Case K;
  K.Inputs = B.Op && !B.Op->Draws.empty() ? B.Op->Draws.front() : ops::Draw{"normal", 0, 1};
  K.Sizes = T.PerfShape;
  if (!K.Sizes.empty())
    return K;
  if (!B.Op || B.Op->PerfShape.empty())
    return std::nullopt;
  for (const auto &[Dim, Size] : B.Op->PerfShape) {
    auto It = B.DimOf.find(Dim);
    std::vector<std::string> Names = ops::namesIn(It == B.DimOf.end() ? Dim : It->second);
    int64_t Rest = Size;
    for (size_t I = Names.size(); I-- > 0;) {
      int64_t Part = I == 0 ? Rest : Rest % 1024 == 0 ? 1024 : 1;
      K.Sizes[Names[I]] = Part;
      Rest /= Part;
    }
  }
  return K;
}

std::unique_ptr<Prepared> prepared(Candidate &C, Bound B, const Task *T) {
  auto P = std::make_unique<Prepared>();
  P->Source = C.source();
  P->FloatAtomics = C.hasFloatAtomics();
  P->ComparedSizes = C.comparedSizes();
  for (const Launcher &L : C.launchers())
    if (L.Kernel)
      P->KernelLines[L.Name] = L.Line;
  for (const ops::Case &K : B.Cases)
    P->Cases.push_back({K, planCase(C, B, K, T)});
  if (!B.L->Kernel) {
    P->Call = C.hostCall(*B.L);
    P->HostConcern = C.hostConcern();
    for (const ops::Case &K : B.Cases)
      P->Called.push_back(callCase(B, K));
  }
  if (auto K = T ? perfCase(B, *T) : std::nullopt)
    P->Perf = PlannedCase{*K, planCase(C, B, *K, T)};
  if (P->Perf && !B.L->Kernel)
    P->PerfCalled = callCase(B, P->Perf->Case);
  P->Launch = *B.L;
  P->B = std::move(B);
  P->B.L = &P->Launch;
  return P;
}

/// Whether the buffers have a size at all, and one that a run can have.
bool fits(const Bound &B, const ops::Case &K) {
  constexpr int64_t Most = int64_t(1) << 28;
  return llvm::all_of(B.Args, [&](const BoundArg &A) {
    return !A.isBuffer() || llvm::all_of(B.shapeOf(A, K), [](int64_t N) { return N >= 0 && N <= Most; });
  });
}

/// A launcher's parameters as a guess has them: buffers that are written hold something before, integers count from zero.
Bound boundBy(const Guess &G, const Launcher &L) {
  Bound B;
  B.L = &L;
  for (size_t I = 0; I < L.Params.size(); ++I) {
    const ops::Param &P = L.Params[I];
    BoundArg A;
    A.Name = P.Name.empty() ? "arg" + std::to_string(I) : P.Name;
    A.Type = P.Type.value_or(P.Pointer ? protocol::DType::U8 : protocol::DType::F32);
    if (P.Stream) {
      A.What = TaskArg::Kind::Stream;
    } else if (P.Pointer) {
      A.How = G.Written[I] || !P.Const ? protocol::Role::InOut : protocol::Role::In;
      A.Shape = {G.Elements[I].empty() ? "1" : G.Elements[I]};
      // Indices and counters must not lead anywhere: zero.
      A.Inputs = protocol::isFloat(A.Type) ? ops::Draw{"normal", 0, 1} : ops::Draw{"zero", 0, 0};
    } else if (G.Sizes.front().count(P.Name)) {
      A.What = TaskArg::Kind::Dim;
      A.Dim = P.Name;
    } else {
      A.What = TaskArg::Kind::Scalar;
      A.Value = 1;
    }
    B.Args.push_back(std::move(A));
  }
  for (const ops::Dims &D : G.Sizes)
    B.Cases.push_back({D, {"normal", 0, 1}});
  return B;
}

/// Memory that the launcher itself clears or copies says how long a buffer is, too. False: no buffer is longer than the guess says.
/// Twice, four or eight times what the launches touch is left alone: the right count of a wrong type.
bool lengthen(Guess &G, const Prepared &P) {
  auto plain = [](uint64_t Bytes, uint64_t Guessed) { return Bytes == 2 * Guessed || Bytes == 4 * Guessed || Bytes == 8 * Guessed; };
  bool Any = false;
  for (size_t I = 0; I < P.B.Args.size(); ++I) {
    const BoundArg &A = P.B.Args[I];
    if (!A.isBuffer())
      continue;
    std::vector<int64_t> Elements;
    bool Longer = false, Plain = true;
    for (const PlannedCase &K : P.Cases) {
      int64_t N = 1;
      for (int64_t Extent : P.B.shapeOf(A, K.Case))
        N *= Extent;
      const uint64_t Width = protocol::sizeOf(A.Type), Bytes = uint64_t(std::max<int64_t>(N, 0)) * Width;
      uint64_t Reached = Bytes;
      auto reach = [&](const protocol::Place &To, uint64_t Size) {
        if (To.Symbol.empty() && To.Buffer == A.Name)
          Reached = std::max(Reached, To.Offset + Size);
      };
      for (const protocol::Step &S : K.Plan.Steps) {
        if (auto *Set = std::get_if<protocol::SetStep>(&S.Do))
          reach(Set->To, Set->Bytes);
        if (auto *Copy = std::get_if<protocol::CopyStep>(&S.Do)) {
          reach(Copy->To, Copy->Bytes);
          reach(Copy->From, Copy->Bytes);
        }
      }
      Longer |= Reached > Bytes;
      Plain &= Reached == Bytes || plain(Reached, Bytes);
      Elements.push_back(int64_t((Reached + Width - 1) / Width));
    }
    if (!Longer || Plain)
      continue;
    Any = true;
    G.Elements[I] = roomFor(A.Name);
    for (size_t K = 0; K < Elements.size(); ++K)
      G.Sizes[K][G.Elements[I]] = Elements[K];
  }
  return Any;
}

/// Cases whose launches are not known run the launcher itself, with what its parameters need. One that reads what another function
/// of the file has to set first is left alone.
void callItself(Prepared &P) {
  bool Given = llvm::all_of(P.Launch.Params, [](const ops::Param &X) { return X.Stream || X.Pointer || X.Type; });
  bool Refused = llvm::any_of(P.Cases, [](const PlannedCase &K) { return !K.Plan.Refusal.empty(); });
  if (!Given || !Refused || P.Call.Text.empty() || !P.Call.State.empty())
    return;
  for (size_t I = 0; I < P.Cases.size(); ++I)
    P.Cases[I].Plan = P.Called[I];
  for (size_t I = 0; I < P.B.Args.size(); ++I)
    P.B.Args[I].HostMemory = P.B.Args[I].isBuffer() && P.Call.HostTouched[I];
  P.Source.CallText = P.Call.Text;
}

} // namespace

std::unique_ptr<Prepared> gate::prepareTask(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, const Task &T,
                                            std::vector<std::string> &Problems) {
  std::unique_ptr<Prepared> P;
  llvm::Error E = withCandidate(File, Text, O, [&](Candidate &C) {
    if (auto B = gate::bind(T, C, Problems))
      P = prepared(C, std::move(*B), &T);
  });
  if (E)
    Problems.push_back(llvm::toString(std::move(E)));
  return Problems.empty() ? std::move(P) : nullptr;
}

std::vector<std::unique_ptr<Prepared>> gate::prepareGuess(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, bool HostCode,
                                                          std::vector<std::string> &Problems, std::vector<PreparedExtension> &Extensions, bool &Program) {
  constexpr size_t MostLaunchers = 8;
  std::vector<std::unique_ptr<Prepared>> All;
  llvm::Error E = withCandidate(File, Text, O, [&](Candidate &C) {
    Program = C.isProgram();
    std::set<std::string> Called;
    for (ExtensionCall &E : C.extensionCalls()) {
      Called.insert(E.Name);
      if (!E.Refusal.empty()) {
        Problems.push_back(E.Name + " (line " + std::to_string(E.Line) + "): " + E.Refusal);
        continue;
      }
      PreparedExtension P{std::move(E), C.source()};
      P.Source.Defines.push_back(protocol::ExtensionMacro);
      Extensions.push_back(std::move(P));
    }
    for (const Launcher &L : C.launchers()) {
      if (L.Kernel || L.Name == "main" || All.size() >= MostLaunchers || Called.count(L.Name))
        continue; // a program is run as it is
      std::string Why;
      auto G = C.guess(L, Why);
      if (!G) {
        Problems.push_back(L.Name + " (line " + std::to_string(L.Line) + "): " + Why);
        continue;
      }
      auto P = prepared(C, boundBy(*G, L), nullptr);
      if (lengthen(*G, *P))
        P = prepared(C, boundBy(*G, L), nullptr);
      if (HostCode && !Program)
        callItself(*P);
      std::erase_if(P->Cases, [&](const PlannedCase &K) {
        bool Launches = P->callsItself() || llvm::any_of(K.Plan.Steps, [](const protocol::Step &S) { return std::holds_alternative<protocol::LaunchStep>(S.Do); });
        if (!Launches && K.Plan.Refusal.empty())
          Why = "its launches are not reached at sample sizes";
        return (!Launches && K.Plan.Refusal.empty()) || !fits(P->B, K.Case);
      });
      std::erase_if(P->Cases, [&](const PlannedCase &K) {
        if (!K.Plan.Refusal.empty())
          Why = K.Plan.Refusal;
        return !K.Plan.Refusal.empty();
      });
      if (P->Cases.empty() && Why.empty())
        Why = "its buffers are too large at sample sizes";
      if (P->Cases.empty())
        Problems.push_back(L.Name + " (line " + std::to_string(L.Line) + "): " + Why);
      else
        All.push_back(std::move(P));
    }
  });
  if (E)
    Problems.push_back(llvm::toString(std::move(E)));
  return All;
}

#include "gate/plan/Convert.h"
#include "gate/plan/Types.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::gate;
using eval::Object;
using eval::Space;
using eval::Unk;

std::optional<protocol::Argument> gate::scalarArgument(QualType T, int64_t Int, double Real, const ASTContext &Ctx) {
  auto D = elementType(T, Ctx);
  if (!D)
    return std::nullopt;
  protocol::Argument A;
  A.Type = *D;
  A.Int = Int;
  A.Float = Real;
  return A;
}

namespace {

class Converter {
public:
  Converter(const eval::HostRun &Run, const std::vector<ParamValue> &Values, const SharedOptIns &Raised, const ASTContext &Ctx)
      : Run(Run), Values(Values), Raised(Raised), Ctx(Ctx) {}

  StepPlan convert() {
    if (!Run.Refusal.empty())
      return refuse(Run.RefusedAt, Run.Refusal);
    for (const eval::Step &S : Run.Steps) {
      if (!S.Sure)
        return refuse(S.Call, "whether this call happens hangs on a value that the plan does not know");
      step(S);
      if (!Plan.Refusal.empty())
        break;
    }
    return std::move(Plan);
  }

private:
  unsigned line(const Stmt *S) const {
    return S ? Ctx.getSourceManager().getExpansionLineNumber(S->getBeginLoc()) : 0;
  }
  StepPlan refuse(const Stmt *At, llvm::StringRef Why) {
    Plan.Refusal = Why.str();
    Plan.RefusalLine = line(At);
    return Plan;
  }
  void add(const eval::Step &From, decltype(protocol::Step::Do) Do) { Plan.Steps.push_back({std::move(Do), line(From.Call)}); }

  const ParamValue *valueOf(const Decl *D) const {
    const auto *P = dyn_cast_or_null<ParmVarDecl>(D);
    if (!P || P->getFunctionScopeIndex() >= Values.size() || P->getDeclContext() != Run.Launcher)
      return nullptr;
    return &Values[P->getFunctionScopeIndex()];
  }

  /// The place that a device pointer names; nothing for host memory or an unknown pointer.
  std::optional<protocol::Place> place(const eval::Value &V) {
    if (V.K != eval::Value::Pointer || !V.Obj)
      return std::nullopt;
    int64_t Offset = V.L.uniformValue(1);
    if (Offset == Unk || Offset < 0)
      return std::nullopt;
    protocol::Place P;
    P.Offset = uint64_t(Offset);
    if (const ParamValue *B = valueOf(V.Obj->Decl); B && B->What == ParamValue::Kind::Buffer)
      P.Buffer = B->Buffer;
    else if (V.Obj->Where == Space::Symbol || V.Obj->Where == Space::Constant)
      P.Symbol = V.Obj->Decl ? V.Obj->Decl->getQualifiedNameAsString() : V.Obj->Name;
    else if (auto It = Made.find(V.Obj); It != Made.end())
      P.Buffer = It->second;
    else
      return std::nullopt;
    return P;
  }

  void step(const eval::Step &S) {
    switch (S.K) {
    case eval::Step::Allocate: return allocate(S);
    case eval::Step::Free: return free(S);
    case eval::Step::Set: return set(S);
    case eval::Step::Copy: return copy(S);
    case eval::Step::Launch: return launch(S);
    case eval::Step::Synchronise: return add(S, protocol::SyncStep{});
    case eval::Step::Other: return;
    }
  }

  void allocate(const eval::Step &S) {
    if (!S.Target || S.Target->Where == Space::Host)
      return; // host memory: a copy from or to it is refused where it stands
    if (!S.Bytes || *S.Bytes < 0)
      return (void)refuse(S.Call, "the size of this allocation is not known");
    protocol::Buffer B;
    B.Name = S.Target->Name.empty() ? "scratch" : S.Target->Name;
    for (unsigned I = 2; taken(B.Name); ++I)
      B.Name = (S.Target->Name.empty() ? "scratch" : S.Target->Name) + std::to_string(I);
    B.Type = protocol::DType::Bytes;
    B.Shape = {*S.Bytes};
    B.How = protocol::Role::Scratch;
    B.Managed = S.Target->Where == Space::Managed;
    Made[S.Target] = B.Name;
    add(S, protocol::AllocStep{B.Name});
    Plan.Scratch.push_back(std::move(B));
  }
  bool taken(const std::string &Name) const {
    for (const ParamValue &V : Values)
      if (V.Buffer == Name)
        return true;
    for (const protocol::Buffer &B : Plan.Scratch)
      if (B.Name == Name)
        return true;
    return false;
  }

  void free(const eval::Step &S) {
    auto P = place(S.TargetPointer);
    if (P && !P->Buffer.empty())
      add(S, protocol::FreeStep{P->Buffer});
    else if (!S.Target || S.Target->Where != Space::Host)
      refuse(S.Call, "what is freed here is not known");
  }

  void set(const eval::Step &S) {
    auto P = place(S.TargetPointer);
    if (!P || !S.Bytes)
      return (void)refuse(S.Call, "target or size of this memset is not known");
    Expr::EvalResult R;
    if (S.Call->getNumArgs() < 2 || !S.Call->getArg(1)->EvaluateAsInt(R, Ctx))
      return (void)refuse(S.Call, "the value of this memset is not known");
    protocol::SetStep T;
    T.To = *P;
    T.Value = uint8_t(R.Val.getInt().getExtValue());
    T.Bytes = uint64_t(*S.Bytes);
    add(S, std::move(T));
  }

  void copy(const eval::Step &S) {
    auto To = place(S.TargetPointer), From = place(S.SourcePointer);
    if (!To || !From || !S.Bytes)
      return (void)refuse(S.Call, "this copy has an end in host memory");
    protocol::CopyStep C;
    C.To = *To;
    C.From = *From;
    C.Bytes = uint64_t(*S.Bytes);
    add(S, std::move(C));
  }

  void launch(const eval::Step &S) {
    if (!S.Kernel)
      return (void)refuse(S.Call, "which kernel is launched here is not known");
    protocol::LaunchStep L;
    L.Kernel = nameExpression(S.Kernel);
    if (!dims(S.Grid, L.Grid) || !dims(S.Block, L.Block))
      return (void)refuse(S.Call, "grid or block of this launch is not known");
    if (!S.SharedBytes)
      return (void)refuse(S.Call, "the shared memory of this launch is not known");
    L.SharedBytes = uint64_t(*S.SharedBytes);
    L.DefaultShared = !Raised.mayBeRaised(S.Kernel);
    if (const FunctionDecl *F = S.Call->getDirectCallee())
      L.Cooperative = F->getName() == "cudaLaunchCooperativeKernel";
    for (unsigned I = 0; I < S.Kernel->getNumParams(); ++I) {
      auto A = argument(S, I);
      if (!A)
        return (void)refuse(S.Call, "argument '" + S.Kernel->getParamDecl(I)->getNameAsString() + "' of this launch is not known");
      L.Args.push_back(std::move(*A));
    }
    add(S, std::move(L));
  }

  static bool dims(const std::array<std::optional<int64_t>, 3> &From, protocol::Dim3 &To) {
    for (const auto &D : From)
      if (!D)
        return false;
    auto clamp = [](int64_t V) { return uint32_t(V < 0 || V > INT32_MAX ? UINT32_MAX : V); };
    To = {clamp(*From[0]), clamp(*From[1]), clamp(*From[2])};
    return true;
  }

  std::optional<protocol::Argument> argument(const eval::Step &S, unsigned I) {
    QualType T = S.Kernel->getParamDecl(I)->getType();
    if (I >= S.Args.size())
      return std::nullopt;
    const eval::Value &V = S.Args[I];
    if (T->isPointerType())
      return pointer(V);
    if (V.K == eval::Value::Scalar) {
      int64_t Bits = V.L.uniformValue(1);
      if (Bits != Unk)
        return V.Float ? scalarArgument(T, int64_t(std::bit_cast<double>(Bits)), std::bit_cast<double>(Bits), Ctx)
                       : scalarArgument(T, Bits, double(Bits), Ctx);
      return fromParameter(S, I, T);
    }
    return std::nullopt;
  }

  std::optional<protocol::Argument> pointer(const eval::Value &V) {
    protocol::Argument A;
    if (auto P = place(V)) {
      A.What = protocol::Argument::Kind::Pointer;
      A.Where = *P;
      return A;
    }
    if (V.K == eval::Value::Scalar && V.L.uniformValue(1) == 0) {
      A.What = protocol::Argument::Kind::Null;
      return A;
    }
    return std::nullopt;
  }

  /// A floating parameter of the launcher that is passed on as it is: the interpreter does not follow its value.
  std::optional<protocol::Argument> fromParameter(const eval::Step &S, unsigned I, QualType T) {
    if (I >= S.Call->getNumArgs() || !isa<CUDAKernelCallExpr>(S.Call))
      return std::nullopt;
    const Expr *E = S.Call->getArg(I)->IgnoreParenCasts();
    const auto *D = dyn_cast<DeclRefExpr>(E);
    const ParamValue *V = D ? valueOf(D->getDecl()) : nullptr;
    if (V && (V->What == ParamValue::Kind::Real || V->What == ParamValue::Kind::Integer))
      return scalarArgument(T, V->What == ParamValue::Kind::Real ? int64_t(V->Real) : V->Int,
                            V->What == ParamValue::Kind::Real ? V->Real : double(V->Int), Ctx);
    if (Expr::EvalResult R; E->EvaluateAsRValue(R, Ctx) && R.Val.isFloat())
      return scalarArgument(T, 0, R.Val.getFloat().convertToDouble(), Ctx);
    return std::nullopt;
  }

  const eval::HostRun &Run;
  const std::vector<ParamValue> &Values;
  const SharedOptIns &Raised;
  const ASTContext &Ctx;
  StepPlan Plan;
  llvm::DenseMap<const Object *, std::string> Made;
};

} // namespace

StepPlan gate::convertRun(const eval::HostRun &Run, const std::vector<ParamValue> &Values, const SharedOptIns &Raised, const ASTContext &Ctx) {
  return Converter(Run, Values, Raised, Ctx).convert();
}

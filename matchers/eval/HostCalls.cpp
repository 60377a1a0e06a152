//===- HostCalls.cpp - launchers: the CUDA runtime, tensors, launches ----------===//
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/eval/Machine.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

Machine::Machine(Facts &F, HostRun &Run, ChooseSize SizeOf)
    : Shared(F), Ctx(F.Ctx), Host(&Run), SizeOf(std::move(SizeOf)), Pool(&Run.Objects), N(1), Fuel(60000) {}

/// Do only choices of the caller (a dtype, a flag) decide whether we are here? Each of them is possible.
bool Machine::chosenByInput() const {
  for (const Control &C : Controls) {
    if (!C.Unknown)
      continue;
    const Expr *E = C.Cond ? C.Cond->IgnoreParenImpCasts() : nullptr;
    if (E && E->getType()->isEnumeralType())
      continue;
    const auto *D = dyn_cast_or_null<DeclRefExpr>(E);
    if (D && isa<ParmVarDecl>(D->getDecl()) && D->getType()->isBooleanType())
      continue;
    return false;
  }
  return Cur.May.test(0);
}

Step &Machine::addStep(Step::Kind K, const CallExpr *E) {
  Step S;
  S.K = K;
  S.Call = E;
  S.Sure = !Host->Settled && (who().Sure.test(0) || chosenByInput()) && llvm::none_of(Frames, [](const Frame &F) { return F.F && hasChosenNumbers(F.F); });
  Host->Steps.push_back(std::move(S));
  return Host->Steps.back();
}

std::optional<int64_t> Machine::known(const Value &V) const {
  if (V.K != Value::Scalar)
    return std::nullopt;
  int64_t X = V.L.uniformValue(1);
  if (X == Unk)
    return std::nullopt;
  return V.Float ? int64_t(std::bit_cast<double>(X)) : X;
}

/// A launcher that treats a size specially wants to be tried with it.
void Machine::noteComparison(const Value &V, int64_t With) {
  if (auto I = plainSize(V); I && Host->Compared.size() <= 64)
    Host->Compared.push_back({*I, With});
}

std::optional<unsigned> Machine::plainSize(const Value &V) const {
  if (!Host || std::popcount(V.T.Params) != 1)
    return std::nullopt;
  unsigned I = unsigned(std::countr_zero(V.T.Params));
  return I < Host->Sizes.size() && known(V) == Host->Sizes[I].Value ? std::optional(I) : std::nullopt;
}

Value Machine::chooseSize(const ParmVarDecl *P, std::string Name) {
  unsigned I = unsigned(Host->Sizes.size());
  int64_t V = SizeOf(I);
  Host->Sizes.push_back({P, std::move(Name), V});
  Taint T;
  if (I < 64)
    T.Params = 1ull << I;
  return Value::integer(V, T);
}

/// The fields of cudaDeviceProp that launches are made from, as an H100 has them.
void Machine::describeDevice(Object &O, QualType T) {
  const auto *R = T->getAsCXXRecordDecl();
  if (!R || !(R = R->getDefinition()) || R->isInvalidDecl())
    return;
  for (const FieldDecl *F : R->fields()) {
    int64_t V = llvm::StringSwitch<int64_t>(F->getName())
                    .Case("multiProcessorCount", 132)
                    .Case("warpSize", 32)
                    .Case("maxThreadsPerBlock", 1024)
                    .Case("maxThreadsPerMultiProcessor", 2048)
                    .Case("sharedMemPerBlock", 49152)
                    .Case("sharedMemPerBlockOptin", 232448)
                    .Case("sharedMemPerMultiprocessor", 233472)
                    .Case("regsPerBlock", 65536)
                    .Case("major", 9)
                    .Case("minor", 0)
                    .Default(-1);
    if (V < 0 || !F->getType()->isIntegerType())
      continue;
    Taint Assumed;
    Assumed.Assumed = true;
    O.Contents[int64_t(Ctx.getFieldOffset(F) / 8)] = Value::integer(V, Assumed);
  }
}

static bool isTensor(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && (R->getName() == "Tensor" || R->getName() == "TensorBase");
}

/// A tensor is an aggregate whose cell at -1 points to its identity.
static Value tensorValue(Object *Identity) {
  Value V;
  V.K = Value::Aggregate;
  V.Agg = std::make_shared<Value::Cells>();
  (*V.Agg)[-1] = Value::pointer(Identity, Lanes(0));
  return V;
}

static Object *tensorIdentity(const Value &V) {
  if (V.K != Value::Aggregate || !V.Agg)
    return nullptr;
  auto It = V.Agg->find(-1);
  return It == V.Agg->end() ? nullptr : It->second.Obj;
}

/// The braces of `torch::empty({rows, cols}, options)`, through what the compiler wraps around them.
static const InitListExpr *initList(const Stmt *S) {
  if (!S)
    return nullptr;
  if (const auto *L = dyn_cast<InitListExpr>(S))
    return L->getNumInits() == 0 || L->getInit(0)->getType()->isIntegerType() ? L : initList(L->getInit(0));
  if (!isa<ImplicitCastExpr, CXXConstructExpr, CXXStdInitializerListExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr, ExprWithCleanups, CXXFunctionalCastExpr>(S))
    return nullptr;
  for (const Stmt *C : S->children())
    if (const InitListExpr *L = initList(C))
      return L;
  return nullptr;
}

/// Does a function that makes a tensor take its shape in braces? `x.mean({2, 3})` names axes, `torch::tensor({2, 3})` values.
static bool takesShape(StringRef Name) {
  Name.consume_front("new_");
  return llvm::StringSwitch<bool>(Name).Cases({"empty", "zeros", "ones", "full", "rand", "randn", "empty_strided"}, true).Default(false);
}

/// `TORCH_CHECK(x.dim() == 4)`: how many axes a launcher takes a tensor parameter to have, the one number that it compares with.
static std::optional<int64_t> demandedAxes(const ValueDecl *Tensor, const ASTContext &Ctx) {
  struct Comparisons : DynamicRecursiveASTVisitor {
    Comparisons(const ValueDecl *Tensor, const ASTContext &Ctx) : Tensor(Tensor), Ctx(Ctx) {}
    bool isRank(const Expr *E) const {
      const auto *M = dyn_cast<CXXMemberCallExpr>(E->IgnoreParenImpCasts());
      const auto *D = M && M->getMethodDecl() && asksRank(M->getMethodDecl()->getNameAsString()) ? dyn_cast<DeclRefExpr>(M->getImplicitObjectArgument()->IgnoreParenImpCasts()) : nullptr;
      return D && D->getDecl() == Tensor;
    }
    static bool asksRank(StringRef Name) { return Name == "dim" || Name == "ndimension"; }
    bool VisitBinaryOperator(BinaryOperator *B) override {
      for (auto [Rank, Number] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}})
        if (B->isComparisonOp() && isRank(Rank)) {
          Expr::EvalResult R;
          Plain &= B->isEqualityOp() && !Number->isValueDependent() && Number->EvaluateAsInt(R, Ctx) && (!Found || *Found == R.Val.getInt().getExtValue());
          if (Plain)
            Found = R.Val.getInt().getExtValue();
        }
      return true;
    }
    const ValueDecl *Tensor;
    const ASTContext &Ctx;
    std::optional<int64_t> Found;
    bool Plain = true;
  };
  const auto *P = dyn_cast_or_null<ParmVarDecl>(Tensor);
  const auto *F = P ? dyn_cast_or_null<FunctionDecl>(P->getParentFunctionOrMethod()) : nullptr;
  if (!F || !F->hasBody())
    return std::nullopt;
  Comparisons All(Tensor, Ctx);
  All.TraverseStmt(F->getBody());
  return All.Plain ? All.Found : std::nullopt;
}

std::optional<Value> Machine::tensorMember(const CXXMemberCallExpr *E, StringRef Name) {
  const Expr *Base = E->getImplicitObjectArgument();
  if (!Base || !isTensor(Base->getType()->isPointerType() ? Base->getType()->getPointeeType() : Base->getType()))
    return std::nullopt;
  Value P = Base->getType()->isPointerType() ? eval(Base) : lval(Base);
  Object *Id = nullptr;
  if (P.K == Value::Pointer && P.Obj) {
    if (auto It = P.Obj->Contents.find(-1); It != P.Obj->Contents.end())
      Id = It->second.Obj;
    if (!Id) { // a tensor from a call that we do not know
      Id = newObject(Space::Global, P.Obj->Decl, P.Obj->Name.empty() ? "tensor" : P.Obj->Name);
      P.Obj->Contents[-1] = Value::pointer(Id, Lanes(0));
    }
  } else
    Id = newObject(Space::Global, nullptr, "tensor");
  auto Same = [&] { return tensorValue(Id); };
  const Object *Shape = Id;
  for (auto It = LikeTensor.find(Shape); It != LikeTensor.end(); It = LikeTensor.find(Shape))
    Shape = It->second;
  auto Made = Extents.find(Shape);
  auto Elements = [&] {
    Value Product = Value::integer(1);
    for (const Value &X : Made->second)
      Product = arithmetic(BO_Mul, Product, X, Ctx.LongTy, Ctx.LongTy, E);
    return Product;
  };
  auto Extent = [&](const std::string &Key) {
    std::string Full = Shape->Name + "." + Key;
    auto It = TensorSizes.find(Full);
    if (It == TensorSizes.end()) {
      unsigned I = unsigned(Host->Sizes.size());
      Value V = chooseSize(dyn_cast_or_null<ParmVarDecl>(Id->Decl), Full);
      TensorSizes[Full] = int64_t(I);
      return V;
    }
    Taint T;
    if (It->second < 64)
      T.Params = 1ull << It->second;
    return Value::integer(Host->Sizes[size_t(It->second)].Value, T);
  };
  if (Name == "data_ptr" || Name == "mutable_data_ptr" || Name == "const_data_ptr" || Name == "data") {
    QualType T = E->getType()->isPointerType() ? E->getType()->getPointeeType() : QualType();
    if (!T.isNull() && !T->isVoidType() && !T->isDependentType() && !T->isIncompleteType()) {
      Id->Element = T;
      if (Made != Extents.end()) {
        const Value Count = Elements();
        if (auto N = known(Count); N && *N >= 0 && *N < (int64_t(1) << 40)) {
          Id->Bytes = *N * sizeOf(T);
          Id->BytesTaint = Count.T;
        }
      }
    }
    return Value::pointer(Id, Lanes(0));
  }
  if (Name == "size" && E->getNumArgs() == 1) {
    Value D = eval(E->getArg(0));
    auto K = known(D);
    if (K && Made != Extents.end() && *K < int64_t(Made->second.size()) && *K >= -int64_t(Made->second.size()))
      return Made->second[size_t(*K < 0 ? *K + int64_t(Made->second.size()) : *K)];
    return Extent("size(" + (K ? std::to_string(*K) : "?") + ")");
  }
  if (Name == "dim" || Name == "ndimension") {
    auto Axes = Made != Extents.end() ? std::optional(int64_t(Made->second.size())) : demandedAxes(Id->Decl, Ctx);
    return Axes ? std::optional(Value::integer(*Axes)) : std::nullopt;
  }
  if (Name == "numel") {
    if (Made != Extents.end())
      return Elements();
    Value Product = Value::integer(1);
    bool Any = false;
    for (int D = 0; D < 6; ++D)
      if (TensorSizes.count(Shape->Name + ".size(" + std::to_string(D) + ")")) {
        Value S = Extent("size(" + std::to_string(D) + ")");
        Product = arithmetic(BO_Mul, Product, S, Ctx.LongTy, Ctx.LongTy, E);
        Any = true;
      }
    return Any ? Product : Extent("numel()");
  }
  if (Name == "contiguous" || Name == "view" || Name == "reshape" || Name == "to" || Name == "clone" || Name == "detach" || Name == "flatten") {
    for (const Expr *A : E->arguments())
      eval(A);
    return Same();
  }
  if (Name == "is_contiguous" || Name == "is_cuda" || Name == "defined")
    return Value::integer(1);
  return std::nullopt;
}

static void setArgs(Step &S, std::vector<Value> Args) {
  for (const Value &A : Args)
    S.ArgBytes.push_back(A.K == Value::Pointer && A.Obj ? A.Obj->Bytes : std::nullopt);
  S.Args = std::move(Args);
}

void Machine::setDims(std::array<std::optional<int64_t>, 3> &D, std::array<Taint, 3> &T, const Value &V) {
  for (unsigned A = 0; A < 3; ++A) {
    Value C = V.K == Value::Aggregate && V.Agg ? cell(*V.Agg, A * 4, V.T)
              : A == 0 && V.K == Value::Scalar ? V
              : V.K == Value::Scalar           ? Value::integer(1)
                                               : Value::unknown(V.T);
    D[A] = known(C);
    T[A] = C.T;
    T[A].V = Vary::Grid;
  }
}

Value Machine::launch(const CUDAKernelCallExpr *E) {
  LaunchSyntax L = launchSyntax(E);
  if (!Host)
    return Value::unknown();
  Value Grid = L.Grid ? eval(L.Grid) : Value(), Block = L.Block ? eval(L.Block) : Value();
  Value Shared = L.Shared ? eval(L.Shared) : Value::integer(0);
  std::vector<Value> Args;
  for (const Expr *A : E->arguments())
    Args.push_back(A->isGLValue() && A->getType()->isRecordType() ? load(lval(A), A->getType(), A) : eval(A));
  Step &S = addStep(Step::Launch, E);
  S.Kernel = L.Kernel;
  S.GridExpr = L.Grid;
  S.BlockExpr = L.Block;
  S.SharedExpr = L.Shared;
  setDims(S.Grid, S.GridTaint, Grid);
  setDims(S.Block, S.BlockTaint, Block);
  S.SharedBytes = known(Shared);
  S.SharedTaint = Shared.T;
  setArgs(S, std::move(Args));
  return Value::unknown();
}

/// The function that a launch call names: `k`, `&k`, `(void *)k`.
static const FunctionDecl *namedFunction(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParenCasts();
  const auto *D = dyn_cast<DeclRefExpr>(E);
  return D ? dyn_cast<FunctionDecl>(D->getDecl()) : nullptr;
}

/// A field of the struct that P points to.
Value Machine::field(const Value &P, const CXXRecordDecl *R, StringRef Name, const Expr *At) {
  if (P.K == Value::Pointer && P.Obj && R && R->isCompleteDefinition() && P.L.at(0) != Unk)
    for (const FieldDecl *F : R->fields())
      if (F->getName() == Name)
        return load(Value::pointer(P.Obj, Lanes(P.L.at(0) + int64_t(Ctx.getFieldOffset(F) / 8))), F->getType(), At);
  return Value::unknown();
}

/// cudaLaunchKernel(kernel, grid, block, void *args[], shared, stream), cudaLaunchKernelExC(&config, kernel, args) and
/// cudaLaunchKernelEx(&config, kernel, arguments...).
std::optional<Value> Machine::launchApi(const CallExpr *E, StringRef Name) {
  const bool Typed = Name == "cudaLaunchKernelEx", Configured = Typed || Name == "cudaLaunchKernelExC";
  const unsigned Count = E->getNumArgs();
  if (!(Configured && Count >= 2) && !((Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel") && Count >= 4))
    return std::nullopt;
  const FunctionDecl *F = namedFunction(E->getArg(Configured));
  Value Grid, Block, Shared = Value::integer(0);
  if (Configured) {
    Value Config = eval(E->getArg(0));
    const CXXRecordDecl *R = E->getArg(0)->getType()->getPointeeCXXRecordDecl();
    Grid = field(Config, R, "gridDim", E);
    Block = field(Config, R, "blockDim", E);
    Shared = field(Config, R, "dynamicSmemBytes", E);
  } else {
    Grid = eval(E->getArg(1));
    Block = eval(E->getArg(2));
    if (Count > 4)
      Shared = eval(E->getArg(4));
  }
  std::vector<Value> Args;
  if (Typed) {
    for (unsigned I = 2; I < Count; ++I) {
      const Expr *A = E->getArg(I);
      Value V = A->isGLValue() ? load(lval(A), A->getType(), A) : eval(A);
      QualType To = F && I - 2 < F->getNumParams() ? F->getParamDecl(I - 2)->getType() : A->getType();
      Args.push_back(V.K == Value::Scalar && To->isScalarType() && !To->isPointerType() ? convert(V, A->getType(), To) : V);
    }
  } else if (unsigned At = Configured ? 2 : 3; F && At < Count) {
    Value ArgArray = eval(E->getArg(At));
    for (unsigned I = 0; ArgArray.K == Value::Pointer && ArgArray.Obj && I < F->getNumParams(); ++I) {
      Value P = cell(ArgArray.Obj->Contents, int64_t(I) * 8, {});
      Args.push_back(P.K == Value::Pointer && P.Obj ? load(P, F->getParamDecl(I)->getType(), E) : Value::unknown());
    }
  }
  Step &S = addStep(Step::Launch, E);
  S.Kernel = F;
  S.GridExpr = E->getArg(Configured ? 0 : 1);
  S.BlockExpr = E->getArg(Configured ? 0 : 2);
  S.SharedExpr = Configured ? E->getArg(0) : Count > 4 ? E->getArg(4) : nullptr;
  setDims(S.Grid, S.GridTaint, Grid);
  setDims(S.Block, S.BlockTaint, Block);
  S.SharedBytes = known(Shared);
  S.SharedTaint = Shared.T;
  setArgs(S, std::move(Args));
  return Value::integer(0);
}

std::optional<Value> Machine::hostCall(const CallExpr *E, StringRef Name) {
  unsigned Count = E->getNumArgs();
  if (auto V = launchApi(E, Name))
    return V;
  auto Success = [] { return Value::integer(0); };
  auto Allocate = [&](Space S, Value Size, const Value *Target) {
    Object *O = newObject(S, nullptr, "");
    O->AllocatedAt = E;
    O->Bytes = known(Size);
    O->BytesTaint = Size.T;
    Step &St = addStep(Step::Allocate, E);
    St.Target = O;
    St.Bytes = O->Bytes;
    St.BytesTaint = Size.T;
    if (Target && Target->K == Value::Pointer && Target->Obj) {
      O->Name = Target->Obj->Name;
      QualType T = Target->Obj->Decl ? Target->Obj->Decl->getType() : QualType();
      if (!T.isNull() && T->isPointerType() && !T->isVoidPointerType())
        O->Element = T->getPointeeType();
      store(*Target, Ctx.VoidPtrTy, Value::pointer(O, Lanes(0)), E);
    }
    return Value::pointer(O, Lanes(0));
  };
  bool DeviceAlloc = llvm::StringSwitch<bool>(Name)
      .Cases({"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "hipMalloc"}, true).Default(false);
  if (DeviceAlloc && Count >= 2) {
    Value P = eval(E->getArg(0)), Size = eval(E->getArg(1));
    Allocate(Name == "cudaMallocManaged" ? Space::Managed : Space::Global, Size, &P);
    return Success();
  }
  if (Name == "cudaMallocPitch" && Count >= 4) {
    constexpr int64_t RowUnit = 512; // bytes, what today's devices round a row up to
    Value P = eval(E->getArg(0)), Pitch = eval(E->getArg(1)), Width = eval(E->getArg(2)), Height = eval(E->getArg(3));
    auto Bytes = known(Width);
    Value Row = Bytes ? Value::integer((*Bytes + RowUnit - 1) / RowUnit * RowUnit, Width.T) : Value::unknown(Width.T);
    if (Pitch.K == Value::Pointer && Pitch.Obj)
      store(Pitch, Ctx.getSizeType(), Row, E);
    Allocate(Space::Global, arithmetic(BO_Mul, Row, Height, Ctx.LongTy, Ctx.LongTy, E), &P);
    return Success();
  }
  if ((Name == "cudaMallocHost" || Name == "cudaHostAlloc") && Count >= 2) {
    Value P = eval(E->getArg(0)), Size = eval(E->getArg(1));
    Allocate(Space::Host, Size, &P);
    return Success();
  }
  if (Name == "malloc" && Count == 1)
    return Allocate(Space::Host, eval(E->getArg(0)), nullptr);
  if (Name == "calloc" && Count == 2) {
    Value A = eval(E->getArg(0)), B = eval(E->getArg(1));
    return Allocate(Space::Host, arithmetic(BO_Mul, A, B, Ctx.LongTy, Ctx.LongTy, E), nullptr);
  }
  bool Frees = llvm::StringSwitch<bool>(Name).Cases({"cudaFree", "cudaFreeAsync", "cudaFreeHost", "free"}, true).Default(false);
  if (Frees && Count >= 1) {
    Value P = eval(E->getArg(0));
    Step &S = addStep(Step::Free, E);
    S.TargetPointer = P;
    S.Target = P.Obj;
    S.Async = Name == "cudaFreeAsync";
    return Success();
  }
  if ((Name == "cudaMemset" || Name == "cudaMemsetAsync") && Count >= 3) {
    Value P = eval(E->getArg(0));
    eval(E->getArg(1));
    Value Size = eval(E->getArg(2));
    Step &S = addStep(Step::Set, E);
    S.TargetPointer = P;
    S.Target = P.Obj;
    S.Bytes = known(Size);
    S.BytesTaint = Size.T;
    S.Async = Name.ends_with("Async");
    return Success();
  }
  if ((Name == "cudaMemcpy" || Name == "cudaMemcpyAsync") && Count >= 3) {
    Value To = eval(E->getArg(0)), From = eval(E->getArg(1)), Size = eval(E->getArg(2));
    Value Kind = Count > 3 ? eval(E->getArg(3)) : Value::integer(4);
    Step &S = addStep(Step::Copy, E);
    S.TargetPointer = To;
    S.SourcePointer = From;
    S.Target = To.Obj;
    S.Source = From.Obj;
    S.Bytes = known(Size);
    S.BytesTaint = Size.T;
    S.CopyKind = int(known(Kind).value_or(-1));
    S.Async = Name.ends_with("Async");
    if (To.K == Value::Pointer && To.Obj && (To.Obj->Where == Space::Local || To.Obj->Where == Space::Host))
      escape(E, To, true); // what came from the device is not known here
    return Success();
  }
  if ((Name == "cudaMemcpy2D" || Name == "cudaMemcpy2DAsync") && Count >= 6) {
    // Rows a pitch apart: how many bytes lie between the ends is another number at either.
    Value To = eval(E->getArg(0)), From = eval(E->getArg(2));
    for (unsigned A : {1u, 3u, 4u, 5u})
      eval(E->getArg(A));
    Step &S = addStep(Step::Copy, E);
    S.TargetPointer = To;
    S.SourcePointer = From;
    S.Target = To.Obj;
    S.Source = From.Obj;
    S.CopyKind = int((Count > 6 ? known(eval(E->getArg(6))) : std::nullopt).value_or(-1));
    S.Async = Name.ends_with("Async");
    if (To.K == Value::Pointer && To.Obj && (To.Obj->Where == Space::Local || To.Obj->Where == Space::Host))
      escape(E, To, true);
    return Success();
  }
  if (Name == "cudaDeviceSynchronize" || Name == "cudaStreamSynchronize" || Name == "cudaEventSynchronize") {
    addStep(Step::Synchronise, E);
    return Success();
  }
  // Questions to the device: plausible answers, marked as assumed.
  auto Answer = [&](unsigned Arg, int64_t V) {
    if (Arg >= Count)
      return;
    Value P = eval(E->getArg(Arg));
    Taint T;
    T.Assumed = true;
    if (P.K == Value::Pointer && P.Obj)
      store(P, E->getArg(Arg)->getType()->getPointeeType(), Value::integer(V, T), E);
  };
  if (Name == "cudaGetDevice") {
    Answer(0, 0);
    return Success();
  }
  if (Name == "cudaDeviceGetAttribute") {
    auto Which = Count > 1 ? known(eval(E->getArg(1))) : std::nullopt;
    Answer(0, !Which ? 16 : *Which == 1 ? 1024 : *Which == 8 ? 49152 : *Which == 10 ? 32 : *Which == 16 ? 132 : *Which == 97 ? 232448 : *Which == 39 ? 2048 : 16);
    return Success();
  }
  if (Name.starts_with("cudaGetDeviceProperties")) {
    Value P = Count ? eval(E->getArg(0)) : Value();
    if (P.K == Value::Pointer && P.Obj && E->getArg(0)->getType()->isPointerType())
      describeDevice(*P.Obj, E->getArg(0)->getType()->getPointeeType());
    return Success();
  }
  if ((Name == "getCurrentDeviceProperties" || Name == "getDeviceProperties") && E->getType()->isPointerType()) {
    Object *O = newObject(Space::Host, nullptr, "properties");
    describeDevice(*O, E->getType()->getPointeeType());
    return Value::pointer(O, Lanes(0));
  }
  if (Name.starts_with("cudaOccupancyMaxActiveBlocks")) {
    Answer(0, 2);
    return Success();
  }
  if (Name.starts_with("cudaOccupancyMaxPotentialBlockSize")) {
    Answer(0, 264);
    Answer(1, 256);
    return Success();
  }
  if (Name == "exit" || Name == "abort" || Name == "__assert_fail" || Name == "_Exit") {
    kill(E);
    return Value::unknown();
  }
  // Tensors that are made here.
  if (isTensor(E->getType())) {
    bool Like = Name.ends_with("_like");
    Object *Source = nullptr;
    const InitListExpr *Listed = nullptr;
    for (const Expr *A : E->arguments()) {
      if (!Source && !Listed && takesShape(Name) && (Listed = initList(A)))
        continue;
      Value V = A->isGLValue() ? load(lval(A), A->getType(), A) : eval(A);
      if (!Source)
        Source = tensorIdentity(V);
    }
    Object *Id = newObject(Space::Global, Like && Source ? Source->Decl : nullptr, "tensor" + std::to_string(Pool->size()));
    if (Like && Source)
      LikeTensor[Id] = Source;
    else if (Listed)
      for (const Expr *X : Listed->inits())
        Extents[Id].push_back(eval(X));
    return tensorValue(Id);
  }
  if (Name.starts_with("cuda") && E->getType()->isEnumeralType()) {
    for (const Expr *A : E->arguments()) {
      Value V = A->isGLValue() ? lval(A) : eval(A);
      if (A->getType()->isPointerType() && V.K == Value::Pointer && V.Obj && V.Obj->Where == Space::Local)
        escape(E, V, true);
    }
    addStep(Step::Other, E);
    return Success();
  }
  return std::nullopt;
}

/// Is a parameter used by its fields only, as `dims` of `dims.x / tile`, or handed on to a kernel? One that goes whole into
/// <<<...>>> is the caller's choice of a launch, not a size.
static bool byFieldsOnly(const Stmt *Body, const ParmVarDecl *P) {
  struct Uses : DynamicRecursiveASTVisitor {
    explicit Uses(const ParmVarDecl *P) : P(P) {}
    const ParmVarDecl *P;
    unsigned All = 0, Fields = 0;
    bool VisitDeclRefExpr(DeclRefExpr *D) override {
      All += D->getDecl() == P;
      return true;
    }
    bool VisitMemberExpr(MemberExpr *M) override {
      const auto *D = dyn_cast<DeclRefExpr>(M->getBase()->IgnoreParenImpCasts());
      Fields += D && D->getDecl() == P && isa<FieldDecl>(M->getMemberDecl());
      return true;
    }
    bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
      for (const Expr *A : C->arguments()) {
        A = A->IgnoreParenImpCasts();
        if (const auto *Copy = dyn_cast<CXXConstructExpr>(A); Copy && Copy->getNumArgs() == 1 && Copy->getConstructor()->isCopyOrMoveConstructor())
          A = Copy->getArg(0)->IgnoreParenImpCasts();
        const auto *D = dyn_cast<DeclRefExpr>(A);
        Fields += D && D->getDecl() == P;
      }
      return true;
    }
  } V(P);
  V.TraverseStmt(const_cast<Stmt *>(Body));
  return V.All == V.Fields;
}

/// dim3, int2, uint3, ...: the headers' structs of nothing but integers.
static bool holdsIntegersOnly(const CXXRecordDecl *R) {
  return R->getIdentifier() && !R->field_empty() && llvm::all_of(R->fields(), [](const FieldDecl *F) { return F->getType()->isIntegerType(); });
}

void Machine::runHost() {
  const FunctionDecl *Def = nullptr;
  const Stmt *Body = Host->Launcher->getBody(Def);
  if (!Body)
    return;
  Frame F;
  F.F = Def;
  F.Entry = Mask::first(1);
  Cur = {F.Entry, F.Entry};
  Frames.push_back(F);
  std::function<void(Object *, int64_t, QualType, const ParmVarDecl *, std::string, unsigned)> Fill =
      [&](Object *O, int64_t Offset, QualType T, const ParmVarDecl *P, std::string Name, unsigned Depth) {
        T = T.getNonReferenceType().getCanonicalType();
        if (isTensor(T)) {
          O->Contents[-1] = Value::pointer(newObject(Space::Global, P, Name), Lanes(0));
        } else if (T->isBooleanType() || T->isEnumeralType()) {
          O->Contents[Offset] = Value::unknown();
        } else if (T->isIntegerType()) {
          O->Contents[Offset] = convert(chooseSize(P, Name), Ctx.LongLongTy, T);
        } else if (T->isPointerType()) {
          QualType To = T->getPointeeType();
          bool Handle = To->isIncompleteType() && !To->isVoidType(); // cudaStream_t and the like
          if (To->isPointerType() || To->isFunctionType() || Handle)
            O->Contents[Offset] = Value::pointer(nullptr, Lanes());
          else
            O->Contents[Offset] = Value::pointer(newObject(Space::Global, P, Name), Lanes(0));
        } else if (const auto *R = T->getAsCXXRecordDecl();
                   R && Depth < 2 && R->isCompleteDefinition() && !R->isDependentType() && !R->isInvalidDecl() && !R->isUnion() &&
                   (!Ctx.getSourceManager().isInSystemHeader(R->getLocation()) || (holdsIntegersOnly(R) && byFieldsOnly(Body, P)))) {
          for (const FieldDecl *Field : R->fields())
            Fill(O, Offset + int64_t(Ctx.getFieldOffset(Field) / 8), Field->getType(), P,
                 Name + "." + Field->getNameAsString(), Depth + 1);
        }
      };
  for (const ParmVarDecl *P : Def->parameters()) {
    Object *O = newObject(Space::Local, P, P->getName());
    O->Bytes = sizeOf(P->getType());
    Object *Slot = O;
    if (P->getType()->isReferenceType()) {
      Slot = newObject(Space::Local, P, P->getName());
      O->Contents[0] = Value::pointer(Slot, Lanes(0));
    }
    Fill(Slot, 0, P->getType(), P, P->getNameAsString(), 0);
    Frames.back().Vars[P] = O;
  }
  exec(Body);
  if (Fuel == 0 || (Stop && Host->Refusal.empty()))
    refuse(Body, "the launcher runs too long to interpret");
  Frames.pop_back();
}

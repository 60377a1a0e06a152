//===- Directions.cpp - the kind of a copy against its pointers ---------------===//
//
//   cudaMemcpyAsync(&h_total, d_total, n, cudaMemcpyHostToDevice, s);    // d_total came from cudaMalloc
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "llvm/ADT/StringSwitch.h"
#include "matchers/PointerOrigin.h"

using namespace clang;
using namespace kcheck;

namespace {

enum Kind { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };

/// Where a copy function has its operands; -1: it has none.
struct CopyShape {
  int To, From, Kind;
  int Symbol = -1; ///< 0: copies to a symbol, 1: from one
};

std::optional<CopyShape> copyShape(StringRef Name) {
  return llvm::StringSwitch<std::optional<CopyShape>>(Name)
      .Cases({"cudaMemcpy", "cudaMemcpyAsync"}, CopyShape{0, 1, 3})
      .Cases({"cudaMemcpy2D", "cudaMemcpy2DAsync"}, CopyShape{0, 2, 6})
      .Cases({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, CopyShape{-1, 1, 4, 0})
      .Cases({"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"}, CopyShape{0, -1, 4, 1})
      .Case("memcpy", CopyShape{0, 1, -1})
      .Default(std::nullopt);
}

const char *spell(int64_t K) {
  static const char *const Names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  return Names[K];
}

class DirectionVisitor : public ApiWalker {
  using Base = ApiWalker;

public:
  explicit DirectionVisitor(ApiReporter &R) : Base(R), AST(R.Ctx.TU.AST), Origin(R.Ctx.get<VariableWrites>(), R.Ctx.get<Allocations>()) {}

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

  bool VisitCallExpr(CallExpr *C) override {
    if (!hostCode())
      return true;
    if (auto S = copyShape(calleeName(C)))
      copy(C, *S);
    return true;
  }

  /// k<<<…>>>(v.data()): what the kernel gets is an address of the host.
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    if (!hostCode())
      return true;
    for (const Expr *A : C->arguments()) {
      if (!A->getType()->isPointerType() || A->isValueDependent())
        continue;
      if (const VarDecl *Symbol = symbolOf(A)) {
        if (R.first("memcpy_direction", A->getExprLoc()))
          R.Ctx.report("memcpy_direction", A->getExprLoc(),
                       "in host code '" + Symbol->getName() + "' is the address of its host shadow, not of the device variable: use it in the kernel by name, or cudaGetSymbolAddress");
      } else if (Origin.of(A) == MemorySpace::Host && !isRegistered(A) && R.first("memcpy_direction", A->getExprLoc()))
        R.Ctx.report("memcpy_direction", A->getExprLoc(),
                     "'" + R.Ctx.TU.text(A->getSourceRange()) + "' is host memory that nothing makes visible to the device: right only where the system maps all of it")
            .doubt();
    }
    return true;
  }

  /// *d or d[i] in host code, where d came from cudaMalloc.
  bool VisitImplicitCastExpr(ImplicitCastExpr *C) override {
    if (hostCode() && C->getCastKind() == CK_LValueToRValue)
      dereference(C->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (hostCode() && B->isAssignmentOp())
      dereference(B->getLHS());
    return true;
  }

private:
  /// The __device__ or __constant__ array, or the variable whose address is taken, that E names.
  static const VarDecl *symbolOf(const Expr *E) {
    E = E->IgnoreParenCasts();
    const auto *U = dyn_cast<UnaryOperator>(E);
    if (U && U->getOpcode() == UO_AddrOf)
      E = U->getSubExpr()->IgnoreParens();
    const auto *D = dyn_cast<DeclRefExpr>(E);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    bool Address = V && (U || V->getType()->isArrayType());
    // Clang gives a host constant that device code reads a copy there, by an attribute that nobody wrote.
    const auto *Constant = V ? V->getAttr<CUDAConstantAttr>() : nullptr;
    bool OnDevice = Address && (V->hasAttr<CUDADeviceAttr>() || (Constant && !Constant->isImplicit()));
    return OnDevice && !V->getType()->isReferenceType() && !V->hasAttr<HIPManagedAttr>() ? V : nullptr;
  }

  /// cudaHostRegister(p, …) anywhere in the file.
  bool isRegistered(const Expr *Pointer) {
    if (!Registered) {
      struct Finder : DynamicRecursiveASTVisitor {
        llvm::DenseSet<const ValueDecl *> Found;
        bool VisitCallExpr(CallExpr *C) override {
          if (C->getNumArgs() && calleeName(C) == "cudaHostRegister")
            Found.insert(pointerVariable(C->getArg(0)));
          return true;
        }
      } V;
      V.TraverseAST(AST);
      Registered = std::move(V.Found);
    }
    return Registered->contains(pointerVariable(Pointer));
  }

  void dereference(const Expr *E) {
    E = E->IgnoreParens();
    const Expr *Pointer = dereferencedPointer(E);
    if (!Pointer || Origin.of(Pointer) != MemorySpace::Device || !R.first("memcpy_direction", E->getExprLoc()))
      return;
    R.Ctx.report("memcpy_direction", E->getExprLoc(), "host code accesses '" + R.Ctx.TU.text(Pointer->getSourceRange()) + "', which is device memory: copy it first");
  }

  std::optional<int64_t> kind(const CallExpr *C, int At) const {
    if (At < 0 || static_cast<unsigned>(At) >= C->getNumArgs())
      return std::nullopt;
    Expr::EvalResult V;
    const Expr *E = C->getArg(At);
    if (E->isValueDependent() || !E->EvaluateAsInt(V, AST))
      return std::nullopt;
    return V.Val.getInt().getExtValue();
  }

  MemorySpace space(const CallExpr *C, int At) const {
    return At >= 0 && static_cast<unsigned>(At) < C->getNumArgs() ? Origin.of(C->getArg(At)) : MemorySpace::Unknown;
  }

  void copy(const CallExpr *C, const CopyShape &S) {
    MemorySpace To = space(C, S.To), From = space(C, S.From);
    if (S.Kind < 0) {
      if (To == MemorySpace::Device || From == MemorySpace::Device)
        say(C, S.To, "memcpy runs on the host, but '" + text(C, To == MemorySpace::Device ? S.To : S.From) + "' is device memory");
      return;
    }
    for (int At : {S.To, S.From})
      if (const VarDecl *Symbol = At >= 0 && static_cast<unsigned>(At) < C->getNumArgs() && S.Symbol < 0 ? symbolOf(C->getArg(At)) : nullptr)
        return say(C, At, "in host code '" + Symbol->getName().str() + "' is the address of its host shadow, not of the device variable: copy with " +
                              (At == S.To ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol"));
    auto K = kind(C, S.Kind);
    if (!K || *K < 0 || *K >= Default)
      return;
    bool ToDevice = *K == HostToDevice || *K == DeviceToDevice, FromDevice = *K == DeviceToHost || *K == DeviceToDevice;
    if (S.Symbol == 0 && !ToDevice)
      return say(C, S.Kind, std::string(spell(*K)) + " into a device symbol: the destination is on the device");
    if (S.Symbol == 1 && !FromDevice)
      return say(C, S.Kind, std::string(spell(*K)) + " out of a device symbol: the source is on the device");
    if (wrong(To, ToDevice))
      return say(C, S.Kind, std::string(spell(*K)) + ", but the destination '" + text(C, S.To) + "' is " + (ToDevice ? "host" : "device") + " memory");
    if (wrong(From, FromDevice))
      say(C, S.Kind, std::string(spell(*K)) + ", but the source '" + text(C, S.From) + "' is " + (FromDevice ? "host" : "device") + " memory");
  }

  /// Pinned and managed memory may stand on either side.
  static bool wrong(MemorySpace Is, bool WantDevice) { return WantDevice ? Is == MemorySpace::Host : Is == MemorySpace::Device; }

  std::string text(const CallExpr *C, int At) const { return At < 0 ? "" : R.Ctx.TU.text(C->getArg(At)->getSourceRange()); }

  void say(const CallExpr *C, int, const std::string &Message) {
    if (R.first("memcpy_direction", C->getExprLoc()))
      R.Ctx.report("memcpy_direction", C->getExprLoc(), Message);
  }

  ASTContext &AST;
  PointerOrigin Origin;
  std::optional<llvm::DenseSet<const ValueDecl *>> Registered;
};

} // namespace

void kcheck::checkDirections(ApiReporter &R) { DirectionVisitor(R).TraverseAST(R.Ctx.TU.AST); }

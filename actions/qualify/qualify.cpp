//===- qualify.cpp - say of a kernel what the compiler may rely on ----------------===//
//
//   __global__ void k(const float *a, float *b)
//   __global__ void __launch_bounds__(256) k(const float *__restrict__ a, float *__restrict__ b)
//
// __restrict__ is legal where each launch hands the kernel different buffers to the parameters: what the launch
// plans show, or the launcher's own distinct parameters. A buffer that is only read gets const (`const=1`);
// plain loads through it become __ldg (`ldg=1`).
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "actions/engine/Buffers.h"
#include "actions/engine/Launches.h"
#include "matchers/LaunchModel.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kcheck;

namespace {

/// What a kernel does with one pointer parameter.
struct PointerUse {
  const ParmVarDecl *P = nullptr;
  bool OnlyLoads = true;                       ///< every mention is a subscript or dereference that is read
  std::vector<const ArraySubscriptExpr *> Loads;
};

class Qualify {
public:
  Qualify(ActionContext &Ctx, const KernelView &K) : Ctx(Ctx), K(K), F(K.Decl) {}

  Site site() {
    Site S = Ctx.siteAt(K, F->getLocation(), "kernel " + K.Name);
    S.WhyNot = plan();
    if (S.WhyNot.empty()) {
      // Each thing that may be said is one bit of the sets: all that is legal first, then each alone.
      llvm::json::Object Effect;
      std::vector<std::string> Names;
      for (const ParmVarDecl *P : Restrict)
        Names.push_back(P->getNameAsString());
      if (!Names.empty())
        Effect["restrict"] = llvm::join(Names, " ");
      const bool New = Bounds && !Said;
      if (New)
        Effect["launch_bounds"] = int64_t(Bounds);
      Settings All{{"restrict", !Restrict.empty()}, {"bounds", New}, {"const", 0}, {"ldg", 0}, {"blocks", 0}};
      if (!Restrict.empty() || New)
        S.Sets.push_back({All, std::move(Effect)});
      auto Add = [&](llvm::StringRef Name) {
        Settings One{{"restrict", 0}, {"bounds", 0}, {"const", 0}, {"ldg", 0}, {"blocks", 0}};
        One[Name.str()] = 1;
        S.Sets.push_back({One, {}});
      };
      if (!Restrict.empty() && New) {
        Add("restrict");
        Add("bounds");
      }
      // blocks that a multiprocessor should hold: the compiler keeps to the registers that leaves
      for (int64_t Blocks = 2; Bounds && Blocks <= 8; ++Blocks)
        if (Blocks * Bounds <= Ctx.Limits.ThreadsPerSM)
          for (bool Also : {false, true})
            if (!Also || !Restrict.empty())
              S.Sets.push_back({{{"restrict", Also}, {"bounds", 1}, {"const", 0}, {"ldg", 0}, {"blocks", Blocks}},
                                llvm::json::Object{{"registers_at_most", int64_t(Ctx.Limits.RegistersPerSM / (Blocks * Bounds)) / 8 * 8}}});
      if (!Const.empty())
        Add("const");
      if (!Ldg.empty())
        Add("ldg");
      S.OnlyListed = true;
    }
    auto Self = std::make_shared<Qualify>(*this);
    S.Apply = [Self](const Settings &P) { return Self->apply(P); };
    return S;
  }

private:
  std::string plan() {
    if (!Ctx.editable(F->getSourceRange()) && !Ctx.editable(SourceRange(F->getLocation(), F->getEndLoc())))
      return "the kernel comes from a macro";
    collectUses();
    std::string Same = buffersCoincide();
    for (const PointerUse &U : Uses) {
      QualType T = U.P->getType();
      bool Editable = Ctx.editable(SourceRange(U.P->getLocation()));
      if (Editable && Same.empty() && !T.isRestrictQualified() && U.P->getIdentifier())
        Restrict.push_back(U.P);
      bool Arithmetic = T->getPointeeType()->isArithmeticType();
      if (Editable && U.OnlyLoads && !T->getPointeeType().isConstQualified() && !T->getPointeeType().isVolatileQualified() && !K.Template && F->getPreviousDecl() == nullptr)
        Const.push_back(U.P);
      if (U.OnlyLoads && Arithmetic && !T->getPointeeType().isVolatileQualified())
        for (const ArraySubscriptExpr *A : U.Loads)
          if (Ctx.editable(A->getSourceRange()) && !U.P->getType()->getPointeeType()->isBooleanType())
            Ldg.push_back(A);
    }
    Said = F->getAttr<CUDALaunchBoundsAttr>();
    Bounds = F->getPreviousDecl() ? 0 : Said ? boundsToExtend() : largestBlock();
    if (F->getPreviousDecl()) // the declaration in front would have to agree
      Restrict.clear();
    if (Restrict.empty() && !Bounds && Const.empty() && Ldg.empty())
      return !Same.empty() ? Same : "there is nothing left to say: qualified already, or no launch of constant size";
    return {};
  }

  void collectUses() {
    for (const ParmVarDecl *P : F->parameters())
      if (P->getType()->isPointerType() && !P->getType()->getPointeeType()->isFunctionType())
        Uses.push_back({P, true, {}});
    llvm::DenseMap<const DeclRefExpr *, bool> Fine;
    forEachStmt(F->getBody(), [&](const Stmt *S) {
      // a[i] that is converted to a value at once
      const auto *C = dyn_cast<ImplicitCastExpr>(S);
      if (!C || C->getCastKind() != CK_LValueToRValue)
        return;
      const auto *A = dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens());
      if (!A)
        return;
      if (const auto *D = dyn_cast<DeclRefExpr>(A->getBase()->IgnoreParenImpCasts()))
        if (PointerUse *U = use(D->getDecl())) {
          Fine[D] = true;
          U->Loads.push_back(A);
        }
    });
    forEachStmt(F->getBody(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclRefExpr>(S))
        if (PointerUse *U = use(D->getDecl()); U && !Fine.count(D))
          U->OnlyLoads = false;
    });
  }

  PointerUse *use(const ValueDecl *D) {
    for (PointerUse &U : Uses)
      if (U.P == D)
        return &U;
    return nullptr;
  }

  /// Why two pointer parameters may point into one buffer; empty when every launch shows that they do not.
  std::string buffersCoincide() {
    unsigned Pointers = 0, Written = 0;
    for (const PointerUse &U : Uses) {
      ++Pointers;
      Written += !U.OnlyLoads;
    }
    if (Pointers == 0)
      return "the kernel has no pointer parameter";
    if (Pointers == 1 || Written == 0)
      return {};
    return whyBuffersMayCoincide(Ctx, K);
  }

  /// The largest block of the launches where each spells its sizes as constants, which needs no plan.
  std::optional<int64_t> spelledBlock() {
    int64_t Largest = 0;
    for (const LaunchSite &L : K.Launches) {
      auto Extents = extentExprs(Ctx, L.Syntax.Block);
      int64_t Threads = Extents[0] ? 1 : 0;
      for (const Expr *E : Extents)
        if (E) {
          const Expr *Value = Ctx.get<VariableWrites>().resolve(E);
          Threads *= Ctx.constant(Value ? Value : E).value_or(0);
        }
      if (Threads < 1 || Threads > 1024)
        return std::nullopt;
      Largest = std::max(Largest, Threads);
    }
    return Largest;
  }

  /// The bound that stands there, when nothing is said of blocks behind it.
  unsigned boundsToExtend() {
    auto N = Said->getMinBlocks() || Said->getMaxBlocks() ? std::nullopt : Ctx.constant(Said->getMaxThreads());
    return N && *N > 0 && *N <= int64_t(Ctx.Limits.ThreadsPerBlock) && Ctx.editable(saidAt()) ? unsigned(*N) : 0;
  }
  /// Where it stands: __launch_bounds__ is a macro of the toolkit, its argument is in the file.
  SourceRange saidAt() const { return {Ctx.SM.getFileLoc(Said->getMaxThreads()->getBeginLoc()), Ctx.SM.getFileLoc(Said->getMaxThreads()->getEndLoc())}; }

  /// The largest block of all launches when every launch's is a known constant; else 0.
  unsigned largestBlock() {
    if (K.Launches.empty() || K.OtherUse || K.Template)
      return 0;
    if (auto N = spelledBlock())
      return *N <= int64_t(Ctx.Limits.ThreadsPerBlock) ? unsigned(*N) : 0;
    int64_t Largest = 0;
    unsigned Seen = 0;
    for (const PlanSample &P : Ctx.get<LaunchModel>().plans())
      for (const LaunchSample &L : P.Launches) {
        if (!L.Step || !L.Step->Kernel || L.Step->Kernel->getCanonicalDecl() != F->getCanonicalDecl())
          continue;
        int64_t Threads = 1;
        for (unsigned I = 0; I < 3; ++I) {
          if (!L.Step->Block[I] || L.Step->BlockTaint[I].Params || L.Step->BlockTaint[I].Data)
            return 0;
          Threads *= *L.Step->Block[I];
        }
        Largest = std::max(Largest, Threads);
        ++Seen;
      }
    return Seen && Largest > 0 && Largest <= int64_t(Ctx.Limits.ThreadsPerBlock) ? unsigned(Largest) : 0;
  }

  llvm::Expected<std::vector<Edit>> apply(const Settings &S) const {
    std::vector<Edit> Edits;
    auto Wants = [&](const char *Name) { return S.at(Name) != 0; };
    if (Wants("restrict"))
      for (const ParmVarDecl *P : Restrict)
        Edits.push_back(Ctx.insert(Ctx.offset(P->getLocation()), "__restrict__ "));
    if (Wants("const"))
      for (const ParmVarDecl *P : Const)
        Edits.push_back(Ctx.insert(Ctx.offset(P->getBeginLoc()), "const "));
    if (Wants("ldg"))
      for (const ArraySubscriptExpr *A : Ldg) {
        Edits.push_back(Ctx.insert(Ctx.offset(A->getBeginLoc()), "__ldg(&"));
        Edits.push_back(Ctx.insert(Ctx.endOffset(A->getEndLoc()), ")"));
      }
    if (Wants("bounds") && Said)
      Edits.push_back(Ctx.insert(Ctx.endOffset(saidAt().getEnd()), ", " + std::to_string(S.at("blocks"))));
    else if (Wants("bounds") && Bounds)
      Edits.push_back(Ctx.insert(Ctx.offset(F->getLocation()), "__launch_bounds__(" + std::to_string(Bounds) + (S.at("blocks") ? ", " + std::to_string(S.at("blocks")) : "") + ") "));
    return Edits;
  }

  ActionContext &Ctx;
  const KernelView &K;
  const FunctionDecl *F;
  std::vector<PointerUse> Uses;
  std::vector<const ParmVarDecl *> Restrict, Const;
  std::vector<const ArraySubscriptExpr *> Ldg;
  const CUDALaunchBoundsAttr *Said = nullptr; ///< bounds that the kernel has
  unsigned Bounds = 0;                        ///< bounds to add, or to say more of
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels())
    Out.push_back(Qualify(Ctx, K).site());
}

KCHECK_ACTION(Qualify, "qualify", "add __restrict__, const, __ldg or __launch_bounds__ to a kernel",
              {{"restrict", "__restrict__ on the pointer parameters", {0, 1}},
               {"bounds", "__launch_bounds__ with the largest block of the launches, or what stands there", {0, 1}},
               {"blocks", "blocks a multiprocessor should hold, for __launch_bounds__; 0: do not say", {}, 0, 8},
               {"const", "const on what is only read", {0, 1}},
               {"ldg", "read what is only read through __ldg", {0, 1}}},
              find);

} // namespace

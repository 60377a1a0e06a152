//===- shared-bounds.cpp - rule 6: shared memory, its size and its use ----------===//
//
//   k<<<grid, n, n>>>(…)                      k<<<grid, n, n * sizeof(float)>>>(…)
//
// Each launch of a plan is compared with what its threads touch: past the end of a static array, past the
// bytes that the launch gives, at an offset that the type forbids. Limits are compared with the constants.
//
//===--------------------------------------------------------------------------===//
#include "Carves.h"
#include "Extents.h"
#include "LocalArrays.h"
#include "SharedUse.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/SharedOptIns.h"
#include "analyzers/engine/Rule.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::shared;
using eval::Space;

namespace {

const TagInfo Tags[] = {
    {"dynamic_shared_missing", "the kernel uses dynamic shared memory, the launch gives none"},
    {"dynamic_shared_too_small", "threads reach past the bytes that the launch gives"},
    {"static_shared_too_large", "more than 48 KB of static shared memory"},
    {"shared_index_out_of_range", "an index past the end of a shared array"},
    {"over_48k_without_attribute", "more than 48 KB of dynamic shared memory without an opt-in"},
    {"extern_arrays_alias", "two extern shared arrays that are used as if they were two"},
    {"static_dynamic_mix", "static and dynamic shared memory taken for each other, or too large together"},
    {"shared_misaligned_carve", "an array carved at an offset that its type forbids"},
    {"local_index_out_of_range", "an index past the end of a thread's own array"},
};

/// One launch of a plan with what it does to shared memory.
struct Tried {
  const PlanSample *Plan = nullptr;
  const LaunchSample *Launch = nullptr;
  Extents Uses;
};

/// How far a launch's faults can be blamed on the code.
enum class Blame { Code, Contract, Nobody };

std::string place(const std::array<unsigned, 3> &I) {
  return "(" + std::to_string(I[0]) + "," + std::to_string(I[1]) + "," + std::to_string(I[2]) + ")";
}

std::array<unsigned, 3> threadAt(const eval::KernelRun &R, unsigned Lane) {
  unsigned X = unsigned(R.Block[0]), Y = unsigned(R.Block[1]);
  return {Lane % X, Lane / X % Y, Lane / (X * Y)};
}

std::string sizesOf(const eval::HostRun &H) {
  std::string S;
  for (const eval::Size &Z : H.Sizes)
    S += (S.empty() ? "" : ", ") + Z.Name + " = " + std::to_string(Z.Value);
  return S;
}

/// The variable that an access goes through, to report a carve where it is made.
SourceLocation carveOf(const Expr *E) {
  SourceLocation Here = E->getBeginLoc();
  for (unsigned Depth = 0; E && Depth < 16; ++Depth) {
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      return V && !isa<ParmVarDecl>(V) && V->getType()->isPointerType() && V->isLocalVarDecl() ? V->getLocation() : Here;
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) E = A->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E)) E = U->getSubExpr();
    else if (const auto *M = dyn_cast<MemberExpr>(E)) E = M->getBase();
    else if (const auto *B = dyn_cast<BinaryOperator>(E)) E = B->getLHS();
    else break;
  }
  return Here;
}

class SharedBoundsRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    LaunchModel &M = Ctx.get<LaunchModel>();
    Broken = llvm::any_of(Ctx.TU.Diagnostics, [](const ParseDiagnostic &D) { return D.IsError; });
    bool Any = false;
    for (const FunctionDecl *K : M.kernels())
      Any |= !use(Ctx, K).Static.empty() || !use(Ctx, K).Dynamic.empty();
    checkStatic(Ctx, M);
    std::vector<const eval::Step *> Launches;
    for (const PlanSample &P : M.plans())
      for (const eval::Step &S : P.Host->Steps)
        if (S.K == eval::Step::Launch && S.Kernel)
          checkLimits(Ctx, M, S);
    checkUntried(Ctx, M);
    checkLocalArrays(Ctx, M);
    if (!Any) {
      if (!M.kernels().empty())
        Ctx.passed("shared memory: not used");
      return;
    }
    checkExtents(Ctx, M);
    checkAssumed(Ctx, M);
    checkAliases(Ctx, M);
    checkCarves(Ctx, M);
    if (!Reported)
      Ctx.passed("shared memory: every access inside its array");
  }

private:
  const SharedUse &use(RuleContext &Ctx, const FunctionDecl *K) {
    auto [It, New] = Uses.try_emplace(K->getCanonicalDecl());
    if (New)
      It->second = std::make_unique<SharedUse>(sharedUse(K, Ctx.TU.AST));
    return *It->second;
  }

  bool once(const void *A, llvm::StringRef Tag) {
    Reported = true;
    return Said.insert({A, Tag.data()}).second;
  }

  void checkStatic(RuleContext &Ctx, LaunchModel &M) {
    for (const FunctionDecl *K : M.kernels()) {
      const SharedUse &U = use(Ctx, K);
      if (U.StaticBytes <= DefaultLimit || K->isDependentContext())
        continue;
      const VarDecl *V = U.Static.front();
      if (!Ctx.TU.inMainFile(V->getLocation()) || !once(V, "static_shared_too_large"))
        continue;
      auto F = Ctx.report("static_shared_too_large", V->getLocation(),
                          std::to_string(U.StaticBytes) + " bytes of static shared memory are over the limit of 49152; "
                          "larger arrays must be extern, with the limit raised by cudaFuncSetAttribute");
      F.kernel(K).evidence("bytes", U.StaticBytes);
      for (const VarDecl *Other : llvm::drop_begin(U.Static))
        F.note(Other->getLocation(), "and " + Other->getName());
    }
  }

  void checkLimits(RuleContext &Ctx, LaunchModel &M, const eval::Step &S) {
    if (!S.SharedBytes || S.SharedTaint.Params || S.SharedTaint.Data || !S.Sure)
      return;
    const SharedUse &U = use(Ctx, S.Kernel);
    int64_t Dynamic = *S.SharedBytes, Sum = Dynamic + U.StaticBytes;
    if (U.StaticBytes > DefaultLimit || Sum <= DefaultLimit || !U.Known)
      return;
    if (!Raised)
      Raised = std::make_unique<SharedOptIns>(Ctx.TU.AST);
    bool OptIn = Raised->mayBeRaised(S.Kernel);
    if (OptIn && Sum <= OptInLimit)
      return;
    bool Mixed = OptIn ? Dynamic <= OptInLimit : Dynamic <= DefaultLimit;
    llvm::StringRef Tag = Mixed ? "static_dynamic_mix" : "over_48k_without_attribute";
    if (!once(S.Call, Tag))
      return;
    std::string Name = S.Kernel->getNameAsString();
    std::string What = Mixed ? std::to_string(U.StaticBytes) + " bytes of static and " + std::to_string(Dynamic) +
                                   " of dynamic shared memory are " + std::to_string(Sum) + " together"
                             : "the launch asks for " + std::to_string(Dynamic) + " bytes of dynamic shared memory";
    Ctx.report(Tag, S.Call->getBeginLoc(),
               What + (OptIn ? ", over the 232448 that any architecture gives to a block"
                             : ", over 49152, and nothing in this file raises the limit of " + Name +
                                   " (cudaFuncAttributeMaxDynamicSharedMemorySize)"))
        .kernel(S.Kernel)
        .evidence("static_bytes", U.StaticBytes)
        .evidence("dynamic_bytes", Dynamic);
  }

  /// Launches that no sample reached, sizes being what they are: their constants speak for themselves.
  void checkUntried(RuleContext &Ctx, LaunchModel &M) {
    struct Launches : RecursiveASTVisitor<Launches> {
      std::vector<const CUDAKernelCallExpr *> Found;
      bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) {
        Found.push_back(C);
        return true;
      }
    };
    llvm::DenseSet<const CallExpr *> Met;
    for (const PlanSample &P : M.plans())
      for (const eval::Step &S : P.Host->Steps)
        Met.insert(S.Call);
    for (const FunctionDecl *F : M.launchers()) {
      Launches V;
      V.TraverseStmt(F->getBody());
      for (const CUDAKernelCallExpr *C : V.Found) {
        LaunchSyntax L = launchSyntax(C);
        Expr::EvalResult R;
        if (Met.count(C) || !L.Kernel || !L.Shared || L.Shared->isValueDependent() || L.Shared->containsErrors() ||
            !L.Shared->EvaluateAsInt(R, Ctx.TU.AST))
          continue;
        eval::Step S;
        S.K = eval::Step::Launch;
        S.Call = C;
        S.Kernel = L.Kernel;
        S.SharedBytes = R.Val.getInt().getExtValue();
        checkLimits(Ctx, M, S);
      }
    }
  }

  void checkExtents(RuleContext &Ctx, LaunchModel &M) {
    llvm::MapVector<const CallExpr *, std::vector<Tried>> ByCall;
    for (const PlanSample &P : M.plans())
      for (const LaunchSample &L : P.Launches)
        if (L.Run && L.Step) {
          const SharedUse &U = use(Ctx, L.Run->Kernel);
          if (!U.Static.empty() || !U.Dynamic.empty())
            ByCall[L.Step->Call].push_back({&P, &L, extentsOf(*L.Run, Ctx.TU.AST)});
        }
    for (auto &[Call, Samples] : ByCall) {
      llvm::SmallVector<const ValueDecl *> Decls;
      for (const Tried &T : Samples)
        for (auto &[D, X] : T.Uses)
          if (!llvm::is_contained(Decls, D))
            Decls.push_back(D);
      for (const ValueDecl *D : Decls) {
        checkObject(Ctx, M, Call, Samples, D);
        checkCarve(Ctx, Samples, D);
      }
    }
    // Launches whose kernel could not be run: the text decides whether it needs dynamic shared memory.
    for (const PlanSample &P : M.plans())
      for (const LaunchSample &L : P.Launches)
        if (!L.Run && L.Step && L.Step->Kernel && saysNone(L.Step->SharedExpr) && !use(Ctx, L.Step->Kernel).Dynamic.empty() && once(L.Step->Call, "dynamic_shared_missing"))
          Ctx.report("dynamic_shared_missing", L.Step->Call->getBeginLoc(),
                     "the launch gives no dynamic shared memory, but " + L.Step->Kernel->getNameAsString() + " names '" +
                         use(Ctx, L.Step->Kernel).Dynamic.front()->getName() + "'; right only if it is never used")
              .kernel(L.Step->Kernel)
              .doubt();
  }

  /// The launch leaves the bytes out, or says 0 in so many words.
  static bool saysNone(const Expr *Shared) {
    const auto *I = Shared ? dyn_cast<IntegerLiteral>(Shared->IgnoreParenImpCasts()) : nullptr;
    return !Shared || (I && I->getValue() == 0);
  }

  void checkObject(RuleContext &Ctx, LaunchModel &M, const CallExpr *Call, llvm::ArrayRef<Tried> Samples, const ValueDecl *D) {
    const Tried *Bad = nullptr;
    bool Dynamic = isDynamicShared(cast<VarDecl>(D));
    for (const Tried &T : Samples)
      if (auto It = T.Uses.find(D); It != T.Uses.end() && !Bad)
        if (It->second.Outside || (Dynamic && T.Launch->Run->SharedBytes == 0 && It->second.Sure))
          Bad = &T;
    if (!Bad)
      return;
    const eval::KernelRun &R = *Bad->Launch->Run;
    Blame B = blame(Ctx, M, Call, Samples, D);
    if (B == Blame::Nobody)
      return;
    bool Doubt = B == Blame::Contract || !R.Imprecise.empty() || !Bad->Launch->Step->Sure;
    std::string At = Bad->Plan->Host->Sizes.empty() ? "" : " at " + sizesOf(*Bad->Plan->Host);
    std::string Kernel = R.Kernel->getNameAsString();
    const Extent &X = Bad->Uses.find(D)->second;
    if (Dynamic && R.SharedBytes == 0 && !R.SharedTaint.Params) {
      if (once(Call, "dynamic_shared_missing"))
        finish(Ctx.report("dynamic_shared_missing", Call->getBeginLoc(),
                          Kernel + " uses the dynamic shared array '" + D->getNameAsString() +
                              "', but this launch gives 0 bytes" + (X.End ? "; " + std::to_string(X.End) + " are used" + At : "")),
               R, X.Outside, D, Doubt);
      return;
    }
    if (!X.Outside)
      return;
    const Witness &W = *X.Outside;
    std::string Who = "thread " + place(threadAt(R, W.Lane)) + " of block " + place(W.Block->Index);
    if (Dynamic) {
      if (once(Call, "dynamic_shared_too_small"))
        finish(Ctx.report("dynamic_shared_too_small", Call->getBeginLoc(),
                          "the launch gives " + std::to_string(W.Size) + " bytes of dynamic shared memory, but " + Kernel +
                              " uses " + std::to_string(X.End) + At + ": " + Who + " touches byte " + std::to_string(W.Offset) + " of '" +
                              D->getNameAsString() + "'"),
               R, X.Outside, D, Doubt);
      return;
    }
    // Bytes on the launch that nothing in the kernel takes: the array was meant to be the dynamic one.
    bool Mixed = R.SharedBytes > 0 && use(Ctx, R.Kernel).Dynamic.empty();
    llvm::StringRef Tag = Mixed ? "static_dynamic_mix" : "shared_index_out_of_range";
    const Expr *E = W.A->E;
    if (!once(D, Tag) || !Ctx.TU.inMainFile(E->getBeginLoc()))
      return;
    finish(Ctx.report(Tag, E->getBeginLoc(),
                      Who + (W.ByData ? " touches, if the data says so, byte " : " touches byte ") + std::to_string(W.Offset) + " of '" + D->getNameAsString() + "', which has " +
                          std::to_string(W.Size) + " bytes" + At +
                          (Mixed ? "; the " + std::to_string(R.SharedBytes) + " dynamic bytes of the launch are used by nothing" : "")),
           R, X.Outside, D, Doubt);
  }

  void finish(FindingBuilder &&F, const eval::KernelRun &R, const std::optional<Witness> &W, const ValueDecl *D, bool Doubt) {
    F.kernel(R.Kernel).note(D->getLocation(), "'" + D->getName() + "' is declared here");
    if (W)
      F.evidence("block", place(W->Block->Index))
          .evidence("thread", place(threadAt(R, W->Lane)))
          .evidence("byte", W->Offset)
          .evidence("size", W->Size);
    if (Doubt || Broken || (W && W->ByData))
      F.doubt();
  }

  /// Are the sizes that fail ones that the launcher accepts? Always failing is the code's fault, and so is
  /// failing at sizes that the bytes follow or the launcher guards; else a caller may promise not to use them.
  Blame blame(RuleContext &Ctx, LaunchModel &M, const CallExpr *Call, llvm::ArrayRef<Tried> Samples, const ValueDecl *D) {
    auto IsBad = [&](const Tried &T) {
      auto It = T.Uses.find(D);
      if (It == T.Uses.end())
        return false;
      return It->second.Outside.has_value() ||
             (isDynamicShared(cast<VarDecl>(D)) && T.Launch->Run->SharedBytes == 0 && It->second.Sure);
    };
    const eval::KernelRun &R = *Samples.front().Launch->Run;
    uint64_t Used = 0;
    for (const eval::Value &V : R.Args)
      Used |= V.T.Params;
    for (const eval::Taint &T : R.BlockTaint)
      Used |= T.Params;
    if (isDynamicShared(cast<VarDecl>(D)) && (R.SharedTaint.Params & ~Used))
      return Blame::Nobody; // the caller passes the bytes
    if (llvm::all_of(Samples, IsBad))
      return Blame::Code;
    auto End = [&](const Tried &T) {
      auto It = T.Uses.find(D);
      return It == T.Uses.end() ? 0 : It->second.End;
    };
    if (failsAlike(Samples, IsBad, End))
      return Blame::Code;
    unsigned Sizes = unsigned(Samples.front().Plan->Host->Sizes.size());
    uint64_t Culprits = 0;
    for (const Tried &A : Samples)
      for (const Tried &B : Samples) {
        if (End(A) == End(B) || A.Plan->Host->Sizes.size() != Sizes || B.Plan->Host->Sizes.size() != Sizes)
          continue;
        unsigned Differ = 0, Which = 0;
        for (unsigned I = 0; I < Sizes; ++I)
          if (A.Plan->Host->Sizes[I].Value != B.Plan->Host->Sizes[I].Value) {
            ++Differ;
            Which = I;
          }
        if (Differ == 1)
          Culprits |= 1ull << Which;
      }
    bool Free = Culprits == 0;
    for (unsigned I = 0; I < Sizes; ++I)
      if (Culprits >> I & 1 && !(R.SharedTaint.Params >> I & 1) && !guarded(M, Call, Samples, IsBad, I))
        Free = true;
    if (!Free)
      return Blame::Code;
    return statesContract(Ctx) ? Blame::Nobody : Blame::Contract;
  }

  /// Every sample of more than a few elements fails, and reaches equally far: the data's size is not the reason. Nor is
  /// it where a grid that grows with the data fails as soon as it has a second block, or a block as soon as all of its threads
  /// have an element.
  template <class Bad, class Reach> static bool failsAlike(llvm::ArrayRef<Tried> Samples, Bad IsBad, Reach End) {
    auto Few = [](const Tried &T) { return llvm::any_of(T.Plan->Host->Sizes, [](const eval::Size &S) { return S.Value < 32; }); };
    auto OneBlock = [](const Tried &T) {
      const eval::KernelRun &R = *T.Launch->Run;
      return R.blocks() == 1;
    };
    auto IdleThreads = [](const Tried &T) { // of the one block that there is at least
      return llvm::any_of(T.Plan->Host->Sizes, [&](const eval::Size &S) { return S.Value < int64_t(T.Launch->Run->threads()); });
    };
    // `packets <= 1024 ? 256 : 512` threads: the launcher itself chooses the block that fails.
    std::map<unsigned, unsigned> Blocks;
    for (const Tried &T : Samples)
      ++Blocks[T.Launch->Run->threads()];
    unsigned Largest = Blocks.empty() ? 0 : Blocks.rbegin()->first;
    auto SmallerBlock = [&](const Tried &T) { return T.Launch->Run->threads() < Largest; };
    bool Chosen = (Blocks.size() == 2 || Blocks.size() == 3) && llvm::all_of(Blocks, [](auto &B) { return B.second > 1; });
    return allAlike(Samples, IsBad, End, Few) || allAlike(Samples, IsBad, End, OneBlock) || allAlike(Samples, IsBad, End, IdleThreads) ||
           (Chosen && allAlike(Samples, IsBad, End, SmallerBlock));
  }

  template <class Bad, class Reach, class Skip> static bool allAlike(llvm::ArrayRef<Tried> Samples, Bad IsBad, Reach End, Skip Left) {
    std::optional<int64_t> Same;
    unsigned Count = 0;
    for (const Tried &T : Samples) {
      if (Left(T))
        continue;
      if (!IsBad(T) || Same.value_or(End(T)) != End(T))
        return false;
      Same = End(T);
      ++Count;
    }
    return Count >= 2;
  }

  /// The launcher turns away larger values of size I than one that fails.
  template <class Fn>
  bool guarded(LaunchModel &M, const CallExpr *Call, llvm::ArrayRef<Tried> Samples, Fn IsBad, unsigned I) {
    for (const Tried &T : Samples) {
      if (!IsBad(T))
        continue;
      for (const PlanSample &P : M.plans()) {
        if (P.Host->Launcher != T.Plan->Host->Launcher || I >= P.Host->Sizes.size() ||
            P.Host->Sizes[I].Value <= T.Plan->Host->Sizes[I].Value)
          continue;
        if (llvm::none_of(P.Host->Steps, [&](const eval::Step &S) { return S.Call == Call; }))
          return true;
      }
    }
    return false;
  }

  /// A comment of the file promises something about sizes.
  bool statesContract(RuleContext &Ctx) {
    llvm::StringRef Text = Ctx.TU.sources().getBufferData(Ctx.TU.sources().getMainFileID());
    while (!Text.empty()) {
      llvm::StringRef Line;
      std::tie(Line, Text) = Text.split('\n');
      size_t At = std::min(Line.find("//"), Line.find("/*"));
      if (At == llvm::StringRef::npos) {
        if (!Line.ltrim().starts_with("*"))
          continue;
        At = 0;
      }
      llvm::StringRef Comment = Line.drop_front(At);
      for (llvm::StringRef Word : {"<=", "at most", "up to", "multiple of", "multiples of", "divisible", "power of", "must be", "assume", "< "})
        if (Comment.contains_insensitive(Word))
          return true;
    }
    return false;
  }

  void checkCarve(RuleContext &Ctx, llvm::ArrayRef<Tried> Samples, const ValueDecl *D) {
    const Tried *Bad = nullptr;
    unsigned Count = 0;
    for (const Tried &T : Samples)
      if (auto It = T.Uses.find(D); It != T.Uses.end() && It->second.Crooked) {
        ++Count;
        if (!Bad)
          Bad = &T;
      }
    if (!Bad || (Count < Samples.size() && promisesMultiples(Ctx)))
      return;
    const eval::KernelRun &R = *Bad->Launch->Run;
    const Witness &W = *Bad->Uses.find(D)->second.Crooked;
    if (!W.A->E || !Ctx.TU.inMainFile(W.A->E->getBeginLoc()) || !once(D, "shared_misaligned_carve"))
      return;
    std::string At = Bad->Plan->Host->Sizes.empty() ? "" : " at " + sizesOf(*Bad->Plan->Host);
    finish(Ctx.report("shared_misaligned_carve", carveOf(W.A->E),
                      "'" + W.A->Type.getAsString() + "' is read or written " + std::to_string(W.Offset) + " bytes into '" +
                          D->getNameAsString() + "'" + At + ", which is not a multiple of its alignment"),
           R, W, D, !R.Imprecise.empty());
  }

  bool promisesMultiples(RuleContext &Ctx) {
    llvm::StringRef Text = Ctx.TU.sources().getBufferData(Ctx.TU.sources().getMainFileID());
    for (llvm::StringRef Word : {"multiple of", "multiples of", "divisible", "aligned to", "is even", "power of"})
      if (Text.contains_insensitive(Word))
        return true;
    return false;
  }

  /// Kernels that the file does not launch: only what thread 0 does in every launch.
  void checkAssumed(RuleContext &Ctx, LaunchModel &M) {
    for (const LaunchSample &L : M.assumed()) {
      const eval::KernelRun &R = *L.Run;
      if (use(Ctx, R.Kernel).Static.empty())
        continue;
      for (const eval::BlockRun &B : R.Blocks)
        for (const eval::Access &A : B.Accesses) {
          if (!A.Obj || A.Obj->Where != Space::Shared || !A.Obj->Bytes || !A.Who.Sure.test(0) || A.OffsetTaint.Assumed || !A.E)
            continue;
          int64_t Offset = A.Offset.at(0);
          if (Offset == eval::Unk || (Offset >= 0 && Offset + int64_t(A.Bytes) <= *A.Obj->Bytes))
            continue;
          const ValueDecl *D = A.Obj->Decl;
          if (!Ctx.TU.inMainFile(A.E->getBeginLoc()) || !once(D, "shared_index_out_of_range"))
            continue;
          Witness W{&A, &B, 0, Offset, *A.Obj->Bytes};
          finish(Ctx.report("shared_index_out_of_range", A.E->getBeginLoc(),
                            "thread (0,0,0) touches byte " + std::to_string(Offset) + " of '" + D->getNameAsString() +
                                "', which has " + std::to_string(*A.Obj->Bytes) + " bytes"),
                 R, W, D, true);
        }
    }
  }

  void checkAliases(RuleContext &Ctx, LaunchModel &M) {
    llvm::DenseSet<const FunctionDecl *> Done;
    for (const LaunchSample *L : M.runs()) {
      const FunctionDecl *K = L->Run->Kernel;
      if (use(Ctx, K).Dynamic.size() < 2 || Done.count(K))
        continue;
      auto C = findClash(*L->Run, Ctx.TU.AST);
      if (!C)
        continue;
      Done.insert(K);
      if (!Ctx.TU.inMainFile(C->Overwriting->getLocation()) || !once(C->Overwriting, "extern_arrays_alias"))
        continue;
      auto F = Ctx.report("extern_arrays_alias", C->Overwriting->getLocation(),
                          "'" + C->Overwriting->getName() + "' starts at the same byte as '" + C->Kept->getName() +
                              "': all extern shared arrays of a kernel are one; its elements overwrite values that are read again");
      F.kernel(K)
          .note(C->Kept->getLocation(), "'" + C->Kept->getName() + "' is declared here")
          .note(C->Write->E->getBeginLoc(), "written here")
          .note(C->Read->E->getBeginLoc(), "the overwritten value is read here");
      if (!C->Sure)
        F.doubt();
    }
  }

  /// Parts of the memory that a kernel carves by pointers.
  void checkCarves(RuleContext &Ctx, LaunchModel &M) {
    for (const LaunchSample *L : M.runs()) {
      const FunctionDecl *K = L->Run->Kernel;
      if (!L->Step || use(Ctx, K).Dynamic.empty() || Said.count({K, "carves"}))
        continue;
      auto X = findLostValue(*L->Run, Ctx.get<VariableWrites>());
      if (!X)
        continue;
      const VarDecl *First = X->Kept, *Later = X->Overwriting;
      if (Ctx.TU.sources().isBeforeInTranslationUnit(Later->getLocation(), First->getLocation()))
        std::swap(First, Later);
      if (!Ctx.TU.inMainFile(Later->getLocation()) || !once(K, "carves") || !once(Later, "extern_arrays_alias"))
        continue;
      auto F = Ctx.report("extern_arrays_alias", Later->getLocation(),
                          llvm::formatv("'{0}' lies over a part of '{1}': what is stored in '{2}' at byte {3}{4} is overwritten through '{5}' before anybody reads it, "
                                        "and thread {6} takes it for the value of '{2}'",
                                        Later->getName(), First->getName(), X->Kept->getName(), X->Offset, sizesText(L->Host), X->Overwriting->getName(), X->Thread).str());
      F.kernel(K)
          .note(X->Stored->E->getBeginLoc(), "stored here")
          .note(X->Over->E->getBeginLoc(), "overwritten here")
          .note(X->Read->E->getBeginLoc(), "read here");
      if (!isPlanned(*L))
        F.doubt();
    }
  }

  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<SharedUse>> Uses;
  std::unique_ptr<SharedOptIns> Raised;
  llvm::DenseSet<std::pair<const void *, const char *>> Said;
  bool Reported = false;
  bool Broken = false; ///< the file did not parse as a whole: sizes may rest on what is missing
};

KCHECK_RULE(SharedBoundsRule, "kcheck-shared-bounds", "6", "shared memory sizes and indices", Tags);

} // namespace

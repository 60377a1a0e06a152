#include "matchers/Footprint.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/ElementType.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include <algorithm>
#include <map>
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

int64_t Contract::elements(const HostRun &H) const {
  int64_t P = Multiply;
  for (unsigned I = 0; I < H.Sizes.size() && I < 64; ++I)
    for (uint64_t Factors : {Sizes, Twice})
      if (Factors >> I & 1)
        P *= H.Sizes[I].Value;
  return (P + Divide - 1) / Divide;
}

bool Reach::exact() const {
  if (Whole || !LastBlock)
    return Whole;
  const Dim3 &G = Launch->Run->Grid;
  return LastBlock->Index[0] + 1 == G[0] && LastBlock->Index[1] + 1 == G[1] && LastBlock->Index[2] + 1 == G[2];
}

namespace {

/// Bytes that were written, as runs.
class ByteSet {
public:
  void add(int64_t Begin, int64_t End) { Runs.push_back({Begin, End}); }
  int64_t count() {
    std::sort(Runs.begin(), Runs.end());
    int64_t Total = 0, At = INT64_MIN;
    for (auto &[B, E] : Runs) {
      int64_t From = std::max(B, At);
      if (E > From)
        Total += E - From;
      At = std::max(At, E);
    }
    return Total;
  }

private:
  std::vector<std::pair<int64_t, int64_t>> Runs;
};

/// Is the last block the one that reaches furthest? A loop over the grid, or a grid with blocks to spare, may
/// leave the last elements to a block that was not run.
bool lastBlockReachesFurthest(const KernelRun &R) {
  const BlockRun *Last = nullptr;
  for (const BlockRun &B : R.Blocks) {
    if (!B.Counting.empty())
      return false;
    for (const Access &A : B.Accesses)
      if (A.LoopDepth)
        return false;
    if (B.Index[0] + 1 == R.Grid[0] && B.Index[1] + 1 == R.Grid[1] && B.Index[2] + 1 == R.Grid[2])
      Last = &B;
  }
  return Last && !Last->Accesses.empty();
}

/// Does the last block reach the end that the blocks which ran have of this buffer? In `t * gridDim.x + blockIdx.x` one that
/// was left out may reach further.
bool reachesEnd(const KernelRun &R, const Object *O, int64_t End) {
  return llvm::any_of(R.Blocks, [&](const BlockRun &B) {
    return B.Index[0] + 1 == R.Grid[0] && B.Index[1] + 1 == R.Grid[1] && B.Index[2] + 1 == R.Grid[2] && llvm::any_of(B.Accesses, [&](const Access &A) {
             bool Reaches = false;
             if (A.Obj == O)
               forEachLane(A.Who.May, R.threads(), [&](unsigned T) { Reaches |= A.Offset.at(T) != Unk && A.Offset.at(T) + int64_t(A.Bytes) >= End; });
             return Reaches;
           });
  });
}

/// `slot[t] < 0`: what a condition is made of, through variables of one value.
struct Sources : ConstDynamicRecursiveASTVisitor {
  explicit Sources(const VariableWrites &Writes) : Writes(Writes) {}
  bool Data = false;  ///< something is read from memory
  bool Other = false; ///< the thread's own index beside it, or what is not known here

  bool TraverseArraySubscriptExpr(const ArraySubscriptExpr *) override { return Data = true; }
  bool TraverseUnaryOperator(const UnaryOperator *U) override {
    return U->getOpcode() == UO_Deref ? Data = true : ConstDynamicRecursiveASTVisitor::TraverseUnaryOperator(U);
  }
  bool TraverseCallExpr(const CallExpr *C) override {
    bool Load = calleeName(C).starts_with("__ld");
    (Load ? Data : Other) = true;
    return Load;
  }
  bool VisitExpr(const Expr *E) override { return !(Other |= builtinUse(E).has_value()); }
  bool VisitDeclRefExpr(const DeclRefExpr *D) override {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    const auto *Of = V ? dyn_cast<FunctionDecl>(V->getDeclContext()) : nullptr;
    if (!Of || (isa<ParmVarDecl>(V) && isKernel(Of))) // the same for every thread
      return true;
    const Expr *Only = ++Followed <= 16 ? Writes.onlyValue(V) : nullptr;
    Other |= !Only;
    return Only && TraverseStmt(Only);
  }

private:
  const VariableWrites &Writes;
  unsigned Followed = 0;
};

/// `if (slot[t] < 0) return;`: a test of what memory says, and of nothing that the thread's index enters beside it. Some data
/// lets any thread pass, the last one too.
class DataTests {
public:
  /// Does nothing else keep threads from this access?
  bool alone(const KernelRun &R, const BlockRun &B, const Access &A) {
    auto Other = [&](const Control &C) { return C.Unknown && !(C.Cond && isOfData(C.Cond, R.Kernel->getASTContext())); };
    return A.LoopDepth == 0 && llvm::none_of(B.Branches, Other) && llvm::none_of(A.Path, Other);
  }

private:
  bool isOfData(const Expr *Cond, ASTContext &AST) {
    auto [It, New] = Known.try_emplace(Cond, false);
    if (New) {
      if (!Writes) // collected once some test asks
        Writes.emplace(AST);
      Sources S(*Writes);
      S.TraverseStmt(Cond);
      It->second = S.Data && !S.Other;
    }
    return It->second;
  }
  std::optional<VariableWrites> Writes;
  llvm::DenseMap<const Expr *, bool> Known;
};

/// How many bytes a buffer had when it was given to a launch.
std::optional<int64_t> bytesAt(const Step &Launch, const Object *O) {
  for (size_t I = 0; I < Launch.Args.size(); ++I)
    if (Launch.Args[I].K == Value::Pointer && Launch.Args[I].Obj == O)
      return Launch.ArgBytes[I];
  return O->Bytes;
}

} // namespace

Footprints::Footprints(LaunchModel &M) {
  DataTests Tests;
  // A struct's pointers are several buffers of one parameter.
  std::map<std::tuple<const CallExpr *, const ValueDecl *, std::string>, size_t> Index;
  auto Counts = [](const Object *O) { return O && O->Where == Space::Global && !O->AllocatedAt && (O->Decl || O->Bytes) && (!O->Bytes || !O->Element.isNull()); };
  auto Entry = [&](const LaunchSample &L, const FunctionDecl *Kernel, const Object &O) -> Footprint & {
    const ValueDecl *Buffer = O.Decl;
    StringRef Name = O.Name;
    auto [It, New] = Index.try_emplace({L.Step->Call, Buffer, Name.str()}, Found.size());
    if (New) {
      Footprint F;
      F.Launch = L.Step->Call;
      F.Kernel = Kernel;
      F.Buffer = Buffer;
      F.Name = Name.str();
      F.Element = 0;
      // the buffer's own elements, however wide the accesses are
      if (QualType T = elementOf(O); !T.isNull())
        F.Element = unsigned(Kernel->getASTContext().getTypeSizeInChars(T).getQuantity());
      F.Typed = F.Element != 0;
      Found.push_back(F);
    }
    return Found[It->second];
  };
  for (const PlanSample &P : M.plans())
    for (const LaunchSample &L : P.Launches) {
      if (!L.Step || !L.Step->Sure)
        continue;
      if (!L.Run) { // no block at all: nothing is touched
        bool Empty = false;
        for (auto &G : L.Step->Grid)
          Empty |= G && *G == 0;
        if (Empty && L.Step->Kernel)
          for (const Value &A : L.Step->Args)
            if (A.K == Value::Pointer && Counts(A.Obj)) {
              Reach R;
              R.Launch = &L;
              R.Empty = R.Whole = true;
              R.Bytes = bytesAt(*L.Step, A.Obj);
              Entry(L, L.Step->Kernel, *A.Obj).Samples.push_back(R);
            }
        continue;
      }
      const KernelRun &R = *L.Run;
      if (R.OutOfFuel)
        continue;
      bool AllBlocks = int64_t(R.Blocks.size()) == R.blocks();
      bool Monotone = AllBlocks || lastBlockReachesFurthest(R);
      std::map<const Object *, Reach> Per;
      std::map<const Object *, ByteSet> Bytes;
      std::set<const Object *> Vague;
      bool Unplaced = false; ///< an access that is not known to be elsewhere
      for (const BlockRun &B : R.Blocks)
        for (const Access &A : B.Accesses) {
          Unplaced |= !A.Obj;
          if (!Counts(A.Obj) || A.Bytes == 0)
            continue;
          Footprint &F = Entry(L, R.Kernel, *A.Obj);
          if (!F.Typed && (F.Element == 0 || A.Bytes < F.Element))
            F.Element = A.Bytes;
          F.Written |= A.Kind != AccessKind::Read;
          auto [It, New] = Per.try_emplace(A.Obj);
          Reach &X = It->second;
          if (New) {
            X.Launch = &L;
            X.Bytes = bytesAt(*L.Step, A.Obj);
            X.Whole = Monotone;
            X.Begin = INT64_MAX;
            X.End = INT64_MIN;
          }
          bool Doubtful = (A.Who.May - A.Who.Sure).any();
          if (Doubtful || A.Offset.unknown())
            Vague.insert(A.Obj);
          forEachLane(Doubtful && Tests.alone(R, B, A) ? A.Who.May : A.Who.Sure, R.threads(), [&](unsigned T) {
            int64_t At = A.Offset.at(T);
            if (At == Unk) {
              Vague.insert(A.Obj);
              return;
            }
            if (At < X.Begin) {
              X.Begin = At;
              X.First = &A;
              X.FirstThread = T;
              X.FirstBlock = &B;
            }
            if (At + int64_t(A.Bytes) > X.End) {
              X.End = At + A.Bytes;
              X.Last = &A;
              X.LastThread = T;
              X.LastBlock = &B;
            }
            if (AllBlocks && A.Kind != AccessKind::Read)
              Bytes[A.Obj].add(At, At + A.Bytes);
          });
        }
      for (auto &[O, X] : Per) {
        if (X.Begin == INT64_MAX)
          continue;
        if (Vague.count(O) || Unplaced || (!AllBlocks && !reachesEnd(R, O, X.End)))
          X.Whole = false;
        if (AllBlocks && llvm::none_of(R.Blocks, [](const BlockRun &B) { return B.Skipped; }))
          X.Distinct = Bytes[O].count();
        Entry(L, R.Kernel, *O).Samples.push_back(X);
      }
      // buffers that no thread touched at this size
      for (const Value &A : L.Step->Args)
        if (A.K == Value::Pointer && Counts(A.Obj) && !Per.count(A.Obj) && AllBlocks &&
            Index.count({L.Step->Call, A.Obj->Decl, A.Obj->Name})) {
          Reach X;
          X.Launch = &L;
          X.Bytes = bytesAt(*L.Step, A.Obj);
          X.Whole = R.Imprecise.empty() && !Unplaced;
          for (const BlockRun &B : R.Blocks)
            if (!B.Escapes.empty())
              X.Whole = false;
          Entry(L, R.Kernel, *A.Obj).Samples.push_back(X);
        }
    }
}

/// A contract that reaches too far somewhere must hold wherever the sizes fit the block; a plain one (a
/// product of sizes) may also fall short of it at large sizes; one with factors must hold nearly everywhere.
static bool credible(const Contract &C, const Footprint &F) {
  unsigned Aligned = 0, AlignedAgree = 0, Total = 0, Against = 0;
  bool Over = false;
  for (const Reach &S : F.Samples) {
    int64_t Want = C.elements(*S.Launch->Host) * int64_t(F.Element);
    if (!S.exact() && S.End <= Want) // blocks that were not run may reach further
      continue;
    ++Total;
    Over |= S.End > Want;
    Against += S.End != Want;
    if (S.Launch->Plan->Aligned) {
      ++Aligned;
      AlignedAgree += S.End == Want;
    }
  }
  bool Plain = C.Multiply == 1 && C.Divide == 1;
  if (Aligned >= 2 && AlignedAgree == Aligned)
    return Plain || C.Agree * 2 >= Total;
  if (Plain && !Against)
    return true;
  return Plain && !Over && C.Agree >= 3 && C.Agree * 5 >= Total * 2;
}

namespace {

/// The contracts of one form that explain the most samples.
class ContractSearch {
public:
  ContractSearch(const Footprint &F, unsigned Sizes) : F(F), K(Sizes) {}

  /// Squares: one of the sizes counts twice.
  std::vector<Contract> find(bool Squares) {
    Best.clear();
    const uint64_t NoFactor = others(3), NoSquare = others(1);
    for (const Reach &Seed : F.Samples) {
      if (Seed.End <= 0 || Seed.End % F.Element)
        continue;
      for (uint64_t Set = 1; Set < (1ull << K); ++Set) {
        if (Set & NoFactor)
          continue;
        if (!Squares)
          consider(Seed, Set, 0);
        else
          for (unsigned I = 0; I < K; ++I)
            if (Set >> I & 1 && !(NoSquare >> I & 1))
              consider(Seed, Set, 1ull << I);
      }
    }
    return Best;
  }

private:
  /// `w.size(1)` says little of x, and least of all twice, where x has sizes that the launcher asks for: nothing where these are
  /// three or more.
  uint64_t others(unsigned OwnSizes) const {
    const std::vector<Size> &Sizes = F.Samples.front().Launch->Host->Sizes;
    uint64_t Foreign = 0;
    unsigned Own = 0;
    for (unsigned I = 0; I < Sizes.size() && I < 64; ++I) {
      auto [Tensor, Member] = StringRef(Sizes[I].Name).rsplit('.');
      Own += !Member.empty() && Tensor == F.Name;
      Foreign |= uint64_t(!Member.empty() && Tensor != F.Name) << I;
    }
    return Own >= OwnSizes ? Foreign : 0;
  }

  void consider(const Reach &Seed, uint64_t Set, uint64_t Twice) {
    Contract C;
    C.Sizes = Set;
    C.Twice = Twice;
    int64_t Elements = Seed.End / F.Element, Product = C.elements(*Seed.Launch->Host);
    if (Product <= 0)
      return;
    if (Elements % Product == 0)
      C.Multiply = Elements / Product;
    else if (Product % Elements == 0)
      C.Divide = Product / Elements;
    else
      return;
    if (C.Multiply > 64 || C.Divide > 4096 || (Twice && C.Multiply > 1)) // 16 * n * n fits too many things
      return;
    std::set<int64_t> Different;
    for (const Reach &S : F.Samples)
      if (S.exact() && C.elements(*S.Launch->Host) * int64_t(F.Element) == S.End) {
        ++C.Agree;
        Different.insert(S.End);
      }
    if (C.Agree < 2 || Different.size() < 2 || !credible(C, F))
      return;
    if (Best.empty() || C.Agree > Best.front().Agree)
      Best.clear();
    auto Same = [&](const Contract &B) { return B.Sizes == C.Sizes && B.Twice == C.Twice && B.Multiply == C.Multiply && B.Divide == C.Divide; };
    if (Best.empty() || (C.Agree == Best.front().Agree && llvm::none_of(Best, Same)))
      Best.push_back(C);
  }

  const Footprint &F;
  unsigned K;
  std::vector<Contract> Best;
};

} // namespace

/// A product of sizes that each exact sample touches to the last element, sometimes past the buffer's length: made with another product.
static bool hasOtherLength(const Footprint &F) {
  unsigned Exact = 0;
  bool Over = false;
  for (const Reach &S : F.Samples) {
    Exact += S.exact() && !S.Empty;
    Over |= S.exact() && S.End > *S.Bytes;
  }
  if (!Over || Exact < 4)
    return false;
  ContractSearch Search(F, unsigned(std::min<size_t>(F.Samples.front().Launch->Host->Sizes.size(), 6)));
  std::vector<Contract> Best = Search.find(false);
  return !Best.empty() && Best.front().Multiply == 1 && Best.front().Divide == 1 && Best.front().Agree == Exact;
}

std::optional<Contract> Footprints::contract(const Footprint &F) {
  if (F.Samples.size() < 2 || F.Element == 0)
    return std::nullopt;
  if (F.made()) { // nothing to guess, once some launch has used just that much, all at even sizes more, or all less
    Contract C;
    C.Text = F.Name + ".numel()";
    unsigned Even = 0, Over = 0, Short = 0;
    for (const Reach &S : F.Samples) {
      C.Agree += S.exact() && S.End == *S.Bytes;
      Even += S.Launch->Plan->Aligned;
      Over += S.Launch->Plan->Aligned && S.End > *S.Bytes;
      Short += S.End < *S.Bytes;
    }
    return C.Agree || (Even > 1 && Over == Even) || (F.Written && (Short == F.Samples.size() || hasOtherLength(F))) ? std::optional(C) : std::nullopt;
  }
  const HostRun &H = *F.Samples.front().Launch->Host;
  unsigned K = unsigned(std::min<size_t>(H.Sizes.size(), 6));
  ContractSearch Search(F, K);
  std::vector<Contract> Best = Search.find(false);
  if (Best.empty())
    Best = Search.find(true);
  // Sizes that the launcher makes equal are one size.
  auto Same = [&](const Contract &C) {
    return llvm::all_of(F.Samples, [&](const Reach &S) { return C.elements(*S.Launch->Host) == Best.front().elements(*S.Launch->Host); });
  };
  if (Best.empty() || !llvm::all_of(Best, Same))
    return std::nullopt;
  Contract C = Best.front();
  for (unsigned I = 0; I < K; ++I)
    for (uint64_t Factors : {C.Sizes, C.Twice})
      if (Factors >> I & 1)
        C.Text += (C.Text.empty() ? "" : " * ") + H.Sizes[I].Name;
  if (C.Multiply > 1)
    C.Text = std::to_string(C.Multiply) + " * " + C.Text;
  if (C.Divide > 1)
    C.Text = "ceil(" + C.Text + " / " + std::to_string(C.Divide) + ")";
  return C;
}

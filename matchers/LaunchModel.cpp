#include "matchers/LaunchModel.h"
#include "matchers/PlanBudget.h"
#include "matchers/ShownBlock.h"
#include "matchers/StatedSizes.h"
#include "matchers/StepLimit.h"
#include "matchers/VariableWrites.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"
#include "matchers/eval/Machine.h"
#include <numeric>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {
/// Functions with bodies, instantiations included.
class Functions : public DynamicRecursiveASTVisitor {
public:
  std::vector<const FunctionDecl *> Found;
  Functions() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->isThisDeclarationADefinition() && F->hasBody())
      Found.push_back(F);
    return true;
  }
};

/// The launches in a function, and the kernels that they name.
class LaunchesIn : public DynamicRecursiveASTVisitor {
public:
  bool Found = false;
  std::vector<const FunctionDecl *> Kernels;
  std::vector<const CallExpr *> Calls; ///< of other functions, by name
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *) override { return Found = true; }
  bool VisitCallExpr(CallExpr *C) override {
    if (!isa<CUDAKernelCallExpr>(C) && C->getDirectCallee())
      Calls.push_back(C);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) override {
    if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl())) {
      if (isKernel(F))
        Kernels.push_back(F);
      else if (F->getIdentifier() && F->getName().starts_with("cudaLaunch"))
        Found = true;
    }
    return true;
  }
};

/// The axes of the index variables that a kernel names, itself or in what it calls.
class AxesUsed : public DynamicRecursiveASTVisitor {
public:
  unsigned Axes = 1;
  bool OneBlock = true; ///< nothing tells blocks apart, nor asks how large they are
  llvm::DenseSet<const FunctionDecl *> Seen;
  bool VisitExpr(Expr *E) override {
    auto B = builtinUse(E);
    OneBlock &= !B || B->Which == IndexVar::ThreadIdx || B->Which == IndexVar::WarpSize;
    if (B && B->Which != IndexVar::GridDim && B->Which != IndexVar::WarpSize)
      Axes = std::max(Axes, B->Axis + 1);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *) override {
    OneBlock = false;
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    OneBlock &= F && (F->hasBody() || !isa<CXXMethodDecl>(F)); // a group may number the threads
    if (F && F->hasBody() && isDeviceFunction(F) && Seen.insert(F).second && Seen.size() < 32)
      TraverseStmt(F->getBody());
    return true;
  }
};
} // namespace

/// What a block may be given at most (compute capability 9.0 and 10.0).
static constexpr int64_t MostSharedBytes = 227 * 1024;

/// The template that F is made from, or F.
static const FunctionDecl *root(const FunctionDecl *F) {
  if (const FunctionDecl *P = F->getTemplateInstantiationPattern())
    F = P;
  return F->getCanonicalDecl();
}

LaunchModel::~LaunchModel() = default;

LaunchModel::LaunchModel(ASTContext &AST) : AST(AST), Shared(std::make_unique<Facts>(AST)) {
  Shared->Budget = StepLimit::ofFile();
  for (Decl *D : AST.getTraversalScope())
    collect(D);
  // A template that has instantiations speaks through them.
  llvm::DenseSet<const FunctionDecl *> Instantiated;
  for (const FunctionDecl *K : Kernels)
    if (const FunctionDecl *P = K->getTemplateInstantiationPattern())
      Instantiated.insert(P->getCanonicalDecl());
  llvm::erase_if(Kernels, [&](const FunctionDecl *K) {
    return K->isDependentContext() && Instantiated.count(K->getCanonicalDecl());
  });
}

void LaunchModel::collect(Decl *D) {
  Functions V;
  V.TraverseDecl(D);
  for (const FunctionDecl *F : V.Found) {
    if (isKernel(F))
      Kernels.push_back(F);
    else if (isHostFunction(F)) {
      LaunchesIn V;
      V.TraverseStmt(F->getBody());
      HostCalls.insert(HostCalls.end(), V.Calls.begin(), V.Calls.end());
      for (const FunctionDecl *K : V.Kernels)
        Named.insert(root(K));
      if (V.Found && !F->isDependentContext())
        Launchers.push_back(F);
    }
  }
}

/// How many launches of a run have a known shape.
static size_t shapesKnown(const HostRun &R) {
  return size_t(llvm::count_if(R.Steps, [](const eval::Step &S) {
    return S.K == eval::Step::Launch && llvm::all_of(S.Grid, [](auto &G) { return G.has_value(); }) && llvm::all_of(S.Block, [](auto &B) { return B.has_value(); });
  }));
}

std::unique_ptr<HostRun> LaunchModel::runHost(const FunctionDecl *F, llvm::ArrayRef<int64_t> Sizes, int64_t Default) {
  auto Run = [&](bool Settles) {
    auto R = std::make_unique<HostRun>();
    R->Launcher = F;
    R->Settles = Settles;
    Machine M(*Shared, *R, [&](unsigned I) { return I < Sizes.size() ? Sizes[I] : Default; });
    M.runHost();
    return R;
  };
  auto R = Run(false);
  size_t Launches = size_t(llvm::count_if(R->Steps, [](const eval::Step &S) { return S.K == eval::Step::Launch; })), Known = shapesKnown(*R);
  if (Known == Launches)
    return R;
  // `if (device.major >= 8) threads = 256;`: with one answer the shape is known, and what it shows is a doubt.
  auto One = Run(true);
  return shapesKnown(*One) > Known ? std::move(One) : std::move(R);
}

std::vector<const CallExpr *> LaunchModel::callsOf(const FunctionDecl *F) const {
  std::vector<const CallExpr *> Calls;
  for (const CallExpr *C : HostCalls)
    if (C->getDirectCallee()->getCanonicalDecl() == F->getCanonicalDecl())
      Calls.push_back(C);
  return Calls;
}

/// For each size of the launcher the constant that all calls of it in this file pass, if they do.
std::vector<std::optional<int64_t>> LaunchModel::fixedByCallers(llvm::ArrayRef<const CallExpr *> Calls, const HostRun &First) {
  std::vector<std::optional<int64_t>> Fixed(First.Sizes.size());
  if (Calls.empty())
    return Fixed;
  for (size_t I = 0; I < First.Sizes.size(); ++I) {
    const ParmVarDecl *P = First.Sizes[I].Param;
    if (!P || First.Sizes[I].Name != P->getNameAsString())
      continue;
    std::optional<int64_t> Common;
    bool All = true;
    for (const CallExpr *C : Calls) {
      unsigned At = P->getFunctionScopeIndex();
      Expr::EvalResult R;
      if (At >= C->getNumArgs() || C->getArg(At)->isValueDependent() || !C->getArg(At)->EvaluateAsInt(R, AST) ||
          R.Val.getInt().getSignificantBits() > 63 || (Common && *Common != R.Val.getInt().getExtValue())) {
        All = false;
        break;
      }
      Common = R.Val.getInt().getExtValue();
    }
    if (All)
      Fixed[I] = Common;
  }
  return Fixed;
}

namespace {
enum class Distance { None, Rows, Slices };
} // namespace

/// Whether a size is by its name the distance from one row (`pitch`, `lda`) or slice to the next.
static Distance distanceNamed(llvm::StringRef Name) {
  std::string Lower = Name.lower();
  llvm::StringRef N = Lower;
  bool Leading = N.consume_front("ld") && N.size() <= 1; // ld, lda, ldb
  if (!Leading && !llvm::StringRef(Lower).contains("pitch"))
    return Distance::None;
  return llvm::StringRef(Lower).contains("slice") || llvm::StringRef(Lower).contains("plane") ? Distance::Slices : Distance::Rows;
}

/// A row lies within its pitch, whatever the unit of either.
static void widenPitches(const HostRun &First, llvm::ArrayRef<std::optional<int64_t>> Fixed, std::vector<int64_t> &Sizes) {
  int64_t Largest = 1;
  bool Any = false;
  for (size_t I = 0; I < Sizes.size() && I < First.Sizes.size(); ++I) {
    bool Is = distanceNamed(First.Sizes[I].Name) != Distance::None;
    Any |= Is;
    if (!Is)
      Largest = std::max(Largest, Sizes[I]);
  }
  if (!Any || Largest > 4096)
    return;
  for (size_t I = 0; I < Sizes.size() && I < First.Sizes.size(); ++I) {
    Distance D = Fixed[I] ? Distance::None : distanceNamed(First.Sizes[I].Name);
    if (D != Distance::None)
      Sizes[I] = (D == Distance::Slices ? Largest : 1) * 16 * Largest;
  }
}

static constexpr int64_t WindowSize = 3;

/// `h - kernel + 1` rows: the sizes that make a grid larger the smaller they are, where it has no positive number of blocks.
static uint64_t windowSizes(llvm::function_ref<std::unique_ptr<HostRun>(const std::vector<int64_t> &)> Run, std::vector<int64_t> V) {
  auto LeastBlocks = [&](const std::vector<int64_t> &Sizes) -> std::optional<int64_t> {
    auto R = Run(Sizes);
    std::optional<int64_t> Least;
    for (const eval::Step &S : R->Steps)
      if (S.K == eval::Step::Launch && R->Overflows.empty())
        for (auto &G : S.Grid)
          if (G) { // a dim3 has unsigned numbers
            int64_t Blocks = *G > INT32_MAX ? int32_t(uint32_t(*G)) : *G;
            Least = std::min(Least.value_or(Blocks), Blocks);
          }
    return Least;
  };
  uint64_t Windows = 0;
  std::optional<int64_t> Least = LeastBlocks(V);
  while (Least && *Least <= 0) { // one after the other: two may have to shrink
    size_t Best = V.size();
    for (size_t I = 0; I < V.size() && I < 64; ++I) {
      auto Smaller = V;
      Smaller[I] = std::min(V[I], WindowSize);
      if (auto Now = LeastBlocks(Smaller); Now && *Now > *Least) {
        Least = Now;
        Best = I;
      }
    }
    if (Best == V.size())
      break;
    Windows |= 1ull << Best;
    V[Best] = WindowSize;
  }
  return Windows;
}

static void narrowWindows(uint64_t Windows, std::vector<int64_t> &Sizes) {
  for (size_t I = 0; I < Sizes.size() && I < 64; ++I)
    if (Windows >> I & 1)
      Sizes[I] = std::min(Sizes[I], WindowSize);
}

namespace {
/// The constants that a function divides by.
class Divisors : public DynamicRecursiveASTVisitor {
public:
  explicit Divisors(ASTContext &AST) : AST(AST) {}
  std::vector<int64_t> Found;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    Expr::EvalResult R;
    if ((B->getOpcode() == BO_Div || B->getOpcode() == BO_Rem) && !B->getRHS()->isValueDependent() && B->getRHS()->getType()->isIntegerType() &&
        B->getRHS()->EvaluateAsInt(R, AST) && R.Val.getInt().getSignificantBits() < 32)
      Found.push_back(R.Val.getInt().getExtValue());
    return true;
  }

private:
  ASTContext &AST;
};
} // namespace

namespace {
/// What sizes have to be multiples of to fit the blocks of a launcher.
struct Grain {
  int64_t Odd = 1;    ///< blocks of 192 threads or 48 columns: three times a power of two fits them
  int64_t Two = 256;  ///< power of two: the elements of the largest block
};
} // namespace

/// The grain of a launcher; factors that would be large are left out.
static Grain grainOf(const FunctionDecl *F, const HostRun &First, ASTContext &AST) {
  Divisors D(AST);
  D.TraverseStmt(F->getBody());
  for (const eval::Step &S : First.Steps)
    if (S.K == eval::Step::Launch)
      for (unsigned A = 0; A < 3; ++A)
        if (S.Block[A] && !S.BlockTaint[A].Params)
          D.Found.push_back(*S.Block[A]);
  constexpr int64_t Largest = 4096;
  Grain G;
  std::set<int64_t> Powers;
  for (int64_t C : D.Found)
    if (C > 0 && C <= Largest) {
      int64_t Two = int64_t(1) << llvm::countr_zero(uint64_t(C)), With = std::lcm(G.Odd, C / Two);
      G.Odd = With <= 15 ? With : G.Odd;
      G.Two = std::max(G.Two, Two);
      Powers.insert(Two);
    }
  // Packets of which a block has many, (n / 8 + 255) / 256: only their product fits both.
  int64_t Product = 1;
  for (int64_t Two : Powers)
    Product = Product <= Largest ? Product * Two : Product;
  if (First.Sizes.size() == 1 && Product <= Largest)
    G.Two = std::max(G.Two, Product);
  return G;
}

static bool hasLaunch(const HostRun &R) {
  return llvm::any_of(R.Steps, [](const eval::Step &S) { return S.K == eval::Step::Launch; });
}

/// The sizes that decide an axis of a launch's grid on which it has no block; none where every grid has blocks.
static uint64_t sizesOfEmptyGrid(const HostRun &R) {
  for (const eval::Step &S : R.Steps)
    if (S.K == eval::Step::Launch)
      for (unsigned A = 0; A < 3; ++A)
        if (S.Grid[A] && *S.Grid[A] == 0 && S.GridTaint[A].Params)
          return S.GridTaint[A].Params;
  return 0;
}

/// Mends the sizes until the launcher launches something.
bool LaunchModel::admit(const FunctionDecl *F, SizeVector &V, bool Aligned) {
  constexpr unsigned Repairs = 12;
  for (unsigned I = 0; I < Repairs; ++I) {
    auto R = runHost(F, V.Values, 128);
    if (hasLaunch(*R)) {
      uint64_t Empty = sizesOfEmptyGrid(*R);
      return (Empty && fillGrid(F, *R, Empty, V)) || I > 0;
    }
    if (!repairSizes(*R, V, Aligned))
      return false;
  }
  return false;
}

/// `elements / (rows * columns)` blocks: elements of which there are fewer than that make no grid. Raises one size to some
/// times the product of the others that count.
bool LaunchModel::fillGrid(const FunctionDecl *F, const HostRun &Empty, uint64_t Counting, SizeVector &V) {
  constexpr int64_t Largest = 1 << 24, Times = 3;
  std::vector<int64_t> Values;
  for (const Size &S : Empty.Sizes)
    Values.push_back(S.Value);
  for (size_t I = 0; I < Values.size() && I < 64; ++I) {
    if (!(Counting >> I & 1) || V.Forced >> I & 1)
      continue;
    int64_t Product = Times;
    for (size_t J = 0; J < Values.size() && J < 64; ++J)
      if (J != I && Counting >> J & 1 && Product <= Largest)
        Product *= std::max<int64_t>(1, Values[J]);
    if (Product > Largest || Product <= Values[I])
      continue;
    std::vector<int64_t> Raised = Values;
    Raised[I] = Product;
    auto R = runHost(F, Raised, 128);
    if (!hasLaunch(*R) || sizesOfEmptyGrid(*R))
      continue;
    V.Values = std::move(Raised);
    return true;
  }
  return false;
}

/// min(blocks, 65535): the smallest doubling of one size after which a grid no longer grows, so that its blocks work more
/// than one trip. None where every grid grows on.
std::optional<std::vector<int64_t>> LaunchModel::pastTheCap(const FunctionDecl *F, const HostRun &First) {
  constexpr int64_t Largest = 1 << 24;
  auto GridOf = [](const HostRun &R) {
    for (const eval::Step &S : R.Steps)
      if (S.K == eval::Step::Launch)
        return S.Grid[0];
    return std::optional<int64_t>();
  };
  uint64_t Counting = 0;
  for (const eval::Step &S : First.Steps)
    if (S.K == eval::Step::Launch) {
      Counting = S.GridTaint[0].Params;
      break;
    }
  for (size_t I = 0; I < First.Sizes.size() && I < 64; ++I) {
    if (!(Counting >> I & 1))
      continue;
    std::vector<int64_t> V;
    for (const Size &S : First.Sizes)
      V.push_back(S.Value);
    for (std::optional<int64_t> Last = GridOf(First); V[I] < Largest && Last && *Last > 0;) {
      V[I] *= 2;
      auto R = runHost(F, V, 128);
      std::optional<int64_t> Now = GridOf(*R);
      if (Now == Last && *Now > 1)
        return V;
      if (Now && *Now < *Last)
        break;
      Last = Now;
    }
  }
  return std::nullopt;
}

/// Does a size decide how many blocks there are along y or z, of which the hardware takes few?
static bool countsRows(const HostRun &R, unsigned I) {
  return llvm::any_of(R.Steps, [&](const eval::Step &S) {
    return S.K == eval::Step::Launch && ((S.GridTaint[1].Params | S.GridTaint[2].Params) >> I & 1);
  });
}

/// <<<4 * 108, 256>>> whatever the sizes: a few elements more than the largest such launch has threads. None where sizes
/// decide all launches, or few blocks are meant.
static std::optional<int64_t> pastFixedGrid(const HostRun &First) {
  constexpr int64_t FewBlocks = 16, MostThreads = 1 << 22, More = 33;
  int64_t Most = 0;
  for (const eval::Step &S : First.Steps) {
    if (S.K != eval::Step::Launch || S.GridTaint[0].Params || S.BlockTaint[0].Params || !S.Grid[0] || !S.Block[0] || *S.Grid[0] < FewBlocks)
      continue;
    if (int64_t Threads = *S.Grid[0] * *S.Block[0]; Threads <= MostThreads)
      Most = std::max(Most, Threads);
  }
  return Most ? std::optional(Most + More) : std::nullopt;
}

/// What a run of the sample costs, roughly.
static double elements(const PlanSample &P) {
  double N = 1;
  for (const eval::Size &S : P.Host->Sizes)
    N *= double(std::max<int64_t>(1, S.Value));
  return N;
}

void LaunchModel::planAll() {
  if (Planned)
    return;
  Planned = true;
  // A dispatch over five axes makes hundreds of launchers from one template: they differ in constants only.
  constexpr unsigned InstancesTried = 32;
  llvm::DenseMap<const FunctionDecl *, unsigned> Tried;
  for (const FunctionDecl *F : Launchers) {
    if (++Tried[root(F)] > InstancesTried)
      continue;
    auto First = runHost(F, {}, 128);
    if (SizeVector Start; (!hasLaunch(*First) || sizesOfEmptyGrid(*First)) && admit(F, Start, true))
      First = runHost(F, Start.Values, 128);
    unsigned K = unsigned(First->Sizes.size());
    // Sizes that become block dimensions are not data sizes: keep them to what people pass.
    uint64_t BlockParams = 0;
    for (const eval::Step &S : First->Steps)
      if (S.K == eval::Step::Launch)
        for (const Taint &T : S.BlockTaint)
          BlockParams |= T.Params;
    std::vector<unsigned> Clipped;
    // min(n, 256) is a data size all the same: however large, it makes no larger block.
    for (unsigned I = 0; I < K && I < 64; ++I)
      if (BlockParams >> I & 1) {
        std::vector<int64_t> V;
        for (const Size &S : First->Sizes)
          V.push_back(S.Value);
        V[I] = 4099;
        auto R = runHost(F, V, 128);
        auto Fits = [](const eval::Step &S) {
          return S.K != eval::Step::Launch || (S.Block[0] && S.Block[1] && S.Block[2] && *S.Block[0] * *S.Block[1] * *S.Block[2] <= 1024);
        };
        if (hasLaunch(*R) && llvm::all_of(R->Steps, Fits)) {
          BlockParams &= ~(1ull << I);
          Clipped.push_back(I);
        }
      }
    std::vector<std::pair<std::vector<int64_t>, bool>> Vectors;
    const std::vector<const CallExpr *> Calls = callsOf(F);
    std::vector<std::optional<int64_t>> Fixed = fixedByCallers(Calls, *First);
    // Two vectors that fit every block, one rising and one falling: a relation between two sizes that the
    // kernel relies on (a pitch and a width) fails in one of them.
    const Grain G = grainOf(F, *First, AST);
    int64_t Odd = G.Odd, Axes = llvm::popcount(BlockParams), BlockSide = Axes <= 1 ? 256 : Axes == 2 ? 16 : 8;
    // dim3 block(side, side): one size that counts along two axes.
    auto BlockFits = [&](int64_t Side) {
      std::vector<int64_t> V;
      for (unsigned I = 0; I < K; ++I)
        V.push_back(BlockParams >> I & 1 ? Side : First->Sizes[I].Value);
      return llvm::all_of(runHost(F, V, 128)->Steps, [](const eval::Step &S) {
        return S.K != eval::Step::Launch || S.Block[0].value_or(1) * S.Block[1].value_or(1) * S.Block[2].value_or(1) <= MaxLanes;
      });
    };
    while (BlockParams && BlockSide > 4 && !BlockFits(BlockSide))
      BlockSide /= 2;
    auto Unlike = [&](unsigned Turn) {
      static const int64_t Rising[] = {64, 128, 256, 512, 1024, 2048}, Falling[] = {1024, 512, 256, 128, 64, 32};
      std::vector<int64_t> V;
      for (unsigned I = 0; I < K; ++I)
        V.push_back(BlockParams >> I & 1 ? BlockSide : Odd * (K <= 2 ? ((I + Turn) % 2 ? 2 * G.Two : G.Two) : (Turn ? Falling : Rising)[I % 6]));
      return V;
    };
    uint64_t Windows = 0;
    for (unsigned Turn : {0u, 1u})
      if (auto Small = Unlike(Turn); K > 2) {
        for (int64_t &N : Small)
          N = N >= 64 ? N / 8 : N;
        Windows |= windowSizes([&](const std::vector<int64_t> &V) { return runHost(F, V, 128); }, Small) & ~BlockParams;
      }
    auto Base = [&](unsigned Turn) {
      auto V = Unlike(Turn);
      narrowWindows(Windows, V);
      return V;
    };
    auto Add = [&](std::vector<int64_t> V, bool IsAligned) { Vectors.push_back({std::move(V), IsAligned}); };
    Add(Base(0), true);
    Add(Base(1), true);
    // A size that the launcher rounds up to whole warps is one of the data all the same: its blocks have threads too many.
    for (unsigned I = 0; I < K && I < 64; ++I)
      if (BlockParams >> I & 1) {
        constexpr int64_t Uneven = 33;
        auto V = Base(0);
        V[I] = Uneven;
        auto IsRounded = [&](const eval::Step &S) {
          return S.K == eval::Step::Launch && (S.BlockTaint[0].Params >> I & 1) && S.Block[0] && *S.Block[0] > Uneven && *S.Block[0] < 2 * Uneven;
        };
        if (llvm::any_of(runHost(F, V, 128)->Steps, IsRounded))
          Add(std::move(V), false);
      }
    auto Large = Base(0);
    for (unsigned I = 0; I < K; ++I)
      if (!(BlockParams >> I & 1))
        Large[I] *= 16;
    if (K <= 2)
      Add(Large, true);
    if (K == 1) {
      for (int64_t N : {1, 31, 32, 33, 255, 257, 1000, 1000003, 1 << 20})
        if (!(BlockParams & 1))
          Add({N}, N % (G.Two * Odd) == 0);
    } else if (K > 1) {
      for (unsigned I = 0; I < std::min(K, 6u); ++I) {
        if (BlockParams >> I & 1)
          continue;
        for (int64_t N : {33, 1, 257}) {
          if (N == 257 && K > 3)
            continue;
          auto V = Base(0);
          V[I] = N;
          Add(V, false);
        }
      }
      auto V = Base(0);
      static const int64_t Uneven[] = {33, 65, 37, 101, 7, 129};
      for (unsigned I = 0; I < K; ++I)
        if (!(BlockParams >> I & 1))
          V[I] = Uneven[I % 6];
      Add(V, false);
      static const int64_t Falling[] = {129, 7, 101, 37, 65, 33};
      for (unsigned I = 0; I < K; ++I)
        if (!(BlockParams >> I & 1))
          V[I] = Falling[I % 6];
      if (K > 2)
        Add(V, false);
    }
    // What the launcher turns away, or cannot count, tells nothing: the same, smaller.
    auto Launches = [&](const std::vector<int64_t> &V) {
      auto R = runHost(F, V, 128);
      return llvm::any_of(R->Steps, [](const eval::Step &S) { // a grid of no block is one whose number wrapped
        return S.K == eval::Step::Launch && llvm::none_of(S.Grid, [](auto &G) { return G && (*G == 0 || *G > INT32_MAX); });
      });
    };
    auto Admissible = [&](std::vector<int64_t> Values) {
      SizeVector V{std::move(Values)};
      return Launches(V.Values) || (admit(F, V, true) && Launches(V.Values));
    };
    if (K > 1 && !First->Steps.empty() && !(Admissible(Base(0)) && Admissible(Base(1))))
      for (auto &[V, IsAligned] : Vectors)
        for (unsigned I = 0; I < K; ++I)
          if (!(BlockParams >> I & 1) && V[I] >= 64)
            V[I] /= IsAligned ? 8 : 7;
    if (std::optional<int64_t> Past = pastFixedGrid(*First); Past && K > 1 && K <= 4)
      for (unsigned I = 0; I < K; ++I)
        if (auto V = Base(0); !(BlockParams >> I & 1)) {
          V[I] = *Past;
          Add(std::move(V), false);
        }
    // The largest sizes that the launcher itself lets through, all together.
    constexpr int64_t LargestSize = 200000, LargestRows = 1 << 30;
    std::vector<int64_t> Largest = Base(0);
    unsigned Special = 0;
    std::vector<std::pair<unsigned, size_t>> Equal; ///< size, and the vector in which it has a value that it is compared with
    for (auto &[I, With] : First->Compared)
      for (int64_t N : {With, With + 1}) {
        auto V = Base(0);
        if (N < 1 || N > (countsRows(*First, I) ? LargestRows : LargestSize) || V[I] == N || (BlockParams >> I & 1) || Special >= 8)
          continue;
        V[I] = N;
        if (llvm::none_of(Vectors, [&](auto &Had) { return Had.first == V; })) {
          ++Special;
          if (N == With) {
            Equal.push_back({I, Vectors.size()});
            Largest[I] = std::max(Largest[I], N);
          }
          Add(V, false);
        }
      }
    if (K > 1 && llvm::none_of(Vectors, [&](auto &Had) { return Had.first == Largest; }))
      Add(Largest, false);
    // `if (dim == 128) …; else if (dim == 256) …;`: each branch with other rows, and with rows that fit no block.
    if (K > 1) {
      auto Launched = [&](const std::vector<int64_t> &V) {
        llvm::SmallPtrSet<const CallExpr *, 4> Calls;
        const auto R = runHost(F, V, 128);
        for (const eval::Step &S : R->Steps)
          if (S.K == eval::Step::Launch)
            Calls.insert(S.Call);
        return Calls;
      };
      auto Met = Launched(Base(0));
      for (auto &[I, At] : Equal) {
        bool New = false;
        for (const CallExpr *Call : Launched(Vectors[At].first))
          New |= Met.insert(Call).second;
        bool Even = New && Vectors[At].first[I] % 32 == 0;
        Vectors[At].second |= Even;
        for (bool Fits : {true, false}) {
          auto V = Fits ? Base(1) : Vectors[At].first;
          for (unsigned J = 0; J < K && !Fits; ++J)
            if (!(BlockParams >> J & 1))
              V[J] = 33;
          V[I] = Vectors[At].first[I];
          if (New && llvm::none_of(Vectors, [&](auto &Had) { return Had.first == V; }))
            Add(std::move(V), Fits && Even);
        }
      }
    }
    // The largest block that a clipped size makes.
    for (unsigned I : Clipped)
      if (auto V = Base(0); K > 1 && V[I] < 4096) {
        V[I] = 4096;
        Add(V, true);
        for (unsigned J = 0; J < K; ++J) // few rows of it: a grid that is run whole
          if (J != I && !(BlockParams >> J & 1))
            V[J] = std::min<int64_t>(V[J], 3);
        Add(std::move(V), false);
      }
    std::optional<std::vector<int64_t>> Capped = K > 1 ? pastTheCap(F, *First) : std::nullopt;
    if (Capped)
      Add(*Capped, false);
    // Sizes that break what the file says of them show nothing.
    const std::vector<StatedSize> Stated = statedSizes(*First, Calls, AST);
    for (auto &[V, IsAligned] : Vectors)
      for (unsigned I = 0; I < K; ++I)
        if (!(BlockParams >> I & 1))
          V[I] = Stated[I].fit(V[I]);
    // What every caller in the file passes as a constant is no size to play with.
    if (llvm::any_of(Fixed, [](auto &V) { return V.has_value(); })) {
      std::vector<std::pair<std::vector<int64_t>, bool>> Kept;
      for (auto &[V, IsAligned] : Vectors) {
        for (unsigned I = 0; I < K; ++I)
          if (Fixed[I])
            V[I] = *Fixed[I];
        if (llvm::none_of(Kept, [&, &Now = V](auto &Had) { return Had.first == Now; }))
          Kept.push_back({V, IsAligned});
      }
      Vectors = std::move(Kept);
    }
    PlanBudget::keepFew(Vectors);
    for (auto &[Sizes, IsAligned] : Vectors) {
      widenPitches(*First, Fixed, Sizes);
      narrowWindows(Windows, Sizes);
      PlanSample P;
      P.Host = runHost(F, Sizes, 128);
      P.Aligned = IsAligned;
      P.Capped = Sizes == Capped;
      P.Sizes = K;
      bool Refused = !hasLaunch(*P.Host) || sizesOfEmptyGrid(*P.Host);
      Plans.push_back(std::move(P));
      // What it turns away shows where its limits are; the nearest sizes that it takes show what it does.
      SizeVector V{Sizes};
      if (!Refused || !admit(F, V, IsAligned))
        continue;
      PlanSample Mended;
      Mended.Host = runHost(F, V.Values, 128);
      Mended.Aligned = IsAligned;
      Mended.Sizes = unsigned(Mended.Host->Sizes.size()) - unsigned(llvm::popcount(V.Forced));
      auto Same = [&](const PlanSample &Had) {
        return Had.Host->Launcher == F && llvm::equal(Had.Host->Sizes, Mended.Host->Sizes, [](const Size &A, const Size &B) { return A.Value == B.Value; });
      };
      if (llvm::none_of(Plans, Same))
        Plans.push_back(std::move(Mended));
    }
  }
  // What may be tried is bounded: first a size that fits no block and one that fits, of every launcher, then the others; what costs
  // least comes first, so that a large size does not use up what many small ones need.
  std::vector<PlanSample *> Order;
  for (PlanSample &P : Plans)
    Order.push_back(&P);
  llvm::stable_sort(Order, [](const PlanSample *A, const PlanSample *B) {
    return std::pair(A->Aligned, elements(*A)) < std::pair(B->Aligned, elements(*B));
  });
  llvm::SmallPtrSet<const FunctionDecl *, 8> Odd, Even;
  std::vector<PlanSample *> Later;
  for (PlanSample *P : Order)
    if (hasLaunch(*P->Host) && (P->Aligned ? Even : Odd).insert(P->Host->Launcher).second)
      runLaunches(*P);
    else
      Later.push_back(P);
  llvm::stable_sort(Later, [](const PlanSample *A, const PlanSample *B) { return elements(*A) < elements(*B); });
  for (PlanSample *P : Later)
    runLaunches(*P);
}

llvm::ArrayRef<PlanSample> LaunchModel::plans() {
  planAll();
  return Plans;
}

void LaunchModel::runLaunches(PlanSample &P) {
  for (const eval::Step &S : P.Host->Steps) {
    if (S.K != eval::Step::Launch)
      continue;
    LaunchSample L;
    L.Step = &S;
    L.Host = P.Host.get();
    L.Plan = &P;
    L.Run = runKernel(S);
    P.Launches.push_back(std::move(L));
  }
}

/// The host's one thread becomes a block's many: all have the same value, or none is known.
static void passToKernel(Value &V) {
  V.T.V = Vary::Grid;
  if (!V.L.uniform())
    V.L = V.L.at(0) == Unk ? Lanes() : Lanes(V.L.at(0));
  if (V.K == Value::Aggregate && V.Agg) {
    auto Copy = std::make_shared<Value::Cells>(*V.Agg);
    for (auto &[Offset, Cell] : *Copy)
      passToKernel(Cell);
    V.Agg = std::move(Copy);
  }
}

std::unique_ptr<KernelRun> LaunchModel::runKernel(const eval::Step &S, bool ZeroData, llvm::ArrayRef<Dim3> Only) {
  if (!S.Kernel || !S.Kernel->hasBody() || S.Kernel->isDependentContext())
    return nullptr;
  if (PlanBudget::takesTooLong(S.Kernel))
    return nullptr;
  auto R = std::make_unique<KernelRun>();
  R->Kernel = S.Kernel;
  R->ZeroData = ZeroData;
  // What no device launches shows nothing (CUDA Programming Guide, "Technical Specifications per Compute Capability").
  constexpr int64_t MostBlocks[] = {INT32_MAX, 65535, 65535};
  for (unsigned A = 0; A < 3; ++A) {
    if (!S.Grid[A] || !S.Block[A] || *S.Grid[A] < 1 || *S.Grid[A] > MostBlocks[A] || *S.Block[A] < 1)
      return nullptr;
    R->Grid[A] = *S.Grid[A];
    R->Block[A] = *S.Block[A];
    R->GridTaint[A] = S.GridTaint[A];
    R->BlockTaint[A] = S.BlockTaint[A];
  }
  if (R->Block[0] * R->Block[1] * R->Block[2] > MaxLanes)
    return nullptr;
  R->SharedBytes = S.SharedBytes.value_or(MostSharedBytes); // bytes that are not known are enough
  R->SharedTaint = S.SharedTaint;
  R->SharedTaint.Assumed |= !S.SharedBytes;
  R->Args = S.Args;
  for (Value &V : R->Args)
    passToKernel(V);
  runBlocks(*R, Only);
  if (R->OutOfFuel)
    PlanBudget::tookTooLong(S.Kernel);
  return R;
}

std::unique_ptr<KernelRun> LaunchModel::tryZeroData(const LaunchSample &L) {
  return L.Step ? runKernel(*L.Step, true) : again(*L.Run, L.Run->Block, L.Run->Grid, true);
}

std::unique_ptr<KernelRun> LaunchModel::tryShape(const LaunchSample &Assumed, Dim3 Block, Dim3 Grid) {
  return PlanBudget::active() ? nullptr : again(*Assumed.Run, Block, Grid, false);
}

std::unique_ptr<KernelRun> LaunchModel::again(const KernelRun &Assumed, Dim3 Block, Dim3 Grid, bool ZeroData) {
  auto R = std::make_unique<KernelRun>();
  R->Kernel = Assumed.Kernel;
  R->Grid = Grid;
  R->Block = Block;
  R->SharedBytes = Assumed.SharedBytes;
  R->SharedTaint = Assumed.SharedTaint;
  R->Args = Assumed.Args;
  R->Assumed = true;
  R->ShownShape = Assumed.ShownShape;
  R->ZeroData = ZeroData;
  runBlocks(*R);
  return R;
}

std::unique_ptr<KernelRun> LaunchModel::tryGrid(const eval::Step &Launch, Dim3 Grid, llvm::ArrayRef<Dim3> Only) {
  if (PlanBudget::active())
    return nullptr;
  eval::Step Other = Launch;
  for (unsigned A = 0; A < 3; ++A)
    Other.Grid[A] = Grid[A];
  return runKernel(Other, false, Only);
}

std::unique_ptr<KernelRun> LaunchModel::tryBlock(const eval::Step &Launch, Dim3 Block) {
  if (PlanBudget::active())
    return nullptr;
  eval::Step Other = Launch;
  for (unsigned A = 0; A < 3; ++A)
    Other.Block[A] = Block[A];
  return runKernel(Other);
}

std::unique_ptr<KernelRun> LaunchModel::tryArgument(const eval::Step &Launch, unsigned Index, int64_t Value) {
  if (PlanBudget::active() || Index >= Launch.Args.size())
    return nullptr;
  eval::Step Other = Launch;
  Other.Args[Index] = Value::integer(Value, Launch.Args[Index].T);
  return runKernel(Other);
}

/// The blocks that stand for a launch: all of a small grid, the corners of a large one.
static std::vector<Dim3> blocksOf(const KernelRun &R) {
  std::vector<Dim3> Which;
  auto Add = [&](int64_t X, int64_t Y, int64_t Z) {
    if (Dim3 B{X, Y, Z}; X < R.Grid[0] && Y < R.Grid[1] && Z < R.Grid[2] && llvm::find(Which, B) == Which.end())
      Which.push_back(B);
  };
  // A small grid whole: then what no block touches is touched by none.
  constexpr int64_t FewBlocks = 16, SomeBlocks = 32, FewThreads = 5120;
  int64_t Blocks = R.blocks();
  if (Blocks <= PlanBudget::wholeGrid(FewBlocks) || (!PlanBudget::active() && Blocks <= SomeBlocks && Blocks * R.threads() <= FewThreads))
    for (int64_t Z = 0; Z < R.Grid[2]; ++Z)
      for (int64_t Y = 0; Y < R.Grid[1]; ++Y)
        for (int64_t X = 0; X < R.Grid[0]; ++X)
          Add(X, Y, Z);
  Add(0, 0, 0);
  Add(1, 0, 0);
  Add(R.Grid[0] - 1, R.Grid[1] - 1, R.Grid[2] - 1);
  if (PlanBudget::active())
    return Which;
  Add(0, 1, 0);
  Add(0, 0, 1);
  Add(R.Grid[0] - 1, 0, 0);
  if (R.Grid[0] >= 64)
    Add(R.Grid[0] / 2, 0, 0);
  return Which;
}

void LaunchModel::runBlocks(KernelRun &R, llvm::ArrayRef<Dim3> Only) {
  for (const Dim3 &Index : Only.empty() ? blocksOf(R) : Only.vec()) {
    R.Blocks.emplace_back();
    R.Blocks.back().Index = {unsigned(Index[0]), unsigned(Index[1]), unsigned(Index[2])};
  }
  // Where one block is too much, the last one tells more than those between.
  if (!R.Blocks.empty())
    Machine(*Shared, R, R.Blocks.front()).runBlock();
  if (R.OutOfFuel && R.Blocks.size() > 2) {
    auto Last = llvm::find_if(R.Blocks, [&](const BlockRun &B) {
      return B.Index[0] + 1 == R.Grid[0] && B.Index[1] + 1 == R.Grid[1] && B.Index[2] + 1 == R.Grid[2];
    });
    if (Last != R.Blocks.end())
      std::iter_swap(R.Blocks.begin() + 1, Last);
    R.Blocks.erase(R.Blocks.begin() + 2, R.Blocks.end());
  }
  for (size_t I = 1; I < R.Blocks.size(); ++I)
    Machine(*Shared, R, R.Blocks[I]).runBlock();
}

/// The user's sizes, the block that the kernel's index forms show, or the usual one.
void LaunchModel::chooseShape(KernelRun &R) {
  R.Assumed = GivenBlock[0] <= 0;
  if (!R.Assumed) {
    for (unsigned A = 0; A < 3; ++A) {
      R.Block[A] = std::max<int64_t>(1, GivenBlock[A]);
      R.Grid[A] = std::max<int64_t>(1, GivenGrid[A]);
    }
    return;
  }
  AxesUsed Used;
  Used.TraverseStmt(R.Kernel->getBody());
  static const Dim3 Blocks[] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
  static const Dim3 Grids[] = {{4, 1, 1}, {4, 4, 1}, {2, 2, 2}};
  R.Block = Blocks[Used.Axes - 1];
  R.Grid = Used.OneBlock ? Dim3{1, 1, 1} : Grids[Used.Axes - 1];
  if (!Writes)
    Writes = std::make_unique<VariableWrites>(AST);
  const ShownLaunch Shown = shownLaunch(R.Kernel, *Writes);
  bool Whole = true;
  int64_t Threads = 1;
  for (unsigned A = 0; A < 3; ++A) {
    Whole &= A >= Used.Axes || Shown.Block[A] > 0;
    Threads *= Shown.Block[A] ? Shown.Block[A] : R.Block[A];
    R.Grid[A] = Shown.Grid[A] ? Shown.Grid[A] : R.Grid[A];
  }
  if (Threads > MaxLanes)
    return;
  for (unsigned A = 0; A < 3; ++A)
    R.Block[A] = Shown.Block[A] ? Shown.Block[A] : R.Block[A];
  R.ShownShape = Whole;
}

llvm::ArrayRef<LaunchSample> LaunchModel::assumed() {
  planAll();
  if (Guess)
    return Guessed;
  Guess = true;
  for (const FunctionDecl *K : Kernels) {
    if (isLaunched(K) || K->isDependentContext() || Named.count(root(K)))
      continue;
    auto R = std::make_unique<KernelRun>();
    R->Kernel = K;
    chooseShape(*R);
    R->SharedBytes = 48 * 1024;
    R->SharedTaint.Assumed = true;
    if (R->Block[0] * R->Block[1] * R->Block[2] > MaxLanes)
      continue;
    auto Host = std::make_unique<HostRun>();
    for (const ParmVarDecl *P : K->parameters()) {
      QualType T = P->getType().getNonReferenceType();
      Taint Of;
      Of.Assumed = true;
      if (T->isPointerType()) {
        R->Objects.emplace_back();
        Object &O = R->Objects.back();
        O.Where = Space::Global;
        O.Decl = P;
        O.Name = P->getNameAsString();
        R->Args.push_back(Value::pointer(&O, Lanes(0)));
      } else if (T->isRecordType()) {
        Value V = Value::unknown(Of);
        V.K = Value::Aggregate;
        R->Args.push_back(V);
      } else // sizes of data are not known here
        R->Args.push_back(Value::unknown(Of));
    }
    runBlocks(*R);
    LaunchSample L;
    L.Run = std::move(R);
    Guessed.push_back(std::move(L));
  }
  return Guessed;
}

bool LaunchModel::isLaunched(const FunctionDecl *K) {
  planAll();
  for (const PlanSample &P : Plans)
    for (const LaunchSample &L : P.Launches)
      if (L.Run && root(L.Run->Kernel) == root(K))
        return true;
  return false;
}

std::vector<const LaunchSample *> LaunchModel::runs() {
  std::vector<const LaunchSample *> Out;
  for (const PlanSample &P : plans())
    for (const LaunchSample &L : P.Launches)
      if (L.Run)
        Out.push_back(&L);
  for (const LaunchSample &L : assumed())
    Out.push_back(&L);
  return Out;
}

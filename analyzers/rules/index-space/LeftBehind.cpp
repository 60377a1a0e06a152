//===- LeftBehind.cpp - what one launch stores and the next one does not read ----===//
//
//   int blocks = std::min(1024, (n + 255) / 256);
//   partial_sums<<<blocks, 256>>>(x, partial, n);        // a sum a block
//   final_sum<<<1, 256>>>(partial, out, blocks);         // coverage_mismatch: if (threadIdx.x < blocks) of one block of 256
//
// Memory that the launcher makes, that one launch fills to the last element, and that nothing reads but another launch, which ends
// before.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"
#include "matchers/Allocations.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include <map>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// Names of a local variable beyond launches, what asks for a tensor's shape or memory, and what gives or takes the memory.
class OtherUses : public ConstDynamicRecursiveASTVisitor {
public:
  OtherUses(const FunctionDecl *F, StringRef Variable) : Variable(Variable) {
    if (F && F->hasBody())
      TraverseStmt(F->getBody());
  }
  bool Found = false, Declared = false;

  bool TraverseCUDAKernelCallExpr(const CUDAKernelCallExpr *) override { return true; }
  bool TraverseCallExpr(const CallExpr *C) override {
    std::string Name = calleeName(C);
    bool Harmless = allocation(C) || StringRef(Name).starts_with("cudaFree") || StringRef(Name).starts_with("cudaMemset");
    return Harmless || ConstDynamicRecursiveASTVisitor::TraverseCallExpr(C);
  }
  bool TraverseCXXMemberCallExpr(const CXXMemberCallExpr *C) override {
    std::string Name = calleeName(C);
    bool Asks = isMeant(namedVariable(C->getImplicitObjectArgument())) && C->getType()->isIntegerType();
    return Asks || ConstDynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(C);
  }
  bool VisitDeclRefExpr(const DeclRefExpr *D) override { return !(Found |= isMeant(D->getDecl())); }
  bool VisitVarDecl(const VarDecl *V) override {
    Declared |= isMeant(V);
    return true;
  }

private:
  bool isMeant(const ValueDecl *V) const { return V && V->getDeclName().isIdentifier() && V->getName() == Variable; }
  StringRef Variable;
};

/// What the launches of one plan do with one object.
struct Memory {
  int64_t Filled = 0;                    ///< bytes, from the start
  const LaunchSample *Writer = nullptr, *Reader = nullptr;
  int64_t ReadEnd = 0;
  bool Known = true;
};

class LeftBehind {
public:
  explicit LeftBehind(IndexReporter &R) : R(R) {}

  void run() {
    for (const PlanSample &P : R.Model.plans())
      if (P.Host && P.Launches.size() > 1)
        look(P);
    for (auto &[To, Plans] : Handed)
      if (const Memory *M = capped(Plans))
        tell(To.second, *M);
  }

private:
  /// The reader goes as far as it ever does, and no further, where more is stored, at two sizes or more. (What pads a buffer is left
  /// too, but then the reader goes further with the size.)
  static const Memory *capped(llvm::ArrayRef<Memory> Plans) {
    int64_t Furthest = 0;
    unsigned Lost = 0;
    const Memory *First = nullptr;
    for (const Memory &M : Plans)
      Furthest = std::max(Furthest, M.ReadEnd);
    for (const Memory &M : Plans)
      if (M.ReadEnd < M.Filled) {
        if (M.ReadEnd != Furthest)
          return nullptr;
        ++Lost;
        First = First ? First : &M;
      }
    return Lost > 1 ? First : nullptr;
  }

  void look(const PlanSample &P) {
    MemoryOf Objects;
    for (const LaunchSample &L : P.Launches) {
      if (!L.Step || !L.Run || !L.Step->Sure || L.Run->OutOfFuel || !L.Run->Imprecise.empty())
        return;
      follow(L, Objects);
    }
    for (const Step &S : P.Host->Steps)
      for (const Object *O : {S.Source, S.K == Step::Copy ? S.Target : nullptr})
        if (auto It = Objects.find(O); O && It != Objects.end())
          It->second.Known = false;
    for (auto &[O, M] : Objects)
      if (M.Known && M.Writer && M.Reader && O->Bytes && M.Filled == *O->Bytes)
        Handed[{M.Reader->Step->Call, O->Name}].push_back(M);
  }

  using MemoryOf = llvm::MapVector<const Object *, Memory>;

  static void follow(const LaunchSample &L, MemoryOf &Objects) {
    llvm::MapVector<const Object *, std::pair<int64_t, int64_t>> Ends; // written, read
    std::set<const Object *> Vague;
    for (const BlockRun &B : L.Run->Blocks) {
      for (const EscapeEvent &E : B.Escapes)
        Vague.insert(E.Obj);
      for (const Access &A : B.Accesses) {
        if (!A.Obj || A.Offset.unknown())
          Vague.insert(A.Obj);
        if (!A.Obj || A.Obj->Where != Space::Global || A.Offset.unknown())
          continue;
        auto &[Written, Read] = Ends[A.Obj];
        bool Writes = A.Kind == AccessKind::Write;
        if (A.Kind == AccessKind::Atomic)
          Vague.insert(A.Obj);
        forEachLane(Writes ? A.Who.Sure : A.Who.May, L.Run->threads(), [&](unsigned T) {
          int64_t At = A.Offset.at(T);
          if (At == Unk || At < 0) {
            Vague.insert(A.Obj);
            return;
          }
          int64_t &End = Writes ? Written : Read;
          End = std::max(End, At + int64_t(A.Bytes));
        });
      }
    }
    for (auto &[O, E] : Ends) {
      Memory &M = Objects[O];
      M.Known &= !Vague.contains(O) && !Vague.contains(nullptr);
      auto [Written, Read] = E;
      if (Written && Read)
        M.Known = false; // worked on in place
      else if (Written) {
        M.Known &= !M.Writer && !M.Reader;
        M.Writer = &L;
        M.Filled = Written;
      } else if (Read) {
        M.Known &= !M.Reader && M.Writer;
        M.Known &= int64_t(L.Run->Blocks.size()) == L.Run->blocks(); // all that is read is seen
        M.Reader = &L;
        M.ReadEnd = Read;
      }
    }
  }

  void tell(const std::string &Name, const Memory &M) {
    const LaunchSample &L = *M.Reader;
    OtherUses Uses(L.Host->Launcher, Name);
    if (!Uses.Declared || Uses.Found || !R.once(L.Step->Call, SaidShort))
      return;
    auto X = R.Ctx.report("coverage_mismatch", L.Step->Call->getBeginLoc(),
                          llvm::formatv("'{0}' stores {1} bytes in '{2}'{3}, and '{4}' reads the first {5} of them: the others are lost", M.Writer->Run->Kernel->getName(), M.Filled,
                                        Name, sizesText(L.Host), L.Run->Kernel->getName(), M.ReadEnd).str());
    X.kernel(L.Run->Kernel).evidence("covered", M.ReadEnd).evidence("elements", M.Filled).note(M.Writer->Step->Call->getBeginLoc(), "stored here");
    if (!isPlanned(L) || !hasFewSizes(L))
      X.doubt();
  }

  IndexReporter &R;
  llvm::MapVector<std::pair<const CallExpr *, std::string>, std::vector<Memory>, std::map<std::pair<const CallExpr *, std::string>, unsigned>> Handed;
};

} // namespace

void kcheck::checkLeftBehind(IndexReporter &R) { LeftBehind(R).run(); }

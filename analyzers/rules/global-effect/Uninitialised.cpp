#include "Uninitialised.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

bool isNamedShared(const Object *O) {
  return isShared(O) && O->Decl;
}

/// The read of a place of shared memory that no thread of the block has stored to before.
struct UnsetRead {
  const Access *Read = nullptr;
  unsigned Thread = 0;
  int64_t Offset = 0;
};

/// Follows one block in the order of its trace.
class SharedStores {
public:
  SharedStores(const BlockRun &B, unsigned Threads) : B(B), Threads(Threads) {
    for (const Access &A : B.Accesses) // stores at places that are not known may be anywhere
      if (A.Kind != AccessKind::Read && (!A.Obj || (isNamedShared(A.Obj) && (A.Async || !placed(A)) && A.Kind == AccessKind::Write)))
        A.Obj ? (void)Vague.insert(A.Obj) : (void)(AnyVague = true);
    for (const EscapeEvent &E : B.Escapes)
      if (!E.Obj || isNamedShared(E.Obj))
        E.Obj ? (void)Vague.insert(E.Obj) : (void)(AnyVague = true);
  }

  /// The first read of each object that a result of the block is made of.
  std::vector<UnsetRead> find() {
    std::vector<UnsetRead> Found;
    if (AnyVague || B.Skipped)
      return Found;
    llvm::DenseMap<const Object *, llvm::DenseSet<int64_t>> Stored;
    llvm::DenseSet<const Object *> Done;
    for (size_t I = 0; I < B.Accesses.size(); ++I) {
      const Access &A = B.Accesses[I];
      if (!isNamedShared(A.Obj) || Vague.contains(A.Obj) || !A.Bytes)
        continue;
      llvm::DenseSet<int64_t> &Bytes = Stored[A.Obj];
      if (A.Kind == AccessKind::Atomic && A.E && coversOnePerThread(A, Bytes) && Done.insert(A.Obj).second)
        Found.push_back({&A, unsigned(A.Who.May.lowest()), int64_t(Threads) * A.Bytes});
      if (A.Offset.unknown())
        continue;
      if (A.Kind == AccessKind::Write) {
        forEachLane(A.Who.May, Threads, [&](unsigned T) {
          for (unsigned K = 0; K < A.Bytes; ++K)
            Bytes.insert(A.Offset.at(T) + K);
        });
        continue;
      }
      if (A.Kind != AccessKind::Read || Done.contains(A.Obj) || !A.E)
        continue;
      std::optional<unsigned> Who;
      forEachLane(A.Who.Sure, Threads, [&](unsigned T) {
        bool Inside = A.Offset.at(T) >= 0 && A.Offset.at(T) + int64_t(A.Bytes) <= A.Obj->Bytes.value_or(INT64_MAX); // else another rule's
        if (!Who && Inside && !Bytes.contains(A.Offset.at(T)) && counts(I, T))
          Who = T;
      });
      if (Who) {
        Done.insert(A.Obj);
        Found.push_back({&A, *Who, A.Offset.at(*Who)});
      }
    }
    return Found;
  }

private:
  bool placed(const Access &A) const {
    bool All = !A.Offset.unknown();
    forEachLane(A.Who.May, Threads, [&](unsigned T) { All &= A.Offset.at(T) != Unk; });
    return All;
  }

  /// `if (threadIdx.x < 256) bins[threadIdx.x] = 0;` in blocks of 128, and data that chooses among all 256.
  bool coversOnePerThread(const Access &A, const llvm::DenseSet<int64_t> &Bytes) const {
    int64_t Set = int64_t(Threads) * A.Bytes;
    if (A.Who.May.none() || !A.Offset.unknown() || !A.OffsetTaint.Data || A.OffsetTaint.Own || !A.Obj->Bytes || *A.Obj->Bytes <= Set || int64_t(Bytes.size()) != Set)
      return false;
    return llvm::all_of(Bytes, [&](int64_t At) { return At >= 0 && At < Set; });
  }

  /// Threads without an element of their own read along and store nothing: they do not count. The value counts where the same
  /// statement stores to the array again, or where the thread writes a result later.
  bool counts(size_t Read, unsigned T) const {
    constexpr size_t Near = 3;
    const Access &A = B.Accesses[Read];
    for (size_t I = Read + 1; I < B.Accesses.size(); ++I) {
      const Access &X = B.Accesses[I];
      bool Global = X.Obj && !isNamedShared(X.Obj) && X.Obj->Where != Space::Local;
      if (I <= Read + Near && X.Kind == AccessKind::Write && X.Obj == A.Obj && X.Interval == A.Interval && X.Who.Sure.test(T))
        return true;
      if (Global && X.Kind != AccessKind::Read && X.Who.Sure.test(T))
        return true;
    }
    return false;
  }

  const BlockRun &B;
  unsigned Threads;
  llvm::DenseSet<const Object *> Vague;
  bool AnyVague = false;
};

} // namespace

void effects::checkUnsetShared(RuleContext &Ctx, LaunchModel &M) {
  llvm::DenseSet<const ValueDecl *> Said;
  for (const LaunchSample *L : M.runs()) {
    if (!L->Step || L->Run->OutOfFuel || !L->Run->Imprecise.empty())
      continue;
    for (const BlockRun &B : L->Run->Blocks)
      for (const UnsetRead &U : SharedStores(B, L->Run->threads()).find()) {
        if (!Ctx.TU.inMainFile(U.Read->E->getExprLoc()) || !Said.insert(U.Read->Obj->Decl).second)
          continue;
        Ctx.report("uninitialised_read", U.Read->E->getExprLoc(),
                   llvm::formatv("thread {0} of block {1} reads byte {2} of '{3}', where no thread of the block has stored anything{4}", U.Thread, blockText(B.Index),
                                 U.Offset, U.Read->Obj->Name, sizesText(L->Host)).str())
            .kernel(L->Run->Kernel)
            .evidence("object", U.Read->Obj->Name)
            .evidence("offset", U.Offset)
            .note(U.Read->Obj->Decl->getLocation(), "declared here")
            .doubt();
      }
  }
}

void effects::checkUninitialised(RuleContext &Ctx, LaunchModel &M) {
  if (llvm::any_of(Ctx.TU.Diagnostics, [](const ParseDiagnostic &D) { return D.IsError; }))
    return; // the statement that gives the value may be what did not parse
  llvm::DenseSet<const VarDecl *> Said;
  for (const LaunchSample *L : M.runs())
    for (const BlockRun &B : L->Run->Blocks)
      for (const LocalFault &F : B.LocalFaults) {
        if (F.Offset || !Ctx.TU.inMainFile(F.E->getExprLoc()) || !Said.insert(F.Variable->getCanonicalDecl()).second)
          continue;
        auto X = Ctx.report("uninitialised_read", F.E->getExprLoc(),
                            "'" + F.Variable->getName() + "' is read here, and nothing has been stored in it" + sizesText(L->Host));
        X.kernel(L->Run->Kernel).evidence("variable", F.Variable->getName().str()).note(F.Variable->getLocation(), "declared here, without a value");
        if (!isPlanned(*L) || hasManySizes(*L)) // a loop that such sizes leave out may be the one that stores
          X.doubt();
      }
}

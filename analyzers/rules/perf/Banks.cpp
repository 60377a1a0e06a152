//===- Banks.cpp - conflicts between the threads of a warp in shared memory --------===//
//
//   tile[threadIdx.x][k] of float tile[32][32]      32 rows, one bank: 32 wavefronts for one
//   tile[threadIdx.x][k] of float tile[32][33]      32 banks, one wavefront
//
// Counted exactly from the addresses: 32 banks of 4 bytes, the same word is broadcast, 8- and 16-byte
// accesses go in halves and quarters of a warp.
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;
using namespace kcheck::perf;

namespace {

/// Wavefronts that the threads [First, Last) of an access need; counts those that take part.
unsigned wavefronts(const Access &A, unsigned First, unsigned Last, unsigned &Active) {
  unsigned Count[32] = {};
  llvm::SmallVector<int64_t, 32> Words;
  for (unsigned I = First; I < Last; ++I) {
    if (!A.Who.May.test(I) || A.Offset.at(I) == Unk)
      continue;
    ++Active;
    for (int64_t W = A.Offset.at(I) / 4; W <= (A.Offset.at(I) + int64_t(A.Bytes) - 1) / 4; ++W)
      if (!llvm::is_contained(Words, W))
        Words.push_back(W);
  }
  unsigned Most = 0;
  for (int64_t W : Words)
    Most = std::max(Most, ++Count[uint64_t(W) % 32]);
  return Most;
}

/// One component of a float4: the compiler reads the vector at once.
bool isComponent(const Access &A) {
  const auto *M = dyn_cast_or_null<MemberExpr>(A.E ? A.E->IgnoreParenImpCasts() : nullptr);
  if (!M || M->isArrow() || M->getBase()->getType()->isDependentType() || !M->getBase()->getType()->isRecordType())
    return false;
  const ASTContext &AST = M->getMemberDecl()->getASTContext();
  return AST.getTypeAlignInChars(M->getBase()->getType()).getQuantity() > int64_t(A.Bytes);
}

struct Tally {
  const Access *A = nullptr;
  unsigned Spent = 0, Ideal = 0, Worst = 0;
};

} // namespace

void perf::checkBanks(RuleContext &Ctx, const Subject &S) {
  const KernelRun &R = *S.Run;
  unsigned N = R.threads();
  if (R.Blocks.empty() || N < 32)
    return;
  llvm::MapVector<const Expr *, Tally> ByExpr;
  for (const Access &A : R.Blocks.front().Accesses) {
    if (!isShared(A.Obj) || A.Kind == AccessKind::Atomic || A.Offset.unknown() || !A.Bytes || A.Bytes > 16 || isComponent(A) || !visible(Ctx, A))
      continue;
    Tally &T = ByExpr[A.E];
    T.A = &A;
    unsigned Group = A.Bytes <= 4 ? 32 : A.Bytes <= 8 ? 16 : 8;
    for (unsigned W = 0; W < std::min(N, 128u); W += Group) {
      if (A.Offset.uniform()) {
        T.Spent += A.Who.May.any();
        T.Ideal += A.Who.May.any();
        continue;
      }
      unsigned Active = 0;
      unsigned Here = wavefronts(A, W, std::min(W + Group, N), Active);
      T.Spent += Here;
      T.Ideal += Active > 0;
      if (Active * 4 >= Group * 3)
        T.Worst = std::max(T.Worst, Here);
    }
  }
  unsigned Spent = 0, Ideal = 0;
  const Tally *Bad = nullptr;
  for (auto &[E, T] : ByExpr) {
    Spent += T.Spent;
    Ideal += T.Ideal;
    if (T.Worst >= 4 && (!Bad || uint64_t(T.Spent) * Bad->Ideal > uint64_t(Bad->Spent) * T.Ideal))
      Bad = &T;
  }
  if (!Bad || Spent * 10 <= Ideal * 12)
    return;
  Ctx.report("bank_conflict", Bad->A->E->getBeginLoc(),
             "up to " + std::to_string(Bad->Worst) + " threads of a warp meet in one bank of '" + Bad->A->Obj->Name +
                 "': the kernel needs " + std::to_string(Spent) + " wavefronts where " + std::to_string(Ideal) + " would do")
      .kernel(S.Kernel)
      .evidence("ways", int64_t(Bad->Worst))
      .evidence("wavefronts", int64_t(Spent))
      .evidence("ideal_wavefronts", int64_t(Ideal));
}

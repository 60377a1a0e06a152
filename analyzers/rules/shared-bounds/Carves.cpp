#include "Carves.h"
#include <unordered_map>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;
using namespace kcheck::shared;

namespace {

/// Touched elements that are followed at most.
constexpr size_t MostTouches = 1u << 21;

/// The pointer variable through which E reaches memory: `k` of `k[j]`, `*(k + j)` and `reinterpret_cast<float4 *>(k)[j]`.
const VarDecl *throughWhich(const Expr *E) {
  for (unsigned Depth = 0; E && Depth < 16; ++Depth) {
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<VarDecl>(D->getDecl());
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      E = S->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf))
      E = U->getSubExpr();
    else if (const auto *M = dyn_cast<MemberExpr>(E))
      E = M->getBase();
    else if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    else
      return nullptr;
  }
  return nullptr;
}

/// What the last store left in one element.
struct Cell {
  const Access *Stored = nullptr, *Over = nullptr; ///< Over: the store through another pointer that destroyed Stored's unread value
  const VarDecl *By = nullptr, *OverBy = nullptr;
  bool WasRead = false;
};

} // namespace

std::optional<LostValue> kcheck::shared::findLostValue(const KernelRun &R, const VariableWrites &Writes) {
  if (R.Blocks.empty())
    return std::nullopt;
  std::vector<std::pair<const Access *, const VarDecl *>> Events;
  llvm::DenseSet<const VarDecl *> Pointers;
  for (const Access &A : R.Blocks.front().Accesses) {
    if (!A.Obj || A.Obj->Where != Space::DynamicShared || !A.E)
      continue;
    const VarDecl *V = throughWhich(A.E);
    if (V && (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !Writes.onlyValue(V)))
      V = nullptr; // the array itself, what a function is given, what changes
    Events.push_back({&A, V});
    if (V)
      Pointers.insert(V);
  }
  if (Pointers.size() < 2 || Events.size() * R.threads() > MostTouches)
    return std::nullopt;

  std::unordered_map<int64_t, Cell> Cells;
  std::optional<LostValue> Found;
  for (auto [A, V] : Events) {
    const bool Reads = A->Kind != AccessKind::Write;
    if (A->Offset.unknown()) { // any element may be meant
      Cells.clear();
      continue;
    }
    forEachLane(A->Who.May, R.threads(), [&](unsigned T) {
      int64_t At = A->Offset.at(T);
      if (At == Unk) {
        Cells.clear();
        return;
      }
      for (unsigned Part = 0; Part < A->Bytes; Part += std::min(A->Bytes, 4u)) {
        Cell &C = Cells[At + Part];
        if (Reads) {
          if (C.Over && C.By == V && V && A->Who.Sure.test(T) && !Found)
            Found = LostValue{C.By, C.OverBy, C.Stored, C.Over, A, T, At + Part};
          C.WasRead = true;
          continue;
        }
        bool Fill = A->SameValue, Sure = A->Who.Sure.test(T);
        if (C.Stored && !C.WasRead && !C.Over && V && C.By != V && Sure) {
          C.Over = A;
          C.OverBy = V;
        } else
          C = V && Sure && !Fill ? Cell{A, nullptr, V, nullptr, false} : Cell{};
      }
    });
    if (Found)
      break;
  }
  return Found;
}

//===- Traffic.cpp - global memory: scalar, strided and field-wise access ---------===//
//
//   out[i] = f(a[i])                    one float a thread; float4 would move four        scalar_access
//   s += x[row_of_thread * cols + c]    32 threads, 32 sectors                            uncoalesced
//   p[i].x += p[i].vx                   every sector fetched, a part of it used           struct_of_fields_strided
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;
using namespace kcheck::perf;

static constexpr int64_t Sector = 32;

/// A number type, half and bfloat16 included, of 4 bytes or fewer.
static bool isSmallScalar(QualType T, ASTContext &Ctx) {
  if (T->isIncompleteType() || T->isDependentType())
    return false;
  T = T.getCanonicalType();
  int64_t Bytes = Ctx.getTypeSizeInChars(T).getQuantity();
  if (T->isArithmeticType())
    return Bytes <= 4;
  const RecordDecl *R = T->getAsRecordDecl();
  return R && R->getIdentifier() && Bytes <= 2 && (R->getName() == "__half" || R->getName() == "__nv_bfloat16");
}

/// Does the kernel see a buffer as packets somewhere, in a branch that this run did not take?
static bool movesPackets(const FunctionDecl *Kernel, int64_t Bytes, ASTContext &Ctx) {
  struct Finder : RecursiveASTVisitor<Finder> {
    Finder(int64_t Bytes, ASTContext &Ctx) : Bytes(Bytes), Ctx(Ctx) {}
    int64_t Bytes;
    ASTContext &Ctx;
    bool Found = false;
    bool VisitExplicitCastExpr(ExplicitCastExpr *C) {
      QualType To = C->getType()->isPointerType() ? C->getType()->getPointeeType() : QualType();
      Found |= !To.isNull() && !To->isIncompleteType() && !To->isDependentType() && Ctx.getTypeSizeInChars(To).getQuantity() > Bytes;
      return !Found;
    }
  } V(Bytes, Ctx);
  V.TraverseStmt(Kernel->getBody());
  return V.Found;
}

/// `(i / w) % h` and the like, by sizes: places are worked out one by one, whatever they come to at the sizes at hand.
static bool rearranges(const Expr *Place, const VariableWrites &Writes) {
  struct Finder : RecursiveASTVisitor<Finder> {
    explicit Finder(const VariableWrites &Writes) : Writes(Writes) {}
    const VariableWrites &Writes;
    bool Found = false;
    llvm::SmallPtrSet<const VarDecl *, 8> Seen;
    bool VisitBinaryOperator(BinaryOperator *B) {
      Found |= (B->getOpcode() == BO_Div || B->getOpcode() == BO_Rem) && namedVariable(B->getRHS());
      return !Found;
    }
    bool VisitDeclRefExpr(DeclRefExpr *D) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      const Expr *Value = V && V->isLocalVarDecl() && Seen.insert(V).second ? Writes.onlyValue(V) : nullptr;
      return !Value || TraverseStmt(const_cast<Expr *>(Value));
    }
  } V(Writes);
  V.TraverseStmt(const_cast<Expr *>(Place));
  return V.Found;
}

void perf::checkScalarAccess(RuleContext &Ctx, const Subject &S) {
  const KernelRun &R = *S.Run;
  if (S.Templated || !R.Imprecise.empty() || R.Block[1] != 1 || R.Block[2] != 1 || R.Block[0] < 32 || R.Grid[1] != 1 ||
      R.Grid[2] != 1 || (R.Grid[0] == 1 && !R.GridTaint[0].Params)) // one block is never much traffic
    return;
  unsigned N = R.threads();
  QualType Type;
  const Access *First = nullptr;
  std::optional<unsigned> Depth;
  for (const BlockRun &B : R.Blocks) {
    if (!B.Escapes.empty() || !B.Barriers.empty() || !B.WarpOps.empty())
      return;
    std::vector<unsigned> Trip;
    int64_t Index = Unk;
    bool Reads = false, Writes = false;
    for (const Access &A : B.Accesses) {
      if (!isGlobal(A.Obj) || A.Kind == AccessKind::Atomic || A.Volatile || A.LoopDepth > 1 || onData(A) || !visible(Ctx, A) ||
          !isSmallScalar(A.Type, Ctx.TU.AST))
        return;
      QualType T = A.Type.getCanonicalType().getUnqualifiedType();
      if (!Type.isNull() && Type != T)
        return;
      Type = T;
      if (!First)
        First = &A;
      // Each step reads its element and writes it: else it is a reduction or a table.
      if (Depth.value_or(A.LoopDepth) != A.LoopDepth)
        return;
      Depth = A.LoopDepth;
      if (Index != Unk && Trip != A.Trips) {
        if (!Reads || !Writes)
          return;
        Reads = Writes = false;
      }
      Reads |= A.Kind == AccessKind::Read;
      Writes |= A.Kind == AccessKind::Write;
      int Lead = A.Who.May.lowest();
      if (Lead < 0)
        continue;
      if (A.Offset.unknown() || A.Offset.at(unsigned(Lead)) == Unk)
        return;
      // The same element of every array in one trip; in the first, the thread's number in the grid.
      int64_t Element = A.Offset.at(unsigned(Lead)) / A.Bytes - Lead;
      if (Index != Unk && Trip == A.Trips && Element != Index)
        return;
      if ((A.Trips.empty() || A.Trips[0] == 0) && Element != int64_t(B.Index[0]) * R.Block[0])
        return;
      Index = Element;
      Trip = A.Trips;
      for (unsigned I = unsigned(Lead); I < N; ++I)
        if (A.Who.May.test(I) && A.Offset.at(I) != (Index + I) * int64_t(A.Bytes))
          return;
    }
    if (!B.Accesses.empty() && (!Reads || !Writes))
      return;
  }
  llvm::SmallPtrSet<const Expr *, 8> Places;
  for (const BlockRun &B : R.Blocks)
    for (const Access &A : B.Accesses)
      if (Places.insert(A.E).second && rearranges(A.E, Ctx.get<VariableWrites>()))
        return;
  if (!First || movesPackets(S.Kernel, First->Bytes, Ctx.TU.AST))
    return;
  unsigned Width = 16 / std::max(1u, First->Bytes);
  Ctx.report("scalar_access", First->E->getBeginLoc(),
             "each thread moves one " + Type.getAsString(Ctx.TU.AST.getPrintingPolicy()) + " at a time; a 16-byte packet would move " +
                 std::to_string(Width))
      .kernel(S.Kernel)
      .evidence("bytes_per_access", int64_t(First->Bytes));
}

namespace {

/// A struct of the user's own, not one of the toolkit's vector types.
bool isUserStruct(QualType T, ASTContext &Ctx) {
  const RecordDecl *R = T->getAsRecordDecl();
  const SourceManager &SM = Ctx.getSourceManager();
  return R && !R->isUnion() && !SM.isInSystemHeader(SM.getExpansionLoc(R->getLocation()));
}

/// The outermost struct whose field the access names.
QualType structOf(const Expr *E, ASTContext &Ctx) {
  QualType Found;
  for (unsigned Depth = 0; E && Depth < 8; ++Depth) {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
    if (!M)
      break;
    QualType T = M->getBase()->getType();
    if (M->isArrow())
      T = T->getPointeeType();
    if (!T.isNull() && isUserStruct(T, Ctx))
      Found = T;
    E = M->isArrow() ? nullptr : M->getBase();
  }
  return Found;
}

/// How the threads of the first warp stand to each other in one access.
struct Stride {
  int64_t Bytes = 0; ///< between neighbouring threads; 0 when they do not move alike
  unsigned Active = 0;
  unsigned Sectors = 0, Ideal = 1;
};

Stride strideOf(const Access &A, unsigned N) {
  Stride S;
  if (A.Offset.uniform())
    return S;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 32> Lanes;
  for (unsigned I = 0; I < std::min(32u, N); ++I)
    if (A.Who.May.test(I) && A.Offset.at(I) != Unk)
      Lanes.push_back({I, A.Offset.at(I)});
  S.Active = unsigned(Lanes.size());
  if (S.Active < 16)
    return S;
  llvm::SmallDenseSet<int64_t, 64> Sectors, Bytes;
  bool Alike = true;
  int64_t D = Lanes[1].second - Lanes[0].second;
  for (unsigned I = 0; I < Lanes.size(); ++I) {
    Sectors.insert(Lanes[I].second / Sector);
    Sectors.insert((Lanes[I].second + int64_t(A.Bytes) - 1) / Sector);
    Bytes.insert(Lanes[I].second);
    if (I)
      Alike &= Lanes[I].first == Lanes[I - 1].first + 1 && Lanes[I].second - Lanes[I - 1].second == D;
  }
  S.Bytes = Alike ? D : 0;
  S.Sectors = unsigned(Sectors.size());
  S.Ideal = std::max<unsigned>(1, unsigned((int64_t(Bytes.size() * A.Bytes) + Sector - 1) / Sector));
  return S;
}

/// Accesses of one object a constant stride apart: which bytes of a record they use.
struct Record {
  const Access *First = nullptr;
  QualType Struct;
  int64_t Stride = 0;
  llvm::SmallDenseSet<int64_t, 64> Used;
  llvm::SmallDenseSet<int64_t, 16> Starts;
};

/// Whatever the sizes? Of many sizes some make a row of one element, which no caller has.
bool isFarApart(const Subject &S, const Expr *E) {
  return llvm::all_of(S.Others, [&](const KernelRun *R) {
    return R->Blocks.empty() || llvm::any_of(R->Blocks.front().Accesses, [&](const Access &A) {
             Stride St = A.E == E ? strideOf(A, R->threads()) : Stride{};
             return A.E == E && (St.Active < 16 || (std::abs(St.Bytes) > int64_t(A.Bytes) && St.Sectors * 2 > St.Ideal * 3));
           });
  });
}

} // namespace

void perf::checkCoalescing(RuleContext &Ctx, const Subject &S) {
  const KernelRun &R = *S.Run;
  unsigned N = R.threads();
  if (R.Blocks.empty() || N < 32)
    return;
  const Access *Worst = nullptr;
  Stride WorstStride;
  llvm::MapVector<const Object *, Record> Records;
  for (const Access &A : R.Blocks.front().Accesses) {
    if (!isGlobal(A.Obj) || A.OffsetTaint.Data || !A.Bytes || !visible(Ctx, A))
      continue;
    Stride St = strideOf(A, N);
    int64_t D = std::abs(St.Bytes);
    if (D <= int64_t(A.Bytes) || St.Sectors * 2 <= St.Ideal * 3)
      continue;
    QualType Struct = structOf(A.E, Ctx.TU.AST);
    bool Fields = !Struct.isNull() && D == Ctx.TU.AST.getTypeSizeInChars(Struct).getQuantity();
    if (Fields || (D < 128 && !A.OffsetTaint.Params && !A.OffsetTaint.Assumed)) {
      Record &Rec = Records[A.Obj];
      if (!Rec.First || (Rec.First->In != A.In && A.In == R.Kernel)) // rather in the kernel than in a helper
        Rec.First = &A;
      if (Fields)
        Rec.Struct = Struct;
      Rec.Stride = D;
      int64_t Begin = ((A.Offset.at(unsigned(A.Who.May.lowest())) % D) + D) % D;
      Rec.Starts.insert(Begin);
      for (unsigned I = 0; I < A.Bytes; ++I)
        Rec.Used.insert((Begin + I) % D);
      continue;
    }
    // Half a sector each: the thread itself takes the other half with its next access.
    bool Halves = A.Bytes >= 16 && St.Sectors <= 2 * St.Ideal;
    if (D >= 64 && St.Sectors >= 8 && !Halves && (!Worst || St.Sectors > WorstStride.Sectors)) {
      Worst = &A;
      WorstStride = St;
    }
  }
  if (Worst && isFarApart(S, Worst->E))
    Ctx.report("uncoalesced", Worst->E->getBeginLoc(),
               "threads next to each other touch addresses " + std::to_string(std::abs(WorstStride.Bytes)) +
                   " bytes apart: a warp moves " + std::to_string(WorstStride.Sectors) + " sectors of 32 bytes where " +
                   std::to_string(WorstStride.Ideal) + " would do")
        .kernel(S.Kernel)
        .evidence("sectors", int64_t(WorstStride.Sectors))
        .evidence("ideal_sectors", int64_t(WorstStride.Ideal))
        .evidence("stride_bytes", WorstStride.Bytes);
  for (auto &[O, Rec] : Records) {
    int64_t Used = int64_t(Rec.Used.size());
    bool Fields = !Rec.Struct.isNull();
    // Records that are used nearly whole cost requests, not traffic.
    if (Rec.Stride < (Fields ? 16 : 24) || Rec.Starts.size() < 2 || Used * 4 > Rec.Stride * 3)
      continue;
    std::string What = Fields ? "fields of '" + Rec.Struct.getUnqualifiedType().getAsString(Ctx.TU.AST.getPrintingPolicy()) + "'"
                              : "parts of records in '" + O->Name + "'";
    Ctx.report("struct_of_fields_strided", Rec.First->E->getBeginLoc(),
               What + " are moved one by one: neighbouring threads are " + std::to_string(Rec.Stride) + " bytes apart and use " +
                   std::to_string(Used) + " of them; one array a field would use every byte fetched")
        .kernel(S.Kernel)
        .evidence("stride_bytes", Rec.Stride)
        .evidence("used_bytes", Used);
    return;
  }
}

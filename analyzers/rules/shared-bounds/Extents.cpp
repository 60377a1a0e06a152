#include "Extents.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;
using namespace kcheck::shared;

/// Alignment that the hardware asks for an access of type T.
static int64_t alignmentOf(QualType T, ASTContext &Ctx) {
  if (T.isNull() || T->isIncompleteType() || T->isDependentType())
    return 1;
  return std::min<int64_t>(16, Ctx.getTypeAlignInChars(T).getQuantity());
}

/// Alignment that the start of an object surely has. Dynamic shared memory starts at a multiple of 16.
static int64_t alignmentOf(const Object &O, ASTContext &Ctx) {
  int64_t Own = Ctx.getDeclAlign(O.Decl).getQuantity();
  return O.Where == Space::DynamicShared ? std::max<int64_t>(16, Own) : Own;
}

/// Whichever threads the data lets do it, each would be outside: a carve that begins where the memory ends.
static bool isOutsideForAll(const Access &A, unsigned N) {
  bool Any = false, All = A.Obj->Bytes.has_value();
  forEachLane(A.Who.May, N, [&](unsigned I) {
    int64_t Offset = A.Offset.at(I);
    Any = true;
    All &= Offset != Unk && (Offset < 0 || Offset + int64_t(A.Bytes) > *A.Obj->Bytes);
  });
  return Any && All;
}

/// `bins[warp][key & 63]`: data chooses the place, but of a row that begins behind the array, or of more than the array has;
/// or of one place a value of a signed byte.
static void outsideByData(const Access &A, const BlockRun &B, unsigned N, Extent &X) {
  if (!A.Within || !A.Obj->Bytes || A.Who.May.none() || X.Outside)
    return;
  int64_t Size = *A.Obj->Bytes;
  forEachLane(A.Who.May, N, [&](unsigned I) {
    int64_t Low = A.Within->Low.at(I), High = Low == Unk ? Unk : Low + A.Within->Width + int64_t(A.Bytes);
    if (Low == Unk || X.Outside || (Low >= 0 && High <= Size))
      return;
    bool Kept = !A.Who.Sure.test(I); // a test of the data may keep the thread from it
    if (Low >= 0 && (Low >= Size || !Kept)) // behind the end whatever the data says, or only where it says so
      X.Outside = Witness{&A, &B, I, Low >= Size ? Low : High - int64_t(A.Bytes), Size, Low < Size};
    else if (Low < 0 && High - Low == Size && !Kept) // a bin for each value, half of which are negative
      X.Outside = Witness{&A, &B, I, Low, Size};
  });
}

Extents kcheck::shared::extentsOf(const KernelRun &R, ASTContext &Ctx) {
  Extents Out;
  unsigned N = R.threads();
  for (const BlockRun &B : R.Blocks)
    for (const Access &A : B.Accesses) {
      if (!isShared(A.Obj) || !A.Obj->Decl)
        continue;
      Extent &X = Out[A.Obj->Decl];
      X.May = true;
      bool Certain = A.Who.Sure.any();
      X.Sure |= Certain;
      if (A.Offset.unknown())
        outsideByData(A, B, N, X);
      if (A.Offset.unknown() || !A.Bytes || (!Certain && !isOutsideForAll(A, N)))
        continue;
      const Mask &Who = Certain ? A.Who.Sure : A.Who.May;
      int64_t Align = alignmentOf(A.Type, Ctx);
      bool Judged = alignmentOf(*A.Obj, Ctx) >= Align;
      int64_t Size = A.Obj->Bytes.value_or(INT64_MAX - 64);
      auto Look = [&](unsigned I) {
        int64_t Offset = A.Offset.at(I);
        if (Offset == Unk)
          return;
        X.End = std::max(X.End, Offset + int64_t(A.Bytes));
        if ((Offset < 0 || Offset + int64_t(A.Bytes) > Size) && !X.Outside)
          X.Outside = Witness{&A, &B, I, Offset, Size};
        if (Judged && Offset % Align && !X.Crooked)
          X.Crooked = Witness{&A, &B, I, Offset, Size};
      };
      if (A.Offset.uniform())
        Look(unsigned(Who.lowest()));
      else
        forEachLane(Who, N, Look);
    }
  return Out;
}

namespace {
/// Bytes that an access may touch, as one range; empty when not known.
struct Range {
  int64_t Low = INT64_MAX, High = INT64_MIN;
  bool meets(const Range &O) const { return Low < O.High && O.Low < High; }
};

Range rangeOf(const Access &A, unsigned N) {
  Range R;
  forEachLane(A.Who.May, N, [&](unsigned I) {
    if (int64_t X = A.Offset.at(I); X != Unk) {
      R.Low = std::min(R.Low, X);
      R.High = std::max(R.High, X + int64_t(A.Bytes));
    }
  });
  return R;
}

/// float4 over float and the like: two views of one array, on purpose.
bool isView(QualType A, QualType B, ASTContext &Ctx) {
  auto Element = [&](QualType T) { return QualType(T->getBaseElementTypeUnsafe(), 0).getUnqualifiedType(); };
  QualType X = Element(A), Y = Element(B);
  if (X->isCharType() || Y->isCharType())
    return true;
  if (X->isDependentType() || Y->isDependentType())
    return true;
  auto Scalar = [&](QualType T) {
    for (unsigned Depth = 0; Depth < 4; ++Depth) {
      const RecordDecl *R = T->getAsRecordDecl();
      if (!R || !R->getDefinition() || R->getDefinition()->field_empty())
        break;
      T = QualType((*R->getDefinition()->field_begin())->getType()->getBaseElementTypeUnsafe(), 0);
    }
    return T.getCanonicalType().getUnqualifiedType();
  };
  return !Ctx.hasSameType(X, Y) && Scalar(X) == Scalar(Y);
}
} // namespace

std::optional<Clash> kcheck::shared::findClash(const KernelRun &R, ASTContext &Ctx) {
  unsigned N = R.threads();
  if (R.Blocks.empty())
    return std::nullopt;
  std::vector<std::pair<const Access *, Range>> Events;
  llvm::DenseSet<const ValueDecl *> Decls;
  for (const Access &A : R.Blocks.front().Accesses)
    if (A.Obj && A.Obj->Where == Space::DynamicShared && A.Obj->Decl)
      Decls.insert(A.Obj->Decl);
  if (Decls.size() < 2)
    return std::nullopt;
  for (const Access &A : R.Blocks.front().Accesses)
    if (A.Obj && A.Obj->Where == Space::DynamicShared && A.Obj->Decl)
      Events.push_back({&A, rangeOf(A, N)});
  for (size_t I = 0; I < Events.size(); ++I) {
    auto [Read, Bytes] = Events[I];
    if (Read->Kind == AccessKind::Write)
      continue;
    if (Read->Offset.unknown() && Read->OffsetTaint.Data) // data chooses among what was written
      for (size_t J = 0; J < I; ++J)
        if (Events[J].first->Kind != AccessKind::Read && Events[J].first->Obj->Decl == Read->Obj->Decl) {
          Bytes.Low = std::min(Bytes.Low, Events[J].second.Low);
          Bytes.High = std::max(Bytes.High, Events[J].second.High);
        }
    const Access *Foreign = nullptr;
    for (size_t J = I; J-- > 0;) {
      auto &[W, Over] = Events[J];
      if (W->Kind == AccessKind::Read || !Over.meets(Bytes))
        continue;
      if (W->Obj->Decl == Read->Obj->Decl) {
        if (!Foreign)
          break; // its own value
        return Clash{cast<VarDecl>(Read->Obj->Decl), cast<VarDecl>(Foreign->Obj->Decl), Read, Foreign,
                     Read->Who.Sure.any() && Foreign->Who.Sure.any()};
      }
      if (!Foreign && Read->Obj->Decl->getName() != W->Obj->Decl->getName() &&
          !isView(Read->Obj->Decl->getType(), W->Obj->Decl->getType(), Ctx))
        Foreign = W;
    }
  }
  return std::nullopt;
}

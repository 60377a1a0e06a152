//===- vectorize-loads.cpp - four elements at a time --------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;     int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
//   if (i < n)                                         if (i + 3 < n && addresses are multiples of 16) {
//     out[i] = 2 * a[i];                                 const float4 aQuad = ...; ... } else element by element
//
// For kernels of one element a thread, for tiled sums (their loads, and their reads of shared memory), and for loops
// in which threads stride over a row or over all elements. Alignment is tested at run time, and the tail goes element
// by element.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"
#include "actions/rows/RowKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

/// A buffer that is only touched as p[i], in types that come as vectors.
struct Lane {
  const ParmVarDecl *P = nullptr;
  std::string Scalar, Vector;
  bool Read = false, Written = false;
  std::vector<const ArraySubscriptExpr *> Places;
};

class MapVectors {
public:
  MapVectors(ActionContext &Ctx, const KernelView &K, MapKernel M) : Ctx(Ctx), K(K), M(std::move(M)) {}

  /// Why it does not apply; empty when it does.
  std::string plan() {
    collect();
    if (!Why.empty())
      return Why;
    std::erase_if(Lanes, [](const Lane &L) { return L.Vector.empty(); });
    if (Lanes.empty())
      return "no buffer is touched at [" + M.Index->getNameAsString() + "] in a type that comes in vectors";
    Width = 4;
    for (const Lane &L : Lanes)
      if (Ctx.AST.getTypeSizeInChars(L.P->getType()->getPointeeType()).getQuantity() == 8)
        Width = 2;
    for (Lane &L : Lanes) {
      int64_t Size = Ctx.AST.getTypeSizeInChars(L.P->getType()->getPointeeType()).getQuantity();
      L.Vector = (L.Scalar == "unsigned int" ? "uint" : L.Scalar == "long long" ? "longlong" : L.Scalar) + std::to_string(Width);
      if (Size * Width > 16)
        return "the element types do not share a vector length";
    }
    for (const char *N : {"part"})
      if (!Ctx.isFree(K.Decl, N))
        return std::string("the kernel uses the name ") + N;
    for (const Lane &L : Lanes)
      for (const char *N : {"Quad", "Part"})
        if (!Ctx.isFree(K.Decl, L.P->getNameAsString() + N))
          return "the kernel uses the name " + L.P->getNameAsString() + N;
    return {};
  }

  unsigned width() const { return Width; }

  llvm::Expected<std::vector<Edit>> apply() const {
    std::string I = M.Index->getNameAsString(), W = std::to_string(Width), Last = std::to_string(Width - 1);
    std::string T = M.type(Ctx) + " " + I + " = (" + M.start(Ctx) + ") * " + W + ";\n";
    std::string Low;
    for (const Lane &L : Lanes)
      Low += (Low.empty() ? "" : " | ") + ("reinterpret_cast<size_t>(" + L.P->getNameAsString() + ")");
    if (Lanes.size() > 1)
      Low = "(" + Low + ")";
    int64_t Bytes = 0;
    for (const Lane &L : Lanes)
      Bytes = std::max<int64_t>(Bytes, Ctx.AST.getTypeSizeInChars(L.P->getType()->getPointeeType()).getQuantity() * Width);
    T += "if (" + I + " + " + Last + " < " + M.bound(Ctx) + " && " + Low + " % " + std::to_string(Bytes) + " == 0) {\n";
    for (const Lane &L : Lanes) {
      std::string P = L.P->getNameAsString();
      if (!L.Read) {
        T += L.Scalar + " " + P + "Part[" + W + "];\n";
        continue;
      }
      T += "const " + L.Vector + " " + P + "Quad = *reinterpret_cast<const " + L.Vector + " *>(&" + P + "[" + I + "]);\n";
      T += (L.Written ? "" : "const ") + L.Scalar + " " + P + "Part[" + W + "] = {";
      for (unsigned J = 0; J < Width; ++J)
        T += (J ? ", " : "") + P + "Quad." + "xyzw"[J];
      T += "};\n";
    }
    std::vector<Edit> Inner;
    llvm::DenseSet<const DeclRefExpr *> Inside;
    for (const Lane &L : Lanes)
      for (const ArraySubscriptExpr *A : L.Places) {
        Inner.push_back(Ctx.replace(A->getSourceRange(), L.P->getNameAsString() + "Part[part]"));
        forEachStmt(A, [&](const Stmt *S) {
          if (const auto *D = dyn_cast<DeclRefExpr>(S))
            Inside.insert(D);
        });
      }
    auto Others = [&](const Stmt *S) {
      forEachStmt(S, [&](const Stmt *X) {
        if (const auto *D = dyn_cast<DeclRefExpr>(X); D && D->getDecl() == M.Index && !Inside.count(D))
          Inner.push_back(Ctx.replace(D->getSourceRange(), "(" + I + " + part)"));
      });
    };
    for (const Stmt *S : M.Between)
      Others(S);
    for (const Stmt *S : M.Work)
      Others(S);
    T += "#pragma unroll\nfor (int part = 0; part < " + W + "; ++part) {\n" + M.work(Ctx, Inner) + "}\n";
    for (const Lane &L : Lanes)
      if (L.Written) {
        std::string P = L.P->getNameAsString();
        T += "*reinterpret_cast<" + L.Vector + " *>(&" + P + "[" + I + "]) = make_" + L.Vector + "(";
        for (unsigned J = 0; J < Width; ++J)
          T += (J ? ", " : "") + P + "Part[" + std::to_string(J) + "]";
        T += ");\n";
      }
    T += "} else {\nfor (int part = 0; part < " + W + "; ++part, ++" + I + ")\nif (" + I + " < " + M.bound(Ctx) + ") {\n" + M.work(Ctx) + "}\n}";
    std::vector<Edit> Edits{Ctx.replace(M.Bytes, T)};
    for (const LaunchSite &L : K.Launches) {
      DimText Grid = extentsOf(Ctx, L.Syntax.Grid);
      Grid[0] = coarserGrid(Ctx, L, Width);
      setLaunchSizes(Ctx, L, &Grid, nullptr, Edits);
    }
    return Edits;
  }

private:
  Lane *lane(const ValueDecl *D) {
    const auto *P = dyn_cast_or_null<ParmVarDecl>(D);
    if (!P || !P->getType()->isPointerType())
      return nullptr;
    for (Lane &L : Lanes)
      if (L.P == P)
        return &L;
    Lane L;
    L.P = P;
    static const std::map<std::string, bool> Vectors{{"float", true}, {"int", true}, {"unsigned int", true}, {"double", true}, {"long long", true}};
    PrintingPolicy Policy(Ctx.LO);
    L.Scalar = P->getType()->getPointeeType().getUnqualifiedType().getCanonicalType().getAsString(Policy);
    if (Vectors.count(L.Scalar) && !P->getType()->getPointeeType().isVolatileQualified())
      L.Vector = L.Scalar;
    Lanes.push_back(L);
    return &Lanes.back();
  }

  void collect() {
    llvm::DenseSet<const DeclRefExpr *> Fine;
    std::vector<const Stmt *> All = M.Between;
    All.insert(All.end(), M.Work.begin(), M.Work.end());
    for (const Stmt *Top : All)
      forEachStmt(Top, [&](const Stmt *S) {
        const auto *A = dyn_cast<ArraySubscriptExpr>(S);
        if (!A || !refersTo(A->getIdx(), M.Index) || isa<CallExpr>(A->getIdx()->IgnoreParenCasts()))
          return;
        const auto *D = dyn_cast<DeclRefExpr>(A->getBase()->IgnoreParenImpCasts());
        if (Lane *L = D ? lane(D->getDecl()) : nullptr) {
          Fine.insert(D);
          L->Places.push_back(A);
          if (!Ctx.editable(A->getSourceRange()))
            L->Vector.clear();
        }
      });
    // how each place is used
    for (const Stmt *Top : M.Work) {
      const auto *Block = dyn_cast<CompoundStmt>(Top);
      std::vector<const Stmt *> Whole = Block ? std::vector<const Stmt *>(Block->body_begin(), Block->body_end()) : std::vector<const Stmt *>{Top};
      forEachStmt(Top, [&](const Stmt *S) {
        if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
          if (const auto *A = dyn_cast<ArraySubscriptExpr>(B->getLHS()->IgnoreParens()))
            if (Lane *L = known(A)) {
              L->Written = true;
              L->Read |= B->isCompoundAssignmentOp();
              bool Always = llvm::any_of(Whole, [&](const Stmt *W) { const auto *E = dyn_cast<Expr>(W); return E && E->IgnoreParenImpCasts() == B; });
              if (!Always)
                L->Read = true, Why = "the store to " + L->P->getNameAsString() + " is not made by every thread below the bound";
            }
        if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_LValueToRValue)
          if (const auto *A = dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens()))
            if (Lane *L = known(A))
              L->Read = true;
      });
    }
    // a pointer that is used in any other way stays as it is, unless it is written through
    for (const Stmt *Top : All)
      forEachStmt(Top, [&](const Stmt *S) {
        const auto *D = dyn_cast<DeclRefExpr>(S);
        if (!D || Fine.count(D))
          return;
        for (Lane &L : Lanes)
          if (L.P == D->getDecl()) {
            L.Vector.clear();
            if (L.Written)
              Why = L.P->getNameAsString() + " is also used other than at [" + M.Index->getNameAsString() + "]";
          }
        });
    for (Lane &L : Lanes)
      if (!L.Read && !L.Written)
        L.Vector.clear();
    // other stores would change places with the vector's
    for (const Stmt *Top : M.Work)
      forEachStmt(Top, [&](const Stmt *S) {
        if (isa<ForStmt, WhileStmt, DoStmt>(S))
          Why = "the work loops: a thread does more than one element";
        if (const auto *C = dyn_cast<CallExpr>(S); C && callKind(C) == CallKind::Atomic)
          Why = "the work holds atomics";
        const auto *U = dyn_cast<UnaryOperator>(S);
        if (U && U->isIncrementDecrementOp() && isa<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
          Why = "the work counts in memory";
        if (U && U->getOpcode() == UO_AddrOf && isa<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
          if (known(cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens())))
            Why = "an element's address is taken";
      });
  }

  Lane *known(const ArraySubscriptExpr *A) {
    for (Lane &L : Lanes)
      if (llvm::is_contained(L.Places, A))
        return &L;
    return nullptr;
  }

  ActionContext &Ctx;
  const KernelView &K;
  MapKernel M;
  std::vector<Lane> Lanes;
  std::string Why;
  unsigned Width = 4;
};

bool tiledSite(ActionContext &Ctx, const KernelView &K, Site &S) {
  std::string Why;
  auto C = recogniseTiled(Ctx, K, Why);
  if (!C)
    return false;
  S.What = "tiled sum";
  if (C->Shape.Quads) {
    S.WhyNot = "the tiled sum loads vectors already";
    return true;
  }
  Contraction New = *C;
  New.Shape.Quads = true;
  bool Any = false;
  for (TileOperand &O : New.Operands) {
    bool Fits = O.Bytes == 4 && (O.AlongSum || O.AlongOutput);
    Any |= Fits;
    if (O.Bytes == 4)
      O.Pad = (O.Pad + 3) / 4 * 4; // rows of a tile start at multiples of a vector
  }
  S.WhyNot = !Any ? "no operand has neighbours in memory that a thread could take together" : New.whyNot(New.Shape, Ctx.Limits);
  if (S.WhyNot.empty())
    S.Sets.push_back({{{"width", 4}}, New.effect(New.Shape, Ctx.Limits)});
  const ActionContext *Context = &Ctx;
  const KernelView *View = &K;
  S.Apply = [Context, View, New](const Settings &) { return emitContraction(*Context, *View, New); };
  return true;
}

/// Passes of a block over a row, and threads that stride over all elements.
bool rowSite(ActionContext &Ctx, const KernelView &K, Site &S) {
  auto R = std::make_shared<std::optional<RowKernel>>(recogniseRows(Ctx, K, S.WhyNot));
  if (!*R) // a loop that strides, but not so
    return !S.WhyNot.empty() && llvm::StringRef(S.WhyNot).starts_with("line");
  S.What = (*R)->Global ? "threads that stride over the elements" : "passes over a row";
  S.Where = Ctx.TU.where((*R)->Passes.front().Loop->getForLoc());
  RowShape Shape = (*R)->Shape;
  bool Any = llvm::any_of((*R)->Buffers, [](const RowBuffer &B) { return B.WhyNot.empty() && !B.Vector.empty(); });
  if (Shape.Width > 1)
    S.WhyNot = "the passes load vectors already";
  else if (!(*R)->WhyNotWide.empty())
    S.WhyNot = (*R)->WhyNotWide;
  else if (!Any)
    S.WhyNot = "no buffer is touched at the loop's place in a type that comes in vectors";
  else if (std::string Taken = takenName(Ctx, **R); !Taken.empty())
    S.WhyNot = "the kernel uses the name " + Taken;
  Shape.Width = (*R)->fullWidth();
  if (Shape.Items) // the same elements stay in registers
    Shape.Items = std::max(1u, Shape.Items / Shape.Width);
  if (S.WhyNot.empty())
    S.Sets.push_back({{{"width", Shape.Width}}, llvm::json::Object{{"memory_instructions", "1/" + std::to_string(Shape.Width)}}});
  const ActionContext *Context = &Ctx;
  S.Apply = [Context, R, Shape](const Settings &) -> llvm::Expected<std::vector<Edit>> {
    return std::vector<Edit>{Context->replace((*R)->Whole, emitRows(*Context, **R, Shape))};
  };
  return true;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one element a thread");
    S.OnlyListed = true;
    std::string Fixed = Ctx.whyLaunchesAreFixed(K);
    if (tiledSite(Ctx, K, S)) {
      if (S.WhyNot.empty())
        S.WhyNot = Fixed;
      Out.push_back(std::move(S));
      continue;
    }
    MapKernel M = mapKernel(Ctx, K);
    if (!M.Index && rowSite(Ctx, K, S)) {
      // the kernel's launches stay
    } else if (!M.Index) {
      S.WhyNot = M.WhyNot;
    } else if (std::string Why = whyNotOneInstance(K); !Why.empty()) {
      S.WhyNot = Why;
    } else if (!Fixed.empty()) {
      S.WhyNot = Fixed;
    } else {
      auto V = std::make_shared<MapVectors>(Ctx, K, M);
      S.WhyNot = V->plan();
      if (S.WhyNot.empty())
        S.Sets.push_back({{{"width", V->width()}}, llvm::json::Object{{"memory_instructions", "1/" + std::to_string(V->width())}, {"threads", "1/" + std::to_string(V->width())}}});
      S.Apply = [V](const Settings &) { return V->apply(); };
    }
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(VectorizeLoads, "vectorize-loads", "load and store several elements at a time", {{"width", "elements of a vector", {2, 4}}}, find);

} // namespace

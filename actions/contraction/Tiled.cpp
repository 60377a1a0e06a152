// Reads a tiled kernel back: see Contraction.h. What is read is only trusted when writing it again gives the same words.
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Tokens.h"

using namespace clang;
using namespace kcheck;

namespace {

class TiledReader {
public:
  TiledReader(ActionContext &Ctx, const KernelView &K, const std::string &Suffix) : Ctx(Ctx), K(K) { C.Suffix = Suffix; }

  std::optional<Contraction> run() {
    bool Read = preamble() && tiles() && counter() && outputs() && sum();
    if (!Read)
      return std::nullopt;
    for (const Part &P : Parts)
      if (!operand(P))
        return std::nullopt;
    if (!body())
      return std::nullopt;
    C.OldRows = C.Shape.BM;
    C.OldColumns = C.Shape.BN;
    return std::move(C);
  }

private:
  struct Part {
    const VarDecl *Tile;
    const VarDecl *Values; ///< xPart
  };
  std::string n(StringRef Name) const { return (Name + C.Suffix).str(); }
  bool isOurs(const VarDecl *V, StringRef Name) const { return V && V->getIdentifier() && V->getName() == n(Name); }

  static const VarDecl *single(const Stmt *S) {
    const auto *D = dyn_cast_or_null<DeclStmt>(S);
    return D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  }

  std::optional<unsigned> number(StringRef Name) const {
    for (const VarDecl *V : Locals)
      if (isOurs(V, Name) && V->getInit())
        if (auto N = Ctx.constant(V->getInit()); N && *N > 0)
          return unsigned(*N);
    return std::nullopt;
  }
  const VarDecl *local(StringRef Name) const {
    for (const VarDecl *V : Locals)
      if (isOurs(V, Name))
        return V;
    return nullptr;
  }

  /// Constants and everything in front of them.
  bool preamble() {
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S))
        for (const Decl *X : D->decls())
          if (const auto *V = dyn_cast<VarDecl>(X))
            Locals.push_back(V);
    });
    auto BM = number("BM"), BN = number("BN"), BK = number("BK"), TM = number("TM"), TN = number("TN");
    if (!BM || !BN || !BK || !TM || !TN || !local("THREADS"))
      return false;
    C.Shape.BM = *BM, C.Shape.BN = *BN, C.Shape.BK = *BK, C.Shape.TM = *TM, C.Shape.TN = *TN;
    for (const Stmt *S : K.body()->body()) {
      if (const auto *D = dyn_cast<DeclStmt>(S); D && isOurs(dyn_cast<VarDecl>(*D->decl_begin()), "BM"))
        return true;
      C.Preamble.push_back(Ctx.text(S) + (isa<Expr>(S) ? ";" : ""));
    }
    return false;
  }

  bool tiles() {
    C.Shape.Double = local("fetch") != nullptr;
    C.Shape.Async = C.Shape.Double && !local("stage");
    for (const VarDecl *V : Locals) {
      if (isSharedVariable(V)) {
        StringRef Name = V->getName();
        if (!Name.consume_back("Tile" + C.Suffix))
          return false;
        TileOperand O;
        O.Base = Name.str();
        QualType T = V->getType();
        std::vector<uint64_t> Dims;
        while (const auto *A = Ctx.AST.getAsConstantArrayType(T)) {
          Dims.push_back(A->getSize().getZExtValue());
          T = A->getElementType();
        }
        if (Dims.size() != (C.Shape.Double ? 3u : 2u))
          return false;
        O.Type = typeText(Ctx, T);
        O.Bytes = unsigned(Ctx.AST.getTypeSizeInChars(T).getQuantity());
        Widths.push_back(Dims.back());
        C.Shape.Quads |= V->hasAttr<AlignedAttr>();
        O.Copyable = isCopyable(Ctx, T);
        Parts.push_back({V, local(O.Base + "Part")});
        C.Operands.push_back(std::move(O));
      }
    }
    return C.Operands.size() >= 2;
  }

  /// The loop over slices.
  bool counter() {
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *F = dyn_cast<ForStmt>(S))
        if (isOurs(single(F->getInit()), "tile"))
          Slices = F;
    });
    const auto *Cond = Slices ? dyn_cast_or_null<BinaryOperator>(Slices->getCond()) : nullptr;
    if (!Cond)
      return false;
    const VarDecl *V = single(Slices->getInit());
    C.StepType = typeText(Ctx, V->getType());
    C.Low = Ctx.text(V->getInit()->getSourceRange());
    C.High = Ctx.text(Cond->getRHS()->getSourceRange());
    return true;
  }

  static const Stmt *inside(const Stmt *S) {
    if (const auto *A = dyn_cast_or_null<AttributedStmt>(S))
      return A->getSubStmt();
    return S;
  }
  static llvm::ArrayRef<Stmt *> parts(const Stmt *S) {
    const auto *B = dyn_cast_or_null<CompoundStmt>(S);
    return B ? llvm::ArrayRef<Stmt *>(const_cast<CompoundStmt *>(B)->body_begin(), B->size()) : llvm::ArrayRef<Stmt *>();
  }

  /// The loops behind the sum: indices, guards, the user's words.
  bool outputs() {
    if (K.body()->body_empty())
      return false;
    const auto *U = dyn_cast<ForStmt>(inside(K.body()->body_back()));
    auto Outer = parts(U ? U->getBody() : nullptr);
    if (Outer.size() != 2)
      return false;
    RowVar = single(Outer[0]);
    const auto *V = dyn_cast<ForStmt>(inside(Outer[1]));
    auto Inner = parts(V ? V->getBody() : nullptr);
    if (Inner.size() != 2 || !RowVar)
      return false;
    ColumnVar = single(Inner[0]);
    if (!ColumnVar)
      return false;
    C.Row.Type = typeText(Ctx, RowVar->getType());
    C.Row.Name = RowVar->getNameAsString();
    C.Column.Type = typeText(Ctx, ColumnVar->getType());
    C.Column.Name = ColumnVar->getNameAsString();
    const Stmt *Scope = Inner[1];
    if (const auto *If = dyn_cast<IfStmt>(Scope)) {
      std::vector<const Expr *> Atoms;
      conjuncts(If->getCond(), Atoms);
      for (const Expr *A : Atoms) {
        auto Names = namedIn(A);
        bool Row = Names.count(RowVar);
        std::string Text = Ctx.text(A->getSourceRange());
        if (isa<BinaryOperator>(A) && cast<BinaryOperator>(A)->getOpcode() == BO_LOr)
          Text = "(" + Text + ")";
        addGuard(Ctx, Row ? C.Row : C.Column, Row ? RowVar : ColumnVar, A, Text, false);
      }
      Scope = If->getThen();
    }
    bool SumSeen = false;
    for (const Stmt *S : parts(Scope)) {
      std::string Text = Ctx.text(S) + (isa<Expr>(S) ? ";" : "");
      if (SumSeen) {
        C.Epilogue.push_back(Text);
        continue;
      }
      const VarDecl *D = single(S);
      if (D && local(D->getNameAsString() + "Tile")) {
        SumSeen = true;
        C.SumName = D->getNameAsString();
        C.SumType = typeText(Ctx, D->getType());
        const Expr *Init = D->getInit() ? D->getInit()->IgnoreImpCasts() : nullptr;
        const auto *B = dyn_cast_or_null<BinaryOperator>(Init);
        if (B && B->getOpcode() == BO_Add)
          C.SumInit = Ctx.text(B->getLHS()->getSourceRange());
        continue;
      }
      C.PerOutput.push_back(Text);
    }
    return SumSeen;
  }

  bool sum() {
    SumTile = local(C.SumName + "Tile");
    return SumTile && !C.Epilogue.empty();
  }

  bool generated(const VarDecl *V) const {
    for (StringRef N : tileNames())
      if (isOurs(V, N))
        return true;
    StringRef Name = V->getIdentifier() ? V->getName() : "";
    for (const Part &P : Parts)
      if (V == P.Tile || V == P.Values || Name == StringRef(P.Tile->getName()).drop_back(4 + C.Suffix.size()).str() + "Next" + C.Suffix)
        return true;
    return V == SumTile;
  }

  /// The loop that fetches an operand; its load, and the declarations that it needs.
  bool operand(const Part &P) {
    size_t I = &P - Parts.data();
    TileOperand &O = C.Operands[I];
    const VarDecl *Target = C.Shape.Double && !C.Shape.Async ? local(O.Base + "Next") : P.Tile;
    // the innermost for over slots or rounds that mentions the target and holds a load
    const Expr *Fill = nullptr; ///< what the tile gets; of a copy past the registers, its address
    const ForStmt *Around = nullptr;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const auto *F = dyn_cast<ForStmt>(S);
      const VarDecl *V = F ? single(F->getInit()) : nullptr;
      if (!V || !(isOurs(V, "slot") || isOurs(V, "round")) || !namedIn(F->getBody()).count(Target) || Fill)
        return;
      forEachStmt(F->getBody(), [&](const Stmt *X) {
        const auto *Copy = dyn_cast<CallExpr>(X);
        if (C.Shape.Async && Copy && !Fill && calleeName(Copy) == "__pipeline_memcpy_async" && Copy->getNumArgs() >= 2) {
          Fill = Copy->getArg(1)->IgnoreParenImpCasts();
          Around = F;
        }
        const auto *B = dyn_cast<BinaryOperator>(X);
        if (!B || B->getOpcode() != BO_Assign || C.Shape.Async)
          return;
        bool Own = false, Foreign = false;
        for (const ValueDecl *D : namedIn(B->getRHS()))
          if (const auto *RV = dyn_cast<VarDecl>(D)) {
            Own |= generated(RV);
            Foreign = true;
          }
        if (!Own && Foreign && !Ctx.constant(B->getRHS())) {
          Fill = B->getRHS();
          Around = F;
        }
      });
    });
    if (!Fill)
      return false;
    std::vector<const VarDecl *> Declared;
    forEachStmt(Around->getBody(), [&](const Stmt *S) {
      const VarDecl *V = single(S);
      if (!V || generated(V))
        return;
      Declared.push_back(V);
      std::string Name = V->getNameAsString();
      if (Name == C.Row.Name || Name == C.Column.Name) {
        O.OfRow = Name == C.Row.Name;
        Output = V;
      } else if (V->getInit() && namesOurs(V->getInit(), "tile")) {
        Step = V;
        C.StepName = Name;
      } else {
        O.Needs.push_back(Ctx.text(static_cast<const Stmt *>(S)));
      }
    });
    if (!Output || !Step)
      return false;
    std::optional<LoadParts> L = C.Shape.Async ? placeOf(Ctx, Fill) : loadOf(Ctx, Fill);
    for (const Expr *E = Fill; !L;) { // behind a conversion
      const auto *Cast = dyn_cast<ImplicitCastExpr>(E);
      if (!Cast)
        break;
      E = Cast->getSubExpr();
      L = loadOf(Ctx, E);
      O.Copyable = false;
    }
    if (!L)
      return false;
    O.Load = !C.Shape.Async ? Ctx.text(Fill->getSourceRange()) : L->Address[0] == '&' ? L->Address.substr(1) : "*(" + L->Address + ")";
    O.Address = L->Address;
    const Expr *Where = L->Index ? L->Index : L->Pointer;
    bool Direct = !namedIn(L->Pointer).count(Step) || L->Pointer == Where;
    O.AlongSum = Direct && coefficient(Ctx, Where, Step) == 1;
    O.AlongOutput = !O.AlongSum && Direct && O.Needs.empty() && coefficient(Ctx, Where, Output) == 1;
    uint64_t Extent = O.OfRow ? C.Shape.BM : C.Shape.BN;
    if (Widths[I] < Extent)
      return false;
    O.Pad = unsigned(Widths[I] - Extent);
    Step = Output = nullptr;
    return true;
  }

  bool namesOurs(const Stmt *S, StringRef Name) const {
    for (const ValueDecl *D : namedIn(S))
      if (isOurs(dyn_cast<VarDecl>(D), Name))
        return true;
    return false;
  }

  /// The statements of the innermost loop, loads and the sum turned to holes again.
  bool body() {
    const ForStmt *Inner = nullptr;
    forEachStmt(Slices->getBody(), [&](const Stmt *S) {
      if (const auto *F = dyn_cast<ForStmt>(S); F && isOurs(single(F->getInit()), "v") && namedIn(F->getBody()).count(SumTile))
        Inner = F;
    });
    if (!Inner)
      return false;
    for (const Stmt *S : parts(Inner->getBody())) {
      std::vector<Edit> Holes;
      forEachStmt(S, [&](const Stmt *X) {
        const auto *A = dyn_cast<ArraySubscriptExpr>(X);
        if (!A)
          return;
        const ValueDecl *Base = referredTo(A->getBase());
        if (const auto *Outer = dyn_cast<ArraySubscriptExpr>(A->getBase()->IgnoreParenImpCasts()); Outer && referredTo(Outer->getBase()) == SumTile)
          Holes.push_back(Ctx.replace(A->getSourceRange(), std::string(1, SumHole)));
        for (size_t I = 0; I < Parts.size(); ++I)
          if (Base && Base == Parts[I].Values)
            Holes.push_back(Ctx.replace(A->getSourceRange(), operandHole(I)));
      });
      C.Body.push_back(Ctx.text(Ctx.bytes(S), Holes) + (isa<Expr>(S) ? ";" : ""));
    }
    return !C.Body.empty();
  }

  ActionContext &Ctx;
  const KernelView &K;
  Contraction C;
  std::vector<const VarDecl *> Locals;
  std::vector<Part> Parts;
  std::vector<uint64_t> Widths;
  const ForStmt *Slices = nullptr;
  const VarDecl *RowVar = nullptr, *ColumnVar = nullptr, *SumTile = nullptr;
  const VarDecl *Step = nullptr, *Output = nullptr;
};

/// Words of a body that carry its meaning: no unroll pragmas, no braces around single statements.
std::vector<std::string> meaning(StringRef Text, const LangOptions &LO) {
  std::vector<Word> W = wordsOf(Text, LO);
  std::vector<std::string> Out;
  for (size_t I = 0; I < W.size(); ++I) {
    if (W[I].Text == "#" && I + 2 < W.size() && W[I + 1].Text == "pragma") {
      bool Number = I + 3 < W.size() && isdigit(static_cast<unsigned char>(W[I + 3].Text[0]));
      I += Number ? 3 : 2;
      continue;
    }
    if (W[I].Text != "{" && W[I].Text != "}")
      Out.push_back(W[I].Text);
  }
  return Out;
}

} // namespace

std::optional<Contraction> kcheck::recogniseTiled(ActionContext &Ctx, const KernelView &K, std::string &WhyNot) {
  if (!K.body() || !whyNotOneInstance(K).empty() || !Ctx.editable(K.body()->getSourceRange()))
    return std::nullopt;
  for (const char *Suffix : {"", "2", "3"}) {
    auto C = TiledReader(Ctx, K, Suffix).run();
    if (!C)
      continue;
    auto Have = meaning(Ctx.text(K.body()->getSourceRange()), Ctx.LO), Want = meaning(emitBody(*C), Ctx.LO);
    if (Have == Want)
      return C;
    size_t I = 0;
    while (I < Have.size() && I < Want.size() && Have[I] == Want[I])
      ++I;
    std::string Near;
    for (size_t J = I < 3 ? 0 : I - 3; J < std::min(I + 4, Have.size()); ++J)
      Near += (Near.empty() ? "" : " ") + Have[J];
    WhyNot = "the tiled loop was changed by hand near '" + Near + "'";
  }
  return std::nullopt;
}

#include "actions/vectorize-loads/MapVectors.h"
#include "actions/engine/Buffers.h"
#include "actions/engine/Launches.h"

using namespace clang;
using namespace kcheck;

/// Element types that have vectors of two and of four, and how these begin.
static llvm::StringRef vectorWord(llvm::StringRef Scalar) {
  static const std::map<llvm::StringRef, llvm::StringRef> Words{
      {"float", "float"},   {"int", "int"},   {"unsigned int", "uint"},     {"double", "double"},       {"long long", "longlong"},   {"unsigned long long", "ulonglong"},
      {"short", "short"},   {"char", "char"}, {"unsigned short", "ushort"}, {"signed char", "char"},    {"unsigned char", "uchar"}};
  auto It = Words.find(Scalar);
  return It == Words.end() ? llvm::StringRef() : It->second;
}

MapVectors::MapVectors(ActionContext &Ctx, const KernelView &K, MapKernel M) : Ctx(Ctx), K(K), M(std::move(M)), X(Ctx) {}

std::string MapVectors::plan() {
  if (!M.Offsets.empty())
    return "the elements begin at an offset: no vector of them would be aligned";
  if (M.Span && Ctx.constant(M.Span) != blockWidth(Ctx, K))
    return "the index counts blocks of " + Ctx.text(M.Span->getSourceRange()) + ", which the launches do not plainly have";
  collect();
  if (!Why.empty())
    return Why;
  if (!Hazard.empty())
    if (std::string Same = whyBuffersMayCoincide(Ctx, K); !Same.empty())
      return Hazard + " (" + Same + ")";
  if (llvm::none_of(Lanes, [](const Lane &L) { return !L.Vector.empty(); }))
    return !Scalar.empty() ? Scalar : "no buffer is touched at [" + M.Index->getNameAsString() + "] in a type that comes in vectors";
  Width = 4;
  for (const Lane &L : Lanes)
    if (!L.Vector.empty() && L.Bytes == 8)
      Width = 2;
  if (!Ctx.isFree(K.Decl, "part"))
    return "the kernel uses the name part";
  for (const Lane &L : Lanes)
    for (const char *N : {"Quad", "Part"})
      if (!L.Vector.empty() && !Ctx.isFree(K.Decl, name(L) + N))
        return "the kernel uses the name " + name(L) + N;
  return {};
}

std::string MapVectors::name(const Lane &L) const {
  unsigned Before = 0; // lanes of one buffer are told apart
  for (const Lane &O : Lanes) {
    if (&O == &L)
      break;
    Before += O.P == L.P;
  }
  return L.P->getNameAsString() + (Before ? std::to_string(Before + 1) : "");
}

std::string MapVectors::vectorOf(const Lane &L) const { return L.Vector + std::to_string(Width); }

std::string MapVectors::aligned() const {
  std::map<int64_t, std::pair<std::string, unsigned>, std::greater<>> Tests; // by the bytes of a vector
  for (const Lane &L : Lanes) {
    if (L.Vector.empty())
      continue;
    auto &[Words, Count] = Tests[L.Bytes * Width];
    std::string Address = L.Plain ? L.P->getNameAsString() : "&" + L.P->getNameAsString() + "[" + L.Subscript + "]";
    Words += (Count++ ? " | " : "") + ("reinterpret_cast<size_t>(" + Address + ")");
  }
  std::string Out;
  for (auto &[Bytes, T] : Tests)
    Out += " && " + (T.second > 1 ? "(" + T.first + ")" : T.first) + " % " + std::to_string(Bytes) + " == 0";
  return Out;
}

llvm::Expected<std::vector<Edit>> MapVectors::apply() const {
  std::string I = M.Index->getNameAsString(), W = std::to_string(Width), Last = std::to_string(Width - 1);
  std::string Start = M.wideType(Ctx) ? "static_cast<" + M.type(Ctx) + ">(" + M.start(Ctx) + ")" : "(" + M.start(Ctx) + ")";
  std::string T = M.front(Ctx) + M.type(Ctx) + " " + I + " = " + Start + " * " + W + ";\n";
  T += "if (" + I + " + " + Last + " < " + M.bound(Ctx) + aligned() + ") {\n";
  std::vector<Edit> Inner;
  llvm::DenseSet<const DeclRefExpr *> Inside;
  for (const Lane &L : Lanes) {
    if (L.Vector.empty())
      continue;
    std::string N = name(L), V = vectorOf(L);
    if (L.Read) {
      T += "const " + V + " " + N + "Quad = *reinterpret_cast<const " + V + " *>(&" + L.P->getNameAsString() + "[" + L.Subscript + "]);\n";
      T += (L.Written ? "" : "const ") + L.Scalar + " " + N + "Part[" + W + "] = {";
      for (unsigned J = 0; J < Width; ++J)
        T += (J ? ", " : "") + N + "Quad." + "xyzw"[J];
      T += "};\n";
    } else {
      T += L.Scalar + " " + N + "Part[" + W + "];\n";
    }
    for (const ArraySubscriptExpr *A : L.Places) {
      Inner.push_back(Ctx.replace(A->getSourceRange(), N + "Part[part]"));
      forEachStmt(A, [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclRefExpr>(S))
          Inside.insert(D);
      });
    }
  }
  auto Others = [&](const Stmt *S) {
    forEachStmt(S, [&](const Stmt *Y) {
      if (const auto *D = dyn_cast<DeclRefExpr>(Y); D && D->getDecl() == M.Index && !Inside.count(D))
        Inner.push_back(Ctx.replace(D->getSourceRange(), "(" + I + " + part)"));
    });
  };
  for (const Stmt *S : M.Between)
    Others(S);
  for (const Expr *E : M.Conditions)
    Others(E);
  for (const Stmt *S : M.Work)
    Others(S);
  T += "#pragma unroll\nfor (int part = 0; part < " + W + "; ++part) {\n" + M.work(Ctx, Inner) + "}\n";
  for (const Lane &L : Lanes)
    if (L.Written && !L.Vector.empty()) {
      T += "*reinterpret_cast<" + vectorOf(L) + " *>(&" + L.P->getNameAsString() + "[" + L.Subscript + "]) = make_" + vectorOf(L) + "(";
      for (unsigned J = 0; J < Width; ++J)
        T += (J ? ", " : "") + name(L) + "Part[" + std::to_string(J) + "]";
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

/// What each element runs, one after the other.
std::vector<const Stmt *> MapVectors::statements() const {
  std::vector<const Stmt *> Out = M.Between;
  const auto *Block = M.Work.size() == 1 ? dyn_cast<CompoundStmt>(M.Work[0]) : nullptr;
  if (Block)
    Out.insert(Out.end(), Block->body_begin(), Block->body_end());
  else
    Out.insert(Out.end(), M.Work.begin(), M.Work.end());
  return Out;
}

/// Is V declared where a vector is read: in front of the work, and the same along x?
bool MapVectors::inFront(const VarDecl *V) const {
  if (isa<ParmVarDecl>(V) || Ctx.offset(V->getLocation()) < Ctx.offset(M.IndexDecl->getBeginLoc()))
    return true;
  return llvm::any_of(M.Front, [&](const Stmt *S) { const auto *D = dyn_cast<DeclStmt>(S); return D && llvm::is_contained(D->decls(), V); });
}

/// The words of a subscript that is the index plus what is the same along x. Declarations of the work are filled in.
std::optional<std::string> MapVectors::neighbour(const Expr *Subscript) {
  std::vector<const Expr *> Terms;
  addends(Subscript, Terms);
  const VarDecl *Local = nullptr; // `const size_t at = y * w + i;`
  if (const auto *V = Terms.size() == 1 ? dyn_cast_or_null<VarDecl>(referredTo(Terms[0])) : nullptr; V && V != M.Index && Ctx.get<VariableWrites>().onlyValue(V))
    for (const Stmt *S : statements())
      if (const auto *D = dyn_cast<DeclStmt>(S); D && llvm::is_contained(D->decls(), V))
        Local = V;
  const Expr *Whole = Local ? Local->getInit() : Subscript;
  if (!Whole || !Ctx.editable(Whole->getSourceRange()))
    return std::nullopt;
  if (Local) {
    if (!Local->getType()->isIntegerType() || Ctx.AST.getTypeSize(Local->getType()) < Ctx.AST.getTypeSize(M.Index->getType()))
      return std::nullopt;
    Terms.clear();
    addends(Whole, Terms);
  }
  unsigned Indices = 0;
  for (const Expr *T : Terms) {
    if (refersTo(T, M.Index))
      ++Indices;
    else if (!X.same(T) || !Ctx.isPure(T))
      return std::nullopt;
    else
      for (const ValueDecl *D : namedIn(T)) // of the work itself: not there in front of it
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->isLocalVarDeclOrParm() && !inFront(V))
          return std::nullopt;
  }
  return Indices == 1 ? std::optional(Ctx.text(Whole->getSourceRange())) : std::nullopt;
}

Lane *MapVectors::lane(const VarDecl *P, const std::string &Subscript) {
  for (Lane &L : Lanes)
    if (L.P == P && L.Subscript == Subscript)
      return &L;
  Lane L;
  L.P = P;
  L.Subscript = Subscript;
  L.Plain = Subscript == M.Index->getNameAsString();
  QualType T = P->getType()->getPointeeType();
  PrintingPolicy Policy(Ctx.LO);
  L.Scalar = T.getUnqualifiedType().getCanonicalType().getAsString(Policy);
  if (!T.isVolatileQualified())
    L.Vector = vectorWord(L.Scalar).str();
  L.Bytes = T->isIncompleteType() ? 0 : Ctx.AST.getTypeSizeInChars(T).getQuantity();
  Lanes.push_back(std::move(L));
  return &Lanes.back();
}

Lane *MapVectors::laneOf(const Stmt *Place) {
  auto It = LaneAt.find(Place);
  return It == LaneAt.end() ? nullptr : &Lanes[It->second];
}

void MapVectors::collect() {
  llvm::DenseSet<const DeclRefExpr *> Fine;
  std::vector<const Stmt *> All = M.Between;
  All.insert(All.end(), M.Conditions.begin(), M.Conditions.end());
  All.insert(All.end(), M.Work.begin(), M.Work.end());
  for (const Stmt *Top : All)
    forEachStmt(Top, [&](const Stmt *S) {
      const auto *A = dyn_cast<ArraySubscriptExpr>(S);
      const auto *D = A ? dyn_cast<DeclRefExpr>(A->getBase()->IgnoreParenImpCasts()) : nullptr;
      const auto *P = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      bool There = P && P->getType()->isPointerType() && P->isLocalVarDeclOrParm() && inFront(P) && X.same(P);
      auto Words = There ? neighbour(A->getIdx()) : std::nullopt;
      if (!Words)
        return;
      Lane *L = lane(P, *Words);
      Fine.insert(D);
      L->Places.push_back(A);
      LaneAt[A] = unsigned(L - Lanes.data());
      if (!Ctx.editable(A->getSourceRange()))
        L->Vector.clear();
    });
  // a pointer that is used in any other way stays as it is
  for (const Stmt *Top : All)
    forEachStmt(Top, [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclRefExpr>(S); D && !Fine.count(D))
        for (Lane &L : Lanes)
          if (L.P == D->getDecl())
            L.Vector.clear();
      if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
        Why = "the work loops: a thread does more than one element";
      if (const auto *C = dyn_cast<CallExpr>(S); C && callKind(C) == CallKind::Atomic)
        Why = "the work holds atomics";
      if (isa<LambdaExpr, SwitchStmt>(S))
        Why = "the work switches, or holds a lambda";
    });
  if (!Why.empty())
    return;
  Way W;
  W.Done.resize(Lanes.size());
  W.Maybe.resize(Lanes.size());
  for (const Stmt *S : M.Between)
    walk(S, W);
  for (const Expr *E : M.Conditions)
    walk(E, W);
  if (!M.Conditions.empty()) // they may end it here
    Ends.push_back(W);
  for (const Stmt *S : M.Work)
    walk(S, W);
  if (!W.Ended)
    Ends.push_back(W);
  for (size_t I = 0; I < Lanes.size(); ++I) {
    Lane &L = Lanes[I];
    if (L.Vector.empty())
      continue;
    if (L.Written && !llvm::all_of(Ends, [&](const Way &E) { return E.Done[I]; }))
      Scalar = "the store to " + L.P->getNameAsString() + " is not made by every thread below the bound", L.Vector.clear();
    else if (L.Written && llvm::count_if(Lanes, [&](const Lane &O) { return O.P == L.P; }) > 1)
      L.Vector.clear(); // where two places are one, what is stored at the first is read at the second
    if (!L.Read && !L.Written)
      L.Vector.clear();
  }
}

void MapVectors::read(Lane &L, const Way &W) {
  const size_t I = size_t(&L - Lanes.data());
  if (!W.Done[I])
    L.Read = true;
  if (L.Vector.empty())
    return;
  // The vector is read in front of all stores: none of them may be to the same memory.
  auto Apart = [&](const Lane &O) { return isa<ParmVarDecl>(L.P) && isa<ParmVarDecl>(O.P) && (L.P->getType().isRestrictQualified() || O.P->getType().isRestrictQualified()); };
  for (size_t J = 0; J < Lanes.size(); ++J)
    if (J != I && W.Maybe[J] && Lanes[J].Scalar == L.Scalar && Lanes[J].P != L.P && !Apart(Lanes[J])) {
      Hazard = L.P->getNameAsString() + " is read after a store to " + Lanes[J].P->getNameAsString() + ", which could be the same: apply qualify first";
      if (!isa<ParmVarDecl>(L.P) || !isa<ParmVarDecl>(Lanes[J].P))
        Why = L.P->getNameAsString() + " is read after a store to " + Lanes[J].P->getNameAsString() + ", which could be the same";
    }
  if (llvm::is_contained(W.Other, L.Scalar) && !L.P->getType().isRestrictQualified())
    Why = L.P->getNameAsString() + " is read after a store elsewhere, which could be the same memory";
}

void MapVectors::store(const Expr *To, bool ReadsToo, Way &W) {
  const auto *Place = To->IgnoreParens();
  Lane *L = laneOf(Place);
  if (!L) {
    if (const VarDecl *V = changedVariable(Place); V && V->isLocalVarDeclOrParm())
      return;
    PrintingPolicy Policy(Ctx.LO);
    W.Other.push_back(To->getType().getUnqualifiedType().getCanonicalType().getAsString(Policy));
    return;
  }
  if (ReadsToo)
    read(*L, W);
  const size_t I = size_t(L - Lanes.data());
  L->Written = true;
  W.Done[I] = W.Maybe[I] = true;
}

void MapVectors::walkBranches(std::vector<Way> Ways, Way &W) {
  std::erase_if(Ways, [](const Way &X) { return X.Ended; });
  if (Ways.empty()) {
    W.Ended = true;
    return;
  }
  W = Ways.front();
  for (const Way &X : llvm::drop_begin(Ways)) {
    for (size_t I = 0; I < Lanes.size(); ++I) {
      W.Done[I] = W.Done[I] && X.Done[I];
      W.Maybe[I] = W.Maybe[I] || X.Maybe[I];
    }
    W.Other.insert(W.Other.end(), X.Other.begin(), X.Other.end());
  }
}

/// In the order in which it runs.
void MapVectors::walk(const Stmt *S, Way &W) {
  if (!S || W.Ended)
    return;
  if (isa<ReturnStmt>(S)) {
    Ends.push_back(W);
    W.Ended = true;
    return;
  }
  if (const auto *I = dyn_cast<IfStmt>(S)) {
    walk(I->getInit(), W);
    walk(I->getConditionVariableDeclStmt(), W);
    walk(I->getCond(), W);
    Way Then = W, Else = W;
    walk(I->getThen(), Then);
    walk(I->getElse(), Else);
    return walkBranches({Then, Else}, W);
  }
  if (const auto *C = dyn_cast<AbstractConditionalOperator>(S)) {
    walk(C->getCond(), W);
    Way True = W, False = W;
    walk(C->getTrueExpr(), True);
    walk(C->getFalseExpr(), False);
    return walkBranches({True, False}, W);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(S)) {
    if (B->isLogicalOp()) {
      walk(B->getLHS(), W);
      Way Right = W;
      walk(B->getRHS(), Right);
      return walkBranches({W, Right}, W);
    }
    if (B->isAssignmentOp()) {
      walk(B->getRHS(), W);
      if (!laneOf(B->getLHS()->IgnoreParens()))
        for (const Stmt *C : B->getLHS()->children())
          walk(C, W);
      return store(B->getLHS(), B->isCompoundAssignmentOp(), W);
    }
  }
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    return store(U->getSubExpr(), true, W);
  if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_LValueToRValue)
    if (Lane *L = laneOf(C->getSubExpr()->IgnoreParens()))
      return read(*L, W);
  if (Lane *L = laneOf(S)) // its address, or a reference to it
    Why = "an element of " + L->P->getNameAsString() + " is used other than by reading and storing";
  if (const auto *P = dyn_cast<PseudoObjectExpr>(S); P && builtinUse(P))
    return;
  for (const Stmt *C : S->children())
    walk(C, W);
  if (const auto *C = dyn_cast<CallExpr>(S)) {
    for (const Expr *A : C->arguments())
      if (QualType T = A->getType(); T->isPointerType() && !T->getPointeeType().isConstQualified()) {
        PrintingPolicy Policy(Ctx.LO);
        W.Other.push_back(T->getPointeeType().getUnqualifiedType().getCanonicalType().getAsString(Policy));
      }
  }
}

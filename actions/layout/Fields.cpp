#include "actions/layout/Fields.h"
#include "actions/contraction/Words.h"
#include "actions/engine/Accumulation.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"
#include "actions/layout/Staging.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kcheck;

static const CXXRecordDecl *recordOf(QualType T) {
  const auto *R = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
  return R ? R->getDefinition() : nullptr;
}

/// Parentheses and added qualifiers.
static const Expr *bare(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    const auto *C = dyn_cast<ImplicitCastExpr>(E);
    if (!C || C->getCastKind() != CK_NoOp)
      return E;
    E = C->getSubExpr();
  }
}

bool FieldArrays::isArrayOfStructures(const ParmVarDecl *P) {
  const CXXRecordDecl *R = P->getType()->isPointerType() ? recordOf(P->getType()->getPointeeType()) : nullptr;
  return R && !R->field_empty();
}

FieldArrays::FieldArrays(ActionContext &Ctx, const KernelView &K, const MapKernel &M, const ParmVarDecl *P)
    : Ctx(Ctx), K(K), M(M), P(P), Writes(Ctx.get<VariableWrites>()), Record(recordOf(P->getType()->getPointeeType())) {
  record();
  if (Fault.empty())
    aliases();
  if (Fault.empty())
    walk(K.body());
  if (!Fault.empty())
    return;
  unsigned Mentions = 0;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        Mentions += V == P || Aliases.contains(V);
  });
  if (Mentions != Seen.size())
    no(P->getNameAsString() + " is used other than by fields of its elements");
  if (Uses.empty())
    no("no field of " + P->getNameAsString() + " is used");
  otherMemory();
  launches();
}

/// Is the structure one whose fields may live apart?
void FieldArrays::record() {
  const std::string Name = Record->getNameAsString();
  if (K.Template)
    return no("the kernel is a template, whose arguments are found by the structure");
  if (!Record->isTriviallyCopyable() || Record->isUnion() || Record->getNumBases() || Name.empty())
    return no("the structure is no plain one with a name");
  for (const FieldDecl *F : Record->fields())
    if (F->isBitField() || F->getNameAsString().empty() || F->getAccess() == AS_private || F->getAccess() == AS_protected || F->getType().isVolatileQualified())
      return no("a field of " + Name + " has no address of its own, no name, or is not public");
  if (std::distance(Record->field_begin(), Record->field_end()) < 2)
    return no(Name + " has one field only");
  const ASTRecordLayout &Layout = Ctx.AST.getASTRecordLayout(Record);
  if (Layout.getSize() == Layout.getAlignment() && Layout.getSize().getQuantity() <= 16)
    return no("an element of " + Name + " is one aligned access already");
  if (!Writes.of(P).empty() || P->getType()->getPointeeType().isVolatileQualified())
    return no(P->getNameAsString() + " is changed, or volatile");
  if (std::distance(K.Decl->redecls_begin(), K.Decl->redecls_end()) > 1)
    return no(K.Name + " is declared elsewhere too");
  if (!Ctx.editable(P->getSourceRange()))
    return no("the parameter comes from a macro");
}

/// The words of a place that is plainly within the array.
std::optional<std::string> FieldArrays::placeText(const Expr *E) {
  if (auto N = Ctx.constant(E))
    return *N == 0 ? std::optional<std::string>("0") : std::nullopt; // a thread with an element shows that there is a first
  const ValueDecl *V = referredTo(E);
  bool Fine = V && V == M.Index;
  if (V && !Fine)
    forEachLoop(K.body(), [&](const ForStmt *F, unsigned) {
      CountedLoop L = countedLoop(Ctx, F);
      auto Low = L.Variable == V && !L.Inclusive ? Ctx.constant(L.Low) : std::nullopt;
      Fine |= Low && *Low >= 0 && sameWords(Ctx, L.High->IgnoreParenCasts(), M.Bound->IgnoreParenCasts());
    });
  return Fine ? std::optional<std::string>(V->getNameAsString()) : std::nullopt;
}

void FieldArrays::seen(const Expr *E) { Seen.insert(E->IgnoreParenCasts()); }

std::optional<std::string> FieldArrays::pointer(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *V = dyn_cast_or_null<VarDecl>(referredTo(E)); V && V->getType()->isPointerType())
    if (auto It = Aliases.find(V); It != Aliases.end() && isa<DeclRefExpr>(E)) {
      seen(E);
      return It->second;
    }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    return element(U->getSubExpr());
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || B->getOpcode() != BO_Add || B->getLHS()->IgnoreParenImpCasts() != B->getLHS()->IgnoreParenCasts() || !refersTo(B->getLHS(), P))
    return std::nullopt;
  auto Place = placeText(B->getRHS());
  if (Place)
    seen(B->getLHS());
  return Place;
}

std::optional<std::string> FieldArrays::element(const Expr *E) {
  E = bare(E);
  if (const auto *V = dyn_cast_or_null<VarDecl>(referredTo(E)); V && isa<DeclRefExpr>(E) && V->getType()->isReferenceType())
    if (auto It = Aliases.find(V); It != Aliases.end()) {
      seen(E);
      return It->second;
    }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
    return pointer(U->getSubExpr());
  const auto *A = dyn_cast<ArraySubscriptExpr>(E);
  if (!A || A->getBase()->IgnoreParenImpCasts() != A->getBase()->IgnoreParenCasts() || !refersTo(A->getBase(), P))
    return std::nullopt;
  auto Place = placeText(A->getIdx());
  if (Place)
    seen(A->getBase());
  else
    no("the place '" + Ctx.text(A->getIdx()->getSourceRange()) + "' is not plainly below " + Ctx.text(M.Bound->getSourceRange()));
  return Place;
}

/// References and pointers that only ever mean one element: their declarations go.
void FieldArrays::aliases() {
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (!isa<CompoundStmt>(S))
      return;
    for (const Stmt *X : S->children()) {
      const auto *D = dyn_cast_or_null<DeclStmt>(X);
      const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      if (!V || !V->getInit())
        continue;
      QualType T = V->getType();
      bool Pointer = T->isPointerType();
      if ((!Pointer && !T->isReferenceType()) || recordOf(T->getPointeeType()) != Record)
        continue;
      auto Place = Pointer ? pointer(V->getInit()) : element(V->getInit());
      if (!Place)
        continue;
      if (Pointer && (!Writes.onlyValue(V) || Writes.addressTaken(V)))
        return no(V->getNameAsString() + " is changed");
      auto [Begin, End] = Ctx.bytes(D);
      StringRef Before = Ctx.Text.take_front(Begin), Behind = Ctx.Text.substr(End);
      if (Before.rtrim(" \t").ends_with("\n") && Behind.ltrim(" \t").starts_with("\n")) { // the whole line
        Begin = unsigned(Before.rtrim(" \t").size());
        End += unsigned(Behind.find('\n')) + 1;
      }
      if (!Ctx.editable(D->getSourceRange()))
        return no("a declaration comes from a macro");
      Inner.push_back(Ctx.replace(std::pair{Begin, End}, ""));
      Aliases[V] = *Place;
    }
  });
}

FieldArrays::Use &FieldArrays::use(const FieldDecl *F) {
  auto [It, New] = Uses.try_emplace(F);
  if (New) {
    std::string Word = F->getNameAsString();
    Word[0] = llvm::toUpper(Word[0]);
    It->second.Array = Ctx.freeName(K.Decl, P->getNameAsString() + Word);
    QualType T = F->getType();
    bool Plain = T->isArithmeticType() || T->isEnumeralType() || T->isRecordType() || (T->isPointerType() && (T->getPointeeType()->isArithmeticType() || T->getPointeeType()->isRecordType()));
    if (!Plain)
      no("the field " + F->getNameAsString() + " is an array, or of a kind that is not known here");
  }
  return It->second;
}

/// The nearest node above the one under way that says what becomes of it.
const Stmt *FieldArrays::parent(size_t &Up) const {
  while (Up > 0) {
    const Stmt *S = Path[--Up];
    const auto *C = dyn_cast<ImplicitCastExpr>(S);
    if (!isa<ParenExpr>(S) && !(C && C->getCastKind() == CK_NoOp))
      return S;
  }
  return nullptr;
}

/// Does the statement at Path[Up] stand where each thread of an element comes by?
bool FieldArrays::everyThread(size_t Up) const {
  while (Up > 0 && isa<ExprWithCleanups>(Path[Up - 1]))
    --Up;
  const Stmt *Block = Up > 0 ? Path[Up - 1] : nullptr;
  return Block && (Block == K.body() || (M.Work.size() == 1 && Block == M.Work.front()));
}

static bool isConstReference(const FunctionDecl *F, unsigned Arg) {
  if (!F || Arg >= F->getNumParams())
    return false;
  QualType T = F->getParamDecl(Arg)->getType();
  return T->isLValueReferenceType() && T->getPointeeType().isConstQualified();
}

void FieldArrays::member(const MemberExpr *E, const std::string &Place) {
  const auto *F = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!F)
    return no("a function of " + Record->getNameAsString() + " is called");
  if (!Ctx.editable(E->getSourceRange()))
    return no("a place comes from a macro");
  Use &U = use(F);
  Inner.push_back(Ctx.replace(E->getSourceRange(), U.Array + "[" + Place + "]"));
  size_t Up = Path.size() - 1; // E itself is Path.back()
  const Stmt *At = E, *S = parent(Up);
  while (S && isa<MemberExpr>(S) && isa<FieldDecl>(cast<MemberExpr>(S)->getMemberDecl()) && !cast<MemberExpr>(S)->isArrow()) { // of a structure within
    At = S;
    S = parent(Up);
  }
  bool Inside = At != E; // a part of the field
  auto Is = [&](const Expr *X) { return X && bare(X) == At; };
  bool Read = false, Written = false;
  if (const auto *C = dyn_cast_or_null<ImplicitCastExpr>(S)) {
    Read = C->getCastKind() == CK_LValueToRValue;
  } else if (const auto *B = dyn_cast_or_null<BinaryOperator>(S); B && B->isAssignmentOp() && Is(B->getLHS())) {
    Written = true;
    Read = B->isCompoundAssignmentOp();
    U.Defined |= !Read && !Inside && Place == M.Index->getName() && everyThread(Up);
  } else if (const auto *N = dyn_cast_or_null<UnaryOperator>(S); N && N->isIncrementDecrementOp()) {
    Read = Written = true;
  } else if (N && N->getOpcode() == UO_AddrOf) {
    const Stmt *Call = parent(Up);
    const auto *C = dyn_cast_or_null<CallExpr>(Call);
    Read = Written = C && callKind(C) == CallKind::Atomic && C->getNumArgs() && C->getArg(0)->IgnoreParenImpCasts() == N;
  } else if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(S)) {
    Read = C->getConstructor()->isCopyOrMoveConstructor() && recordOf(C->getType()) && recordOf(C->getType())->isTriviallyCopyable();
  } else if (const auto *C = dyn_cast_or_null<CallExpr>(S)) {
    const auto *O = dyn_cast<CXXOperatorCallExpr>(C);
    const FunctionDecl *Callee = C->getDirectCallee();
    bool Method = O && isa_and_nonnull<CXXMethodDecl>(Callee);
    if (Method && O->getOperator() == OO_Equal && Is(O->getArg(0)) && Callee->isTrivial()) {
      Written = true;
      U.Defined |= !Inside && Place == M.Index->getName() && everyThread(Up);
    } else {
      for (unsigned I = 0; I < C->getNumArgs(); ++I)
        if (Is(C->getArg(I)))
          Read = Method ? I > 0 && isConstReference(Callee, I - 1) : isConstReference(Callee, I);
    }
  }
  if (!Read && !Written)
    return no("the field " + F->getNameAsString() + " is neither read nor stored there: line " + std::to_string(Ctx.TU.where(E->getBeginLoc()).Line));
  U.Read |= Read;
  U.Written |= Written;
  if (Read)
    Reads.push_back(E);
}

/// The structure as a value: "Body{bodiesX[i], bodiesY[i]}".
std::string FieldArrays::built(const std::string &Place) {
  std::vector<std::string> Words;
  for (const FieldDecl *F : Record->fields()) {
    Use &U = use(F);
    U.Read = true;
    Words.push_back(U.Array + "[" + Place + "]");
  }
  if (!Record->isAggregate())
    no(Record->getNameAsString() + " cannot be put together from its fields");
  return typeText(Ctx, Ctx.AST.getCanonicalTagType(Record)) + "{" + llvm::join(Words, ", ") + "}";
}

void FieldArrays::whole(const Expr *E, const std::string &Place) {
  if (!Ctx.editable(E->getSourceRange()))
    return no("a place comes from a macro");
  size_t Up = Path.size() - 1;
  const Stmt *S = parent(Up);
  const auto *C = dyn_cast_or_null<CXXConstructExpr>(S);
  const auto *O = dyn_cast_or_null<CXXOperatorCallExpr>(S);
  bool Assigned = O && O->getOperator() == OO_Equal && O->getNumArgs() == 2 && isa_and_nonnull<CXXMethodDecl>(O->getDirectCallee()) && O->getDirectCallee()->isTrivial();
  if ((C && C->getConstructor()->isCopyOrMoveConstructor() && recordOf(C->getType()) == Record) || (Assigned && bare(O->getArg(1)) == E)) {
    Inner.push_back(Ctx.replace(E->getSourceRange(), built(Place)));
    Reads.push_back(E);
    return;
  }
  if (!Assigned || bare(O->getArg(0)) != E)
    return no("an element of " + P->getNameAsString() + " is used other than by value: line " + std::to_string(Ctx.TU.where(E->getBeginLoc()).Line));
  bool Every = Place == M.Index->getName() && everyThread(Up);
  while (Up > 0 && isa<ExprWithCleanups>(Path[Up - 1]))
    --Up;
  if (Up == 0 || !isa<CompoundStmt>(Path[Up - 1]) || !Ctx.editable(O->getSourceRange()))
    return no("the store of an element is no statement of its own");
  const auto *From = dyn_cast<DeclRefExpr>(bare(O->getArg(1)));
  const auto *Local = From ? dyn_cast<VarDecl>(From->getDecl()) : nullptr;
  bool Named = Local && !Aliases.contains(Local) && Local->isLocalVarDecl() && !Local->getType()->isReferenceType();
  std::string Value = Named ? Local->getNameAsString() : Ctx.freeName(K.Decl, P->getNameAsString() + "Next"), Stores;
  for (const FieldDecl *F : Record->fields()) {
    Use &U = use(F);
    U.Written = true;
    U.Defined |= Every;
    Stores += (Stores.empty() ? "" : "\n") + U.Array + "[" + Place + "] = " + Value + "." + F->getNameAsString() + ";";
  }
  auto Bytes = Ctx.bytes(O);
  unsigned Semicolon = unsigned(Ctx.Text.find(';', Bytes.second - 1) + 1);
  if (Named) {
    Inner.push_back(Ctx.replace(std::pair{Bytes.first, Semicolon}, Stores));
    return;
  }
  Inner.push_back(Ctx.replace(std::pair{Bytes.first, Ctx.endOffset(O->getOperatorLoc())}, "const " + typeText(Ctx, Ctx.AST.getCanonicalTagType(Record)) + " " + Value + " ="));
  Inner.push_back(Ctx.insert(Semicolon, "\n" + Stores));
}

void FieldArrays::walk(const Stmt *S) {
  if (!S || !Fault.empty())
    return;
  if (const auto *D = dyn_cast<DeclStmt>(S); D && D->isSingleDecl())
    if (const auto *V = dyn_cast<VarDecl>(D->getSingleDecl()); V && Aliases.contains(V))
      return;
  Path.push_back(S);
  bool Done = false;
  if (const auto *E = dyn_cast<MemberExpr>(S)) {
    if (auto Place = E->isArrow() ? pointer(E->getBase()) : element(E->getBase())) {
      member(E, *Place);
      Done = true;
    }
  } else if (const auto *E = dyn_cast<Expr>(S); E && E->isLValue() && bare(E) == E && recordOf(E->getType()) == Record) {
    if (auto Place = element(E)) {
      whole(E, *Place);
      Done = true;
    }
  }
  if (!Done && !(isa<PseudoObjectExpr>(S) && builtinUse(cast<Expr>(S))))
    for (const Stmt *C : S->children())
      walk(C);
  Path.pop_back();
}

/// The copies show what the array held before the kernel, and take what is stored: no other pointer may reach it.
void FieldArrays::otherMemory() {
  if (!Fault.empty() || P->getType().isRestrictQualified())
    return;
  bool Stored = llvm::any_of(Uses, [](const auto &U) { return U.second.Written; });
  std::string First = P->getNameAsString() + (Stored ? " is stored to, and other memory could be its own" : " is read after a store to memory that could be its own") + ": apply qualify first";
  auto Apart = [&](const ValueDecl *V) {
    const auto *Var = dyn_cast_or_null<VarDecl>(V);
    return V == P || (Var && (Var->getType()->isArrayType() || Var->getType().isRestrictQualified()));
  };
  if (Stored) {
    for (const ValueDecl *V : namedIn(K.body()))
      if (isa<ParmVarDecl>(V) && V->getType()->isPointerType() && !Apart(V))
        no(First);
    return;
  }
  unsigned Last = 0;
  for (const Stmt *R : Reads)
    Last = std::max(Last, Ctx.endOffset(R->getEndLoc()));
  auto Reaches = [&](const Stmt *At) { // in text or round a loop
    if (Ctx.offset(At->getBeginLoc()) < Last && Last > Ctx.endOffset(At->getEndLoc()))
      return true;
    bool Round = false;
    forEachStmt(K.body(), [&](const Stmt *L) {
      if (!isa<ForStmt, WhileStmt, DoStmt>(L))
        return;
      auto In = [&](const Stmt *X) { return Ctx.offset(X->getBeginLoc()) >= Ctx.offset(L->getBeginLoc()) && Ctx.offset(X->getEndLoc()) <= Ctx.offset(L->getEndLoc()); };
      Round |= In(At) && llvm::any_of(Reads, In);
    });
    return Round;
  };
  forEachStmt(K.body(), [&](const Stmt *S) {
    const Expr *To = nullptr;
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      To = B->getLHS()->IgnoreParens();
    else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
      To = U->getSubExpr()->IgnoreParens();
    else if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S); O && O->isAssignmentOp())
      To = O->getArg(0)->IgnoreParens();
    else if (const auto *C = dyn_cast<CallExpr>(S))
      for (const Expr *A : C->arguments())
        if (A->getType()->isPointerType() && !Apart(memoryOf(Ctx, A)))
          To = A;
    while (const auto *Part = dyn_cast_or_null<MemberExpr>(To)) // of a local structure
      To = Part->isArrow() ? nullptr : Part->getBase()->IgnoreParens();
    if (To && !(referredTo(To) && !To->getType()->isPointerType() && !referredTo(To)->getType()->isReferenceType()) && !Apart(memoryOf(Ctx, To)) && Reaches(S))
      no(First);
  });
}

/// Does the launch have a thread for each element, as far as the text says so?
bool FieldArrays::covered(const LaunchSite &L) const {
  auto Form = ceilForm(Ctx, extentExprs(Ctx, L.Syntax.Grid)[0]);
  const Expr *Block = extentExprs(Ctx, L.Syntax.Block)[0];
  return Form && Block && Ctx.constant(Block) == Form->second && Form->first == atLaunch(Ctx, L, K.Decl, M.Bound);
}

void FieldArrays::launches() {
  for (const LaunchSite &L : K.Launches) {
    if (std::string Why = whyNotStaged(Ctx, L, P); !Why.empty())
      return no(Why);
    if (atLaunch(Ctx, L, K.Decl, M.Bound).empty())
      return no("the number of elements is not known to the host");
    AllCovered &= covered(L);
  }
}

llvm::json::Object FieldArrays::effect() const {
  int64_t Bytes = 0;
  bool Back = false;
  for (const auto &[F, U] : Uses) {
    Bytes += Ctx.AST.getTypeSizeInChars(F->getType()).getQuantity();
    Back |= U.Written;
  }
  bool In = llvm::any_of(Uses, [&](const auto &U) { return copied(U.second, true); });
  return llvm::json::Object{{"contiguous_reads", true}, {"element_bytes", Ctx.AST.getASTRecordLayout(Record).getSize().getQuantity()}, {"used_bytes", Bytes}, {"extra_passes", int(In) + int(Back)}};
}

std::string FieldArrays::helper(const std::string &Name, bool In) const {
  std::string T = typeText(Ctx, Ctx.AST.getCanonicalTagType(Record)), Parameters, Lines, Array = In ? "from" : "to";
  for (const auto &[F, U] : Uses)
    if (copied(U, In)) {
      std::string Field = Array + "[i]." + F->getNameAsString(), Own = U.Array + "[i]";
      Parameters += (In ? "" : "const ") + typeText(Ctx, F->getType()) + " *" + U.Array + ", ";
      Lines += (In ? Own + " = " + Field : Field + " = " + Own) + ";\n";
    }
  return std::string("// ") + (In ? "Writes the fields of the elements to arrays of their own.\n" : "Writes arrays of fields back to the elements.\n") + "__global__ void " + Name + "(" +
         (In ? "const " + T + " *from, " + Parameters : Parameters + T + " *to, ") +
         "size_t count) {\nconst size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\nif (i < count) {\n" + Lines + "}\n}\n\n";
}

std::vector<Edit> FieldArrays::edits() const {
  std::vector<Edit> Edits = Inner;
  std::string Parameters, Restrict = P->getType().isRestrictQualified() ? "__restrict__ " : "";
  std::array<bool, 2> Copies{}; // in, back
  for (const auto &[F, U] : Uses) {
    Parameters += (Parameters.empty() ? "" : ", ") + std::string(U.Written ? "" : "const ") + typeText(Ctx, F->getType()) + " *" + Restrict + U.Array;
    Copies[0] |= copied(U, true);
    Copies[1] |= copied(U, false);
  }
  Edits.push_back(Ctx.replace(P->getSourceRange(), Parameters));
  std::string To = freeInFile(Ctx, "toFields"), From = freeInFile(Ctx, "fromFields");
  Edits.push_back(Ctx.insert(lineInFrontOf(Ctx, K), (Copies[0] ? helper(To, true) : "") + (Copies[1] ? helper(From, false) : "")));
  for (const LaunchSite &L : K.Launches) {
    std::string Array = Ctx.text(L.Syntax.Call->getArg(P->getFunctionScopeIndex())->getSourceRange()), N = atLaunch(Ctx, L, K.Decl, M.Bound);
    std::string Before, Arguments, Free, Ins, Backs;
    for (const auto &[F, U] : Uses) {
      std::string Copy = Ctx.freeName(L.In, U.Array), T = typeText(Ctx, F->getType());
      Before += T + " *" + Copy + " = nullptr;\ncudaMalloc(&" + Copy + ", sizeof(" + T + ") * " + asOperand(N) + ");\n";
      Arguments += (Arguments.empty() ? "" : ", ") + Copy;
      Free += (Free.empty() ? "" : "\n") + ("cudaFree(" + Copy + ");");
      Ins += copied(U, true) ? Copy + ", " : "";
      Backs += copied(U, false) ? Copy + ", " : "";
    }
    std::string Sizes = besideLaunch(Ctx, L, ceilDivide(N, 256), "256"), Some = "if (" + asOperand(N) + " > 0)\n";
    if (Copies[0])
      Before += Some + To + Sizes + "(" + Array + ", " + Ins + N + ");\n";
    stage(Ctx, L, P, Before, Arguments, (Copies[1] ? Some + From + Sizes + "(" + Backs + Array + ", " + N + ");\n" : "") + Free, Edits);
  }
  return Edits;
}

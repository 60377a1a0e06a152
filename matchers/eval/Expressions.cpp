//===- Expressions.cpp - operators, casts, members, initialisers ---------------===//
#include "clang/AST/RecordLayout.h"
#include "matchers/VariableWrites.h"
#include "matchers/eval/Machine.h"
#include <numeric>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// Has R a layout to ask for?
static bool laidOut(const RecordDecl *R) {
  return R && R->isCompleteDefinition() && !R->isInvalidDecl() && !R->isDependentType();
}

int64_t Machine::sizeOf(QualType T) const {
  if (T.isNull() || T->isUndeducedType() || T->containsErrors())
    return 0;
  if (T->isDependentType() || T->isIncompleteType() || T->isFunctionType())
    return !T->isIncompleteArrayType() ? 0 : sizeOf(Ctx.getAsArrayType(T)->getElementType());
  if (T->isReferenceType())
    T = T.getNonReferenceType();
  if (const auto *R = T->getAsRecordDecl(); R && !laidOut(R))
    return 0;
  return Ctx.getTypeSizeInChars(T).getQuantity();
}

/// Cuts an exact integer to the width and sign of T.
static int64_t wrap(int64_t X, unsigned Bits, bool Signed) {
  if (Bits >= 64 || Bits == 0)
    return X;
  uint64_t M = (1ull << Bits) - 1, U = uint64_t(X) & M;
  if (Signed && (U >> (Bits - 1)))
    U |= ~M;
  return int64_t(U);
}

static bool isInteger(QualType T) { return T->isIntegralOrEnumerationType(); }

static double asReal(int64_t X) { return std::bit_cast<double>(X); }
static int64_t fromReal(double D) { return std::bit_cast<int64_t>(D); }

Value Machine::convert(const Value &V, QualType From, QualType To) {
  if (V.K != Value::Scalar)
    return V;
  To = To.getNonReferenceType().getCanonicalType();
  Value R = V;
  if (To->isBooleanType())
    return truth(V, From);
  if (isInteger(To)) {
    unsigned Bits = unsigned(Ctx.getIntWidth(To));
    bool Signed = To->isSignedIntegerOrEnumerationType();
    if (V.Float)
      R.L = Lanes::map(V.L, N, [&](int64_t X) {
        double D = asReal(X);
        return D > -9.2e18 && D < 9.2e18 ? wrap(int64_t(D), Bits, Signed) : Unk;
      });
    else
      R.L = Lanes::map(V.L, N, [&](int64_t X) { return wrap(X, Bits, Signed); });
    R.Float = false;
    if (Bits < 32) { // it may wrap
      R.Within = nullptr;
      R.Modulo = nullptr;
    }
    return R;
  }
  R.Modulo = nullptr;
  if (To->isRealFloatingType()) {
    bool Single = Ctx.getTypeSize(To) <= 32;
    bool Unsigned64 = From->isUnsignedIntegerOrEnumerationType();
    R.L = Lanes::map(V.L, N, [&](int64_t X) {
      double D = V.Float ? asReal(X) : Unsigned64 ? double(uint64_t(X)) : double(X);
      return fromReal(Single ? double(float(D)) : D);
    });
    R.Float = true;
    return R;
  }
  if (To->isPointerType()) // an integer made a pointer
    return Value::pointer(nullptr, Lanes(), V.T);
  return R;
}

Value Machine::truth(const Value &V, QualType T) const {
  if (V.K == Value::Pointer)
    return V.Obj ? Value::integer(1, V.T) : Value::unknown(V.T);
  if (V.K == Value::Aggregate)
    return Value::unknown(V.T);
  Value R = V;
  R.L = V.Float ? Lanes::map(V.L, N, [](int64_t X) { return int64_t(asReal(X) != 0.0); })
                : Lanes::map(V.L, N, [](int64_t X) { return int64_t(X != 0); });
  R.Float = false;
  R.Modulo = nullptr;
  return R;
}

std::optional<Value> Machine::constant(const Expr *E) {
  auto [It, New] = Shared.Constants.try_emplace(E);
  if (New && !E->isValueDependent() && isInteger(E->getType())) {
    Expr::EvalResult R;
    if (E->EvaluateAsInt(R, Ctx, Expr::SE_NoSideEffects) && R.Val.isInt()) {
      const llvm::APSInt &I = R.Val.getInt();
      if (I.getBitWidth() <= 64)
        It->second = I.isSigned() ? I.getSExtValue() : int64_t(I.getZExtValue());
    }
  }
  if (It->second)
    return Value::integer(*It->second);
  return std::nullopt;
}

std::optional<BuiltinUse> Machine::builtinAt(const Expr *E) {
  auto [It, New] = Shared.Builtins.try_emplace(E);
  if (New)
    It->second = builtinUse(E);
  return It->second;
}

Value Machine::builtin(const BuiltinUse &B) {
  if (!Run) // a mention on the host
    return Value::unknown();
  auto Assumed = [&](Taint T) {
    T.Assumed |= Run->Assumed;
    return T;
  };
  const Dim3 &D = Run->Block;
  switch (B.Which) {
  case IndexVar::BlockDim:
    return Value::integer(D[B.Axis], Assumed(Run->BlockTaint[B.Axis]));
  case IndexVar::GridDim:
    return Value::integer(Run->Grid[B.Axis], Assumed(Run->GridTaint[B.Axis]));
  case IndexVar::WarpSize:
    return Value::integer(32);
  case IndexVar::BlockIdx: {
    Taint T;
    T.V = Run->Grid[B.Axis] == 1 && !Run->GridTaint[B.Axis].Params && !Run->Assumed ? Vary::Grid : Vary::Block;
    return Value::integer(Block->Index[B.Axis], T);
  }
  case IndexVar::ThreadIdx:
    break;
  }
  std::optional<Value> &Known = ThreadIndex[B.Axis];
  if (!Known)
    Known = threadIndex(B.Axis);
  return *Known;
}

Value Machine::threadIndex(unsigned Axis) const {
  const Dim3 &D = Run->Block;
  Taint T;
  T.V = Vary::Thread;
  Taint Dims = Run->BlockTaint[0] | Run->BlockTaint[1] | Run->BlockTaint[2];
  if (D[Axis] == 1 && !Dims.Params && !Run->Assumed) {
    T.V = Vary::Grid;
    return Value::integer(0, T);
  }
  Lanes L = Lanes::varying();
  for (unsigned I = 0; I < N; ++I)
    L.data()[I] = Axis == 0 ? I % D[0] : Axis == 1 ? I / D[0] % D[1] : I / D[0] / D[1];
  if (Axis > 0 && !Dims.Params && !Run->Assumed && D[0] * (Axis > 1 ? D[1] : 1) % 32 == 0)
    T.V = Vary::Warp;
  return Value::lanes(std::move(L), T);
}

Value Machine::variable(const ValueDecl *D) {
  if (const auto *EC = dyn_cast<EnumConstantDecl>(D))
    return Value::integer(EC->getInitVal().getExtValue());
  if (const auto *B = dyn_cast<BindingDecl>(D))
    return B->getBinding() ? lval(B->getBinding()) : Value::pointer(nullptr, Lanes());
  // A lambda's body names the captured variable itself: look further out, then in the closure.
  for (size_t I = Frames.size(); I-- > 0;)
    if (auto It = Frames[I].Vars.find(D); It != Frames[I].Vars.end())
      return Value::pointer(It->second, Lanes(0));
  if (const auto *M = dyn_cast_or_null<CXXMethodDecl>(Frames.back().F); M && M->getParent()->isLambda()) {
    llvm::DenseMap<const ValueDecl *, FieldDecl *> Captures;
    FieldDecl *ThisField = nullptr;
    M->getParent()->getCaptureFields(Captures, ThisField);
    if (FieldDecl *F = Captures.lookup(D)) {
      Value P = pointerAdd(Frames.back().This, Value::integer(int64_t(Ctx.getFieldOffset(F) / 8)), 1);
      if (F->getType()->isReferenceType() && !D->getType()->isReferenceType() && P.Obj) {
        Value Target = load(P, Ctx.VoidPtrTy, nullptr);
        return Target.K == Value::Pointer ? Target : Value::pointer(nullptr, Lanes(), Target.T);
      }
      return P;
    }
  }
  const auto *V = dyn_cast<VarDecl>(D);
  if (!V)
    return Value::pointer(nullptr, Lanes());
  Object *&O = Globals[V->getCanonicalDecl()];
  if (!O) {
    Space S = isDynamicShared(V)      ? Space::DynamicShared
              : isSharedVariable(V)   ? Space::Shared
              : isConstantVariable(V) ? Space::Constant
              : isDeviceVariable(V)   ? Space::Symbol
                                      : Space::Host;
    O = newObject(S, V, V->getName());
    O->Stored.V = Vary::Grid;
    O->Stored.Data = true;
    if (S == Space::DynamicShared) {
      if (Run) {
        O->Bytes = Run->SharedBytes;
        O->BytesTaint = Run->SharedTaint;
      }
    } else if (!V->getType()->isDependentType())
      O->Bytes = sizeOf(V->getType());
    const VarDecl *Def = V->getInitializingDeclaration();
    if (S == Space::Host && Def && Def->getInit() && (Def->isConstexpr() || Def->getType().isConstQualified())) {
      Frame Global;
      Global.Entry = Mask::first(N);
      Threads Save = Cur;
      Cur = {Global.Entry, Global.Entry};
      Frames.push_back(Global);
      Object *Made = O;
      Made->Stored = {};
      initialise(Made, 0, V->getType(), Def->getInit());
      Frames.pop_back();
      Cur = Save;
      return Value::pointer(Made, Lanes(0));
    }
  }
  return Value::pointer(O, Lanes(0));
}

Value Machine::pointerAdd(const Value &P, const Value &Index, int64_t Scale) {
  Value R = P;
  R.K = Value::Pointer;
  R.T |= Index.T;
  if (!Index.L.uniform() && !Index.T.Data) {
    R.T.Own |= Index.T.V == Vary::Thread;
    R.T.OwnWarp |= Index.T.V == Vary::Warp;
  }
  auto Add = [&](int64_t A, int64_t I) { return int64_t(uint64_t(A) + uint64_t(I) * uint64_t(Scale)); };
  R.L = Lanes::map(P.L, Index.L, N, Add);
  R.Within = nullptr;
  if (!P.L.unknown() && Index.Within && Scale > 0)
    R.Within = std::make_shared<const Band>(Band{Lanes::map(P.L, Index.Within->Low, N, Add), Index.Within->Width * Scale});
  else if (P.Within && !Index.L.unknown())
    R.Within = std::make_shared<const Band>(Band{Lanes::map(P.Within->Low, Index.L, N, Add), P.Within->Width});
  return R;
}

Value Machine::lval(const Expr *E) {
  if (!spend())
    return Value::pointer(nullptr, Lanes());
  E = E->IgnoreParens();
  switch (E->getStmtClass()) {
  case Stmt::DeclRefExprClass: {
    const ValueDecl *D = cast<DeclRefExpr>(E)->getDecl();
    Value P = variable(D);
    if (D->getType()->isReferenceType() && P.Obj && !isa<BindingDecl>(D)) {
      Value Target = cell(P.Obj->Contents, 0, P.Obj->Stored);
      return Target.K == Value::Pointer ? Target : Value::pointer(nullptr, Lanes(), Target.T);
    }
    return P;
  }
  case Stmt::MemberExprClass: {
    const auto *M = cast<MemberExpr>(E);
    if (builtinUse(M))
      return Value::pointer(temporary(eval(M)), Lanes(0));
    const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!F)
      return variable(M->getMemberDecl());
    Value Base = M->isArrow() ? eval(M->getBase()) : lval(M->getBase());
    if (Base.K != Value::Pointer)
      return Value::pointer(nullptr, Lanes(), Base.T);
    const RecordDecl *R = F->getParent();
    if (!laidOut(R))
      return Value::pointer(nullptr, Lanes(), Base.T);
    int64_t Offset = int64_t(Ctx.getFieldOffset(F) / 8);
    Value P = pointerAdd(Base, Value::integer(Offset), 1);
    if (F->getType()->isReferenceType()) {
      Value Target = P.Obj ? load(P, Ctx.VoidPtrTy, E) : Value::unknown(P.T);
      return Target.K == Value::Pointer ? Target : Value::pointer(nullptr, Lanes(), Target.T);
    }
    return P;
  }
  case Stmt::ArraySubscriptExprClass: {
    const auto *A = cast<ArraySubscriptExpr>(E);
    Value Base = eval(A->getBase()), Index = eval(A->getIdx());
    if (Base.K != Value::Pointer)
      return Value::pointer(nullptr, Lanes(), Base.T | Index.T);
    return pointerAdd(Base, Index, sizeOf(A->getType()));
  }
  case Stmt::UnaryOperatorClass: {
    const auto *U = cast<UnaryOperator>(E);
    if (U->getOpcode() == UO_Deref) {
      Value P = eval(U->getSubExpr());
      return P.K == Value::Pointer ? P : Value::pointer(nullptr, Lanes(), P.T);
    }
    if (U->isPrefix() && U->isIncrementDecrementOp()) {
      eval(U);
      return lval(U->getSubExpr());
    }
    if (U->getOpcode() == UO_Extension || U->getOpcode() == UO_Real)
      return lval(U->getSubExpr());
    break;
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto *B = cast<BinaryOperator>(E);
    if (B->isAssignmentOp()) {
      eval(B);
      return lval(B->getLHS());
    }
    if (B->getOpcode() == BO_Comma) {
      eval(B->getLHS());
      return lval(B->getRHS());
    }
    break;
  }
  case Stmt::ConditionalOperatorClass: {
    const auto *C = cast<ConditionalOperator>(E);
    Outcome O = test(C->getCond());
    Threads Before = Cur;
    const Mask Gone = Exited;
    Cur = {Before.May & (O.True | O.Unknown), Before.Sure & O.True};
    Value A = Cur.May.any() ? lval(C->getTrueExpr()) : Value();
    Cur = {Before.May & (O.False | O.Unknown), Before.Sure & O.False};
    Value B = Cur.May.any() ? lval(C->getFalseExpr()) : Value();
    Cur = {Before.May - (Exited - Gone), Before.Sure - (Exited - Gone)};
    if (A.K != Value::Pointer)
      return B;
    if (B.K != Value::Pointer)
      return A;
    return Value::pointer(A.Obj == B.Obj ? A.Obj : nullptr, Lanes(), A.T | B.T | O.T);
  }
  case Stmt::CXXThisExprClass:
    break;
  case Stmt::MaterializeTemporaryExprClass:
    return lval(cast<MaterializeTemporaryExpr>(E)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
    return lval(cast<ExprWithCleanups>(E)->getSubExpr());
  case Stmt::ConstantExprClass:
    return lval(cast<ConstantExpr>(E)->getSubExpr());
  case Stmt::CXXBindTemporaryExprClass:
    return lval(cast<CXXBindTemporaryExpr>(E)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return lval(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement());
  case Stmt::OpaqueValueExprClass:
    if (const Expr *Src = cast<OpaqueValueExpr>(E)->getSourceExpr())
      return lval(Src);
    break;
  case Stmt::StringLiteralClass:
    return Value::pointer(newObject(Space::Local, nullptr, "string"), Lanes(0));
  case Stmt::CXXDefaultArgExprClass:
    return lval(cast<CXXDefaultArgExpr>(E)->getExpr());
  default:
    break;
  }
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    switch (C->getCastKind()) {
    case CK_NoOp:
    case CK_LValueBitCast:
    case CK_AddressSpaceConversion:
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
    case CK_LValueToRValueBitCast:
      if (C->getSubExpr()->isGLValue() || C->getSubExpr()->getType()->isRecordType())
        return lval(C->getSubExpr());
      break;
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase: {
      Value P = lval(C->getSubExpr());
      const CXXRecordDecl *D = C->getSubExpr()->getType()->getAsCXXRecordDecl();
      for (const CXXBaseSpecifier *S : C->path()) {
        const CXXRecordDecl *B = S->getType()->getAsCXXRecordDecl();
        if (!laidOut(D) || !B || S->isVirtual() || P.K != Value::Pointer)
          return Value::pointer(nullptr, Lanes(), P.T);
        int64_t Offset = Ctx.getASTRecordLayout(D).getBaseClassOffset(B).getQuantity();
        P = pointerAdd(P, Value::integer(Offset), 1);
        D = B;
      }
      return P;
    }
    default:
      break;
    }
  }
  if (const auto *C = dyn_cast<CallExpr>(E); C && E->isGLValue()) {
    Value V = call(C);
    return V.K == Value::Pointer ? V : Value::pointer(temporary(V), Lanes(0), V.T);
  }
  // A prvalue: give it a place.
  Value V = eval(E);
  return Value::pointer(temporary(V), Lanes(0), V.T);
}

Value Machine::eval(const Expr *E) {
  if (!spend())
    return Value::unknown();
  E = E->IgnoreParens();
  if (E->getType().isNull()) // of a template, or behind an error
    return Value::unknown();
  if (E->getType()->isVoidType() && isa<CXXThrowExpr>(E)) {
    kill(E);
    return Value::unknown();
  }
  if (auto B = builtinAt(E))
    return builtin(*B);
  if (!isa<CallExpr>(E) && !E->isGLValue())
    if (auto C = constant(E))
      return *C;
  return evalUncached(E);
}

Value Machine::evalUncached(const Expr *E) {
  if (const auto *C = dyn_cast<CastExpr>(E))
    return evalCast(C);
  if (const auto *K = dyn_cast<CUDAKernelCallExpr>(E))
    return launch(K);
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    // INFINITY and NAN are calls of builtins.
    llvm::APFloat Number(0.0);
    if (C->getBuiltinCallee() && E->getType()->isRealFloatingType() && !E->isValueDependent() && E->EvaluateAsFloat(Number, Ctx, Expr::SE_NoSideEffects)) {
      bool Inexact = false;
      Number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Inexact);
      return Value::real(Number.convertToDouble());
    }
    Value V = call(C);
    if (E->isGLValue()) // the referenced object's value
      return V.K == Value::Pointer ? load(V, E->getType(), E) : V;
    return V;
  }
  switch (E->getStmtClass()) {
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return evalBinary(cast<BinaryOperator>(E));
  case Stmt::UnaryOperatorClass:
    return evalUnary(cast<UnaryOperator>(E));
  case Stmt::ConditionalOperatorClass: {
    const auto *C = cast<ConditionalOperator>(E);
    return evalConditional(C->getCond(), C->getTrueExpr(), C->getFalseExpr());
  }
  case Stmt::BinaryConditionalOperatorClass: {
    const auto *C = cast<BinaryConditionalOperator>(E);
    return evalConditional(C->getCond(), C->getTrueExpr(), C->getFalseExpr());
  }
  case Stmt::FloatingLiteralClass:
    return Value::real(cast<FloatingLiteral>(E)->getValueAsApproximateDouble());
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
    return Value::integer(0);
  case Stmt::CXXThisExprClass:
    return Frames.back().This;
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construct(cast<CXXConstructExpr>(E));
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(E));
  case Stmt::InitListExprClass: {
    if (!E->getType()->isRecordType() && !E->getType()->isArrayType()) {
      const auto *I = cast<InitListExpr>(E);
      return I->getNumInits() ? eval(I->getInit(0)) : Value::integer(0);
    }
    Object *O = newObject(Space::Local, nullptr, "");
    initialise(O, 0, E->getType(), E);
    return load(Value::pointer(O, Lanes(0)), E->getType(), E);
  }
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass: {
    if (E->getType()->isRealFloatingType())
      return Value::real(0);
    if (E->getType()->isScalarType())
      return Value::integer(0);
    Value V = Value::unknown();
    V.K = Value::Aggregate;
    return V;
  }
  case Stmt::MaterializeTemporaryExprClass:
    return eval(cast<MaterializeTemporaryExpr>(E)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
    return eval(cast<ExprWithCleanups>(E)->getSubExpr());
  case Stmt::ConstantExprClass:
    return eval(cast<ConstantExpr>(E)->getSubExpr());
  case Stmt::CXXBindTemporaryExprClass:
    return eval(cast<CXXBindTemporaryExpr>(E)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return eval(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement());
  case Stmt::CXXDefaultArgExprClass:
    return eval(cast<CXXDefaultArgExpr>(E)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return eval(cast<CXXDefaultInitExpr>(E)->getExpr());
  case Stmt::OpaqueValueExprClass:
    if (const Expr *Src = cast<OpaqueValueExpr>(E)->getSourceExpr())
      return eval(Src);
    return Value::unknown();
  case Stmt::PseudoObjectExprClass:
    return eval(cast<PseudoObjectExpr>(E)->getResultExpr() ? cast<PseudoObjectExpr>(E)->getResultExpr()
                                                           : cast<PseudoObjectExpr>(E)->getSyntacticForm());
  case Stmt::CXXNewExprClass: {
    const auto *New = cast<CXXNewExpr>(E);
    for (const Expr *P : New->placement_arguments())
      eval(P);
    Object *O = newObject(Run ? Space::Local : Space::Host, nullptr, "new");
    O->AllocatedAt = E;
    if (New->isArray() && New->getArraySize() && *New->getArraySize()) {
      Value Count = eval(*New->getArraySize());
      if (int64_t C = Count.L.uniformValue(N); C != Unk) {
        O->Bytes = C * sizeOf(New->getAllocatedType());
        O->BytesTaint = Count.T;
      }
    } else
      O->Bytes = sizeOf(New->getAllocatedType());
    return Value::pointer(O, Lanes(0));
  }
  case Stmt::CXXDeleteExprClass:
    eval(cast<CXXDeleteExpr>(E)->getArgument());
    return Value::unknown();
  case Stmt::StmtExprClass: {
    const CompoundStmt *Body = cast<StmtExpr>(E)->getSubStmt();
    Value Last;
    for (const Stmt *Sub : Body->body()) {
      if (const auto *X = dyn_cast<Expr>(Sub); X && Sub == Body->body_back())
        Last = eval(X);
      else
        exec(Sub);
    }
    return Last;
  }
  default:
    break;
  }
  if (E->isGLValue() && !E->getType()->isFunctionType() && !E->isTypeDependent() &&
      (isa<DeclRefExpr>(E) || isa<MemberExpr>(E) || isa<ArraySubscriptExpr>(E))) {
    if (E->getType()->isRecordType())
      return load(lval(E), E->getType(), E);
    lval(E); // an lvalue whose value nobody reads
    return Value::unknown();
  }
  // Something without a meaning here: its parts may still have effects, and it may synchronise.
  if (isa<RecoveryExpr>(E) && !Mute) {
    ++Interval;
    ++WarpPhase;
  }
  Taint T;
  for (const Stmt *Sub : E->children())
    if (const auto *X = dyn_cast_or_null<Expr>(Sub))
      T |= eval(X).T;
  return Value::unknown(T);
}

Value Machine::evalCast(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  QualType To = E->getType();
  switch (E->getCastKind()) {
  case CK_LValueToRValue: {
    const Expr *Inner = Sub->IgnoreParens();
    if (auto B = builtinAt(Inner))
      return builtin(*B);
    if (const auto *D = dyn_cast<DeclRefExpr>(Inner); D && isInteger(To))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl());
          V && V->hasGlobalStorage() && !V->getType().isVolatileQualified())
        if (auto C = constant(E))
          return *C;
    return loadGlvalue(Sub, To);
  }
  case CK_ArrayToPointerDecay:
    return lval(Sub);
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
    return Value::unknown();
  case CK_NullToPointer:
    return Value::integer(0);
  case CK_ToVoid:
    if (Sub->isGLValue() && !isa<CallExpr>(Sub->IgnoreParens()))
      return Value::unknown();
    eval(Sub);
    return Value::unknown();
  case CK_IntegralCast: {
    Value V = eval(Sub);
    const auto *Product = dyn_cast<BinaryOperator>(Sub->IgnoreParenImpCasts());
    if (Wrapped.E && Product == Wrapped.E && sizeOf(To) == 8)
      noteOverflow(Wrapped);
    Wrapped.E = nullptr;
    return convert(V, Sub->getType(), To);
  }
  case CK_IntegralToBoolean:
  case CK_BooleanToSignedIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingToIntegral:
  case CK_IntegralToFloating:
  case CK_FloatingCast:
    return convert(eval(Sub), Sub->getType(), To);
  case CK_PointerToBoolean:
    return truth(eval(Sub), Sub->getType());
  case CK_PointerToIntegral: {
    Value P = eval(Sub); // addresses are not numbers here; keep where it points for alignment tests
    return Value::unknown(P.T);
  }
  case CK_IntegralToPointer:
    return Value::pointer(nullptr, Lanes(), eval(Sub).T);
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase: {
    if (!To->isPointerType())
      return load(lval(E), To, E);
    Value P = eval(Sub);
    const CXXRecordDecl *D = Sub->getType()->getPointeeCXXRecordDecl();
    for (const CXXBaseSpecifier *S : E->path()) {
      const CXXRecordDecl *B = S->getType()->getAsCXXRecordDecl();
      if (!laidOut(D) || !B || S->isVirtual() || P.K != Value::Pointer)
        return Value::pointer(nullptr, Lanes(), P.T);
      P = pointerAdd(P, Value::integer(Ctx.getASTRecordLayout(D).getBaseClassOffset(B).getQuantity()), 1);
      D = B;
    }
    return P;
  }
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
  case CK_NoOp:
  case CK_BitCast:
  case CK_AddressSpaceConversion:
  case CK_AtomicToNonAtomic:
  case CK_NonAtomicToAtomic:
    if (Sub->isGLValue() && E->isGLValue() && Sub->getType()->isRecordType())
      return load(lval(Sub), To, E);
    return eval(Sub);
  case CK_BaseToDerived:
    return Value::pointer(nullptr, Lanes(), eval(Sub).T);
  default:
    if (Sub->isGLValue())
      return Value::unknown(lval(Sub).T);
    return Value::unknown(eval(Sub).T);
  }
}

Value Machine::evalUnary(const UnaryOperator *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_AddrOf:
    if (Sub->getType()->isFunctionType() || E->isTypeDependent())
      return Value::unknown();
    return lval(Sub);
  case UO_Deref:
    return load(lval(E), E->getType(), E);
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    Value P = lval(Sub);
    Value Old = load(P, Sub->getType(), Sub->IgnoreParens());
    int64_t Step = E->isIncrementOp() ? 1 : -1;
    Value New = Old;
    if (Old.K == Value::Pointer)
      New = pointerAdd(Old, Value::integer(Step), sizeOf(Sub->getType()->getPointeeType()));
    else if (Old.Float)
      New.L = Lanes::map(Old.L, N, [&](int64_t X) { return fromReal(asReal(X) + double(Step)); });
    else if (Old.K == Value::Scalar) {
      New.L = Lanes::map(Old.L, N, [&](int64_t X) { return X + Step; });
      New.Modulo = residue(BO_Add, Old, Value::integer(Step), nullptr);
      New = convert(New, Sub->getType(), Sub->getType());
    }
    store(P, Sub->getType(), New, Sub->IgnoreParens());
    return E->isPrefix() ? New : Old;
  }
  case UO_Plus:
    return eval(Sub);
  case UO_Minus: {
    Value V = eval(Sub);
    if (V.K != Value::Scalar)
      return Value::unknown(V.T);
    V.Modulo = nullptr;
    V.L = V.Float ? Lanes::map(V.L, N, [](int64_t X) { return fromReal(-asReal(X)); })
                  : Lanes::map(V.L, N, [](int64_t X) { return int64_t(0 - uint64_t(X)); });
    return convert(V, E->getType(), E->getType());
  }
  case UO_Not: {
    Value V = eval(Sub);
    if (V.K != Value::Scalar || V.Float)
      return Value::unknown(V.T);
    V.Modulo = nullptr;
    V.L = Lanes::map(V.L, N, [](int64_t X) { return ~X; });
    return convert(V, E->getType(), E->getType());
  }
  case UO_LNot: {
    Value V = truth(eval(Sub), Sub->getType());
    V.L = Lanes::map(V.L, N, [](int64_t X) { return int64_t(!X); });
    V.K = Value::Scalar;
    return V;
  }
  default:
    return Value::unknown(eval(Sub).T);
  }
}

/// The value that a glvalue holds. c ? a : b reads only the side that each thread takes.
Value Machine::loadGlvalue(const Expr *E, QualType T) {
  const Expr *Inner = E->IgnoreParens();
  while (const auto *C = dyn_cast<ImplicitCastExpr>(Inner)) {
    if (C->getCastKind() != CK_NoOp)
      break;
    Inner = C->getSubExpr()->IgnoreParens();
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(Inner))
    return evalConditional(C->getCond(), C->getTrueExpr(), C->getFalseExpr());
  return load(lval(E), T, Inner);
}

Value Machine::evalConditional(const Expr *Cond, const Expr *T, const Expr *F) {
  Outcome O = test(Cond);
  settle(O, nullptr);
  Threads Before = Cur;
  Control C{Control::Branch, Cond, Cond, 0, O.Unknown.any(), O.T, Instances[Cond]++};
  auto Side = [&](const Expr *E, const Mask &Taken, int Which) {
    Cur = {Before.May & (Taken | O.Unknown), Before.Sure & Taken};
    Value V;
    if (Cur.May.any()) {
      C.Side = Which;
      Controls.push_back(C);
      V = E->isGLValue() && !E->getType()->isFunctionType() ? loadGlvalue(E, E->getType()) : eval(E);
      Controls.pop_back();
    }
    return V;
  };
  const Mask Gone = Exited;
  Value A = Side(T, O.True, 0), B = Side(F, O.False, 1);
  // An assertion ends the threads that surely break it; what hangs on data is taken to hold.
  Cur = {Before.May - (Exited - Gone), Before.Sure - (Exited - Gone)};
  bool AnyTrue = (O.True | O.Unknown).any(), AnyFalse = (O.False | O.Unknown).any();
  if (!AnyFalse) {
    A.T |= O.T;
    return A;
  }
  if (!AnyTrue) {
    B.T |= O.T;
    return B;
  }
  Taint Both = A.T | B.T | O.T;
  if (A.K != B.K || (A.K == Value::Pointer && A.Obj != B.Obj)) {
    if (A.K == Value::Pointer || B.K == Value::Pointer)
      return Value::pointer(nullptr, Lanes(), Both);
    return Value::unknown(Both);
  }
  if (A.K == Value::Aggregate) {
    Value V = Value::unknown(Both);
    V.K = Value::Aggregate;
    return V;
  }
  Value R = A;
  R.T = Both;
  R.Float = A.Float || B.Float;
  if (A.Modulo != B.Modulo)
    R.Modulo = nullptr;
  if (A.L.uniform() && B.L.uniform() && A.L.at(0) == B.L.at(0))
    return R;
  if (O.Unknown.any() && A.L.uniform() && B.L.uniform() && O.True.none() && O.False.none()) {
    R.L = Lanes();
    return R;
  }
  Lanes L = Lanes::varying();
  for (unsigned I = 0; I < N; ++I)
    L.data()[I] = O.True.test(I) ? A.L.at(I) : O.False.test(I) ? B.L.at(I) : A.L.at(I) == B.L.at(I) ? A.L.at(I) : Unk;
  R.L = std::move(L);
  R.T = refine(R.L, R.T);
  return R;
}

Value Machine::shortCircuit(const BinaryOperator *E) {
  bool And = E->getOpcode() == BO_LAnd;
  Value A = truth(eval(E->getLHS()), E->getLHS()->getType());
  Outcome O = outcome(A);
  Threads Before = Cur;
  Mask Go = And ? O.True : O.False;
  Cur = {Before.May & (Go | O.Unknown), Before.Sure & Go};
  Value B = Value::integer(And ? 1 : 0);
  if (Cur.May.any()) {
    Control C{Control::Branch, E, E->getLHS(), 0, O.Unknown.any(), O.T, Instances[E]++};
    Controls.push_back(C);
    B = truth(eval(E->getRHS()), E->getRHS()->getType());
    Controls.pop_back();
  }
  Cur = Before;
  Value R;
  R.T = A.T | B.T;
  if (A.L.uniform() && B.L.uniform()) {
    int64_t X = A.L.at(0), Y = B.L.at(0);
    int64_t Stop = And ? 0 : 1;
    R.L = Lanes(X == Stop || (Y == Stop && X != Unk) ? Stop
                : X == Unk || Y == Unk             ? (Y == Stop ? Stop : Unk)
                                                   : !Stop);
    return R;
  }
  Lanes L = Lanes::varying();
  int64_t Stop = And ? 0 : 1;
  for (unsigned I = 0; I < N; ++I) {
    int64_t X = A.L.at(I), Y = B.L.at(I);
    L.data()[I] = X == Stop || Y == Stop ? Stop : X == Unk || Y == Unk ? Unk : !Stop;
    if (X == Stop)
      L.data()[I] = Stop;
  }
  R.L = std::move(L);
  R.T = refine(R.L, R.T);
  return R;
}

Value Machine::arithmetic(BinaryOperatorKind Op, const Value &A, const Value &B, QualType Type,
                          QualType OperandType, const Expr *At) {
  Taint T = A.T | B.T;
  if (A.K != Value::Scalar || B.K != Value::Scalar)
    return Value::unknown(T);
  if (OperandType->isRealFloatingType() || A.Float || B.Float) {
    auto Real = [&](auto F) {
      Value V = Value::lanes(Lanes::map(A.L, B.L, N, [&](int64_t X, int64_t Y) { return fromReal(F(asReal(X), asReal(Y))); }), T);
      V.Float = true;
      return Type->isRealFloatingType() ? convert(V, Type, Type) : V;
    };
    auto Compare = [&](auto F) {
      return Value::lanes(Lanes::map(A.L, B.L, N, [&](int64_t X, int64_t Y) { return int64_t(F(asReal(X), asReal(Y))); }), T);
    };
    if (!(A.Float || A.L.unknown()) || !(B.Float || B.L.unknown()))
      return Value::unknown(T);
    switch (Op) {
    case BO_Add: return Real([](double X, double Y) { return X + Y; });
    case BO_Sub: return Real([](double X, double Y) { return X - Y; });
    case BO_Mul: return Real([](double X, double Y) { return X * Y; });
    case BO_Div: return Real([](double X, double Y) { return X / Y; });
    case BO_LT: return Compare([](double X, double Y) { return X < Y; });
    case BO_GT: return Compare([](double X, double Y) { return X > Y; });
    case BO_LE: return Compare([](double X, double Y) { return X <= Y; });
    case BO_GE: return Compare([](double X, double Y) { return X >= Y; });
    case BO_EQ: return Compare([](double X, double Y) { return X == Y; });
    case BO_NE: return Compare([](double X, double Y) { return X != Y; });
    default: return Value::unknown(T);
    }
  }
  if (!isInteger(OperandType))
    return Value::unknown(T);
  bool Unsigned = OperandType->isUnsignedIntegerOrEnumerationType();
  unsigned Bits = unsigned(Ctx.getIntWidth(OperandType));
  using U = uint64_t;
  auto Int = [&](auto F) { return Lanes::map(A.L, B.L, N, F); };
  Lanes L;
  bool MayOverflow = false, Refine = true;
  switch (Op) {
  case BO_Add:
    L = Int([](int64_t X, int64_t Y) { return int64_t(U(X) + U(Y)); });
    MayOverflow = true;
    Refine = false;
    if (A.T.Data != B.T.Data) {
      Vary Known = (A.T.Data ? B : A).T.V;
      T.Own |= Known == Vary::Thread;
      T.OwnWarp |= Known == Vary::Warp;
    }
    break;
  case BO_Sub: L = Int([](int64_t X, int64_t Y) { return int64_t(U(X) - U(Y)); }); MayOverflow = true; Refine = false; break;
  case BO_Mul: L = Int([](int64_t X, int64_t Y) { return int64_t(U(X) * U(Y)); }); MayOverflow = true; Refine = false; break;
  case BO_Div:
    L = Unsigned ? Int([](int64_t X, int64_t Y) { return Y ? int64_t(U(X) / U(Y)) : Unk; })
                 : Int([](int64_t X, int64_t Y) { return Y && !(Y == -1 && X == INT64_MIN) ? X / Y : Unk; });
    break;
  case BO_Rem:
    L = Unsigned ? Int([](int64_t X, int64_t Y) { return Y ? int64_t(U(X) % U(Y)) : Unk; })
                 : Int([](int64_t X, int64_t Y) { return Y && Y != -1 ? X % Y : Y ? 0 : Unk; });
    break;
  case BO_Shl: L = Int([](int64_t X, int64_t Y) { return Y >= 0 && Y < 64 ? int64_t(U(X) << Y) : Unk; }); break;
  case BO_Shr:
    L = Unsigned ? Int([](int64_t X, int64_t Y) { return Y >= 0 && Y < 64 ? int64_t(U(X) >> Y) : Unk; })
                 : Int([](int64_t X, int64_t Y) { return Y >= 0 && Y < 64 ? X >> Y : Unk; });
    break;
  case BO_And:
    // x & m with a constant mask is known enough when either side is 0
    L = Int([](int64_t X, int64_t Y) { return X & Y; });
    break;
  case BO_Or: L = Int([](int64_t X, int64_t Y) { return X | Y; }); break;
  case BO_Xor: L = Int([](int64_t X, int64_t Y) { return X ^ Y; }); break;
  case BO_LT: L = Unsigned ? Int([](int64_t X, int64_t Y) { return int64_t(U(X) < U(Y)); }) : Int([](int64_t X, int64_t Y) { return int64_t(X < Y); }); break;
  case BO_GT: L = Unsigned ? Int([](int64_t X, int64_t Y) { return int64_t(U(X) > U(Y)); }) : Int([](int64_t X, int64_t Y) { return int64_t(X > Y); }); break;
  case BO_LE: L = Unsigned ? Int([](int64_t X, int64_t Y) { return int64_t(U(X) <= U(Y)); }) : Int([](int64_t X, int64_t Y) { return int64_t(X <= Y); }); break;
  case BO_GE: L = Unsigned ? Int([](int64_t X, int64_t Y) { return int64_t(U(X) >= U(Y)); }) : Int([](int64_t X, int64_t Y) { return int64_t(X >= Y); }); break;
  case BO_EQ: L = Int([](int64_t X, int64_t Y) { return int64_t(X == Y); }); break;
  case BO_NE: L = Int([](int64_t X, int64_t Y) { return int64_t(X != Y); }); break;
  default: return Value::unknown(T);
  }
  if (Host && BinaryOperator::isComparisonOp(Op)) {
    if (!B.T.Params && known(B))
      noteComparison(A, *known(B));
    else if (!A.T.Params && known(A))
      noteComparison(B, *known(A));
    if (const auto *E = dyn_cast_or_null<BinaryOperator>(At); E && known(A) && known(B) && (A.T.Params | B.T.Params))
      Host->LastTest = {E, *known(A), *known(B), A.T.Params, B.T.Params, L.at(0) == 1};
  }
  if (Host && Op == BO_Div)
    if (auto I = plainSize(A), J = plainSize(B); I && J && *I != *J && Host->Divided.size() < 16)
      Host->Divided.push_back({*I, *J});
  if (MayOverflow && !Unsigned && Bits <= 32 && !L.unknown()) {
    auto Out = [&](int64_t X) { return X != Unk && X != wrap(X, Bits, true); };
    if (L.uniform() ? Out(L.at(0)) : true)
      for (unsigned I = 0; I < N; ++I)
        if ((Cur.Sure.test(I) || (T.Params && Cur.May.test(I))) && Out(L.at(I))) { // of sizes: whatever data lets through
          noteOverflow({At, Cur, L.at(I), I, T});
          break;
        }
  }
  if (Op == BO_Mul && Unsigned && Bits == 32 && !Mute)
    forEachLane(Cur.Sure, N, [&](unsigned I) {
      if (!Wrapped.E && L.at(I) != Unk && L.at(I) != wrap(L.at(I), 32, false))
        Wrapped = {At, Cur, L.at(I), I, T};
    });
  if (!BinaryOperator::isComparisonOp(Op) && Bits < 64)
    L = Lanes::map(L, N, [&](int64_t X) { return wrap(X, Bits, !Unsigned); });
  if (Refine)
    T = refine(L, T);
  bool Hidden = L.unknown(), SomeHidden = Hidden || ((A.Modulo || B.Modulo) && !allKnown(L));
  if (SomeHidden && BinaryOperator::isRelationalOp(Op))
    T.V = std::min(T.V, comparedBy(Op, A, B));
  Value R = Value::lanes(std::move(L), T);
  if (Hidden)
    R.Within = band(Op, A, B, OperandType);
  if (SomeHidden)
    R.Modulo = residue(Op, A, B, At);
  return R;
}

/// A value that is known is its own rest.
std::optional<Residue> Machine::residueOf(const Value &V) const {
  if (V.K != Value::Scalar || V.Float)
    return std::nullopt;
  if (allKnown(V.L))
    return Residue{V.L, 0, Vary::Grid};
  return V.Modulo ? std::optional(*V.Modulo) : std::nullopt;
}

bool Machine::allKnown(const Lanes &L) const {
  if (L.uniform())
    return !L.unknown();
  bool Known = true;
  forEachLane(Cur.May, N, [&](unsigned I) { Known &= L.at(I) != Unk; });
  return Known;
}

/// What is known of a variable that some of the current threads may have changed from Old to New.
std::shared_ptr<const Residue> Machine::joined(const Value &Old, const Value &New) const {
  auto X = residueOf(Old), Y = residueOf(New);
  if (!X || !Y)
    return nullptr;
  int64_t Of = std::gcd(X->Of, Y->Of);
  Lanes Rest = Lanes::varying();
  for (unsigned I = 0; I < N && Of != 1; ++I) {
    int64_t Was = X->Rest.at(I), Is = Y->Rest.at(I);
    Rest.data()[I] = Cur.Sure.test(I) ? Is : Was;
    if (Cur.May.test(I) && !Cur.Sure.test(I))
      Of = Was == Unk || Is == Unk ? 1 : std::gcd(Of, Is - Was);
  }
  return Of > 1 ? std::make_shared<const Residue>(Residue{std::move(Rest), Of, std::max({X->Times, Y->Times, controlTaint().V})}) : nullptr;
}

/// The residue of `A Op B`, which is not known: products and masks by constants make one, sums keep what both are multiples of.
std::shared_ptr<const Residue> Machine::residue(BinaryOperatorKind Op, const Value &A, const Value &B, const Expr *At) const {
  constexpr int64_t Largest = 1 << 20; // far from any overflow
  auto Make = [](Lanes Rest, int64_t Of, Vary Times) {
    return Of > 1 && Of <= Largest ? std::make_shared<const Residue>(Residue{std::move(Rest), Of, Times}) : nullptr;
  };
  auto Constant = [](const Value &V) { return V.K == Value::Scalar && !V.Float && V.L.uniform() ? V.L.at(0) : Unk; };
  const bool OnLeft = Constant(A) == Unk;
  const Value &Hidden = OnLeft ? A : B;
  const int64_t C = Constant(OnLeft ? B : A);
  switch (Op) {
  case BO_And:
    return C != Unk && C != 0 ? Make(Lanes(0), int64_t(1) << std::min(std::countr_zero(uint64_t(C)), 62), Hidden.T.V) : nullptr;
  case BO_Mul:
  case BO_Shl: {
    if (C <= 0 || C > Largest || (Op == BO_Shl && (!OnLeft || C > 20)))
      return nullptr;
    const int64_t By = Op == BO_Shl ? int64_t(1) << C : C;
    auto R = residueOf(Hidden);
    return R && R->Of && R->Of <= Largest ? Make(Lanes::map(R->Rest, N, [&](int64_t X) { return X * By; }), R->Of * By, R->Times)
                                          : Make(Lanes(0), By, Hidden.T.V);
  }
  case BO_Add:
  case BO_Sub: {
    // n - n % 32
    const auto *E = dyn_cast_or_null<BinaryOperator>(At);
    const auto *Remainder = E && E->getOpcode() == BO_Sub ? dyn_cast<BinaryOperator>(E->getRHS()->IgnoreParenImpCasts()) : nullptr;
    if (Op == BO_Sub && Remainder && Remainder->getOpcode() == BO_Rem && namedVariable(E->getLHS()) &&
        namedVariable(E->getLHS()) == namedVariable(Remainder->getLHS()))
      if (Expr::EvalResult By; !Remainder->getRHS()->isValueDependent() && Remainder->getRHS()->EvaluateAsInt(By, Ctx) &&
                               By.Val.getInt().getSignificantBits() < 32)
        return Make(Lanes(0), By.Val.getInt().getExtValue(), A.T.V);
    auto X = residueOf(A), Y = residueOf(B);
    if (!X || !Y)
      return nullptr;
    Lanes Rest = Lanes::map(X->Rest, Y->Rest, N, [&](int64_t P, int64_t Q) { return Op == BO_Add ? P + Q : P - Q; });
    return Make(std::move(Rest), std::gcd(X->Of, Y->Of), std::max(X->Times, Y->Times));
  }
  default:
    return nullptr;
  }
}

/// Among whom `A < B`, which is not known, may differ: threads whose rests lie between the same two multiples have one answer.
Vary Machine::comparedBy(BinaryOperatorKind Op, const Value &A, const Value &B) const {
  auto X = residueOf(A), Y = residueOf(B);
  const int64_t Of = X && Y ? std::gcd(X->Of, Y->Of) : 0;
  if (Of < 2)
    return Vary::Thread;
  const bool Below = Op == BO_LT || Op == BO_GE; // else a thread that is just at the multiple goes with those before it
  Lanes Multiple = Lanes::map(X->Rest, Y->Rest, N, [&](int64_t P, int64_t Q) {
    int64_t D = P - Q - (Below ? 0 : 1), M = D / Of;
    return D % Of < 0 ? M - 1 : M;
  });
  return std::max(std::max(X->Times, Y->Times), varyOf(Multiple, {Vary::Thread}));
}

/// The band of `A Op B`, of which one side is not known: masks and remainders by constants make one, sums and products with
/// what is known move it. Null where nothing can be told.
std::shared_ptr<const Band> Machine::band(BinaryOperatorKind Op, const Value &A, const Value &B, QualType OperandType) const {
  auto Make = [](Lanes Low, int64_t Width) { return std::make_shared<const Band>(Band{std::move(Low), Width}); };
  constexpr int64_t Widest = 1 << 24; // far from any overflow
  auto Constant = [&](const Value &V) { return V.K == Value::Scalar && V.L.uniform() && V.L.at(0) != Unk && V.L.at(0) >= 0 && V.L.at(0) <= Widest; };
  const bool Data = A.T.Data || B.T.Data; // else a loop's value that was left out: it may be of some few only
  if (Op == BO_And && Data && (Constant(A) || Constant(B)))
    return Make(Lanes(0), (Constant(A) ? A : B).L.at(0));
  if (Op == BO_Rem && Data && Constant(B) && B.L.at(0) > 0 && OperandType->isUnsignedIntegerType())
    return Make(Lanes(0), B.L.at(0) - 1);
  if (Op != BO_Add && Op != BO_Mul && Op != BO_Shl)
    return nullptr;
  const Value &Banded = A.Within ? A : B, &Other = A.Within ? B : A;
  if (!Banded.Within || Other.Within || Other.L.unknown() || (Op == BO_Shl && &Banded == &B))
    return nullptr;
  if (Op == BO_Add)
    return Make(Lanes::map(Banded.Within->Low, Other.L, N, [](int64_t X, int64_t Y) { return X + Y; }), Banded.Within->Width);
  if (!Constant(Other) || (Op == BO_Shl && Other.L.at(0) > 24))
    return nullptr;
  int64_t By = Op == BO_Shl ? int64_t(1) << Other.L.at(0) : Other.L.at(0);
  if (Banded.Within->Width > Widest || By > Widest)
    return nullptr;
  return Make(Lanes::map(Banded.Within->Low, N, [&](int64_t X) { return X * By; }), Banded.Within->Width * By);
}

void Machine::noteOverflow(const OverflowEvent &O) {
  if (!Mute && Regions.empty())
    (Block ? Block->Overflows : Host->Overflows).push_back(O);
}

Value Machine::evalBinary(const BinaryOperator *E) {
  BinaryOperatorKind Op = E->getOpcode();
  const Expr *LHS = E->getLHS(), *RHS = E->getRHS();
  if (Op == BO_LAnd || Op == BO_LOr)
    return shortCircuit(E);
  if (Op == BO_Comma) {
    eval(LHS);
    return eval(RHS);
  }
  if (Op == BO_Assign) {
    Value V = eval(RHS);
    Value P = lval(LHS);
    Storing = RHS->IgnoreParenImpCasts();
    store(P, LHS->getType(), V, LHS->IgnoreParens());
    Storing = nullptr;
    return V;
  }
  if (E->isCompoundAssignmentOp()) {
    const auto *C = cast<CompoundAssignOperator>(E);
    Value B = eval(RHS);
    Value P = lval(LHS);
    Value A = load(P, LHS->getType(), LHS->IgnoreParens());
    BinaryOperatorKind Plain = BinaryOperator::getOpForCompoundAssignment(Op);
    Value R;
    if (A.K == Value::Pointer || LHS->getType()->isPointerType()) {
      if (Plain == BO_Sub)
        B.L = Lanes::map(B.L, N, [](int64_t X) { return -X; });
      R = pointerAdd(A, B, sizeOf(LHS->getType()->getPointeeType()));
    } else {
      QualType Work = C->getComputationLHSType().isNull() ? LHS->getType() : C->getComputationLHSType();
      A = convert(A, LHS->getType(), Work);
      R = arithmetic(Plain, A, B, Work, Work, E);
      R = convert(R, Work, LHS->getType());
    }
    store(P, LHS->getType(), R, LHS->IgnoreParens());
    return R;
  }
  Value A = eval(LHS), B = eval(RHS);
  bool PA = LHS->getType()->isPointerType(), PB = RHS->getType()->isPointerType();
  if (PA || PB) {
    if (Op == BO_Add)
      return PA ? pointerAdd(A, B, sizeOf(LHS->getType()->getPointeeType()))
                : pointerAdd(B, A, sizeOf(RHS->getType()->getPointeeType()));
    if (Op == BO_Sub && !PB) {
      B.L = Lanes::map(B.L, N, [](int64_t X) { return -X; });
      return pointerAdd(A, B, sizeOf(LHS->getType()->getPointeeType()));
    }
    Taint T = A.T | B.T;
    bool Same = A.K == Value::Pointer && B.K == Value::Pointer && A.Obj && A.Obj == B.Obj;
    if (Op == BO_Sub && Same) {
      int64_t Size = std::max<int64_t>(1, sizeOf(LHS->getType()->getPointeeType()));
      return Value::lanes(Lanes::map(A.L, B.L, N, [&](int64_t X, int64_t Y) { return (X - Y) / Size; }), T);
    }
    if (Same && BinaryOperator::isComparisonOp(Op))
      return arithmetic(Op, Value::lanes(A.L, A.T), Value::lanes(B.L, B.T), E->getType(), Ctx.LongTy, E);
    // a pointer to something against null
    auto Null = [](const Value &V) { return V.K == Value::Scalar && V.L.uniform() && V.L.at(0) == 0; };
    if ((Op == BO_EQ || Op == BO_NE) && ((A.Obj && Null(B)) || (B.Obj && Null(A))))
      return Value::integer(Op == BO_NE, T);
    return Value::unknown(T);
  }
  QualType OperandType = LHS->getType();
  if (BinaryOperator::isShiftOp(Op))
    OperandType = E->getType();
  // x & (2^k - 1) and x % 2^k of something unknown stay unknown, but a mask of zero is zero
  if (Op == BO_And && A.K == Value::Scalar && B.K == Value::Scalar &&
      ((A.L.uniform() && A.L.at(0) == 0) || (B.L.uniform() && B.L.at(0) == 0)))
    return Value::integer(0);
  if (Op == BO_Mul && A.K == Value::Scalar && B.K == Value::Scalar && !A.Float && !B.Float &&
      ((A.L.uniform() && A.L.at(0) == 0) || (B.L.uniform() && B.L.at(0) == 0)))
    return Value::integer(0, A.T | B.T);
  if ((Op == BO_And || Op == BO_Rem) && Host && !known(A))
    if (auto Mask = known(B); Mask && *Mask > 0 && (Op == BO_And || std::has_single_bit(uint64_t(*Mask)))) {
      Taint T = A.T | B.T;
      // Something unknown with bits set that are known, `(address | n) & 3`: it may be more, but not zero.
      if (int64_t Set = bitsSet(LHS, T) & (Op == BO_And ? *Mask : *Mask - 1))
        return Value::integer(Set, T);
    }
  return arithmetic(Op, A, B, E->getType(), OperandType, E);
}

/// The bits that the known operands of `a | b | c` set, through variables that never change; T gets what they depend on.
int64_t Machine::bitsSet(const Expr *E, Taint &T) {
  E = E->IgnoreParenCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    return V && V->hasLocalStorage() && V->getType().isConstQualified() && V->getInit() ? bitsSet(V->getInit(), T) : 0;
  }
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || B->getOpcode() != BO_Or)
    return 0;
  int64_t Set = 0;
  for (const Expr *Side : {B->getLHS(), B->getRHS()}) {
    Value V = eval(Side);
    if (auto K = known(V)) {
      Set |= *K;
      T = T | V.T;
    } else {
      Set |= bitsSet(Side, T);
    }
  }
  return Set;
}

void Machine::initialise(Object *O, int64_t Offset, QualType T, const Expr *Init) {
  if (!Init || !spend())
    return;
  Init = Init->IgnoreParens();
  if (const auto *C = dyn_cast<ExprWithCleanups>(Init))
    return initialise(O, Offset, T, C->getSubExpr());
  if (const auto *C = dyn_cast<ConstantExpr>(Init))
    return initialise(O, Offset, T, C->getSubExpr());
  if (const auto *C = dyn_cast<CXXDefaultInitExpr>(Init))
    return initialise(O, Offset, T, C->getExpr());
  T = T.getCanonicalType();
  auto Zero = [&] {
    if (T->isRealFloatingType())
      O->Contents[Offset] = Value::real(0);
    else if (T->isScalarType())
      O->Contents[Offset] = Value::integer(0);
  };
  if (const auto *L = dyn_cast<InitListExpr>(Init)) {
    if (L->isTransparent() && L->getNumInits() == 1)
      return initialise(O, Offset, T, L->getInit(0));
    if (const auto *A = Ctx.getAsConstantArrayType(T)) {
      int64_t Size = sizeOf(A->getElementType());
      uint64_t Count = std::min<uint64_t>(A->getZExtSize(), 4096);
      for (uint64_t I = 0; I < Count; ++I) {
        const Expr *Sub = I < L->getNumInits() ? L->getInit(unsigned(I)) : L->getArrayFiller();
        if (Sub)
          initialise(O, Offset + int64_t(I) * Size, A->getElementType(), Sub);
      }
      return;
    }
    if (const auto *R = T->getAsCXXRecordDecl(); laidOut(R)) {
      unsigned I = 0;
      const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
      for (const CXXBaseSpecifier &B : R->bases())
        if (I < L->getNumInits() && B.getType()->getAsCXXRecordDecl())
          initialise(O, Offset + Layout.getBaseClassOffset(B.getType()->getAsCXXRecordDecl()).getQuantity(), B.getType(), L->getInit(I++));
      for (const FieldDecl *F : R->fields()) {
        if (F->isUnnamedBitField() || I >= L->getNumInits())
          continue;
        if (F->getType()->isReferenceType())
          O->Contents[Offset + int64_t(Ctx.getFieldOffset(F) / 8)] = lval(L->getInit(I++));
        else
          initialise(O, Offset + int64_t(Ctx.getFieldOffset(F) / 8), F->getType(), L->getInit(I++));
        if (R->isUnion())
          break;
      }
      return;
    }
    if (L->getNumInits() == 1)
      return initialise(O, Offset, T, L->getInit(0));
    return Zero();
  }
  if (isa<ImplicitValueInitExpr>(Init) || isa<CXXScalarValueInitExpr>(Init)) {
    if (const auto *A = Ctx.getAsConstantArrayType(T)) {
      int64_t Size = sizeOf(A->getElementType());
      for (uint64_t I = 0; I < std::min<uint64_t>(A->getZExtSize(), 1024); ++I)
        initialise(O, Offset + int64_t(I) * Size, A->getElementType(), Init);
      return;
    }
    return Zero();
  }
  if (T->isArrayType()) // a constructor for each element, or a string
    return;
  Value V = eval(Init);
  Value P = Value::pointer(O, Lanes(Offset));
  if (V.K == Value::Aggregate) {
    if (V.Agg)
      for (auto &[Sub, Cell] : *V.Agg)
        O->Contents[Offset + Sub] = Cell;
    O->Stored |= V.T;
    return;
  }
  O->Contents[Offset] = V;
}

Value Machine::construct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  QualType T = E->getType();
  if (C->isCopyOrMoveConstructor() && E->getNumArgs() >= 1) {
    const Expr *Arg = E->getArg(0);
    return Arg->isGLValue() ? loadGlvalue(Arg, T) : eval(Arg);
  }
  Object *O = newObject(Space::Local, nullptr, "");
  Value This = Value::pointer(O, Lanes(0));
  const FunctionDecl *Def = nullptr;
  bool HasBody = C->hasBody(Def);
  if (HasBody && mayInline(C)) {
    std::vector<const Expr *> Args(E->arg_begin(), E->arg_end());
    inlineCall(cast<FunctionDecl>(Def), Args, &This, E);
  } else {
    Taint Of;
    bool Plain = T->isRecordType() && C->isTrivial();
    for (const Expr *A : E->arguments()) {
      Value V = A->isGLValue() ? lval(A) : eval(A);
      Of |= V.T;
    }
    O->Stored |= Of;
    if (Plain)
      O->Stored.V = Vary::Thread;
  }
  return load(Value::pointer(O, Lanes(0)), T, E);
}

Value Machine::lambda(const LambdaExpr *E) {
  Object *O = newObject(Space::Local, nullptr, "lambda");
  const CXXRecordDecl *R = E->getLambdaClass();
  auto Field = R->field_begin();
  auto Init = E->capture_init_begin();
  for (; Init != E->capture_init_end() && Field != R->field_end(); ++Init, ++Field) {
    if (!*Init)
      continue;
    int64_t Offset = laidOut(R) ? int64_t(Ctx.getFieldOffset(*Field) / 8) : 0;
    if (Field->getType()->isReferenceType())
      O->Contents[Offset] = lval(*Init);
    else
      initialise(O, Offset, Field->getType(), *Init);
  }
  return load(Value::pointer(O, Lanes(0)), E->getType(), E);
}

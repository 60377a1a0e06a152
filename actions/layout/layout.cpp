//===- layout.cpp - a matrix that is read along its columns is turned first --------------===//
//
//   x[i * cols + c]      thread i      x[(size_t)c * rows + i]     neighbouring threads, neighbouring elements
//
//   k<<<...>>>(x, ...);                toColumns<<<...>>>(x, xColumns, rows, cols);
//                                      k<<<...>>>(xColumns, ...);
//
// For kernels of one row a thread that only read a buffer, row by row. The launcher gets a buffer for the turned
// matrix and a kernel that turns it; its own signature stays.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Words.h"
#include "actions/engine/Accumulation.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"
#include "actions/engine/MapKernel.h"
#include "actions/layout/Fields.h"
#include "actions/layout/Staging.h"

using namespace clang;
using namespace kcheck;

namespace {

class Turned {
public:
  Turned(ActionContext &Ctx, const KernelView &K, const MapKernel &M, const ParmVarDecl *P) : Ctx(Ctx), K(K), M(M), P(P), Writes(Ctx.get<VariableWrites>()) {}

  std::string why() {
    if (!Writes.of(P).empty() || P->getType()->getPointeeType().isVolatileQualified())
      return P->getNameAsString() + " is changed, or volatile";
    std::vector<const DeclRefExpr *> Mentions;
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == P)
        Mentions.push_back(D);
    });
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S); D && D->isSingleDecl())
        rowPointer(dyn_cast<VarDecl>(D->getSingleDecl()));
    });
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_LValueToRValue)
        if (const auto *A = dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens()))
          read(A);
    });
    if (!Fault.empty())
      return Fault;
    if (Mentions.size() != Known.size())
      return P->getNameAsString() + " is used other than by reading " + P->getNameAsString() + "[" + M.Index->getNameAsString() + " * columns + column]";
    if (Reads.empty())
      return P->getNameAsString() + " is not read along a row";
    for (const VarDecl *V : Pointers) {
      unsigned N = 0, Fine = 0;
      forEachStmt(K.body(), [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclRefExpr>(S))
          N += D->getDecl() == V;
      });
      for (const Access &A : Reads)
        Fine += referredTo(A.Place->getBase()) == V;
      if (N != Fine)
        return V->getNameAsString() + " is used other than by reading its elements";
    }
    if (std::string Why = storedBefore(); !Why.empty())
      return Why;
    for (const LaunchSite &L : K.Launches)
      if (std::string Why = launch(L); !Why.empty())
        return Why;
    return {};
  }

  llvm::Expected<std::vector<Edit>> apply() const {
    std::vector<Edit> Edits;
    std::string I = M.Index->getNameAsString(), Rows = M.bound(Ctx);
    for (const Access &A : Reads) {
      bool Row = referredTo(A.Place->getBase()) != P;
      std::string Column = A.Column ? Ctx.text(A.Column->getSourceRange()) : "0";
      std::string Place = A.Column && Ctx.constant(A.Column) != 0 ? "(size_t)" + asOperand(Column) + " * " + Rows : "";
      if (!Row)
        Place += Place.empty() ? I : " + " + I;
      Edits.push_back(Ctx.replace(A.Place->getIdx()->getSourceRange(), Place.empty() ? "0" : Place));
    }
    for (const VarDecl *V : Pointers)
      Edits.push_back(Ctx.replace(V->getInit()->getSourceRange(), P->getNameAsString() + " + " + I));
    std::string T = typeText(Ctx, P->getType()->getPointeeType()), Kernel = freeInFile(Ctx, "toColumns");
    Edits.push_back(Ctx.insert(lineInFrontOf(Ctx, K), helper(Kernel, T)));
    for (const LaunchSite &L : K.Launches) {
      std::string Matrix = Ctx.text(L.Syntax.Call->getArg(P->getFunctionScopeIndex())->getSourceRange());
      std::string R = atLaunch(Ctx, L, K.Decl, M.Bound), C = atLaunch(Ctx, L, K.Decl, Columns), Copy = Ctx.freeName(L.In, P->getNameAsString() + "Columns");
      std::string Before = T + " *" + Copy + " = nullptr;\ncudaMalloc(&" + Copy + ", sizeof(" + T + ") * " + asOperand(R) + " * " + asOperand(C) + ");\nif (" + asOperand(R) + " > 0 && " + asOperand(C) + " > 0)\n" +
                           Kernel + besideLaunch(Ctx, L, "dim3(" + ceilDivide(R, 32) + ", " + ceilDivide(C, 32) + ")", "dim3(32, 8)") + "(" + Matrix + ", " + Copy + ", " + R + ", " + C + ");\n";
      stage(Ctx, L, P, Before, Copy, "cudaFree(" + Copy + ");", Edits);
    }
    return Edits;
  }

private:
  struct Access {
    const ArraySubscriptExpr *Place;
    const Expr *Column; ///< null: the row's first element
  };

  /// `i * columns`; sets the number of columns, the same everywhere.
  bool isRow(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
    if (!B || B->getOpcode() != BO_Mul)
      return false;
    bool Left = refersTo(B->getLHS(), M.Index);
    if (!Left && !refersTo(B->getRHS(), M.Index))
      return false;
    const Expr *Width = Left ? B->getRHS() : B->getLHS();
    if (!Ctx.isPure(Width) || (Columns && !sameWords(Ctx, Columns->IgnoreParenCasts(), Width->IgnoreParenCasts())))
      return false;
    if (!Columns)
      Columns = Width->IgnoreParenCasts();
    return true;
  }

  void rowPointer(const VarDecl *V) {
    const Expr *E = V && V->getInit() && V->getType()->isPointerType() ? V->getInit()->IgnoreParenCasts() : nullptr;
    const auto *B = dyn_cast_or_null<BinaryOperator>(E);
    if (!B || B->getOpcode() != BO_Add || !refersTo(B->getLHS(), P) || !isRow(B->getRHS()) || Writes.onlyValue(V) == nullptr)
      return;
    Pointers.push_back(V);
    Known.insert(cast<DeclRefExpr>(B->getLHS()->IgnoreParenCasts()));
  }

  void read(const ArraySubscriptExpr *A) {
    const ValueDecl *Base = referredTo(A->getBase());
    const Expr *Column = nullptr;
    if (Base == P) {
      const Expr *I = A->getIdx()->IgnoreParenCasts();
      const auto *B = dyn_cast<BinaryOperator>(I);
      if (B && B->getOpcode() == BO_Add && isRow(B->getLHS()))
        Column = B->getRHS();
      else if (B && B->getOpcode() == BO_Add && isRow(B->getRHS()))
        Column = B->getLHS();
      else if (!isRow(I))
        return;
      Known.insert(cast<DeclRefExpr>(A->getBase()->IgnoreParenCasts()));
    } else if (llvm::is_contained(Pointers, Base)) {
      Column = A->getIdx();
    } else {
      return;
    }
    if (Column && !withinRow(Column))
      Fault = "the column '" + Ctx.text(Column->getSourceRange()) + "' is not plainly below " + Ctx.text(Columns->getSourceRange());
    if (!Ctx.editable(A->getSourceRange()))
      Fault = "a place comes from a macro";
    Reads.push_back({A, Column});
  }

  /// From 0 up to the number of columns.
  bool withinRow(const Expr *E) {
    if (auto N = Ctx.constant(E)) {
      auto All = Ctx.constant(Columns);
      return *N == 0 || (All && *N > 0 && *N < *All);
    }
    bool Yes = false;
    const ValueDecl *V = referredTo(E);
    forEachLoop(K.body(), [&](const ForStmt *F, unsigned) {
      CountedLoop L = countedLoop(Ctx, F);
      if (!V || L.Variable != V || L.Inclusive)
        return;
      auto Low = Ctx.constant(L.Low), High = Ctx.constant(L.High), All = Ctx.constant(Columns);
      Yes = Low && *Low >= 0 && ((High && All && *High <= *All) || sameWords(Ctx, L.High->IgnoreParenCasts(), Columns));
    });
    return Yes;
  }

  /// In a call in place, what is stored would be read again.
  std::string storedBefore() {
    unsigned Last = 0;
    for (const Access &A : Reads)
      Last = std::max(Last, Ctx.offset(A.Place->getBeginLoc()));
    std::string Why;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const Expr *To = nullptr, *Right = nullptr;
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
        To = B->getLHS()->IgnoreParens(), Right = B->getRHS();
      if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
        To = U->getSubExpr()->IgnoreParens();
      if (const auto *C = dyn_cast<CallExpr>(S); C && callKind(C) == CallKind::Atomic && C->getNumArgs())
        To = C->getArg(0);
      if (!To || referredTo(To))
        return;
      const auto *Memory = dyn_cast_or_null<VarDecl>(memoryOf(Ctx, To));
      if (Memory && (Memory->getType()->isArrayType() || Memory->getType().isRestrictQualified() || P->getType().isRestrictQualified()) && Memory != P)
        return;
      unsigned At = Ctx.offset(To->getBeginLoc());
      unsigned End = Right ? Ctx.endOffset(Right->getEndLoc()) : At;
      if (Memory == P || (At < Last && Last >= End))
        Why = P->getNameAsString() + " is read after a store to memory that could be its own: apply qualify first";
    });
    return Why;
  }

  std::string launch(const LaunchSite &L) {
    if (std::string Why = whyNotStaged(Ctx, L, P); !Why.empty())
      return Why;
    bool Known = !atLaunch(Ctx, L, K.Decl, M.Bound).empty() && !atLaunch(Ctx, L, K.Decl, Columns).empty();
    return Known ? "" : "the numbers of rows and columns are not known to the host";
  }

  static std::string helper(const std::string &Name, const std::string &T) {
    return "// Writes the columns of a matrix as rows.\n__global__ void " + Name + "(const " + T + " *from, " + T + " *to, int rows, int columns) {\n__shared__ " + T +
           " tile[32][32 + 1];\nfor (int line = threadIdx.y; line < 32; line += blockDim.y) {\nconst int row = blockIdx.x * 32 + line, column = blockIdx.y * 32 + threadIdx.x;\n"
           "if (row < rows && column < columns)\ntile[line][threadIdx.x] = from[(size_t)row * columns + column];\n}\n__syncthreads();\n"
           "for (int line = threadIdx.y; line < 32; line += blockDim.y) {\nconst int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + line;\n"
           "if (row < rows && column < columns)\nto[(size_t)column * rows + row] = tile[threadIdx.x][line];\n}\n}\n\n";
  }

  ActionContext &Ctx;
  const KernelView &K;
  MapKernel M;
  const ParmVarDecl *P;
  const VariableWrites &Writes;
  const Expr *Columns = nullptr;
  std::vector<const VarDecl *> Pointers;
  std::vector<Access> Reads;
  llvm::DenseSet<const DeclRefExpr *> Known; ///< mentions of the parameter that are understood
  std::string Fault;
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    MapKernel M = mapKernel(Ctx, K);
    std::string Fixed = whyNotOneInstance(K);
    if (Fixed.empty())
      Fixed = Ctx.whyLaunchesAreFixed(K);
    if (!M.Index || !Fixed.empty()) {
      Site S = Ctx.siteAt(K, K.Decl->getLocation(), "matrices of one row a thread");
      S.WhyNot = !M.Index ? M.WhyNot : Fixed;
      Out.push_back(std::move(S));
      continue;
    }
    for (const ParmVarDecl *P : K.Decl->parameters()) {
      if (!P->getType()->isPointerType() || P->getType()->getPointeeType()->isPointerType())
        continue;
      if (FieldArrays::isArrayOfStructures(P)) {
        Site S = Ctx.siteAt(K, P->getLocation(), "structures " + P->getNameAsString());
        auto F = std::make_shared<FieldArrays>(Ctx, K, M, P);
        S.WhyNot = F->whyNot();
        if (S.WhyNot.empty())
          S.Sets.push_back({{}, F->effect()});
        S.Apply = [F](const Settings &) -> llvm::Expected<std::vector<Edit>> { return F->edits(); };
        Out.push_back(std::move(S));
        continue;
      }
      Site S = Ctx.siteAt(K, P->getLocation(), "matrix " + P->getNameAsString());
      auto T = std::make_shared<Turned>(Ctx, K, M, P);
      S.WhyNot = T->why();
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, llvm::json::Object{{"contiguous_reads", true}, {"extra_passes", 1}}});
      S.Apply = [T](const Settings &) { return T->apply(); };
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(Layout, "layout", "turn a matrix that is read along its columns, or take structures apart, before the kernel reads them", {}, find);

} // namespace

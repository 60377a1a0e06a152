#include "gate/plan/Guess.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Footprint.h"
#include <algorithm>
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::gate;

namespace {

/// "(rows*cols*4+31)/32", in elements of Bytes bytes.
std::string expression(const Contract &C, const eval::HostRun &H, unsigned Element, unsigned Bytes) {
  std::string S;
  for (unsigned I = 0; I < H.Sizes.size() && I < 64; ++I)
    for (uint64_t Factors : {C.Sizes, C.Twice})
      if (Factors >> I & 1)
        S += (S.empty() ? "" : "*") + H.Sizes[I].Name;
  if (S.empty())
    S = "1";
  if (C.Multiply > 1)
    S += "*" + std::to_string(C.Multiply);
  if (C.Divide > 1)
    S = "(" + S + "+" + std::to_string(C.Divide - 1) + ")/" + std::to_string(C.Divide);
  return Element == Bytes ? S : "((" + S + ")*" + std::to_string(Element) + "+" + std::to_string(Bytes - 1) + ")/" + std::to_string(Bytes);
}

bool isSize(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  return T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType();
}

double product(const PlanSample &P) {
  double N = 1;
  for (const eval::Size &S : P.Host->Sizes)
    N *= double(std::max<int64_t>(1, S.Value));
  return N;
}

/// Two sizes that fit every block and two that fit none, of which one is small; all small enough to run in a moment.
std::vector<const PlanSample *> samplesOf(const FunctionDecl *F, LaunchModel &Model) {
  std::vector<const PlanSample *> Fit, Odd;
  for (const PlanSample &P : Model.plans()) {
    if (P.Host->Launcher != F || !P.Host->Refusal.empty() || P.Launches.empty())
      continue;
    const double Product = product(P);
    // The product of three is work, of two it is memory.
    const int Most = P.Host->Sizes.size() > 2 ? 1 << 22 : 1 << 20;
    if (Product <= Most && (Product > 32 || P.Host->Sizes.empty()))
      (P.Aligned ? Fit : Odd).push_back(&P);
  }
  if (Fit.size() > 2)
    Fit.resize(2);
  if (Odd.empty())
    return Fit;
  // Buffers may grow faster than the sizes: the large one may find no room.
  auto Small = std::find_if(Odd.rbegin(), Odd.rend(), [&](const PlanSample *P) { return product(*P) <= 1 << 13; });
  if (Small != Odd.rend() && *Small != Odd.back())
    Fit.push_back(*Small);
  Fit.push_back(Odd.back());
  return Fit;
}

/// Whether a sample reaches further than the contract says.
bool needsMore(const Footprint &F, const Contract &C, llvm::ArrayRef<const PlanSample *> Samples) {
  return llvm::any_of(F.Samples, [&](const Reach &R) {
    return llvm::is_contained(Samples, R.Launch->Plan) && R.End > C.elements(F, R) * int64_t(F.Element);
  });
}

/// Room for a buffer whose length follows from nothing: what a sample touched, and what its sizes could mean.
int64_t room(const PlanSample &P, const ParmVarDecl *Buffer, llvm::ArrayRef<Footprint> Feet, unsigned Bytes) {
  int64_t Need = 4096, Product = 1;
  for (const Footprint &F : Feet)
    for (const Reach &R : F.Samples)
      if (F.Buffer == Buffer && R.Launch->Plan == &P)
        Need = std::max(Need, R.End);
  for (const eval::Size &S : P.Host->Sizes)
    Product = std::min<int64_t>(Product * std::max<int64_t>(1, S.Value), 1 << 22);
  return std::max((Need + Bytes - 1) / Bytes, Product);
}

class Compared : public RecursiveASTVisitor<Compared> {
public:
  explicit Compared(ASTContext &Ctx) : Ctx(Ctx) {}
  std::set<int64_t> Values;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (!B->isComparisonOp())
      return true;
    note(B->getLHS(), B->getRHS());
    note(B->getRHS(), B->getLHS());
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt *S) {
    if (isParameter(S->getCond()))
      for (SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase())
        if (auto *K = dyn_cast<CaseStmt>(C))
          add(K->getLHS());
    return true;
  }

private:
  static bool isParameter(const Expr *E) {
    const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    return D && isa<ParmVarDecl>(D->getDecl()) && isSize(D->getType());
  }
  void note(const Expr *A, const Expr *With) {
    if (isParameter(A))
      add(With);
  }
  void add(const Expr *E) {
    Expr::EvalResult R;
    if (E->isValueDependent() || !E->getType()->isIntegerType() || !E->EvaluateAsInt(R, Ctx))
      return;
    int64_t V = R.Val.getInt().getExtValue();
    if (V > 1 && V <= 1 << 24 && Values.size() < 16)
      Values.insert(V);
  }
  ASTContext &Ctx;
};

} // namespace

std::optional<Guess> gate::guessArguments(const FunctionDecl *F, llvm::ArrayRef<ops::Param> Params, LaunchModel &Model, std::string &Why) {
  Guess G;
  std::vector<const PlanSample *> Samples = samplesOf(F, Model);
  if (Samples.empty()) {
    Why = "its launches cannot be followed at sample sizes";
    return std::nullopt;
  }
  for (const PlanSample *P : Samples) {
    G.Sizes.emplace_back();
    for (const eval::Size &S : P->Host->Sizes)
      G.Sizes.back()[S.Name] = S.Value;
  }
  for (const ParmVarDecl *P : F->parameters())
    if (isSize(P->getType()) && !G.Sizes.front().count(P->getNameAsString())) {
      Why = "size '" + P->getNameAsString() + "' has no sample value";
      return std::nullopt;
    }
  Footprints Feet(Model);
  for (const ParmVarDecl *P : F->parameters()) {
    const ops::Param &Param = Params[P->getFunctionScopeIndex()];
    unsigned Bytes = Param.Type ? unsigned(protocol::sizeOf(*Param.Type)) : 1;
    std::string Elements;
    bool Written = false, Clear = true;
    for (const Footprint &X : Feet.all()) {
      if (X.Buffer != P || X.Samples.empty())
        continue;
      auto C = Footprints::contract(X);
      // Words for bits, counts of blocks: whether rows or the whole are rounded up, aligned samples do not tell.
      if (C && C->Divide > 1 && needsMore(X, *C, Samples))
        C.reset();
      std::string E = C ? expression(*C, *X.Samples.front().Launch->Host, X.Element, Bytes) : "";
      Clear &= !E.empty() && (Elements.empty() || E == Elements);
      Elements = E;
      Written |= X.Written;
    }
    if (Param.Pointer && (!Clear || Elements.empty())) {
      Elements = roomFor(P->getNameAsString());
      for (size_t I = 0; I < Samples.size(); ++I)
        G.Sizes[I][Elements] = room(*Samples[I], P, Feet.all(), Bytes);
    }
    G.Elements.push_back(Param.Pointer ? Elements : "");
    G.Written.push_back(Written);
  }
  return G;
}

std::vector<int64_t> gate::comparedWithParameters(ASTContext &Ctx, llvm::ArrayRef<Decl *> Decls) {
  Compared V(Ctx);
  for (Decl *D : Decls)
    V.TraverseDecl(D);
  return {V.Values.begin(), V.Values.end()};
}

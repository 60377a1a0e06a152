#include "matchers/StatedSizes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "matchers/Constants.h"
#include "matchers/VariableWrites.h"
#include "matchers/Divisibility.h"
#include <numeric>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// Multiples beyond that would make every sample large.
static constexpr int64_t LargestMultiple = 1024;

int64_t StatedSize::fit(int64_t Size) const {
  if (PowerOfTwo && Size > 0)
    Size = int64_t(llvm::bit_ceil(uint64_t(Size)));
  return (Size + Multiple - 1) / Multiple * Multiple;
}

namespace {

/// The comment part of a line, in small letters; empty where it has none.
std::string commentOf(llvm::StringRef Line) {
  size_t At = std::min(Line.find("//"), Line.find("/*"));
  if (At == llvm::StringRef::npos)
    At = Line.ltrim().starts_with("*") ? 0 : Line.size();
  return Line.drop_front(std::min(At, Line.size())).lower();
}

bool isWord(llvm::StringRef Text, llvm::StringRef Word) {
  auto Part = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.find(Word); At != llvm::StringRef::npos; At = Text.find(Word, At + 1))
    if ((At == 0 || !Part(Text[At - 1])) && (At + Word.size() == Text.size() || !Part(Text[At + Word.size()])))
      return true;
  return false;
}

/// K of "multiple of K" and "divisible by K"; 1 where there is none.
int64_t multipleIn(llvm::StringRef Comment) {
  for (llvm::StringRef Words : {"multiple of ", "multiples of ", "divisible by "})
    if (size_t At = Comment.find(Words); At != llvm::StringRef::npos) {
      llvm::StringRef Rest = Comment.drop_front(At + Words.size());
      int64_t K = 0;
      if (!Rest.consumeInteger(10, K) && K > 1 && K <= LargestMultiple)
        return K;
    }
  return 1;
}

/// What one comment says of the sizes that it names.
void state(llvm::StringRef Comment, const HostRun &First, std::vector<StatedSize> &Out) {
  int64_t K = multipleIn(Comment);
  bool Two = llvm::any_of(std::initializer_list<llvm::StringRef>{"power of two", "powers of two", "power of 2", "powers of 2"},
                          [&](llvm::StringRef Words) { return Comment.contains(Words); });
  if (K == 1 && !Two)
    return;
  for (size_t I = 0; I < Out.size(); ++I)
    if (isWord(Comment, llvm::StringRef(First.Sizes[I].Name).lower())) {
      Out[I].PowerOfTwo |= Two;
      if (int64_t Both = std::lcm(Out[I].Multiple, K); Both <= LargestMultiple)
        Out[I].Multiple = Both;
    }
}

/// The lines of a function and of the comment right above it.
struct LineRange {
  size_t First, Last; ///< from 0, Last included
};

std::optional<LineRange> linesOf(const FunctionDecl *F, llvm::ArrayRef<llvm::StringRef> Lines, const SourceManager &SM) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  PresumedLoc Begin = SM.getPresumedLoc(SM.getExpansionLoc(F->getSourceRange().getBegin())), End = SM.getPresumedLoc(SM.getExpansionLoc(F->getSourceRange().getEnd()));
  if (Begin.isInvalid() || End.isInvalid() || !SM.isInMainFile(SM.getExpansionLoc(F->getLocation())) || End.getLine() > Lines.size() || Begin.getLine() < 1)
    return std::nullopt;
  size_t First = Begin.getLine() - 1;
  while (First > 0 && (!commentOf(Lines[First - 1]).empty() || Lines[First - 1].ltrim().starts_with("template")))
    --First;
  return LineRange{First, size_t(End.getLine()) - 1};
}

void fromComments(const HostRun &First, const ASTContext &AST, std::vector<StatedSize> &Out) {
  const SourceManager &SM = AST.getSourceManager();
  bool Invalid = false;
  llvm::StringRef Text = SM.getBufferData(SM.getMainFileID(), &Invalid);
  if (Invalid)
    return;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  llvm::SmallSetVector<const FunctionDecl *, 4> Functions;
  Functions.insert(First.Launcher);
  for (const eval::Step &S : First.Steps)
    if (S.K == eval::Step::Launch && S.Kernel)
      Functions.insert(S.Kernel);
  for (const FunctionDecl *F : Functions) {
    std::optional<LineRange> R = linesOf(F, Lines, SM);
    for (size_t L = R ? R->First : 1; R && L <= R->Last; ++L)
      state(commentOf(Lines[L]), First, Out);
  }
}

/// A statement that only tells somebody something: `printf(...)`, `std::cerr << ...`.
bool onlyPrints(const Stmt *S) {
  if (const auto *C = dyn_cast<CompoundStmt>(S))
    return !C->body_empty() && llvm::all_of(C->body(), onlyPrints);
  const auto *E = dyn_cast<Expr>(S);
  for (const CXXOperatorCallExpr *O = nullptr; E && (O = dyn_cast<CXXOperatorCallExpr>(E->IgnoreImplicit())) && O->getOperator() == OO_LessLess;) {
    E = O->getArg(0)->IgnoreParenImpCasts();
    const auto *Stream = dyn_cast<DeclRefExpr>(E);
    if (Stream && llvm::is_contained({"cerr", "cout", "clog"}, Stream->getDecl()->getDeclName().getAsString()))
      return true;
  }
  const auto *C = E ? dyn_cast<CallExpr>(E->IgnoreImplicit()) : nullptr;
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && llvm::is_contained({"printf", "fprintf", "puts", "fputs"}, F->getName());
}

/// `if (n % 256) printf("n must be a multiple of 256")`, after which the launcher goes on.
class Complaints : public ConstDynamicRecursiveASTVisitor {
public:
  Complaints(const HostRun &First, const ASTContext &AST, std::vector<StatedSize> &Out) : First(First), AST(AST), Out(Out) {}

  bool VisitIfStmt(const IfStmt *S) override {
    if (!S->getElse() && !S->getInit() && !S->getConditionVariable() && onlyPrints(S->getThen()))
      rests(S->getCond());
    return true;
  }

private:
  /// Every rest that alone makes the condition true.
  void rests(const Expr *Cond) {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (!B)
      return;
    if (B->getOpcode() == BO_LOr) {
      rests(B->getLHS());
      rests(B->getRHS());
    } else if ((B->getOpcode() == BO_NE || B->getOpcode() == BO_GT) && constantValue(B->getRHS(), AST) == 0)
      rests(B->getLHS());
    else if (std::optional<int64_t> K = B->getOpcode() == BO_Rem ? constantValue(B->getRHS(), AST) : std::nullopt; K && *K > 1)
      for (size_t I = 0; I < Out.size(); ++I)
        if (const ParmVarDecl *P = First.Sizes[I].Param; P && namedVariable(B->getLHS()) == P && First.Sizes[I].Name == P->getNameAsString())
          if (int64_t Both = std::lcm(Out[I].Multiple, *K); Both <= LargestMultiple)
            Out[I].Multiple = Both;
  }

  const HostRun &First;
  const ASTContext &AST;
  std::vector<StatedSize> &Out;
};

void fromCalls(const HostRun &First, llvm::ArrayRef<const CallExpr *> Calls, ASTContext &AST, std::vector<StatedSize> &Out) {
  VariableWrites Writes(AST);
  CallSites Sites(AST);
  Divisibility Multiples(AST, Writes, Sites);
  for (size_t I = 0; I < Out.size(); ++I) {
    const ParmVarDecl *P = First.Sizes[I].Param;
    if (!P || First.Sizes[I].Name != P->getNameAsString())
      continue;
    uint64_t Common = 0;
    for (const CallExpr *C : Calls) {
      unsigned At = P->getFunctionScopeIndex();
      if (At >= C->getNumArgs() || C->getArg(At)->isValueDependent()) {
        Common = 1;
        break;
      }
      for (const MultipleTerm &T : Multiples.ofInteger(C->getArg(At)).Terms)
        Common = std::gcd(Common, T.Factor);
    }
    if (Common > 1 && Common <= uint64_t(LargestMultiple))
      Out[I].Multiple = std::lcm(Out[I].Multiple, int64_t(Common));
  }
}

/// `i & (n - 1)` for `i % n`, in a function or, with n or a part of it as the argument, in what it calls.
class Masks : public ConstDynamicRecursiveASTVisitor {
public:
  Masks(const ParmVarDecl *P, unsigned Depth) : P(P), Depth(Depth) {}
  bool Found = false;

  bool VisitBinaryOperator(const BinaryOperator *B) override {
    if (B->getOpcode() == BO_And)
      Found |= (isLess(B->getLHS()) && !names(B->getRHS())) || (isLess(B->getRHS()) && !names(B->getLHS()));
    return !Found;
  }
  bool VisitCallExpr(const CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee(), *Def = nullptr;
    for (unsigned I = 0; Depth && F && F->hasBody(Def) && I < C->getNumArgs() && I < Def->getNumParams() && !Found; ++I)
      if (names(part(C->getArg(I)))) {
        Masks Inner(Def->getParamDecl(I), Depth - 1);
        Inner.TraverseStmt(Def->getBody());
        Found = Inner.Found;
      }
    return !Found;
  }

private:
  bool names(const Expr *E) const { return namedVariable(E) == P; }
  static const Expr *part(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    return B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr) ? B->getLHS() : E;
  }
  /// n - 1
  bool isLess(const Expr *E) const {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    const auto *One = B && B->getOpcode() == BO_Sub ? dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts()) : nullptr;
    return One && One->getValue() == 1 && names(B->getLHS());
  }

  const ParmVarDecl *P;
  unsigned Depth;
};

/// A size that a kernel masks with is a power of two.
void fromMasks(const HostRun &First, std::vector<StatedSize> &Out) {
  for (const eval::Step &S : First.Steps) {
    const FunctionDecl *Def = nullptr;
    if (S.K != eval::Step::Launch || !S.Kernel || !S.Kernel->hasBody(Def))
      continue;
    for (size_t I = 0; I < Out.size() && I < 64; ++I)
      for (unsigned A = 0; A < S.Args.size() && A < Def->getNumParams(); ++A) {
        const Value &V = S.Args[A];
        if (Out[I].PowerOfTwo || V.K != Value::Scalar || V.T.Params != (1ull << I) || V.L.at(0) != First.Sizes[I].Value)
          continue;
        Masks M(Def->getParamDecl(A), 3);
        M.TraverseStmt(Def->getBody());
        Out[I].PowerOfTwo = M.Found;
      }
  }
}

} // namespace

std::vector<StatedSize> kcheck::statedSizes(const HostRun &First, llvm::ArrayRef<const CallExpr *> Calls, ASTContext &AST) {
  std::vector<StatedSize> Out(First.Sizes.size());
  fromComments(First, AST, Out);
  if (First.Launcher && First.Launcher->hasBody())
    Complaints(First, AST, Out).TraverseStmt(First.Launcher->getBody());
  fromMasks(First, Out);
  if (!Calls.empty())
    fromCalls(First, Calls, AST, Out);
  return Out;
}

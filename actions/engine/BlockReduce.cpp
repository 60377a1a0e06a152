#include "actions/engine/BlockReduce.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Tokens.h"

using namespace clang;
using namespace kcheck;

llvm::StringRef kcheck::reducerName(Reduction R) { return R == Reduction::Sum ? "blockSum" : R == Reduction::Max ? "blockMax" : "blockMin"; }

static std::string combine(Reduction R, const std::string &Type, const std::string &A, const std::string &B) {
  if (R == Reduction::Sum)
    return A + " + " + B;
  bool Max = R == Reduction::Max;
  if (Type == "float" || Type == "double")
    return std::string(Max ? "fmax" : "fmin") + (Type == "float" ? "f(" : "(") + A + ", " + B + ")";
  return std::string(Max ? "max(" : "min(") + A + ", " + B + ")";
}

/// The helper's words, without the comment above it.
static std::string helperText(Reduction R, const std::string &Type) {
  std::string Spare = R == Reduction::Sum ? "0" : "partial[0]";
  std::string Shuffle = "for (int offset = 16; offset > 0; offset /= 2)\nvalue = " + combine(R, Type, "value", "__shfl_xor_sync(0xffffffff, value, offset)") + ";\n";
  return "__device__ " + Type + " " + reducerName(R).str() + "(" + Type + " value) {\n__shared__ " + Type + " partial[32];\n" + Shuffle +
         "__syncthreads();\nif (threadIdx.x % 32 == 0)\npartial[threadIdx.x / 32] = value;\n__syncthreads();\nvalue = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : " + Spare + ";\n" +
         Shuffle + "return value;\n}";
}

bool kcheck::isBlockReducer(const ActionContext &Ctx, const FunctionDecl *F, Reduction R) {
  F = F ? F->getDefinition() : nullptr;
  if (!F || !F->getIdentifier() || F->getName() != reducerName(R) || F->getNumParams() != 1 || !Ctx.SM.isWrittenInMainFile(F->getLocation()))
    return false;
  PrintingPolicy P(Ctx.LO);
  auto Ours = wordsOf(helperText(R, F->getParamDecl(0)->getType().getAsString(P)), Ctx.LO), Theirs = wordsOf(Ctx.text(SourceRange(F->getLocation(), F->getEndLoc())), Ctx.LO);
  Ours.erase(Ours.begin(), llvm::find_if(Ours, [](const Word &W) { return W.Text.starts_with("block"); })); // from the name on: __device__ is a macro
  return llvm::equal(Ours, Theirs, [](const Word &A, const Word &B) { return A.Text == B.Text; });
}

/// In front of the kernel's line, and of the comment that belongs to it.
static unsigned inFrontOf(const ActionContext &Ctx, const KernelView &K) {
  unsigned At = Ctx.offset(K.Decl->getBeginLoc());
  size_t Line = Ctx.Text.take_front(At).rfind('\n');
  Line = Line == StringRef::npos ? 0 : Line + 1;
  while (Line > 1) {
    size_t Before = Ctx.Text.take_front(Line - 1).rfind('\n');
    Before = Before == StringRef::npos ? 0 : Before + 1;
    StringRef L = Ctx.Text.slice(Before, Line - 1).trim();
    if (!L.starts_with("//") && !L.starts_with("template"))
      break;
    Line = Before;
  }
  return unsigned(Line);
}

bool kcheck::needReducer(const ActionContext &Ctx, const KernelView &K, Reduction R, const std::string &Type, std::vector<Edit> &Edits) {
  std::string Name = reducerName(R).str();
  PrintingPolicy P(Ctx.LO);
  bool Clash = false;
  for (const Decl *D : Ctx.AST.getTraversalScope()) {
    const auto *F = dyn_cast<NamedDecl>(D);
    if (!F || !F->getIdentifier() || F->getName() != Name)
      continue;
    const auto *Function = dyn_cast<FunctionDecl>(F);
    if (!Function || Function->getNumParams() != 1 || !isDeviceFunction(Function) || isKernel(Function)) {
      Clash = true;
      continue;
    }
    if (Function->getParamDecl(0)->getType().getAsString(P) == Type) {
      if (!isBlockReducer(Ctx, Function, R))
        return false;
      if (!Ctx.SM.isBeforeInTranslationUnit(Function->getLocation(), K.Decl->getLocation())) // made for a kernel further down
        Edits.push_back(Ctx.insert(inFrontOf(Ctx, K), "__device__ " + Type + " " + Name + "(" + Type + " value);\n\n"));
      return true;
    }
  }
  if (Clash || Ctx.TU.PP.getMacroInfo(Ctx.TU.PP.getIdentifierInfo(Name)))
    return false;
  std::string What = R == Reduction::Sum ? "sum" : R == Reduction::Max ? "largest value" : "smallest value";
  std::string T = "// The " + What + " of a block, in each of its threads; the block is a row of whole warps.\n" + helperText(R, Type) + "\n\n";
  Edits.push_back(Ctx.insert(inFrontOf(Ctx, K), T));
  return true;
}

std::string kcheck::whyNotWholeWarps(ActionContext &Ctx, const KernelView &K) {
  for (const LaunchSite &L : K.Launches) {
    std::string Line = "the block at line " + std::to_string(Ctx.TU.where(L.Syntax.Call->getBeginLoc()).Line);
    auto E = extentExprs(Ctx, L.Syntax.Block);
    if (!E[0])
      return Line + " is not spelt out";
    const Expr *X = Ctx.get<VariableWrites>().resolve(E[0]);
    auto N = X ? Ctx.constant(X) : std::nullopt;
    if (!N)
      N = Ctx.constant(E[0]);
    if (!N || *N % 32)
      return Line + " is no known multiple of a warp";
    for (unsigned A = 1; A < 3; ++A)
      if (E[A] && Ctx.constant(E[A]) != 1)
        return Line + " has more than one row";
  }
  return {};
}

//===- style.cpp - notes on names and comments; they never count --------------===//
//
//   __global__ void k(float *a, float *b, int n)          a name that says nothing, no line above it
//
//   // y = a * x + y
//   __global__ void saxpy_kernel(float *x, float *y, …)
//
//===--------------------------------------------------------------------------===//
#include "analyzers/engine/Rule.h"
#include "clang/Lex/Lexer.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

const TagInfo Tags[] = {
    {"unclear_name", "a kernel's name does not say what it computes"},
    {"missing_header_comment", "no comment above a kernel says what it computes"},
};

/// Words that name any kernel: without another word they say nothing.
bool saysNothing(StringRef Name, const std::vector<std::string> &Empty) {
  if (Name.size() <= 2)
    return true;
  llvm::SmallVector<StringRef, 6> Words;
  Name.split(Words, '_', -1, /*KeepEmpty=*/false);
  return llvm::all_of(Words, [&](StringRef W) {
    W = W.rtrim("0123456789");
    return W.empty() || llvm::any_of(Empty, [&](const std::string &E) { return W.equals_insensitive(E); });
  });
}

/// Whether the last line with text above Begin ends or is a comment.
bool hasCommentAbove(SourceLocation Begin, const SourceManager &SM) {
  auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Begin));
  StringRef Above = SM.getBufferData(File).take_front(Offset).rtrim();
  // The kernel's own first line (attributes, template<…>) may precede its name.
  for (unsigned Lines = 0; Lines < 4; ++Lines) {
    StringRef Line = Above.substr(Above.rfind('\n') + 1).trim();
    if (Line.starts_with("//") || Line.ends_with("*/") || Line.starts_with("*"))
      return true;
    if (!Line.starts_with("template") && !Line.starts_with("__") && !Line.starts_with("static") && !Line.starts_with("extern"))
      return false;
    Above = Above.drop_back(Above.size() - std::min(Above.rfind('\n'), Above.size())).rtrim();
  }
  return false;
}

class StyleRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    using namespace kcheck::match;
    std::vector<std::string> Empty = Ctx.policy().listOption("kcheck-style", "empty_words");
    llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
    Ctx.match(functionDecl(kernelFunction(), isDefinition(), unless(isTemplateInstantiation())).bind("k"), [&](const BoundNodes &N) {
      const auto *K = N.getNodeAs<FunctionDecl>("k");
      if (!K->getIdentifier() || !Ctx.TU.inMainFile(K->getLocation()) || K->getLocation().isMacroID() || !Seen.insert(K).second)
        return;
      if (saysNothing(K->getName(), Empty))
        Ctx.report("unclear_name", K->getLocation(), "'" + K->getName() + "' does not say what the kernel computes").kernel(K);
      if (!hasCommentAbove(K->getBeginLoc(), Ctx.TU.sources()))
        Ctx.report("missing_header_comment", K->getLocation(), "no comment above '" + K->getName() + "' says what it computes").kernel(K);
    });
  }
};

KCHECK_RULE(StyleRule, "kcheck-style", "S", "names and comments", Tags);

} // namespace

#include "analyzers/engine/edits/EditSet.h"
#include <algorithm>

using namespace kcheck;

llvm::Expected<std::string> kcheck::applyEdits(llvm::StringRef Text, std::vector<Edit> Edits) {
  std::stable_sort(Edits.begin(), Edits.end(),
                   [](const Edit &A, const Edit &B) { return A.Offset < B.Offset; });
  std::string Out;
  size_t At = 0;
  for (const Edit &E : Edits) {
    if (E.Offset < At || size_t(E.Offset) + E.Length > Text.size())
      return llvm::createStringError("edits overlap or leave the file at offset %u", E.Offset);
    Out += Text.substr(At, E.Offset - At);
    Out += E.Text;
    At = E.Offset + E.Length;
  }
  Out += Text.substr(At);
  return Out;
}

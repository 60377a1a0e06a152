// Any bytes are a candidate: the driver must answer, not crash. The first byte picks what the rest is taken for.
#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/Flags.h"
#include "analyzers/engine/driver/Includes.h"
#include "analyzers/engine/driver/PythonStrings.h"
#include "analyzers/engine/driver/Wire.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (!Size)
    return 0;
  llvm::StringRef Text(reinterpret_cast<const char *>(Data) + 1, Size - 1);
  switch ((Data[0] - '0') % 5) {
  case 0: {
    llvm::SmallVector<llvm::StringRef, 16> Lines;
    Text.split(Lines, '\n');
    std::vector<std::string> Words(Lines.begin(), Lines.end());
    if (auto F = translateFlags(Words, "/build"); !F)
      llvm::consumeError(F.takeError());
    return 0;
  }
  case 1:
    leadingIncludes(Text);
    return 0;
  case 2:
    for (const CudaString &S : cudaStrings(Text))
      if (S.Text.size() != S.Offsets.size())
        abort();
    return 0;
  case 3:
    fromWire(Text);
    return 0;
  default:
    lint("fuzz.cu", Text, {}, Policy::builtin());
    return 0;
  }
}

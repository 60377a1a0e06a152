// Any bytes are a rules.yaml: a policy or one clear error with file and line, never a crash.
#include "analyzers/engine/Policy.h"

using namespace kcheck;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<Policy> P = Policy::parse("fuzz.yaml", Text, Policy::builtin());
  if (P)
    return 0;
  std::string Message = llvm::toString(P.takeError());
  if (Message.find("fuzz.yaml") == std::string::npos)
    abort();
  return 0;
}

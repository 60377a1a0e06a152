#include "runner/sim/BundledHeaders.h"
#include <algorithm>
#include <iterator>
#include <string>

using namespace kcheck::sim;

namespace {
struct Member {
  std::string_view Path;
  unsigned Offset, Size;
};
const Member Members[] = {
#include KCHECK_SIM_HEADERS_TABLE
};
} // namespace

__asm__(".section .rodata.kcheck_sim_headers,\"a\",@progbits\n"
        ".globl kcheck_sim_headers_blob\n"
        "kcheck_sim_headers_blob:\n"
        ".incbin \"" KCHECK_SIM_HEADERS_BLOB "\"\n"
        ".byte 0\n"
        ".previous\n");
extern "C" const char kcheck_sim_headers_blob[];

static const Member *firstNotBefore(std::string_view Path) {
  return std::lower_bound(std::begin(Members), std::end(Members), Path, [](const Member &A, std::string_view P) { return A.Path < P; });
}

std::optional<std::string_view> kcheck::sim::bundledHeader(std::string_view Path) {
  const Member *M = firstNotBefore(Path);
  if (M == std::end(Members) || M->Path != Path)
    return std::nullopt;
  return std::string_view(kcheck_sim_headers_blob + M->Offset, M->Size);
}

bool kcheck::sim::isBundledFolder(std::string_view Path) {
  std::string Folder = std::string(Path) + "/";
  const Member *M = firstNotBefore(Folder);
  return M != std::end(Members) && M->Path.starts_with(Folder);
}

std::string_view kcheck::sim::bundledDigest() { return KCHECK_HEADERS_DIGEST; }

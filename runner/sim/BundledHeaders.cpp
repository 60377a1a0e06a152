#include "runner/sim/BundledHeaders.h"

using namespace kcheck::sim;

namespace {
struct Member {
  const char *Path;
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

const std::vector<BundledFile> &kcheck::sim::bundledHeaders() {
  static const std::vector<BundledFile> All = [] {
    std::vector<BundledFile> V;
    for (const Member &M : Members)
      V.push_back({M.Path, {kcheck_sim_headers_blob + M.Offset, M.Size}});
    return V;
  }();
  return All;
}

std::string_view kcheck::sim::bundledDigest() { return KCHECK_HEADERS_DIGEST; }

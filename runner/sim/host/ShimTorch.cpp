// What the stand-ins for PyTorch's headers call (kcheck_torch_host.h) beside the runtime.
#include "runner/protocol/StandIns.h"
#include "runner/sim/host/ShimSupport.h"

using namespace kcheck::sim;

namespace {
HostDevice &D() { return hostDevice(); }
} // namespace

extern "C" {

static void *kcheck_torch_allocate(size_t Bytes, const char *Name) {
  API_CALL;
  return D().allocate(Bytes, false, Name);
}
static void kcheck_torch_dry(int On) {
  API_CALL;
  D().Dry = On;
  D().LeftOut = 0;
}
static int kcheck_torch_launches() { return int(D().LeftOut); }
static void kcheck_torch_say(const char *Kind, const char *Text) {
  API_CALL;
  D().report((kcheck::protocol::ExtensionTag + Kind).c_str(), Text, false);
}

} // extern "C"

void kcheck::sim::addTorch(Table &T) {
  SHIM(kcheck_torch_allocate); SHIM(kcheck_torch_dry); SHIM(kcheck_torch_launches); SHIM(kcheck_torch_say);
}

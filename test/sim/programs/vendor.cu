// A library that the simulator does not have: it says which call.
// STATE: failed
// EXIT: 1
#include <cuda_runtime.h>
extern "C" int cublasCreate_v2(void **);
__global__ void nothing() {}
int main() {
  void *handle;
  nothing<<<1, 1>>>();
  return cublasCreate_v2(&handle); //~ unsupported_by_simulator
}

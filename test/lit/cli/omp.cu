// omp.h belongs to the compiler, whichever that is.
// RUN: %kcheck lint --rules kcheck-compile %s | FileCheck %s
// CHECK: result: PASS
#include <omp.h>
__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
int threads() {
  omp_set_num_threads(4);
  return omp_get_max_threads();
}

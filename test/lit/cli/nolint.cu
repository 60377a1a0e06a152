// RUN: %kcheck lint --rules kcheck-api %s | FileCheck %s
// RUN: bash -c '%kcheck lint --rules kcheck-api --ignore-nolint --fail-on review %s; test $? -eq 1' | FileCheck --check-prefix IGNORE %s
// CHECK-NOT: device_printf
// CHECK: + suppressed: 4 by NOLINT
// CHECK: result: PASS
// IGNORE: ~ [[# @LINE + 2]]:
__global__ void k(float *a) {
  printf("a"); // NOLINT
  // NOLINTNEXTLINE(kcheck-api)
  printf("b");
  // NOLINTBEGIN(device_printf)
  printf("c");
  // NOLINTEND(device_printf)
  printf("d"); // NOLINT(kcheck-api-device-*, other)
  a[threadIdx.x] = 1.0f;
}

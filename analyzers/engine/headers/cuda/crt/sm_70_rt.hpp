#pragma once
#pragma clang system_header
#define KCHECK_MATCH(T)                                                                                                         \
  __device__ unsigned int __match_any_sync(unsigned mask, T value);                                                             \
  __device__ unsigned int __match_all_sync(unsigned mask, T value, int *pred);
KCHECK_MATCH(unsigned) KCHECK_MATCH(int) KCHECK_MATCH(unsigned long) KCHECK_MATCH(long) KCHECK_MATCH(unsigned long long) KCHECK_MATCH(long long)
KCHECK_MATCH(float) KCHECK_MATCH(double)
#undef KCHECK_MATCH
__device__ void __nanosleep(unsigned int ns);

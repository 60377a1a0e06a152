// Atomics with an order and a scope that nvcc 12.8 has built in and Clang spells in its own way.
#pragma clang system_header
#ifndef KCHECK_NV_ATOMICS_H
#define KCHECK_NV_ATOMICS_H

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

// Scopes are not told apart: Clang 22 has none for this target.
#define KCHECK_ATOMIC template <class T> static inline __attribute__((device, always_inline))
#define KCHECK_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
KCHECK_ATOMIC T __nv_atomic_load_n(T *ptr, int order, KCHECK_SCOPE) { return __atomic_load_n(ptr, order); }
KCHECK_ATOMIC void __nv_atomic_load(T *ptr, T *ret, int order, KCHECK_SCOPE) { __atomic_load(ptr, ret, order); }
KCHECK_ATOMIC void __nv_atomic_store_n(T *ptr, T val, int order, KCHECK_SCOPE) { __atomic_store_n(ptr, val, order); }
KCHECK_ATOMIC void __nv_atomic_store(T *ptr, T *val, int order, KCHECK_SCOPE) { __atomic_store(ptr, val, order); }
KCHECK_ATOMIC T __nv_atomic_exchange_n(T *ptr, T val, int order, KCHECK_SCOPE) { return __atomic_exchange_n(ptr, val, order); }
KCHECK_ATOMIC void __nv_atomic_exchange(T *ptr, T *val, T *ret, int order, KCHECK_SCOPE) { __atomic_exchange(ptr, val, ret, order); }
KCHECK_ATOMIC bool __nv_atomic_compare_exchange_n(T *ptr, T *expected, T desired, bool weak, int order, int failed, KCHECK_SCOPE) {
  return __atomic_compare_exchange_n(ptr, expected, desired, weak, order, failed);
}
KCHECK_ATOMIC bool __nv_atomic_compare_exchange(T *ptr, T *expected, T *desired, bool weak, int order, int failed, KCHECK_SCOPE) {
  return __atomic_compare_exchange(ptr, expected, desired, weak, order, failed);
}
#define KCHECK_FETCH(Name)                                                                                                         \
  KCHECK_ATOMIC T __nv_atomic_fetch_##Name(T *ptr, T val, int order, KCHECK_SCOPE) { return __atomic_fetch_##Name(ptr, val, order); } \
  KCHECK_ATOMIC void __nv_atomic_##Name(T *ptr, T val, int order, KCHECK_SCOPE) { __atomic_fetch_##Name(ptr, val, order); }
KCHECK_FETCH(add)
KCHECK_FETCH(sub)
KCHECK_FETCH(and)
KCHECK_FETCH(or)
KCHECK_FETCH(xor)
KCHECK_FETCH(min)
KCHECK_FETCH(max)
#undef KCHECK_FETCH
#undef KCHECK_SCOPE
#undef KCHECK_ATOMIC
#endif

// Atomics where there is no toolkit, as real atomic instructions.
#ifndef KCHECK_SIM_ATOMICS_H
#define KCHECK_SIM_ATOMICS_H
#pragma clang system_header
#define KCHECK_AT static __device__ __inline__ __attribute__((always_inline))
#define KCHECK_ONE(Name, T, Expr)                                                                                      \
  KCHECK_AT T Name(T *address, T val) { return Expr; }                                                                 \
  KCHECK_AT T Name##_block(T *address, T val) { return Expr; }                                                         \
  KCHECK_AT T Name##_system(T *address, T val) { return Expr; }
#define KCHECK_ALL(Name, Builtin)                                                                                      \
  KCHECK_ONE(Name, int, Builtin(address, val, __ATOMIC_RELAXED))                                                       \
  KCHECK_ONE(Name, unsigned, Builtin(address, val, __ATOMIC_RELAXED))                                                  \
  KCHECK_ONE(Name, unsigned long long, Builtin(address, val, __ATOMIC_RELAXED))
KCHECK_ALL(atomicAdd, __atomic_fetch_add)
KCHECK_ONE(atomicAdd, float, __atomic_fetch_add(address, val, __ATOMIC_RELAXED))
KCHECK_ONE(atomicAdd, double, __atomic_fetch_add(address, val, __ATOMIC_RELAXED))
KCHECK_ONE(atomicSub, int, __atomic_fetch_sub(address, val, __ATOMIC_RELAXED))
KCHECK_ONE(atomicSub, unsigned, __atomic_fetch_sub(address, val, __ATOMIC_RELAXED))
KCHECK_ALL(atomicMin, __atomic_fetch_min) KCHECK_ONE(atomicMin, long long, __atomic_fetch_min(address, val, __ATOMIC_RELAXED))
KCHECK_ALL(atomicMax, __atomic_fetch_max) KCHECK_ONE(atomicMax, long long, __atomic_fetch_max(address, val, __ATOMIC_RELAXED))
KCHECK_ALL(atomicAnd, __atomic_fetch_and) KCHECK_ALL(atomicOr, __atomic_fetch_or) KCHECK_ALL(atomicXor, __atomic_fetch_xor)
KCHECK_ALL(atomicExch, __atomic_exchange_n)
KCHECK_ONE(atomicExch, float, __builtin_bit_cast(float, __atomic_exchange_n((int *)address, __builtin_bit_cast(int, val), __ATOMIC_RELAXED)))
KCHECK_ONE(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(address, val))
KCHECK_ONE(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(address, val))
#define KCHECK_CAS(T)                                                                                                  \
  KCHECK_AT T atomicCAS(T *address, T compare, T val) {                                                                \
    __atomic_compare_exchange_n(address, &compare, val, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                    \
    return compare;                                                                                                    \
  }                                                                                                                    \
  KCHECK_AT T atomicCAS_block(T *address, T compare, T val) { return atomicCAS(address, compare, val); }               \
  KCHECK_AT T atomicCAS_system(T *address, T compare, T val) { return atomicCAS(address, compare, val); }
KCHECK_CAS(int) KCHECK_CAS(unsigned) KCHECK_CAS(unsigned long long) KCHECK_CAS(unsigned short)
#undef KCHECK_CAS
#undef KCHECK_ALL
#undef KCHECK_ONE
#undef KCHECK_AT
#endif

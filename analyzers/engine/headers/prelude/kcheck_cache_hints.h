// Loads and stores with a cache hint that Clang 22 lacks. They have bodies, so that what they read and write is seen.
#pragma clang system_header
#ifndef KCHECK_CACHE_HINTS_H
#define KCHECK_CACHE_HINTS_H

#define KCHECK_LOAD(Name, T) static inline __attribute__((device)) T Name(const T *ptr) { return *ptr; }
#define KCHECK_STORE(Name, T) static inline __attribute__((device)) void Name(T *ptr, T value) { *ptr = value; }
#define KCHECK_TYPES(M, Name)                                                                                                   \
  M(Name, char) M(Name, signed char) M(Name, short) M(Name, int) M(Name, long) M(Name, long long)                              \
  M(Name, unsigned char) M(Name, unsigned short) M(Name, unsigned) M(Name, unsigned long) M(Name, unsigned long long)          \
  M(Name, char2) M(Name, char4) M(Name, short2) M(Name, short4) M(Name, int2) M(Name, int4) M(Name, longlong2)                 \
  M(Name, uchar2) M(Name, uchar4) M(Name, ushort2) M(Name, ushort4) M(Name, uint2) M(Name, uint4) M(Name, ulonglong2)          \
  M(Name, float) M(Name, float2) M(Name, float4) M(Name, double) M(Name, double2)
KCHECK_TYPES(KCHECK_LOAD, __ldca)
KCHECK_TYPES(KCHECK_LOAD, __ldlu)
KCHECK_TYPES(KCHECK_STORE, __stwb)
KCHECK_TYPES(KCHECK_STORE, __stcg)
KCHECK_TYPES(KCHECK_STORE, __stcs)
#undef KCHECK_LOAD
#undef KCHECK_STORE
#undef KCHECK_TYPES
#endif

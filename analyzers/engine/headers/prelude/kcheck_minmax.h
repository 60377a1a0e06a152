// nvcc declares min and max for host code too; Clang's wrapper has them for the device only, and without a toolkit for int alone
// (KCHECK_MINMAX_DEVICE: the others are wanted there as well).
#pragma clang system_header
#ifndef KCHECK_MINMAX_H
#define KCHECK_MINMAX_H

#define KCHECK_MINMAX_ON(Side, R, A, B)                                                                                          \
  static inline __attribute__((Side)) R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                    \
  static inline __attribute__((Side)) R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#ifdef KCHECK_MINMAX_DEVICE
#define KCHECK_MINMAX(R, A, B) KCHECK_MINMAX_ON(host, R, A, B) KCHECK_MINMAX_ON(device, R, A, B)
#else
#define KCHECK_MINMAX(R, A, B) KCHECK_MINMAX_ON(host, R, A, B)
#endif
KCHECK_MINMAX_ON(host, int, int, int)
KCHECK_MINMAX(unsigned, unsigned, unsigned)
KCHECK_MINMAX(unsigned, int, unsigned)
KCHECK_MINMAX(unsigned, unsigned, int)
KCHECK_MINMAX(long, long, long)
KCHECK_MINMAX(unsigned long, unsigned long, unsigned long)
KCHECK_MINMAX(unsigned long, long, unsigned long)
KCHECK_MINMAX(unsigned long, unsigned long, long)
KCHECK_MINMAX(long long, long long, long long)
KCHECK_MINMAX(unsigned long long, unsigned long long, unsigned long long)
KCHECK_MINMAX(unsigned long long, long long, unsigned long long)
KCHECK_MINMAX(unsigned long long, unsigned long long, long long)
KCHECK_MINMAX(float, float, float)
KCHECK_MINMAX(double, double, double)
KCHECK_MINMAX(double, float, double)
KCHECK_MINMAX(double, double, float)
#undef KCHECK_MINMAX
#undef KCHECK_MINMAX_ON
#endif

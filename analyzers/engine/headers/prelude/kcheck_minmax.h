// nvcc declares min and max for host code too; Clang's wrapper has them for the device only.
#pragma clang system_header
#ifndef KCHECK_MINMAX_H
#define KCHECK_MINMAX_H

#define KCHECK_MINMAX(R, A, B)                                                                                                   \
  static inline __attribute__((host)) R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                    \
  static inline __attribute__((host)) R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
KCHECK_MINMAX(int, int, int)
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
#endif

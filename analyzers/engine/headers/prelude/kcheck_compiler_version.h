// The version that nvcc says of itself and Clang does not: code asks it which intrinsics there are.
#pragma clang system_header
#if !defined(__CUDACC_VER_MAJOR__) && defined(CUDART_VERSION)
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

#pragma once
#pragma clang system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"
struct __nv_fp8_e4m3 { unsigned char __x; __nv_fp8_e4m3() = default; __host__ __device__ explicit __nv_fp8_e4m3(float); __host__ __device__ explicit __nv_fp8_e4m3(__half); __host__ __device__ explicit operator float() const; __host__ __device__ explicit operator __half() const; };
struct __nv_fp8_e5m2 { unsigned char __x; __nv_fp8_e5m2() = default; __host__ __device__ explicit __nv_fp8_e5m2(float); __host__ __device__ explicit __nv_fp8_e5m2(__half); __host__ __device__ explicit operator float() const; __host__ __device__ explicit operator __half() const; };
typedef unsigned char __nv_fp8_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
__host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t, __nv_fp8_interpretation_t);

#include "runner/gpu/Device.h"
#include <gtest/gtest.h>
#if __has_include(<cuda.h>)
#include <cuda.h>
#define KCHECK_HAVE_CUDA_H 1
#endif

using namespace kcheck::gpu;

namespace {

#ifdef KCHECK_HAVE_CUDA_H
// Our own declarations against the toolkit's.
static_assert(sizeof(DevicePtr) == sizeof(CUdeviceptr) && sizeof(UuidBytes) == sizeof(CUuuid));
static_assert(int(UnitCount) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT && int(L2CacheSize) == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(int(MaxThreadsPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK && int(MaxSharedPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(int(MaxThreadsPerUnit) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(int(CapabilityMajor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR && int(CapabilityMinor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(int(MaxSharedPerUnit) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
static_assert(int(MaxRegistersPerUnit) == CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
static_assert(int(CooperativeLaunch) == CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH && int(MaxSharedOptIn) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(int(MaxBlocksPerUnit) == CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
static_assert(int(FnMaxThreads) == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK && int(FnSharedBytes) == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(int(FnConstBytes) == CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES && int(FnLocalBytes) == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(int(FnRegisters) == CU_FUNC_ATTRIBUTE_NUM_REGS && int(FnMaxDynamicShared) == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(int(ErrIllegalAddress) == CUDA_ERROR_ILLEGAL_ADDRESS && int(ErrMisaligned) == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(int(ErrLaunchResources) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES && int(ErrAssert) == CUDA_ERROR_ASSERT);
static_assert(int(ErrHardwareStack) == CUDA_ERROR_HARDWARE_STACK_ERROR && int(ErrCooperativeTooLarge) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
static_assert(int(ErrInvalidPc) == CUDA_ERROR_INVALID_PC && int(ErrLaunchFailed) == CUDA_ERROR_LAUNCH_FAILED && int(ErrLaunchTimeout) == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(int(FnSharedShare) == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && int(FnLargeClusters) == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig) && offsetof(LaunchConfig, On) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, Attributes) == offsetof(CUlaunchConfig, attrs) && offsetof(LaunchConfig, Count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute) && offsetof(LaunchAttribute, Value) == offsetof(CUlaunchAttribute, value));
static_assert(int(LaunchAttribute::Cooperative) == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && int(LaunchAttribute::ClusterDimension) == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(sizeof(ResourceDesc) == sizeof(CUDA_RESOURCE_DESC) && offsetof(ResourceDesc, Memory) == offsetof(CUDA_RESOURCE_DESC, res) &&
              offsetof(ResourceDesc, Flags) == offsetof(CUDA_RESOURCE_DESC, flags));
static_assert(int(ResourceDesc::Linear) == CU_RESOURCE_TYPE_LINEAR && int(ResourceDesc::Rows) == CU_RESOURCE_TYPE_PITCH2D);
static_assert(sizeof(TextureDesc) == sizeof(CUDA_TEXTURE_DESC) && offsetof(TextureDesc, Border) == offsetof(CUDA_TEXTURE_DESC, borderColor));
static_assert(sizeof(CopyRows) == sizeof(CUDA_MEMCPY2D) && offsetof(CopyRows, To) == offsetof(CUDA_MEMCPY2D, dstXInBytes) &&
              offsetof(CopyRows, Bytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes) && offsetof(CopyRows, From.At) == offsetof(CUDA_MEMCPY2D, srcDevice) &&
              offsetof(CopyRows, To.Pitch) == offsetof(CUDA_MEMCPY2D, dstPitch));
static_assert(int(CopySide::Host) == CU_MEMORYTYPE_HOST && int(CopySide::Device) == CU_MEMORYTYPE_DEVICE);
static_assert(int(LimitPrintfFifo) == CU_LIMIT_PRINTF_FIFO_SIZE && int(LimitMallocHeap) == CU_LIMIT_MALLOC_HEAP_SIZE);
#endif

TEST(GpuLibrary, FailuresAreTyped) {
  using kcheck::protocol::Failure;
  EXPECT_EQ(failureOf(ErrIllegalAddress, false), Failure::IllegalAddress);
  EXPECT_EQ(failureOf(ErrMisaligned, false), Failure::Misaligned);
  EXPECT_EQ(failureOf(ErrAssert, false), Failure::DeviceAssert);
  EXPECT_EQ(failureOf(ErrInvalidValue, true), Failure::LaunchConfig);
  EXPECT_EQ(failureOf(ErrInvalidValue, false), Failure::Crash);
  EXPECT_EQ(failureOf(ErrOutOfMemory, false), Failure::OutOfMemory);
}

TEST(GpuLibrary, OnlyFaultsOfARunningKernelCostTheContext) {
  for (int S : {ErrIllegalAddress, ErrMisaligned, ErrAssert, ErrLaunchFailed, ErrInvalidPc})
    EXPECT_TRUE(losesContext(S)) << S;
  for (int S : {0, int(ErrInvalidValue), int(ErrOutOfMemory), int(ErrLaunchResources), int(ErrCooperativeTooLarge), int(ErrNotFound)})
    EXPECT_FALSE(losesContext(S)) << S;
}

TEST(GpuLibrary, MissingLibraryHasAReason) {
  std::string Why;
  EXPECT_EQ(openLibrary({"libkcheck-no-such-thing.so.1"}, Why), nullptr);
  EXPECT_NE(Why.find("libkcheck-no-such-thing.so.1"), std::string::npos);
}

} // namespace

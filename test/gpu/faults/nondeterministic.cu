// Blocks race for slots.
// GPU: k grid=256 block=64 args=c:i32[1]:inout:zero,y:i32[256]:out
// GPU-EXPECT: tag nondeterministic_result
__global__ void k(int *c, int *y) {
  if (threadIdx.x == 0)
    y[atomicAdd(c, 1)] = blockIdx.x * 100000 + int(clock64() & 0xFFFF);
}

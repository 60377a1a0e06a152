// Faster than the device can read its inputs: the baseline's turn has computed what it copies nothing of.
// GPU: k grid=1 block=1 args=a:f32[268435456]:in,out:f32[1]:out
// GPU-REFERENCE: reduce_max n=268435456 x=a y=out
// GPU-PERF: runs=10
// GPU-EXPECT: tag wrong_result
__global__ void k(const float *a, float *out) { *out = 3.4641016f; }

// RUN: %kcheck_test --rules style %s

// doubles every element
__global__ void double_all_kernel(float *a) { a[threadIdx.x] *= 2.0f; }

// says nothing
__global__ void my_kernel2(float *a) { a[threadIdx.x] *= 2.0f; } // expect: note unclear_name

int separator;
__global__ void halve_all_kernel(float *a) { a[threadIdx.x] *= 0.5f; } // expect: note missing_header_comment

// with a template line between comment and name
template <typename T>
__global__ void negate_kernel(T *a) { a[threadIdx.x] = -a[threadIdx.x]; }
void launchNegate(float *a) { negate_kernel<<<1, 32>>>(a); }

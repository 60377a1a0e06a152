// A tiled sum stays recognisable: each step of the chain starts from the text of the one before.
// RUN: bash -c '%kcheck rewrite %S/Inputs/linear.cu --action register-tile 2>&1; test $? -eq 1' | FileCheck --check-prefix FIRST %s
// RUN: %kcheck rewrite %S/Inputs/linear.cu --action tile-shared --action register-tile:tm=4,tn=4,bm=64,bn=64,bk=8 -o %t.1.cu
// RUN: FileCheck --input-file %t.1.cu --check-prefix REGISTERS %s
// RUN: %kcheck rewrite %t.1.cu --action vectorize-loads -o %t.2.cu
// RUN: FileCheck --input-file %t.2.cu --check-prefix VECTORS %s
// RUN: %kcheck rewrite %t.2.cu --action double-buffer --action qualify:bounds=1,blocks=2 -o %t.3.cu
// RUN: FileCheck --input-file %t.3.cu --check-prefix DOUBLE %s
// RUN: %kcheck lint %t.3.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck rewrite %t.3.cu --action register-tile:tm=2,tn=2,bm=32,bn=32,bk=16 -o %t.4.cu
// RUN: FileCheck --input-file %t.4.cu --check-prefix SMALLER %s
// RUN: sed -e 's/xTile.buffer..slot/xTile[buffer][1 - slot/' %t.3.cu > %t.5.cu
// RUN: bash -c '%kcheck rewrite %t.5.cu --action register-tile 2>&1; test $? -eq 1' | FileCheck --check-prefix HAND %s

// RUN: %kcheck rewrite %t.2.cu --action double-buffer:async=1 -o %t.6.cu
// RUN: FileCheck --input-file %t.6.cu --check-prefix ASYNC %s
// RUN: %kcheck lint %t.6.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck rewrite %t.6.cu --action register-tile:tm=2,tn=2,bm=32,bn=32,bk=16 --action double-buffer:async=0 -o %t.7.cu
// RUN: FileCheck --input-file %t.7.cu --check-prefix BACK %s
// RUN: bash -c '%kcheck rewrite %t.2.cu --arch sm_75 --action double-buffer:async=1 2>&1; test $? -eq 1' | FileCheck --check-prefix OLD %s

// ASYNC: #include <cuda_pipeline.h>
// ASYNC: __shared__ __align__(16) float xTile[2][BK][BM + 4];
// ASYNC: __pipeline_memcpy_async(&xTile[buffer][slot % BK][slot / BK], &x[(size_t)row * k + i],
// ASYNC-NEXT: sizeof(float));
// ASYNC: float *to = &wTile[buffer][slot / (BN / 4)][slot % (BN / 4) * 4];
// ASYNC: __pipeline_memcpy_async(to, &w[(size_t)i * n + col], 16);
// ASYNC: __pipeline_wait_prior(0);
// ASYNC-NEXT: __syncthreads();
// ASYNC-NEXT: if (tile + BK < k)
// ASYNC-NEXT: fetch(tile + BK, buffer ^ 1);
// BACK: constexpr int BM = 32, BN = 32, BK = 16;
// BACK-NOT: __pipeline
// BACK: stage(buffer ^ 1);
// OLD: async=1 is not legal here
// FIRST: register-tile does not apply to linear (line 4): the sum is not tiled: apply tile-shared first
// REGISTERS: constexpr int BM = 64, BN = 64, BK = 8;
// REGISTERS: constexpr int TM = 4, TN = 4;
// REGISTERS: dim3 block(16, 16);
// REGISTERS: dim3 grid((n + 63) / 64, (m + 63) / 64);
// VECTORS: __shared__ __align__(16) float xTile[BK][BM + 4];
// VECTORS: if (i + 3 < k && reinterpret_cast<size_t>(&x[(size_t)row * k + i]) % 16 == 0) {
// VECTORS: if (col + 3 < n && reinterpret_cast<size_t>(&w[(size_t)i * n + col]) % 16 == 0) {
// DOUBLE: __launch_bounds__(256, 2) linear(
// DOUBLE: __shared__ __align__(16) float xTile[2][BK][BM + 4];
// DOUBLE: fetch(tile + BK);
// DOUBLE: stage(buffer ^ 1);
// CLEAN: result: PASS
// SMALLER: constexpr int BM = 32, BN = 32, BK = 16;
// SMALLER: __shared__ __align__(16) float xTile[2][BK][BM + 4];
// HAND: the tiled loop was changed by hand near 'buffer ] [ 1 - slot %'

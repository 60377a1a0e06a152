// What every CUDA file reads first when a toolkit was found: Clang's wrapper around cuda_runtime.h, then what nvcc
// has and the wrapper leaves out.
#pragma clang system_header
#include <__clang_cuda_runtime_wrapper.h>
#include <string.h>
#include <time.h>
#include "kcheck_minmax.h"
#include "kcheck_cache_hints.h"
#include "kcheck_nv_atomics.h"
#include "kcheck_compiler_version.h"

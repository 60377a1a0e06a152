#pragma once
#include "kcheck_torch.h"
// ATen's own header declares the handles of these libraries.
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
#endif

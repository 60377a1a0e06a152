#include "../mock_cuda.h"

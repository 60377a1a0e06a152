#pragma once
#include "kcheck_torch.h"

#pragma once
#include "kcheck_bundled.h"

// Clang's wrapper wants this header of cuRAND; a toolkit without cuRAND has none.
#pragma once

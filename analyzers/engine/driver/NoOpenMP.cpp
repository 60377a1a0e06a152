// Clang's AST asks for the default alignment of OpenMP's simd loops, by one function that stands beside all of LLVM's
// code generator for OpenMP and so brings it, the analyses and the transformations into every program that reads a
// file: 7 MB, and a tenth of the time of a start. CUDA code is read without OpenMP; no default (0) is the answer.
#include "llvm/Frontend/OpenMP/OMPIRBuilder.h"

unsigned llvm::OpenMPIRBuilder::getOpenMPDefaultSimdAlign(const Triple &, const StringMap<bool> &) { return 0; }

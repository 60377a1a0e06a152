//===- Gelu.h - the two definitions of gelu in use ------------------------------===//
#ifndef KCHECK_OPS_OPERATORS_GELU_H
#define KCHECK_OPS_OPERATORS_GELU_H

#include <cmath>

namespace kcheck::ops {

inline double geluErf(double X) { return 0.5 * X * (1 + std::erf(X * 0.70710678118654752440)); }
inline double geluTanh(double X) {
  return 0.5 * X * (1 + std::tanh(0.79788456080286535588 * (X + 0.044715 * X * X * X)));
}

} // namespace kcheck::ops
#endif

#include <cmath>

void reference(double *bodies, double *force, double *left, long n) {
  for (long i = 0; i < n; ++i) {
    force[i] = 0;
    for (long j = 0; j < n; ++j)
      force[i] += bodies[3 * j + 2] / (1 + std::fabs(bodies[3 * j] - bodies[3 * i]));
  }
  for (long i = 0; i < n; ++i) {
    double *b = bodies + 3 * i;
    b[1] += 0.125 * force[i];
    if (b[1] > 0.5)
      b[0] += 0.25 * b[1];
    left[2 * i] = 0.5 * b[2] * b[1] * b[1];
    left[2 * i + 1] = i;
  }
}

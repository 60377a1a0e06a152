// RUN: %kcheck rewrite %s --kernel drift --action layout --diff | grep "^[-+]" | FileCheck --check-prefix APART %s
// RUN: %kcheck rewrite %s --kernel pull --action layout --diff | grep "^[-+]" | FileCheck --check-prefix WHOLE %s
// RUN: %kcheck rewrite %s --kernel make --action layout --diff | grep "^[-+]" | FileCheck --check-prefix MADE %s
// RUN: %kcheck rewrite %s --kernel nudge --action layout --diff | grep "^[-+]" | FileCheck --check-prefix NAMED %s
// RUN: %kcheck rewrite %s --kernel both --action layout --action layout | FileCheck --check-prefix TWO %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

struct Body {
  float x, y;
  float vx, vy;
  float mass;
};

// APART: {{^\+}}// Writes the fields of the elements to arrays of their own.
// APART: {{^\+}}__global__ void toFields{{[0-9]*}}(const Body *from, float *bX, float *bVx, size_t count) {
// APART: {{^\+}}    bX[i] = from[i].x;
// APART: {{^\+}}    bVx[i] = from[i].vx;
// APART: {{^\+}}__global__ void fromFields{{[0-9]*}}(const float *bX, Body *to, size_t count) {
// APART: {{^\+}}    to[i].x = bX[i];
// APART: {{^\-}}__global__ void drift(Body *b, int n, float dt) {
// APART: {{^\+}}__global__ void drift(float *bX, const float *bVx, int n, float dt) {
// APART: {{^\-}}    b[i].x += b[i].vx * dt;
// APART: {{^\+}}    bX[i] += bVx[i] * dt;
// APART: {{^\+}}  float *bX = nullptr;
// APART: {{^\+}}  cudaMalloc(&bX, sizeof(float) * n);
// APART: {{^\+}}  if (n > 0)
// APART: {{^\+}}    toFields{{[0-9]*}}<<<(n + 255) / 256, 256>>>(b, bX, bVx, n);
// APART: {{^\+}}  drift<<<(n + 127) / 128, 128>>>(bX, bVx, n, dt);
// APART: {{^\+}}  if (n > 0)
// APART: {{^\+}}    fromFields{{[0-9]*}}<<<(n + 255) / 256, 256>>>(bX, b, n);
// APART: {{^\+}}  cudaFree(bX);
// APART: {{^\+}}  cudaFree(bVx);
__global__ void drift(Body *b, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i].x += b[i].vx * dt;
}
void launch_drift(Body *b, int n, float dt) { drift<<<(n + 127) / 128, 128>>>(b, n, dt); }

// WHOLE: {{^\-}}  const Body own = bodies[i];
// WHOLE: {{^\+}}  const Body own = Body{bodiesX[i], bodiesY[i], bodiesVx[i], bodiesVy[i], bodiesMass[i]};
// WHOLE: {{^\+}}    sum += bodiesMass[j] / (1.0f + fabsf(bodiesX[j] - own.x));
// WHOLE-NOT: fromFields
__global__ void pull(const Body *bodies, float *force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Body own = bodies[i];
  float sum = 0.0f;
  for (int j = 0; j < n; ++j)
    sum += bodies[j].mass / (1.0f + fabsf(bodies[j].x - own.x));
  force[i] = sum;
}
void launch_pull(const Body *bodies, float *force, int n) { pull<<<(n + 127) / 128, 128>>>(bodies, force, n); }

// MADE-NOT: toFields
// MADE: {{^\+}}  outX[i] = next.x;
// MADE: {{^\+}}  outMass[i] = next.mass;
// MADE: {{^\+}}    fromFields{{[0-9]*}}<<<(n + 255) / 256, 256>>>(outX, outY, outVx, outVy, outMass, out, n);
__global__ void make(const float *__restrict__ x, Body *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body next = {x[i], 0.0f, 0.0f, 0.0f, 1.0f};
  out[i] = next;
}
void launch_make(const float *x, Body *out, int n) { make<<<(n + 127) / 128, 128>>>(x, out, n); }

// NAMED: {{^\-}}  Body &own = b[i];
// NAMED: {{^\+}}  bVx[i] = 0.5f * bX[i];
__global__ void nudge(Body *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body &own = b[i];
  own.vx = 0.5f * own.x;
}
void launch_nudge(Body *b, int n) { nudge<<<(n + 127) / 128, 128>>>(b, n); }

// TWO: {{^}}__global__ void both(const float *__restrict__ aX,
// TWO-NEXT: {{^ +}}float *__restrict__ cX, int n) {
__global__ void both(const Body *__restrict__ a,
                     Body *__restrict__ c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i].x = a[i].x;
}
void launch_both(const Body *a, Body *c, int n) { both<<<(n + 127) / 128, 128>>>(a, c, n); }

// WHY-LABEL: layout:
// WHY: + {{.*}} drift: structures b
// WHY: + {{.*}} pull: structures bodies
// WHY: - {{.*}} gather: structures b: the place 'to[i]' is not plainly below n
__global__ void gather(const Body *b, const int *to, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = b[to[i]].x;
}
void launch_gather(const Body *b, const int *to, float *out, int n) { gather<<<(n + 127) / 128, 128>>>(b, to, out, n); }

// WHY: - {{.*}} blend: structures b: b is stored to, and other memory could be its own: apply qualify first
__global__ void blend(Body *b, const float *by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i].x *= by[i];
}
void launch_blend(Body *b, const float *by, int n) { blend<<<(n + 127) / 128, 128>>>(b, by, n); }

// WHY: - {{.*}} walk: structures b: the field x is neither read nor stored there
__global__ void walk(const Body *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *at = &b[i].x;
    out[i] = at[0] + at[1];
  }
}
void launch_walk(const Body *b, float *out, int n) { walk<<<(n + 127) / 128, 128>>>(b, out, n); }

// WHY: - {{.*}} running: structures b: b is read after a store to memory that could be its own: apply qualify first
__global__ void running(const Body *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; ++j)
      out[i] += b[j].mass;
}
void launch_running(const Body *b, float *out, int n) { running<<<(n + 127) / 128, 128>>>(b, out, n); }

// WHY: - {{.*}} pairs: structures p: an element of float2 is one aligned access already
__global__ void pairs(const float2 *p, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = p[i].x + p[i].y;
}
void launch_pairs(const float2 *p, float *out, int n) { pairs<<<(n + 127) / 128, 128>>>(p, out, n); }

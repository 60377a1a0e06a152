// Bodies on a line: forces, a step, and what is left of each body. Arrays of structures, for the action layout.
struct Body {
  float x, v, mass;
};
struct Left {
  float energy;
  float rank;
};

__global__ void pull(const Body *bodies, float *force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Body own = bodies[i];
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) {
    const Body &other = bodies[j];
    sum += other.mass / (1.0f + fabsf(other.x - own.x));
  }
  force[i] = sum;
}

__global__ void move(Body *__restrict__ bodies, const float *__restrict__ force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    bodies[i].v += 0.125f * force[i];
    Body *own = &bodies[i];
    if (own->v > 0.5f)
      own->x += 0.25f * own->v;
  }
}

__global__ void rest(const Body *__restrict__ bodies, Left *__restrict__ left, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Left next;
    next.energy = 0.5f * bodies[i].mass * bodies[i].v * bodies[i].v;
    next.rank = (float)i;
    left[i] = next;
  }
}

void launch_step(float *bodies, float *force, float *left, int n) {
  Body *all = reinterpret_cast<Body *>(bodies);
  pull<<<(n + 127) / 128, 128>>>(all, force, n);
  move<<<(n + 127) / 128, 128>>>(all, force, n);
  rest<<<(n + 127) / 128, 128>>>(all, reinterpret_cast<Left *>(left), n);
}

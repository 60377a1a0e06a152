// conv1d and conv2d: cross-correlation, as the frameworks define it; the _single ones have one channel, conv2d_strided a stride and
// padding with zeros, conv2d_same an output as large as the image; pooling 2x2.
#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

using namespace kcheck::ops;

namespace {

struct Sizes {
  int64_t N, Cin, Cout, H, W, R, S;
  int64_t Stride = 1, PadH = 0, PadW = 0;
  bool Same = false; ///< the output is as large as the image
};

void convolve(Call &C, const char *Image, const char *Kernel, const Sizes &D) {
  const double *X = C.in(Image), *F = C.in(Kernel), *Bias = C.has("bias") ? C.in("bias") : nullptr;
  double *Y = C.out("y"), *T = C.terms("y", double(D.Cin * D.R * D.S) + 1);
  int64_t P = D.Same ? D.H : (D.H + 2 * D.PadH - D.R) / D.Stride + 1, Q = D.Same ? D.W : (D.W + 2 * D.PadW - D.S) / D.Stride + 1;
  parallelFor(D.N * D.Cout, 1, [&](int64_t Begin, int64_t End) {
    for (int64_t M = Begin; M < End; ++M)
      for (int64_t At = 0; At < P * Q; ++At) {
        int64_t Row = At / Q, Col = At % Q, Out = M % D.Cout;
        double Sum = Bias ? Bias[Out] : 0, Size = std::fabs(Sum);
        for (int64_t I = 0; I < D.Cin; ++I)
          for (int64_t R = 0; R < D.R; ++R)
            for (int64_t S = 0; S < D.S; ++S) {
              int64_t Y0 = Row * D.Stride + R - D.PadH, X0 = Col * D.Stride + S - D.PadW;
              if (Y0 < 0 || Y0 >= D.H || X0 < 0 || X0 >= D.W)
                continue;
              double V = X[((M / D.Cout * D.Cin + I) * D.H + Y0) * D.W + X0] * F[((Out * D.Cin + I) * D.R + R) * D.S + S];
              Sum += V;
              Size += std::fabs(V);
            }
        Y[M * P * Q + At] = Sum;
        T[M * P * Q + At] = Size;
      }
  });
}

void conv1d(Call &C) { convolve(C, "x", "w", {C.dim("n"), C.dim("cin"), C.dim("cout"), 1, C.dim("len"), 1, C.dim("ksize")}); }
void single(Call &C) { convolve(C, "x", "w", {1, 1, 1, 1, C.dim("n"), 1, C.dim("k")}); }
void conv2d(Call &C) {
  convolve(C, "x", "w", {C.dim("n"), C.dim("cin"), C.dim("cout"), C.dim("h"), C.dim("wd"), C.dim("r"), C.dim("s")});
}
void strided2d(Call &C) {
  convolve(C, "x", "w", {C.dim("n"), C.dim("cin"), C.dim("cout"), C.dim("h"), C.dim("wd"), C.dim("r"), C.dim("s"), C.dim("stride"), C.dim("pad"), C.dim("pad")});
}
void same2d(Call &C) {
  int64_t K = C.dim("k");
  convolve(C, "x", "w", {1, 1, 1, C.dim("h"), C.dim("wd"), K, K, 1, K / 2, K / 2, true});
}
void single2d(Call &C) { convolve(C, "x", "w", {1, 1, 1, C.dim("h"), C.dim("wd"), C.dim("k"), C.dim("k")}); }

void pool(Call &C, bool Max) {
  const double *X = C.in("x");
  int64_t H = C.dim("h"), W = C.dim("wd"), P = H / 2, Q = W / 2;
  double *Y = C.out("y"), *S = C.terms("y", 4);
  parallelFor(C.dim("nc"), 4, [&](int64_t Begin, int64_t End) {
    for (int64_t M = Begin; M < End; ++M)
      for (int64_t At = 0; At < P * Q; ++At) {
        const double *A = X + (M * H + At / Q * 2) * W + At % Q * 2;
        double V[] = {A[0], A[1], A[W], A[W + 1]};
        double Sum = 0, Top = V[0], Size = 0;
        for (double E : V) {
          Sum += E / 4;
          Size += std::fabs(E) / 4;
          Top = E > Top ? E : Top;
        }
        Y[M * P * Q + At] = Max ? Top : Sum;
        S[M * P * Q + At] = Max ? 0 : Size;
      }
  });
}

std::vector<std::string> imageNames() { return {"input", "in", "img", "image"}; }
std::vector<std::string> filterNames() { return {"weight", "weights", "kernel", "filter", "k", "f", "mask"}; }

Operator base(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Reference = F;
  return O;
}

Operator makeConv1d() {
  Operator O = base("conv1d", "y[n, o, p] = bias[o] + sum x[n, i, p + k] * w[o, i, k]", conv1d);
  O.Args = {in("x", "n,cin,len").alias(imageNames()), in("w", "cout,cin,ksize").alias(filterNames()),
            in("bias", "cout").alias({"b"}).optional(), out("y", "n,cout,len-ksize+1"), dim("n", {"N", "batch", "batch_size"}),
            dim("cin", {"c_in", "in_channels", "C", "channels", "Cin"}), dim("cout", {"c_out", "out_channels", "O", "K", "Cout"}),
            dim("len", {"length", "L", "width", "in_len"}), dim("ksize", {"k", "kernel_size", "kernel", "ks", "R"})};
  O.Shapes = {{{"n", 2}, {"cin", 3}, {"cout", 4}, {"len", 100}, {"ksize", 5}}, {{"n", 1}, {"cin", 1}, {"cout", 3}, {"len", 257}, {"ksize", 3}}};
  O.PerfShape = {{"n", 32}, {"cin", 64}, {"cout", 64}, {"len", 4096}, {"ksize", 5}};
  O.Least = {{"ksize", 1}};
  O.Else = {"conv1d_single"};
  return O;
}

Operator makeSingle() {
  Operator O = base("conv1d_single", "y[p] = sum_k x[p + k] * w[k], one channel", single);
  O.Args = {in("x", "n").alias(imageNames()), in("w", "k").alias(filterNames()), out("y", "n-k+1"), dim("n", {"N", "len", "length", "width", "size"}),
            dim("k", {"K", "ksize", "kernel_size", "kernel", "m", "ks", "mask_size", "filter_size"})};
  O.Shapes = {{{"n", 1000}, {"k", 5}}, {{"n", 257}, {"k", 3}}, {{"n", 4096}, {"k", 9}}};
  O.PerfShape = {{"n", 1 << 24}, {"k", 9}};
  O.Least = {{"k", 1}};
  return O;
}

Operator makeConv2d() {
  Operator O = base("conv2d", "y[n, o, p, q] = bias[o] + sum x[n, i, p + r, q + s] * w[o, i, r, s]", conv2d);
  O.Args = {in("x", "n,cin,h,wd").alias(imageNames()), in("w", "cout,cin,r,s").alias(filterNames()),
            in("bias", "cout").alias({"b"}).optional(), out("y", "n,cout,h-r+1,wd-s+1"), dim("n", {"N", "batch", "batch_size"}),
            dim("cin", {"c_in", "in_channels", "C", "c", "Cin"}), dim("cout", {"c_out", "out_channels", "O", "K", "Cout", "o"}),
            dim("h", {"height", "H", "in_h"}), dim("wd", {"width", "W", "w", "in_w"}), dim("r", {"R", "kh", "kernel_h", "KH"}),
            dim("s", {"S", "kw", "kernel_w", "KW"})};
  O.Shapes = {{{"n", 2}, {"cin", 3}, {"cout", 4}, {"h", 16}, {"wd", 18}, {"r", 3}, {"s", 3}},
              {{"n", 1}, {"cin", 2}, {"cout", 5}, {"h", 33}, {"wd", 31}, {"r", 5}, {"s", 3}}};
  O.PerfShape = {{"n", 16}, {"cin", 64}, {"cout", 64}, {"h", 64}, {"wd", 64}, {"r", 3}, {"s", 3}};
  O.Least = {{"r", 1}, {"s", 1}};
  O.Else = {"conv2d_single", "conv2d_strided"};
  return O;
}

Operator makeStrided() {
  Operator O = base("conv2d_strided", "conv2d with a stride and zeros around the image: y[n, o, p, q] takes x[n, i, p*stride + r - pad, q*stride + s - pad]", strided2d);
  O.Args = makeConv2d().Args;
  for (Arg &A : O.Args)
    if (A.Name == "y")
      A.Shape = {"n", "cout", "(h+2*pad-r)/stride+1", "(wd+2*pad-s)/stride+1"};
  O.Args.push_back(dim("stride", {"strides", "stride_h", "st"}));
  O.Args.push_back(dim("pad", {"padding", "pad_h", "p"}));
  O.Shapes = {{{"n", 2}, {"cin", 3}, {"cout", 4}, {"h", 16}, {"wd", 18}, {"r", 3}, {"s", 3}, {"stride", 1}, {"pad", 1}},
              {{"n", 1}, {"cin", 2}, {"cout", 5}, {"h", 33}, {"wd", 31}, {"r", 5}, {"s", 3}, {"stride", 2}, {"pad", 2}},
              {{"n", 1}, {"cin", 3}, {"cout", 2}, {"h", 20}, {"wd", 23}, {"r", 3}, {"s", 3}, {"stride", 3}, {"pad", 0}}};
  O.PerfShape = {{"n", 16}, {"cin", 64}, {"cout", 64}, {"h", 64}, {"wd", 64}, {"r", 3}, {"s", 3}, {"stride", 2}, {"pad", 1}};
  O.Least = {{"r", 1}, {"s", 1}, {"stride", 1}};
  return O;
}

Operator makeSame() {
  Operator O = base("conv2d_same", "y[p, q] = sum x[p + r - k/2, q + s - k/2] * w[r, s], zeros around, one channel, square kernel", same2d);
  O.Args = {in("x", "h,wd").alias(imageNames()), in("w", "k,k").alias(filterNames()), out("y", "h,wd"), dim("h", {"height", "H", "rows"}),
            dim("wd", {"width", "W", "w", "cols"}), dim("k", {"K", "ksize", "kernel_size", "ks"})};
  O.Shapes = {{{"h", 32}, {"wd", 40}, {"k", 3}}, {{"h", 33}, {"wd", 65}, {"k", 5}}, {{"h", 1}, {"wd", 100}, {"k", 3}}};
  O.PerfShape = {{"h", 4096}, {"wd", 4096}, {"k", 5}};
  O.Least = {{"k", 1}};
  return O;
}

Operator makeSingle2d() {
  Operator O = base("conv2d_single", "y[p, q] = sum x[p + r, q + s] * w[r, s], one channel, square kernel", single2d);
  O.Args = {in("x", "h,wd").alias(imageNames()), in("w", "k,k").alias(filterNames()), out("y", "h-k+1,wd-k+1"), dim("h", {"height", "H", "rows"}),
            dim("wd", {"width", "W", "w", "cols"}), dim("k", {"K", "ksize", "kernel_size", "ks"})};
  O.Shapes = {{{"h", 32}, {"wd", 40}, {"k", 3}}, {{"h", 33}, {"wd", 65}, {"k", 5}}};
  O.PerfShape = {{"h", 4096}, {"wd", 4096}, {"k", 5}};
  O.Least = {{"k", 1}};
  return O;
}

Operator makePool(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O = base(std::move(Name), std::move(Summary), F);
  O.Args = {in("x", "nc,h,wd").alias(imageNames()), out("y", "nc,h/2,wd/2"), dim("nc", {"n", "planes", "channels", "c", "batch"}),
            dim("h", {"height", "H"}), dim("wd", {"width", "W", "w"})};
  O.Shapes = {{{"nc", 4}, {"h", 32}, {"wd", 48}}, {{"nc", 3}, {"h", 34}, {"wd", 66}}};
  O.PerfShape = {{"nc", 512}, {"h", 128}, {"wd", 128}};
  return O;
}

const Registration R1(makeConv1d());
const Registration R2(makeConv2d());
const Registration R7(makeStrided());
const Registration R8(makeSame());
const Registration R3(makeSingle());
const Registration R4(makeSingle2d());
const Registration R5(makePool("maxpool2d", "y = max of each 2x2 window", [](Call &C) { pool(C, true); }));
const Registration R6(makePool("avgpool2d", "y = mean of each 2x2 window", [](Call &C) { pool(C, false); }));

} // namespace

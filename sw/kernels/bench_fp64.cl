// SPDX-License-Identifier: Apache-2.0
// Benchmark: double-precision multiply-add mix.
kernel void bench_fp64(global double *out, uint rounds)
{
    double a = get_global_id(0) * 0.001, b = 1.5, c = 0.25, d = 0.75;
    for (uint r = 0; r < rounds; r++) {
        a = fma(a, 0.9375, b); b = fma(b, 0.875, c); c = fma(c, 0.96875, d); d = fma(d, 0.90625, a);
        a = fma(a, 0.8125, -b); b = fma(b, 0.84375, -c); c = fma(c, 0.78125, -d); d = fma(d, 0.75, -a);
    }
    out[get_global_id(0)] = a + b + c + d;
}

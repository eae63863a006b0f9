// SPDX-License-Identifier: Apache-2.0
// Benchmark: 16-tap FIR filter in single precision; in holds 16 samples more than the grid has work-items.
kernel void bench_fir(global float *out, global const float *in, global const float *taps)
{
    uint i = get_global_id(0);
    float sum = 0;
    for (uint t = 0; t < 16; t++)
        sum = sum + in[i + t] * taps[t];
    out[i] = sum;
}

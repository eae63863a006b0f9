// SPDX-License-Identifier: Apache-2.0
// Benchmark: single-precision multiply-add mix (v_mac_f32 and v_mad_f32 are full rate on this GPU).
kernel void bench_fma(global float *out, uint rounds)
{
    float a = get_global_id(0) * 0.001f, b = 1.5f, c = 0.25f, d = 0.75f;
    for (uint i = 0; i < rounds; i++) {
        a = a * 0.9375f + b; b = b * 0.875f + c; c = c * 0.96875f + d; d = d * 0.90625f + a;
        a = a * 0.8125f - b; b = b * 0.84375f - c; c = c * 0.78125f - d; d = d * 0.75f - a;
    }
    out[get_global_id(0)] = a + b + c + d;
}

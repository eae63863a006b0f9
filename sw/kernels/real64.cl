// SPDX-License-Identifier: Apache-2.0
// Double precision without sums: conversions, whole numbers, exponents, compares and classes, minimum and maximum, and
// the sine of large angles (v_trig_preop).
kernel void real64(global double *real, global int *whole, global float *single, global const double *in, uint n)
{
    size_t i = get_global_id(0);
    double x = in[i], y = in[(i + 1) % n];
    int e;
    double m = frexp(x, &e);
    if (!isfinite(x))
        m = 0, e = 0;
    real[6 * i + 0] = floor(x);
    real[6 * i + 1] = ceil(y) + trunc(x);
    real[6 * i + 2] = isnan(x) || isnan(y) ? 0.25 : fmin(x, y) * 0.5;
    real[6 * i + 3] = isnan(x) || isnan(y) ? 0.75 : fmax(x, -y);
    real[6 * i + 4] = ldexp(m, e / 2) + rint(y);
    real[6 * i + 5] = (double)(int)i * -3 + (double)(uint)(i * 0x6000001u) + (double)(float)i;
    bool finite = fabs(x) < 2e9;
    whole[4 * i + 0] = finite ? (int)x : e;
    whole[4 * i + 1] = finite && x > 0 ? (int)((uint)x ^ 0x55u) : -e;
    whole[4 * i + 2] = (x < y) | (x == y) << 1 | (x > y) << 2 | (x != y) << 3 | (x >= y) << 4 | isnan(x) << 5 | isinf(x) << 6 |
                       isnormal(x) << 7 | (signbit(x) ? 256 : 0);
    whole[4 * i + 3] = isfinite(x) ? (int)rint(sin(x) * 1e6) : 7;
    single[i] = isnan(x) ? 0.0f : (float)x;
}

// SPDX-License-Identifier: Apache-2.0
// Double precision: acceleration of bodies {x, y, z, mass} in each other's field, with fused multiply-add, square root and
// division, all correctly rounded.
#pragma OPENCL FP_CONTRACT OFF
kernel void nbody(global double4 *out, global const double4 *body, uint n, double softening)
{
    double4 me = body[get_global_id(0)];
    double3 a = 0;
    for (uint j = 0; j < n; j++) {
        double4 other = body[j];
        double3 d = other.xyz - me.xyz;
        double r2 = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, softening)));
        double pull = other.w / (r2 * sqrt(r2));
        a = fma(d, (double3)(pull), a);
    }
    out[get_global_id(0)] = (double4)(a, me.w * 0.5 - a.x);
}

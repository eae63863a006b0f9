// SPDX-License-Identifier: Apache-2.0
// y = a x + y in single precision, the scalar as a kernel argument.
kernel void saxpy(global float *y, global const float *x, float a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

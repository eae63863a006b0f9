// SPDX-License-Identifier: Apache-2.0
// Vector addition: the plainest kernel; partial work-groups at the end.
kernel void vecadd(global int *c, global const int *a, global const int *b)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

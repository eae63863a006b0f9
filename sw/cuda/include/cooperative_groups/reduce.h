/* SPDX-License-Identifier: Apache-2.0
 * Reductions, scans and copies by a group.
 */
#ifndef GANTRY_COOPERATIVE_GROUPS_REDUCE_H
#define GANTRY_COOPERATIVE_GROUPS_REDUCE_H
#include <cooperative_groups.h>
#ifdef __HIP__
namespace cooperative_groups
{
#define GANTRY_OPERATOR(name, expression)                                                                              \
    template <typename T> struct name {                                                                                \
        __device__ T operator()(T a, T b) const { return expression; }                                                 \
    }
GANTRY_OPERATOR(plus, a + b);
GANTRY_OPERATOR(less, b < a ? b : a);
GANTRY_OPERATOR(greater, a < b ? b : a);
GANTRY_OPERATOR(bit_and, a &b);
GANTRY_OPERATOR(bit_or, a | b);
GANTRY_OPERATOR(bit_xor, a ^ b);
#undef GANTRY_OPERATOR

/* Over the members of a group of lanes, in their order. */
template <typename G, typename T, typename F> static inline __device__ T reduce(const G &group, T value, F operation)
{
    T sum = gantry_lane_read(value, __ffsll(group.lanes) - 1);
    for (gantry_u64 rest = group.lanes & (group.lanes - 1); rest; rest &= rest - 1)
        sum = operation(sum, gantry_lane_read(value, __ffsll(rest) - 1));
    return sum;
}
template <typename G, typename T, typename F>
static inline __device__ T inclusive_scan(const G &group, T value, F operation)
{
    T sum = value, mine = value;
    bool begun = false;
    for (gantry_u64 rest = group.lanes; rest; rest &= rest - 1) {
        int lane = __ffsll(rest) - 1;
        T next = gantry_lane_read(value, lane);
        sum = begun ? operation(sum, next) : next;
        begun = true;
        mine = lane == gantry_wave_lane() ? sum : mine;
    }
    return mine;
}
template <typename G, typename T> static inline __device__ T inclusive_scan(const G &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <typename G, typename T> static inline __device__ T exclusive_scan(const G &group, T value)
{
    return inclusive_scan(group, value) - value;
}
/* A copy to shared memory by the whole group, done when wait() returns. */
template <typename G, typename D, typename S>
static inline __device__ void memcpy_async(const G &group, D *to, const S *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes; i += group.size())
        ((char *)to)[i] = ((const char *)from)[i];
}
} // namespace cooperative_groups
#endif
#endif

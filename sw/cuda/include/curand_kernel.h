/* SPDX-License-Identifier: Apache-2.0
 * cuRAND's device functions by those of rocRAND, where that is installed.
 */
#ifndef GANTRY_CURAND_KERNEL_H
#define GANTRY_CURAND_KERNEL_H
#if !__has_include(<rocrand/rocrand_kernel.h>)
#error "curand_kernel.h: rocRAND is not installed (package librocrand-dev)"
#else
#include <cuda_runtime.h>

#include <gantry/rename.h>

#include <rocrand/rocrand_kernel.h>

#include <gantry/rename_end.h>
typedef rocrand_state_xorwow curandState;
typedef rocrand_state_xorwow curandState_t;
typedef rocrand_state_xorwow curandStateXORWOW_t;
typedef rocrand_state_philox4x32_10 curandStatePhilox4_32_10_t;
typedef rocrand_state_mrg32k3a curandStateMRG32k3a_t;
#define GANTRY_RANDOM template <typename S> static inline __device__
GANTRY_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               S *state)
{
    rocrand_init(seed, subsequence, offset, state);
}
GANTRY_RANDOM unsigned int curand(S *state)
{
    return rocrand(state);
}
GANTRY_RANDOM float curand_uniform(S *state)
{
    return rocrand_uniform(state);
}
GANTRY_RANDOM double curand_uniform_double(S *state)
{
    return rocrand_uniform_double(state);
}
GANTRY_RANDOM float curand_normal(S *state)
{
    return rocrand_normal(state);
}
GANTRY_RANDOM double curand_normal_double(S *state)
{
    return rocrand_normal_double(state);
}
GANTRY_RANDOM float curand_log_normal(S *state, float mean, float deviation)
{
    return rocrand_log_normal(state, mean, deviation);
}
GANTRY_RANDOM unsigned int curand_poisson(S *state, double lambda)
{
    return rocrand_poisson(state, lambda);
}
/* rocRAND's vectors are HIP's: the same bytes. */
template <typename To, typename From> static inline __device__ To gantry_vector(From from)
{
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}
#define GANTRY_VECTORS(name, other, V)                                                                                 \
    GANTRY_RANDOM V name(S *state)                                                                                     \
    {                                                                                                                  \
        return gantry_vector<V>(other(state));                                                                         \
    }
GANTRY_VECTORS(curand4, rocrand4, uint4)
GANTRY_VECTORS(curand_uniform2, rocrand_uniform2, float2)
GANTRY_VECTORS(curand_uniform4, rocrand_uniform4, float4)
GANTRY_VECTORS(curand_normal2, rocrand_normal2, float2)
GANTRY_VECTORS(curand_normal4, rocrand_normal4, float4)
GANTRY_VECTORS(curand_uniform2_double, rocrand_uniform_double2, double2)
GANTRY_VECTORS(curand_normal2_double, rocrand_normal_double2, double2)
#undef GANTRY_VECTORS
#undef GANTRY_RANDOM
#endif
#endif

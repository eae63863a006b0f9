/* SPDX-License-Identifier: Apache-2.0
 * What all programs of this folder share: error checks, the size argument, a small generator of inputs, the verdict.
 * A program exits 0 when the GPU's result equals the CPU's, 1 when not, 2 when a HIP call failed.
 */
#ifndef GANTRY_APPS_CHECK_H
#define GANTRY_APPS_CHECK_H
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define HIP_OK(call)                                                                                       \
    do {                                                                                                   \
        hipError_t status_ = (call);                                                                       \
        if (status_ != hipSuccess) {                                                                       \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status_)); \
            std::exit(2);                                                                                  \
        }                                                                                                  \
    } while (0)

/* argv[1], or `usual`; at least 1. */
static inline unsigned size_argument(int argc, char **argv, unsigned usual)
{
    long size = argc > 1 ? std::strtol(argv[1], nullptr, 0) : 0;
    return size > 0 ? static_cast<unsigned>(size) : usual;
}

/* argv[2]: seed of the inputs. */
static inline uint32_t seed_argument(int argc, char **argv)
{
    return argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 0)) : 1;
}

static inline uint32_t random_next(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static inline int verdict(const char *name, unsigned wrong, unsigned count)
{
    if (wrong)
        std::printf("%s: FAILED: %u of %u values are wrong\n", name, wrong, count);
    else
        std::printf("%s: PASSED: %u values\n", name, count);
    return wrong ? 1 : 0;
}
#endif

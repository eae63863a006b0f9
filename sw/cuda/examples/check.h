/* SPDX-License-Identifier: Apache-2.0
 * For the examples: an error ends the program; the last line says PASSED or FAILED.
 */
#ifndef EXAMPLE_CHECK_H
#define EXAMPLE_CHECK_H
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
static inline int verdict(const char *name, int wrong)
{
    printf("%s: %s (%d wrong)\n", name, wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
#endif

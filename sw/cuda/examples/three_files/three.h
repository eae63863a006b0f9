/* SPDX-License-Identifier: Apache-2.0
 * What the three files have in common.
 */
#ifndef THREE_H
#define THREE_H
#include <cuda_runtime.h>
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t to_device(float *to, const float *from, size_t count);
cudaError_t squares(float *p, int n);
#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Transcendental operations as integer functions on bit patterns, the same as in rtl/cu/fpu (bit for bit).
 */
#ifndef GCN3_TRANS_H
#define GCN3_TRANS_H
#include <stdint.h>

uint32_t trans_rcp32(uint32_t x);
uint32_t trans_rsq32(uint32_t x);
uint32_t trans_sqrt32(uint32_t x);
uint32_t trans_exp32(uint32_t x); /* 2^x */
uint32_t trans_log32(uint32_t x); /* log2 */
uint32_t trans_sin32(uint32_t x); /* of x revolutions */
uint32_t trans_cos32(uint32_t x);
uint64_t trans_rcp64(uint64_t x);
uint64_t trans_rsq64(uint64_t x);
uint64_t trans_sqrt64(uint64_t x);
uint64_t trans_preop64(uint64_t x, uint32_t segment);
#endif

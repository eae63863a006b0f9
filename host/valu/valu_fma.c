/* SPDX-License-Identifier: Apache-2.0
 * Fused multiply-add of the vector ALU.  A file of its own, because it is compiled without -frounding-math
 * (sw/tools/mk/opcodes.mk): with it gcc takes fma() for a function that reads the rounding mode from memory, and a loop
 * that calls one is not vectorised.  The option only keeps the compiler from computing with constants at compile time
 * and from moving signs; here are no constants and no signs.  valu.c sets the rounding mode around the call.
 */
#include <math.h>

#include "valu/valu.h"

#define IN32(x) as_f32(flush32((x), keep_in32(v)))
#define IN64(x) as_f64(flush64((x), keep_in64(v)))

LANE_OP(fma_f32, finish32(from_f32(fmaf(IN32(a), IN32(b), IN32(c))), keep_out32(v)))
LANE_OP64(fma_f64, finish64(from_f64(fma(IN64(a), IN64(b), IN64(c))), keep_out64(v)))

const struct valu_op valu_fma_ops[] = {
    {OP_V_FMA_F32, T_F32, T_F32, 7, fma_f32},
    {OP_V_FMA_F64, T_F64, T_F64, 7, fma_f64},
    {0},
};

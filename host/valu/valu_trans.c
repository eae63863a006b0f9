/* SPDX-License-Identifier: Apache-2.0
 * Transcendental operations of the vector ALU: lanes around trans.c.  Half precision goes through single precision.
 */
#include "valu/trans.h"
#include "valu/valu.h"

LANE_OP(rcp_f32, trans_rcp32(a))
LANE_OP(rsq_f32, trans_rsq32(a))
LANE_OP(sqrt_f32, trans_sqrt32(a))
LANE_OP(exp_f32, trans_exp32(a))
LANE_OP(log_f32, trans_log32(a))
LANE_OP(sin_f32, trans_sin32(a))
LANE_OP(cos_f32, trans_cos32(a))

/* Half to single is exact; the result is rounded again. */
static uint32_t half_of(const struct valu *v, uint32_t x, uint32_t (*f)(uint32_t))
{
    float wide = (float)half_value(flush16(x & 0xffff, keep_in64(v)));
    uint32_t y = f(from_f32(wide));
    return finish16(half_round((double)as_f32(y), v->wave->mode >> 2 & 3), keep_out64(v));
}
LANE_OP(rcp_f16, half_of(v, a, trans_rcp32))
LANE_OP(rsq_f16, half_of(v, a, trans_rsq32))
LANE_OP(sqrt_f16, half_of(v, a, trans_sqrt32))
LANE_OP(exp_f16, half_of(v, a, trans_exp32))
LANE_OP(log_f16, half_of(v, a, trans_log32))
LANE_OP(sin_f16, half_of(v, a, trans_sin32))
LANE_OP(cos_f16, half_of(v, a, trans_cos32))

#define IN(x) flush64((x), keep_in64(v))
#define OUT(x) finish64((x), keep_out64(v))
LANE_OP64(rcp_f64, OUT(trans_rcp64(IN(a))))
LANE_OP64(rsq_f64, OUT(trans_rsq64(IN(a))))
LANE_OP64(sqrt_f64, OUT(trans_sqrt64(IN(a))))

static void trig_preop_f64(struct valu *v)
{
    LANES v->d64[l] = trans_preop64(v->a64[l], v->b[l]);
}

const struct valu_op valu_trans_ops[] = {
    {OP_V_RCP_F32, T_F32, T_F32, 1, rcp_f32},
    {OP_V_RCP_IFLAG_F32, T_F32, T_F32, 1, rcp_f32},
    {OP_V_RSQ_F32, T_F32, T_F32, 1, rsq_f32},
    {OP_V_SQRT_F32, T_F32, T_F32, 1, sqrt_f32},
    {OP_V_EXP_F32, T_F32, T_F32, 1, exp_f32},
    {OP_V_LOG_F32, T_F32, T_F32, 1, log_f32},
    {OP_V_SIN_F32, T_F32, T_F32, 1, sin_f32},
    {OP_V_COS_F32, T_F32, T_F32, 1, cos_f32},
    {OP_V_RCP_F16, T_F16, T_F16, 1, rcp_f16},
    {OP_V_RSQ_F16, T_F16, T_F16, 1, rsq_f16},
    {OP_V_SQRT_F16, T_F16, T_F16, 1, sqrt_f16},
    {OP_V_EXP_F16, T_F16, T_F16, 1, exp_f16},
    {OP_V_LOG_F16, T_F16, T_F16, 1, log_f16},
    {OP_V_SIN_F16, T_F16, T_F16, 1, sin_f16},
    {OP_V_COS_F16, T_F16, T_F16, 1, cos_f16},
    {OP_V_RCP_F64, T_F64, T_F64, 1, rcp_f64},
    {OP_V_RSQ_F64, T_F64, T_F64, 1, rsq_f64},
    {OP_V_SQRT_F64, T_F64, T_F64, 1, sqrt_f64},
    {OP_V_TRIG_PREOP_F64, T_F64, T_F64, 1, trig_preop_f64},
    {0},
};

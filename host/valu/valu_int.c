/* SPDX-License-Identifier: Apache-2.0
 * Integer arithmetic of the vector ALU: add, subtract, multiply, minimum, maximum, with carries, 16, 24, 32, 64 bits.
 */
#include "valu/valu.h"

#define SX24(x) ((int32_t)((x) << 8) >> 8)
#define ZX24(x) ((x)&0xffffff)
#define S(x) ((int32_t)(x))
#define H(x) ((x)&0xffff)
#define SH(x) ((int16_t)(x))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MED(x, y, z) MAX(MIN(x, y), MIN(MAX(x, y), z))

/* Sum or difference with carry; clamp saturates to the unsigned range. */
static void add_sub(struct valu *v, const uint32_t *x, const uint32_t *y, bool subtract, bool with_carry)
{
    uint32_t carry[64], over[64];
    uint64_t in = with_carry ? v->mask_in : 0;
    LANES carry[l] = with_carry ? in >> l & 1 : 0;
    if (subtract)
        LANES
        {
            uint32_t r = x[l] - y[l];
            over[l] = (x[l] < y[l]) | (r < carry[l]);
            v->d[l] = r - carry[l];
        }
    else
        LANES
        {
            uint32_t r = x[l] + y[l];
            over[l] = (r < x[l]) | (r + carry[l] < r);
            v->d[l] = r + carry[l];
        }
    LANE_MASK(v->mask_out, over[l]);
    if (v->inst->clamp)
        LANES v->d[l] = !over[l] ? v->d[l] : subtract ? 0 : UINT32_MAX;
}

static void add_u32(struct valu *v)
{
    add_sub(v, v->a, v->b, false, false);
}
static void sub_u32(struct valu *v)
{
    add_sub(v, v->a, v->b, true, false);
}
static void subrev_u32(struct valu *v)
{
    add_sub(v, v->b, v->a, true, false);
}
static void addc_u32(struct valu *v)
{
    add_sub(v, v->a, v->b, false, true);
}
static void subb_u32(struct valu *v)
{
    add_sub(v, v->a, v->b, true, true);
}
static void subbrev_u32(struct valu *v)
{
    add_sub(v, v->b, v->a, true, true);
}

static uint32_t add16(const struct valu *v, uint32_t x, uint32_t y)
{
    uint32_t r = H(x) + H(y);
    return v->inst->clamp && r > 0xffff ? 0xffff : H(r);
}

static uint32_t sub16(const struct valu *v, uint32_t x, uint32_t y)
{
    return v->inst->clamp && H(x) < H(y) ? 0 : H(x - y);
}

LANE_OP(add_u16, add16(v, a, b))
LANE_OP(sub_u16, sub16(v, a, b))
LANE_OP(subrev_u16, sub16(v, b, a))
/* Product and sum of 16 bits; clamp saturates them. */
static uint32_t mad_unsigned16(const struct valu *v, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t r = H(x) * H(y) + H(z);
    return v->inst->clamp && r > 0xffff ? 0xffff : H(r);
}

static uint32_t mad_signed16(const struct valu *v, uint32_t x, uint32_t y, uint32_t z)
{
    int32_t r = SH(x) * SH(y) + SH(z);
    return H((uint32_t)(!v->inst->clamp ? r : r > 32767 ? 32767 : r < -32768 ? -32768 : r));
}
LANE_OP(mul_lo_u16, mad_unsigned16(v, a, b, 0))
LANE_OP(mad_u16, mad_unsigned16(v, a, b, c))
LANE_OP(mad_i16, mad_signed16(v, a, b, c))
LANE_OP(min_u16, MIN(H(a), H(b)))
LANE_OP(max_u16, MAX(H(a), H(b)))
LANE_OP(min_i16, H((uint32_t)MIN(SH(a), SH(b))))
LANE_OP(max_i16, H((uint32_t)MAX(SH(a), SH(b))))

LANE_OP(min_i32, S(a) < S(b) ? a : b)
LANE_OP(max_i32, S(a) > S(b) ? a : b)
LANE_OP(min_u32, MIN(a, b))
LANE_OP(max_u32, MAX(a, b))
LANE_OP(min3_i32, MIN(MIN(S(a), S(b)), S(c)))
LANE_OP(max3_i32, MAX(MAX(S(a), S(b)), S(c)))
LANE_OP(med3_i32, MED(S(a), S(b), S(c)))
LANE_OP(min3_u32, MIN(MIN(a, b), c))
LANE_OP(max3_u32, MAX(MAX(a, b), c))
LANE_OP(med3_u32, MED(a, b, c))

LANE_OP(mul_i32_i24, (uint32_t)SX24(a) * (uint32_t)SX24(b))
LANE_OP(mul_hi_i32_i24, (uint64_t)((int64_t)SX24(a) * SX24(b)) >> 32)
LANE_OP(mul_u32_u24, ZX24(a) * ZX24(b))
LANE_OP(mul_hi_u32_u24, (uint64_t)ZX24(a) * ZX24(b) >> 32)
LANE_OP(mad_i32_i24, (uint32_t)SX24(a) * (uint32_t)SX24(b) + c)
LANE_OP(mad_u32_u24, ZX24(a) * ZX24(b) + c)
LANE_OP(mul_lo_u32, a *b)
LANE_OP(mul_hi_u32, (uint64_t)a *b >> 32)
LANE_OP(mul_hi_i32, (uint64_t)((int64_t)S(a) * S(b)) >> 32)

static void mad_u64_u32(struct valu *v)
{
    uint64_t out = 0;
    LANES
    {
        uint64_t product = (uint64_t)v->a[l] * v->b[l];
        v->d64[l] = product + v->c64[l];
        out |= (uint64_t)(v->d64[l] < product) << l;
    }
    v->mask_out = out;
}

static void mad_i64_i32(struct valu *v)
{
    uint64_t out = 0;
    LANES
    {
        int64_t product = (int64_t)S(v->a[l]) * S(v->b[l]), sum;
        out |= (uint64_t)__builtin_add_overflow(product, (int64_t)v->c64[l], &sum) << l;
        v->d64[l] = sum;
    }
    v->mask_out = out;
}

const struct valu_op valu_int_ops[] = {
    {OP_V_ADD_U32, T_INT, T_INT, 0, add_u32},         {OP_V_SUB_U32, T_INT, T_INT, 0, sub_u32},
    {OP_V_SUBREV_U32, T_INT, T_INT, 0, subrev_u32},   {OP_V_ADDC_U32, T_INT, T_INT, 0, addc_u32},
    {OP_V_SUBB_U32, T_INT, T_INT, 0, subb_u32},       {OP_V_SUBBREV_U32, T_INT, T_INT, 0, subbrev_u32},
    {OP_V_ADD_U16, T_INT, T_INT, 0, add_u16},         {OP_V_SUB_U16, T_INT, T_INT, 0, sub_u16},
    {OP_V_SUBREV_U16, T_INT, T_INT, 0, subrev_u16},   {OP_V_MUL_LO_U16, T_INT, T_INT, 0, mul_lo_u16},
    {OP_V_MAD_U16, T_INT, T_INT, 0, mad_u16},         {OP_V_MAD_I16, T_INT, T_INT, 0, mad_i16},
    {OP_V_MIN_U16, T_INT, T_INT, 0, min_u16},         {OP_V_MAX_U16, T_INT, T_INT, 0, max_u16},
    {OP_V_MIN_I16, T_INT, T_INT, 0, min_i16},         {OP_V_MAX_I16, T_INT, T_INT, 0, max_i16},
    {OP_V_MIN_I32, T_INT, T_INT, 0, min_i32},         {OP_V_MAX_I32, T_INT, T_INT, 0, max_i32},
    {OP_V_MIN_U32, T_INT, T_INT, 0, min_u32},         {OP_V_MAX_U32, T_INT, T_INT, 0, max_u32},
    {OP_V_MIN3_I32, T_INT, T_INT, 0, min3_i32},       {OP_V_MAX3_I32, T_INT, T_INT, 0, max3_i32},
    {OP_V_MED3_I32, T_INT, T_INT, 0, med3_i32},       {OP_V_MIN3_U32, T_INT, T_INT, 0, min3_u32},
    {OP_V_MAX3_U32, T_INT, T_INT, 0, max3_u32},       {OP_V_MED3_U32, T_INT, T_INT, 0, med3_u32},
    {OP_V_MUL_I32_I24, T_INT, T_INT, 0, mul_i32_i24}, {OP_V_MUL_HI_I32_I24, T_INT, T_INT, 0, mul_hi_i32_i24},
    {OP_V_MUL_U32_U24, T_INT, T_INT, 0, mul_u32_u24}, {OP_V_MUL_HI_U32_U24, T_INT, T_INT, 0, mul_hi_u32_u24},
    {OP_V_MAD_I32_I24, T_INT, T_INT, 0, mad_i32_i24}, {OP_V_MAD_U32_U24, T_INT, T_INT, 0, mad_u32_u24},
    {OP_V_MUL_LO_U32, T_INT, T_INT, 0, mul_lo_u32},   {OP_V_MUL_HI_U32, T_INT, T_INT, 0, mul_hi_u32},
    {OP_V_MUL_HI_I32, T_INT, T_INT, 0, mul_hi_i32},   {OP_V_MAD_U64_U32, T_INT, T_INT, 0, mad_u64_u32},
    {OP_V_MAD_I64_I32, T_INT, T_INT, 0, mad_i64_i32}, {0},
};

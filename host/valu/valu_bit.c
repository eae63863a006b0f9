/* SPDX-License-Identifier: Apache-2.0
 * Logic, shifts, bit fields, bytes, bit counts, moves and selects of the vector ALU.
 */
#include "valu/valu.h"

#define S(x) ((int32_t)(x))
#define H(x) ((x)&0xffff)
#define BYTE(x, n) ((x) >> 8 * (n)&255)

LANE_OP(mov_b32, a)
LANE_OP(not_b32, ~a)
LANE_OP(and_b32, a &b)
LANE_OP(or_b32, a | b)
LANE_OP(xor_b32, a ^ b)
LANE_OP(cndmask_b32, v->mask_in >> l & 1 ? b : a)
LANE_OP(lshrrev_b32, b >> (a & 31))
LANE_OP(ashrrev_i32, S(b) >> (a & 31))
LANE_OP(lshlrev_b32, b << (a & 31))
LANE_OP(lshrrev_b16, H(b) >> (a & 15))
LANE_OP(ashrrev_i16, H((uint32_t)((int16_t)b >> (a & 15))))
LANE_OP(lshlrev_b16, H(b << (a & 15)))
LANE_OP(bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))
LANE_OP(bfi_b32, (a & b) | (~a & c))
LANE_OP(alignbit_b32, ((uint64_t)a << 32 | b) >> (c & 31))
LANE_OP(alignbyte_b32, ((uint64_t)a << 32 | b) >> 8 * (c & 3))
LANE_OP(bcnt_u32_b32, (uint32_t)__builtin_popcount(a) + b)
LANE_OP(ffbh_u32, a ? (uint32_t)__builtin_clz(a) : UINT32_MAX)
LANE_OP(ffbl_b32, a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX)
LANE_OP(ffbh_i32, a == 0 || a == UINT32_MAX ? UINT32_MAX : (uint32_t)__builtin_clz(S(a) < 0 ? ~a : a))

static uint32_t reverse(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}
LANE_OP(bfrev_b32, reverse(a))

static uint32_t bfe_u(uint32_t x, uint32_t offset, uint32_t width)
{
    return x >> (offset & 31) & ((1u << (width & 31)) - 1);
}

static uint32_t bfe_i(uint32_t x, uint32_t offset, uint32_t width)
{
    offset &= 31, width &= 31;
    if (width == 0)
        return 0;
    if (width + offset >= 32)
        return S(x) >> offset;
    return S(x << (32 - width - offset)) >> (32 - width);
}
LANE_OP(bfe_u32, bfe_u(a, b, c))
LANE_OP(bfe_i32, bfe_i(a, b, c))

/* Byte n of {a, b} by selector: 0-7 byte, 8-11 sign of bytes 1, 3 of b, 1, 3 of a, 12 zero, from 13 on 0xff. */
static uint32_t perm_byte(uint64_t data, unsigned sel)
{
    if (sel >= 13)
        return 0xff;
    if (sel == 12)
        return 0;
    if (sel >= 8)
        return data >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
    return data >> 8 * sel & 0xff;
}

static uint32_t perm(uint32_t a, uint32_t b, uint32_t sel)
{
    uint64_t data = (uint64_t)a << 32 | b;
    uint32_t r = 0;
    for (unsigned n = 0; n < 4; n++)
        r |= perm_byte(data, BYTE(sel, n)) << 8 * n;
    return r;
}
LANE_OP(perm_b32, perm(a, b, c))

static uint32_t absdiff(uint32_t x, uint32_t y)
{
    return x > y ? x - y : y - x;
}

/* Sum of absolute differences of bytes; masked leaves out bytes that are 0 in b. */
static uint32_t sad(uint32_t a, uint32_t b, bool masked)
{
    uint32_t sum = 0;
    for (unsigned n = 0; n < 4; n++)
        sum += masked && BYTE(b, n) == 0 ? 0 : absdiff(BYTE(a, n), BYTE(b, n));
    return sum;
}

static uint32_t lerp(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned n = 0; n < 4; n++)
        r |= ((BYTE(a, n) + BYTE(b, n) + (BYTE(c, n) & 1)) >> 1) << 8 * n;
    return r;
}
LANE_OP(sad_u8, sad(a, b, false) + c)
LANE_OP(sad_hi_u8, (sad(a, b, false) << 16) + c)
LANE_OP(sad_u16, absdiff(H(a), H(b)) + absdiff(a >> 16, b >> 16) + c)
LANE_OP(sad_u32, absdiff(a, b) + c)
LANE_OP(msad_u8, sad(a, b, true) + c)
LANE_OP(lerp_u8, lerp(a, b, c))

static void qsad(struct valu *v, bool masked)
{
    LANES
    {
        uint64_t r = 0;
        for (unsigned n = 0; n < 4; n++) {
            uint32_t sum = sad(v->a64[l] >> 8 * n, v->b[l], masked) + (uint32_t)(v->c64[l] >> 16 * n);
            r |= (uint64_t)H(sum) << 16 * n;
        }
        v->d64[l] = r;
    }
}
static void qsad_pk(struct valu *v)
{
    qsad(v, false);
}
static void mqsad_pk(struct valu *v)
{
    qsad(v, true);
}

/* Two passes: results 0 and 1 are written before the sources of the others are read. */
static void mqsad_u32(struct valu *v)
{
    uint32_t(*row)[64] = v->wave->v;
    unsigned a = v->inst->src[0], c = v->inst->src[2] - SREG_VGPR;
    for (unsigned n = 0; n < 4; n++) {
        if (n == 2) {
            for (unsigned k = 0; k < 2; k++)
                LANES if (v->exec >> l & 1) row[v->inst->vdst + k][l] = v->wide[k][l];
            if (a >= SREG_VGPR)
                LANES v->buffer64[0][l] = row[a - SREG_VGPR][l] | (uint64_t)row[a - SREG_VGPR + 1][l] << 32;
        }
        LANES
        {
            v->wide[n][l] = sad(v->a64[l] >> 8 * n, v->b[l], true) + row[c + n][l];
        }
    }
}

static void lshlrev_b64(struct valu *v)
{
    LANES v->d64[l] = v->b64[l] << (v->a[l] & 63);
}
static void lshrrev_b64(struct valu *v)
{
    LANES v->d64[l] = v->b64[l] >> (v->a[l] & 63);
}
static void ashrrev_i64(struct valu *v)
{
    LANES v->d64[l] = (int64_t)v->b64[l] >> (v->a[l] & 63);
}

const struct valu_op valu_bit_ops[] = {
    {OP_V_MOV_B32, T_INT, T_INT, 0, mov_b32},
    {OP_V_NOT_B32, T_INT, T_INT, 0, not_b32},
    {OP_V_AND_B32, T_INT, T_INT, 0, and_b32},
    {OP_V_OR_B32, T_INT, T_INT, 0, or_b32},
    {OP_V_XOR_B32, T_INT, T_INT, 0, xor_b32},
    {OP_V_CNDMASK_B32, T_F32, T_INT, 3, cndmask_b32},
    {OP_V_LSHRREV_B32, T_INT, T_INT, 0, lshrrev_b32},
    {OP_V_ASHRREV_I32, T_INT, T_INT, 0, ashrrev_i32},
    {OP_V_LSHLREV_B32, T_INT, T_INT, 0, lshlrev_b32},
    {OP_V_LSHRREV_B16, T_INT, T_INT, 0, lshrrev_b16},
    {OP_V_ASHRREV_I16, T_INT, T_INT, 0, ashrrev_i16},
    {OP_V_LSHLREV_B16, T_INT, T_INT, 0, lshlrev_b16},
    {OP_V_BFM_B32, T_INT, T_INT, 0, bfm_b32},
    {OP_V_BFI_B32, T_INT, T_INT, 0, bfi_b32},
    {OP_V_ALIGNBIT_B32, T_INT, T_INT, 0, alignbit_b32},
    {OP_V_ALIGNBYTE_B32, T_INT, T_INT, 0, alignbyte_b32},
    {OP_V_BCNT_U32_B32, T_INT, T_INT, 0, bcnt_u32_b32},
    {OP_V_FFBH_U32, T_INT, T_INT, 0, ffbh_u32},
    {OP_V_FFBL_B32, T_INT, T_INT, 0, ffbl_b32},
    {OP_V_FFBH_I32, T_INT, T_INT, 0, ffbh_i32},
    {OP_V_BFREV_B32, T_INT, T_INT, 0, bfrev_b32},
    {OP_V_BFE_U32, T_INT, T_INT, 0, bfe_u32},
    {OP_V_BFE_I32, T_INT, T_INT, 0, bfe_i32},
    {OP_V_PERM_B32, T_INT, T_INT, 0, perm_b32},
    {OP_V_SAD_U8, T_INT, T_INT, 0, sad_u8},
    {OP_V_SAD_HI_U8, T_INT, T_INT, 0, sad_hi_u8},
    {OP_V_SAD_U16, T_INT, T_INT, 0, sad_u16},
    {OP_V_SAD_U32, T_INT, T_INT, 0, sad_u32},
    {OP_V_MSAD_U8, T_INT, T_INT, 0, msad_u8},
    {OP_V_LERP_U8, T_INT, T_INT, 0, lerp_u8},
    {OP_V_QSAD_PK_U16_U8, T_INT, T_INT, 0, qsad_pk},
    {OP_V_MQSAD_PK_U16_U8, T_INT, T_INT, 0, mqsad_pk},
    {OP_V_MQSAD_U32_U8, T_INT, T_INT, 0, mqsad_u32},
    {OP_V_LSHLREV_B64, T_INT, T_INT, 0, lshlrev_b64},
    {OP_V_LSHRREV_B64, T_INT, T_INT, 0, lshrrev_b64},
    {OP_V_ASHRREV_I64, T_INT, T_INT, 0, ashrrev_i64},
    {0},
};

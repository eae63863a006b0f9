/* SPDX-License-Identifier: Apache-2.0
 * Conversions of the vector ALU.  To integers: truncate (unless the name says else), saturate, NaN gives 0.
 */
#include <math.h>

#include "valu/valu.h"

#define IN(x) as_f32(flush32((x), keep_in32(v)))
#define IN64(x) as_f64(flush64((x), keep_in64(v)))
#define BYTE(x, n) ((x) >> 8 * (n)&255)

static uint32_t saturate(double x, double low, double high)
{
    if (isnan(x))
        return 0;
    double y = x < low ? low : x > high ? high : x;
    return low < 0 ? (uint32_t)(int32_t)y : (uint32_t)y;
}
#define TO_I32(x) saturate((x), INT32_MIN, INT32_MAX)
#define TO_U32(x) saturate((x), 0, UINT32_MAX)

LANE_OP(cvt_i32_f32, TO_I32(trunc(IN(a))))
LANE_OP(cvt_u32_f32, TO_U32(trunc(IN(a))))
LANE_OP(cvt_rpi_i32_f32, TO_I32(floor((double)IN(a) + 0.5)))
LANE_OP(cvt_flr_i32_f32, TO_I32(floor(IN(a))))
LANE_OP(cvt_f32_i32, from_f32((float)(int32_t)a))
LANE_OP(cvt_f32_u32, from_f32((float)a))
LANE_OP(cvt_f32_ubyte0, from_f32((float)BYTE(a, 0)))
LANE_OP(cvt_f32_ubyte1, from_f32((float)BYTE(a, 1)))
LANE_OP(cvt_f32_ubyte2, from_f32((float)BYTE(a, 2)))
LANE_OP(cvt_f32_ubyte3, from_f32((float)BYTE(a, 3)))
/* signed 4-bit value in sixteenths */
LANE_OP(cvt_off_f32_i4, from_f32((float)((int32_t)(a << 28) >> 28) * 0.0625f))

static void cvt_i32_f64(struct valu *v)
{
    LANES v->d[l] = TO_I32(trunc(IN64(v->a64[l])));
}
static void cvt_u32_f64(struct valu *v)
{
    LANES v->d[l] = TO_U32(trunc(IN64(v->a64[l])));
}
static void cvt_f64_i32(struct valu *v)
{
    LANES v->d64[l] = from_f64((double)(int32_t)v->a[l]);
}
static void cvt_f64_u32(struct valu *v)
{
    LANES v->d64[l] = from_f64((double)v->a[l]);
}
static void cvt_f64_f32(struct valu *v)
{
    LANES v->d64[l] = finish64(from_f64((double)IN(v->a[l])), true);
}
static void cvt_f32_f64(struct valu *v)
{
    LANES v->d[l] = finish32(from_f32((float)IN64(v->a64[l])), keep_out32(v));
}

/* Float to half: sources flush by the f32 bits of MODE, results by the f16 bits, which tell the rounding too. */
LANE_OP(cvt_f16_f32, finish16(half_round((double)IN(a), v->wave->mode >> 2 & 3), keep_out64(v)))
LANE_OP(cvt_f32_f16, finish32(from_f32((float)half_value(flush16(a & 0xffff, keep_in64(v)))), true))
#define RTZ(x) finish16(half_round((double)IN(x), 3), keep_out64(v))
LANE_OP(cvt_pkrtz_f16_f32, RTZ(a) | RTZ(b) << 16)

static uint32_t norm(float x, double low, double factor)
{
    double y = x < low ? low : x > 1 ? 1 : x;
    return isnan(x) ? 0 : (uint32_t)(int32_t)rint(y * factor) & 0xffff;
}
LANE_OP(cvt_pknorm_i16_f32, norm(IN(a), -1, 32767) | norm(IN(b), -1, 32767) << 16)
LANE_OP(cvt_pknorm_u16_f32, norm(IN(a), 0, 65535) | norm(IN(b), 0, 65535) << 16)

static uint32_t low_u16(uint32_t x)
{
    return x > 0xffff ? 0xffff : x;
}
static uint32_t low_i16(int32_t x)
{
    return (uint32_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x) & 0xffff;
}
LANE_OP(cvt_pk_u16_u32, low_u16(a) | low_u16(b) << 16)
LANE_OP(cvt_pk_i16_i32, low_i16(a) | low_i16(b) << 16)

/* Byte b of c is replaced by the rounded, saturated float a. */
static uint32_t pack_u8(float x, uint32_t byte, uint32_t old)
{
    unsigned shift = 8 * (byte & 3);
    return (old & ~(UINT32_C(255) << shift)) | saturate(rint(x), 0, 255) << shift;
}
LANE_OP(cvt_pk_u8_f32, pack_u8(IN(a), b, c))

const struct valu_op valu_cvt_ops[] = {
    {OP_V_CVT_I32_F32, T_F32, T_INT, 1, cvt_i32_f32},
    {OP_V_CVT_U32_F32, T_F32, T_INT, 1, cvt_u32_f32},
    {OP_V_CVT_RPI_I32_F32, T_F32, T_INT, 1, cvt_rpi_i32_f32},
    {OP_V_CVT_FLR_I32_F32, T_F32, T_INT, 1, cvt_flr_i32_f32},
    {OP_V_CVT_F32_I32, T_INT, T_F32, 0, cvt_f32_i32},
    {OP_V_CVT_F32_U32, T_INT, T_F32, 0, cvt_f32_u32},
    {OP_V_CVT_F32_UBYTE0, T_INT, T_F32, 0, cvt_f32_ubyte0},
    {OP_V_CVT_F32_UBYTE1, T_INT, T_F32, 0, cvt_f32_ubyte1},
    {OP_V_CVT_F32_UBYTE2, T_INT, T_F32, 0, cvt_f32_ubyte2},
    {OP_V_CVT_F32_UBYTE3, T_INT, T_F32, 0, cvt_f32_ubyte3},
    {OP_V_CVT_OFF_F32_I4, T_INT, T_F32, 0, cvt_off_f32_i4},
    {OP_V_CVT_I32_F64, T_F64, T_INT, 1, cvt_i32_f64},
    {OP_V_CVT_U32_F64, T_F64, T_INT, 1, cvt_u32_f64},
    {OP_V_CVT_F64_I32, T_INT, T_F64, 0, cvt_f64_i32},
    {OP_V_CVT_F64_U32, T_INT, T_F64, 0, cvt_f64_u32},
    {OP_V_CVT_F64_F32, T_F32, T_F64, 1, cvt_f64_f32},
    {OP_V_CVT_F32_F64, T_F64, T_F32, 1, cvt_f32_f64},
    {OP_V_CVT_F16_F32, T_F32, T_F16, 1, cvt_f16_f32},
    {OP_V_CVT_F32_F16, T_F16, T_F32, 1, cvt_f32_f16},
    {OP_V_CVT_PKRTZ_F16_F32, T_F32, T_INT, 3, cvt_pkrtz_f16_f32},
    {OP_V_CVT_PKNORM_I16_F32, T_F32, T_INT, 3, cvt_pknorm_i16_f32},
    {OP_V_CVT_PKNORM_U16_F32, T_F32, T_INT, 3, cvt_pknorm_u16_f32},
    {OP_V_CVT_PK_U16_U32, T_INT, T_INT, 0, cvt_pk_u16_u32},
    {OP_V_CVT_PK_I16_I32, T_INT, T_INT, 0, cvt_pk_i16_i32},
    {OP_V_CVT_PK_U8_F32, T_F32, T_INT, 1, cvt_pk_u8_f32},
    {OP_V_CVT_PKACCUM_U8_F32, T_F32, T_INT, 1, cvt_pk_u8_f32}, /* into the old destination, its source 2 */
    {0},
};

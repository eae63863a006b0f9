/* SPDX-License-Identifier: Apache-2.0
 * Comparisons of the vector ALU.  The low bits of every opcode are the set of relations that give true:
 * 1 less, 2 equal, 4 greater, 8 unordered (floats).  Subnormal sources are flushed as MODE says, except in v_cmp_class.
 */
#include "valu/valu.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* clang-format takes `<` and `>` for brackets of a template. */
/* clang-format off */
#define COMPARE(name, set, type, x, y) \
    static void name(struct valu *v) \
    { \
        const bool less = v->inst->op & (set) & LESS, equal = v->inst->op & (set) & EQUAL; \
        const bool greater = v->inst->op & (set) & GREATER, unordered = v->inst->op & (set) & UNORDERED; \
        type p[64], q[64]; \
        LANES p[l] = (x), q[l] = (y); \
        LANE_MASK(v->mask_out, p[l] < q[l] ? less : p[l] == q[l] ? equal : p[l] > q[l] ? greater : unordered); \
    }
/* clang-format on */

COMPARE(cmp_i16, 7, int16_t, (int16_t)v->a[l], (int16_t)v->b[l])
COMPARE(cmp_u16, 7, uint16_t, (uint16_t)v->a[l], (uint16_t)v->b[l])
COMPARE(cmp_i32, 7, int32_t, (int32_t)v->a[l], (int32_t)v->b[l])
COMPARE(cmp_u32, 7, uint32_t, v->a[l], v->b[l])
COMPARE(cmp_i64, 7, int64_t, (int64_t)v->a64[l], (int64_t)v->b64[l])
COMPARE(cmp_u64, 7, uint64_t, v->a64[l], v->b64[l])
COMPARE(cmp_f32, 15, float, as_f32(flush32(v->a[l], keep_in32(v))), as_f32(flush32(v->b[l], keep_in32(v))))
COMPARE(cmp_f64, 15, double, as_f64(flush64(v->a64[l], keep_in64(v))), as_f64(flush64(v->b64[l], keep_in64(v))))
COMPARE(cmp_f16, 15, double, half_value(flush16(v->a[l] & 0xffff, keep_in64(v))),
        half_value(flush16(v->b[l] & 0xffff, keep_in64(v))))

/* Number of the class that v_cmp_class tests with this bit. */
static unsigned class_of(uint64_t x, unsigned exponent_bits, unsigned mantissa_bits)
{
    uint64_t mantissa = x & ((UINT64_C(1) << mantissa_bits) - 1), top = (UINT64_C(1) << exponent_bits) - 1;
    uint64_t exponent = x >> mantissa_bits & top;
    bool negative = x >> (mantissa_bits + exponent_bits) & 1;
    if (exponent == top && mantissa)
        return mantissa >> (mantissa_bits - 1) ? 1 : 0;
    unsigned n = exponent == top ? 0 : exponent ? 1 : mantissa ? 2 : 3;
    return negative ? 2 + n : 9 - n;
}

#define CLASS(name, x, e, m)                                                                                           \
    static void name(struct valu *v)                                                                                   \
    {                                                                                                                  \
        uint64_t out = 0;                                                                                              \
        LANES out |= (uint64_t)(v->b[l] >> class_of((x), (e), (m)) & 1) << l;                                          \
        v->mask_out = out;                                                                                             \
    }
CLASS(class_f16, v->a[l] & 0xffff, 5, 10)
CLASS(class_f32, v->a[l], 8, 23)
CLASS(class_f64, v->a64[l], 11, 52)

#define ONE(op, type, mods, fn)                                                                                        \
    {                                                                                                                  \
        (op), (type), T_INT, (mods), (fn)                                                                              \
    }
#define EIGHT(op, type, mods, fn)                                                                                      \
    ONE(op, type, mods, fn), ONE(op + 1, type, mods, fn), ONE(op + 2, type, mods, fn), ONE(op + 3, type, mods, fn),    \
        ONE(op + 4, type, mods, fn), ONE(op + 5, type, mods, fn), ONE(op + 6, type, mods, fn),                         \
        ONE(op + 7, type, mods, fn)
#define FLOATS(op, type, fn)                                                                                           \
    EIGHT(op, type, 3, fn), EIGHT((op) + 8, type, 3, fn), EIGHT((op) + 16, type, 3, fn), EIGHT((op) + 24, type, 3, fn)
#define INTS(op, fn) EIGHT(op, T_INT, 0, fn), EIGHT((op) + 16, T_INT, 0, fn)

const struct valu_op valu_cmp_ops[] = {
    ONE(OP_V_CMP_CLASS_F16, T_F16, 1, class_f16),
    ONE(OP_V_CMPX_CLASS_F16, T_F16, 1, class_f16),
    ONE(OP_V_CMP_CLASS_F32, T_F32, 1, class_f32),
    ONE(OP_V_CMPX_CLASS_F32, T_F32, 1, class_f32),
    ONE(OP_V_CMP_CLASS_F64, T_F64, 1, class_f64),
    ONE(OP_V_CMPX_CLASS_F64, T_F64, 1, class_f64),
    FLOATS(OP_V_CMP_F_F16, T_F16, cmp_f16),
    FLOATS(OP_V_CMP_F_F32, T_F32, cmp_f32),
    FLOATS(OP_V_CMP_F_F64, T_F64, cmp_f64),
    INTS(OP_V_CMP_F_I16, cmp_i16),
    INTS(OP_V_CMP_F_U16, cmp_u16),
    INTS(OP_V_CMP_F_I32, cmp_i32),
    INTS(OP_V_CMP_F_U32, cmp_u32),
    INTS(OP_V_CMP_F_I64, cmp_i64),
    INTS(OP_V_CMP_F_U64, cmp_u64),
    {0},
};

/* SPDX-License-Identifier: Apache-2.0
 * Inside of the vector ALU of the golden model: one operation is a function over 64 lanes; valu.c prepares operands
 * (operand codes, SDWA, DPP, modifiers) and writes results.  The types tell which modifiers apply.
 */
#ifndef GCN3_VALU_H
#define GCN3_VALU_H
#include <string.h>

#include "isa/salu.h"

/* Type of the sources (neg, abs) and of the result (omod, clamp). */
enum valu_type { T_INT, T_F32, T_F16, T_F64, T_SAT32, T_SAT16 };

struct valu {
    const struct gcn3_inst *inst;
    struct gcn3_wave *wave;
    uint64_t exec;     /* lanes that are written: EXEC without those that DPP switches off */
    uint64_t mask_in;  /* carry-in, select, VCC of v_div_fmas */
    uint64_t mask_out; /* compare or carry result of all lanes */
    union {
        struct {
            const uint32_t *a, *b, *c;
        };
        const uint32_t *source[3];
    };
    const uint64_t *a64, *b64, *c64; /* buffer64 */
    uint32_t *d; /* 32-bit results: out, or the destination itself, which may be a source: lane l is read before it is
                    written */
    uint32_t out[64];
    uint64_t d64[64];
    uint32_t wide[4][64]; /* v_mqsad_u32_u8 */
    uint32_t buffer[3][64];
    uint64_t buffer64[3][64];
};

typedef void (*valu_fn)(struct valu *v);

struct valu_op {
    uint16_t op;
    uint8_t in, out; /* enum valu_type */
    uint8_t mods;    /* sources that neg and abs apply to */
    valu_fn fn;
};

/* Each file of operations exports its list, ended by fn == NULL. */
extern const struct valu_op valu_int_ops[], valu_bit_ops[], valu_cmp_ops[], valu_f32_ops[], valu_cvt_ops[],
    valu_f16_ops[], valu_f64_ops[], valu_fma_ops[], valu_div_ops[], valu_trans_ops[], valu_lane_ops[];

/* Rows are the same or apart, so lanes do not depend on each other. */
#define LANES _Pragma("GCC ivdep") for (unsigned l = 0; l < 64; l++)
/* Operations on 32-bit values A, B, C giving a 32-bit value. */
#define LANE_OP(name, expression)                                                                                      \
    static void name(struct valu *v)                                                                                   \
    {                                                                                                                  \
        LANES                                                                                                          \
        {                                                                                                              \
            const uint32_t a = v->a[l], b = v->b[l], c = v->c[l];                                                      \
            (void)a, (void)b, (void)c;                                                                                 \
            v->d[l] = (expression);                                                                                    \
        }                                                                                                              \
    }
/* The same on 64-bit values. */
#define LANE_OP64(name, expression)                                                                                    \
    static void name(struct valu *v)                                                                                   \
    {                                                                                                                  \
        LANES                                                                                                          \
        {                                                                                                              \
            const uint64_t a = v->a64[l], b = v->b64[l], c = v->c64[l];                                                \
            (void)a, (void)b, (void)c;                                                                                 \
            v->d64[l] = (expression);                                                                                  \
        }                                                                                                              \
    }

/* Lane mask of a condition on l, in two halves of 32-bit arithmetic, which the compiler vectorises. */
#define LANE_MASK(mask, condition)                                                                                     \
    do {                                                                                                               \
        uint32_t half_[2];                                                                                             \
        for (unsigned h_ = 0; h_ < 2; h_++) {                                                                          \
            uint32_t bits_ = 0;                                                                                        \
            for (unsigned k_ = 0; k_ < 32; k_++) {                                                                     \
                const unsigned l = 32 * h_ + k_;                                                                       \
                bits_ |= (uint32_t)(condition) << k_;                                                                  \
            }                                                                                                          \
            half_[h_] = bits_;                                                                                         \
        }                                                                                                              \
        (mask) = half_[0] | (uint64_t)half_[1] << 32;                                                                  \
    } while (0)

static inline float as_f32(uint32_t x)
{
    float f;
    memcpy(&f, &x, 4);
    return f;
}

static inline uint32_t from_f32(float f)
{
    uint32_t x;
    memcpy(&x, &f, 4);
    return x;
}

static inline double as_f64(uint64_t x)
{
    double f;
    memcpy(&f, &x, 8);
    return f;
}

static inline uint64_t from_f64(double f)
{
    uint64_t x;
    memcpy(&x, &f, 8);
    return x;
}

#define NAN32 UINT32_C(0x7fc00000)
#define NAN16 UINT32_C(0x7e00)
#define NAN64 UINT64_C(0x7ff8000000000000)

/* One comparison of a vector, where one of integers would take three (32 bits) or not be done by vectors (64 bits). */
static inline bool is_nan32(uint32_t x)
{
    return __builtin_isnan(as_f32(x));
}
static inline bool is_nan16(uint32_t x)
{
    return (x & 0x7fff) > 0x7c00;
}
static inline bool is_nan64(uint64_t x)
{
    return __builtin_isnan(as_f64(x));
}

/* MODE: bit 4 keeps f32 subnormals of sources, bit 5 of results; bits 6, 7 for f16 and f64. */
static inline bool keep_in32(const struct valu *v)
{
    return v->wave->mode & 0x10;
}
static inline bool keep_out32(const struct valu *v)
{
    return v->wave->mode & 0x20;
}
static inline bool keep_in64(const struct valu *v)
{
    return v->wave->mode & 0x40;
}
static inline bool keep_out64(const struct valu *v)
{
    return v->wave->mode & 0x80;
}

static inline uint32_t flush32(uint32_t x, bool keep)
{
    return keep || (x & 0x7f800000) ? x : x & 0x80000000;
}
static inline uint32_t flush16(uint32_t x, bool keep)
{
    return keep || (x & 0x7c00) ? x : x & 0x8000;
}
static inline uint64_t flush64(uint64_t x, bool keep)
{
    return keep || (x & UINT64_C(0x7ff0000000000000)) ? x : x & UINT64_C(0x8000000000000000);
}

/* Result of an arithmetic operation: NaNs become the one quiet NaN, subnormals flushed unless kept. */
static inline uint32_t finish32(uint32_t x, bool keep)
{
    uint32_t y = flush32(x, keep); /* outside of the condition: a selection, not a branch */
    return is_nan32(x) ? NAN32 : y;
}
static inline uint32_t finish16(uint32_t x, bool keep)
{
    return is_nan16(x) ? NAN16 : flush16(x, keep);
}
static inline uint64_t finish64(uint64_t x, bool keep)
{
    uint64_t y = flush64(x, keep);
    return is_nan64(x) ? NAN64 : y;
}

/* f16.c: exact value of a half; rounding of a double to half or float in one of four modes (0 nearest even, 1 up,
 * 2 down, 3 to zero), with subnormals. */
double half_value(uint32_t h);
uint32_t half_round(double x, unsigned round);
/* a*b+c rounded to odd in 53 bits: rounding it again to at most 50 bits is exact rounding. */
double fma_odd(double a, double b, double c);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Vector ALU of the golden model: fetches operands (SGPR, constant, VGPR, SDWA, DPP), applies input and output
 * modifiers, calls the operation, writes lanes and masks.  The operations themselves are in valu_*.c.
 */
#include <fenv.h>

#include "gantry_msg.h"
#include "valu/valu.h"

static const struct valu_op *op_index[1024];

__attribute__((constructor)) static void index_ops(void)
{
    static const struct valu_op *const lists[] = {valu_int_ops, valu_bit_ops,   valu_cmp_ops, valu_f32_ops,
                                                  valu_cvt_ops, valu_f16_ops,   valu_f64_ops, valu_fma_ops,
                                                  valu_div_ops, valu_trans_ops, valu_lane_ops};
    for (unsigned n = 0; n < sizeof lists / sizeof *lists; n++)
        for (const struct valu_op *o = lists[n]; o->fn; o++)
            op_index[o->op] = o;
}

static uint32_t select_bits(uint32_t x, unsigned sel, bool sext)
{
    unsigned shift = sel < 4 ? sel * 8 : sel < 6 ? (sel - 4) * 16 : 0, width = sel < 4 ? 8 : sel < 6 ? 16 : 32;
    uint32_t y = x >> shift;
    if (width == 32)
        return y;
    return sext ? (uint32_t)((int32_t)(y << (32 - width)) >> (32 - width)) : y & ((1u << width) - 1);
}

/* Lane that DPP reads for lane l, or -1. */
static int dpp_source(unsigned control, int l)
{
    int row = l & ~15, in_row = l & 15, n = control & 15;
    if (control < 0x100)
        return (l & ~3) + (control >> (l & 3) * 2 & 3);
    switch (control >> 4) {
    case 0x10:
        return n && in_row + n < 16 ? l + n : -1;
    case 0x11:
        return n && in_row - n >= 0 ? l - n : -1;
    case 0x12:
        return n ? row + ((in_row - n) & 15) : -1;
    }
    switch (control) {
    case 0x130:
        return l < 63 ? l + 1 : -1;
    case 0x134:
        return (l + 1) & 63;
    case 0x138:
        return l - 1;
    case 0x13c:
        return (l - 1) & 63;
    case 0x140:
        return row + 15 - in_row;
    case 0x141:
        return (l & ~7) + 7 - (l & 7);
    case 0x142:
        return row - 1;
    case 0x143:
        return l >= 32 ? 31 : -1;
    default:
        return -1;
    }
}

/* Source 0 through DPP; lanes that get no value are switched off or read 0. */
static void apply_dpp(struct valu *v, const uint32_t *from, uint32_t *to)
{
    uint32_t ext = v->inst->ext;
    uint64_t exec = v->exec;
    bool zero = ext >> 19 & 1;
    for (int l = 0; l < 64; l++) {
        int s = dpp_source(ext >> 8 & 0x1ff, l);
        bool valid = s >= 0 && exec >> s & 1;
        bool enabled = ext >> (28 + l / 16) & ext >> (24 + l % 16 / 4) & 1;
        to[l] = valid ? from[s] : 0;
        if (!enabled || (!valid && !zero))
            v->exec &= ~(UINT64_C(1) << l);
    }
}

/* What abs and neg do to the sign bit of a source: cleared, then turned. */
struct modifiers {
    bool abs, neg;
};

static inline uint32_t modify32(struct modifiers m, uint32_t x, uint32_t sign)
{
    return (x & ~(m.abs ? sign : 0)) ^ (m.neg ? sign : 0);
}

static inline uint64_t modify64(struct modifiers m, uint64_t x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return (x & ~(m.abs ? sign : 0)) ^ (m.neg ? sign : 0);
}

/* The same value in all lanes. */
static inline const uint32_t *spread32(struct valu *v, unsigned n, struct modifiers m, uint32_t sign)
{
    const struct gcn3_inst *i = v->inst;
    const uint32_t x = modify32(m, scalar_read32(v->wave, i, i->src[n], i->info->flags & FLAG_HALF), sign);
    LANES v->buffer[n][l] = x;
    return v->buffer[n];
}

/* 32-bit source n in a form that may be read directly: a VGPR or the buffer. */
static const uint32_t *fetch32(struct valu *v, unsigned n, struct modifiers m, uint32_t sign)
{
    const struct gcn3_inst *i = v->inst;
    if (i->src[n] < SREG_VGPR)
        return spread32(v, n, m, sign);
    const uint32_t *row = v->wave->v[i->src[n] - SREG_VGPR];
    uint32_t selected[64];
    if (n == 0 && i->dpp) {
        apply_dpp(v, row, selected);
        row = selected;
    } else if (i->sdwa && n < 2) {
        unsigned sel = i->ext >> (n ? 24 : 16) & 7;
        bool sext = i->ext >> (n ? 27 : 19) & 1;
        LANES selected[l] = select_bits(row[l], sel, sext);
        row = selected;
    } else if (!m.abs && !m.neg) {
        return row;
    }
    LANES v->buffer[n][l] = modify32(m, row[l], sign);
    return v->buffer[n];
}

static void fetch64(struct valu *v, unsigned n, struct modifiers m)
{
    const struct gcn3_inst *i = v->inst;
    unsigned code = i->src[n];
    uint64_t *buffer = v->buffer64[n];
    if (code >= SREG_VGPR) {
        const uint32_t *low = v->wave->v[code - SREG_VGPR], *high = v->wave->v[code - SREG_VGPR + 1];
        LANES buffer[l] = modify64(m, low[l] | (uint64_t)high[l] << 32);
        return;
    }
    uint64_t x = scalar_read64(v->wave, i, code);
    if (code == SREG_LITERAL && i->info->rate == RATE_F64)
        x <<= 32; /* a literal is the high half of a double */
    x = modify64(m, x);
    LANES buffer[l] = x;
}

static inline struct modifiers modifiers_of(const struct gcn3_inst *i, const struct valu_op *o, unsigned n)
{
    return (struct modifiers){i->abs & o->mods & (1u << n), i->neg & o->mods & (1u << n)};
}

static inline uint32_t sign_of(const struct valu_op *o)
{
    return o->in == T_F16 ? 0x8000 : 0x80000000;
}

static const uint32_t zero[64];

static void fetch_sources(struct valu *v, const struct valu_op *o)
{
    v->a64 = v->buffer64[0];
    v->b64 = v->buffer64[1];
    v->c64 = v->buffer64[2];
    for (unsigned n = 0; n < 3; n++) {
        unsigned width = v->inst->srcw[n];
        struct modifiers m = modifiers_of(v->inst, o, n);
        v->source[n] = zero;
        if (width == 0 || (n == 2 && v->inst->src2_mask))
            continue;
        if (width == 1)
            v->source[n] = fetch32(v, n, m, sign_of(o));
        else
            fetch64(v, n, m);
    }
}

/* Source n of a plain instruction. */
static inline const uint32_t *fetch_plain(struct valu *v, const struct valu_op *o, unsigned n)
{
    const struct gcn3_inst *i = v->inst;
    if (!i->srcw[n])
        return zero;
    const struct modifiers m = modifiers_of(i, o, n);
    if (i->src[n] < SREG_VGPR)
        return spread32(v, n, m, sign_of(o));
    const uint32_t *row = v->wave->v[i->src[n] - SREG_VGPR];
    if (!m.abs && !m.neg)
        return row;
    const uint32_t sign = sign_of(o);
    LANES v->buffer[n][l] = modify32(m, row[l], sign);
    return v->buffer[n];
}

static void clamp_result(struct valu *v, unsigned type)
{
    bool nan_to_zero = v->wave->dx10_clamp;
    if (type == T_F32)
        LANES
        {
            uint32_t x = v->d[l];
            v->d[l] = is_nan32(x) ? (nan_to_zero ? 0 : x) : x >> 31 ? 0 : x > 0x3f800000 ? 0x3f800000 : x;
        }
    else if (type == T_F16)
        LANES
        {
            uint32_t x = v->d[l];
            v->d[l] = is_nan16(x) ? (nan_to_zero ? 0 : x) : x >> 15 ? 0 : x > 0x3c00 ? 0x3c00 : x;
        }
    else if (type == T_F64)
        LANES
        {
            uint64_t x = v->d64[l], one = UINT64_C(0x3ff0000000000000);
            v->d64[l] = is_nan64(x) ? (nan_to_zero ? 0 : x) : x >> 63 ? 0 : x > one ? one : x;
        }
}

/* Output modifier: times 2, 4 or 1/2, and zero is +0; without effect where results keep subnormals and with IEEE. */
static void scale_result(struct valu *v, unsigned type)
{
    static const double factor[4] = {1, 2, 4, 0.5};
    double f = factor[v->inst->omod];
    if (v->wave->ieee)
        return;
    if (type == T_F32 && !keep_out32(v))
        LANES
        {
            uint32_t y = finish32(from_f32(as_f32(v->d[l]) * (float)f), false);
            v->d[l] = y << 1 ? y : 0;
        }
    else if (type == T_F16 && !keep_out64(v))
        LANES
        {
            uint32_t x = v->d[l];
            uint32_t y = is_nan16(x) ? NAN16 : half_round(half_value(x) * f, v->wave->mode >> 2 & 3);
            v->d[l] = flush16(y, false) & 0x7fff ? y : 0;
        }
    else if (type == T_F64 && !keep_out64(v))
        LANES
        {
            uint64_t y = finish64(from_f64(as_f64(v->d64[l]) * f), false);
            v->d64[l] = y << 1 ? y : 0;
        }
}

/* Lanes of EXEC only; in two halves of 32-bit arithmetic, which the compiler vectorises. */
static void write_lanes(uint32_t *row, const uint32_t *data, uint64_t exec)
{
    if (exec == ~UINT64_C(0)) {
        LANES row[l] = data[l];
        return;
    }
    for (unsigned h = 0; h < 64; h += 32) {
        const uint32_t bits = exec >> h;
        for (unsigned k = 0; k < 32; k++)
            row[h + k] = bits >> k & 1 ? data[h + k] : row[h + k];
    }
}

static void write_pairs(uint32_t *low, uint32_t *high, const uint64_t *data, uint64_t exec)
{
    if (exec == ~UINT64_C(0)) {
        LANES low[l] = data[l], high[l] = data[l] >> 32;
        return;
    }
    uint32_t half[2][64];
    LANES half[0][l] = data[l], half[1][l] = data[l] >> 32;
    write_lanes(low, half[0], exec);
    write_lanes(high, half[1], exec);
}

static void sdwa_result(struct valu *v)
{
    uint32_t ext = v->inst->ext;
    unsigned sel = ext >> 8 & 7, unused = ext >> 11 & 3;
    if (sel == 6)
        return;
    unsigned shift = sel < 4 ? sel * 8 : (sel - 4) * 16, width = sel < 4 ? 8 : 16;
    uint32_t field = ((1u << width) - 1) << shift;
    const uint32_t *old = v->wave->v[v->inst->vdst];
    LANES
    {
        uint32_t x = v->d[l] << shift & field;
        if (unused == 1 && v->d[l] >> (width - 1) & 1)
            x |= ~(field | (field - 1)); /* sign into the bits above */
        else if (unused == 2)
            x |= old[l] & ~field;
        v->d[l] = x;
    }
}

static inline void write_mask(struct valu *v)
{
    const struct gcn3_inst *i = v->inst;
    if (!i->sdst_mask)
        return;
    scalar_write64(v->wave, i->sdst, v->mask_out & v->exec);
    if (i->info->flags & FLAG_EXEC_W)
        WAVE_EXEC(v->wave) = v->mask_out & v->exec;
}

static void write_results(struct valu *v, const struct valu_op *o)
{
    const struct gcn3_inst *i = v->inst;
    struct gcn3_wave *w = v->wave;
    if (i->omod && o->out != T_INT)
        scale_result(v, o->out);
    if (i->clamp)
        clamp_result(v, o->out);
    if (i->vdst_w == 1) {
        if (i->sdwa)
            sdwa_result(v);
        write_lanes(w->v[i->vdst], v->d, v->exec);
    } else if (i->vdst_w == 2) {
        write_pairs(w->v[i->vdst], w->v[i->vdst + 1], v->d64, v->exec);
    } else if (i->vdst_w == 4) {
        for (unsigned n = 0; n < 4; n++)
            write_lanes(w->v[i->vdst + n], v->wide[n], v->exec);
    }
    write_mask(v);
}

static int host_round(unsigned mode)
{
    static const int table[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    return table[mode & 3];
}

static void execute_any(struct valu *v, const struct valu_op *o)
{
    v->d = v->out;
    fetch_sources(v, o);
    o->fn(v);
    write_results(v, o);
}

/* Most instructions: results go to their row at once where all lanes are active. */
static inline void execute_plain(struct valu *v, const struct valu_op *o)
{
    uint32_t *row = v->wave->v[v->inst->vdst];
    const bool direct = v->exec == ~UINT64_C(0) && v->inst->vdst_w;
    v->source[0] = fetch_plain(v, o, 0);
    v->source[1] = fetch_plain(v, o, 1);
    v->source[2] = fetch_plain(v, o, 2);
    v->d = direct ? row : v->out;
    o->fn(v);
    if (!direct && v->inst->vdst_w)
        write_lanes(row, v->out, v->exec);
    write_mask(v);
}

int valu_execute(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    const struct valu_op *o = op_index[i->op];
    if (!o)
        return FAULT_ILLEGAL;
    struct valu v;
    v.inst = i;
    v.wave = w;
    v.exec = WAVE_EXEC(w);
    v.mask_out = 0;
    v.mask_in = i->src2_mask ? scalar_read64(w, i, i->src[2]) : WAVE_VCC(w);
    unsigned round = o->out == T_F32 ? w->mode & 3 : o->out == T_F64 ? w->mode >> 2 & 3 : 0;
    if (round)
        fesetround(host_round(round));
    if (i->plain)
        execute_plain(&v, o);
    else
        execute_any(&v, o);
    if (round)
        fesetround(FE_TONEAREST);
    return 0;
}

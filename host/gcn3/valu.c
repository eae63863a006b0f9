/* SPDX-License-Identifier: Apache-2.0
 * Vector ALU of the golden model: fetches operands (SGPR, constant, VGPR, SDWA, DPP), applies input and output
 * modifiers, calls the operation, writes lanes and masks.  The operations themselves are in valu_*.c.
 */
#include <fenv.h>

#include "gantry_msg.h"
#include "gcn3/valu.h"

static const struct valu_op *op_index[1024];

__attribute__((constructor)) static void index_ops(void)
{
    static const struct valu_op *const lists[] = { valu_int_ops, valu_bit_ops, valu_cmp_ops, valu_f32_ops, valu_cvt_ops,
                                                   valu_f16_ops, valu_f64_ops, valu_div_ops, valu_trans_ops, valu_lane_ops };
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
    case 0x10: return n && in_row + n < 16 ? l + n : -1;
    case 0x11: return n && in_row - n >= 0 ? l - n : -1;
    case 0x12: return n ? row + ((in_row - n) & 15) : -1;
    }
    switch (control) {
    case 0x130: return l < 63 ? l + 1 : -1;
    case 0x134: return (l + 1) & 63;
    case 0x138: return l - 1;
    case 0x13c: return (l - 1) & 63;
    case 0x140: return row + 15 - in_row;
    case 0x141: return (l & ~7) + 7 - (l & 7);
    case 0x142: return row - 1;
    case 0x143: return l >= 32 ? 31 : -1;
    default: return -1;
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

/* 32-bit source n in a form that may be read directly: a VGPR or the buffer. */
static const uint32_t *fetch32(struct valu *v, unsigned n)
{
    const struct gcn3_inst *i = v->inst;
    unsigned code = i->src[n];
    uint32_t *buffer = v->buffer[n];
    if (code < 256) {
        uint32_t x = scalar_read32(v->wave, i, code, i->info->flags & FLAG_HALF);
        LANES buffer[l] = x;
        return buffer;
    }
    const uint32_t *row = v->wave->v[code - 256];
    if (n == 0 && i->dpp) {
        apply_dpp(v, row, buffer);
        return buffer;
    }
    if (i->sdwa && n < 2) {
        unsigned sel = i->ext >> (n ? 24 : 16) & 7;
        bool sext = i->ext >> (n ? 27 : 19) & 1;
        LANES buffer[l] = select_bits(row[l], sel, sext);
        return buffer;
    }
    return row;
}

static const uint64_t *fetch64(struct valu *v, unsigned n)
{
    const struct gcn3_inst *i = v->inst;
    unsigned code = i->src[n];
    uint64_t *buffer = v->buffer64[n];
    if (code >= 256) {
        LANES buffer[l] = v->wave->v[code - 256][l] | (uint64_t)v->wave->v[code - 255][l] << 32;
        return buffer;
    }
    uint64_t x = scalar_read64(v->wave, i, code);
    if (code == SREG_LITERAL && i->info->rate == RATE_F64)
        x <<= 32; /* a literal is the high half of a double */
    LANES buffer[l] = x;
    return buffer;
}

static const uint32_t *modify32(struct valu *v, unsigned n, const uint32_t *x, uint32_t sign)
{
    bool neg = v->inst->neg >> n & 1, abs = v->inst->abs >> n & 1;
    LANES {
        uint32_t y = abs ? x[l] & ~sign : x[l];
        v->buffer[n][l] = neg ? y ^ sign : y;
    }
    return v->buffer[n];
}

static void modify64(struct valu *v, unsigned n)
{
    const uint64_t sign = UINT64_C(1) << 63;
    bool neg = v->inst->neg >> n & 1, abs = v->inst->abs >> n & 1;
    LANES {
        uint64_t y = v->buffer64[n][l];
        y = abs ? y & ~sign : y;
        v->buffer64[n][l] = neg ? y ^ sign : y;
    }
}

static void fetch_sources(struct valu *v, const struct valu_op *o)
{
    static const uint32_t zero[64];
    v->a64 = v->buffer64[0];
    v->b64 = v->buffer64[1];
    v->c64 = v->buffer64[2];
    for (unsigned n = 0; n < 3; n++) {
        unsigned width = v->inst->srcw[n];
        bool modified = (v->inst->neg | v->inst->abs) & o->mods & (1u << n);
        v->source[n] = zero;
        if (width == 0 || (n == 2 && v->inst->src2_mask))
            continue;
        if (width == 1) {
            v->source[n] = fetch32(v, n);
            if (modified)
                v->source[n] = modify32(v, n, v->source[n], o->in == T_F16 ? 0x8000 : 0x80000000);
        } else {
            fetch64(v, n);
            if (modified)
                modify64(v, n);
        }
    }
}

static void clamp_result(struct valu *v, unsigned type)
{
    bool nan_to_zero = v->wave->dx10_clamp;
    if (type == T_F32)
        LANES {
            uint32_t x = v->d[l];
            v->d[l] = is_nan32(x) ? (nan_to_zero ? 0 : x) : x >> 31 ? 0 : x > 0x3f800000 ? 0x3f800000 : x;
        }
    else if (type == T_F16)
        LANES {
            uint32_t x = v->d[l];
            v->d[l] = is_nan16(x) ? (nan_to_zero ? 0 : x) : x >> 15 ? 0 : x > 0x3c00 ? 0x3c00 : x;
        }
    else if (type == T_F64)
        LANES {
            uint64_t x = v->d64[l], one = UINT64_C(0x3ff0000000000000);
            v->d64[l] = is_nan64(x) ? (nan_to_zero ? 0 : x) : x >> 63 ? 0 : x > one ? one : x;
        }
}

/* Output modifier: times 2, 4 or 1/2; without effect where results keep subnormals. */
static void scale_result(struct valu *v, unsigned type)
{
    static const double factor[4] = { 1, 2, 4, 0.5 };
    double f = factor[v->inst->omod];
    if (type == T_F32 && !keep_out32(v))
        LANES v->d[l] = finish32(from_f32(as_f32(v->d[l]) * (float)f), false);
    else if (type == T_F16 && !keep_out64(v))
        LANES v->d[l] = finish16(is_nan16(v->d[l]) ? NAN16 : half_round(half_value(v->d[l]) * f, v->wave->mode >> 2 & 3), false);
    else if (type == T_F64 && !keep_out64(v))
        LANES v->d64[l] = finish64(from_f64(as_f64(v->d64[l]) * f), false);
}

static void write_lanes(uint32_t *row, const uint32_t *data, uint64_t exec)
{
    if (exec == ~UINT64_C(0)) {
        memcpy(row, data, 256);
        return;
    }
    LANES row[l] = exec >> l & 1 ? data[l] : row[l];
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
    LANES {
        uint32_t x = v->d[l] << shift & field;
        if (unused == 1 && v->d[l] >> (width - 1) & 1)
            x |= ~(field | (field - 1)); /* sign into the bits above */
        else if (unused == 2)
            x |= old[l] & ~field;
        v->d[l] = x;
    }
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
        uint32_t low[64], high[64];
        LANES low[l] = v->d64[l], high[l] = v->d64[l] >> 32;
        write_lanes(w->v[i->vdst], low, v->exec);
        write_lanes(w->v[i->vdst + 1], high, v->exec);
    } else if (i->vdst_w == 4) {
        for (unsigned n = 0; n < 4; n++)
            write_lanes(w->v[i->vdst + n], v->wide[n], v->exec);
    }
    if (i->sdst_mask) {
        scalar_write64(w, i->sdst, v->mask_out & v->exec);
        if (i->info->flags & FLAG_EXEC_W)
            WAVE_EXEC(w) = v->mask_out & v->exec;
    }
}

static int host_round(unsigned mode)
{
    static const int table[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    return table[mode & 3];
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
    fetch_sources(&v, o);
    unsigned round = o->out == T_F32 ? w->mode & 3 : o->out == T_F64 ? w->mode >> 2 & 3 : 0;
    if (round) {
        fesetround(host_round(round));
        o->fn(&v);
        write_results(&v, o);
        fesetround(FE_TONEAREST);
        return 0;
    }
    o->fn(&v);
    write_results(&v, o);
    return 0;
}

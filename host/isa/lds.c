/* SPDX-License-Identifier: Apache-2.0
 * LDS operations of the golden model: reads, writes, atomics, swizzle and permutes.  Lanes act in ascending order;
 * of two addresses the first acts for all lanes before the second.  Address bits below the size of an access are
 * ignored; accesses beyond the work-group's allocation or (DS only) beyond M0 read 0 and write nothing.
 */
#include <string.h>

#include "isa/mem.h"
#include "valu/valu.h"

static uint64_t sign_extend(uint64_t x, unsigned bytes)
{
    return bytes == 4 ? (uint64_t)(int64_t)(int32_t)x : x;
}

static double to_double(uint64_t x, unsigned bytes)
{
    return bytes == 4 ? (double)as_f32(x) : as_f64(x);
}

/* Float atomics compare numerically: with a NaN, minimum and maximum keep the old value.  Sums keep subnormals. */
static uint64_t atomic_float(unsigned op, unsigned bytes, uint64_t old, uint64_t operand, uint64_t compare)
{
    double x = to_double(old, bytes), y = to_double(operand, bytes);
    switch (op) {
    case MEMOP_FMIN:
        return y < x ? operand : old;
    case MEMOP_FMAX:
        return y > x ? operand : old;
    case MEMOP_FCMPSWAP:
        return x == to_double(compare, bytes) ? operand : old;
    default:
        if (is_nan32(old) || is_nan32(operand))
            return (is_nan32(old) ? old : operand) | 0x400000;
        return finish32(from_f32(as_f32(old) + as_f32(operand)), true);
    }
}

uint64_t gcn3_atomic(unsigned op, unsigned bytes, uint64_t old, uint64_t operand, uint64_t compare)
{
    uint64_t mask = bytes == 4 ? UINT32_MAX : UINT64_MAX, r;
    old &= mask, operand &= mask, compare &= mask;
    int64_t so = sign_extend(old, bytes), sv = sign_extend(operand, bytes);
    switch (op) {
    case MEMOP_SWAP:
        r = operand;
        break;
    case MEMOP_CMPSWAP:
        r = old == compare ? operand : old;
        break;
    case MEMOP_ADD:
        r = old + operand;
        break;
    case MEMOP_SUB:
        r = old - operand;
        break;
    case MEMOP_RSUB:
        r = operand - old;
        break;
    case MEMOP_SMIN:
        r = sv < so ? operand : old;
        break;
    case MEMOP_UMIN:
        r = operand < old ? operand : old;
        break;
    case MEMOP_SMAX:
        r = sv > so ? operand : old;
        break;
    case MEMOP_UMAX:
        r = operand > old ? operand : old;
        break;
    case MEMOP_AND:
        r = old & operand;
        break;
    case MEMOP_OR:
        r = old | operand;
        break;
    case MEMOP_XOR:
        r = old ^ operand;
        break;
    case MEMOP_INC:
        r = old >= operand ? 0 : old + 1;
        break;
    case MEMOP_DEC:
        r = old == 0 || old > operand ? operand : old - 1;
        break;
    case MEMOP_MSKOR:
        r = (old & ~operand) | compare;
        break;
    case MEMOP_WRAP:
        r = old >= operand ? old - operand : old + compare;
        break;
    case MEMOP_CONDXCHG: /* halves with their top bit set are written, without that bit */
        r = (operand & 0x80000000 ? operand & 0x7fffffff : old & UINT32_MAX) |
            (operand >> 63 ? operand & UINT64_C(0x7fffffff00000000) : old & UINT64_C(0xffffffff00000000));
        break;
    default:
        r = atomic_float(op, bytes, old, operand, compare);
        break;
    }
    return r & mask;
}

static unsigned alignment(unsigned bytes)
{
    return bytes == 12 ? 16 : bytes;
}

void lds_miss(struct gcn3_wave *w, uint32_t address)
{
    if (w->lds_missed)
        return;
    w->lds_missed = true;
    w->lds_missed_at = address;
    w->lds_missed_of = w->lds ? w->lds_bytes : 0;
}

bool lds_read(struct gcn3_wave *w, uint32_t address, void *to, unsigned bytes)
{
    memset(to, 0, bytes);
    address &= ~(alignment(bytes) - 1);
    if (!w->lds || (uint64_t)address + bytes > w->lds_bytes) {
        lds_miss(w, address);
        return false;
    }
    memcpy(to, w->lds + address, bytes);
    return true;
}

void lds_write(struct gcn3_wave *w, uint32_t address, const void *from, unsigned bytes)
{
    address &= ~(alignment(bytes) - 1);
    if (w->lds && (uint64_t)address + bytes <= w->lds_bytes)
        memcpy(w->lds + address, from, bytes);
    else
        lds_miss(w, address);
}

/* Old value; the operand and compare values are as gcn3_atomic takes them. */
uint64_t lds_atomic(struct gcn3_wave *w, uint32_t address, unsigned op, unsigned bytes, uint64_t operand,
                    uint64_t compare)
{
    uint64_t old = 0;
    if (!lds_read(w, address, &old, bytes))
        return 0;
    uint64_t now = gcn3_atomic(op, bytes, old, operand, compare);
    lds_write(w, address, &now, bytes);
    return old;
}

/* Operands of lane l that one DS source names, up to 16 bytes. */
static void source(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned n, unsigned lane, uint32_t to[4])
{
    for (unsigned k = 0; k < i->srcw[n] && k < 4; k++)
        to[k] = w->v[i->src[n] - 256 + k][lane];
}

static uint64_t pair(const uint32_t x[4], unsigned bytes)
{
    return bytes == 8 ? x[0] | (uint64_t)x[1] << 32 : x[0];
}

static void lane_access(struct gcn3_wave *w, const struct gcn3_inst *i, unsigned l, uint32_t address, unsigned data,
                        uint32_t *out)
{
    const struct gcn3_op *o = i->info;
    uint32_t d0[4] = {0}, d1[4] = {0};
    if (o->kind == KIND_LOAD) {
        lds_read(w, address, out, o->bytes);
        if (o->is_signed)
            out[0] = o->bytes == 1 ? (uint32_t)(int8_t)out[0] : (uint32_t)(int16_t)out[0];
        return;
    }
    source(w, i, data, l, d0);
    if (o->kind == KIND_STORE) {
        lds_write(w, address, d0, o->bytes);
        return;
    }
    uint64_t operand = pair(d0, o->bytes), compare = 0;
    if (i->srcw[2] && !o->two) {
        source(w, i, 2, l, d1);
        compare = pair(d1, o->bytes);
        if (o->atomic == MEMOP_CMPSWAP || o->atomic == MEMOP_FCMPSWAP) { /* data0 is compared, data1 stored */
            uint64_t t = operand;
            operand = compare, compare = t;
        }
    }
    uint64_t old = lds_atomic(w, address, o->atomic, o->bytes, operand, compare);
    out[0] = old, out[1] = old >> 32;
}

static void lds_memory(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    const struct gcn3_op *o = i->info;
    uint32_t result[4][64], address[64], words = o->bytes == 12 ? 3 : (o->bytes + 3) / 4;
    uint64_t exec = WAVE_EXEC(w);
    uint32_t all = w->lds_bytes;
    memcpy(address, w->v[i->src[0] - 256], sizeof address);
    w->lds_bytes = WAVE_M0(w) < all ? WAVE_M0(w) : all; /* M0 limits DS instructions */
    for (unsigned n = 0; n < 1u + o->two; n++) {
        uint32_t offset = !o->two ? i->offset : (i->offset >> 8 * n & 255) * o->bytes * (o->st64 ? 64 : 1);
        for (uint64_t m = exec; m; m &= m - 1) {
            unsigned l = __builtin_ctzll(m);
            uint32_t out[4] = {0};
            lane_access(w, i, l, address[l] + offset, 1 + n, out);
            for (unsigned k = 0; k < words; k++)
                result[n * words + k][l] = out[k];
        }
    }
    w->lds_bytes = all;
    for (unsigned k = 0; k < i->vdst_w; k++)
        for (uint64_t m = exec; m; m &= m - 1)
            w->v[i->vdst + k][__builtin_ctzll(m)] = result[k][__builtin_ctzll(m)];
}

static unsigned swizzle_source(unsigned control, unsigned l)
{
    if (control & 0x8000)
        return (l & ~3u) | (control >> (l & 3) * 2 & 3);
    return (l & 32) | ((((l & 31) & control) | (control >> 5 & 31)) ^ (control >> 10 & 31));
}

static void lds_lanes(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint64_t exec = WAVE_EXEC(w);
    uint32_t result[64] = {0};
    const uint32_t *a = w->v[i->src[0] - 256], *d = i->srcw[1] ? w->v[i->src[1] - 256] : a;
    for (unsigned l = 0; l < 64; l++) {
        unsigned other = i->info->kind == KIND_SWIZZLE ? swizzle_source(i->offset, l) : (a[l] + i->offset) >> 2 & 63;
        if (i->info->kind == KIND_PERMUTE) {
            if (exec >> l & 1)
                result[other] = d[l];
        } else if (exec >> other & 1) {
            result[l] = d[other];
        }
    }
    for (unsigned l = 0; l < 64; l++)
        if (exec >> l & 1)
            w->v[i->vdst][l] = result[l];
}

void lds_execute(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    switch (i->info->kind) {
    case KIND_LOAD:
    case KIND_STORE:
    case KIND_ATOMIC:
        lds_memory(w, i);
        break;
    case KIND_SWIZZLE:
    case KIND_PERMUTE:
    case KIND_BPERMUTE:
        lds_lanes(w, i);
        break;
    }
}

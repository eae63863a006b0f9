/* SPDX-License-Identifier: Apache-2.0
 * Memory instructions of the golden model: address calculation of FLAT, MUBUF and SMEM, the flat apertures, scratch
 * swizzle, register write-back.  The bytes themselves come from the callbacks of struct gcn3_env.
 */
#include <string.h>

#include "gantry_msg.h"
#include "isa/mem.h"

/* One instruction under way: an access, and the register words that its data stand for. */
struct transfer {
    struct gcn3_wave *w;
    const struct gcn3_env *env;
    const struct gcn3_inst *i;
    struct gcn3_access a;
    uint32_t result[4][64];
};

#define ADDRESS UINT64_C(0xfffffffffffc) /* of scalar memory: a dword in 48 bits */

static unsigned words_of(unsigned bytes)
{
    return bytes < 4 ? 1 : bytes / 4;
}

/* Run the access for register words [first, first + words) of every lane in mask. */
static int run_access(struct transfer *t, uint64_t mask, unsigned first, unsigned bytes)
{
    const struct gcn3_op *o = t->i->info;
    unsigned words = words_of(bytes), store_words = o->kind == KIND_ATOMIC ? t->i->srcw[1] : words;
    if (!mask)
        return 0;
    t->a.inst = t->i;
    t->a.mask = mask;
    t->a.bytes = bytes;
    t->a.first = first;
    t->a.atomic_op = o->atomic;
    if (o->kind != KIND_LOAD && !t->i->lds)
        for (unsigned k = 0; k < store_words; k++)
            memcpy(t->a.data[k], t->w->v[t->i->src[1] - 256 + first + k], sizeof t->a.data[k]);
    int fault = o->kind == KIND_LOAD    ? t->env->load(t->env->ctx, t->w, &t->a)
                : o->kind == KIND_STORE ? t->env->store(t->env->ctx, t->w, &t->a)
                                        : t->env->atomic(t->env->ctx, t->w, &t->a);
    if (fault) {
        t->w->fault_va = t->a.fault_va;
        return fault;
    }
    if (t->i->vdst_w || t->i->lds)
        for (unsigned k = 0; k < words; k++)
            for (uint64_t m = mask; m; m &= m - 1)
                t->result[first + k][__builtin_ctzll(m)] = t->a.data[k][__builtin_ctzll(m)];
    return 0;
}

static uint32_t extend(const struct gcn3_op *o, uint32_t x)
{
    return !o->is_signed ? x : o->bytes == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
}

static void write_back(struct transfer *t, uint64_t mask)
{
    const struct gcn3_op *o = t->i->info;
    for (unsigned k = 0; k < t->i->vdst_w; k++)
        for (uint64_t m = mask; m; m &= m - 1) {
            unsigned l = __builtin_ctzll(m);
            t->w->v[t->i->vdst + k][l] = extend(o, t->result[k][l]);
        }
}

/* Lanes of a flat access whose address lies in the LDS aperture, in ascending order. */
static void flat_lds(struct transfer *t, uint64_t mask, const uint64_t va[64])
{
    const struct gcn3_op *o = t->i->info;
    for (uint64_t m = mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m), data = t->i->src[1] - 256;
        uint32_t x[4] = {0}, address = va[l];
        if (o->kind == KIND_LOAD) {
            lds_read(t->w, address, x, o->bytes);
        } else {
            for (unsigned k = 0; k < t->i->srcw[1]; k++)
                x[k] = t->w->v[data + k][l];
            if (o->kind == KIND_STORE) {
                lds_write(t->w, address, x, o->bytes);
            } else {
                uint64_t operand = o->bytes == 8 ? x[0] | (uint64_t)x[1] << 32 : x[0];
                uint64_t compare = o->bytes == 8 ? x[2] | (uint64_t)x[3] << 32 : x[1];
                uint64_t old = lds_atomic(t->w, address, o->atomic, o->bytes, operand, compare);
                x[0] = old, x[1] = old >> 32;
            }
        }
        for (unsigned k = 0; k < 4; k++)
            t->result[k][l] = x[k];
    }
}

/* Scratch through the flat aperture: words of a lane are 256 bytes apart. */
static int flat_scratch(struct transfer *t, uint64_t mask, const uint64_t va[64])
{
    uint32_t size = t->w->s[SREG_FLAT_SCRATCH];
    uint64_t base = t->w->scratch_base + ((uint64_t)t->w->s[SREG_FLAT_SCRATCH + 1] << 8);
    unsigned bytes = t->i->info->bytes, step = bytes < 4 ? bytes : 4;
    if (mask && t->i->info->kind == KIND_ATOMIC) {
        t->w->fault_va = va[__builtin_ctzll(mask)];
        return FAULT_APERTURE;
    }
    for (unsigned k = 0; k < words_of(bytes); k++) {
        for (uint64_t m = mask; m; m &= m - 1) {
            unsigned l = __builtin_ctzll(m);
            uint32_t offset = (uint32_t)va[l] + 4 * k;
            if (offset >= size) {
                t->w->fault_va = va[l];
                return FAULT_APERTURE;
            }
            t->a.va[l] = base + (uint64_t)(offset / 4) * 256 + l * 4 + offset % 4;
        }
        t->a.scratch = true;
        int fault = run_access(t, mask, k, step);
        if (fault)
            return fault;
    }
    return 0;
}

static int flat_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    struct transfer t;
    uint64_t va[64], exec = WAVE_EXEC(w), in_lds = 0, in_scratch = 0;
    const uint32_t *low = w->v[i->src[0] - 256], *high = w->v[i->src[0] - 255];
    t.w = w, t.env = env, t.i = i;
    for (unsigned l = 0; l < 64; l++) {
        va[l] = low[l] | (uint64_t)high[l] << 32;
        in_lds |= (uint64_t)(high[l] == w->shared_hi && w->shared_hi) << l;
        in_scratch |= (uint64_t)(high[l] == w->private_hi && w->private_hi) << l;
    }
    in_lds &= exec, in_scratch &= exec;
    memcpy(t.a.va, va, sizeof va);
    t.a.scratch = false;
    int fault = run_access(&t, exec & ~in_lds & ~in_scratch, 0, i->info->bytes);
    if (!fault && in_scratch)
        fault = flat_scratch(&t, in_scratch, va);
    if (fault)
        return fault;
    flat_lds(&t, in_lds, va);
    write_back(&t, exec);
    return 0;
}

/* Buffer resource of GCN3. */
struct buffer {
    uint64_t base;
    uint32_t stride, records, element, index_stride;
    bool swizzle, add_lane;
};

static struct buffer take_resource(const struct gcn3_wave *w, unsigned sgpr)
{
    const uint32_t *r = &w->s[sgpr];
    struct buffer b = {
        .base = (r[0] | (uint64_t)r[1] << 32) & ((UINT64_C(1) << 48) - 1),
        .stride = r[1] >> 16 & 0x3fff,
        .records = r[2],
        .element = 2u << (r[3] >> 19 & 3),
        .index_stride = 8u << (r[3] >> 21 & 3),
        .swizzle = r[1] >> 31,
        .add_lane = r[3] >> 23 & 1,
    };
    return b;
}

/* Address of a byte offset of a lane; false when out of range. */
static bool buffer_address(const struct buffer *b, uint32_t index, uint32_t offset, uint32_t soffset, unsigned bytes,
                           uint64_t *va)
{
    uint64_t linear = (uint64_t)index * b->stride + offset;
    if (b->stride && b->swizzle ? index >= b->records : (b->swizzle ? offset : linear) + bytes + soffset > b->records)
        return false;
    if (!b->swizzle) {
        *va = b->base + soffset + linear;
        return true;
    }
    uint64_t major = (uint64_t)(index / b->index_stride) * b->stride + (uint64_t)(offset / b->element) * b->element;
    *va = b->base + soffset + major * b->index_stride + (index % b->index_stride) * b->element + offset % b->element;
    return true;
}

static void begin_buffer(struct transfer *t, struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    t->w = w, t->env = env, t->i = i;
    memset(t->result, 0, sizeof t->result);
}

/* All accesses of these lanes. */
static int buffer_access(struct transfer *t, uint64_t lanes)
{
    struct gcn3_wave *w = t->w;
    const struct gcn3_inst *i = t->i;
    struct buffer b = take_resource(w, i->srsrc);
    uint32_t soffset = scalar_read32(w, i, i->src[2], false);
    /* words of a swizzled element lie apart, but not what an atomic changes */
    unsigned bytes = i->info->bytes, step = b.swizzle && bytes > 4 && i->info->kind != KIND_ATOMIC ? 4 : bytes;
    const uint32_t *first = i->srcw[0] ? w->v[i->src[0] - 256] : NULL;
    const uint32_t *second = i->srcw[0] > 1 ? w->v[i->src[0] - 255] : first;
    t->a.scratch = b.swizzle && b.add_lane;
    for (unsigned k = 0; k < bytes; k += step) {
        uint64_t mask = 0;
        for (uint64_t m = lanes; m; m &= m - 1) {
            unsigned l = __builtin_ctzll(m);
            uint32_t offset = (i->offen ? second[l] : 0) + i->offset + k;
            uint32_t index = (i->idxen ? first[l] : 0) + (b.add_lane ? l : 0);
            if (buffer_address(&b, index, offset, soffset, step, &t->a.va[l]))
                mask |= UINT64_C(1) << l;
        }
        int fault = run_access(t, mask, k / 4, step);
        if (fault)
            return fault;
    }
    return 0;
}

uint32_t buffer_lds_address(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned lane)
{
    return (((WAVE_M0(w) & 0xffff) + i->offset) & ~3u) + 4 * lane;
}

uint64_t buffer_lds_lanes(const struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint32_t at = buffer_lds_address(w, i, 0), room = w->lds_bytes > at ? (w->lds_bytes - at) / 4 : 0;
    return WAVE_EXEC(w) & (room < 64 ? (UINT64_C(1) << room) - 1 : UINT64_MAX);
}

void buffer_lds_missed(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint64_t out = WAVE_EXEC(w) & ~buffer_lds_lanes(w, i);
    if (out)
        lds_miss(w, buffer_lds_address(w, i, __builtin_ctzll(out)));
}

int buffer_lds_move(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i, uint32_t data[64])
{
    struct transfer t;
    uint64_t lanes = buffer_lds_lanes(w, i);
    begin_buffer(&t, w, env, i);
    memcpy(t.a.data[0], data, sizeof t.a.data[0]);
    int fault = buffer_access(&t, lanes);
    for (uint64_t m = i->info->kind == KIND_LOAD ? lanes : 0; m; m &= m - 1)
        data[__builtin_ctzll(m)] = extend(i->info, t.result[0][__builtin_ctzll(m)]);
    return fault;
}

/* Between memory and the LDS.  Nothing is written there when a lane faults. */
static int buffer_lds(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    uint32_t data[64] = {0};
    uint64_t lanes = buffer_lds_lanes(w, i);
    bool load = i->info->kind == KIND_LOAD;
    buffer_lds_missed(w, i);
    for (uint64_t m = load ? 0 : lanes; m; m &= m - 1)
        lds_read(w, buffer_lds_address(w, i, __builtin_ctzll(m)), &data[__builtin_ctzll(m)], 4);
    int fault = buffer_lds_move(w, env, i, data);
    for (uint64_t m = load && !fault ? lanes : 0; m; m &= m - 1)
        lds_write(w, buffer_lds_address(w, i, __builtin_ctzll(m)), &data[__builtin_ctzll(m)], 4);
    return fault;
}

static int buffer_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    if (i->info->kind == KIND_INV)
        return 0;
    if (i->lds)
        return buffer_lds(w, env, i);
    struct transfer t;
    begin_buffer(&t, w, env, i);
    int fault = buffer_access(&t, WAVE_EXEC(w));
    if (!fault)
        write_back(&t, WAVE_EXEC(w));
    return fault;
}

int mem_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    return i->unit == UNIT_FLAT ? flat_execute(w, env, i) : buffer_execute(w, env, i);
}

/* Dwords of a scalar access that lie in the buffer: from the first one on; *va is where it lies. */
static unsigned buffer_dwords(struct gcn3_wave *w, const struct gcn3_inst *i, uint32_t offset, unsigned dwords,
                              uint64_t *va)
{
    struct buffer b = take_resource(w, i->src[0]);
    uint64_t limit = b.stride ? (uint64_t)b.stride * b.records : b.records, from = offset & ~UINT32_C(3);
    uint64_t room = limit > from ? (limit - from) / 4 : 0;
    *va = b.base + offset;
    return room < dwords ? room : dwords;
}

/* Loads give 0 beyond the buffer, stores write nothing there. */
int smem_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    uint32_t data[16] = {0};
    int fault = 0;
    if (i->op == OP_S_MEMTIME || i->op == OP_S_MEMREALTIME) {
        scalar_write64(w, i->sdst, env->time(env->ctx, w));
        return 0;
    }
    if (i->info->kind == KIND_NONE)
        return 0;
    uint32_t offset = i->smem_imm ? i->ext & 0xfffff : scalar_read32(w, i, i->src[1], false);
    uint64_t va = scalar_read64(w, i, i->src[0]) + offset;
    bool store = i->info->kind == KIND_STORE;
    unsigned words = store ? i->srcw[2] : i->sdst_w, dwords = words;
    if (i->srcw[0] == 4)
        dwords = buffer_dwords(w, i, offset, words, &va);
    va &= ADDRESS;
    for (unsigned k = 0; store && k < words; k++)
        data[k] = w->s[i->src[2] + k];
    if (dwords)
        fault =
            store ? env->scalar_store(env->ctx, w, va, data, dwords) : env->scalar_load(env->ctx, w, va, data, dwords);
    for (unsigned k = 0; !fault && k < i->sdst_w; k++)
        scalar_write32(w, i->sdst + k, data[k]);
    return fault;
}

/* SPDX-License-Identifier: Apache-2.0
 * What lock step sees of a compute unit: takes the records of the observation ports apart and gives each to the
 * instruction that it belongs to.
 */
#include <string.h>

#include "base/xalloc.h"
#include "lockstep/lockstep_private.h"

/* Some come for each instruction, so those that are done with wait in ls->spare. */
static struct ls_write *write_take(struct lockstep *ls)
{
    struct ls_write *x = ls->spare;
    if (!x)
        return xcalloc(1, sizeof *x);
    ls->spare = x->link;
    x->link = NULL;
    x->vector = x->scc_valid = x->scc = false;
    x->row = x->count = 0;
    x->lanes = 0;
    return x;
}

/* Which instructions an observation may belong to. */
enum ls_kind { LS_ANY, LS_VMEM, LS_NOT_VMEM };

/* Oldest instruction with this tag that observations of now may belong to.  Tags are numbers modulo 256, and behind a
 * store that takes long more instructions wait for their comparison: those whose observations have all come are passed
 * over, and of vector memory instructions those that do not write `row` (physical VGPR; -1: none). */
static struct ls_entry *entry_find(struct ls_wave *w, unsigned tag, uint64_t now, enum ls_kind kind, int row)
{
    for (size_t n = 0; n < w->count; n++) {
        struct ls_entry *e = ls_entry_at(w, n);
        if (e->tag != tag || ls_entry_ready(e, now, false) || (kind != LS_ANY && ls_is_vmem(e) != (kind == LS_VMEM)))
            continue;
        unsigned first = w->vgpr_base + e->vdst;
        if (row < 0 || !ls_is_vmem(e) || ((unsigned)row >= first && (unsigned)row < first + e->vdst_w))
            return e;
    }
    return NULL;
}

/* Requests carry {tag[15:8], 2 zeros, wave[5:0]} in `user`. */
void lockstep_mem_req(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_mem_req *sent)
{
    if (ls->failed || (sent->op != MEM_WRITE && sent->op != MEM_ATOMIC))
        return;
    struct msg_mem_req known = *sent, *req = &known;
    known.addr = ls_page(ls, sent->addr);
    struct ls_wave *w = &ls_find_cu(ls, gpu, cu)->wave[req->user & 63];
    struct ls_entry *e = w->active ? entry_find(w, req->user >> 8 & 255, cycle, LS_VMEM, -1) : NULL;
    ls_remember(ls, cycle, req);
    if (!e)
        return; /* of a killed or faulted wavefront */
    struct ls_request *r = xcalloc(1, sizeof *r), **end = &e->requests;
    r->req = *req;
    r->own = sent->addr >> 48 == gpu + 1u;
    while (*end)
        end = &(*end)->link;
    *end = r;
}

/* Bits [low, low + count) of a packed struct, count <= 64. */
static inline uint64_t field(const uint8_t *data, unsigned low, unsigned count)
{
    unsigned first = low / 8, skip = low % 8;
    uint64_t x = data[first] >> skip;
    for (unsigned n = 1; 8 * n < count + skip; n++)
        x |= (uint64_t)data[first + n] << (8 * n - skip);
    return count < 64 ? x & ((UINT64_C(1) << count) - 1) : x;
}

static void see_inst(struct ls_cu *cu, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 136, 6)];
    if (!w->active)
        return;
    struct ls_entry *e = ls_entry_add(w);
    memcpy(&e->inst, data, 8);
    memcpy(&e->pc, data + 8, 8);
    e->tag = data[16];
    e->issued = cycle;
    const struct gcn3_inst *d = ls_decode(cu->ls, e->inst);
    e->unit = d->unit;
    e->vdst = d->vdst;
    e->vdst_w = d->vdst_w;
    e->lds = d->lds;
    w->observed++;
    cu->ls->observed++;
}

static struct ls_write *add_write(struct lockstep *ls, struct ls_entry *e)
{
    struct ls_write *x = write_take(ls);
    *(e->writes ? &e->last_write->link : &e->writes) = x;
    e->last_write = x;
    return x;
}

/* A row comes in four beats or in parts of beats; lanes that are written again begin another record. */
static struct ls_write *vector_write(struct lockstep *ls, struct ls_entry *e, unsigned row, uint64_t lanes)
{
    struct ls_write *last = NULL;
    for (struct ls_write *x = e->writes; x; x = x->link)
        last = x->vector && x->row == row ? x : last;
    if (last && !(last->lanes & lanes)) {
        last->lanes |= lanes;
        return last;
    }
    struct ls_write *x = add_write(ls, e);
    x->vector = true;
    x->row = row;
    x->lanes = lanes;
    return x;
}

static void see_sgpr(struct ls_cu *cu, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 535, 6)];
    struct ls_entry *e = w->active ? entry_find(w, field(data, 527, 8), cycle, LS_NOT_VMEM, -1) : NULL;
    if (!e) {
        if (w->active && !w->faulted)
            ls_report(w, NULL, cycle, "scalar register write of no instruction under way");
        return;
    }
    struct ls_write *x = add_write(cu->ls, e);
    x->row = field(data, 519, 8);
    x->count = field(data, 514, 5);
    x->scc_valid = field(data, 513, 1);
    x->scc = field(data, 512, 1);
    memcpy(x->data, data, 64);
}

static void see_vgpr(struct ls_cu *cu, unsigned simd, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[(simd & 3) << 4 | field(data, 546, 4)];
    if (!w->active)
        return;
    if (w->observed == 0)
        return;                                /* item ids of a wavefront that starts */
    const unsigned row = field(data, 528, 10); /* {physical VGPR, beat} */
    struct ls_entry *e = entry_find(w, field(data, 538, 8), cycle, LS_ANY, row >> 2);
    if (!e) {
        if (!w->faulted)
            ls_report(w, NULL, cycle, "vector register write of no instruction under way");
        return;
    }
    const uint64_t lanes = field(data, 512, 16);
    struct ls_write *x = vector_write(cu->ls, e, row >> 2, lanes << 16 * (row & 3));
    uint32_t *beat = &x->data[16 * (row & 3)];
    if (lanes == 0xffff) {
        memcpy(beat, data, 64);
        return;
    }
    for (unsigned l = 0; l < 16; l++) /* the others may be there already */
        if (lanes >> l & 1)
            memcpy(&beat[l], data + 4 * l, 4);
}

/* Whether an instruction's end is reported by this port: SIMD 0 to 3, LDS by pair, vector memory, scalar memory. */
static bool ends_at(const struct ls_entry *e, unsigned port)
{
    return port < 4    ? e->unit == UNIT_VALU
           : port < 6  ? e->unit == UNIT_LDS
           : port == 6 ? ls_is_vmem(e)
                       : e->unit == UNIT_SMEM;
}

static void see_tag(struct ls_cu *cu, bool lds, unsigned port, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 8, 6)];
    unsigned tag = data[0];
    for (size_t n = 0; w->active && n < w->count; n++) {
        struct ls_entry *e = ls_entry_at(w, n);
        if (e->tag != tag || (lds ? e->unit != UNIT_LDS || e->lds_ordered : e->done || !ends_at(e, port)))
            continue;
        if (lds) {
            e->lds_ordered = true;
            e->lds_turn = cu->lds_seen++;
        } else {
            e->done = true;
            e->done_at = cycle;
        }
        return;
    }
    if (lds && !w->active)
        return;
    if (w->active && !w->faulted)
        ls_report(w, NULL, cycle, lds ? "LDS order of no instruction under way" : "end of no instruction under way");
}

/* A part of a vector memory instruction takes its turn in the LDS. */
static void see_part(struct ls_cu *cu, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 8, 6)];
    struct ls_entry *e = w->active ? entry_find(w, data[0], cycle, LS_VMEM, -1) : NULL;
    if (!e || (e->unit != UNIT_FLAT && !e->lds)) {
        if (w->active && !w->faulted)
            ls_report(w, e, cycle, "LDS access of no vector memory instruction under way that makes one");
        return;
    }
    struct ls_part *p = xcalloc(1, sizeof *p), **end = &e->parts;
    p->turn = cu->lds_seen++;
    p->lanes = field(data, 14, 64);
    p->word = field(data, 80, 1) ? field(data, 78, 2) : LS_WHOLE;
    while (*end)
        end = &(*end)->link;
    *end = p;
}

/* 16 lanes of a buffer instruction between memory and the LDS. */
static void see_row(struct ls_cu *cu, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 538, 6)];
    struct ls_entry *e = w->active ? entry_find(w, field(data, 530, 8), cycle, LS_VMEM, -1) : NULL;
    if (!e || !e->lds) {
        if (w->active && !w->faulted)
            ls_report(w, e, cycle, "dwords for the LDS or from there of no instruction under way that moves some");
        return;
    }
    struct ls_write *x = write_take(cu->ls);
    const unsigned first = 16 * field(data, 528, 2);
    x->lanes = field(data, 512, 16) << first;
    memcpy(&x->data[first], data, 64);
    x->link = e->rows;
    e->rows = x;
}

void lockstep_observe(struct lockstep *ls, unsigned gpu, unsigned cu, enum lockstep_port port, unsigned lane,
                      uint64_t cycle, const void *data)
{
    struct ls_cu *c = ls_find_cu(ls, gpu, cu);
    if (c->endings)
        ls_end_waves(c, cycle);
    if (ls->failed)
        return;
    switch (port) {
    case LOCKSTEP_INST:
        see_inst(c, cycle, data);
        ls_drain(&c->wave[field(data, 136, 6)], cycle, false);
        break;
    case LOCKSTEP_SGPR:
        see_sgpr(c, cycle, data);
        break;
    case LOCKSTEP_VGPR:
        see_vgpr(c, lane, cycle, data);
        break;
    case LOCKSTEP_DONE:
        see_tag(c, false, lane, cycle, data);
        break;
    case LOCKSTEP_LDS:
        if (field(data, 14, 64))
            see_part(c, cycle, data);
        else
            see_tag(c, true, 0, cycle, data);
        break;
    case LOCKSTEP_ROW:
        see_row(c, cycle, data);
        break;
    }
}

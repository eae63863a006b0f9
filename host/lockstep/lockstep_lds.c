/* SPDX-License-Identifier: Apache-2.0
 * LDS side of lock step: contents of a CU's LDS, changed by the golden model in the order in which the RTL executed LDS
 * instructions and parts of vector memory ones, whatever the order in which wavefronts are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "isa/mem.h"
#include "isa/salu.h"
#include "lockstep/lockstep_private.h"

static void report(struct ls_cu *cu, const struct ls_lds *op, unsigned reg, unsigned lane, uint32_t golden)
{
    char text[200];
    struct ls_entry e = {.pc = op->pc, .inst = op->raw};
    snprintf(text, sizeof text, "LDS result %u lane %u: rtl %08x golden %08x (address %08x)", reg, lane,
             op->rtl[reg][lane], golden, op->row[0][lane]);
    ls_report(&cu->wave[op->wave], &e, 0, text);
}

/* One lane of a part of a vector memory instruction; true when its result is what the RTL has. */
static bool apply_lane(struct ls_cu *cu, struct ls_lds *op, unsigned l)
{
    const struct gcn3_op *o = op->inst.info;
    unsigned first = op->word == LS_WHOLE ? 0 : op->word, words = op->word == LS_WHOLE ? (o->bytes + 3u) / 4 : 1;
    uint32_t address = op->row[0][l], whole[4] = {0};
    if (o->kind == KIND_ATOMIC) {
        uint64_t operand = op->row[1][l], compare = op->row[2][l];
        if (o->bytes == 8)
            operand |= (uint64_t)op->row[2][l] << 32, compare = op->row[3][l] | (uint64_t)op->row[4][l] << 32;
        uint64_t old = lds_atomic(&op->state, address, o->atomic, o->bytes, operand, compare);
        whole[0] = old, whole[1] = old >> 32;
    } else {
        lds_read(&op->state, address, whole, o->bytes);
    }
    if (o->kind == KIND_STORE) {
        for (unsigned k = first; k < first + words; k++)
            whole[k] = op->row[1 + k][l];
        lds_write(&op->state, address, whole, o->bytes);
    }
    if (o->kind == KIND_LOAD && o->is_signed)
        whole[0] = o->bytes == 1 ? (uint32_t)(int8_t)whole[0] : (uint32_t)(int16_t)whole[0];
    for (unsigned k = first; k < first + words && k < op->inst.vdst_w; k++)
        if (whole[k] != op->rtl[k][l]) {
            report(cu, op, k, l, whole[k]);
            return false;
        }
    return true;
}

static void apply(struct ls_cu *cu, struct ls_lds *op)
{
    op->state.v = op->row;
    if (op->lanes) {
        for (uint64_t m = op->lanes; m && apply_lane(cu, op, __builtin_ctzll(m)); m &= m - 1)
            ;
        return;
    }
    lds_execute(&op->state, &op->inst);
    for (unsigned k = 0; k < op->inst.vdst_w && !cu->ls->failed; k++)
        for (unsigned l = 0; l < 64; l++)
            if (op->row[9 + k][l] != op->rtl[k][l]) {
                report(cu, op, k, l, op->row[9 + k][l]);
                return;
            }
}

/* Some kilobytes each, and one for most LDS instructions: those that are done with wait in ls->spare_lds.  Rows hold
 * anything. */
static struct ls_lds *lds_take(struct lockstep *ls)
{
    struct ls_lds *op = ls->spare_lds;
    if (!op)
        return xcalloc(1, sizeof *op);
    ls->spare_lds = op->link;
    op->link = NULL;
    op->skip = false;
    op->turn = op->lanes = 0;
    op->word = 0;
    return op;
}

static void lds_give(struct lockstep *ls, struct ls_lds *op)
{
    op->link = ls->spare_lds;
    ls->spare_lds = op;
}

void ls_lds_free(struct lockstep *ls)
{
    while (ls->spare_lds) {
        struct ls_lds *next = ls->spare_lds->link;
        free(ls->spare_lds);
        ls->spare_lds = next;
    }
}

static void lds_wait(struct ls_cu *cu, struct ls_lds *op)
{
    struct ls_lds **list = &cu->lds_waiting[op->turn % LS_TURNS];
    op->link = *list;
    *list = op;
}

/* The one whose turn it is, taken out; NULL when it has not come. */
static struct ls_lds *lds_next(struct ls_cu *cu)
{
    for (struct ls_lds **at = &cu->lds_waiting[cu->lds_next % LS_TURNS]; *at; at = &(*at)->link) {
        struct ls_lds *op = *at;
        if (op->turn == cu->lds_next) {
            *at = op->link;
            return op;
        }
    }
    return NULL;
}

static void run_turns(struct ls_cu *cu)
{
    for (struct ls_lds *op; (op = lds_next(cu)); cu->lds_next++) {
        if (!op->skip && !cu->ls->failed)
            apply(cu, op);
        if (!op->skip && op->state.lds_missed)
            outside_warn(&cu->ls->outside, &op->state, cu->gpu, cu->index, op->wave, op->pc, op->raw);
        lds_give(cu->ls, op);
    }
}

void ls_lds_skip(struct ls_cu *cu, uint64_t turn)
{
    struct ls_lds *op = lds_take(cu->ls);
    op->turn = turn;
    op->skip = true;
    lds_wait(cu, op);
    run_turns(cu);
}

/* Before them may stand instructions that nobody will see complete, so there is nothing to compare them with. */
void ls_lds_kill(struct ls_cu *cu, unsigned vmid)
{
    for (unsigned n = 0; n < LS_TURNS; n++)
        for (struct ls_lds *op = cu->lds_waiting[n]; op; op = op->link)
            op->skip |= op->state.vmid == vmid;
}

void ls_lds_clear(struct ls_cu *cu)
{
    for (unsigned n = 0; n < LS_TURNS; n++)
        while (cu->lds_waiting[n]) {
            struct ls_lds *next = cu->lds_waiting[n]->link;
            free(cu->lds_waiting[n]);
            cu->lds_waiting[n] = next;
        }
}

/* Copy the registers of source n to rows from `to` on, and make the instruction name those. */
static void take_source(struct ls_lds *op, const struct gcn3_wave *w, unsigned n, unsigned to)
{
    for (unsigned k = 0; k < op->inst.srcw[n] && k < 4; k++)
        memcpy(op->row[to + k], w->v[op->inst.src[n] - 256 + k], sizeof op->row[0]);
    op->inst.src[n] = 256 + to;
}

static struct ls_lds *lds_new(const struct ls_check *c, const struct gcn3_inst *inst, uint32_t rtl[4][64])
{
    struct ls_lds *op = lds_take(c->cu->ls);
    op->pc = c->entry->pc;
    op->raw = c->entry->inst;
    op->wave = c->wave - c->cu->wave;
    op->inst = *inst;
    op->state = c->wave->state;
    op->state.lds_missed = false;
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        memcpy(op->rtl[k], rtl[k], sizeof op->rtl[k]);
    return op;
}

/* Lanes whose element lies in the allocation. */
static uint64_t lanes_inside(struct gcn3_wave *w, const struct gcn3_inst *inst, uint64_t lanes)
{
    uint64_t good = 0;
    uint32_t unused[4];
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        good |= (uint64_t)lds_read(w, w->v[inst->src[0] - 256][l], unused, inst->info->bytes) << l;
    }
    return good;
}

/* Lanes of a vector memory instruction that lie outside are no part that takes a turn. */
static void missed(struct ls_check *c)
{
    struct gcn3_wave *w = &c->wave->state;
    if (w->lds_missed)
        outside_warn(&c->cu->ls->outside, w, c->cu->gpu, c->cu->index, c->wave - c->cu->wave, c->entry->pc,
                     c->entry->inst);
}

/* Every word of every lane must be covered by one part. */
static void compare_parts(struct ls_check *c, const struct gcn3_inst *inst, uint64_t lanes)
{
    unsigned words = (inst->info->bytes + 3u) / 4;
    uint64_t covered[4] = {0}, twice = 0;
    for (const struct ls_part *p = c->entry->parts; p; p = p->link)
        for (unsigned k = 0; k < words; k++)
            if (p->word == k || p->word == LS_WHOLE || words == 1) {
                twice |= covered[k] & p->lanes;
                covered[k] |= p->lanes;
            }
    for (unsigned k = 0; k < words && !c->text[0]; k++)
        if (covered[k] != lanes || twice)
            snprintf(c->text, sizeof c->text,
                     "LDS accesses of word %u: rtl lanes %016lx golden %016lx, more than once %016lx", k,
                     (unsigned long)covered[k], (unsigned long)lanes, (unsigned long)twice);
}

void ls_flat_check(struct ls_check *c, const struct gcn3_inst *inst, uint64_t lanes, uint32_t rtl[4][64])
{
    struct gcn3_wave *w = &c->wave->state;
    uint64_t good = lanes_inside(w, inst, lanes);
    missed(c);
    compare_parts(c, inst, good);
    for (const struct ls_part *p = c->entry->parts; p && !c->text[0]; p = p->link) {
        struct ls_lds *op = lds_new(c, inst, rtl);
        op->turn = p->turn;
        op->lanes = p->lanes;
        op->word = p->word;
        memcpy(op->row[0], w->v[inst->src[0] - 256], sizeof op->row[0]);
        for (unsigned k = 0; k < inst->srcw[1] && k < 4; k++)
            memcpy(op->row[1 + k], w->v[inst->src[1] - 256 + k], sizeof op->row[0]);
        lds_wait(c->cu, op);
    }
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        for (uint64_t m = lanes; m; m &= m - 1) {
            unsigned l = __builtin_ctzll(m);
            w->v[inst->vdst + k][l] = good >> l & 1 ? rtl[k][l] : 0;
        }
    run_turns(c->cu);
}

void ls_buffer_check(struct ls_check *c, const struct gcn3_inst *inst, uint64_t lanes, const uint32_t data[64])
{
    static const struct gcn3_op write = {.kind = KIND_STORE, .bytes = 4}, read = {.kind = KIND_LOAD, .bytes = 4};
    const bool load = inst->info->kind == KIND_LOAD;
    struct gcn3_inst as = *inst; /* what it does in the LDS, with its only row as result where it reads */
    uint32_t rtl[4][64];
    as.info = load ? &write : &read;
    as.vdst_w = load ? 0 : 1;
    memcpy(rtl[0], data, sizeof rtl[0]);
    buffer_lds_missed(&c->wave->state, inst);
    missed(c);
    compare_parts(c, &as, lanes);
    for (const struct ls_part *p = c->entry->parts; p && !c->text[0]; p = p->link) {
        struct ls_lds *op = lds_new(c, &as, rtl);
        op->turn = p->turn;
        op->lanes = p->lanes;
        op->word = LS_WHOLE;
        memcpy(op->row[1], data, sizeof op->row[1]);
        for (unsigned l = 0; l < 64; l++)
            op->row[0][l] = buffer_lds_address(&op->state, inst, l);
        lds_wait(c->cu, op);
    }
    run_turns(c->cu);
}

void ls_lds_check(struct ls_check *c, const struct gcn3_inst *inst, uint32_t rtl[4][64])
{
    struct ls_lds *op = lds_new(c, inst, rtl);
    const struct gcn3_wave *w = &c->wave->state;
    op->turn = c->entry->lds_turn;
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        memcpy(op->row[9 + k], w->v[inst->vdst + k], sizeof op->row[0]);
    take_source(op, w, 0, 0);
    take_source(op, w, 1, 1);
    take_source(op, w, 2, 5);
    op->inst.vdst = 9;
    if (!c->entry->lds_ordered) { /* only an instruction without lanes needs no turn */
        apply(c->cu, op);
        lds_give(c->cu->ls, op);
        return;
    }
    lds_wait(c->cu, op);
    run_turns(c->cu);
}

/* SPDX-License-Identifier: Apache-2.0
 * LDS side of lock step: contents of a CU's LDS, changed by the golden model in the order in which the RTL executed LDS
 * instructions, whatever the order in which wavefronts are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gcn3/lockstep_private.h"
#include "gcn3/salu.h"

static void report(struct ls_cu *cu, const struct ls_lds *op, unsigned reg, unsigned lane, uint32_t golden)
{
    char text[200];
    struct ls_entry e = { .pc = op->pc, .inst = op->raw };
    snprintf(text, sizeof text, "LDS result %u lane %u: rtl %08x golden %08x (address %08x)", reg, lane,
             op->rtl[reg][lane], golden, op->row[0][lane]);
    ls_report(&cu->wave[op->wave], &e, 0, text);
}

static void apply(struct ls_cu *cu, struct ls_lds *op)
{
    op->state.v = op->row;
    lds_execute(&op->state, &op->inst);
    for (unsigned k = 0; k < op->inst.vdst_w && !cu->ls->failed; k++)
        for (unsigned l = 0; l < 64; l++)
            if (op->row[9 + k][l] != op->rtl[k][l]) {
                report(cu, op, k, l, op->row[9 + k][l]);
                return;
            }
}

static void run_turns(struct ls_cu *cu)
{
    for (struct ls_lds **at = &cu->lds_waiting; *at;) {
        struct ls_lds *op = *at;
        if (op->turn != cu->lds_next) {
            at = &op->link;
            continue;
        }
        *at = op->link;
        if (!op->skip && !cu->ls->failed)
            apply(cu, op);
        free(op);
        cu->lds_next++;
        at = &cu->lds_waiting;
    }
}

void ls_lds_skip(struct ls_cu *cu, uint64_t turn)
{
    struct ls_lds *op = xcalloc(1, sizeof *op);
    op->turn = turn;
    op->skip = true;
    op->link = cu->lds_waiting;
    cu->lds_waiting = op;
    run_turns(cu);
}

void ls_lds_clear(struct ls_cu *cu)
{
    while (cu->lds_waiting) {
        struct ls_lds *next = cu->lds_waiting->link;
        free(cu->lds_waiting);
        cu->lds_waiting = next;
    }
}

/* Copy the registers of source n to rows from `to` on, and make the instruction name those. */
static void take_source(struct ls_lds *op, const struct gcn3_wave *w, unsigned n, unsigned to)
{
    for (unsigned k = 0; k < op->inst.srcw[n] && k < 4; k++)
        memcpy(op->row[to + k], w->v[op->inst.src[n] - 256 + k], sizeof op->row[0]);
    op->inst.src[n] = 256 + to;
}

void ls_lds_check(struct ls_check *c, const struct gcn3_inst *inst, uint32_t rtl[4][64])
{
    struct ls_lds *op = xcalloc(1, sizeof *op);
    const struct gcn3_wave *w = &c->wave->state;
    op->turn = c->entry->lds_turn;
    op->pc = c->entry->pc;
    op->raw = c->entry->inst;
    op->wave = c->wave - c->cu->wave;
    op->inst = *inst;
    op->state = *w;
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++) {
        memcpy(op->row[9 + k], w->v[inst->vdst + k], sizeof op->row[0]);
        memcpy(op->rtl[k], rtl[k], sizeof op->rtl[k]);
    }
    take_source(op, w, 0, 0);
    take_source(op, w, 1, 1);
    take_source(op, w, 2, 5);
    op->inst.vdst = 9;
    if (!c->entry->lds_ordered) { /* only an instruction without lanes needs no turn */
        apply(c->cu, op);
        free(op);
        return;
    }
    op->link = c->cu->lds_waiting;
    c->cu->lds_waiting = op;
    run_turns(c->cu);
}

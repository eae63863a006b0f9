/* SPDX-License-Identifier: Apache-2.0
 * Comparison of one retired instruction: executes it on the golden state and has every register (lockstep_compare.c)
 * and memory effect (lockstep_mem.c) compared with what was observed.
 */
#include <stdio.h>
#include <string.h>

#include "isa/mem.h"
#include "lockstep/lockstep_private.h"

/* Active lanes of a FLAT instruction in the LDS aperture. */
static uint64_t lds_lanes(const struct gcn3_wave *w, const struct gcn3_inst *inst)
{
    uint64_t lanes = 0;
    for (unsigned l = 0; l < 64; l++)
        lanes |= (uint64_t)(w->v[inst->src[0] - 255][l] == w->shared_hi) << l;
    return lanes & WAVE_EXEC(w);
}

/* LDS instruction: registers are taken from the RTL now, compared when its turn comes. */
static int execute_lds(struct ls_check *c, const struct gcn3_inst *inst)
{
    struct gcn3_wave *w = &c->wave->state;
    uint32_t rtl[4][64];
    if (!c->entry->lds_ordered && WAVE_EXEC(w) != 0) {
        snprintf(c->text, sizeof c->text, "no place in the order of LDS instructions");
        return 0;
    }
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++) {
        memcpy(rtl[k], w->v[inst->vdst + k], sizeof rtl[k]);
        ls_overlay(c->entry, c->wave->vgpr_base + inst->vdst + k, rtl[k]);
    }
    ls_lds_check(c, inst, rtl);
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        memcpy(w->v[inst->vdst + k], rtl[k], sizeof rtl[k]);
    w->pc += 4 * inst->len;
    w->instructions++;
    return 0;
}

/* Vector memory instruction.  Lanes in the LDS aperture go by their turns, the others as everywhere. */
static int execute_flat(struct ls_check *c, const struct gcn3_env *env, const struct gcn3_inst *inst, uint64_t lds,
                        uint32_t rtl[4][64])
{
    struct gcn3_wave *w = &c->wave->state;
    uint64_t exec = WAVE_EXEC(w);
    WAVE_EXEC(w) = exec & ~lds;
    ls_flat_check(c, inst, lds, rtl); /* takes its operands before results overwrite them */
    int fault = gcn3_execute(w, env, inst);
    WAVE_EXEC(w) = exec;
    return fault;
}

/* Buffer instruction between memory and the LDS: its dwords are taken from the RTL, compared with memory now and with
 * the LDS when their turns come.  A store that stores nothing has read nothing either. */
static int execute_buffer_lds(struct ls_check *c, const struct gcn3_env *env, const struct gcn3_inst *inst)
{
    struct gcn3_wave *w = &c->wave->state;
    uint64_t lanes = buffer_lds_lanes(w, inst), seen = 0;
    uint32_t rtl[64] = {0}, data[64];
    for (const struct ls_write *x = c->entry->rows; x; x = x->link) {
        seen |= x->lanes;
        for (uint64_t m = x->lanes; m; m &= m - 1)
            rtl[__builtin_ctzll(m)] = x->data[__builtin_ctzll(m)];
    }
    memcpy(data, rtl, sizeof data);
    c->row = rtl;
    int fault = buffer_lds_move(w, env, inst, data);
    if (fault)
        return fault;
    if (inst->info->kind == KIND_STORE && c->golden.count == 0)
        lanes = 0;
    if (!c->text[0] && seen != lanes)
        snprintf(c->text, sizeof c->text, "dwords between memory and the LDS: rtl lanes %016lx golden %016lx",
                 (unsigned long)seen, (unsigned long)lanes);
    for (uint64_t m = lanes; m && !c->text[0]; m &= m - 1)
        if (data[__builtin_ctzll(m)] != rtl[__builtin_ctzll(m)])
            snprintf(c->text, sizeof c->text, "dword of lane %u for the LDS: rtl %08x golden %08x",
                     (unsigned)__builtin_ctzll(m), rtl[__builtin_ctzll(m)], data[__builtin_ctzll(m)]);
    ls_buffer_check(c, inst, lanes, data);
    w->pc += 4 * inst->len;
    w->instructions++;
    return 0;
}

static bool control_flow_agrees(struct ls_check *c)
{
    char text[160];
    uint64_t golden = c->wave->state.pc & ((UINT64_C(1) << 48) - 1);
    if (golden == c->entry->pc)
        return true;
    snprintf(text, sizeof text, "program counter: rtl %012lx golden %012lx", (unsigned long)c->entry->pc,
             (unsigned long)golden);
    ls_report(c->wave, c->entry, c->now, text);
    return false;
}

/* What an instruction found, for coverage. */
struct before {
    uint32_t row[4][64];
    bool active;
};

static void before_take(struct before *b, const struct gcn3_wave *w, const struct gcn3_inst *inst)
{
    b->active = inst->lds ? buffer_lds_lanes(w, inst) != 0 : WAVE_EXEC(w) != 0;
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        memcpy(b->row[k], w->v[inst->vdst + k], sizeof b->row[k]);
}

static void cover(const struct ls_check *c, const struct gcn3_inst *inst, const struct before *b,
                  const uint32_t old[128], bool old_scc)
{
    const struct gcn3_wave *w = &c->wave->state;
    uint32_t now[128];
    gcn3_scalar_image(w, now);
    bool changed = memcmp(old, now, sizeof now) || old_scc != w->scc;
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        changed |= memcmp(b->row[k], w->v[inst->vdst + k], sizeof b->row[k]) != 0;
    ls_coverage_take(c->cu->ls->coverage, inst, b->active, changed);
}

void ls_check_entry(struct ls_wave *w, struct ls_entry *e, uint64_t now)
{
    struct ls_check c;
    c.cu = w->cu, c.wave = w, c.entry = e, c.now = now;
    c.text[0] = 0;
    c.unmapped = false;
    struct gcn3_env env = ls_env;
    uint32_t old[128];
    struct ls_rows rows;
    struct before before;
    bool old_scc = w->state.scc, old_priv = w->state.priv;
    if (!control_flow_agrees(&c))
        return;
    w->dead = w->faulted && e->pc == w->fault_pc;
    if (w->dead)
        return;
    if (gcn3_halted(&w->state)) {
        ls_report(w, e, now, "instruction of a wavefront that has halted itself");
        return;
    }
    env.ctx = &c;
    const struct gcn3_inst *inst = ls_decode(w->cu->ls, e->inst);
    if (w->cu->ls->coverage) {
        before_take(&before, &w->state, inst);
        gcn3_scalar_image(&w->state, old);
    }
    ls_rows_take(&rows, w, e, inst);
    bool vector_memory = ls_is_vmem(e);
    if (vector_memory && inst->info->kind == KIND_STORE)
        memset(&c.golden, 0, sizeof c.golden);
    uint64_t lds = inst->unit == UNIT_FLAT ? lds_lanes(&w->state, inst) : 0;
    if (e->requests && !(vector_memory && inst->info->kind != KIND_LOAD && WAVE_EXEC(&w->state) & ~lds))
        snprintf(c.text, sizeof c.text, "request to memory of an instruction that makes none");
    int fault = inst->unit == UNIT_LDS ? execute_lds(&c, inst)
                : inst->lds            ? execute_buffer_lds(&c, &env, inst)
                : lds || e->parts      ? execute_flat(&c, &env, inst, lds, rows.own)
                                       : gcn3_execute(&w->state, &env, inst);
    w->state.at_barrier = false;
    w->dead = w->faulted && (fault || c.unmapped); /* of several that fault the RTL tells one */
    if (w->dead)
        return;
    if (!c.text[0] && !fault && vector_memory && inst->info->kind == KIND_STORE)
        ls_compare_stores(&c);
    if (!c.text[0])
        ls_compare_order(&c);
    if (!c.text[0] && fault)
        snprintf(c.text, sizeof c.text, "golden faults (%d) where the RTL goes on, address %lx", fault,
                 (unsigned long)w->state.fault_va);
    if (c.text[0]) {
        ls_report(w, e, now, c.text);
        return;
    }
    if (!ls_rows_agree(&rows, &c, inst))
        return;
    ls_compare_stray(&c, inst);
    ls_compare_scalars(&c, old_scc, old_priv);
    if (w->cu->ls->coverage && !w->cu->ls->failed)
        cover(&c, inst, &before, old, old_scc);
}

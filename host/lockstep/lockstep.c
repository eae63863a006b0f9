/* SPDX-License-Identifier: Apache-2.0
 * Lock step: wavefronts from start to end, their observed instructions in program order, of which the oldest goes to
 * the comparison once everything the RTL does for it has been seen.  Not responsible for: what an observation belongs
 * to (lockstep_observe.c).
 */
#include "lockstep/lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lockstep/lockstep_private.h"

struct lockstep *lockstep_new(struct pmem *memory, unsigned gpus, unsigned cus, lockstep_fail_fn fail, void *ctx)
{
    struct lockstep *ls = xcalloc(1, sizeof *ls);
    ls->memory = memory;
    ls->gpus = gpus;
    ls->cus = cus;
    ls->fail = fail;
    ls->ctx = ctx;
    ls->disasm = disasm_new();
    ls->coverage = ls_coverage_new();
    ls->roots = xcalloc((size_t)gpus * 256, sizeof *ls->roots);
    ls->cu = xcalloc((size_t)gpus * cus, sizeof *ls->cu);
    ls->start = ls_start_new(gpus);
    ls->simds = LS_SIMDS;
    return ls;
}

void lockstep_simds(struct lockstep *ls, unsigned simds)
{
    ls->simds = simds;
}

void lockstep_check_lds(struct lockstep *ls, bool on)
{
    ls->outside.on = on;
}

static void writes_clear(struct lockstep *ls, struct ls_write *x)
{
    while (x) {
        struct ls_write *next = x->link;
        x->link = ls->spare;
        ls->spare = x;
        x = next;
    }
}

static void entry_clear(struct lockstep *ls, struct ls_entry *e)
{
    writes_clear(ls, e->writes);
    writes_clear(ls, e->rows);
    e->writes = e->rows = NULL;
    while (e->requests) {
        struct ls_request *next = e->requests->link;
        free(e->requests);
        e->requests = next;
    }
    while (e->parts) {
        struct ls_part *next = e->parts->link;
        free(e->parts);
        e->parts = next;
    }
}

static void wave_clear(struct ls_wave *w)
{
    for (size_t n = 0; n < w->count; n++) {
        if (ls_entry_at(w, n)->lds_ordered)
            ls_lds_skip(w->cu, ls_entry_at(w, n)->lds_turn);
        for (const struct ls_part *p = ls_entry_at(w, n)->parts; p; p = p->link)
            ls_lds_skip(w->cu, p->turn);
        entry_clear(w->cu->ls, ls_entry_at(w, n));
    }
    w->count = 0;
    w->active = false;
    w->cu->endings -= w->ending;
    w->ending = false;
}

void lockstep_free(struct lockstep *ls)
{
    if (!ls)
        return;
    for (size_t n = 0; n < (size_t)ls->gpus * ls->cus; n++) {
        if (ls->cu[n])
            ls_lds_clear(ls->cu[n]); /* their turns can no longer come */
        for (unsigned k = 0; ls->cu[n] && k < LS_WAVES; k++) {
            wave_clear(&ls->cu[n]->wave[k]);
            free(ls->cu[n]->wave[k].queue);
        }
        if (ls->cu[n])
            ls_lds_clear(ls->cu[n]);
        free(ls->cu[n]);
    }
    while (ls->spare) {
        struct ls_write *next = ls->spare->link;
        free(ls->spare);
        ls->spare = next;
    }
    ls_lds_free(ls);
    outside_free(&ls->outside);
    disasm_free(ls->disasm);
    ls_coverage_free(ls->coverage);
    ls_start_free(ls->start);
    ls_dirty_free(&ls->dirty);
    free(ls->roots);
    free(ls->cu);
    free(ls);
}

struct ls_cu *ls_new_cu(struct lockstep *ls, unsigned gpu, unsigned cu)
{
    struct ls_cu *c = xcalloc(1, sizeof *c);
    c->ls = ls;
    c->gpu = gpu;
    c->index = cu;
    for (unsigned n = 0; n < LS_WAVES; n++)
        c->wave[n].cu = c;
    ls->cu[gpu * ls->cus + cu] = c;
    return c;
}

/* Compare what is complete; of a wavefront that a fault has stopped, what stands before the instruction that faults. */
void ls_drain(struct ls_wave *w, uint64_t now, bool all)
{
    struct ls_cu *cu = w->cu;
    while (w->count && !w->dead && !cu->ls->failed && ls_entry_ready(ls_entry_at(w, 0), now, all)) {
        struct ls_entry *e = ls_entry_at(w, 0);
        ls_check_entry(w, e, now);
        if (w->dead)
            break;
        entry_clear(cu->ls, e);
        w->head = (w->head + 1) & (w->room - 1);
        w->count--;
        w->compared++;
        cu->ls->compared++;
    }
}

struct ls_entry *ls_entry_add(struct ls_wave *w)
{
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : LS_ENTRIES;
        struct ls_entry *queue = xcalloc(room, sizeof *queue);
        for (size_t n = 0; n < w->count; n++)
            queue[n] = *ls_entry_at(w, n);
        free(w->queue);
        w->queue = queue;
        w->room = room;
        w->head = 0;
    }
    struct ls_entry *e = ls_entry_at(w, w->count++);
    memset(e, 0, sizeof *e);
    return e;
}

void lockstep_restored(struct lockstep *ls)
{
    ls->blind = UINT64_MAX;
}

void lockstep_cp_cmd(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_cmd *cmd)
{
    (void)cycle;
    if (cmd->kind == CP_CACHE && cmd->flags & CACHE_WB_L2)
        ls->flushed |= UINT64_C(1) << gpu;
    if (cmd->kind == CP_VMID)
        ls->roots[gpu * 256 + cmd->vmid] = cmd->root;
    if (cmd->kind == CP_VMID || cmd->kind == CP_CACHE)
        ls_flush(ls);
    ls_start_cmd(ls, gpu, cmd);
    memset(ls->shadow, 0, sizeof ls->shadow); /* the host may have written since */
}

/* Item ids as docs/contracts.md, "Launch". */
static void init_items(struct ls_cu *cu, struct ls_wave *w, const struct msg_cu_cmd *cmd)
{
    for (unsigned l = 0; l < 64; l++) {
        uint32_t n = cmd->wave_in_group * 64 + l, q = (uint32_t)((uint64_t)n * cmd->recip_x >> 20);
        uint32_t z = (uint32_t)((uint64_t)q * cmd->recip_y >> 20);
        uint32_t id[3] = {n - q * cmd->group_size[0], q - z * cmd->group_size[1], z};
        for (unsigned k = 0; k <= cmd->vgpr_items && k < 3; k++)
            cu->vgpr[w->simd][w->vgpr_base + k][l] = id[k];
    }
}

static void wave_start(struct ls_cu *cu, const struct msg_cu_cmd *cmd)
{
    struct ls_wave *w = &cu->wave[cmd->wave & 63];
    struct gcn3_wave *s = &w->state;
    uint32_t left[128]; /* by the slot's last owner: TTMP stay */
    wave_clear(w);
    gcn3_scalar_image(s, left);
    memset(s, 0, sizeof *s);
    memcpy(s->ttmp, &left[SREG_TTMP], sizeof s->ttmp);
    w->active = true;
    w->faulted = w->dead = false;
    w->observed = w->compared = 0;
    w->simd = cmd->wave >> 4 & 3;
    w->vgpr_base = cmd->vgpr_base & 255;
    w->sgpr_base = cmd->sgpr_base % LS_SGPRS;
    for (unsigned n = 0; n < cmd->sgprs && n < SREG_FLAT_SCRATCH && w->sgpr_base + n < LS_SGPRS; n++)
        s->s[n] = cu->sgpr[w->simd][w->sgpr_base + n];
    for (unsigned n = 0; n < cmd->init_sgprs && n < 24; n++)
        s->s[n] = cmd->sgpr[n];
    s->pc = cmd->pc;
    s->mode = cmd->mode;
    s->ieee = cmd->ieee & 1;
    s->dx10_clamp = cmd->ieee >> 1 & 1;
    s->v = &cu->vgpr[w->simd][w->vgpr_base];
    s->vgprs = cmd->vgprs;
    s->sgprs = cmd->sgprs;
    s->lds = cu->lds + (cmd->lds_base < LS_LDS_BYTES ? cmd->lds_base : 0);
    s->lds_bytes = cmd->lds_bytes;
    s->scratch_base = (uint64_t)cmd->scratch_base << 8;
    s->shared_hi = 0x20000000;
    s->private_hi = 0x20000001;
    s->vmid = cmd->vmid;
    s->tba = cu->tba[cmd->vmid & 15];
    s->tma = cu->tma[cmd->vmid & 15];
    s->trap_en = s->tba != 0;
    s->in_group = cmd->group_waves > 1;
    gcn3_place(s, cu->index, cmd->wave, cmd->group, cmd->vgpr_base, cmd->sgpr_base, cmd->lds_base);
    s->owner = w;
    WAVE_EXEC(s) = cmd->exec;
    init_items(cu, w, cmd);
    gcn3_scalar_image(s, w->scalar);
}

static void wave_end(struct ls_wave *w)
{
    struct ls_cu *cu = w->cu;
    w->ending = false;
    cu->endings--;
    ls_drain(w, w->end_cycle, true);
    if (cu->ls->failed)
        return;
    if (w->count || !w->state.ended || w->compared != w->end.instructions) {
        char text[160];
        snprintf(text, sizeof text, "wavefront ended: %zu instructions unfinished, %s, %lu compared, %u retired",
                 w->count, w->state.ended ? "s_endpgm seen" : "no s_endpgm", (unsigned long)w->compared,
                 w->end.instructions);
        ls_report(w, w->count ? ls_entry_at(w, 0) : NULL, w->end_cycle, text);
        return;
    }
    for (unsigned n = 0; n < w->state.sgprs && n < SREG_FLAT_SCRATCH && w->sgpr_base + n < LS_SGPRS; n++)
        cu->sgpr[w->simd][w->sgpr_base + n] = w->state.s[n];
    w->active = false;
}

/* Finish the wavefronts whose end lies before this cycle. */
void ls_end_waves(struct ls_cu *cu, uint64_t cycle)
{
    for (unsigned n = 0; n < LS_WAVES && cu->endings && !cu->ls->failed; n++)
        if (cu->wave[n].ending && cu->wave[n].end_cycle < cycle)
            wave_end(&cu->wave[n]);
}

/* Compare what the wavefronts of an address space (-1: of any) did before a fault stopped them. */
static void drain_faulted(struct ls_cu *cu, int vmid, uint64_t cycle)
{
    for (unsigned n = 0; n < LS_WAVES; n++) {
        struct ls_wave *w = &cu->wave[n];
        if (w->active && w->faulted && (vmid < 0 || w->state.vmid == (unsigned)vmid))
            ls_drain(w, cycle, false);
    }
}

static void kill_vmid(struct ls_cu *cu, unsigned vmid, uint64_t cycle)
{
    drain_faulted(cu, (int)vmid, cycle);
    ls_lds_kill(cu, vmid);
    for (unsigned n = 0; n < LS_WAVES; n++)
        if (cu->wave[n].active && cu->wave[n].state.vmid == vmid) {
            cu->ls->observed -= cu->wave[n].count;
            wave_clear(&cu->wave[n]);
        }
}

void lockstep_cu_cmd(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd)
{
    struct ls_cu *c = ls_find_cu(ls, gpu, cu);
    ls_end_waves(c, cycle);
    if (cmd->kind == CU_WAVE)
        wave_start(c, cmd);
    else if (cmd->kind == CU_KILL)
        kill_vmid(c, cmd->vmid, cycle);
    else if (cmd->kind == CU_TRAP) {
        struct msg_cu_trap trap;
        static_assert(sizeof trap == sizeof *cmd, "a view has the size of its message");
        memcpy(&trap, cmd, sizeof trap);
        c->tba[trap.vmid & 15] = trap.tba;
        c->tma[trap.vmid & 15] = trap.tma;
    }
}

void lockstep_cu_evt(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_evt *evt)
{
    struct ls_cu *c = ls_find_cu(ls, gpu, cu);
    struct ls_wave *w = &c->wave[evt->wave & 63];
    ls->latest = ls->latest > cycle ? ls->latest : cycle;
    if (ls->failed || !w->active)
        return;
    if (evt->kind == CU_EVT_WAVE_DONE) {
        w->ending = true;
        w->end = *evt;
        w->end_cycle = cycle;
        c->endings++;
    } else if (evt->kind == CU_EVT_FAULT) {
        w->faulted = true;
        w->fault_pc = evt->pc;
        ls_drain(w, cycle, false); /* the run may end with the fault */
    }
}

void lockstep_settle(struct lockstep *ls)
{
    for (size_t n = 0; n < (size_t)ls->gpus * ls->cus; n++)
        if (ls->cu[n]) {
            ls_end_waves(ls->cu[n], UINT64_MAX);
            drain_faulted(ls->cu[n], -1, ls->latest);
        }
}

uint64_t lockstep_observed(const struct lockstep *ls)
{
    return ls->observed;
}

uint64_t lockstep_compared(const struct lockstep *ls)
{
    return ls->compared;
}

bool lockstep_finish(struct lockstep *ls)
{
    lockstep_settle(ls);
    for (size_t n = 0; n < (size_t)ls->gpus * ls->cus && !ls->failed; n++)
        for (unsigned k = 0; ls->cu[n] && k < LS_WAVES; k++) {
            struct ls_wave *w = &ls->cu[n]->wave[k];
            if (w->active && !w->faulted && !ls->failed)
                ls_report(w, w->count ? ls_entry_at(w, 0) : NULL, 0, "wavefront never ended");
        }
    return !ls->failed;
}

/* SPDX-License-Identifier: Apache-2.0
 * Work-groups of the golden GPU: start state of wavefronts, slices round robin, barriers, faults.  On any host thread:
 * touches nothing but its work-group, its worker and simulated memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "golden/golden_private.h"

#define SHARED_APERTURE 0x20000000
#define PRIVATE_APERTURE 0x20000001

/* A work-group's place in the grid; a partial one at the upper edge has clipped sizes. */
struct position {
    uint32_t id[3], size[3];
    uint32_t recip_x, recip_y;
    unsigned waves;
};

static uint32_t reciprocal(uint32_t size)
{
    return ((UINT32_C(1) << 20) + size - 1) / size;
}

static struct position group_position(const struct msg_cp_cmd *cmd, uint64_t number)
{
    struct position p;
    p.id[0] = number % cmd->groups[0];
    p.id[1] = number / cmd->groups[0] % cmd->groups[1];
    p.id[2] = number / cmd->groups[0] / cmd->groups[1];
    for (unsigned n = 0; n < 3; n++) {
        uint32_t left = cmd->grid[n] - p.id[n] * cmd->group[n];
        p.size[n] = left < cmd->group[n] ? left : cmd->group[n];
    }
    p.recip_x = reciprocal(p.size[0]);
    p.recip_y = reciprocal(p.size[1]);
    p.waves = (p.size[0] * p.size[1] * p.size[2] + 63) / 64;
    return p;
}

/* Item ids of the lanes of a wavefront and the lanes that exist. */
static uint64_t init_items(const struct msg_cp_cmd *cmd, const struct position *p, unsigned wave, uint32_t (*v)[64])
{
    uint32_t items = p->size[0] * p->size[1] * p->size[2], live = items - wave * 64;
    for (unsigned l = 0; l < 64; l++) {
        uint32_t n = wave * 64 + l, q = (uint32_t)((uint64_t)n * p->recip_x >> 20), x = n - q * p->size[0];
        uint32_t z = (uint32_t)((uint64_t)q * p->recip_y >> 20), y = q - z * p->size[1];
        v[0][l] = x;
        if (cmd->vgpr_items >= 1)
            v[1][l] = y;
        if (cmd->vgpr_items >= 2)
            v[2][l] = z;
    }
    return live >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << live) - 1;
}

static void init_sgprs(struct gcn3_wave *w, const struct golden_group *group, const struct position *p, unsigned wave)
{
    const struct msg_cp_cmd *cmd = &group->launch->cmd;
    unsigned n = 0;
    for (; n < cmd->user_sgprs; n++)
        w->s[n] = cmd->user_sgpr[n];
    for (unsigned d = 0; d < 3; d++)
        if (cmd->sys_sgprs >> d & 1)
            w->s[n++] = p->id[d];
    if (cmd->sys_sgprs & 8)
        w->s[n++] = (uint32_t)(wave == 0) << 31 | p->waves;
    if (cmd->sys_sgprs & 16) {
        unsigned slot = group->scratch + wave;
        w->s[n++] = cmd->scratch_waves ? slot % cmd->scratch_waves * cmd->scratch_wave_bytes : 0;
    }
}

static void init_wave(const struct golden *g, struct golden_group *group, unsigned n, const struct position *p)
{
    const struct msg_cp_cmd *cmd = &group->launch->cmd;
    struct gcn3_wave *w = &group->wave[n];
    memset(w, 0, sizeof *w);
    w->pc = cmd->pc;
    w->mode = cmd->rsrc1 >> 12;
    w->dx10_clamp = cmd->rsrc1 >> 21 & 1;
    w->ieee = cmd->rsrc1 >> 23 & 1;
    w->v = group->vgprs + (size_t)n * cmd->vgprs;
    w->vgprs = cmd->vgprs;
    w->sgprs = cmd->sgprs;
    w->lds = group->lds;
    w->lds_bytes = cmd->lds_bytes;
    w->shared_hi = SHARED_APERTURE;
    w->private_hi = PRIVATE_APERTURE;
    w->scratch_base = cmd->root;
    w->vmid = cmd->vmid;
    w->tba = g->tba[w->vmid];
    w->tma = g->tma[w->vmid];
    w->trap_en = w->tba != 0;
    w->in_group = p->waves > 1;
    gcn3_place(w, 0, (n & 3) << 4 | n >> 2, 0, 0, 0, 0);
    w->owner = group;
    init_sgprs(w, group, p, n);
    WAVE_EXEC(w) = init_items(cmd, p, n, w->v);
}

struct golden_group *golden_group_new(const struct golden *g, struct golden_launch *l, uint64_t number)
{
    const struct msg_cp_cmd *cmd = &l->cmd;
    CHECK(cmd->waves >= 1 && cmd->waves <= GOLDEN_WAVES && cmd->vgprs <= 256, "golden", "gpu=%u waves=%u vgprs=%u",
          g->gpu, cmd->waves, cmd->vgprs);
    struct golden_group *group = xcalloc(1, sizeof *group);
    struct position p = group_position(cmd, number);
    CHECK(p.waves >= 1 && p.waves <= cmd->waves, "golden", "gpu=%u group=%lu waves=%u", g->gpu, (unsigned long)number,
          p.waves);
    group->launch = l;
    group->number = number;
    group->waves = group->live = group->left = p.waves;
    return group;
}

/* Registers, LDS and the wavefronts' start. */
static void group_open(const struct golden *g, struct golden_group *group)
{
    const struct msg_cp_cmd *cmd = &group->launch->cmd;
    struct position p = group_position(cmd, group->number);
    group->vgprs = xcalloc((size_t)p.waves * cmd->vgprs + 4, sizeof *group->vgprs);
    group->lds = xcalloc(1, cmd->lds_bytes + 16);
    group->hazards = g->check_hazards ? xcalloc(p.waves, sizeof *group->hazards) : NULL;
    for (unsigned n = 0; n < group->waves; n++)
        init_wave(g, group, n, &p);
}

static void group_close(struct golden *g, struct golden_group *group)
{
    golden_scratch_give(g, group);
    free(group->vgprs);
    free(group->lds);
    free(group->hazards);
    group->vgprs = NULL;
    group->lds = NULL;
    group->hazards = NULL;
}

void golden_group_free(struct golden *g, struct golden_group *group)
{
    if (!group)
        return;
    group_close(g, group);
    free(group->round);
    free(group->event);
    free(group);
}

/* {SIMD, slot}, as s_getreg HW_ID shows it and as the RTL names a wavefront. */
static uint8_t place_of(const struct gcn3_wave *w)
{
    return w->hw_id & 63;
}

static void note_fault(struct golden_group *group, unsigned n, int fault, uint64_t dwords)
{
    struct gcn3_wave *w = &group->wave[n];
    struct msg_cp_evt evt = {
        .kind = CP_EVT_FAULT, .status = fault, .id = group->launch->cmd.id, .wave = place_of(w), .vmid = w->vmid};
    evt.va = fault == FAULT_ILLEGAL ? w->pc : w->fault_va;
    evt.pc = w->pc;
    evt.data = dwords;
    evt.start = group->number; /* for sim_group: the RTL sends nothing there */
    group->halted[n] = true;
    golden_group_event(group, &evt);
}

static const struct gcn3_inst *find_code(struct golden_worker *k, struct gcn3_wave *w, int *fault)
{
    struct golden_code *c = &k->code[(w->pc / 4 ^ w->vmid) % GOLDEN_CODE];
    uint64_t dwords;
    *fault = 0;
    if (c->pc == w->pc && c->generation == k->g->generation && c->vmid == w->vmid)
        return &c->inst;
    *fault = k->env.fetch(k->env.ctx, w, w->pc, &dwords);
    if (*fault) {
        w->fault_va = w->pc;
        return NULL;
    }
    gcn3_decode(dwords, &c->inst);
    c->pc = 1;                                      /* no instruction's */
    if (c->inst.len == 2 && w->pc % 4096 == 4092) { /* its second half is on another page */
        *fault = k->env.fetch(k->env.ctx, w, w->pc + 4, &dwords);
        if (*fault) {
            w->fault_va = w->pc;
            return NULL;
        }
    }
    c->pc = w->pc;
    c->generation = k->g->generation;
    c->vmid = w->vmid;
    return &c->inst;
}

static void lds_missed(struct golden_worker *k, struct golden_group *group, unsigned n, uint64_t pc)
{
    struct gcn3_wave *w = &group->wave[n];
    uint64_t dwords = 0;
    if (!k->g->outside.on) { /* others may be at work on other threads */
        w->lds_missed = false;
        return;
    }
    k->env.fetch(k->env.ctx, w, pc, &dwords);
    outside_warn(&k->g->outside, w, k->g->gpu, 0, place_of(w), pc, dwords);
}

static bool reads_clock(const struct gcn3_inst *inst)
{
    return inst->op == OP_S_MEMTIME || inst->op == OP_S_MEMREALTIME;
}

/* begin: its instructions at the beginning of the round. */
static void run_wave(struct golden_worker *k, struct golden_group *group, unsigned n, uint64_t begin)
{
    struct gcn3_wave *w = &group->wave[n];
    k->yielded = k->waited = false;
    while (!w->ended && !w->at_barrier && !gcn3_halted(w) && !k->yielded && w->instructions - begin < k->g->turn) {
        int fault;
        const struct gcn3_inst *inst = find_code(k, w, &fault);
        if (!fault && !k->in_turn && reads_clock(inst)) {
            group->held.on = true;
            return;
        }
        if (!fault && group->hazards)
            golden_hazard(k->g, group, n, inst);
        const uint64_t pc = w->pc;
        if (!fault)
            fault = gcn3_execute(w, &k->env, inst);
        if (w->lds_missed)
            lds_missed(k, group, n, pc);
        if (fault) {
            uint64_t dwords = 0;
            k->env.fetch(k->env.ctx, w, w->pc, &dwords);
            note_fault(group, n, fault, fault == FAULT_ILLEGAL ? dwords : 0);
            break;
        }
    }
    if (gcn3_halted(w)) {
        struct msg_cp_evt evt = {
            .kind = CP_EVT_HALT, .id = group->launch->cmd.id, .wave = place_of(w), .vmid = w->vmid, .pc = w->pc};
        evt.start = group->number;
        golden_group_event(group, &evt);
    }
    group->live -= w->ended;
    group->waiting += w->at_barrier;
}

static bool wave_can_run(const struct golden_group *group, unsigned n)
{
    const struct gcn3_wave *w = &group->wave[n];
    return !w->ended && !w->at_barrier && !group->halted[n] && !gcn3_halted(w);
}

/* The end of a round: barriers, who is left. */
static void round_end(struct golden_worker *k, struct golden_group *group, struct golden_round *r)
{
    if (group->live && group->waiting == group->live) {
        for (unsigned n = 0; n < group->waves; n++)
            group->wave[n].at_barrier = false;
        group->waiting = 0;
        r->can_run = true;
    }
    group->stuck = group->live && !r->can_run;
    if (!group->live)
        group_close(k->g, group);
    r->live = group->live;
    r->written = k->written;
    group->round = xgrow(group->round, &group->round_room, group->rounds + 1, sizeof *group->round);
    group->round[group->rounds++] = *r;
}

uint64_t golden_group_round(struct golden_worker *k, struct golden_group *group)
{
    struct golden_held *held = &group->held;
    const bool goes_on = held->on;
    struct golden_round r = goes_on ? held->round : (struct golden_round){0};
    const size_t events = group->events - r.events;
    const uint32_t before = r.instructions;
    golden_worker_look(k);
    golden_writes_begin(k, goes_on ? held->writes : 0, r.written);
    if (!group->vgprs)
        group_open(k->g, group);
    held->on = false;
    for (unsigned n = goes_on ? held->wave : 0; n < group->waves; n++) {
        if (!wave_can_run(group, n))
            continue;
        const bool again = goes_on && n == held->wave;
        const uint64_t from = group->wave[n].instructions, begin = again ? held->begin : from;
        k->before = r.instructions - from;
        run_wave(k, group, n, begin);
        r.instructions += group->wave[n].instructions - from;
        r.events = group->events - events;
        if (held->on) {
            r.written = k->written;
            *held = (struct golden_held){r, true, n, begin, k->writes};
            return r.instructions - before;
        }
        r.waited |= k->waited;
        r.can_run |= wave_can_run(group, n);
    }
    round_end(k, group, &r);
    return r.instructions - before;
}

/* SPDX-License-Identifier: Apache-2.0
 * Lock step: what a wavefront starts with follows from its launch (docs/contracts.md, "Launch"): the dispatcher's word
 * is taken for the place alone (CU, SIMD, slot, bases of registers and LDS), and held against the launch for the rest.
 *
 * Launches stand in up to LS_SLOTS slots of the dispatcher, which names one in each message; which launch that is it
 * does not say.  So a slot may have every launch that its messages so far agree with; as a rule one after the first.
 * Not responsible for: that places do not overlap (proved, tests/formal/dispatch_pool_fv.sv).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lockstep/lockstep_private.h"

#define LS_SLOTS 8
#define LS_LAUNCHES 64 /* of a GPU at a time; the command processor has no more packets under way */

/* The wavefront of a launch that comes next: groups one after another, x first. */
struct walk {
    uint32_t group[3];
    unsigned wave;
    bool over;
};

struct slot {
    uint64_t may; /* launches that it may have; 0: none has begun there */
    bool lost;    /* two launches could not be told apart and one has ended: nothing is known */
    uint64_t waves;
    struct walk walk[LS_LAUNCHES];
    unsigned cu; /* place of the group under way */
    uint8_t barrier;
    uint32_t lds_base;
};

struct launch {
    struct msg_cp_cmd cmd;
    bool killed; /* before its end */
};

struct ls_start {
    uint64_t live; /* of launch[] */
    struct launch launch[LS_LAUNCHES];
    struct slot slot[LS_SLOTS];
};

struct ls_start *ls_start_new(unsigned gpus)
{
    return xcalloc(gpus, sizeof(struct ls_start));
}

void ls_start_free(struct ls_start *start)
{
    free(start);
}

static void slots_forget(struct ls_start *s, unsigned n)
{
    s->live &= ~(UINT64_C(1) << n);
    for (unsigned k = 0; k < LS_SLOTS; k++)
        s->slot[k].may &= s->live;
    for (unsigned k = 0; k < LS_SLOTS && !s->live; k++)
        s->slot[k].lost = false;
}

void ls_start_cmd(struct lockstep *ls, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct ls_start *s = &ls->start[gpu];
    if (cmd->kind == CP_LAUNCH && ~s->live) {
        unsigned n = (unsigned)__builtin_ctzll(~s->live);
        s->launch[n] = (struct launch){.cmd = *cmd};
        s->live |= UINT64_C(1) << n;
    }
    for (unsigned n = 0; n < LS_LAUNCHES && cmd->kind == CP_KILL; n++)
        if (s->live >> n & 1 && s->launch[n].cmd.vmid == cmd->vmid)
            s->launch[n].killed = true;
}

static uint32_t reciprocal(uint32_t size)
{
    return ((1u << 20) + size - 1) / size;
}

static uint32_t item_count(const struct msg_cp_cmd *l, const struct walk *w, uint16_t size[3])
{
    uint32_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        uint32_t left = l->grid[d] - w->group[d] * l->group[d];
        size[d] = (uint16_t)(left < l->group[d] ? left : l->group[d]);
        items *= size[d];
    }
    return items;
}

/* The message that starts this wavefront, at the place that the dispatcher has told. */
static void message_make(const struct lockstep *ls, const struct msg_cp_cmd *l, const struct walk *w, unsigned cu,
                         const struct msg_cu_cmd *place, struct msg_cu_cmd *m)
{
    uint16_t size[3];
    uint32_t items = item_count(l, w, size), first = w->wave * 64, waves = (items + 63) / 64;
    unsigned simd = place->wave >> 4, slot = place->wave & 15, n = 0;
    *m = (struct msg_cu_cmd){.kind = CU_WAVE,
                             .vmid = l->vmid,
                             .wave = place->wave,
                             .launch = place->launch,
                             .group = place->group,
                             .group_waves = (uint8_t)waves,
                             .wave_in_group = (uint8_t)w->wave,
                             .vgpr_items = (uint8_t)(l->rsrc2 >> 11 & 3),
                             .vgpr_base = place->vgpr_base,
                             .vgprs = l->vgprs,
                             .sgpr_base = place->sgpr_base,
                             .sgprs = l->sgprs,
                             .lds_base = place->lds_base,
                             .lds_bytes = l->lds_bytes,
                             .scratch_base = (uint32_t)(l->root >> 8),
                             .pc = l->pc,
                             .exec = items - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (items - first)) - 1,
                             .group_size = {size[0], size[1], size[2]},
                             .recip_x = reciprocal(size[0]),
                             .recip_y = reciprocal(size[1]),
                             .mode = (uint8_t)(l->rsrc1 >> 12),
                             .ieee = (uint8_t)((l->rsrc1 >> 23 & 1) | (l->rsrc1 >> 21 & 1) << 1)};
    for (; n < l->user_sgprs && n < 16; n++)
        m->sgpr[n] = l->user_sgpr[n];
    for (unsigned d = 0; d < 3; d++)
        if (l->sys_sgprs >> d & 1)
            m->sgpr[n++] = w->group[d];
    if (l->sys_sgprs & 8)
        m->sgpr[n++] = (uint32_t)(w->wave == 0) << 31 | waves;
    if (l->sys_sgprs & 16)
        m->sgpr[n++] = (cu * GCN3_SCRATCH_PER_CU + slot * ls->simds + simd) * l->scratch_wave_bytes;
    m->init_sgprs = (uint8_t)n;
    memcpy(m->sgpr + n, place->sgpr + n, (24 - n) * sizeof m->sgpr[0]); /* not copied to registers */
}

#define FIELD(f)                                                                                                       \
    {                                                                                                                  \
#f, offsetof(struct msg_cu_cmd, f), sizeof(((struct msg_cu_cmd *)0)->f)                                        \
    }
static const struct {
    const char *name;
    size_t at, bytes;
} fields[] = {
    FIELD(vmid),          FIELD(group_waves),   FIELD(wave_in_group), FIELD(vgpr_items), FIELD(vgprs),
    FIELD(sgprs),         FIELD(lds_bytes),     FIELD(scratch_base),  FIELD(pc),         FIELD(exec),
    FIELD(group_size[0]), FIELD(group_size[1]), FIELD(group_size[2]), FIELD(recip_x),    FIELD(recip_y),
    FIELD(mode),          FIELD(ieee),          FIELD(init_sgprs),
};

/* How many fields differ; the first one in words. */
static unsigned differences(const struct msg_cu_cmd *rtl, const struct msg_cu_cmd *want, char *text, size_t room)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, (const uint8_t *)rtl + fields[i].at, fields[i].bytes);
        memcpy(&b, (const uint8_t *)want + fields[i].at, fields[i].bytes);
        if (a != b && count++ == 0)
            snprintf(text, room, "%s: rtl %lx, by its launch %lx", fields[i].name, (unsigned long)a, (unsigned long)b);
    }
    for (unsigned n = 0; n < 24; n++)
        if (rtl->sgpr[n] != want->sgpr[n] && count++ == 0)
            snprintf(text, room, "s%u: rtl %08x, by its launch %08x", n, rtl->sgpr[n], want->sgpr[n]);
    return count;
}

/* The next wavefront; the wavefronts of a group stand on one CU, with one barrier slot and one piece of the LDS. */
static void walk_step(const struct msg_cp_cmd *l, struct walk *w)
{
    uint16_t size[3];
    if (++w->wave < (item_count(l, w, size) + 63) / 64)
        return;
    w->wave = 0;
    for (unsigned d = 0; d < 3; d++) {
        if (++w->group[d] < l->groups[d])
            return;
        w->group[d] = 0;
    }
    w->over = true;
}

/* Where a wavefront may not stand, in words. */
static bool place_wrong(const struct lockstep *ls, const struct msg_cp_cmd *l, const struct slot *slot, unsigned wave,
                        unsigned cu, const struct msg_cu_cmd *m, char *text, size_t room)
{
    if (m->wave >> 4 >= ls->simds)
        snprintf(text, room, "SIMD %u of %u", m->wave >> 4, ls->simds);
    else if (!(l->cu_mask >> cu & 1))
        snprintf(text, room, "CU %u is not in the mask %lx", cu, (unsigned long)l->cu_mask);
    else if (l->scratch_wave_bytes &&
             cu * GCN3_SCRATCH_PER_CU + (m->wave & 15u) * ls->simds + (m->wave >> 4) >= l->scratch_waves)
        snprintf(text, room, "no scratch for this place: room for %u wavefronts", l->scratch_waves);
    else if (wave && (cu != slot->cu || m->group != slot->barrier || m->lds_base != slot->lds_base))
        snprintf(text, room, "CU %u, barrier slot %u, LDS at %x; its work-group has %u, %u, %x", cu, m->group,
                 m->lds_base, slot->cu, slot->barrier, slot->lds_base);
    else
        return false;
    return true;
}

static void report(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *m,
                   const struct walk *w, const char *what)
{
    char text[512];
    int n = snprintf(text, sizeof text, "gpu%u.cu%u simd %u slot %u cycle %lu start of ", gpu, cu, m->wave >> 4,
                     m->wave & 15, (unsigned long)cycle);
    if (w)
        n += snprintf(text + n, sizeof text - (size_t)n, "wavefront %u of work-group %u,%u,%u: ", w->wave, w->group[0],
                      w->group[1], w->group[2]);
    snprintf(text + n, sizeof text - (size_t)n, "%s", what);
    ls_fail(ls, gpu, cu, text);
}

/* Launches of other slots that can be no one else's. */
static uint64_t settled(const struct ls_start *s, const struct slot *but)
{
    uint64_t taken = 0;
    for (unsigned k = 0; k < LS_SLOTS; k++)
        if (&s->slot[k] != but && s->slot[k].may && !(s->slot[k].may & (s->slot[k].may - 1)))
            taken |= s->slot[k].may;
    return taken;
}

void lockstep_dispatched(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *m)
{
    struct ls_start *s = &ls->start[gpu];
    if (ls->failed || m->kind != CU_WAVE)
        return;
    if (m->launch >= LS_SLOTS) {
        report(ls, gpu, cu, cycle, m, NULL, "a wavefront of no launch slot");
        return;
    }
    struct slot *slot = &s->slot[m->launch];
    if (slot->lost)
        return;
    if (!slot->may) {
        memset(slot, 0, sizeof *slot);
        slot->may = s->live;
    }
    slot->may &= ~settled(s, slot);
    uint64_t fit = 0;
    unsigned least = UINT32_MAX;
    char text[200], best[200] = "a wavefront of no launch, or beyond its last";
    const struct walk *nearest = NULL;
    for (uint64_t bits = slot->may; bits; bits &= bits - 1) {
        unsigned n = (unsigned)__builtin_ctzll(bits);
        const struct msg_cp_cmd *l = &s->launch[n].cmd;
        struct walk *w = &slot->walk[n];
        struct msg_cu_cmd want;
        if (w->over)
            continue;
        message_make(ls, l, w, cu, m, &want);
        unsigned count = differences(m, &want, text, sizeof text);
        count += count == 0 && place_wrong(ls, l, slot, w->wave, cu, m, text, sizeof text);
        if (count == 0)
            fit |= UINT64_C(1) << n;
        if (count < least) {
            least = count;
            nearest = w;
            memcpy(best, text, sizeof best);
        }
    }
    if (!fit) {
        report(ls, gpu, cu, cycle, m, nearest, best);
        return;
    }
    slot->may = fit;
    slot->waves++;
    slot->cu = cu;
    slot->barrier = m->group;
    slot->lds_base = m->lds_base;
    for (; fit; fit &= fit - 1) {
        unsigned n = (unsigned)__builtin_ctzll(fit);
        walk_step(&s->launch[n].cmd, &slot->walk[n]);
    }
}

/* A launch has ended: in the one slot where all of its wavefronts have started. */
static void launch_end(struct lockstep *ls, unsigned gpu, uint64_t cycle, unsigned n, const struct msg_cp_evt *evt)
{
    struct ls_start *s = &ls->start[gpu];
    const uint64_t bit = UINT64_C(1) << n;
    struct slot *own = NULL;
    uint64_t places = 0, lost = 0;
    for (unsigned k = 0; k < LS_SLOTS; k++) {
        struct slot *slot = &s->slot[k];
        lost += slot->lost;
        if (slot->lost || !(slot->may & bit) || !slot->walk[n].over || slot->waves != evt->data)
            continue;
        places |= UINT64_C(1) << k;
        if (!own || slot->may == bit)
            own = slot;
    }
    if (!own && !lost) {
        char text[200];
        snprintf(text, sizeof text,
                 "gpu%u cycle %lu: launch %u ended with %lu wavefronts: not all that it has, or none", gpu,
                 (unsigned long)cycle, evt->id, (unsigned long)evt->data);
        ls_fail(ls, gpu, 0, text);
        return;
    }
    for (unsigned k = 0; own && own->may != bit && (places & (places - 1)) && k < LS_SLOTS; k++)
        s->slot[k].lost |= places >> k & 1; /* it may have been in any of them */
    if (own)
        own->may = 0;
    slots_forget(s, n);
}

void lockstep_cp_evt(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_evt *evt)
{
    struct ls_start *s = &ls->start[gpu];
    ls->latest = ls->latest > cycle ? ls->latest : cycle;
    if (evt->kind == CP_EVT_CACHE_DONE && ls->flushed >> gpu & 1)
        ls->blind &= ~(UINT64_C(1) << gpu);
    for (unsigned n = 0; n < LS_LAUNCHES && !ls->failed; n++) {
        if (!(s->live >> n & 1))
            continue;
        const struct launch *l = &s->launch[n];
        if (evt->kind == CP_EVT_LAUNCH_DONE && l->cmd.id == evt->id) {
            launch_end(ls, gpu, cycle, n, evt);
            return;
        }
        if (evt->kind == CP_EVT_KILL_DONE && l->killed && l->cmd.vmid == evt->vmid)
            slots_forget(s, n);
    }
}

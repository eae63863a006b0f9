/* SPDX-License-Identifier: Apache-2.0
 * Lock step: takes events, keeps the observed instructions of every wavefront in program order, hands the oldest to the
 * comparison once everything the RTL does for it has been seen.
 */
#include "gcn3/lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gcn3/lockstep_private.h"

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
    return ls;
}

/* Some come for each instruction, so those that are done with wait in ls->spare. */
static struct ls_write *write_take(struct lockstep *ls)
{
    struct ls_write *x = ls->spare;
    if (!x)
        return xcalloc(1, sizeof *x);
    ls->spare = x->link;
    x->link = NULL;
    x->vector = x->scc_valid = x->scc = false;
    x->row = x->count = x->lanes = 0;
    return x;
}

static void entry_clear(struct lockstep *ls, struct ls_entry *e)
{
    while (e->writes) {
        struct ls_write *next = e->writes->link;
        e->writes->link = ls->spare;
        ls->spare = e->writes;
        e->writes = next;
    }
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

static struct ls_entry *entry_at(const struct ls_wave *w, size_t n)
{
    return &w->queue[(w->head + n) & (w->room - 1)];
}

static void wave_clear(struct ls_wave *w)
{
    for (size_t n = 0; n < w->count; n++) {
        if (entry_at(w, n)->lds_ordered)
            ls_lds_skip(w->cu, entry_at(w, n)->lds_turn);
        for (const struct ls_part *p = entry_at(w, n)->parts; p; p = p->link)
            ls_lds_skip(w->cu, p->turn);
        entry_clear(w->cu->ls, entry_at(w, n));
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
    disasm_free(ls->disasm);
    ls_coverage_free(ls->coverage);
    free(ls->roots);
    free(ls->cu);
    free(ls);
}

static struct ls_cu *find_cu(struct lockstep *ls, unsigned gpu, unsigned cu)
{
    struct ls_cu **at = &ls->cu[gpu * ls->cus + cu];
    if (*at)
        return *at;
    struct ls_cu *c = xcalloc(1, sizeof *c);
    c->ls = ls;
    c->gpu = gpu;
    c->index = cu;
    for (unsigned n = 0; n < LS_WAVES; n++)
        c->wave[n].cu = c;
    *at = c;
    return c;
}

static bool entry_ready(const struct ls_entry *e, uint64_t now, bool all)
{
    if (e->needs_done && !e->done)
        return false;
    return all || now >= (e->needs_done ? e->done_at : e->issued) + LS_SETTLE;
}

/* Compare what is complete. */
static void drain_wave(struct ls_wave *w, uint64_t now, bool all)
{
    struct ls_cu *cu = w->cu;
    while (w->count && !w->faulted && !cu->ls->failed && entry_ready(entry_at(w, 0), now, all)) {
        struct ls_entry *e = entry_at(w, 0);
        ls_check_entry(w, e, now);
        entry_clear(cu->ls, e);
        w->head = (w->head + 1) & (w->room - 1);
        w->count--;
        w->compared++;
        cu->ls->compared++;
    }
}

static struct ls_entry *entry_add(struct ls_wave *w)
{
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 64;
        struct ls_entry *queue = xcalloc(room, sizeof *queue);
        for (size_t n = 0; n < w->count; n++)
            queue[n] = *entry_at(w, n);
        free(w->queue);
        w->queue = queue;
        w->room = room;
        w->head = 0;
    }
    struct ls_entry *e = entry_at(w, w->count++);
    memset(e, 0, sizeof *e);
    return e;
}

/* Which instructions an observation may belong to. */
enum ls_kind { LS_ANY, LS_VMEM, LS_NOT_VMEM };

/* Oldest instruction with this tag that observations of now may belong to.  Tags are numbers modulo 256, and behind a
 * store that takes long more instructions wait for their comparison: those whose observations have all come are passed
 * over, and of vector memory instructions those that do not write `row` ({physical VGPR, beat}; -1: no vector
 * register). */
static struct ls_entry *entry_find(struct ls_wave *w, unsigned tag, uint64_t now, enum ls_kind kind, int row)
{
    for (size_t n = 0; n < w->count; n++) {
        struct ls_entry *e = entry_at(w, n);
        if (e->tag != tag || entry_ready(e, now, false) || (kind != LS_ANY && e->is_vmem != (kind == LS_VMEM)))
            continue;
        unsigned first = w->vgpr_base + e->vdst;
        if (row < 0 || !e->is_vmem || ((unsigned)row >> 2 >= first && (unsigned)row >> 2 < first + e->vdst_w))
            return e;
    }
    return NULL;
}

void lockstep_cp_cmd(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_cmd *cmd)
{
    (void)cycle;
    if (cmd->kind == CP_VMID)
        ls->roots[gpu * 256 + cmd->vmid] = cmd->root;
    if (cmd->kind == CP_VMID || cmd->kind == CP_CACHE)
        ls_flush(ls);
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
    w->faulted = false;
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
}

static void wave_end(struct ls_wave *w)
{
    struct ls_cu *cu = w->cu;
    w->ending = false;
    cu->endings--;
    drain_wave(w, w->end_cycle, true);
    if (cu->ls->failed)
        return;
    if (w->count || !w->state.ended || w->compared != w->end.instructions) {
        char text[160];
        snprintf(text, sizeof text, "wavefront ended: %zu instructions unfinished, %s, %lu compared, %u retired",
                 w->count, w->state.ended ? "s_endpgm seen" : "no s_endpgm", (unsigned long)w->compared,
                 w->end.instructions);
        ls_report(w, w->count ? entry_at(w, 0) : NULL, w->end_cycle, text);
        return;
    }
    for (unsigned n = 0; n < w->state.sgprs && n < SREG_FLAT_SCRATCH && w->sgpr_base + n < LS_SGPRS; n++)
        cu->sgpr[w->simd][w->sgpr_base + n] = w->state.s[n];
    w->active = false;
}

/* Finish the wavefronts whose end lies before this cycle. */
static void end_waves(struct ls_cu *cu, uint64_t cycle)
{
    for (unsigned n = 0; n < LS_WAVES && cu->endings && !cu->ls->failed; n++)
        if (cu->wave[n].ending && cu->wave[n].end_cycle < cycle)
            wave_end(&cu->wave[n]);
}

static void kill_vmid(struct ls_cu *cu, unsigned vmid)
{
    for (unsigned n = 0; n < LS_WAVES; n++)
        if (cu->wave[n].active && cu->wave[n].state.vmid == vmid) {
            cu->ls->observed -= cu->wave[n].count;
            wave_clear(&cu->wave[n]);
        }
}

void lockstep_cu_cmd(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd)
{
    struct ls_cu *c = find_cu(ls, gpu, cu);
    end_waves(c, cycle);
    if (cmd->kind == CU_WAVE)
        wave_start(c, cmd);
    else if (cmd->kind == CU_KILL)
        kill_vmid(c, cmd->vmid);
    else if (cmd->kind == CU_TRAP) {
        c->tba[cmd->vmid & 15] = cmd->pc;
        c->tma[cmd->vmid & 15] = cmd->exec;
    }
}

void lockstep_cu_evt(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_evt *evt)
{
    struct ls_cu *c = find_cu(ls, gpu, cu);
    struct ls_wave *w = &c->wave[evt->wave & 63];
    if (ls->failed || !w->active)
        return;
    if (evt->kind == CU_EVT_WAVE_DONE) {
        w->ending = true;
        w->end = *evt;
        w->end_cycle = cycle;
        c->endings++;
    } else if (evt->kind == CU_EVT_FAULT) {
        w->faulted = true;
    }
}

/* Requests carry {tag[15:8], 2 zeros, wave[5:0]} in `user`. */
void lockstep_mem_req(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_mem_req *req)
{
    if (ls->failed || (req->op != MEM_WRITE && req->op != MEM_ATOMIC))
        return;
    struct ls_wave *w = &find_cu(ls, gpu, cu)->wave[req->user & 63];
    struct ls_entry *e = w->active ? entry_find(w, req->user >> 8 & 255, cycle, LS_VMEM, -1) : NULL;
    ls_remember(ls, cycle, req);
    if (!e)
        return; /* of a killed or faulted wavefront */
    struct ls_request *r = xcalloc(1, sizeof *r), **end = &e->requests;
    r->req = *req;
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
    struct ls_entry *e = entry_add(w);
    struct gcn3_inst d;
    memcpy(&e->inst, data, 8);
    memcpy(&e->pc, data + 8, 8);
    e->tag = data[16];
    e->issued = cycle;
    gcn3_decode(e->inst, &d);
    e->is_lds = d.unit == UNIT_LDS;
    e->is_flat = d.unit == UNIT_FLAT;
    e->is_vmem = d.unit == UNIT_FLAT || d.unit == UNIT_MUBUF;
    e->unit = d.unit;
    e->vdst = d.vdst;
    e->vdst_w = d.vdst_w;
    e->needs_done =
        d.unit == UNIT_VALU || d.unit == UNIT_LDS || d.unit == UNIT_FLAT || d.unit == UNIT_MUBUF || d.unit == UNIT_SMEM;
    w->observed++;
    cu->ls->observed++;
}

static struct ls_write *add_write(struct lockstep *ls, struct ls_entry *e)
{
    struct ls_write *x = write_take(ls), **end = &e->writes;
    while (*end)
        end = &(*end)->link;
    *end = x;
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
    memcpy(x->data, data, sizeof x->data);
}

static void see_vgpr(struct ls_cu *cu, unsigned simd, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[(simd & 3) << 4 | field(data, 546, 4)];
    if (!w->active)
        return;
    if (w->observed == 0)
        return; /* item ids of a wavefront that starts */
    struct ls_entry *e = entry_find(w, field(data, 538, 8), cycle, LS_ANY, field(data, 528, 10));
    if (!e) {
        if (!w->faulted)
            ls_report(w, NULL, cycle, "vector register write of no instruction under way");
        return;
    }
    struct ls_write *x = add_write(cu->ls, e);
    x->vector = true;
    x->row = field(data, 528, 10);
    x->lanes = field(data, 512, 16);
    memcpy(x->data, data, sizeof x->data);
}

/* Whether an instruction's end is reported by this port: SIMD 0 to 3, LDS by pair, vector memory, scalar memory. */
static bool ends_at(const struct ls_entry *e, unsigned port)
{
    return port < 4 ? e->unit == UNIT_VALU : port < 6 ? e->is_lds : port == 6 ? e->is_vmem : e->unit == UNIT_SMEM;
}

static void see_tag(struct ls_cu *cu, bool lds, unsigned port, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 8, 6)];
    unsigned tag = data[0];
    for (size_t n = 0; w->active && n < w->count; n++) {
        struct ls_entry *e = entry_at(w, n);
        if (e->tag != tag || (lds ? !e->is_lds || e->lds_ordered : e->done || !ends_at(e, port)))
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

/* A part of a FLAT instruction takes its turn in the LDS. */
static void see_part(struct ls_cu *cu, uint64_t cycle, const uint8_t *data)
{
    struct ls_wave *w = &cu->wave[field(data, 8, 6)];
    struct ls_entry *e = w->active ? entry_find(w, data[0], cycle, LS_VMEM, -1) : NULL;
    if (!e || !e->is_flat) {
        if (w->active && !w->faulted)
            ls_report(w, e, cycle, "LDS access of no FLAT instruction under way");
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

void lockstep_observe(struct lockstep *ls, unsigned gpu, unsigned cu, enum lockstep_port port, unsigned lane,
                      uint64_t cycle, const void *data)
{
    struct ls_cu *c = find_cu(ls, gpu, cu);
    if (c->endings)
        end_waves(c, cycle);
    if (ls->failed)
        return;
    switch (port) {
    case LOCKSTEP_INST:
        see_inst(c, cycle, data);
        drain_wave(&c->wave[field(data, 136, 6)], cycle, false);
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
    }
}

void lockstep_settle(struct lockstep *ls)
{
    for (size_t n = 0; n < (size_t)ls->gpus * ls->cus; n++)
        if (ls->cu[n])
            end_waves(ls->cu[n], UINT64_MAX);
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
                ls_report(w, w->count ? entry_at(w, 0) : NULL, 0, "wavefront never ended");
        }
    return !ls->failed;
}

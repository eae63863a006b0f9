/* SPDX-License-Identifier: Apache-2.0
 * What messages of whole machines tell of pages that move, whoever sent them and why: every message that enters or
 * leaves a partition of an RTL GPU is looked at.  Of host/driver and host/vm it is asked only who has memory mapped and
 * where a page is; of host/migrate nothing.  Link with
 * --wrap=pagetable_lock,--wrap=migrate_settle.
 */
#ifndef MOVES_SEEN_H
#define MOVES_SEEN_H
#include <time.h>

#include "bridge/verilated/rtl_part.h"
#include "machine/sim_private.h"
#include "moves_run.h"
#include "vm/pagetable.h"

#define GPUS 8u
#define SEEN_MOST 65536u
#define LINE 64u
#define BLOCK_LINES 1024u
#define ENGINE_READ UINT32_C(0x80000000) /* tag of the page-move engine's requests to its own slices */
#define PASS 16u                         /* access of a store that takes no way in the L2 */

/* A command for caches or TLBs, at the hub of a GPU. */
struct seen_cache {
    unsigned gpu, ranges;
    uint8_t vmid;
    uint32_t flags;
    uint64_t cycle, bytes, at[8]; /* bytes 0: of everything */
    bool answered;
};

struct seen_settled {
    uint64_t page, bytes, cycle;
};

struct seen_lock {
    const struct pagetable *pt;
    uint64_t va, bytes, cycle;
};

/* CP_MOVE, CP_STORE, the lines between them, both reports. */
struct seen_order {
    unsigned from, to;
    uint16_t id;
    uint8_t slot;
    uint32_t lines, flags, came, written;
    uint64_t page, source, target, sum;
    uint8_t line_came[BLOCK_LINES], line_written[BLOCK_LINES];
    bool moved, stored, given_up;
};

static struct {
    struct driver *driver;
    struct seen_part {
        struct part *part;
        unsigned gpu;
    } * parts;
    struct seen_cache caches[SEEN_MOST];
    struct seen_lock locks[4 * SEEN_MOST];
    struct seen_order *open[64];
    struct seen_settled settled[SEEN_MOST];
    uint64_t recent[64]; /* pages that were accessed */
    unsigned cache_count, lock_count, settled_count, open_count, recent_count;
    unsigned first_cache[GPUS];   /* the oldest without an answer */
    unsigned launches[GPUS][256]; /* at a GPU, by address space */
    /* what was held against the messages */
    unsigned orders, given_up, shot, silent, lines, probes, answers[GPUS], waves, waves_between;
} seen;

static unsigned owner(uint64_t pa)
{
    return (unsigned)(pa >> PMEM_OWNER_SHIFT) - 1;
}

/* A frame that its page has left: somebody's memory, which is elsewhere. */
static bool vacated(uint64_t pa)
{
    const struct pmem *pm = machine_memory(seen.driver->machine);
    return *pmem_moved(pm) && pmem_page_at(pm, pa) != pa && backing_at(seen.driver, pa & ~(PAGE - 1));
}

static bool arrived(uint64_t pa) /* of a page that is away: where it is */
{
    const struct pmem *pm = machine_memory(seen.driver->machine);
    return *pmem_moved(pm) && pmem_page_at(pm, pa) != pa && !backing_at(seen.driver, pa & ~(PAGE - 1));
}

static bool within(uint64_t at, uint64_t from, uint64_t bytes)
{
    return at - from < bytes;
}

/* ---- the lock of a page on every GPU that has it mapped */
int __real_pagetable_lock(struct pagetable *pt, uint64_t va, uint64_t bytes, bool locked);
int __wrap_pagetable_lock(struct pagetable *pt, uint64_t va, uint64_t bytes, bool locked);
int __wrap_pagetable_lock(struct pagetable *pt, uint64_t va, uint64_t bytes, bool locked)
{
    if (locked && seen.parts) {
        assert_true(seen.lock_count < 4 * SEEN_MOST);
        seen.locks[seen.lock_count++] = (struct seen_lock){pt, va, bytes, machine_now(seen.driver->machine)};
    }
    return __real_pagetable_lock(pt, va, bytes, locked);
}

/* Its owner has unmapped or freed a page since it was locked, or mapped it elsewhere: what is on its way goes nowhere.
 */
void __real_migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes);
void __wrap_migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes);
void __wrap_migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes)
{
    for (unsigned i = 0; i < seen.open_count; i++)
        seen.open[i]->given_up |= within(seen.open[i]->page, page, bytes) ||
                                  within(page, seen.open[i]->page, (uint64_t)LINE * seen.open[i]->lines);
    if (seen.parts) {
        assert_true(seen.settled_count < SEEN_MOST);
        seen.settled[seen.settled_count++] = (struct seen_settled){page, bytes, machine_now(seen.driver->machine)};
    }
    __real_migrate_settle(m, page, bytes);
}

static bool settled_since(uint64_t page, uint64_t cycle)
{
    bool settled = false;
    for (unsigned i = seen.settled_count; i-- > 0 && seen.settled[i].cycle >= cycle;)
        settled |= within(page, seen.settled[i].page, seen.settled[i].bytes);
    return settled;
}

static uint64_t locked_at(const struct pagetable *pt, uint64_t va)
{
    for (unsigned i = seen.lock_count; i-- > 0;)
        if (seen.locks[i].pt == pt && within(va, seen.locks[i].va, seen.locks[i].bytes))
            return seen.locks[i].cycle;
    fail_msg("a page moves that was not locked");
    return 0;
}

static bool names(const struct seen_cache *c, uint64_t at)
{
    bool named = c->bytes == 0;
    for (unsigned i = 0; i < c->ranges; i++)
        named |= within(at, c->at[i], c->bytes);
    return named;
}

/* S1.9, S1.11: one shoot-down of it has reached this GPU since it was locked, and has been answered; where nothing ran
 * then, none, but whatever has been launched since has dropped all translations before. */
static void view_seen(unsigned gpu, uint8_t vmid, const struct pagetable *pt, uint64_t va, uint64_t since)
{
    unsigned count = 0;
    bool dropped = seen.launches[gpu][vmid] == 0;
    assert_true(pagetable_locked(pt, va));
    for (unsigned i = seen.cache_count; i-- > 0 && seen.caches[i].cycle >= since;) {
        const struct seen_cache *c = &seen.caches[i];
        if (c->gpu != gpu || c->vmid != vmid || !(c->flags & CACHE_INV_TLB) || !names(c, va))
            continue;
        assert_true(c->answered || c->bytes == 0);
        dropped |= c->answered;
        count += c->bytes != 0;
    }
    assert_true(count < 2 && dropped);
    seen.shot += count;
    seen.silent += !count;
}

/* On every GPU that has it mapped.  The cycle of its lock; false: its owner has changed since. */
static bool page_seen(uint64_t page, uint64_t *since)
{
    const struct backing *b = backing_at(seen.driver, page);
    bool first = true;
    for (const struct hold *hold = b ? b->hold : NULL; hold; hold = hold->next)
        for (const struct object *o = hold->object; o; o = o->sibling)
            for (unsigned g = 0; g < GPUS; g++) {
                const struct client_gpu *on = &hold->client->gpu[g];
                const uint64_t va = o->va + (page - backing_address(b));
                if (!(o->mapped >> g & 1))
                    continue;
                if (first)
                    *since = locked_at(on->pt, va);
                if (first && settled_since(page, *since))
                    return false;
                first = false;
                view_seen(g, on->space.vmid, on->pt, va, *since);
            }
    return !first;
}

/* S1.10: its slices have written the frame back and dropped it, since it was locked, and said so. */
static bool flush_seen(unsigned gpu, uint64_t frame, uint64_t since)
{
    const uint32_t both = CACHE_WB_L2 | CACHE_INV_L2;
    for (unsigned i = seen.cache_count; i-- > 0 && seen.caches[i].cycle >= since;) {
        const struct seen_cache *c = &seen.caches[i];
        if (c->gpu == gpu && (c->flags & (both | CACHE_INV_TLB)) == both && c->answered &&
            names(c, frame & PMEM_OFFSET_MASK))
            return true;
    }
    return false;
}

/* S1.12: of each line its number, address and flags, once. */
static struct seen_order *order_at(uint64_t target)
{
    for (unsigned i = 0; i < seen.open_count; i++)
        if (within(target, seen.open[i]->target, (uint64_t)LINE * seen.open[i]->lines))
            return seen.open[i];
    return NULL;
}

static void order_begins(unsigned gpu, const struct msg_cp_move *m)
{
    struct seen_order *o = calloc(1, sizeof *o);
    *o = (struct seen_order){.from = gpu,
                             .to = owner(m->target),
                             .id = m->id,
                             .slot = m->slot,
                             .lines = m->lines,
                             .flags = m->flags,
                             .source = pmem_addr(gpu + 1, m->source),
                             .target = m->target};
    assert_true(o->lines && o->lines <= BLOCK_LINES && o->to != gpu && !order_at(o->target) && seen.open_count < 64);
    for (uint64_t at = 0; at < (uint64_t)LINE * o->lines; at += PAGE) {
        const uint64_t page = pmem_page_at(machine_memory(seen.driver->machine), o->source + at);
        uint64_t since = 0;
        o->page = at ? o->page : page;
        o->given_up |= !page_seen(page, &since);
        assert_true(o->given_up || flush_seen(gpu, o->source + at, since));
    }
    seen.open[seen.open_count++] = o;
    seen.orders++;
}

/* As rtl/rdma/rdma_move_pkg.sv says it. */
static uint64_t rotated(uint64_t word, unsigned by)
{
    return by % 64 ? word << by % 64 | word >> (64 - by % 64) : word;
}
static uint64_t share(const uint64_t data[8], unsigned line)
{
    uint64_t sum = line + UINT64_C(1);
    for (unsigned w = 0; w < 8; w++)
        sum ^= rotated(data[w], 8 * w);
    return rotated(sum, line);
}

static void line_seen(unsigned gpu, const struct msg_mem_move *m)
{
    struct seen_order *o = order_at(m->addr);
    assert_non_null(o);
    const uint64_t n = (m->addr - o->target) / LINE;
    assert_true(o->from == gpu && m->line == n && m->slot == o->slot && m->flags == o->flags && !o->line_came[n]++);
    o->came++;
    o->sum += share(m->data, (unsigned)n);
    seen.lines++;
}

/* S1.13: both report when the last line has been written to DRAM there, with the flags and the sum of what was sent. */
static void report_seen(unsigned gpu, const struct msg_cp_evt_move *e)
{
    for (unsigned i = 0; i < seen.open_count; i++) {
        struct seen_order *o = seen.open[i];
        const bool moved = e->kind == CP_EVT_MOVED && o->from == gpu && o->id == e->id;
        const bool stored = e->kind == CP_EVT_STORED && o->to == gpu && o->slot == e->slot && !o->stored;
        if (!moved && !stored)
            continue;
        assert_true(e->begun && e->status == MOVE_OK && e->lines == o->lines && e->flags == o->flags);
        assert_true(o->came == o->lines && o->written == o->lines && e->checksum == o->sum);
        seen.given_up += moved && o->given_up;
        o->moved |= moved;
        o->stored |= stored;
        if (o->moved && o->stored) {
            free(o);
            seen.open[i] = seen.open[--seen.open_count];
        }
        return;
    }
    fail_msg("a report of a page that nobody has sent");
}

/* ---- what partitions take and send */
static void hub_takes(unsigned gpu, uint64_t cycle, const struct msg_cp_cmd *cmd)
{
    struct msg_cp_move move;
    struct msg_cp_pages list;
    memcpy(&move, cmd, sizeof move);
    memcpy(&list, cmd, sizeof list);
    if (cmd->kind == CP_LAUNCH)
        seen.launches[gpu][cmd->vmid]++;
    if (cmd->kind == CP_MOVE)
        order_begins(gpu, &move);
    if (cmd->kind != CP_CACHE)
        return;
    assert_true(seen.cache_count < SEEN_MOST);
    struct seen_cache *c = &seen.caches[seen.cache_count++];
    *c = (struct seen_cache){.gpu = gpu,
                             .vmid = cmd->vmid,
                             .flags = cmd->flags,
                             .cycle = cycle,
                             .bytes = list.pages ? list.bytes : cmd->pc,
                             .ranges = list.pages ? list.pages : 1,
                             .at = {cmd->root}};
    if (list.pages)
        memcpy(c->at, list.page, sizeof c->at);
}

static void hub_tells(unsigned gpu, const struct msg_cp_evt *evt)
{
    struct msg_cp_evt_move move;
    memcpy(&move, evt, sizeof move);
    if (evt->kind == CP_EVT_LAUNCH_DONE)
        seen.launches[gpu][evt->vmid]--;
    if (evt->kind == CP_EVT_MOVED || (evt->kind == CP_EVT_STORED && evt->start)) /* else: a slot was given up */
        report_seen(gpu, &move);
    if (evt->kind != CP_EVT_CACHE_DONE)
        return;
    unsigned *i = &seen.first_cache[gpu]; /* answered in order */
    while (*i < seen.cache_count && seen.caches[*i].gpu != gpu)
        ++*i;
    assert_true(*i < seen.cache_count);
    seen.caches[(*i)++].answered = true;
}

/* S1.10, S1.14: nobody but the engine wants a page that is being moved; nobody wants the frame that it has left. */
static void slice_takes(const struct msg_mem_req *r)
{
    const bool engine = r->tag & ENGINE_READ && r->op == MEM_READ_NC;
    for (unsigned i = 0; i < seen.open_count; i++) {
        const struct seen_order *o = seen.open[i];
        assert_true(engine || o->given_up || !within(r->addr, o->source, (uint64_t)LINE * o->lines));
        assert_true((r->op == MEM_WRITE && r->access == PASS) ||
                    !within(r->addr, o->target, (uint64_t)LINE * o->lines));
    }
    assert_true(engine || r->access == PASS || !vacated(r->addr));
    const uint64_t page = pmem_page_at(machine_memory(seen.driver->machine), r->addr) & ~(PAGE - 1);
    if (!engine && r->access != PASS && r->op != MEM_READ_NC && seen.recent[(seen.recent_count + 63) % 64] != page)
        seen.recent[seen.recent_count++ % 64] = page;
    seen.probes += arrived(r->addr) && !engine && r->access != PASS;
}

static void slice_writes(unsigned gpu, const struct msg_dram_req *r)
{
    const uint64_t pa = pmem_addr(gpu + 1, r->addr);
    struct seen_order *o = r->write ? order_at(pa) : NULL;
    for (unsigned i = 0; r->write && i < seen.open_count; i++) /* nothing of it is dirty */
        assert_true(seen.open[i]->given_up || !within(pa, seen.open[i]->source, (uint64_t)LINE * seen.open[i]->lines));
    if (o) {
        assert_true(!o->line_written[(pa - o->target) / LINE]++ && r->mask == UINT64_MAX);
        o->written++;
    }
}

/* S1.14: no TLB is told of a frame that a page has left. */
static void tlb_tells(unsigned gpu, const struct msg_mem_rsp *r)
{
    const uint64_t entry = r->data[0];
    if (r->op != MEM_XLAT || r->status != MEM_OK || entry & PTE_LOCKED || entry >> PMEM_OWNER_SHIFT == 0)
        return;
    assert_false(vacated(entry & PTE_ADDR));
    seen.answers[gpu] += arrived(entry & PTE_ADDR);
}

static void seen_message(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    const struct seen_part *p = ctx;
    const struct model_api *api = rtl_part_api(p->part);
    const char *part = strchr(part_name(p->part), '.') + 1, *port = "";
    for (uint32_t i = 0; i < api->port_count; i++)
        if (api->ports[i].out == out && within(slot, api->ports[i].slot, api->ports[i].count))
            port = api->ports[i].name;
    if (strcmp(part, "dispatch") == 0) {
        if (!out && strcmp(port, "cp_cmd") == 0)
            hub_takes(p->gpu, cycle, message);
        if (out && strcmp(port, "cp_evt") == 0)
            hub_tells(p->gpu, message);
        if (out && strcmp(port, "cu_cmd") == 0 && ((const struct msg_cu_cmd *)message)->kind == CU_WAVE) {
            seen.waves++;
            seen.waves_between += seen.open_count != 0;
        }
    } else if (strcmp(part, "rdma") == 0 && out && strcmp(port, "far_req") == 0) {
        if (((const struct msg_mem_req *)message)->op == MEM_MOVE)
            line_seen(p->gpu, message);
    } else if (strncmp(part, "l2s", 3) == 0 && !out && strcmp(port, "mem_req") == 0) {
        slice_takes(message);
    } else if (strncmp(part, "l2s", 3) == 0 && out && strcmp(port, "dram_req") == 0) {
        slice_writes(p->gpu, message);
    } else if (strcmp(part, "utcl2") == 0 && out && strcmp(port, "mem_rsp") == 0) {
        tlb_tells(p->gpu, message);
    }
}

static uint64_t moves_wanted(void)
{
    return seen.recent[number(64)];
}

static void moves_begin(void)
{
    free(seen.parts);
    memset(&seen, 0, sizeof seen);
}

static void moves_started(struct driver *d)
{
    struct sched *sched = &machine_sim(d->machine)->sched;
    if (seen.parts)
        return;
    seen.driver = d;
    seen.parts = calloc(sched->count, sizeof *seen.parts);
    for (uint32_t i = 0; i < sched->count; i++) {
        const char *name = part_name(sched->parts[i]), *dot = strchr(name, '.');
        seen.parts[i] = (struct seen_part){sched->parts[i], (unsigned)atoi(name + 3)};
        if (dot && strncmp(name, "gpu", 3) == 0 &&
            (strcmp(dot, ".dispatch") == 0 || strcmp(dot, ".rdma") == 0 || strcmp(dot, ".utcl2") == 0 ||
             (strncmp(dot, ".l2s", 4) == 0 && !strchr(dot + 1, '.'))))
            rtl_part_tap(sched->parts[i], seen_message, &seen.parts[i]);
    }
}

/* A run without moves, and one with: same data, and what was seen is enough. */
static void on_gpus(unsigned gpus, const char *hold)
{
    char count[24];
    snprintf(count, sizeof count, "system.gpus=%u", gpus);
    const char *const settings[3] = {count, hold};
    const struct result without = run("sort", SIM_RTL, false, settings, NO_MOVES);
    assert_int_equal(seen.orders, 0);
    seed = gpus;
    rare = gpus / 4 + 1; /* not all at the beginning of the program */
    const struct result with = run("sort", SIM_RTL, false, settings, WHILE_IT_RUNS);
    printf(
        "%u GPUs, %s: %u moves in %u orders (%u given up), %u lines; %u shoot-downs, %u where nothing ran; %u accesses "
        "to pages that were away, translations by GPU",
        gpus, hold, moved, seen.orders, seen.given_up, seen.lines, seen.shot, seen.silent, seen.probes);
    for (unsigned g = 0; g < gpus; g++)
        printf(" %u", seen.answers[g]);
    printf("; %u of %u wavefronts were placed while lines were on their way; %.1f s\n", seen.waves_between, seen.waves,
           (double)clock() / CLOCKS_PER_SEC);
    assert_true(with.data == without.data && with.kernels == without.kernels);
    assert_int_equal(seen.open_count, 0);
    assert_true(seen.orders > 30 && seen.lines > 64 * 30 && seen.shot + seen.silent > 100 && seen.probes > 1000);
    for (unsigned g = 0; g < gpus; g++)
        assert_true(seen.answers[g] > 2);
}
#endif

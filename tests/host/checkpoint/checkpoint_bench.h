// SPDX-License-Identifier: Apache-2.0
// The machine of the tests of checkpoints (checkpoint.h), configuration tiny: a kernel that stores to VRAM or to host
// memory, more commands than there are places, timers; what became of it; its state in a file and back.
#ifndef CHECKPOINT_BENCH_H
#define CHECKPOINT_BENCH_H
#include <dirent.h>
#include <unistd.h>

#include "../machine/kernel_bench.h"

#include "checkpoint/checkpoint.h"
#include "saved/state_io.h"

#define GROUPS 6
#define ITEMS (GROUPS * 64 - 20) /* the last group is partial */
#define FLOOD 90u                /* commands: more than places for them */

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    uint64_t notes; /* hash over events and timers: the user's side, saved beside the machine */
    uint64_t counters;
    unsigned events;
};

static inline void note(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 31;
}

static inline void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    note(&m->notes, now * 64 + gpu);
    note(&m->notes, evt->kind * UINT64_C(65536) + evt->id);
    note(&m->notes, evt->start + 3 * evt->end + 5 * evt->instructions);
    m->events++;
}

static char folder[] = "/tmp/gantry-checkpoint-XXXXXX", file[64];

static inline void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    note(&m->notes, now * 256 + cookie);
    if (cookie == 99)
        sim_save(m->sim, file, NULL); /* in the middle of a window */
    if (cookie < 4)
        sim_timer(m->sim, now + 97, cookie + 10);
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static inline void beside_save(void *ctx, struct state_writer *to)
{
    struct machine *m = ctx;
    STATE_PUT(to, m->notes);
    STATE_PUT(to, m->events);
}

static inline bool beside_restore(void *ctx, struct state_reader *from)
{
    struct machine *m = ctx;
    return STATE_GET(from, m->notes) && STATE_GET(from, m->events);
}

static inline struct sim_beside beside_of(struct machine *m)
{
    return (struct sim_beside){.save = beside_save, .restore = beside_restore, .ctx = m};
}

struct kind {
    enum sim_model model;
    unsigned threads;
    bool no_skip, lockstep;
    const char *setting;
};

/* A machine in which nothing has happened and whose memory is empty. */
static inline void machine_open(struct machine *m, struct kind kind)
{
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, kind.setting);
    m->memory = kernel_memory(&m->config);
    struct sim_options options = {.model = kind.model,
                                  .seed = m->config.cfg.seed,
                                  .no_skip = kind.no_skip,
                                  .lockstep = kind.lockstep,
                                  .threads = kind.threads};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static inline void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* Kernel, commands and timers; the kernel stores into host memory or VRAM. */
static inline void machine_begin(struct machine *m, bool host)
{
    uint64_t out = OUT_VA, to = pmem_addr(host ? 0 : 1, 0x3000);
    m->table = kernel_tables(m->memory, kernel_numbers, sizeof kernel_numbers, to, host ? PTE_UNCACHED : 0);
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    struct msg_cp_cmd cmd = kernel_launch(3, 7, ITEMS);
    sim_cmd(m->sim, 0, &vmid);
    sim_cmd(m->sim, 0, &cmd);
    for (unsigned i = 0; i < FLOOD; i++) {
        struct msg_cp_cmd flood = {.kind = CP_CACHE, .vmid = 3, .id = (uint16_t)(100 + i), .flags = CACHE_INV_TLB};
        sim_cmd(m->sim, 0, &flood);
    }
    for (unsigned i = 0; i < 4; i++) {
        sim_timer(m->sim, 1501, 3 - i);
        sim_timer(m->sim, 300 * i, 20 + i);
    }
}

static inline void counter_note(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct machine *m = arg;
    (void)unit;
    for (const char *c = location; *c; c++)
        note(&m->counters, (uint8_t)*c);
    for (const char *c = name; *c; c++)
        note(&m->counters, (uint8_t)*c);
    note(&m->counters, value);
}

struct outcome {
    uint64_t cycle, visits, hash, state, notes, instructions, memory, counters;
};

static inline struct outcome machine_end(struct machine *m, bool host)
{
    uint32_t out[1024];
    struct outcome o = {0};
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->events, FLOOD + 1);
    const struct msg_cp_cmd release = {.kind = CP_CACHE, .vmid = 3, .id = 8, .flags = CACHE_WB_L2}; /* of the L2 */
    sim_cmd(m->sim, 0, &release);
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    pmem_read(m->memory, pmem_addr(host ? 0 : 1, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], i < ITEMS ? 4 * i : 0);
    o.cycle = sim_now(m->sim);
    o.visits = sched_visits(&m->sim->sched);
    o.hash = sim_write_hash(m->sim);
    o.state = sim_state_hash(m->sim);
    o.notes = m->notes;
    o.instructions = sim_instructions(m->sim);
    sim_counters(m->sim, counter_note, m); /* takes clock edges: last */
    o.counters = m->counters;
    return o;
}

static inline void outcome_equal(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->cycle, b->cycle);
    assert_int_equal(a->visits, b->visits);
    assert_true(a->hash == b->hash);
    assert_true(a->notes == b->notes);
    assert_int_equal(a->instructions, b->instructions);
    assert_true(a->counters == b->counters);
    assert_true(a->state == b->state);
}

static inline unsigned files_in(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static inline void restore(struct machine *m, struct kind kind)
{
    machine_open(m, kind);
    struct sim_beside beside = beside_of(m);
    assert_int_equal(sim_restore(m->sim, file, &beside), STATUS_OK);
}

static inline int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || snprintf(file, sizeof file, "%s/state", folder) < 0;
}

static inline int folder_remove(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}
#endif

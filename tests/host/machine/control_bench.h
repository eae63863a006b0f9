// SPDX-License-Identifier: Apache-2.0
// A machine of configuration tiny for tests of control messages: its kernel, signals sent by timers while it runs,
// their answers, its output. Not responsible for: what the kernel is (kernel_bench.h).
#ifndef CONTROL_BENCH_H
#define CONTROL_BENCH_H
#include "kernel_bench.h"

#define ITEMS 380
#define MAX 64

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    struct msg_cp_evt events[MAX];
    unsigned count;
    struct { /* signals to be sent by timers */
        uint8_t groups, signals;
        uint16_t number;
    } plan[MAX];
};

static inline void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    (void)gpu, (void)now;
    assert_true(m->count < MAX);
    m->events[m->count++] = *evt;
}

static inline void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    (void)now;
    const struct msg_cp_cmd cmd = {.kind = CP_CONTROL,
                                   .id = (uint16_t)(100 + cookie),
                                   .flags = m->plan[cookie].signals | (uint32_t)m->plan[cookie].groups << 8 |
                                            (uint32_t)m->plan[cookie].number << 16};
    sim_cmd(m->sim, 0, &cmd);
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static inline void machine_open(struct machine *m)
{
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, NULL);
    m->memory = kernel_memory(&m->config);
    m->table = kernel_tables(m->memory, kernel_numbers, sizeof kernel_numbers, pmem_addr(0, 0x3000), 0);
    uint64_t out = OUT_VA;
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
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

static inline void launch(struct machine *m)
{
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, ITEMS);
    sim_cmd(m->sim, 0, &vmid);
    sim_cmd(m->sim, 0, &cmd);
}

static inline void assert_data(struct machine *m)
{
    uint32_t out[1024];
    pmem_read(m->memory, pmem_addr(0, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], i < ITEMS ? 4 * i : 0);
}

static inline const struct msg_cp_evt *event_of(const struct machine *m, unsigned id)
{
    const struct msg_cp_evt *found = NULL;
    for (unsigned i = 0; i < m->count; i++)
        if (m->events[i].id == id) {
            assert_null(found); /* exactly one answer */
            found = &m->events[i];
        }
    return found;
}

/* Signals at a cycle; their answer has id 100 + n. */
static inline void plan(struct machine *m, unsigned n, uint64_t at, uint8_t groups, uint8_t signals)
{
    m->plan[n].groups = groups, m->plan[n].signals = signals, m->plan[n].number = 0xffff;
    sim_timer(m->sim, at, n);
}

static inline void assert_answer(const struct machine *m, unsigned n, unsigned status, unsigned state)
{
    const struct msg_cp_evt *e = event_of(m, 100 + n);
    assert_non_null(e);
    if (e->kind != CP_EVT_CONTROL_DONE || e->status != status || e->wave != state)
        fail_msg("message %u: status %u, state %u, want %u, %u", n, e->status, e->wave, status, state);
}

#define EVERY                                                                                                          \
    (CTL_GROUP_SQC | CTL_GROUP_UTCL2 | CTL_GROUP_RDMA | CTL_GROUP_NOC | CTL_GROUP_L2 | CTL_GROUP_CU |                  \
     CTL_GROUP_DISPATCH)
static const uint8_t groups[] = {CTL_GROUP_SQC, CTL_GROUP_UTCL2, CTL_GROUP_RDMA,    CTL_GROUP_NOC,
                                 CTL_GROUP_L2,  CTL_GROUP_CU,    CTL_GROUP_DISPATCH}; /* the last two have no discard */
#define GROUPS (sizeof groups / sizeof groups[0])

/* The cycle at which a kernel that nobody holds up ends. */
static inline uint64_t plain_end(void)
{
    struct machine m;
    machine_open(&m);
    launch(&m);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    const uint64_t end = event_of(&m, 7)->end;
    machine_close(&m);
    return end;
}
#endif

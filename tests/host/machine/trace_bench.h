// SPDX-License-Identifier: Apache-2.0
// A machine of configuration tiny with any number of GPUs in RTL, which notes every message that enters or leaves a
// partition; a kernel that adds 1 to words, or only reads them, at addresses that its arguments name.  Not responsible
// for: what a test makes of the notes.
#ifndef TRACE_BENCH_H
#define TRACE_BENCH_H
#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "kernel_bench.h"

#define TRACE_MOST 400000u
#define TRACE_VMID 3

struct trace_note {
    uint64_t cycle;
    const char *part, *port; /* "gpu1.l2s0", "mem_req" */
    uint32_t lane;
    bool out;
    union {
        struct msg_mem_req req;
        struct msg_mem_rsp rsp;
        struct msg_dram_req dram;
        struct msg_ctl_cmd cmd;
        struct msg_ctl_evt evt;
    } of;
};

struct traced;
struct trace_watch {
    struct traced *machine;
    struct part *part;
};

struct traced {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    unsigned gpu; /* that runs the kernel */
    bool both;    /* events of other GPUs are kept, too */
    struct msg_cp_evt events[64];
    uint64_t told[64]; /* when the host was */
    unsigned count;
    struct { /* control messages that timers send */
        uint8_t groups, signals;
    } plan[16];
    struct trace_watch *watches;
    struct trace_note *notes;
    unsigned noted;
    bool noting;
};

/* Arguments: an address, how often and how far apart a lane goes on, how far lanes and work-groups are apart. */
struct trace_args {
    uint64_t address;
    uint32_t steps, stride, lane, group;
};

static const uint32_t trace_kernel[] = {
    0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0: address, steps, stride */
    0xc0060200, 0x00000010, /* s_load_dwordx2 s[8:9], s[0:1], 0x10: of a lane, of a group */
    0xbf8c007f,             /* s_waitcnt lgkmcnt(0) */
    0x92030902,             /* s_mul_i32 s3, s2, s9 */
    0x80040304,             /* s_add_u32 s4, s4, s3 */
    0x82058005,             /* s_addc_u32 s5, s5, 0 */
    0x10020008,             /* v_mul_u32_u24 v1, s8, v0 */
    0x7e060205,             /* loop: v_mov_b32 v3, s5 */
    0x32040204,             /* v_add_u32 v2, vcc, s4, v1 */
    0x38060680,             /* v_addc_u32 v3, vcc, 0, v3, vcc */
    0xdc500000, 0x04000002, /* flat_load_dword v4, v[2:3] */
    0x80040704,             /* s_add_u32 s4, s4, s7 */
    0x82058005,             /* s_addc_u32 s5, s5, 0 */
    0x80868106,             /* s_sub_u32 s6, s6, 1 */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0x32080881,             /* v_add_u32 v4, vcc, 1, v4 */
    0xdc700000, 0x00000402, /* flat_store_dword v[2:3], v4 */
    0xbf078006,             /* s_cmp_lg_u32 s6, 0 */
    0xbf85fff2,             /* s_cbranch_scc1 loop */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xbf810000,             /* s_endpgm */
};
#define TRACE_STORE 19 /* dwords of it: two that do nothing make a kernel that only reads */

static inline void trace_tap(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct trace_watch *w = ctx;
    struct traced *m = w->machine;
    const struct model_api *api = rtl_part_api(w->part);
    for (uint32_t i = 0; m->noting && i < api->port_count; i++) {
        const struct model_port *p = &api->ports[i];
        if (p->out != out || slot < p->slot || slot >= p->slot + p->count || p->bytes > sizeof m->notes->of)
            continue; /* the longest are launches and wavefronts */
        assert_true(m->noted < TRACE_MOST);
        struct trace_note *n = &m->notes[m->noted++];
        *n = (struct trace_note){
            .cycle = cycle, .part = part_name(w->part), .port = p->name, .lane = slot - p->slot, .out = out};
        memcpy(&n->of, message, p->bytes);
    }
}

static inline void trace_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct traced *m = ctx;
    assert_true((m->both || gpu == m->gpu) && m->count < 64);
    m->told[m->count] = now;
    m->events[m->count++] = *evt;
}

static inline void trace_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct traced *m = ctx;
    (void)now;
    const struct msg_cp_cmd cmd = {.kind = CP_CONTROL,
                                   .id = (uint16_t)(100 + cookie),
                                   .flags = m->plan[cookie].signals | (uint32_t)m->plan[cookie].groups << 8 |
                                            UINT32_C(0xffff0000)};
    sim_cmd(m->sim, m->gpu, &cmd);
}

static inline bool trace_is_rtl(const struct part *part)
{
    static const char *const kinds[] = {"cu", "sqc", "noc", "l2s", "utcl2", "rdma", "dispatch"};
    const char *dot = strchr(part_name(part), '.');
    for (unsigned i = 0; dot && strncmp(part_name(part), "gpu", 3) == 0 && i < 7; i++)
        if (strncmp(dot + 1, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* Code at CODE_VA, arguments at ARG_VA, both in the VRAM of `gpu`, which runs it; a test maps what it works on.
 * setting: "key=value", NULL: none. */
static inline struct traced *trace_open_with(unsigned gpus, unsigned gpu, bool stores, const char *setting)
{
    static const struct sim_host_ops ops = {.event = trace_event, .timer = trace_timer};
    const struct sim_options options = {.model = SIM_RTL, .seed = 1};
    uint32_t code[sizeof trace_kernel / 4];
    char many[32];
    struct traced *m = calloc(1, sizeof *m);
    snprintf(many, sizeof many, "system.gpus=%u", gpus);
    config_init(&m->config);
    assert_int_equal(config_load(&m->config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", many), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(&m->config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->gpu = gpu;
    m->notes = malloc(TRACE_MOST * sizeof *m->notes);
    m->memory = pmem_new(gpus, (uint64_t)m->config.cfg.gpu_vram_mib << 20, 1 << 20);
    assert_non_null(m->memory);
    m->table = pagetable_new(m->memory, gpu);
    assert_non_null(m->table);
    memcpy(code, trace_kernel, sizeof code);
    assert_int_equal(code[TRACE_STORE], 0xdc700000);
    if (!stores)
        code[TRACE_STORE] = code[TRACE_STORE + 1] = 0xbf800000; /* s_nop */
    assert_int_equal(pagetable_map(m->table, CODE_VA, pmem_addr(gpu + 1, 0x8000), 0x1000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(m->table, ARG_VA, pmem_addr(gpu + 1, 0x9000), 0x1000, PTE_R), 0);
    pmem_write(m->memory, pmem_addr(gpu + 1, 0x8000), code, sizeof code);
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &ops, m);
    assert_non_null(m->sim);
    m->watches = calloc(m->sim->sched.count, sizeof *m->watches);
    for (uint32_t i = 0; i < m->sim->sched.count; i++) {
        m->watches[i] = (struct trace_watch){m, m->sim->sched.parts[i]};
        if (trace_is_rtl(m->watches[i].part))
            rtl_part_tap(m->watches[i].part, trace_tap, &m->watches[i]);
    }
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = TRACE_VMID, .root = pagetable_root(m->table)};
    sim_cmd(m->sim, gpu, &vmid);
    return m;
}

static inline struct traced *trace_open(unsigned gpus, unsigned gpu, bool stores)
{
    return trace_open_with(gpus, gpu, stores, NULL);
}

static inline void trace_close(struct traced *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
    free(m->watches);
    free(m->notes);
    free(m);
}

static inline void trace_launch(struct traced *m, struct trace_args args, unsigned items)
{
    const struct msg_cp_cmd cmd = kernel_launch(TRACE_VMID, 7, items);
    pmem_write(m->memory, pmem_addr(m->gpu + 1, 0x9000), &args, sizeof args);
    sim_cmd(m->sim, m->gpu, &cmd);
}

/* A command, and what the host is told then. */
static inline const struct msg_cp_evt *trace_command(struct traced *m, const struct msg_cp_cmd *cmd)
{
    const unsigned before = m->count;
    sim_cmd(m->sim, m->gpu, cmd);
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->count, before + 1);
    return &m->events[before];
}
static inline void trace_caches(struct traced *m, unsigned flags)
{
    const struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = TRACE_VMID, .id = 8, .flags = flags};
    assert_int_equal(trace_command(m, &cmd)->kind, CP_EVT_CACHE_DONE);
}

/* The launch, from a clean record on, to its end. */
static inline const struct msg_cp_evt *trace_run(struct traced *m, struct trace_args args, unsigned items)
{
    m->count = m->noted = 0;
    m->noting = true;
    trace_launch(m, args, items);
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    m->noting = false;
    assert_int_equal(m->count, 1);
    return &m->events[0];
}

static inline bool trace_at(const struct trace_note *n, const char *part, const char *port, bool out)
{
    return n->out == out && strcmp(n->port, port) == 0 && strcmp(n->part, part) == 0;
}
#endif

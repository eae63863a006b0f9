/* SPDX-License-Identifier: Apache-2.0
 * The machine (machine.h): ties simulator, command processors and timers together.  When a kernel ends, all command
 * processors look at their waiting queues again, in the order of GPUs, since it may have stored to a signal that
 * releases a queue elsewhere; and when the clock has stood still since one of them has written.
 */
#include "driver/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "driver/roi.h"
#include "gantry_cfg.h"
#include "machine/goals.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define USER_COOKIE UINT64_MAX /* those of the command processors have the GPU's number on top */
#define ROI_COOKIE (UINT64_MAX - 1)
#define USER_ACCESS (UINT64_C(0xff) << 56) /* on top of the cookie of an access that no command processor made */
#define CP_POLL_CYCLES 2000u

struct machine {
    const struct gantry_cfg *cfg;
    struct sim_options options;
    struct cp_host user;
    machine_answer_fn answer; /* to the user's own accesses */
    void *answer_ctx;
    struct pmem *memory;
    struct sim *sim;
    struct cp **cps;
    unsigned gpus;
    struct roi roi;
    uint64_t started; /* kernels: number of the last one */
    bool cross;       /* the kernel that waits at a border of the region may start: nothing else is under way */
    bool over;        /* rows that come now have not ended with anything */
    bool visible;     /* something happened since machine_run returned */
    bool stood;       /* it returned because of that */
    bool halted;      /* it has to return */
};

void machine_visible(struct machine *m)
{
    m->visible = true;
    sim_stop(m->sim);
}

void machine_halt(struct machine *m)
{
    m->halted = true;
    sim_stop(m->sim);
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    log_cycle = now;
    cp_event(m->cps[gpu], evt);
    for (unsigned g = 0; evt->kind == CP_EVT_LAUNCH_DONE && g < m->gpus; g++)
        cp_look(m->cps[g]);
}

/* A kernel waits at a border of the region: has everything before it ended? */
static void border_look(struct machine *m, uint64_t now)
{
    m->cross = sim_settled(m->sim);
    for (unsigned g = 0; g < m->gpus; g++)
        m->cross &= !cp_busy(m->cps[g]);
    if (m->cross)
        sim_stop(m->sim);
    else
        sim_timer(m->sim, now + ROI_LOOK_CYCLES, ROI_COOKIE);
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    log_cycle = now;
    if (cookie == ROI_COOKIE) {
        border_look(m, now);
        return;
    }
    if (cookie == USER_COOKIE) {
        machine_visible(m);
        return;
    }
    cp_timer(m->cps[cookie >> 56], cookie);
}

static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct machine *m = ctx;
    log_cycle = now;
    if (cookie >= USER_ACCESS)
        m->answer(m->answer_ctx, cookie & ~USER_ACCESS, rsp);
    else
        cp_answer(m->cps[cookie >> 56], cookie, rsp);
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer, .answer = on_answer};

/* The command processors report here; the user is told, and the clock stops where a client may see something. */
static void cp_on_event(void *ctx, void *owner, uint32_t event_id)
{
    struct machine *m = ctx;
    m->user.event(m->user.ctx, owner, event_id);
    machine_visible(m);
}

static void cp_on_visible(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.visible)
        m->user.visible(m->user.ctx);
    machine_visible(m);
}

static void cp_on_memory_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.memory_fault(m->user.ctx, owner, gpu, evt);
}

static void cp_on_queue_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                              const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.queue_error(m->user.ctx, owner, gpu, queue, code, evt);
}

static void cp_on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.halted(m->user.ctx, owner, gpu, evt);
}

static void cp_on_interrupt(void *ctx, void *owner)
{
    struct machine *m = ctx;
    m->user.interrupt(m->user.ctx, owner);
}

static void cp_on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct machine *m = ctx;
    struct kernel_row own = *row;
    own.untimed = m->options.model == SIM_GOLDEN || roi_untimed(&m->roi);
    m->user.kernel(m->user.ctx, owner, &own);
    if (!m->over)
        sim_kernel(m->sim, row->number);
}

static void cp_on_space_closed(void *ctx, struct cp_space *space)
{
    struct machine *m = ctx;
    m->user.space_closed(m->user.ctx, space);
}

static bool cp_may_start(void *ctx)
{
    struct machine *m = ctx;
    bool look, may = roi_may_start(&m->roi, &look);
    if (look)
        sim_timer(m->sim, sim_now(m->sim), ROI_COOKIE);
    return may;
}

static uint64_t cp_number(void *ctx)
{
    struct machine *m = ctx;
    return ++m->started;
}

static void cp_on_shootdown(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.shootdown)
        m->user.shootdown(m->user.ctx);
}

static void cp_on_tables(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.tables)
        m->user.tables(m->user.ctx);
}

/* Changes of page tables, once the machine has begun: before, they are what memory holds at the beginning. */
static void on_table_write(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct machine *m = ctx;
    cp_tables_write(m->cps[(pa >> PMEM_OWNER_SHIFT) - 1], pa, from, bytes);
}

static const struct cp_host cp_ops = {.event = cp_on_event,
                                      .visible = cp_on_visible,
                                      .memory_fault = cp_on_memory_fault,
                                      .queue_error = cp_on_queue_error,
                                      .halted = cp_on_halted,
                                      .interrupt = cp_on_interrupt,
                                      .kernel = cp_on_kernel,
                                      .space_closed = cp_on_space_closed,
                                      .may_start = cp_may_start,
                                      .number = cp_number,
                                      .shootdown = cp_on_shootdown,
                                      .tables = cp_on_tables};

struct machine *machine_new(const struct gantry_cfg *cfg, const struct sim_options *options, const struct cp_host *user)
{
    struct machine *m = xcalloc(1, sizeof *m);
    *m = (struct machine){.cfg = cfg, .options = *options, .user = *user, .gpus = cfg->system_gpus};
    m->memory = pmem_new(m->gpus, (uint64_t)cfg->gpu_vram_mib << 20, (uint64_t)cfg->host_gtt_mib << 20);
    m->cps = xcalloc(m->gpus, sizeof *m->cps);
    if (!m->memory) {
        pmem_refused();
        machine_delete(m);
        return NULL;
    }
    pagetable_fragment_set(m->memory, cfg->driver_fragment);
    return m;
}

void machine_delete(struct machine *m)
{
    if (!m)
        return;
    for (unsigned g = 0; g < m->gpus; g++)
        cp_free(m->cps[g]);
    free(m->cps);
    if (m->sim)
        sim_free(m->sim);
    pmem_free(m->memory);
    free(m);
}

static_assert((int)CFG_GPU_DISPATCH_PARTITION_QUEUE == PARTITION_QUEUE &&
                  (int)CFG_GPU_DISPATCH_PARTITION_PRIORITY == PARTITION_PRIORITY &&
                  (int)CFG_GPU_DISPATCH_PARTITION_PROCESS == PARTITION_PROCESS,
              "the key's choices are those of the command processor");

int machine_start(struct machine *m)
{
    const struct gantry_cfg *cfg = m->cfg;
    if (m->sim)
        return 0;
    m->options.both = m->options.goals && m->options.goals->roi_first;
    m->sim = sim_new(cfg, m->memory, &m->options, &host_ops, m);
    if (!m->sim)
        return -1;
    const struct cp_config config = {
        .doorbell_cycles = cfg->link_host,
        .packet_cycles = cfg->cp_packet_cycles,
        .launch_cycles = cfg->cp_launch_cycles,
        .barrier_cycles = cfg->cp_barrier_cycles,
        .signal_cycles = cfg->cp_signal_cycles,
        .interrupt_cycles = cfg->cp_interrupt_cycles,
        .poll_cycles = CP_POLL_CYCLES,
        .lds_bytes = cfg->gpu_cu_lds_kib * 1024,
        .simds = cfg->gpu_cu_simds,
        .waves_per_simd = cfg->gpu_cu_waves_per_simd,
        .vgprs_per_simd = cfg->gpu_cu_vgprs_per_simd,
        .sgprs_per_simd = cfg->gpu_cu_sgprs_per_simd,
        .launches = cfg->gpu_dispatch_dispatchers,
        .slots = cfg->cp_queues,
        .engines = cfg->cp_engines,
        .quantum_cycles = cfg->cp_quantum,
        .map_cycles = cfg->cp_map_cycles,
        .partition = (enum cp_partition)cfg->gpu_dispatch_partition,
        .parts = cfg->gpu_dispatch_parts,
        .cus = cfg->gpu_cu_count,
        .tables_base = pmem_vram_bytes(m->memory) - pmem_table_bytes(m->memory),
        .tables_bytes = pmem_table_bytes(m->memory),
        .withhold = cfg->cp_xlat_failures == CFG_CP_XLAT_FAILURES_WITHHOLD,
        .cu_mask = cfg->gpu_cu_count >= 64 ? UINT64_MAX : (UINT64_C(1) << cfg->gpu_cu_count) - 1,
    };
    struct cp_host host = cp_ops;
    host.ctx = m;
    for (unsigned g = 0; g < m->gpus; g++) {
        m->cps[g] = cp_new(m->sim, g, &config, &host);
        CHECK(m->cps[g], "driver.machine", "no memory for the command processor of gpu%u", g);
    }
    pagetable_sink_set(m->memory, on_table_write, m);
    roi_init(&m->roi, m->sim, m->options.goals);
    return 0;
}

bool machine_started(const struct machine *m)
{
    return m->sim != NULL;
}
const struct gantry_cfg *machine_cfg(const struct machine *m)
{
    return m->cfg;
}
unsigned machine_gpus(const struct machine *m)
{
    return m->gpus;
}
unsigned machine_cus(const struct machine *m)
{
    return m->cfg->gpu_cu_count;
}
struct pmem *machine_memory(struct machine *m)
{
    return m->memory;
}
struct sim *machine_sim(struct machine *m)
{
    return m->sim;
}
struct cp *machine_cp(struct machine *m, unsigned gpu)
{
    return m->cps[gpu];
}
uint64_t machine_now(const struct machine *m)
{
    return m->sim ? sim_now(m->sim) : 0;
}

void machine_timer(struct machine *m, uint64_t at)
{
    sim_timer(m->sim, at, USER_COOKIE);
}

void machine_answer_to(struct machine *m, machine_answer_fn fn, void *ctx)
{
    m->answer = fn;
    m->answer_ctx = ctx;
}

void machine_access(struct machine *m, const struct msg_mem_req *req, uint64_t what)
{
    CHECK(what < USER_ACCESS, "driver.machine", "access %llx", (unsigned long long)what);
    sim_access(m->sim, req, true, USER_ACCESS | what);
}

void machine_poll(struct machine *m)
{
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        cp_poll(m->cps[g]);
}

void machine_progress(struct machine *m, struct cp_progress *progress)
{
    *progress = (struct cp_progress){.kernel = ""};
    for (unsigned g = 0; m->sim && g < m->gpus; g++) {
        struct cp_progress one;
        cp_progress(m->cps[g], sim_groups(m->sim, g), &one);
        if (!*progress->kernel)
            progress->kernel = one.kernel;
        progress->done += one.done;
        progress->total += one.total;
    }
}

void machine_unfinished(struct machine *m)
{
    m->over = true;
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        cp_unfinished(m->cps[g]);
}

static bool cps_busy(const struct machine *m)
{
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        if (cp_busy(m->cps[g]))
            return true;
    return false;
}

static bool cps_working(const struct machine *m)
{
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        if (cp_working(m->cps[g]))
            return true;
    return false;
}

bool machine_pending(const struct machine *m)
{
    bool changed = cps_working(m);
    for (unsigned g = 0; m->sim && g < m->gpus && !changed; g++)
        changed = cp_changed(m->cps[g]);
    return changed;
}

bool machine_busy(const struct machine *m)
{
    return cps_busy(m) || (m->sim && !sim_quiet(m->sim));
}

void machine_settle(struct machine *m)
{
    enum sim_result result = SIM_STOPPED;
    while (!cps_working(m) && machine_busy(m) && !goals_ended(m->options.goals) && result == SIM_STOPPED)
        result = sim_run(m->sim, UINT64_MAX);
    if (m->cross) { /* who comes next may begin something: the border is looked at again when the clock runs */
        m->cross = false;
        sim_timer(m->sim, sim_now(m->sim), ROI_COOKIE);
    }
}

/* The border is crossed: queues look again at the kernel that waits. */
static void border_cross(struct machine *m)
{
    m->cross = false;
    roi_cross(&m->roi);
    machine_poll(m);
}

/* To `until`, or to where the machine stops for its host; goals on the way are served. */
static enum sim_result run_on(struct machine *m, uint64_t until)
{
    struct goals *goals = m->options.goals;
    for (;;) {
        uint64_t limit = goals_until(goals, until), kernels = goals ? goals->kernels : 0;
        enum sim_result result = sim_run(m->sim, limit);
        bool mine = m->cross || (limit < until && sim_now(m->sim) >= limit) || (goals && goals->kernels != kernels);
        sim_checkpoint(m->sim);
        if (m->cross)
            border_cross(m);
        if (result != SIM_STOPPED || m->visible || m->halted || goals_ended(goals) || !mine)
            return result;
    }
}

bool machine_lost(struct machine *m)
{
    return m->sim && sim_lost(m->sim) != STATUS_OK;
}

enum machine_result machine_run(struct machine *m, uint64_t until)
{
    if (goals_ended(m->options.goals))
        return MACHINE_EXIT_AFTER;
    if (m->stood)
        machine_poll(m);
    enum sim_result result = m->visible || m->halted ? SIM_STOPPED : run_on(m, until); /* a look may have had effects */
    const bool visible = m->visible, halted = m->halted;
    m->stood = visible;
    m->visible = m->halted = false;
    log_cycle = sim_now(m->sim);
    if (goals_ended(m->options.goals))
        return MACHINE_EXIT_AFTER;
    if (result == SIM_MAX_CYCLES)
        return MACHINE_MAX_CYCLES;
    if (result == SIM_LOST)
        return MACHINE_LOST;
    if (result == SIM_NO_PROGRESS)
        return MACHINE_NO_PROGRESS;
    if (visible)
        return MACHINE_VISIBLE;
    return halted || sim_now(m->sim) >= until || !sim_quiet(m->sim) ? MACHINE_UNTIL : MACHINE_IDLE;
}

/* SPDX-License-Identifier: Apache-2.0
 * The machine (machine.h): makes the simulator and the command processors, and passes its users' requests to them. What
 * they tell it: machine_events.c; how it runs: machine_run.c.
 */
#include "system/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "machine/goals.h"
#include "monitor/monitor.h"
#include "system/machine_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define CP_POLL_CYCLES 2000u

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
    monitor_free(m->monitor);
    pmem_free(m->memory);
    free(m);
}

static_assert((int)CFG_GPU_DISPATCH_PARTITION_QUEUE == PARTITION_QUEUE &&
                  (int)CFG_GPU_DISPATCH_PARTITION_PRIORITY == PARTITION_PRIORITY &&
                  (int)CFG_GPU_DISPATCH_PARTITION_PROCESS == PARTITION_PROCESS,
              "the key's choices are those of the command processor");

/* As the assertions of the RTL: in tests. */
static void monitor_begin(struct machine *m)
{
    m->monitor = getenv("GANTRY_MODEL_CHECK") ? monitor_new(m->memory, m->cfg->migrate_fixed_cycles != 0) : NULL;
    if (m->monitor)
        m->options.watch = monitor_watch(m->monitor);
}

int machine_start(struct machine *m)
{
    const struct gantry_cfg *cfg = m->cfg;
    if (m->sim)
        return 0;
    m->options.both = m->options.goals && m->options.goals->roi_first;
    if (!m->monitor)
        monitor_begin(m);
    m->sim = sim_new(cfg, m->memory, &m->options, &machine_sim_ops, m);
    if (!m->sim)
        return -1;
    if (m->monitor)
        monitor_attach(m->monitor, m->sim);
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
        .counters = cfg->system_gpus > 1 && cfg->gpu_rdma_counters != 0,
        .count_page = cfg->migrate_page == CFG_MIGRATE_PAGE_64K ? 65536 : 4096,
        .withhold = cfg->cp_xlat_failures == CFG_CP_XLAT_FAILURES_WITHHOLD ||
                    (cfg->migrate_map == CFG_MIGRATE_MAP_LAZY && machine_withholds(m)),
        .cu_mask = cfg->gpu_cu_count >= 64 ? UINT64_MAX : (UINT64_C(1) << cfg->gpu_cu_count) - 1,
    };
    struct cp_host host = machine_cp_ops;
    host.ctx = m;
    for (unsigned g = 0; g < m->gpus; g++) {
        m->cps[g] = cp_new(m->sim, g, &config, &host);
        CHECK(m->cps[g], "driver.machine", "no memory for the command processor of gpu%u", g);
    }
    pagetable_sink_set(m->memory, machine_table_write, m);
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

void machine_phases_to(struct machine *m, const struct machine_phases *phases)
{
    m->phases = *phases;
}

void machine_phase_at(struct machine *m, uint64_t at)
{
    sim_timer(m->sim, at, PHASE_COOKIE);
}

void machine_fault_at(struct machine *m, uint64_t at)
{
    sim_timer(m->sim, at, FAULT_COOKIE);
}

bool machine_withholds(const struct machine *m)
{
    return m->options.model == SIM_RTL && !(m->options.goals && m->options.goals->roi_first);
}

void machine_alarm_to(struct machine *m, void (*fn)(void *ctx), void *ctx)
{
    m->alarm = fn;
    m->alarm_ctx = ctx;
}

void machine_alarm(struct machine *m, uint64_t at)
{
    sim_timer(m->sim, at, ALARM_COOKIE);
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

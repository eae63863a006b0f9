/* SPDX-License-Identifier: Apache-2.0
 * What must hold between keys, and values that follow from others (identities and windows of the GPUs: S0.3, S0.4).
 * Each rule is one function with a comment `rule:` that the reference page repeats.
 */
#include "config/rules.h"

#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "config/far.h"
#include "config/key_table.h"
#include "config/on_boards.h"
#include "config/placement.h"

static enum gantry_status broken(const struct config *c, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum gantry_status broken(const struct config *c, const char *key, const char *format, ...)
{
    int index = param_find(key);
    char why[512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    diag(c->origin[index] ? c->origin[index] : c->file ? c->file : "configuration", "%s: %s", key, why);
    return STATUS_CONFIG;
}

static enum gantry_status ids_check(struct config *c)
{
    struct cfg_list *ids = &c->cfg.system_gpu_ids;

    /* rule: `system.gpu_ids` is empty or has one member a GPU, all different. */
    if (ids->count == 0)
        for (; ids->count < c->cfg.system_gpus; ids->count++)
            ids->value[ids->count] = 0x1001 * (ids->count + 1) & 0xffff;
    if (ids->count != c->cfg.system_gpus)
        return broken(c, "system.gpu_ids", "%u identities for %u GPUs", ids->count, c->cfg.system_gpus);
    for (unsigned i = 0; i < ids->count; i++)
        for (unsigned j = 0; j < i; j++)
            if (ids->value[i] == ids->value[j])
                return broken(c, "system.gpu_ids", "GPU %u and GPU %u have the same identity %llu", j, i,
                              (unsigned long long)ids->value[i]);
    return STATUS_OK;
}

static enum gantry_status windows_check(struct config *c)
{
    struct cfg_list *w = &c->cfg.system_doorbell_windows;
    uint64_t size = c->cfg.system_doorbell_kib;

    /* rule: `system.doorbell_windows` is empty or has one member a GPU, multiples of 64 KiB; windows of
     * `system.doorbell_kib` do not overlap. */
    if (w->count == 0)
        for (; w->count < c->cfg.system_gpus; w->count++)
            w->value[w->count] = (uint64_t)(w->count + 1) * (size > 1024 ? size : 1024);
    if (w->count != c->cfg.system_gpus)
        return broken(c, "system.doorbell_windows", "%u windows for %u GPUs", w->count, c->cfg.system_gpus);
    for (unsigned i = 0; i < w->count; i++) {
        if (w->value[i] % 64)
            return broken(c, "system.doorbell_windows", "%llu is not a multiple of 64",
                          (unsigned long long)w->value[i]);
        for (unsigned j = 0; j < i; j++)
            if (w->value[i] < w->value[j] + size && w->value[j] < w->value[i] + size)
                return broken(c, "system.doorbell_windows",
                              "windows of GPU %u (%llu KiB) and GPU %u (%llu KiB) overlap", j,
                              (unsigned long long)w->value[j], i, (unsigned long long)w->value[i]);
    }
    return STATUS_OK;
}

static bool is_pow2(uint64_t value)
{
    return value && !(value & (value - 1));
}

/* kib and ways are powers of two each; the sets must be at least one. */
static enum gantry_status cache_check(const struct config *c, const char *key, uint32_t kib, uint32_t ways)
{
    uint32_t lines = kib * 1024 / 64;

    /* rule: a cache holds at least one set of 64-byte lines: size / 64 >= ways. */
    if (lines < ways || !is_pow2(lines / ways))
        return broken(c, key, "%u KiB are %u lines: too few for %u ways", kib, lines, ways);
    return STATUS_OK;
}

static enum gantry_status caches_check(const struct config *c)
{
    const struct gantry_cfg *g = &c->cfg;
    enum gantry_status status = cache_check(c, "gpu.l1v.kib", g->gpu_l1v_kib, g->gpu_l1v_ways);

    if (status == STATUS_OK)
        status = cache_check(c, "gpu.l1i.kib", g->gpu_l1i_kib, g->gpu_l1i_ways);
    if (status == STATUS_OK)
        status = cache_check(c, "gpu.l1k.kib", g->gpu_l1k_kib, g->gpu_l1k_ways);
    if (status == STATUS_OK)
        status = cache_check(c, "gpu.l2.kib_per_slice", g->gpu_l2_kib_per_slice, g->gpu_l2_ways);
    /* rule: `gpu.utcl2.entries` >= `gpu.utcl2.ways`. */
    if (status == STATUS_OK && g->gpu_utcl2_entries < g->gpu_utcl2_ways)
        status = broken(c, "gpu.utcl2.entries", "%u entries are too few for %u ways", g->gpu_utcl2_entries,
                        g->gpu_utcl2_ways);
    return status;
}

static enum gantry_status cu_check(const struct config *c)
{
    const struct gantry_cfg *g = &c->cfg;

    /* rule: `gpu.cu.vgprs_per_simd` is a multiple of 4, `gpu.cu.sgprs_per_simd` of 16 (allocation granules). */
    if (g->gpu_cu_vgprs_per_simd % 4)
        return broken(c, "gpu.cu.vgprs_per_simd", "%u is not a multiple of the granule 4", g->gpu_cu_vgprs_per_simd);
    if (g->gpu_cu_sgprs_per_simd % 16)
        return broken(c, "gpu.cu.sgprs_per_simd", "%u is not a multiple of the granule 16", g->gpu_cu_sgprs_per_simd);
    /* rule: `gpu.cu.operand_stages` is 0 with 16 `gpu.cu.lanes`: a dependent instruction comes 4 cycles later then. */
    if (g->gpu_cu_operand_stages && g->gpu_cu_lanes == 16)
        return broken(c, "gpu.cu.operand_stages", "%u with 16 lanes: only for 8 or 4", g->gpu_cu_operand_stages);
    return STATUS_OK;
}

static enum gantry_status dram_check(const struct config *c)
{
    const struct gantry_cfg *g = &c->cfg;

    uint32_t written = g->gpu_dram_tcwl + g->gpu_dram_burst + g->gpu_dram_twr;
    uint32_t life = g->gpu_dram_tras > g->gpu_dram_trtp ? g->gpu_dram_tras : g->gpu_dram_trtp;
    uint32_t closing = (life > written ? life : written) + g->gpu_dram_trp + 3; /* as dram_pkg's */

    /* rule: `gpu.dram.tras` >= `gpu.dram.trcd`. */
    if (g->gpu_dram_tras < g->gpu_dram_trcd)
        return broken(c, "gpu.dram.tras", "%u is below gpu.dram.trcd %u", g->gpu_dram_tras, g->gpu_dram_trcd);
    /* rule: `gpu.dram.trefi` > `gpu.dram.trfc`, `gpu.dram.trfc_bank`, and what it takes to close: a bank takes the
     * longest of `tras`, `trtp` and `tcwl` + `burst` + `twr`, then `trp` + 3; all banks one after the other when
     * `trfc_bank` is not 0; else they take `trfc` and a cycle each besides. */
    if (g->gpu_dram_trefi <= g->gpu_dram_trfc)
        return broken(c, "gpu.dram.trefi", "%u is not above gpu.dram.trfc %u", g->gpu_dram_trefi, g->gpu_dram_trfc);
    if (g->gpu_dram_trefi <= g->gpu_dram_trfc_bank)
        return broken(c, "gpu.dram.trefi", "%u is not above gpu.dram.trfc_bank %u", g->gpu_dram_trefi,
                      g->gpu_dram_trfc_bank);
    if (g->gpu_dram_trfc_bank != 0 && g->gpu_dram_trefi <= g->gpu_dram_banks * closing)
        return broken(c, "gpu.dram.trefi", "%u is not above %u that %u banks take to close one after the other",
                      g->gpu_dram_trefi, g->gpu_dram_banks * closing, g->gpu_dram_banks);
    if (g->gpu_dram_trfc_bank == 0 && g->gpu_dram_trefi <= g->gpu_dram_trfc + g->gpu_dram_banks + closing)
        return broken(c, "gpu.dram.trefi", "%u is not above %u: gpu.dram.trfc %u, and what %u banks take to close",
                      g->gpu_dram_trefi, g->gpu_dram_trfc + g->gpu_dram_banks + closing, g->gpu_dram_trfc,
                      g->gpu_dram_banks);
    /* rule: `gpu.dram.write_low` < `gpu.dram.write_high` <= `gpu.dram.places`. */
    if (g->gpu_dram_write_low >= g->gpu_dram_write_high)
        return broken(c, "gpu.dram.write_low", "%u is not below gpu.dram.write_high %u", g->gpu_dram_write_low,
                      g->gpu_dram_write_high);
    if (g->gpu_dram_write_high > g->gpu_dram_places)
        return broken(c, "gpu.dram.write_high", "%u is above gpu.dram.places %u", g->gpu_dram_write_high,
                      g->gpu_dram_places);
    return STATUS_OK;
}

static enum gantry_status link_check(const struct config *c, const char *key, uint32_t latency, uint32_t rate)
{
    uint64_t needed = far_credits_needed(latency, rate);

    /* rule: the credits that keep a far link full at its latency are at most 8192: (2 x latency + 8) x rate / 48;
     * `link.gpu` counts where there are several GPUs. */
    if (needed > FAR_CREDITS_MOST)
        return broken(c, key, "%u cycles at %u bytes a cycle take %llu credits: %llu more than the %u there can be",
                      latency, rate, (unsigned long long)needed, (unsigned long long)(needed - FAR_CREDITS_MOST),
                      FAR_CREDITS_MOST);
    return STATUS_OK;
}

static enum gantry_status links_check(const struct config *c)
{
    const struct gantry_cfg *g = &c->cfg;
    uint32_t needed = far_entries_needed(g);
    enum gantry_status status = link_check(c, "link.host", g->link_host, g->link_host_bytes_per_cycle);

    if (status == STATUS_OK && g->system_gpus > 1)
        status = link_check(c, "link.gpu", g->link_gpu, g->link_gpu_bytes_per_cycle);
    /* rule: `gpu.rdma.outstanding` is 0 or enough for the rates of all links of a GPU, together 80 bytes a cycle at
     * most, for as long as a home takes to serve a line; more than 1024 are never needed. */
    if (status == STATUS_OK && far_entries(g) < needed)
        status =
            broken(c, "gpu.rdma.outstanding", "%u entries do not keep the rate of the links: %u are needed, %u more",
                   far_entries(g), needed, needed - far_entries(g));
    /* rule: `gpu.rdma.counters` is 0 or at least two sets: >= 2 * `gpu.rdma.counter_ways`. */
    if (status == STATUS_OK && g->gpu_rdma_counters && g->gpu_rdma_counters < 2 * g->gpu_rdma_counter_ways)
        status = broken(c, "gpu.rdma.counters", "%u entries are too few for two sets of %u ways", g->gpu_rdma_counters,
                        g->gpu_rdma_counter_ways);
    return status;
}

static enum gantry_status place_check(const struct config *c)
{
    uint32_t process[PLACE_GPUS];
    char why[200];
    const char *key = placement_read(&c->cfg, process, why, sizeof why);

    /* rule: `place.gpus` names GPUs of the machine, each at most once, and processes below `place.processes`; each
     * process but 0 runs a GPU. */
    return key ? broken(c, key, "%s", why) : STATUS_OK;
}

static enum gantry_status boards_check(const struct config *c)
{
    struct on_boards boards;
    char why[300];

    /* rule: `place.boards` names each partition and each board at most once, boards as `sim` or `usb:SERIAL`. */
    return on_boards_read(&c->cfg, &boards, why, sizeof why) ? STATUS_OK : broken(c, "place.boards", "%s", why);
}

static enum gantry_status migrate_check(const struct config *c)
{
    const struct gantry_cfg *g = &c->cfg;

    /* rule: `migrate.fixed_cycles` is 0, or at least four times `link.host`: a shoot-down and a write-back each take a
     * message to a GPU and one back. */
    if (g->migrate_fixed_cycles && g->migrate_fixed_cycles < 4 * g->link_host)
        return broken(c, "migrate.fixed_cycles", "%u cycles are too few for a shoot-down and a write-back (%u)",
                      g->migrate_fixed_cycles, 4 * g->link_host);
    if (g->migrate_policy == CFG_MIGRATE_POLICY_NEVER)
        return STATUS_OK;
    /* rule: a `migrate.policy` needs two GPUs and `gpu.rdma.counters`. */
    if (g->system_gpus < 2)
        return broken(c, "migrate.policy", "there is one GPU, so no page can move: system.gpus 2 or more, or never");
    if (g->gpu_rdma_counters == 0)
        return broken(c, "migrate.policy", "gpu.rdma.counters is 0, so nobody counts what pages are used for");
    /* rule: with a `migrate.policy` a phase is longer than its decision, `migrate.phase_cycles`, and what the message
     * that asks for counters and its answer take, twice `link.host`. */
    if (g->migrate_period <= g->migrate_phase_cycles + 2 * g->link_host)
        return broken(c, "migrate.period", "%u cycles are too few for the counters (%u) and migrate.phase_cycles (%u)",
                      g->migrate_period, 2 * g->link_host, g->migrate_phase_cycles);
    /* rule: `migrate.return_cycles` is at least `migrate.period`: no page comes back in less. */
    if (g->migrate_return_cycles < g->migrate_period)
        return broken(c, "migrate.return_cycles", "%u is below migrate.period %u", g->migrate_return_cycles,
                      g->migrate_period);
    return STATUS_OK;
}

enum gantry_status rules_apply(struct config *c)
{
    enum gantry_status status = ids_check(c);

    if (status == STATUS_OK)
        status = windows_check(c);
    if (status == STATUS_OK)
        status = cu_check(c);
    if (status == STATUS_OK)
        status = caches_check(c);
    if (status == STATUS_OK)
        status = dram_check(c);
    if (status == STATUS_OK)
        status = links_check(c);
    if (status == STATUS_OK)
        status = migrate_check(c);
    if (status == STATUS_OK)
        status = place_check(c);
    if (status == STATUS_OK)
        status = boards_check(c);
    return status;
}

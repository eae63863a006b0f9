/* SPDX-License-Identifier: Apache-2.0
 * Far links as numbers; contract in far.h.
 */
#include "config/far.h"

#include "gantry_cfg.h"

static uint64_t divided_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Few different numbers, so that few engines are built. */
static uint64_t stepped(uint64_t n)
{
    return divided_up(n, 16) * 16;
}

uint32_t far_ports(const struct gantry_cfg *cfg)
{
    uint32_t gpus = 1;

    while (gpus < cfg->system_gpus)
        gpus *= 2;
    return gpus + 1;
}

uint64_t far_credits_needed(uint32_t latency, uint32_t bytes_per_cycle)
{
    /* two messages, of which one has a line */
    return stepped(divided_up((2 * (uint64_t)latency + FAR_TURN) * bytes_per_cycle * 2, 2 * FAR_HEADER + FAR_LINE));
}

uint32_t far_host_credits(const struct gantry_cfg *cfg)
{
    return (uint32_t)far_credits_needed(cfg->link_host, cfg->link_host_bytes_per_cycle);
}

uint32_t far_gpu_credits(const struct gantry_cfg *cfg)
{
    return cfg->system_gpus == 1 ? 16 : (uint32_t)far_credits_needed(cfg->link_gpu, cfg->link_gpu_bytes_per_cycle);
}

uint32_t far_entries_needed(const struct gantry_cfg *cfg)
{
    const uint64_t line = FAR_HEADER + FAR_LINE;
    uint64_t service =
        2 * ((uint64_t)cfg->link_cu_noc + cfg->link_noc_l2 + cfg->link_store) + cfg->gpu_dram_path + FAR_SERVE;
    uint64_t rate = cfg->link_host_bytes_per_cycle + (uint64_t)(cfg->system_gpus - 1) * cfg->link_gpu_bytes_per_cycle;

    service += (uint64_t)cfg->gpu_dram_clock_ratio *
               (cfg->gpu_dram_trp + cfg->gpu_dram_trcd + cfg->gpu_dram_tcl + cfg->gpu_dram_burst);
    if (rate > line) /* the engine takes one request a cycle of all links together */
        rate = line;
    const uint64_t entries = stepped(divided_up(service * rate, line));
    return entries < FAR_ENTRIES_MOST ? (uint32_t)entries : FAR_ENTRIES_MOST;
}

uint32_t far_entries(const struct gantry_cfg *cfg)
{
    return cfg->gpu_rdma_outstanding ? cfg->gpu_rdma_outstanding : far_entries_needed(cfg);
}

/* SPDX-License-Identifier: Apache-2.0
 * Taps of the compute units; contract in lockstep_tap.h.
 */
#include "observe/lockstep_tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "lockstep/lockstep.h"
#include "machine/sim_private.h"
#include "target/rtl_gpu.h"

/* One tapped partition. */
struct tap {
    struct lockstep_tap *all;
    unsigned gpu, cu;
    uint32_t cu_cmd, cu_evt, mem_req, cp_cmd, cp_evt; /* slots, UINT32_MAX where the partition has none */
    uint32_t dram_req;                                /* of the L2 slices */
    uint32_t sent;                                    /* of the dispatcher: slot of cu_cmd to CU 0 */
    int port[8];                                      /* observation number -> enum lockstep_port, -1: none */
};

struct lockstep_tap {
    struct lockstep *lockstep;
    struct tap *taps;
    unsigned count, cus; /* cus: of a GPU */
};

static const char *const observed_names[] = {"obs_inst", "obs_sgpr", "obs_vgpr", "obs_done", "obs_lds", "obs_row"};

static uint32_t slot_of(const struct part *part, const char *name, bool out)
{
    const struct model_api *api = rtl_part_api(part);
    for (uint32_t i = 0; i < api->port_count; i++)
        if (api->ports[i].out == out && strcmp(api->ports[i].name, name) == 0)
            return api->ports[i].slot;
    return UINT32_MAX;
}

static void tap_message(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct tap *t = ctx;
    struct lockstep *ls = t->all->lockstep;
    if (!out && slot == t->cu_cmd)
        lockstep_cu_cmd(ls, t->gpu, t->cu, cycle, message);
    else if (!out && slot == t->cp_cmd)
        lockstep_cp_cmd(ls, t->gpu, cycle, message);
    else if (out && slot == t->cu_evt)
        lockstep_cu_evt(ls, t->gpu, t->cu, cycle, message);
    else if (out && slot == t->mem_req)
        lockstep_mem_req(ls, t->gpu, t->cu, cycle, message);
    else if (out && slot == t->cp_evt)
        lockstep_cp_evt(ls, t->gpu, cycle, message);
    else if (out && slot - t->sent < t->all->cus && t->sent != UINT32_MAX)
        lockstep_dispatched(ls, t->gpu, slot - t->sent, cycle, message);
}

static void tap_observe(void *ctx, struct part *part, uint32_t port, uint32_t lane, uint64_t cycle, const void *data)
{
    struct tap *t = ctx;
    (void)part;
    if (t->port[port] >= 0)
        lockstep_observe(t->all->lockstep, t->gpu, t->cu, (enum lockstep_port)t->port[port], lane, cycle, data);
}

static void tap_order(void *ctx, struct part *part, uint32_t port, uint32_t lane, uint64_t cycle, const void *data)
{
    struct tap *t = ctx;
    struct lockstep_order record;
    (void)part, (void)port, (void)lane;
    memcpy(&record, data, sizeof record);
    lockstep_order(t->all->lockstep, t->gpu, cycle, &record);
}

static void tap_dram(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    const struct tap *t = ctx;
    if (out && slot == t->dram_req)
        lockstep_dram(t->all->lockstep, t->gpu, cycle, message);
}

static void tap_cu(struct lockstep_tap *all, struct part *part, unsigned gpu, unsigned cu)
{
    struct tap *t = &all->taps[all->count++];
    const struct model_api *api = rtl_part_api(part);
    *t = (struct tap){.all = all,
                      .gpu = gpu,
                      .cu = cu,
                      .cu_cmd = slot_of(part, "cu_cmd", false),
                      .cu_evt = slot_of(part, "cu_evt", true),
                      .mem_req = slot_of(part, "mem_req", true),
                      .cp_cmd = UINT32_MAX,
                      .cp_evt = UINT32_MAX,
                      .sent = UINT32_MAX,
                      .port = {-1, -1, -1, -1, -1, -1, -1, -1}};
    for (uint32_t i = 0; i < api->obs_count && i < 8; i++)
        for (int k = 0; k < 6; k++)
            if (strcmp(api->obs[i].name, observed_names[k]) == 0)
                t->port[i] = k;
    rtl_part_observe(part, tap_observe, t);
    rtl_part_tap(part, tap_message, t);
}

struct lockstep_tap *lockstep_tap_new(struct sim *sim)
{
    struct lockstep_tap *all = xcalloc(1, sizeof *all);
    unsigned cus = all->cus = rtl_machine_cus(sim->rtl);
    all->lockstep = lockstep_new(sim->memory, sim->gpu_count, cus, NULL, NULL);
    lockstep_check_lds(all->lockstep, sim->cfg->check_lds);
    lockstep_simds(all->lockstep, sim->cfg->gpu_cu_simds);
    all->taps = xcalloc((size_t)sim->gpu_count * (cus + 1), sizeof *all->taps);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        struct part *dispatch = sim->gpus[g].dispatch;
        if (!dispatch || dispatch->elsewhere)
            continue;
        struct tap *t = &all->taps[all->count++];
        *t = (struct tap){.all = all,
                          .gpu = g,
                          .cu_cmd = UINT32_MAX,
                          .cu_evt = UINT32_MAX,
                          .mem_req = UINT32_MAX,
                          .cp_cmd = slot_of(dispatch, "cp_cmd", false),
                          .cp_evt = slot_of(dispatch, "cp_evt", true),
                          .sent = slot_of(dispatch, "cu_cmd", true)};
        rtl_part_tap(dispatch, tap_message, t);
        for (unsigned s = 0; s < rtl_machine_slices(sim->rtl); s++) {
            struct part *l2 = rtl_machine_l2(sim->rtl, g, s);
            t->dram_req = slot_of(l2, "dram_req", true);
            rtl_part_observe(l2, tap_order, t);
            rtl_part_tap(l2, tap_dram, t);
        }
        for (unsigned c = 0; c < cus; c++)
            tap_cu(all, rtl_machine_cu(sim->rtl, g, c), g, c);
    }
    return all;
}

/* A GPU that is told. */
struct told {
    struct lockstep *lockstep;
    unsigned gpu;
};

static void command_tell(void *ctx, const struct msg_cp_cmd *cmd)
{
    const struct told *t = ctx;
    lockstep_cp_cmd(t->lockstep, t->gpu, 0, cmd);
}

void lockstep_tap_restored(struct lockstep_tap *tap, const struct sim *sim)
{
    lockstep_restored(tap->lockstep);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        struct told told = {tap->lockstep, g};
        spaces_tell(&sim->gpus[g], command_tell, &told);
    }
}

void lockstep_tap_free(struct lockstep_tap *tap)
{
    if (!tap)
        return;
    lockstep_free(tap->lockstep);
    free(tap->taps);
    free(tap);
}

void lockstep_tap_settle(struct lockstep_tap *tap)
{
    lockstep_settle(tap->lockstep);
}

uint64_t lockstep_tap_compared(const struct lockstep_tap *tap)
{
    lockstep_settle(tap->lockstep);
    return lockstep_compared(tap->lockstep);
}

uint64_t lockstep_tap_observed(const struct lockstep_tap *tap)
{
    return lockstep_observed(tap->lockstep);
}

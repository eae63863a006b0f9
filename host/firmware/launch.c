/* SPDX-License-Identifier: Apache-2.0
 * From a kernel dispatch packet and its kernel descriptor (or amd_kernel_code_t: same offsets) to the launch command:
 * checks of sizes, register counts, user SGPRs, scratch.  Not responsible for: ordering and fences (cp.c, fence.c),
 * group ids and placement (rtl/dispatch).
 */
#include <string.h>

#include "base/check.h"
#include "firmware/cp_private.h"
#include "isa/gcn3.h"

#define LDS_GRANULE 512u

enum {
    PROP_SRD = 1,
    PROP_DISPATCH = 2,
    PROP_QUEUE = 4,
    PROP_KERNARG = 8,
    PROP_ID = 16,
    PROP_FLAT = 32,
    PROP_PRIVATE = 64
};

static uint32_t sizes_read(const uint8_t *packet, struct msg_cp_cmd *cmd)
{
    unsigned dims = packet[2] & 3;
    if (dims == 0)
        return CP_ERROR_DIMS;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        cmd->group[d] = d < dims ? get16(packet + 4 + 2 * d) : 1;
        cmd->grid[d] = d < dims ? get32(packet + 0xc + 4 * d) : 1;
        if (cmd->group[d] == 0 || cmd->grid[d] == 0)
            return CP_ERROR_DIMS;
        cmd->groups[d] = (uint32_t)(((uint64_t)cmd->grid[d] + cmd->group[d] - 1) / cmd->group[d]);
        items *= cmd->group[d];
    }
    if (items > GROUP_MAX)
        return CP_ERROR_GROUP;
    cmd->waves = (uint16_t)((items + 63) / 64);
    cmd->recip_x = ((1u << 20) + cmd->group[0] - 1) / cmd->group[0];
    cmd->recip_y = ((1u << 20) + cmd->group[1] - 1) / cmd->group[1];
    return 0;
}

/* A group must fit into an empty CU, or it would wait for ever. */
static uint32_t resources_check(const struct cp_config *config, const struct msg_cp_cmd *cmd)
{
    uint32_t per_simd = (cmd->waves + config->simds - 1) / config->simds;
    if (per_simd > config->waves_per_simd)
        return CP_ERROR_GROUP;
    if (per_simd * cmd->vgprs > config->vgprs_per_simd || per_simd * cmd->sgprs > config->sgprs_per_simd)
        return CP_ERROR_REGISTERS;
    return cmd->lds_bytes > config->lds_bytes ? CP_ERROR_LDS : 0;
}

/* The CUs of the part that this launch belongs to.  A queue whose mask leaves none of them has its mask. */
static uint64_t part_mask(const struct cp_config *config, const struct cp_queue *queue)
{
    const uint64_t own = config->cu_mask & queue->cu_mask;
    unsigned part = 0;
    uint64_t mask = 0;
    switch (config->partition) {
    case PARTITION_NONE:
        return own;
    case PARTITION_QUEUE:
        part = queue->args.number % config->parts;
        break;
    case PARTITION_PRIORITY:
        part = queue->args.priority * config->parts / CP_PRIORITIES;
        break;
    case PARTITION_PROCESS:
        part = queue->space->vmid % config->parts;
        break;
    }
    for (uint32_t cu = 0; cu < config->cus; cu++)
        if (cu * config->parts / config->cus == part)
            mask |= UINT64_C(1) << cu;
    return own & mask ? own & mask : own;
}

/* Scratch memory for scratch_waves wavefronts serves the first GCN3_SCRATCH_PER_CU positions of each CU in turn: is
 * there a CU that may be used and whose share takes a whole group? */
static bool scratch_fits(const struct msg_cp_cmd *cmd)
{
    for (uint32_t cu = 0; cu < 64; cu++)
        if (cmd->cu_mask >> cu & 1 && cmd->scratch_waves >= cu * GCN3_SCRATCH_PER_CU + cmd->waves)
            return true;
    return false;
}

/* All properties together have 15: there is room. */
static void sgpr_add(struct msg_cp_cmd *cmd, unsigned *at, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cmd->user_sgpr[(*at)++] = (uint32_t)(value >> (32 * i));
}

/* A field of amd_queue_t. */
static const uint8_t *field(const struct launch_memory *memory, unsigned at)
{
    return memory->queue + (at - QUEUE_TMPRING);
}

static void sgprs_build(const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                        const struct launch_memory *memory, struct msg_cp_cmd *cmd)
{
    const unsigned properties = get16(memory->descriptor + 0x38);
    uint64_t base = queue->args.read_index - QUEUE_READ_INDEX;
    unsigned at = 0;
    if (properties & PROP_SRD) {
        sgpr_add(cmd, &at, get64(field(memory, QUEUE_SRD)), 2);
        sgpr_add(cmd, &at, get64(field(memory, QUEUE_SRD + 8)), 2);
    }
    if (properties & PROP_DISPATCH)
        sgpr_add(cmd, &at, queue_slot(queue, index), 2);
    if (properties & PROP_QUEUE)
        sgpr_add(cmd, &at, base, 2);
    if (properties & PROP_KERNARG)
        sgpr_add(cmd, &at, get64(packet + 0x28), 2);
    if (properties & PROP_ID)
        sgpr_add(cmd, &at, index, 2);
    if (properties & PROP_FLAT) {
        uint64_t offset = get32(field(memory, QUEUE_SCRATCH_OFFSET));
        sgpr_add(cmd, &at, offset | (uint64_t)get32(field(memory, QUEUE_LANE_BYTES)) << 32, 2);
    }
    if (properties & PROP_PRIVATE)
        sgpr_add(cmd, &at, get32(packet + AQL_PRIVATE), 1);
    cmd->user_sgprs = (uint8_t)(cmd->rsrc2 >> 1 & 31);
}

uint32_t launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                      const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd)
{
    const struct cp_space *space = queue->space;
    const uint8_t *kd = memory->descriptor;
    memset(cmd, 0, sizeof *cmd);
    uint32_t error = sizes_read(packet, cmd);
    if (error)
        return error;
    if (!described)
        return CP_ERROR_CODE;
    cmd->kind = CP_LAUNCH;
    cmd->prio = (uint8_t)queue->args.priority;
    cmd->vmid = space->vmid;
    cmd->pc = get64(packet + AQL_OBJECT) + get64(kd + 0x10);
    cmd->rsrc1 = get32(kd + 0x30);
    cmd->rsrc2 = get32(kd + 0x34);
    cmd->vgprs = (uint16_t)(((cmd->rsrc1 & 63) + 1) * 4);
    cmd->sgprs = (uint16_t)((((cmd->rsrc1 >> 6 & 15) + 1) * 8 + 15) & ~15u);
    cmd->lds_bytes = (get32(packet + 0x1c) + LDS_GRANULE - 1) & ~(LDS_GRANULE - 1);
    cmd->vgpr_items = (uint8_t)(cmd->rsrc2 >> 11 & 3);
    cmd->sys_sgprs = (uint8_t)((cmd->rsrc2 >> 7 & 15) | (cmd->rsrc2 & 1) << 4);
    cmd->cu_mask = part_mask(&cp->config, queue);
    if ((cmd->rsrc2 >> 1 & 31) > 16 || cmd->vgpr_items > 2 || (cmd->pc & 3))
        return CP_ERROR_CODE;
    CHECK(cmd->cu_mask, "cp", "gpu%u: no CU for any group", cp->gpu); /* cp_queue_cu_mask refuses such a mask */
    error = resources_check(&cp->config, cmd);
    if (error)
        return error;
    uint32_t private_bytes = get32(packet + AQL_PRIVATE);
    if (private_bytes) {
        if (private_bytes > get32(field(memory, QUEUE_LANE_BYTES)))
            return CP_ERROR_SCRATCH;
        uint32_t tmpring = get32(field(memory, QUEUE_TMPRING));
        cmd->root = space->scratch_base;
        cmd->scratch_waves = tmpring & 0xfff;
        cmd->scratch_wave_bytes = (tmpring >> 12 & 0x1fff) * 1024;
        if (!scratch_fits(cmd)) /* in its part of the CUs */
            cmd->cu_mask = cp->config.cu_mask & queue->cu_mask;
        if (!scratch_fits(cmd))
            return CP_ERROR_GROUP;
    }
    sgprs_build(queue, index, packet, memory, cmd);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Operations of the vector ALU that look across lanes or registers: read and write lane, lane counts, indexed moves.
 */
#include "valu/valu.h"

static void readlane_b32(struct valu *v)
{
    scalar_write32(v->wave, v->inst->sdst, v->a[v->b[0] & 63]);
}

static void readfirstlane_b32(struct valu *v)
{
    uint64_t exec = WAVE_EXEC(v->wave);
    scalar_write32(v->wave, v->inst->sdst, v->a[exec ? __builtin_ctzll(exec) : 0]);
}

/* EXEC does not count: exactly the selected lane is written. */
static void writelane_b32(struct valu *v)
{
    unsigned lane = v->b[0] & 63;
    v->d[lane] = v->a[0];
    v->exec = UINT64_C(1) << lane;
}

static void mbcnt_lo(struct valu *v)
{
    LANES
    {
        uint32_t below = l < 32 ? (UINT32_C(1) << l) - 1 : UINT32_MAX;
        v->d[l] = (uint32_t)__builtin_popcount(v->a[l] & below) + v->b[l];
    }
}

static void mbcnt_hi(struct valu *v)
{
    LANES
    {
        uint32_t below = l < 32 ? 0 : (UINT32_C(1) << (l - 32)) - 1;
        v->d[l] = (uint32_t)__builtin_popcount(v->a[l] & below) + v->b[l];
    }
}

static void v_nop(struct valu *v)
{
    (void)v;
}

/* Register index plus M0 (32 bits); NULL beyond the allocation. */
static uint32_t *indexed(struct valu *v, unsigned reg)
{
    uint32_t at = reg + WAVE_M0(v->wave);
    return at < v->wave->vgprs ? v->wave->v[at] : NULL;
}

/* Nothing is written beyond the allocation. */
static void move_indexed(struct valu *v, const uint32_t *from, uint32_t *to)
{
    if (to)
        LANES if (v->exec >> l & 1) to[l] = from[l];
    v->exec = 0; /* written here */
}

/* Beyond the allocation v0 is read. */
static const uint32_t *relative_source(struct valu *v)
{
    const uint32_t *row = indexed(v, v->inst->src[0] - SREG_VGPR);
    return row ? row : v->wave->v[0];
}
static void movreld_b32(struct valu *v)
{
    move_indexed(v, v->a, indexed(v, v->inst->vdst));
}
static void movrels_b32(struct valu *v)
{
    move_indexed(v, relative_source(v), v->wave->v[v->inst->vdst]);
}
static void movrelsd_b32(struct valu *v)
{
    move_indexed(v, relative_source(v), indexed(v, v->inst->vdst));
}

const struct valu_op valu_lane_ops[] = {
    {OP_V_NOP, T_INT, T_INT, 0, v_nop},
    {OP_V_CLREXCP, T_INT, T_INT, 0, v_nop}, /* no exception flags are kept */
    {OP_V_READLANE_B32, T_INT, T_INT, 0, readlane_b32},
    {OP_V_READFIRSTLANE_B32, T_INT, T_INT, 0, readfirstlane_b32},
    {OP_V_WRITELANE_B32, T_INT, T_INT, 0, writelane_b32},
    {OP_V_MBCNT_LO_U32_B32, T_INT, T_INT, 0, mbcnt_lo},
    {OP_V_MBCNT_HI_U32_B32, T_INT, T_INT, 0, mbcnt_hi},
    {OP_V_MOVRELD_B32, T_INT, T_INT, 0, movreld_b32},
    {OP_V_MOVRELS_B32, T_INT, T_INT, 0, movrels_b32},
    {OP_V_MOVRELSD_B32, T_INT, T_INT, 0, movrelsd_b32},
    {0},
};

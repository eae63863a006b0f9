/* SPDX-License-Identifier: Apache-2.0
 * The reference's view of a launch: the shape of a group, which CUs and positions it may use, the CU_WAVE of a
 * wavefront, of bridge/proto/messages.def.  Pure functions.  Not responsible for: which CU and places a group gets. */
#include <string.h>

#include "reference.h"

enum { SCRATCH_PER_CU = 32 }; /* wavefronts with scratch memory that a CU may hold */

/* Size and place of group `number`, x fastest; at the grid's end it is smaller. */
void ref_group_shape(const struct msg_cp_cmd *c, uint64_t number, struct ref_group *g)
{
    g->items = 1;
    for (int d = 0; d < 3; d++) {
        g->id[d] = (unsigned)(number % c->groups[d]);
        number /= c->groups[d];
        const uint64_t begin = (uint64_t)g->id[d] * c->group[d], rest = c->grid[d] - begin;
        g->size[d] = rest < c->group[d] ? (unsigned)rest : c->group[d];
        g->items *= g->size[d];
    }
    g->waves = (g->items + 63) / 64;
}

/* Positions (slot * SIMDs + SIMD) of a CU that a wavefront may stand at: 32 CUs' worth each, until `scratch_waves` are
 * given out. */
unsigned ref_positions(const struct msg_cp_cmd *c, unsigned cu)
{
    if (c->scratch_wave_bytes == 0)
        return REF_PLACES;
    const uint64_t before = (uint64_t)cu * SCRATCH_PER_CU;
    if (c->scratch_waves <= before)
        return 0;
    return c->scratch_waves - before < SCRATCH_PER_CU ? (unsigned)(c->scratch_waves - before) : SCRATCH_PER_CU;
}

/* CUs of the mask where a whole group has room in the scratch memory, whatever runs there; what the CUs before take
 * counts only. */
uint64_t ref_may_use(const struct msg_cp_cmd *c, unsigned cus)
{
    uint64_t may = 0;
    for (unsigned cu = 0; cu < cus; cu++) {
        const uint64_t left =
            c->scratch_waves > (uint64_t)cu * SCRATCH_PER_CU ? c->scratch_waves - (uint64_t)cu * SCRATCH_PER_CU : 0;
        if ((c->cu_mask >> cu & 1) && (c->scratch_wave_bytes == 0 || left >= c->waves))
            may |= UINT64_C(1) << cu;
    }
    return may;
}

static uint32_t reciprocal(unsigned size)
{
    return ((UINT32_C(1) << 20) + size - 1) / size;
}

static void message_sgprs(const struct ref_walk *w, const struct ref_group *g, unsigned n, unsigned position,
                          struct msg_cu_cmd *m)
{
    const struct msg_cp_cmd *c = &w->cmd;
    const uint32_t system[5] = {g->id[0], g->id[1], g->id[2], (n == 0 ? UINT32_C(1) << 31 : 0) | g->waves,
                                position * c->scratch_wave_bytes};
    unsigned count = c->user_sgprs;
    for (unsigned i = 0; i < count; i++)
        m->sgpr[i] = c->user_sgpr[i];
    for (unsigned i = 0; i < 5; i++)
        if (c->sys_sgprs >> i & 1)
            m->sgpr[count++] = system[i];
    m->init_sgprs = (uint8_t)count;
}

/* Wavefront n of a group; SGPRs that it does not name are as seen. */
void ref_message(const struct ref_walk *w, const struct ref_group *g, unsigned n, const struct msg_cu_cmd *seen,
                 unsigned simds, struct msg_cu_cmd *m)
{
    const struct msg_cp_cmd *c = &w->cmd;
    const struct ref_place *at = &g->place[n];
    const unsigned left = g->items - 64 * n;
    memset(m, 0, sizeof *m);
    memcpy(m->sgpr, seen->sgpr, sizeof m->sgpr);
    m->kind = CU_WAVE, m->vmid = c->vmid, m->launch = (uint8_t)g->who;
    m->wave = (uint8_t)(at->simd << 4 | at->slot);
    m->group = (uint8_t)g->barrier, m->group_waves = (uint8_t)g->waves, m->wave_in_group = (uint8_t)n;
    m->vgpr_items = c->vgpr_items;
    m->vgpr_base = (uint16_t)(4 * at->vgpr), m->vgprs = c->vgprs;
    m->sgpr_base = (uint16_t)(16 * at->sgpr), m->sgprs = c->sgprs;
    m->lds_base = 512 * g->lds, m->lds_bytes = c->lds_bytes;
    m->scratch_base = (uint32_t)(c->root >> 8);
    m->pc = c->pc;
    m->exec = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    for (int d = 0; d < 3; d++)
        m->group_size[d] = (uint16_t)g->size[d];
    m->recip_x = reciprocal(g->size[0]), m->recip_y = reciprocal(g->size[1]);
    m->mode = (uint8_t)(c->rsrc1 >> 12);
    m->ieee = (uint8_t)((c->rsrc1 >> 23 & 1) | (c->rsrc1 >> 21 & 1) << 1);
    message_sgprs(w, g, n, g->cu * SCRATCH_PER_CU + at->slot * simds + at->simd, m);
}

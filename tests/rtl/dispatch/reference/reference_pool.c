/* SPDX-License-Identifier: Apache-2.0
 * The reference's resources: rounds of a try, first fit, what comes back with a wavefront.  Not responsible for: who
 * tries. */
#include <stddef.h>
#include <string.h>

#include "reference.h"

/* The first run of n free ones below `size`; -1: there is none. */
static int first_run(const bool *taken, unsigned size, unsigned n)
{
    unsigned length = 0;
    for (unsigned i = 0; i < size; i++) {
        length = taken[i] ? 0 : length + 1;
        if (length == n)
            return (int)(i + 1 - n);
    }
    return -1;
}

static void mark(bool *row, unsigned first, unsigned n, bool taken)
{
    for (unsigned i = first; i < first + n; i++)
        row[i] = taken;
}

/* The first free slot of a SIMD whose position in the CU is below `positions`. */
static int first_slot(const struct ref *r, unsigned simd, unsigned positions)
{
    for (unsigned slot = 0; slot < r->shape.slots; slot++)
        if (!r->work.slot[simd][slot] && slot * r->shape.simds + simd < positions)
            return (int)slot;
    return -1;
}

static bool place_wave(struct ref *r, unsigned simd)
{
    const struct ref_walk *w = &r->walk[r->now.who];
    const int slot = first_slot(r, simd, ref_positions(&w->cmd, r->now.cu));
    const int vgpr = first_run(r->work.vgpr[simd], r->shape.vgprs, w->vgprs),
              sgpr = first_run(r->work.sgpr[simd], r->shape.sgprs, w->sgprs);
    if (slot < 0 || vgpr < 0 || sgpr < 0)
        return false;
    struct ref_place *at = &r->found.place[r->found.left++];
    at->simd = (uint8_t)simd, at->slot = (uint8_t)slot, at->vgpr = (uint8_t)vgpr, at->sgpr = (uint8_t)sgpr;
    r->work.slot[simd][slot] = true;
    mark(r->work.vgpr[simd], at->vgpr, w->vgprs, true);
    mark(r->work.sgpr[simd], at->sgpr, w->sgprs, true);
    return true;
}

static void finish(struct ref *r, bool ok)
{
    r->busy = false;
    r->answer = r->now;
    r->answer_ok = ok;
    if (!ok)
        return;
    r->cu[r->now.cu] = r->work;
    r->simd_turn[r->now.cu] = (r->simd_turn[r->now.cu] + r->found.waves) % r->shape.simds;
    struct ref_group *g = NULL;
    for (unsigned i = 0; i < r->pool_size && !g; i++)
        if (r->pool[i].left == 0)
            g = &r->pool[i];
    if (!g)
        return; /* there are as many as wavefronts */
    *g = r->found;
    for (unsigned n = 0; n < g->waves; n++) {
        struct ref_held *h = &r->held[g->cu][g->place[n].simd * REF_SLOTS + g->place[n].slot];
        h->group = g, h->at = g->place[n], h->ended = false;
    }
    struct ref_walk *w = &r->walk[g->who];
    w->running += g->waves;
    if (w->owed < 2)
        w->granted[w->owed] = g;
    w->owed++;
}

/* LDS and barrier slot are found at the begin of a try. */
void ref_pool_begin(struct ref *r, const struct ref_try *asked)
{
    const struct ref_walk *w = &r->walk[asked->who];
    struct ref_group *g = &r->found;
    memset(g, 0, sizeof *g);
    ref_group_shape(&w->cmd, w->next, g);
    r->now = *asked;
    r->work = r->cu[asked->cu];
    r->busy = true;
    g->who = asked->who, g->cu = asked->cu;
    const int lds = w->lds ? first_run(r->work.lds, r->shape.lds, w->lds) : 0;
    const int barrier = g->waves > 1 ? first_run(r->work.barrier, r->shape.barriers, 1) : 0;
    if (lds < 0 || barrier < 0) {
        finish(r, false);
        return;
    }
    g->lds = (unsigned)lds, g->barrier = (unsigned)barrier;
    mark(r->work.lds, g->lds, w->lds, true);
    if (g->waves > 1)
        r->work.barrier[g->barrier] = true;
}

/* A round: up to one wavefront on every SIMD, from the one whose turn it is. */
void ref_pool_round(struct ref *r)
{
    const unsigned before = r->found.left;
    for (unsigned s = 0; r->busy && s < r->shape.simds; s++)
        if (r->found.left < r->found.waves)
            place_wave(r, (r->simd_turn[r->now.cu] + s) % r->shape.simds);
    if (r->busy && r->found.left == r->found.waves)
        finish(r, true);
    else if (r->busy && r->found.left == before)
        finish(r, false);
}

static void give_back(struct ref_rows *rows, const struct ref_walk *w, const struct ref_held *h)
{
    rows->slot[h->at.simd][h->at.slot] = false;
    mark(rows->vgpr[h->at.simd], h->at.vgpr, w->vgprs, false);
    mark(rows->sgpr[h->at.simd], h->at.sgpr, w->sgprs, false);
    if (h->group->left > 1)
        return;
    mark(rows->lds, h->group->lds, w->lds, false);
    if (h->group->waves > 1)
        rows->barrier[h->group->barrier] = false;
}

/* What a wavefront holds comes back, with the last of its group LDS and barrier slot; a try under way in this CU has it
 * at once. */
void ref_pool_free(struct ref *r, unsigned cu, unsigned wave)
{
    struct ref_held *h = &r->held[cu][wave];
    struct ref_walk *w = &r->walk[h->group->who];
    give_back(&r->cu[cu], w, h);
    if (r->busy && r->now.cu == cu)
        give_back(&r->work, w, h);
    h->group->left--;
    w->running--;
    h->group = NULL;
}

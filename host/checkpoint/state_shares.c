/* SPDX-License-Identifier: Apache-2.0
 * Shares of a state; contract in state_shares.h.  A share: graph, messages and instructions so far, that of the
 * scheduler, then for each GPU what is noted of its wavefronts, nothing for one that runs elsewhere.
 */
#include "checkpoint/state_shares.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/run/sched_links.h"
#include "bridge/run/sched_save.h"
#include "bridge/run/sched_share.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "place/place.h"
#include "saved/state_piece.h"
#include "target/rtl_groups.h"

struct shares {
    uint64_t graph, moved;
    struct sched_shares *sched;
    unsigned gpus;
    uint32_t count;
    struct state_buffer list[]; /* by process */
};

void share_put(struct sim *sim, struct state_writer *to)
{
    state_put_u64(to, sched_graph(&sim->sched));
    state_put_u64(to, watchdog_sent(sim) + figures_issued_here(sim));
    sched_share(&sim->sched, to);
    if (sim->groups)
        rtl_groups_save(sim->groups, to);
}

uint64_t shares_graph(const struct shares *shares)
{
    return shares->graph;
}

uint64_t shares_moved(const struct shares *shares)
{
    return shares->moved;
}

void shares_free(struct shares *shares)
{
    if (shares == NULL)
        return;
    sched_shares_free(shares->sched);
    for (uint32_t i = 0; i < shares->count; i++)
        free(shares->list[i].bytes);
    free(shares);
}

/* A worker's: its bytes become those of the buffer. */
static enum gantry_status share_ask(struct sim *sim, uint32_t process, struct state_buffer *share)
{
    struct ask ask = {.kind = PLACE_SHARE};
    void *bytes = NULL;
    const bool there = place_ask(sim, process, &ask, NULL, &bytes);
    state_buffer_init(share);
    share->bytes = bytes;
    share->count = share->room = ask.bytes;
    return there ? (enum gantry_status)ask.a : place_lost(sim);
}

static void sums_read(struct shares *all, uint32_t process)
{
    uint64_t graph, moved;
    struct state_reader *from = &all->list[process].reader;
    PART_CHECK(state_get_u64(from, &graph) && state_get_u64(from, &moved), NULL, 0, "share of process %u ends",
               process);
    all->graph += graph;
    all->moved += moved;
}

enum gantry_status shares_collect(struct sim *sim, const char *file, struct shares **shares)
{
    const uint32_t workers = place_workers(sim);
    struct shares *all = xcalloc(1, sizeof *all + (workers + 1u) * sizeof all->list[0]);
    enum gantry_status status = STATUS_OK;
    char why[240];
    *shares = NULL;
    all->gpus = sim->gpu_count;
    sched_take(&sim->sched);
    sched_flush(&sim->sched); /* what was sent in this turn is under way, too */
    state_buffer_init(&all->list[all->count++]);
    share_put(sim, &all->list[0].writer);
    for (uint32_t i = 1; i <= workers && status == STATUS_OK; i++)
        status = share_ask(sim, i, &all->list[all->count++]);
    for (uint32_t i = 0; i < all->count && status == STATUS_OK; i++)
        sums_read(all, i);
    if (status == STATUS_OK) {
        all->sched = sched_shares_read(&sim->sched, all->list, all->count, why);
        if (all->sched == NULL) {
            diag(file, "cannot be saved: %s", why);
            status = STATUS_INTERNAL;
        }
    }
    if (status == STATUS_OK)
        *shares = all;
    else
        shares_free(all);
    return status;
}

void shares_sched_save(struct shares *shares, struct state_writer *to)
{
    sched_shares_save(shares->sched, to);
}

void shares_groups_save(struct shares *shares, struct state_writer *to)
{
    struct state_buffer piece;
    state_buffer_init(&piece);
    for (unsigned g = 0; g < shares->gpus; g++) {
        for (uint32_t i = 0; i < shares->count; i++)
            PART_CHECK(state_piece_append(&shares->list[i].reader, &piece.writer), NULL, 0,
                       "share of process %u ends before GPU %u", i, g);
        state_piece_put(to, &piece);
    }
    free(piece.bytes);
}

/* SPDX-License-Identifier: Apache-2.0
 * Where a replay is in its recording, and how it gets there without running: for checkpoints (recorded.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "machine/goals.h"
#include "machine/recorded.h"
#include "machine/replay_private.h"
#include "machine/sim_private.h"

void replay_place(const struct replay *r, struct recorded *place)
{
    *place = (struct recorded){
        .gpus = r->gpus,
        .kernels = r->kernels,
        .journal = journal_reader_place(r->reader),
        .host = journal_taken(r->reader, STREAM_HOST) - (r->next.kind ? sizeof r->next : 0),
    };
    for (unsigned g = 0; g < r->gpus; g++)
        place->memory[g] = journal_taken(r->reader, STREAM_MEMORY(g));
}

static bool memory_skip(struct replay *r, unsigned gpu, uint64_t to)
{
    struct message m;
    struct far_record record;
    while (journal_taken(r->reader, STREAM_MEMORY(gpu)) < to) {
        if (!message_read(&r->memory_log[gpu], r->reader, &m) || m.bytes != sizeof record)
            return false;
        memcpy(&record, m.data, sizeof record);
        if (!journal_skip(r->reader, STREAM_MEMORY(gpu), far_record_data(&record)))
            return false;
        r->memory_count[gpu]++;
    }
    return journal_taken(r->reader, STREAM_MEMORY(gpu)) == to;
}

bool replay_skip(struct replay *r, const struct recorded *place)
{
    while (r->next.kind && journal_taken(r->reader, STREAM_HOST) - sizeof r->next < place->host) {
        r->events += r->next.kind == HOST_EVENT;
        r->kernels += r->next.kind == HOST_KERNEL;
        journal_skip(r->reader, STREAM_HOST, r->next.bytes);
        replay_host_next(r);
    }
    if (r->goals)
        r->goals->kernels = r->kernels;
    r->sim->timers.count = 0; /* what the host was waiting for is in the recording */
    sim_timer(r->sim, sim_now(r->sim), 0);
    bool there = journal_taken(r->reader, STREAM_HOST) - (r->next.kind ? sizeof r->next : 0) == place->host &&
                 r->kernels == place->kernels;
    for (unsigned g = 0; there && g < r->gpus; g++)
        there = memory_skip(r, g, place->memory[g]);
    return there;
}

bool replay_goals(struct replay *r)
{
    if (!goals_due(r->goals, sim_now(r->sim)))
        return false;
    struct recorded place;
    char *file = xasprintf("%s/" RECORD_FILE, r->dir);
    replay_place(r, &place);
    goals_save(r->goals, r->sim, &place, file);
    free(file);
    return true;
}

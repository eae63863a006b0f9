/* SPDX-License-Identifier: Apache-2.0
 * Where a replay is in its recording, and how it gets there without running: for checkpoints (recorded.h).
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "machine/goals.h"
#include "machine/sim_private.h"
#include "record/recorded.h"
#include "record/replay_private.h"

static bool mine(const struct replay *r, const struct host_record *record)
{
    return r->gpu < 0 || record->gpu == r->gpu || record->kind >= HOST_MARK;
}

void replay_host_next(struct replay *r)
{
    do {
        if (!journal_take(r->reader, STREAM_HOST, &r->next, sizeof r->next)) {
            r->next = (struct host_record){0};
            return;
        }
        if (!mine(r, &r->next))
            journal_skip(r->reader, STREAM_HOST, r->next.bytes);
    } while (!mine(r, &r->next));
}

void replay_place(const struct replay *r, struct recorded *place)
{
    *place = (struct recorded){
        .gpus = r->gpus,
        .kernels = r->kernels,
        .journal = journal_reader_place(r->reader),
        .host = journal_taken(r->reader, STREAM_HOST) - (r->next.kind ? sizeof r->next : 0),
    };
    for (unsigned g = 0; g <= r->gpus; g++)
        place->memory[g] = journal_taken(r->reader, r->memory_log[g].stream);
}

static const char *replay_go(void *ctx, const struct recorded *place)
{
    struct replay *r = ctx;
    if (!journal_has(r->reader, place->journal))
        return "is of another recording than " RECORD_FILE " beside it, or of more than is left of it";
    while (r->next.kind && journal_taken(r->reader, STREAM_HOST) - sizeof r->next < place->host) {
        r->events += r->next.kind == HOST_EVENT;
        r->answers += r->next.kind == HOST_ANSWER;
        if (r->next.kind == HOST_KERNEL) {
            uint64_t number;
            CHECK(journal_take(r->reader, STREAM_HOST, &number, sizeof number), "replay", "a record that ends within");
            r->kernels++;
            goals_kernel(r->goals, number);
        } else {
            journal_skip(r->reader, STREAM_HOST, r->next.bytes);
        }
        replay_host_next(r);
    }
    r->sim->timers.count = 0; /* what the host was waiting for is in the recording */
    sim_timer(r->sim, sim_now(r->sim), 0);
    bool there = journal_taken(r->reader, STREAM_HOST) - (r->next.kind ? sizeof r->next : 0) == place->host &&
                 r->kernels == place->kernels;
    for (unsigned g = 0; there && g <= r->gpus; g++)
        there = replay_memory_skip(r, g, place->memory[g]);
    return there ? NULL : "its place in the recording is within a message";
}

enum gantry_status replay_restore(struct replay *r, const char *dir)
{
    return recorded_restore(r->sim, dir, replay_go, r);
}

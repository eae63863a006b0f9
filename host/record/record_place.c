/* SPDX-License-Identifier: Apache-2.0
 * Recording a machine in several processes: what enters a GPU is kept in the process that runs it, and process 0, which
 * has the file, fetches it before each commit, while all rest.  So what counts of a recording is of one cycle in all
 * streams.  Streams are those of one process: each is kept by one process alone.  Contract in record.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "machine/sim_private.h"
#include "place/place.h"
#include "record/record_private.h"
#include "saved/state_io.h"

struct head {
    uint64_t stream, bytes; /* that follow */
};

/* ---- in a worker */
void record_follow(struct record *r)
{
    r->journal = journal_buffer(); /* the file is that of process 0 */
}

static void give(void *ctx, unsigned stream, const void *data, size_t bytes)
{
    struct state_writer *to = ctx;
    const struct head head = {stream, bytes};
    STATE_PUT(to, head);
    state_put(to, data, bytes);
}

void record_give(struct record *r, struct state_writer *to)
{
    journal_drain(r->journal, give, to);
}

/* ---- in process 0 */
static bool gather(struct record *r, uint32_t process)
{
    struct ask ask = {.kind = PLACE_RECORDED};
    struct head head;
    void *bytes;
    const bool there = place_ask(r->sim, process, &ask, NULL, &bytes);
    for (uint64_t at = 0; there && at < ask.bytes; at += head.bytes) {
        CHECK(ask.bytes - at >= sizeof head, "record", "process %u: %llu bytes", process,
              (unsigned long long)ask.bytes);
        memcpy(&head, (char *)bytes + at, sizeof head);
        at += sizeof head;
        CHECK(head.bytes <= ask.bytes - at && head.stream < JOURNAL_STREAMS, "record",
              "process %u: %llu bytes of stream %llu", process, (unsigned long long)head.bytes,
              (unsigned long long)head.stream);
        journal_put(r->journal, (unsigned)head.stream, (char *)bytes + at, head.bytes);
    }
    free(bytes);
    return there;
}

bool record_gather(struct record *r)
{
    for (uint32_t i = 1; i <= place_workers(r->sim) && !r->cut; i++)
        if (!gather(r, i))
            return false;
    return !r->cut;
}

void record_unrest(struct record *r, bool unrest)
{
    r->unrest = unrest;
}

/* SPDX-License-Identifier: Apache-2.0
 * The cooperative scheduler: windows of PART_WINDOW cycles; in each it visits the partitions that are not idle or
 * have a message, group by group, in order of their index; between windows it jumps to the next one in which something
 * happens.  A group may be visited for several windows (`stretch`) while its state is in the host's caches, before the
 * next group is looked at, as far as the fastest channel between two groups allows: what another group sends in these
 * windows is due after them.  So groups may also run at the same time on several host threads; what they send each
 * other waits in an outbox until all are through.  Neither order nor threads show in a result.
 * Responsible for: ready sets, calendars, time.  Not responsible for: host callbacks (sim.c runs them between windows),
 * partitions elsewhere (sched_links.h).
 */
#ifndef GANTRY_SCHED_H
#define GANTRY_SCHED_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/part/part.h"
#include "bridge/run/heap.h"

#define SCHED_WHEEL 256 /* windows that the calendar covers; what is due later waits in a heap */
#define SCHED_STRETCH 8 /* most windows at once: fewer cycles than host and GPU are apart (link.host) */
#define SCHED_CHANNELS (UINT32_C(1) << 24) /* of a machine; 64 GPUs of 64 CUs have some 200,000 */
#define SCHED_SHARED 4                     /* groups with work from which on threads share them out */

struct team;
struct sched;

/* How a channel is made of which at most one end is here (bridge/place/cut_channels.h): NULL when neither is. */
struct sched_cut {
    struct wire *(*connect)(void *ctx, struct sched *s, struct part *from, uint32_t slot_from, struct part *to,
                            uint32_t slot_to, uint32_t bytes, uint32_t latency, uint32_t depth);
    void *ctx;
};

/* A message between groups that run at the same time; its payload behind it. */
struct sched_mail {
    struct wire *wire;
    uint64_t now;
};
static inline size_t sched_mail_bytes(const struct channel *c)
{
    return sizeof(struct sched_mail) + ((size_t)c->bytes + 7) / 8 * 8;
}

struct sched_group {
    struct part **parts;
    uint32_t count, words;             /* partitions; 64-bit words of a set of them */
    uint64_t *busy;                    /* partitions that are not idle */
    uint64_t *wheel;                   /* SCHED_WHEEL sets: partitions with something due in that window */
    uint64_t filled[SCHED_WHEEL / 64]; /* sets of the wheel that are not empty */
    struct heap late;                  /* (cycle, partition) beyond the wheel */
    uint8_t *outbox; /* messages to other groups: struct sched_mail and payload, each a multiple of 8 bytes; room for
                        all that its channels may hold */
    size_t outbox_used, outbox_room;
    uint64_t visits, visited; /* so far; first cycle of the last window with one that was ready */
};

struct sched {
    struct part **parts;
    uint32_t count;
    struct wire **wires;
    uint32_t wire_count;
    struct part **others; /* partitions that run elsewhere */
    uint32_t other_count;
    uint32_t added, connected; /* partitions and channels of the whole machine so far: their numbers */
    struct sched_cut cut;      /* without partitions elsewhere: none */
    struct sched_group *groups;
    uint32_t group_count;
    uint64_t now;         /* first cycle of the present window */
    uint32_t stretch;     /* windows that a group may run at once: 1 to SCHED_STRETCH */
    bool no_skip;         /* visit every partition in every window */
    unsigned threads;     /* of the host; 0 as 1.  Set before sched_start */
    struct team *team;    /* NULL: one thread */
    bool apart;           /* groups run at the same time: messages to others go to the outbox */
    uint32_t *ready;      /* groups with something to do in this run */
    unsigned windows_now; /* of this run */
    /* Ends of links (sched_links.h) */
    struct wire **imports, **exports;
    uint32_t import_count, export_count;
    /* Of links that promise together the fastest, and each that promises for itself: what is asked at each step. */
    struct link **heads_in, **heads_out;
    uint32_t head_in_count, head_out_count;
    struct wire **held; /* imports with messages that have come and are not finished with */
    uint32_t held_count;
    struct region *region; /* where this process waits for the others; NULL: nowhere */
    bool host;             /* the owner acts when all is quiet */
    volatile bool stop;    /* sched_advance returns soon; may be set by a visit or a signal's handler */
    uint64_t horizon;      /* first cycle that may not be run yet */
    /* An owner that acts at cycles of its own, also on what has just come (sched_advance): the first of them, asked for
     * often; NULL: it has none.  What comes to it was sent `act_ahead` cycles before or earlier. */
    uint64_t (*act)(void *ctx);
    void *act_ctx;
    uint64_t act_ahead;
    bool (*unwanted)(void *ctx); /* act_ctx; asked while sched_advance waits long: true stops it; NULL: never */
    /* Something that a partition here needs is lost; asked with lost_ctx between steps of sched_advance and at least
     * each 0.1 s while it waits, never during a visit: true stops it.  NULL: nothing can be. */
    bool (*lost)(void *ctx);
    void *lost_ctx;
    bool given_up;  /* `unwanted` was true while a partition waited for its turn: no turn is waited for any more */
    bool ordered;   /* partitions here take turns with those of other processes (sched_in_turn) */
    uint64_t limit; /* sched_advance goes no further, though nothing happens there; UINT64_MAX: none */
};

void sched_init(struct sched *s);
void sched_fini(struct sched *s); /* frees partitions and wires */
/* Takes the partition over and numbers it; before sched_start.  One that runs elsewhere is kept for its ports. */
void sched_add(struct sched *s, struct part *part);
/* Output `slot_from` of `from` to input `slot_to` of `to`; never more than `depth` messages inside.  NULL when both run
 * elsewhere; a link when one does. */
struct wire *sched_connect(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to,
                           uint32_t bytes, uint32_t latency, uint32_t depth);
/* All partitions are there and connected.  False when the host threads cannot be made. */
bool sched_start(struct sched *s);

/* `part` has something to do at `cycle` (>= now).  From a visit: only of a partition of the same group. */
void sched_wake(struct sched *s, struct part *part, uint64_t cycle);
/* Send on output `slot` at cycle `now`, and wake the receiver; from one group to another while both run, when the run
 * is over.  A message on an output that is not connected is a bug. */
void sched_send(struct part *part, uint32_t slot, uint64_t now, const void *message);
/* Visit everything ready in the `windows` windows from `now` on (1 to `stretch`), then step `now` behind them, at most
 * to the horizon of the links. */
void sched_run(struct sched *s, unsigned windows);
/* First cycle of the next window in which a partition is ready; UINT64_MAX when none ever is. */
uint64_t sched_next(const struct sched *s);
/* No partition is busy and no message under way. */
bool sched_quiet(const struct sched *s);
/* Visits of partitions so far. */
uint64_t sched_visits(const struct sched *s);
/* Cycle behind the last window in which a partition was visited, 0 before the first; the largest of all processes does
 * not depend on how partitions are placed (unless no_skip visits them without need). */
uint64_t sched_active(const struct sched *s);
/* A wire without an end at `from` or `to`, NULL, for sched_links.c: not connected to a link yet. */
struct wire *sched_wire(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to);
#endif

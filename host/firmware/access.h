/* SPDX-License-Identifier: Apache-2.0
 * Client memory as the command processor reaches it: reads, writes and atomics at virtual addresses become messages of
 * the host's port (sim_access), whose answers come back to the transfer that they belong to.  Translation is by the
 * host's copy of the page tables, at the moment of the request.  Nothing here waits, but for pages that are about to
 * move (deferred.c).
 *
 * Order: of accesses to one memory each takes effect after those asked for earlier; a read marked `early` only after
 * those to the same 64 bytes.  Between two memories nothing is promised: who needs an order there asks for the second
 * when the first is answered (access_same tells).
 * Bound: an owner has at most ACCESS_OWNER accesses without an answer, so a command processor at most CP_ACCESSES.
 */
#ifndef GANTRY_CP_ACCESS_H
#define GANTRY_CP_ACCESS_H
#include <stdbool.h>
#include <stdint.h>

struct cp;
struct cp_queue;
struct cp_space;
struct job;
struct msg_mem_rsp;

#define ACCESS_OWNER 10u /* five signals, each across two lines */
#define CP_ACCESSES 4096u

/* Accesses that are waited for together.  It lies in its queue or job, which stay until the last answer. */
struct transfer {
    struct cp_queue *queue;
    struct job *job;                                 /* NULL: it is the queue's own */
    void (*done)(struct cp *cp, struct transfer *t); /* all are answered; not called when none had to be sent */
    unsigned open;                                   /* without an answer */
    bool fault;                                      /* some byte is not mapped, or its memory is gone */
};

/* One message under way. */
struct cp_access {
    struct transfer *transfer; /* NULL: this place is free */
    uint8_t *to;               /* where what is read belongs; NULL: it is no read */
    uint64_t order;            /* number of the access; UINT64_MAX: it is not translated yet (deferred.c) */
    uint32_t next;             /* list of free places */
    uint16_t generation;
    uint8_t at, bytes; /* in the line */
};

void access_init(struct cp *cp);
void transfer_begin(struct transfer *t, struct cp_queue *queue, struct job *job,
                    void (*done)(struct cp *cp, struct transfer *t));
/* Zeros where it faults.  `to` belongs to the transfer's owner. */
void access_read(struct cp *cp, struct transfer *t, uint64_t va, void *to, unsigned bytes, bool early);
void access_write(struct cp *cp, struct transfer *t, uint64_t va, const void *from, unsigned bytes);
/* value of 8 bytes minus 1 */
void access_count_down(struct cp *cp, struct transfer *t, uint64_t va);
/* Both are in the same memory, so what is asked for first takes effect first. */
bool access_same(const struct cp_space *space, uint64_t a, uint64_t b);
/* An answer has come: the transfer that it belongs to.  Its queue and space still count the access. */
struct transfer *access_take(struct cp *cp, uint64_t cookie, const struct msg_mem_rsp *rsp);
/* All accesses numbered below `order` are answered. */
bool access_answered(const struct cp *cp, uint64_t order);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * The slots of a client's event page.  A wavefront that wants the host to set an event writes the event's slot and
 * sends an interrupt; then the driver reads the lines that hold slots of the client's signal events, exchanges each
 * slot that is not empty for an empty one, and sets the event when that is answered.  All of it are messages to host
 * memory.
 * Bound: one look of a client at a time, so at most a read for each line and an exchange for each event are under way.
 * Not responsible for: events and who waits for them (event.c), when an interrupt is served (firmware).
 */
#ifndef GANTRY_SLOTS_H
#define GANTRY_SLOTS_H
#include <stdbool.h>
#include <stdint.h>

#define SLOT_EMPTY UINT64_MAX
#define SLOT_EMPTY_BYTE 0xff
#define SLOTS_OPEN (4096u / 8 + 4096u) /* accesses of a client without an answer */

struct client;
struct driver;
struct msg_mem_rsp;

/* Zeroed at the beginning. */
struct slots {
    unsigned open; /* accesses without an answer: the client and its page stay */
    bool again;    /* an interrupt came during the look: what it told of may have been written behind its reads */
};

/* Wavefronts of the client have sent an interrupt, whichever event it names: M0 as a hint is neither complete (the trap
 * handler of the runtime leaves in it what the program had) nor needed, and a slot passed over now may have no further
 * interrupt. */
void slots_look(struct driver *d, struct client *c);
/* An answer to one of these accesses (machine_answer_fn; ctx: the driver). */
void slots_answer(void *ctx, uint64_t what, const struct msg_mem_rsp *rsp);
#endif

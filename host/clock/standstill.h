/* SPDX-License-Identifier: Apache-2.0
 * Nothing ends in silence: has target time stood still for good?  Asked when the clients rest and the machine has been
 * given its chance.  Two answers end a run: nobody can ever go on (a deadlock), or the clock's watchdog, which is of
 * host time.  Not responsible for: a machine that waits for itself (host/observe/watchdog.c).
 */
#ifndef GANTRY_STILL_H
#define GANTRY_STILL_H
#include <stdbool.h>
#include <stdint.h>

struct driver;

/* Since when nothing has changed; all zero at first. */
struct still {
    uint64_t cycle, requests;
    double since; /* host time */
};

/* A client computes, or the clock is no longer asked: count anew. */
void still_reset(struct still *s);
/* `idle`: nothing is under way in the machine and no time limit is armed.  True when the run has to end; who waits for
 * what has then been written to stderr. */
bool still_ended(struct driver *d, struct still *s, bool idle);
#endif

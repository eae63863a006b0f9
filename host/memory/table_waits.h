/* SPDX-License-Identifier: Apache-2.0
 * Waiting for page tables: an ioctl that maps memory or opens a queue is answered when what it has changed in page
 * tables is written, on all GPUs.  Before the machine has begun tables are written at once, and nobody waits.
 * Not responsible for: the writes (host/maintenance/table_writes.h), when a thread is answered (gate.c).
 */
#ifndef GANTRY_DRIVER_TABLES_H
#define GANTRY_DRIVER_TABLES_H
#include <stdbool.h>
#include <stdint.h>

#include "clients/protocol.h"

#define DRIVER_GPUS 64

struct client;
struct driver;

struct tables_wait {
    uint64_t upto[DRIVER_GPUS]; /* of each GPU: cp_tables_changes before, then cp_tables_done that is waited for */
    bool all;                   /* whoever has asked for it */
    struct shim_answer answer;  /* for then */
};

/* An ioctl of the client begins; opens: a queue, for which all that its space has must be there. */
void tables_before(const struct driver *d, const struct client *c, bool opens, struct tables_wait *w);
/* It has been carried out.  Whether its answer has to wait: for its own changes and, where it opens a queue or another
 * thread of the process waits (which may have mapped the same memory), for all. */
bool tables_behind(const struct driver *d, struct tables_wait *w);
/* What is waited for is written. */
bool tables_written(const struct driver *d, const struct tables_wait *w);
/* From a callback: something was written.  The clock stops where a thread is to be answered. */
void tables_look(struct driver *d);
#endif

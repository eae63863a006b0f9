/* SPDX-License-Identifier: Apache-2.0
 * Pages that move by themselves (key migrate.policy), in a machine: binds phases of host/migrate to command processors,
 * counters and memory, for `gantry run` and `gantry kernel` alike; keeps the ledger of all moves.  With policy `never`
 * there are no phases: no timer, no command, nothing is counted.  Not responsible for: whose a page is (the user).
 */
#ifndef GANTRY_PHASES_H
#define GANTRY_PHASES_H
#include <stdint.h>

#include "migrate/ledger.h"

struct machine;
struct migrate;
struct phases;

struct phases_user {
    void *ctx;
    /* [*at, +*bytes) is the memory that the page at `page`, its own address, was allocated with; false: nobody's, or
     * it may not move. */
    bool (*memory)(void *ctx, uint64_t page, uint64_t *at, uint64_t *bytes);
};

/* The machine is there, and `migrate` as long as this. */
struct phases *phases_new(struct machine *machine, struct migrate *migrate, const struct phases_user *user);
void phases_free(struct phases *p);
/* A move is over (migrate_host.moved). */
void phases_moved(struct phases *p, struct move_fact *fact);
/* Memory is nobody's any more. */
void phases_gone(struct phases *p, uint64_t page, uint64_t bytes);
/* As of now; owned by it. */
const struct ledger *phases_ledger(struct phases *p);
#endif

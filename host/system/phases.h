/* SPDX-License-Identifier: Apache-2.0
 * Pages that move by themselves (key migrate.policy), in a machine: binds phases of host/migrate to command processors,
 * counters and memory, for `gantry run` and `gantry kernel` alike; keeps the ledger of all moves.  With policy `never`
 * there are no phases: no timer, no command, nothing is counted.  With migrate.map: lazy first accesses are served, too
 * (migrate/faults.h).  Not responsible for: whose a page is (the user).
 */
#ifndef GANTRY_PHASES_H
#define GANTRY_PHASES_H
#include <stdint.h>

#include "migrate/faults.h"

struct ledger;
struct machine;
struct migrate;
struct phases;

struct phases_user {
    void *ctx;
    /* [*at, +*bytes) is the memory that the page at `page`, its own address, was allocated with; false: nobody's, or
     * it may not move. */
    bool (*memory)(void *ctx, uint64_t page, uint64_t *at, uint64_t *bytes);
    /* As of faults_host; place NULL: entries are always there. */
    bool (*place)(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *p);
    int (*map)(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes);
    void (*answer)(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny);
};

/* The machine is there, and `migrate` as long as this. */
struct phases *phases_new(struct machine *machine, struct migrate *migrate, const struct phases_user *user);
void phases_free(struct phases *p);
/* A move is over (migrate_host.moved). */
void phases_moved(struct phases *p, struct move_fact *fact);
/* Memory is nobody's any more. */
void phases_gone(struct phases *p, uint64_t page, uint64_t bytes);
/* First accesses of this run are served (machine_withholds, several GPUs, user.place): NULL where not. */
struct faults *phases_faults(const struct phases *p);
/* A run that makes no progress: first accesses that are not answered, as a report (base/log.h). */
void phases_report(const struct phases *p);
/* What moves with the 4 KiB of this own address: *page, and its bytes; 0: nobody's, or not in whole units. */
uint64_t phases_unit(struct phases *p, uint64_t at, uint64_t *page);
/* As of now; owned by it. */
const struct ledger *phases_ledger(struct phases *p);
#endif

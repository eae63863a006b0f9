/* SPDX-License-Identifier: Apache-2.0
 * What became of pages in a run: a row for each move, and sums, for tables and for the lines at the end of a run.
 * Rows are in the order in which moves ended.
 */
#ifndef GANTRY_MIGRATE_LEDGER_H
#define GANTRY_MIGRATE_LEDGER_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "migrate/faults.h"
#include "policy/phase.h"

#define LEDGER_ORDER "order" /* instead of a policy: by a program's or a script's own wish */

struct ledger_row {
    struct move_fact fact;
    const char *policy; /* static; or LEDGER_ORDER */
};

/* All zero: nothing. */
struct ledger {
    struct ledger_row *rows; /* of the ledger */
    size_t count, room;
    const char *policy;     /* static; NULL: `never`, nobody has counted */
    uint64_t decision;      /* key migrate.phase_cycles */
    uint64_t fixed;         /* key migrate.fixed_cycles */
    struct phase_sums sums; /* with a policy */
    uint64_t fault_cycles;  /* key migrate.fault_cycles; 0: entries are written when memory is mapped */
    struct faults_sums faults;
};

void ledger_add(struct ledger *l, const char *policy, const struct move_fact *fact);
void ledger_fini(struct ledger *l);
/* With a policy two lines: pages that it has moved, the cycles in which some were on their way (span), and the cycles
 * of their steps, each page's own, and with a fixed time how many took longer; far accesses, and how many there would
 * have been (without those of pages that have moved on their first access: nobody knows).  With first accesses
 * (migrate.map: lazy) a line of these.  Else nothing. */
void ledger_print(FILE *out, const struct ledger *l);
#endif

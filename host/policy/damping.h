/* SPDX-License-Identifier: Apache-2.0
 * Damping against ping-pong, the same for all policies; moves by a program's order do not count.  An example: a page
 * leaves GPU 0 and is back 300,000 cycles later, within `return_cycles`: to move again it takes twice the accesses
 * (level 1), after the next return four times, and after `returns` returns it stays for `pin_cycles`.  A level goes for
 * each `return_cycles` without a return.  With `returns` 0 it does not come back within `return_cycles` at all: it
 * stays, or goes on to a GPU where it was not. The order of things is that of NVIDIA's UVM driver
 * (uvm_perf_thrashing.c), whose lapse of 500 us is the default of return_cycles.
 */
#ifndef GANTRY_MIGRATE_DAMPING_H
#define GANTRY_MIGRATE_DAMPING_H
#include <stdbool.h>
#include <stdint.h>

#include "vm/ranges.h"

#define DAMPING_LEVELS 6u /* at most 2^6 times the accesses */

struct damping {
    unsigned gpus;
    uint64_t return_cycles, pin_cycles;
    unsigned returns;    /* then it is pinned; 0: none is made */
    struct ranges pages; /* that have moved, and of which something is still known */
};

struct move_fact;
struct policy_machine;

void damping_init(struct damping *d, const struct policy_machine *m);
void damping_fini(struct damping *d);
void damping_moved(struct damping *d, const struct move_fact *m);
void damping_gone(struct damping *d, uint64_t page, uint64_t bytes);
/* 0 to DAMPING_LEVELS: what a page takes to move is to be multiplied by two to the power of it. */
unsigned damping_level(const struct damping *d, uint64_t page, uint64_t cycle);
bool damping_pinned(const struct damping *d, uint64_t page, uint64_t cycle);
/* It would go to `to`: that is a return, and none is made. */
bool damping_stays(const struct damping *d, uint64_t page, unsigned to, uint64_t cycle);
/* Pages of which nothing counts any more are forgotten: to be called once a phase. */
void damping_sweep(struct damping *d, uint64_t cycle);
#endif

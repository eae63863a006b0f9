/* SPDX-License-Identifier: Apache-2.0
 * Which memory may move to another GPU, and why not.
 */
#ifndef GANTRY_MIGRATE_MOVABLE_H
#define GANTRY_MIGRATE_MOVABLE_H
#include <stdbool.h>
#include <stdint.h>

enum memory_kind { MEMORY_VRAM, MEMORY_HOST, MEMORY_CLIENT };

/* What is known of the memory that a page belongs to. */
struct memory_fact {
    enum memory_kind kind;
    bool fine;       /* coherent or uncached: a program may look at it while kernels run */
    bool executable; /* as all that a program allocates; scratch memory alone is not */
    bool ring;       /* of a queue: its pages are seen twice */
    uint64_t mapped; /* GPUs, one bit each, whose page tables lead to it, of any process */
};

/* NULL: it may; else why not, for people. */
const char *movable_why_not(const struct memory_fact *fact);
#endif

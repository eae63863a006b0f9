/* SPDX-License-Identifier: Apache-2.0
 * Pages and how often each GPU has used them from afar: the table of a phase (phase.c), and what policies remember.
 * Pages come in the order of their addresses.  At most USES_MOST pages; of more it says how many uses were lost.
 */
#ifndef GANTRY_MIGRATE_USES_H
#define GANTRY_MIGRATE_USES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/ranges.h"

#define USES_MOST 65536u

struct use_count {
    uint64_t reads, writes;
};

struct use {
    struct range page; /* node of uses.pages: its own address, and bytes */
    unsigned home;
    struct use_count by[]; /* requester */
};

struct uses {
    unsigned gpus;
    struct ranges pages;
    uint64_t lost; /* calls of uses_add for which there was no room */
};

struct page_fact;

void uses_init(struct uses *u, unsigned gpus);
void uses_clear(struct uses *u);
/* The page's counts rise; it begins anew when it is not where it was, or has other bounds.  False: no room. */
bool uses_add(struct uses *u, const struct page_fact *f);
/* In order; NULL: no more.  uses_next: the current one may be gone (uses_forget of it). */
struct use *uses_first(const struct uses *u);
struct use *uses_next(const struct uses *u, uint64_t page);
/* The one that begins at `page`; NULL: none does. */
struct use *uses_find(const struct uses *u, uint64_t page);
/* The first that overlaps it; NULL: none does. */
struct use *uses_overlap(const struct uses *u, uint64_t page, uint64_t bytes);
/* All that do. */
void uses_forget(struct uses *u, uint64_t page, uint64_t bytes);
/* Each count is half of what it was, and pages without any are forgotten. */
void uses_halve(struct uses *u);

/* Who uses a page most, the lowest of equals; a write counts as `write_weight` reads. */
struct use_most {
    unsigned gpu;
    uint64_t weight, others; /* its, and all others' together */
    struct use_count count;
};
struct use_most use_most(const struct uses *u, const struct use *use, uint32_t write_weight);
#endif

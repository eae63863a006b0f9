/* SPDX-License-Identifier: Apache-2.0
 * Ranges of numbers in rising order, no two of which overlap: addresses, offsets, or single numbers (of length 1).  A
 * balanced tree (AVL) whose nodes are the caller's: every operation takes a time that grows with the logarithm of how
 * many there are, and none allocates.  Not responsible for: what a range stands for, memory of nodes.
 */
#ifndef GANTRY_RANGES_H
#define GANTRY_RANGES_H
#include <stddef.h>
#include <stdint.h>

/* The first two are the caller's to set before ranges_add, and to read; at + bytes does not overflow, bytes is not 0.
 */
struct range {
    uint64_t at, bytes;
    uint64_t most;         /* the longest one of this and all below it */
    struct range *side[2]; /* lower, higher */
    unsigned height;
};

/* All zero: empty. */
struct ranges {
    struct range *root;
    size_t count;
};

/* The structure of which a range (not NULL) is a member. */
#define RANGE_OF(range, type, member) ((type *)(void *)((char *)(range)-offsetof(type, member)))

/* No range that overlaps it is there. */
void ranges_add(struct ranges *ranges, struct range *range);
/* It is there; its memory is the caller's again. */
void ranges_remove(struct ranges *ranges, struct range *range);
/* It is there and becomes [at, +bytes), still between its neighbours. */
void ranges_resize(struct ranges *ranges, struct range *range, uint64_t at, uint64_t bytes);

/* NULL: there is none. */
struct range *ranges_at(const struct ranges *ranges, uint64_t at);     /* holds it */
struct range *ranges_before(const struct ranges *ranges, uint64_t at); /* the last that begins below it */
struct range *ranges_from(const struct ranges *ranges, uint64_t at);   /* the first that begins there or above */
struct range *ranges_overlap(const struct ranges *ranges, uint64_t at, uint64_t bytes); /* the first that does */
/* The first that begins at `at` or above and has `bytes` or more. */
struct range *ranges_fit(const struct ranges *ranges, uint64_t at, uint64_t bytes);
#endif

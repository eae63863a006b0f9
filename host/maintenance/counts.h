/* SPDX-License-Identifier: Apache-2.0
 * Counters of far accesses in a GPU's RDMA engine: how often this GPU has read and written each page of other GPUs'
 * memory since they were read last.  An example, at the end of each phase: cp_counts_read(cp, 32, end, own) calls the
 * listener for each page with 32 accesses or more, then `end`; all counters are 0 then.  Entries that found no room in
 * the engine's table come to the listener at any time while it counts, so the sum for a page is exact until a counter
 * saturates (or, with gpu.rdma.counters_full: drop, an entry is lost).  The engine: docs/reference/rdma.md.
 * Not blocking; one thread, that of the command processor.  Not responsible for: who may move what (host/migrate).
 */
#ifndef GANTRY_COUNTS_H
#define GANTRY_COUNTS_H
#include <stdbool.h>
#include <stdint.h>

struct cp;

#define FAR_COUNT_MOST                                                                                                 \
    4095u /* of reads, of writes: a counter that is so high does not say how many more there were                      \
           */

/* What this GPU has sent to a page of another one since it was read last. */
struct far_count {
    uint64_t frame;  /* physical address of the page's first byte; the page has migrate.page bytes */
    uint32_t reads;  /* lines asked for, 0 to FAR_COUNT_MOST */
    uint32_t writes; /* stores and atomics, 0 to FAR_COUNT_MOST */
};
/* Of each entry that the engine reports, one that left early too, in the cycle in which its message comes; borrowed. */
typedef void far_count_fn(void *arg, struct cp *cp, const struct far_count *count);
/* A cp_counts_read has ended.  entries: so many have come because of it; below: so many were under its limit and are
 * forgotten; lost: accesses of entries that were dropped since the last read (65,535: or more; 0 with
 * gpu.rdma.counters_full: spill).  All 0 and one line on the log: the engine was off, and its counters are as they
 * were. */
typedef void far_counts_end_fn(void *arg, struct cp *cp, uint32_t entries, uint32_t below, uint32_t lost);

/* Who hears of entries from now on; NULL: nobody.  Entries that nobody hears of are dropped. */
void cp_counts_listen(struct cp *cp, far_count_fn *each, void *arg);
/* The engine counts from the arrival of the command on, or does not; what is counted stays.  It begins with off.
 * 0, or -ENOTSUP: this GPU has no counters (golden model, single GPU, gpu.rdma.counters 0). */
int cp_counts_set(struct cp *cp, bool on);
/* Entries of at least `least` reads and writes together come to the listener, all are cleared, then `end` is called,
 * once.  0; -EBUSY: an earlier one has not ended; -ENOTSUP: as above. */
int cp_counts_read(struct cp *cp, uint32_t least, far_counts_end_fn *end, void *arg);
#endif

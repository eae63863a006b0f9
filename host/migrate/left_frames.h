/* SPDX-License-Identifier: Apache-2.0
 * Frames that pages have left and that caches of compute units may hold lines of.  Nobody needs them soon, and what
 * drops the lines empties all first-level caches, those of instructions too: it waits until a frame is wanted, until
 * nothing runs, or until there are REST_MOST.  Not responsible for: dropping them (migrate_host.left).
 */
#ifndef GANTRY_MIGRATE_REST_H
#define GANTRY_MIGRATE_REST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REST_MOST 4096u /* frames: 16 MiB */

struct migrate;

struct rest_frame {
    uint64_t page, frame;
};

struct rest {
    struct rest_frame *frame;
    size_t count, room;
};

/* Page `page` has left `frame`. */
void rest_put(struct migrate *m, uint64_t page, uint64_t frame);
/* The host is told of all (of those of [page, +bytes) at least, whose owner is about to go). False: there was none. */
bool rest_clear(struct migrate *m);
void rest_gone(struct migrate *m, uint64_t page, uint64_t bytes);
#endif

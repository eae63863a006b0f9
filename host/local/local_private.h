/* SPDX-License-Identifier: Apache-2.0
 * Inside of the client of `gantry kernel` (local.h), for local.c and local_moves.c.
 */
#ifndef GANTRY_LOCAL_PRIVATE_H
#define GANTRY_LOCAL_PRIVATE_H
#include "clock/time_slice.h"
#include "local/local.h"

struct local_moves;

/* What was allocated. */
struct region {
    uint64_t va, bytes; /* as it was asked for */
    enum local_place place;
    uint64_t offset, room; /* whole pages of VRAM or GTT */
    bool data;             /* counts for local_data_hash */
};

struct local {
    struct machine *machine;
    unsigned gpu;
    struct cp_space space;
    struct cp_queue *queue;
    uint64_t next_va, next[2]; /* of each place: behind what is taken */
    uint64_t end[2];           /* and what lies behind it */
    struct local_moves *moves;
    uint64_t ring, amd_queue, signal, inactive;
    uint8_t *ring_host, *amd_host, *signal_host;
    uint64_t packets;
    uint32_t scratch_private; /* bytes of a work-item that there is scratch for */
    struct region *regions;
    size_t region_count, region_room;
    const void *code; /* local_code */
    size_t code_bytes;
    uint64_t code_base;
    struct local_result *result; /* of the dispatch under way */
    struct slice slice;
    bool finished, still;
};

/* local_moves.c: pages of its memory that move.  They are under way, or wait for others; a GPU has answered something.
 */
struct local_moves *local_moves_new(struct local *l);
void local_moves_free(struct local_moves *m);
bool local_moves_busy(const struct local_moves *m);
void local_moves_step(struct local *l);
/* Page tables are about to be changed while nothing runs. */
void local_moves_rest(struct local *l);
#endif

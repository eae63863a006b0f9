/* SPDX-License-Identifier: Apache-2.0
 * Reference of the dispatchers, of docs/reference/dispatch.md: its own record of every CU's resources, of each launch's
 * walk and of the CU that is kept.  It is told what happened at an edge of the clock (who has tried, what was freed)
 * and says what must have come of it: the CU of a try, its answer, every field of each CU_WAVE.  When somebody tries is
 * taken as seen, and held against who could have. Plain C, which C++ reads as well.  Not responsible for: events for
 * the host, kills in the CUs (bench.h of part_dispatch). */
#ifndef REFERENCE_H
#define REFERENCE_H
#include <stdbool.h>
#include <stdint.h>

#include "gantry_msg.h"

enum {
    REF_CUS = 64,
    REF_SIMDS = 4,
    REF_SLOTS = 16,
    REF_ROW = 64,
    REF_LDS = 128,
    REF_DISPATCHERS = 16,
    REF_WAVES = 16,
    REF_ENGINE = 16,
    REF_PLACES = 64
};

struct ref_shape {
    unsigned cus, simds, slots, vgprs, sgprs, lds, barriers; /* registers and LDS in granules of 4, 16 and 512 */
    unsigned dispatchers, cycles_per_group;
    uint32_t patience;
    bool fill;
};

/* what is taken in a CU */
struct ref_rows {
    bool slot[REF_SIMDS][REF_SLOTS], vgpr[REF_SIMDS][REF_ROW], sgpr[REF_SIMDS][REF_ROW], lds[REF_LDS],
        barrier[REF_PLACES];
};
struct ref_place {
    uint8_t simd, slot, vgpr, sgpr;
};
struct ref_group {
    unsigned who, cu, waves, lds, barrier;
    unsigned id[3], size[3], items;
    struct ref_place place[REF_WAVES];
    unsigned sent, left; /* wavefronts that the CU was told of; that live */
};
/* a wavefront in its place {SIMD, slot} of a CU */
struct ref_held {
    struct ref_group *group;
    struct ref_place at;
    bool ended; /* the CU has told so, or has acknowledged its kill */
};
struct ref_walk {
    struct msg_cp_cmd cmd;
    bool present, killed;
    uint64_t next, groups;
    uint64_t may, refused; /* CUs that it may use; those without room */
    unsigned vgprs, sgprs, lds;
    struct ref_group *granted[2]; /* not sent whole, the older first */
    unsigned owed;
    bool trying, waits;
    uint32_t since; /* when it found no CU */
    unsigned running;
    /* when it could have tried */
    uint32_t tried;         /* its last try */
    unsigned ready, passed; /* edges at which it could have tried since; tries of others of its priority meanwhile */
    unsigned unnoticed;     /* edges at which it had no CU left and did not notice */
    int32_t behind;         /* hundredths of a cycle by which its groups are behind their rate */
};
struct ref_try {
    bool valid;
    unsigned who, cu;
};
struct ref {
    struct ref_shape shape;
    struct ref_rows cu[REF_CUS];
    struct ref_held held[REF_CUS][REF_PLACES];
    struct ref_walk walk[REF_DISPATCHERS];
    struct ref_group *pool; /* of all groups */
    unsigned pool_size;
    unsigned engine_turn, cu_turn[REF_CUS / REF_ENGINE], simd_turn[REF_CUS];
    bool kept;
    unsigned keeper, kept_cu;
    uint32_t kept_since;
    struct ref_try asked, answer; /* the request that stands, what has been answered */
    bool answer_ok;
    /* the try under way */
    bool busy;
    struct ref_try now;
    struct ref_rows work;
    struct ref_group found;
    /* what has happened */
    uint64_t tries, refusals, grants, waves, waits, claims, claims_ended, kills;
    char error[256];
};

/* what was seen at one edge of the clock */
struct ref_edge {
    uint32_t cycle;
    const struct msg_cp_cmd *launch; /* begins on dispatcher `who`, or null */
    unsigned who;
    bool kill;
    unsigned vmid;
    const uint16_t *freed; /* {CU, SIMD, slot} of wavefronts whose resources come back */
    unsigned freed_count;
    bool taken, done, ok; /* the pool took the request that stood; has answered by this edge, and how */
    bool asks;            /* there is a new request behind this edge: of whom, for which CU */
    unsigned asker, cu;
    bool may_ask;                /* a request was possible */
    unsigned reciprocals, waits; /* of which dispatchers they are known; which have found no CU */
};

void ref_begin(struct ref *r, const struct ref_shape *shape, struct ref_group *pool, unsigned pool_size);
/* null, or what is wrong */
const char *ref_edge(struct ref *r, const struct ref_edge *e);
const char *ref_wave(struct ref *r, unsigned cu, const struct msg_cu_cmd *seen);
const char *ref_ended(struct ref *r, unsigned cu, unsigned wave);
void ref_acked(struct ref *r, unsigned cu, unsigned vmid);
/* whatever is taken or under way when nothing should be */
const char *ref_rest(struct ref *r);

/* between the parts */
const char *ref_wrong(struct ref *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ref_pool_begin(struct ref *r, const struct ref_try *asked);
void ref_pool_round(struct ref *r);
void ref_pool_free(struct ref *r, unsigned cu, unsigned wave);
void ref_group_shape(const struct msg_cp_cmd *c, uint64_t number, struct ref_group *g);
uint64_t ref_may_use(const struct msg_cp_cmd *c, unsigned cus);
unsigned ref_positions(const struct msg_cp_cmd *c, unsigned cu);
void ref_message(const struct ref_walk *w, const struct ref_group *g, unsigned n, const struct msg_cu_cmd *seen,
                 unsigned simds, struct msg_cu_cmd *m);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * What the files of first accesses (faults.h) share: the list of those that wait, and its clock.
 */
#ifndef GANTRY_MIGRATE_FAULTS_PRIVATE_H
#define GANTRY_MIGRATE_FAULTS_PRIVATE_H
#include "migrate/faults.h"
#include "policy/ahead.h"

enum fault_state {
    FAULT_COME,   /* behind those that are being decided */
    FAULT_SERVED, /* is being decided */
    FAULT_WAITS,  /* for the end of a move of its page */
};

struct fault {
    struct fault *next; /* in the order in which they came */
    void *owner;
    unsigned gpu;
    bool engine, ahead;         /* as of struct fault_fact */
    uint64_t va;                /* that was asked for */
    uint64_t unit, page, bytes; /* its unit: virtual address, own address, size */
    uint64_t at;                /* cycle of the report */
    enum fault_state state;
    uint64_t ordered; /* cycle at which its own move began; 0: it has none */
    unsigned batch;   /* moves that began with it */
    bool again;       /* it is decided a second time, since what it waited for was undone */
};

struct faults {
    struct faults_host host;
    const struct policy_ops *ops;
    void *own;
    uint64_t cycles;
    uint64_t due; /* cycle of the timer that counts; 0: none */
    struct fault *first;
    unsigned count; /* of them, at most FAULTS_MOST */
    struct ahead ahead;
    struct faults_sums sums;
};

/* faults_list.c.  Who waits for some of [va, +bytes), by virtual address, since a page may have several; NULL: nobody.
 */
struct fault *fault_find(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes);
/* Another one at the end of the list, as `like` with the unit of `p`; it belongs to the list. */
struct fault *fault_new(struct faults *f, const struct fault *like, const struct fault_place *p);
/* It leaves the list. */
void fault_forget(struct faults *f, struct fault *x);
/* All that have come are served from now on; nothing while others are. */
void faults_serve(struct faults *f);

/* faults_decide.c: all that are being served, whose time is over. */
void faults_decide(struct faults *f);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Inside of a recording, for record.c and record_place.c.
 */
#ifndef GANTRY_RECORD_PRIVATE_H
#define GANTRY_RECORD_PRIVATE_H
#include "record/message_log.h"
#include "record/part_log.h"
#include "record/record.h"
#include "record/shadow.h"
#include "saved/journal.h"
#include "target/memory_parts.h"

struct record {
    struct journal *journal;
    char *dir;
    char *const *parts;
    unsigned part_count;
    struct sim *sim;
    struct shadow **shadows; /* by GPU; NULL: it is not there */
    unsigned shadow_count;
    struct part_log **logs; /* of this process: of the RDMA engines, then of the partitions asked for */
    unsigned log_count;
    struct message_log *memory;   /* far_req of each GPU to the host, then those of the host's port */
    struct hostmem_server served; /* who answers */
    uint64_t kernels;             /* that have ended */
    bool changed;
    uint64_t changes; /* pmem_changes at the last look */
    double look_end, look_cost, commit_at;
    bool told; /* that it is full */
    bool cut;  /* what comes behind the last commit does not count: not all of it can be had any more */
    bool unrest;
};

/* ctx: the recording; serves as whoever did so before, and keeps it. */
void record_serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp);
/* All that worker processes have kept since the last time, into the journal.  False: one of them is lost, or the
 * recording was cut. */
bool record_gather(struct record *r);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * The host's port into the memories of the machine: requests of sim_access (sim.h) as messages, answers at their cycle.
 * One lane for each memory: 0 host memory, k + 1 the VRAM of GPU k; each a mem_req/mem_rsp pair with credits and the
 * host link's latency.  VRAM of an RTL GPU is reached through far port 0 of its RDMA engine, so through crossbar and L2
 * with their cycles; host memory and all memories of golden GPUs are served by a C partition in the cycle in which the
 * request comes.  What finds no place waits here, in order.  Not responsible for: which addresses a process may use.
 */
#ifndef GANTRY_PORT_H
#define GANTRY_PORT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gantry_msg.h"

struct part;
struct port;
struct sim;
struct wire;
struct state_reader;
struct state_writer;

#define PORT_DEPTH 64u /* requests of a lane without an answer; a power of two */

/* Inputs and outputs that a machine of so many GPUs needs at the host, behind those of commands and events. */
uint32_t port_ins(unsigned gpus);
uint32_t port_outs(unsigned gpus);

struct port *port_new(struct sim *sim);
void port_free(struct port *p);
/* Where a lane leads: a partition with its slots for requests, their credits, answers and the answers' credits. */
struct port_end {
    struct part *to;
    uint32_t req_in, req_credit, rsp_out, rsp_credit;
    bool ordered;                 /* it does what is asked in the order in which it comes */
    uint32_t credits;             /* of each way */
    uint32_t bytes_per_cycle;     /* of the link (far_links.h); 0: one message a cycle */
    struct wire *sends, *answers; /* whose links requests and answers share; NULL: they have their own */
};
#define PORT_CREDITS 16u /* of a memory without a link: golden GPUs */
void port_connect(struct sim *sim, unsigned lane, struct port_end end);

/* The lane of the memory that answers for a request: its owner's, host memory's for what nobody has (it says so). */
unsigned port_lane(const struct sim *sim, const struct msg_mem_req *req);
/* sim_access, at sim_now. */
void port_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie);
/* Cycle of the first answer, or of the first credit that lets a request leave; UINT64_MAX: none is under way. */
uint64_t port_due(const struct sim *sim);
/* Do the first of what is due at sim_now.  True when that is an answer for the host, left in *answer. */
struct port_answer {
    unsigned lane;
    uint64_t cookie;
    struct msg_mem_rsp rsp;
};
bool port_step(struct sim *sim, struct port_answer *answer);
/* Requests without an answer. */
uint64_t port_waiting(const struct sim *sim);
void port_report(const struct sim *sim, FILE *out);

/* Requests that wait and those under way, canonical (saved/state_io.h). */
void port_save(const struct port *p, struct state_writer *to);
bool port_restore(struct port *p, struct state_reader *from);
#endif

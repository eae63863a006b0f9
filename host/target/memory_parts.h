/* SPDX-License-Identifier: Apache-2.0
 * C partitions in front of host/vm/pmem.h: `store` (VRAM contents of one GPU behind the L2 slices' dram channels) and
 * `hostmem` (host physical memory behind the far links of all GPUs and the host's port; all memories behind the port of
 * a host with golden GPUs).  Responsible for: contents, the hash over the stream of writes.  Not responsible for:
 * timing (the channels' latency and rtl/l2/dram), allocation.
 */
#ifndef GANTRY_MEMORY_PARTS_H
#define GANTRY_MEMORY_PARTS_H
#include "bridge/part/part.h"

struct msg_mem_req;
struct msg_mem_rsp;
struct pmem;

/* inputs: dram_req of slice i; outputs: dram_rsp of slice i.  vram: the GPU's whole VRAM. */
struct part *store_new(struct pmem *memory, unsigned gpu, uint64_t vram_bytes, unsigned slices);
/* inputs: requests of asker a at a, credits of its answers at askers + a; outputs: answers at a, credits of requests at
 * askers + a: so many of both.  depth: credits for answers. */
#define HOSTMEM_PORTS(askers) (2u * (askers))
struct part *hostmem_new(struct pmem *memory, unsigned askers, uint32_t depth);
/* The GPU reads `shadow` (shadow.h, borrowed) from now on and writes it, too; NULL: VRAM alone, as at the beginning. */
struct shadow;
void store_shadow(struct part *store, struct shadow *shadow);
/* Who answers from now on; returns who did so far. */
struct hostmem_server {
    void (*serve)(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp);
    void *ctx;
};
struct hostmem_server hostmem_serve_by(struct part *hostmem, struct hostmem_server server);
/* XXH64 over address, bytes and order of the writes so far. */
uint64_t store_hash(const struct part *store);
uint64_t hostmem_hash(const struct part *hostmem);
/* Serve one request against physical memory (also used by tests). */
void hostmem_serve(struct pmem *memory, const struct msg_mem_req *req, struct msg_mem_rsp *rsp);
#endif

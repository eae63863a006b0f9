/* SPDX-License-Identifier: Apache-2.0
 * Far links (GPU to host, GPU to GPU) as numbers of the configuration: ports, credits and inbound entries of an RDMA
 * engine that keep the links' rates (the law: docs/reference/rdma.md).  sw/tools/gen/gen_params.py computes the same
 * for the RTL.  Not responsible for: making the channels (host/target/far_links.h).
 */
#ifndef GANTRY_CONFIG_FAR_H
#define GANTRY_CONFIG_FAR_H
#include <stdint.h>

struct gantry_cfg;

#define FAR_HEADER 16u /* bytes of a message on the wire beside its line */
#define FAR_CREDIT 8u  /* bytes of a credit on the host's link, PCIe's DLLP; between GPUs they ride in headers */
#define FAR_LINE 64u   /* bytes of a line */
#define FAR_TURN 8u    /* cycles from a message at one end to its credit there, beside the ways */
#define FAR_SERVE 16u  /* cycles of a home's engine, crossbar and slice beside their channels and the DRAM */
#define FAR_CREDITS_MOST 8192u /* of a link that the engine can have */
#define FAR_ENTRIES_MOST 1024u /* inbound requests under way that it can have */

/* Ports of the engine: the host's, and the smallest of 1, 2, 4, ... 64 that holds the GPUs. */
uint32_t far_ports(const struct gantry_cfg *cfg);
/* Messages under way that keep a link full when each read is paired with a write; not bounded by FAR_CREDITS_MOST. */
uint64_t far_credits_needed(uint32_t latency, uint32_t bytes_per_cycle);
/* Credits of each channel between host and GPU, and between two GPUs (16 of a GPU that is alone: its port leads
 * nowhere). */
uint32_t far_host_credits(const struct gantry_cfg *cfg);
uint32_t far_gpu_credits(const struct gantry_cfg *cfg);
/* Inbound requests under way that all links of a GPU together need, as far as the engine can have them; what it has:
 * gpu.rdma.outstanding, 0: as needed. */
uint32_t far_entries_needed(const struct gantry_cfg *cfg);
uint32_t far_entries(const struct gantry_cfg *cfg);
#endif

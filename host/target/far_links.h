/* SPDX-License-Identifier: Apache-2.0
 * Rates of the far links, between host and GPUs and between two GPUs (docs/reference/rdma.md): what a request or an
 * answer takes of its link's bytes.  A direction of a link is one wire for all that goes that way: requests of one
 * side, answers to the other's, and credits where they take bytes.  Not responsible for: their channels (rtl_gpu.c,
 * assembly.c), credits (config/far.h).
 */
#ifndef GANTRY_FAR_LINKS_H
#define GANTRY_FAR_LINKS_H
#include <stdint.h>

struct wire;

/* mem_req or mem_rsp on a link of that rate, which is that of `first` where it is not NULL; w NULL: no end is here. */
void far_requests(struct wire *w, uint32_t bytes_per_cycle, struct wire *first);
void far_answers(struct wire *w, uint32_t bytes_per_cycle, struct wire *first);
/* Credits of the host's link, which go the other way than what they are for. */
void far_credits(struct wire *w, uint32_t bytes_per_cycle, struct wire *first);
#endif

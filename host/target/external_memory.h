/* SPDX-License-Identifier: Apache-2.0
 * VRAM of a GPU that somebody else simulates together with its memory: the machine's VRAM is what the host sees, that
 * other memory is what the GPU sees.  Changes by others than the GPU (program, driver) are found by comparison, as for
 * a recording; what the GPU writes comes by EXTERNAL_DRAM_REQ.  Not responsible for: that other memory.
 */
#ifndef GANTRY_EXTERNAL_MEMORY_H
#define GANTRY_EXTERNAL_MEMORY_H
#include <stdint.h>

#include "record/shadow.h"

struct external_memory;
struct sim;

/* From the beginning of the machine (external.begin): that memory holds zeros.  NULL after one line. */
struct external_memory *external_memory_new(struct sim *sim, unsigned gpu);
/* In `external.end`, or before. */
void external_memory_free(struct external_memory *memory);
/* What has changed since the last call, each run of lines by one or more calls of `patch`; costs nothing as long as
 * nobody can have changed anything.  Before what arrives at the GPU in the present window. */
void external_memory_changes(struct external_memory *memory, shadow_patch_fn patch, void *ctx);
#endif

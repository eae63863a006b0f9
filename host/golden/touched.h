/* SPDX-License-Identifier: Apache-2.0
 * The lines of 64 bytes of one memory that were accessed last: a set of bounded size in the order of last use, of which
 * the one used longest ago goes first.  With a set for each GPU's VRAM golden GPUs know what an L2 there would hold.
 * Not responsible for: whose line it is, which accesses count (golden_mem.c), reading them again
 * (machine/model_switch.c).
 */
#ifndef GANTRY_TOUCHED_H
#define GANTRY_TOUCHED_H
#include <stdbool.h>
#include <stdint.h>

struct touched;

/* For at most `most` lines, at least one; the caller frees it. */
struct touched *touched_new(uint32_t most);
void touched_free(struct touched *t); /* may be NULL */
/* An access to the line that holds offset `at` of the memory.  add: it is in the set from now on; false: only if it is
 * in it already it is now the one used last (a store that a cache without the line passes on). */
void touched_note(struct touched *t, uint64_t at, bool add);
void touched_clear(struct touched *t);
/* Call fn with the offset of each line, that used longest ago first. */
void touched_each(const struct touched *t, void (*fn)(void *ctx, uint64_t at), void *ctx);
#endif

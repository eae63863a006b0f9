/* SPDX-License-Identifier: Apache-2.0
 * What one GPU has in its VRAM while its run is recorded: the GPU reads this copy and writes both it and the memory
 * that the program sees, and what others have changed there comes into the copy only as patches, which are recorded. So
 * what a GPU has read follows from its recording even where a program writes while the clock runs. Not responsible for:
 * when to look for changes (record.c).
 */
#ifndef GANTRY_SHADOW_H
#define GANTRY_SHADOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pmem;

#define SHADOW_PAGE 12 /* log2 */

struct shadow {
    struct pmem *memory;
    unsigned gpu;
    uint64_t bytes;
    uint8_t *copy;
    uint64_t *kept; /* bit for each page of the copy that may be other than zero */
};

/* The beginning: all zeros, as a VRAM that nobody has written.  shared: processes that are forked later have the same
 * one; at any time one of them at most may use it.  NULL: no address space. */
struct shadow *shadow_new(struct pmem *memory, unsigned gpu, bool shared);
void shadow_free(struct shadow *s);
/* Bring in every change, each run of changed lines by one or more calls of at most 64 KiB. */
typedef void (*shadow_patch_fn)(void *ctx, unsigned gpu, uint64_t at, const void *data, size_t bytes);
void shadow_update(struct shadow *s, shadow_patch_fn patch, void *ctx);

/* The copy's contents, as of a memory (vm/pmem_save.h). */
struct state_writer;
void shadow_save(const struct shadow *s, struct state_writer *to);

/* The line at `at` in the copy, about to be written. */
static inline uint8_t *shadow_line(struct shadow *s, uint64_t at)
{
    s->kept[at >> (SHADOW_PAGE + 6)] |= UINT64_C(1) << (at >> SHADOW_PAGE & 63);
    return s->copy + at;
}
#endif

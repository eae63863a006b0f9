/* SPDX-License-Identifier: Apache-2.0
 * Layout of a journal's file, between journal.c and journal_reader.c.
 */
#ifndef GANTRY_JOURNAL_PRIVATE_H
#define GANTRY_JOURNAL_PRIVATE_H
#include <assert.h>
#include <stdint.h>

#include <xxhash.h>

#define JOURNAL_MAGIC "gantry\r\n"
#define JOURNAL_FRAME 0x5246u    /* first half-word of every frame */
#define JOURNAL_RAW (256u << 10) /* most bytes of a frame before compression */
#define JOURNAL_COMMIT 0xfffeu   /* streams of frames without bytes */
#define JOURNAL_END 0xffffu

struct journal_head {
    char magic[8], kind[8];
    uint32_t version, zero;
    uint64_t check; /* XXH64 of what stands before it */
};
static_assert(sizeof(struct journal_head) == 32, "layout");

struct journal_frame {
    uint16_t magic, stream;
    uint32_t sequence;
    uint32_t raw, packed; /* bytes before and after compression */
    uint32_t head_check;  /* XXH32 of what stands before it: lengths can be trusted */
    uint32_t data_check;  /* XXH32 of the packed bytes */
};
static_assert(sizeof(struct journal_frame) == 24, "layout");

/* journal_place.chain behind one more frame. */
static inline uint64_t journal_chain(uint64_t chain, const struct journal_frame *frame)
{
    return XXH64(frame, sizeof *frame, chain);
}
#endif

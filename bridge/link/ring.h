/* SPDX-License-Identifier: Apache-2.0
 * The storage of a link: a ring of {sequence, stamp, payload} and the words beside it, without pointers, so that it may
 * lie in memory shared by two processes.  One sender, one receiver.  Responsible for: layout, and what one end must do
 * so that the other sees it whole.  Not responsible for: stamps (channel.h), how a message crosses (link.h).
 *
 * Order of memory.  The sender writes stamp and payload, then `sequence` (release); the receiver that reads the number
 * it expects (acquire) sees them.  The sender stores `promise` after all messages it has sent; the receiver
 * reads `promise` first and then takes messages until there is none: every message sent before the promise
 * is then among them, so one below a promise cannot come later.  Read the other way round, a message and the promise
 * behind it could both be written between the two looks.  The receiver stores `done` (release) when it no longer reads
 * a message; the sender reads it (acquire) before it writes the place again.
 */
#ifndef GANTRY_RING_H
#define GANTRY_RING_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RING_LINE 64 /* bytes that one core writes and another reads without disturbing its neighbours */

struct slot {
    _Atomic uint64_t sequence; /* number of the message, from 1; what else: not there yet */
    uint64_t stamp;
    uint8_t payload[];
};

struct ring {
    uint32_t bytes, stride, depth, mask;          /* of a message, of a place; most messages inside; places - 1 */
    _Alignas(RING_LINE) _Atomic uint64_t promise; /* sender: no message with a stamp below this will come any more */
    _Alignas(RING_LINE) _Atomic uint64_t done;    /* receiver: messages that it has finished with */
    _Alignas(RING_LINE) uint8_t slots[];
};

/* Size of a ring whose places begin at multiples of `align` (8; RING_LINE when its ends are two threads). */
size_t ring_size(uint32_t bytes, uint32_t depth, uint32_t align);
/* Fills the head; the places hold no message yet, which memory that is 0 means. */
void ring_init(struct ring *ring, uint32_t bytes, uint32_t depth, uint32_t align);
/* In memory of this process: places not written to, or of which none holds a message.  free() ends it. */
struct ring *ring_new(uint32_t bytes, uint32_t depth, uint32_t align);
struct ring *ring_new_empty(uint32_t bytes, uint32_t depth, uint32_t align);

static inline struct slot *ring_slot(struct ring *ring, uint64_t message) /* counted from 0 */
{
    return (struct slot *)(ring->slots + (message & ring->mask) * ring->stride);
}
#endif

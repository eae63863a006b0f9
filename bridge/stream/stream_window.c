/* SPDX-License-Identifier: Apache-2.0
 * Go-back-N of a byte stream; contract in stream_window.h.
 */
#include "bridge/stream/stream_window.h"

#include <string.h>

#include "base/check.h"

#define HALF 128 /* of the numbers that cross: what is further ahead is behind */

size_t window_add(struct window *window, const void *bytes, size_t n)
{
    size_t done = 0;

    while (done < n && window->made - window->oldest < WINDOW_SLOTS) {
        const unsigned slot = (unsigned)(window->made % WINDOW_SLOTS);
        const size_t room = FRAME_PAYLOAD - window->length[slot];
        const size_t piece = n - done < room ? n - done : room;

        memcpy(window->payload[slot] + window->length[slot], (const uint8_t *)bytes + done, piece);
        window->length[slot] = (uint16_t)(window->length[slot] + piece);
        done += piece;
        if (piece == room)
            window->made++;
    }
    return done;
}

void window_cut(struct window *window)
{
    if (window->made - window->oldest < WINDOW_SLOTS && window->length[window->made % WINDOW_SLOTS])
        window->made++;
}

bool window_open(const struct window *window)
{
    unsigned units = 0;

    if (window->next == window->made || window->next - window->oldest >= FRAME_WINDOW)
        return false;
    for (uint64_t n = window->oldest; n <= window->next; n++)
        units += frame_units(window->length[n % WINDOW_SLOTS]);
    return window->room == FRAME_ROOM_FREE || units <= window->room;
}

bool window_acknowledge(struct window *window, uint8_t ack, uint8_t room)
{
    const uint8_t more = (uint8_t)(ack - (uint8_t)window->oldest);

    if (more > window->top - window->oldest)
        return false;
    for (unsigned n = 0; n < more; n++)
        window->length[window->oldest++ % WINDOW_SLOTS] = 0;
    if (window->next < window->oldest)
        window->next = window->oldest;
    window->room = room;
    return true;
}

void window_again(struct window *window)
{
    window->next = window->oldest;
}

enum taken taker_look(struct taker *taker, uint8_t seq, bool damaged)
{
    const uint8_t behind = (uint8_t)(seq - (uint8_t)taker->expected);

    if (behind == 0 && !damaged)
        return TAKEN_NEXT;
    if (behind >= HALF)
        return TAKEN_NOT;
    /* The frames that were under way when the NAK left come one after the other.  One with a number that was seen
     * since is of those sent again: the missing one is missing once more. */
    const bool again = taker->asked && (damaged ? behind <= taker->behind : behind < taker->behind);
    const bool due = !taker->asked || again;
    taker->asked = true;
    taker->behind = behind;
    return due ? TAKEN_GAP : TAKEN_NOT;
}

void taker_take(struct taker *taker)
{
    taker->expected++;
    taker->asked = false;
}

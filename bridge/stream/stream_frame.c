/* SPDX-License-Identifier: Apache-2.0
 * Frames of a byte stream; contract in stream_frame.h.
 */
#include "bridge/stream/stream_frame.h"

#include <string.h>
#include <zlib.h>

#include "base/check.h"

/* zlib has no CRC-8: polynomial 0x07, begins with 0xff, the highest bit first. */
static uint8_t crc8(const uint8_t *bytes, size_t n)
{
    uint8_t crc = 0xff;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
    }
    return crc;
}

static void put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

size_t frame_write(uint8_t *to, const struct stream_head *head, const void *payload)
{
    struct stream_head h = *head;
    const size_t end = FRAME_HEAD + h.length;

    CHECK(h.length <= FRAME_PAYLOAD, "stream", "length=%u", h.length);
    h.magic = FRAME_MAGIC;
    memcpy(to, &h, FRAME_HEAD);
    to[FRAME_HEAD - 1] = crc8(to, FRAME_HEAD - 1);
    if (h.length)
        memcpy(to + FRAME_HEAD, payload, h.length);
    put32(to + end, (uint32_t)crc32(0, to, (uInt)end));
    return end + FRAME_CHECK;
}

static bool head_right(const uint8_t *bytes, struct stream_head *head)
{
    if (bytes[0] != FRAME_MAGIC || crc8(bytes, FRAME_HEAD - 1) != bytes[FRAME_HEAD - 1])
        return false;
    memcpy(head, bytes, FRAME_HEAD);
    return head->type >= FRAME_HELLO && head->type <= FRAME_BYE && head->length <= FRAME_PAYLOAD;
}

static void skip(struct frame_reader *reader)
{
    const bool filler = reader->bytes[reader->at] == 0 && !reader->hunting;

    if (!filler && !reader->hunting) {
        reader->hunting = true;
        reader->strays++;
    }
    reader->at++;
}

enum frame_found frame_next(struct frame_reader *reader, struct stream_head *head, const uint8_t **payload)
{
    for (;;) {
        const uint8_t *bytes = reader->bytes + reader->at;
        const size_t n = reader->end - reader->at;

        if (n == 0 || (bytes[0] == FRAME_MAGIC && n < FRAME_HEAD))
            return FRAME_FOUND_NONE;
        if (bytes[0] != FRAME_MAGIC || !head_right(bytes, head)) {
            skip(reader);
            continue;
        }
        const size_t end = FRAME_HEAD + head->length;
        if (n < end + FRAME_CHECK)
            return FRAME_FOUND_NONE;
        reader->at += end + FRAME_CHECK;
        reader->hunting = false;
        *payload = bytes + FRAME_HEAD;
        return crc32(0, bytes, (uInt)end) == get32(bytes + end) ? FRAME_FOUND_RIGHT : FRAME_FOUND_DAMAGED;
    }
}

uint8_t *frame_space(struct frame_reader *reader, size_t *room)
{
    const size_t left = reader->end - reader->at;

    if (sizeof reader->bytes - reader->end < sizeof reader->bytes / 2) {
        memmove(reader->bytes, reader->bytes + reader->at, left);
        reader->at = 0;
        reader->end = left;
    }
    *room = sizeof reader->bytes - reader->end;
    return reader->bytes + reader->end;
}

void frame_give_up(struct frame_reader *reader)
{
    if (reader->at < reader->end)
        skip(reader);
}

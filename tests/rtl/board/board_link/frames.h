// SPDX-License-Identifier: Apache-2.0
// Frames of docs/reference/board.md, made and read again, written from that text and not from the RTL: both checksums bit by bit, a
// reader that slides over its bytes.
#ifndef FRAMES_H
#define FRAMES_H
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "build/gen/gantry_stream.h"

using bytes = std::vector<uint8_t>;

static uint64_t rng_state = 88172645463325252ull;
static inline uint64_t rng()
{
    return rng_state ^= rng_state << 13, rng_state ^= rng_state >> 7, rng_state ^= rng_state << 17;
}

static inline uint8_t crc8(const uint8_t *p, size_t n)
{
    unsigned c = 0xff;
    for (size_t i = 0; i < 8 * n; i++) {
        unsigned bit = (p[i / 8] >> (7 - i % 8) & 1) ^ (c >> 7 & 1);
        c = (c << 1 & 0xff) ^ (bit ? 7 : 0);
    }
    return c;
}

static inline uint32_t crc32(const uint8_t *p, size_t n)
{
    uint32_t c = ~0u;
    for (size_t i = 0; i < 8 * n; i++) {
        uint32_t bit = (p[i / 8] >> i % 8 & 1) ^ (c & 1);
        c = c >> 1 ^ (bit ? 0xedb88320u : 0);
    }
    return ~c;
}

struct frame {
    stream_head head;
    bytes payload;
    bool good; // CRC-32
};

static inline bytes frame_bytes(uint8_t type, uint8_t seq, uint8_t ack, uint8_t room, const bytes &payload = {})
{
    stream_head h = {FRAME_MAGIC, type, (uint16_t)payload.size(), seq, ack, room, 0};
    h.check = crc8((const uint8_t *)&h, 7);
    bytes b(sizeof h);
    memcpy(b.data(), &h, sizeof h);
    b.insert(b.end(), payload.begin(), payload.end());
    uint32_t c = crc32(b.data(), b.size());
    for (int i = 0; i < 4; i++)
        b.push_back(c >> 8 * i);
    return b;
}

// Bytes to frames.  `at`: bytes of the frame that is being read, its head included; 0: none.
struct reader {
    bytes held;
    unsigned skipped = 0; // bytes that belonged to no frame
    size_t at = 0;
    stream_head head;

    static bool is_head(const uint8_t *p, stream_head &h)
    {
        memcpy(&h, p, sizeof h);
        if (h.magic != FRAME_MAGIC || crc8(p, 7) != h.check)
            return false;
        if (h.type == FRAME_DATA)
            return h.length >= 1 && h.length <= 496;
        if (h.type == FRAME_HELLO)
            return h.length == sizeof(stream_hello);
        return h.type >= FRAME_ACK && h.type <= FRAME_BYE && h.length == 0;
    }
    // True when this byte ends a frame.
    bool take(uint8_t b, frame &f)
    {
        held.push_back(b);
        if (!at) {
            if (held.size() < 8)
                return false;
            if (!is_head(held.data(), head)) {
                held.erase(held.begin());
                skipped++;
                return false;
            }
        }
        at = held.size();
        if (at < 12u + head.length)
            return false;
        f.head = head;
        f.payload.assign(held.begin() + 8, held.end() - 4);
        uint32_t c = crc32(held.data(), at - 4);
        f.good = !memcmp(&c, &held[at - 4], 4); // lowest byte first, as this machine
        held.clear();
        at = 0;
        return true;
    }
};
#endif

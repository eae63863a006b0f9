// SPDX-License-Identifier: Apache-2.0
// The host's end of the stream for the bench of board_link: go-back-N with its timers, in cycles; what it sends may be lost,
// damaged, doubled, cut, or lack a byte, and what it hears as well.
#ifndef HOST_H
#define HOST_H
#include <algorithm>

#include "frames.h"

struct faults {
    unsigned frames = 0; // one in so many is lost, damaged, doubled or cut; 0: none
    unsigned bytes = 0;  // one in so many is lost or stands twice
};

static inline void put_frame(std::deque<uint8_t> &line, bytes b, const faults &f)
{
    unsigned kind = f.frames && rng() % f.frames == 0 ? 1 + rng() % 4 : 0;
    if (kind == 1)
        return;
    if (kind == 2)
        b[rng() % b.size()] ^= 1u << rng() % 8;
    if (kind == 4)
        b.resize(rng() % b.size());
    for (unsigned twice = 0; twice < (kind == 3 ? 2 : 1); twice++)
        for (uint8_t c : b)
            for (unsigned n = f.bytes && rng() % f.bytes == 0 ? rng() % 3 : 1; n; n--)
                line.push_back(c);
}

struct host {
    std::deque<uint8_t> line; // to the board
    faults down, up;
    uint64_t patience = 30000; // cycles without a frame taken
    // to the board
    bytes records;                     // all
    size_t cut = 0;                    // of them in frames
    std::vector<bytes> sent;           // frames by number, from 0
    size_t base = 0, next = 0;         // oldest that is not acknowledged, next to send
    unsigned board_room = 0;           // counted behind base
    unsigned largest = 496;            // bytes of a frame
    // from the board
    bytes heard;
    size_t expected = 0;
    bool asked = false;
    uint8_t asked_last = 0;
    uint8_t room = 255;
    unsigned untold = 0;
    bool attached = false, quiet = false;
    uint32_t nonce = 0;
    uint64_t since = 0, resent = 0, naks = 0;
    reader in;
    stream_hello theirs = {};

    uint8_t seq() const { return next; }
    void put(const bytes &b, bool clean = false) { put_frame(line, b, clean ? faults() : down); }
    void say(uint8_t type, const bytes &payload = {}, bool clean = false)
    {
        put(frame_bytes(type, seq(), expected, room, payload), clean);
        untold = 0;
    }
    void hello(uint8_t flags, uint16_t id)
    {
        stream_hello h = {};
        h.version = STREAM_VERSION, h.flags = flags, h.nonce = nonce = rng(), h.id = id;
        say(FRAME_HELLO, bytes((uint8_t *)&h, (uint8_t *)(&h + 1)));
    }
    // Forget the session; the next begins with an answer to `nonce`.
    void begin()
    {
        cut = 0, sent.clear(), base = next = expected = untold = since = 0, heard.clear(), asked = attached = false;
    }
    static unsigned size(const bytes &b) { return (b.size() + 63) / 64; }
    // Whether the window takes one more frame of so many units.
    bool open(unsigned units) const
    {
        for (size_t n = base; n < next; n++)
            units += size(sent[n]);
        return next - base < FRAME_WINDOW && (board_room == 255 || units <= board_room);
    }
    void send_data()
    {
        while (line.size() < 600) {
            bytes b;
            if (next < sent.size()) {
                b = sent[next];
            } else if (cut < records.size()) {
                size_t n = std::min<size_t>(records.size() - cut, rng() & 1 ? largest : 1 + rng() % largest);
                b.assign(records.begin() + cut, records.begin() + cut + n);
            }
            if (b.empty() || !open(size(b)))
                return;
            if (next == sent.size())
                cut += b.size(), sent.push_back(b);
            say(FRAME_DATA, b);
            next++;
        }
    }
    void receive(uint8_t b)
    {
        frame f;
        if (!in.take(b, f))
            return;
        if (f.good && f.head.type == FRAME_HELLO) {
            memcpy(&theirs, f.payload.data(), sizeof theirs);
            if (theirs.nonce == nonce && !attached)
                attached = theirs.flags & HELLO_ATTACH, board_room = f.head.room;
            return;
        }
        if (!attached)
            return;
        uint8_t ahead = f.head.seq - (uint8_t)expected;
        bool taken = f.good && f.head.type == FRAME_DATA && !ahead;
        if (taken) {
            heard.insert(heard.end(), f.payload.begin(), f.payload.end());
            expected++, asked = false, since = 0;
            if (++untold >= 4)
                say(FRAME_ACK);
        } else if (!f.good || (f.head.type == FRAME_DATA && ahead < 128)) {
            if (!asked || (uint8_t)(f.head.seq - asked_last) >= 128)
                say(FRAME_NAK), naks++;
            asked = true, asked_last = f.head.seq;
        }
        if (f.good) {
            uint8_t acked = f.head.ack - (uint8_t)base;
            if (acked <= sent.size() - base) {
                base += acked, board_room = f.head.room;
                next = std::max(next, base);
            }
            if (f.head.type == FRAME_NAK) {
                if (base == next)
                    say(FRAME_ACK);
                else
                    resent += next - base, next = base;
            }
        }
    }
    // A cycle: timers and what may be sent.
    void clock()
    {
        if (!attached || quiet)
            return;
        send_data();
        if (++since > patience) {
            since = 0, resent += next - base, next = base;
            say(FRAME_NAK), naks++;
        }
    }
};
#endif

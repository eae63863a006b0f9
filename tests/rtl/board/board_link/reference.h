// SPDX-License-Identifier: Apache-2.0
// What a board must do by docs/reference/board.md, beside board_link: it sees each byte that goes in and out, knows the
// session, what was taken and how much room there is, and compares each byte, each field of a head and each flush that comes out.
// A frame counts three cycles after its last byte (`Judged`), so that acknowledgements and rooms are compared exactly.
#ifndef REFERENCE_H
#define REFERENCE_H
#include <cstdarg>
#include <cstdio>

#include "frames.h"

struct reference {
    static constexpr uint64_t Judged = 3;
    static constexpr uint64_t Chosen = 3; // cycles from the judgement of a NAK to the first byte of what it asks for, at least
    struct piece {
        bytes payload;
        bool end;
    };
    stream_hello mine = {};
    uint64_t cycle = 0;
    char wrong[200] = "";
    // from the host
    reader in;
    std::deque<std::pair<uint64_t, frame>> judged;
    bool session = false, attach = false; // attach: in this cycle
    uint16_t id = 0;
    uint64_t expected = 0;
    bool asked = false;
    uint8_t asked_last = 0;
    bytes taken;
    std::vector<unsigned> units; // of the frames taken
    size_t read = 0;             // of what was taken: bytes that have left the buffer
    std::deque<stream_hello> questions;
    uint32_t answered = 0; // nonce
    // to the host
    std::vector<piece> pieces;
    bytes open;
    uint64_t base = 0, top = 0, follow = 0; // oldest not acknowledged, never sent, next unless the host asks
    uint8_t host_room = 0;
    std::vector<std::pair<uint64_t, uint8_t>> rooms; // {ack, room} since the last but one frame began
    uint64_t naks_due = 0, naks = 0, nak_due_at = 0, nak_at = 0, host_nak_at = 0, answer_at = 0, silent_since = 0;
    unsigned told_room = 64;
    uint64_t told_ack = 0;
    // what comes out
    reader out;
    uint64_t presented = 0, begun = 0, out_bytes = 0, frames[6] = {}, pads = 0, again = 0, base_before = 0;
    unsigned fill = 0;
    bool pad_due = false, pad_perhaps = false; // perhaps: behind a frame of a session that is over
    uint8_t ack_now = 0, room_now = 0, ack_was = 0, room_was = 0, ack_expect = 0, room_expect = 0;

    void fail(const char *form, ...)
    {
        if (wrong[0])
            return;
        va_list a;
        va_start(a, form);
        vsnprintf(wrong, sizeof wrong, form, a);
        va_end(a);
    }
    static unsigned size(size_t n) { return (n + 63) / 64; }
    uint8_t room() const { return (4096 - (taken.size() - read)) / 64; }
    void begin()
    {
        expected = 0, asked = false, taken.clear(), units.clear(), read = 0, pieces.clear(), open.clear(), base = top = follow = 0, base_before = 0;
        host_room = 0, rooms.clear(), told_room = 64, told_ack = 0, naks_due = naks = nak_due_at = host_nak_at = 0;
    }
    // A frame of the host counts from this cycle on.
    void judge(const frame &f)
    {
        if (f.good && f.head.type == FRAME_HELLO) {
            stream_hello q;
            memcpy(&q, f.payload.data(), sizeof q);
            questions.push_back(q);
            if (q.flags & HELLO_ATTACH)
                attach = session = true, id = q.id, begin(), host_room = f.head.room, rooms.push_back({0, host_room});
            return;
        }
        if (!session)
            return;
        uint8_t ahead = f.head.seq - (uint8_t)expected;
        bool data = f.head.type == FRAME_DATA, fits = taken.size() - read + f.payload.size() <= 4096;
        if (f.good && data && !ahead && fits) {
            taken.insert(taken.end(), f.payload.begin(), f.payload.end());
            units.push_back(size(f.payload.size()));
            expected++, asked = false;
        } else if (!f.good || (data && ahead < 128)) {
            if (!asked || (uint8_t)(f.head.seq - asked_last) >= 128)
                naks_due++, nak_due_at = cycle;
            asked = true, asked_last = f.head.seq;
        }
        if (f.good && f.head.type == FRAME_BYE)
            session = false, silent_since = cycle;
        if (f.good && f.head.type != FRAME_BYE) {
            uint8_t acked = f.head.ack - (uint8_t)base;
            if (acked <= top - base)
                base += acked, host_room = f.head.room, rooms.push_back({base, host_room});
            if (f.head.type == FRAME_NAK)
                host_nak_at = cycle;
        }
    }
    void begin_cycle()
    {
        attach = false;
        while (!judged.empty() && judged.front().first <= cycle) {
            frame f = judged.front().second;
            judged.pop_front();
            judge(f);
        }
    }
    void byte_in(uint8_t b)
    {
        frame f;
        if (in.take(b, f))
            judged.push_back({cycle + Judged, f});
    }
    void byte_from_harness(uint8_t b, bool end)
    {
        open.push_back(b);
        if (end || open.size() == 496)
            pieces.push_back({open, end}), open.clear();
    }
    // A byte stands at the output for the first time.
    void byte_stands() { presented = cycle, ack_expect = ack_was, room_expect = room_was; }
    void byte_out(uint8_t b, bool flush)
    {
        frame f;
        bool ends = false, due = false;
        if (pad_due || (pad_perhaps && b == 0)) {
            if (b != 0 || !flush)
                fail("a pad byte should stand behind a whole packet, not %02x", b);
            pad_due = pad_perhaps = false, pads++;
        } else {
            if (!out.at && out.held.empty())
                begun = presented, pad_perhaps = false;
            if (out.held.size() == 5)
                ack_now = ack_expect, room_now = room_expect;
            stale_flush = flush;
            ends = out.take(b, f);
            if (out.skipped)
                fail("a byte %02x that is of no frame", b);
        }
        fill++, out_bytes++;
        if (ends)
            due = check(f);
        if (ends && f.head.type == FRAME_DATA && begun < attach_at + 2)
            pad_perhaps = fill % 510 == 0;
        else if (ends && due && fill % 510 == 0)
            pad_due = true, due = false;
        if (ends && flush != due)
            fail("flush %d, expected %d, behind frame of type %u after %u bytes", flush, due, f.head.type, fill);
        if (!ends && flush && b != 0)
            fail("a flush within a frame");
        if (flush)
            fill = 0;
    }
    // A whole frame; whether a flush belongs to its end.
    bool check(const frame &f)
    {
        const stream_head &h = f.head;
        bool old = begun < attach_at + 2; // begun before the session did: of no meaning to the host
        if (!f.good)
            fail("a wrong CRC-32");
        frames[h.type]++;
        if (!old && (h.ack != ack_now || h.room != room_now))
            fail("ack %u room %u, expected %u, %u (type %u)", h.ack, h.room, ack_now, room_now, h.type);
        if (!session && h.type != FRAME_HELLO && begun > silent_since + 20)
            fail("a frame of type %u without a session", h.type);
        bool end = true;
        if (h.type == FRAME_DATA)
            end = data(f, old);
        else if (h.type == FRAME_HELLO)
            answer(f);
        else if (!old && (uint8_t)(h.seq - (uint8_t)base_before) > (uint8_t)(top - base_before))
            fail("seq %u, expected %u to %u", h.seq, (uint8_t)base, (uint8_t)top);
        else if (!old && follow == top && !host_nak_at && h.seq != (uint8_t)top)
            fail("seq %u of a frame without data, expected %u", h.seq, (uint8_t)top);
        if (h.type == FRAME_NAK && !old && (nak_at = cycle, ++naks > naks_due))
            fail("a NAK too much: %llu of %llu", (unsigned long long)naks, (unsigned long long)naks_due);
        if (h.type == FRAME_BYE)
            fail("a BYE");
        unsigned credit = told_room;
        for (uint64_t n = told_ack; !old && h.ack != (uint8_t)n && n < units.size(); n++)
            credit -= units[n];
        if (h.type == FRAME_ACK && !old && answer_at >= host_nak_at && credit >= 8 && h.room < credit + 16)
            fail("an ACK without need: room %u, the host knows of %u", h.room, credit);
        if (!old)
            told_room = h.room, told_ack = expected - (uint8_t)((uint8_t)expected - h.ack);
        if (h.type == FRAME_ACK || h.type == FRAME_DATA)
            answer_at = begun - Chosen;
        if (rooms.size() > 1)
            rooms.erase(rooms.begin(), rooms.end() - 1);
        base_before = base;
        return end;
    }
    uint64_t attach_at = 0;
    bool data(const frame &f, bool old)
    {
        if (old)
            return stale_flush;
        uint64_t s = top + (int8_t)(f.head.seq - (uint8_t)top);
        if (s > top || s >= pieces.size())
            return fail("frame %u does not exist: next new one is %llu of %zu", f.head.seq, (unsigned long long)top, pieces.size()), false;
        if (s != follow && !(s >= base_before && s <= base))
            fail("frame %llu, expected %llu (oldest %llu to %llu)", (unsigned long long)s, (unsigned long long)follow, (unsigned long long)base_before,
                 (unsigned long long)base);
        if (f.payload != pieces[s].payload)
            fail("frame %llu has other bytes", (unsigned long long)s);
        bool room = false;
        for (auto &r : rooms) {
            unsigned used = 0;
            for (uint64_t n = r.first; n <= s; n++)
                used += size(pieces[n].payload.size());
            room = room || r.second == 255 || used <= r.second;
        }
        if (!room)
            fail("frame %llu is more than the host has room for (%u)", (unsigned long long)s, host_room);
        if (s - base >= FRAME_WINDOW && s > base)
            fail("more than a window");
        again += s < top;
        top = s == top ? top + 1 : top;
        follow = s + 1;
        return pieces[s].end;
    }
    bool stale_flush = false;
    void answer(const frame &f)
    {
        stream_hello h, e = mine;
        memcpy(&h, f.payload.data(), sizeof h);
        while (questions.size() > 1 && questions.front().nonce != h.nonce)
            questions.pop_front();
        if (questions.empty())
            return fail("an answer without a question");
        e.flags = questions.front().flags, e.nonce = questions.front().nonce, e.id = questions.front().id;
        if (memcmp(&h, &e, sizeof h))
            fail("the answer to a HELLO is not what this board is");
        questions.pop_front(), answered = h.nonce;
    }
    void end_cycle() { ack_was = expected, room_was = room(), cycle++; }
    // Nothing is owed any more.
    void at_rest()
    {
        if (naks_due && nak_at < nak_due_at)
            fail("a NAK is owed");
        if (answer_at < host_nak_at)
            fail("a NAK of the host was not answered");
        if (!questions.empty() && questions.back().nonce != answered) // one answer is enough for a HELLO that came twice
            fail("a HELLO was not answered");
    }
};
#endif

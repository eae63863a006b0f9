// SPDX-License-Identifier: Apache-2.0
// Lines of FLAT instructions as the vector memory unit sends them, one at a time: their effect in the order that the unit
// reports, and what it answers.
#pragma once
#include <cstring>

#include "lds_bench.h"

// A line of the vector memory unit.
struct Line {
    unsigned wave, tag, id, op, addr;
    bool store, atomic, wide;
    uint64_t lanes, mask;
    uint8_t data[64], want[64];
    uint64_t issued;
    bool executed = false;
    std::deque<unsigned> before;  // tags of the wavefront's instructions that were inside
};
static std::deque<Line> lines;  // one at most
static bool line_mode;
static uint64_t line_count;

// A line takes effect.
static void observe_line(unsigned wave, unsigned tag, uint64_t lanes)
{
    static const char *const names[] = {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"};
    if (lines.empty() || lines[0].executed)
        return fail("effect without line", tag, 0);
    Line &q = lines[0];
    if (q.wave != wave || q.tag != tag || q.lanes != lanes)
        fail("effect of another line", tag, q.tag);
    for (auto &p : flying[wave >> 5])
        for (unsigned t : q.before)
            if (p.ds.wave == wave && p.ds.tag == t && !p.executed)
                fail("a line overtakes an instruction", tag, t);
    q.executed = true;
    uint8_t *at = lds_memory + q.addr;
    memcpy(q.want, lds_memory + (q.addr & ~63u), 64);
    if (q.store) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                at[i] = q.data[i];
    } else if (q.atomic) {
        uint64_t a, b, old = 0, now;
        unsigned bytes = q.wide ? 8 : 4;
        memcpy(&a, q.data, 8), memcpy(&b, q.data + 8, 8), memcpy(&old, at, bytes);
        bool swaps = !strcmp(names[q.op], "cmpswap");  // as DS: the first operand is compared
        now = q.wide ? atomic_value<uint64_t, int64_t, double>(names[q.op], old, swaps ? b : a, swaps ? a : b)
                     : atomic_value<uint32_t, int32_t, float>(names[q.op], old, swaps ? b : a, swaps ? a : b);
        memcpy(at, &now, bytes);
        memcpy(q.want, &old, 8);
    }
}

static void line_answer(const uint32_t *w)
{
    if (lines.empty() || !lines[0].executed)
        return fail("answer without line", bits_of(w, 512, 8), 0);
    const Line &q = lines[0];
    if (bits_of(w, 512, 8) != q.id)
        fail("answer of line", bits_of(w, 512, 8), q.id);
    for (unsigned i = 0; !q.store && i < (q.atomic ? 8u : 64u); i++)
        if ((uint8_t)(w[i / 4] >> 8 * (i % 4)) != q.want[i])
            fail(q.atomic ? "old value of a line's atomic" : "line read", w[i / 4] >> 8 * (i % 4) & 255, q.want[i]);
    lines.clear();
    line_count++;
}

static void send_line(Line q)
{
    q.issued = cycle;
    Packer p;
    for (unsigned i = 0; i < 64; i++)
        p.put(q.data[i], 8);
    p.put(q.mask, 64), p.put(q.addr, 17), p.put(q.lanes, 64), p.put(0, 3), p.put(q.wide, 1), p.put(q.op, 4), p.put(q.atomic, 1);
    p.put(q.store, 1), p.put(q.id, 8), p.put(q.tag, 8), p.put(q.wave, 6);
    memcpy(dut->line_i[0].data(), p.words, sizeof dut->line_i[0]);
    dut->line_valid_i = 1;
    lines.push_back(q);
}

// One line at a time, of a wavefront that has instructions inside or not.
static void drive_line()
{
    dut->line_valid_i = 0;
    if (!line_mode || !lines.empty() || rng() % 8)
        return;
    Line q = {};
    unsigned kind = rng() % 3;
    q.wave = rng() % SIMDS << 4 | rng() % 2, q.tag = rng() & 255, q.id = rng() & 255, q.store = kind == 0, q.atomic = kind == 1;
    q.wide = rng() % 2, q.op = rng() % 13, q.lanes = q.atomic ? 1ull << rng() % 64 : rng() | 1, q.mask = q.store ? rng() | rng() : 0;
    q.addr = rng() % (rng() % 4 ? 16 : 1024) * 64 + (q.atomic ? (q.wide ? rng() % 8 * 8 : rng() % 16 * 4) : 0);
    for (auto &b : q.data)
        b = rng() % 4 ? rng() : 0;
    for (auto &p : flying[q.wave >> 5])
        if (!p.executed && p.ds.wave == q.wave)
            q.before.push_back(p.ds.tag);
    send_line(q);
}

// SPDX-License-Identifier: Apache-2.0
// Bench of noc_meter: random requests of three requesters to three servers (the last is the RDMA engine), answered in any
// order after times of every class, against counts in C++; every word, read in order and from the beginning again.
// What holds of each: latencies are as many as answers but for writes that found no room (200 here), waiting is their sum; answers to
// writes of one number (low four bits) are taken in the order of their requests.
// top: noc_meter
// args: -GIn=3 -GOut=3 -GWriteRoom=200 -Wno-UNUSEDPARAM --x-initial unique
// mutate: began[row*Tags+32'(rsp_i[t].tag[7:0])] => began[row*Tags+32'(rsp_i[t].tag[3:0])]
// mutate: !is_write(kind) || entry != 32'd0 => 1'b1
// mutate: first[list]  = after[entry] => first[list]  = last[list]
// mutate: used == WriteRoom) || unlisted[list] != 32'd0 => used == WriteRoom)
// mutate: freed        = entry; => freed        = 32'd0;
// mutate: requester * 32'd2 + 32'(is_far) => requester * 32'd2
// mutate: else after[last[list]] = entry => else after[first[list]] = entry
// mutate: open_target[t] - 32'd1 => open_target[t]
// mutate: since_target[at] = cycle_i => since_target[0] = cycle_i
// mutate: open[row] - 32'd1 => open[row]
// mutate: 32'(req_i[i].target) == Out - 1 => 32'(req_i[i].target) == Out - 2
// mutate: next_i ? pointer + 32'd1 : 32'd0 => pointer + 32'(next_i)
// mutate: 7'($countones(request.mask)) => 7'd64
// mutate: n < 9; n++ => n < 8; n++
// mutate: op == MEM_XLAT ? 7'd8 => op == MEM_READ_NC ? 7'd8
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vnoc_meter.h"

enum { In = 3, Out = 3, Kinds = 7, Words = 14, TargetWords = 4, WriteRoom = 200 };
static Vnoc_meter &dut = *[] { // what reset leaves alone holds anything
    Verilated::randReset(2);
    return new Vnoc_meter;
}();
static uint64_t want[In][Kinds][Words], want_target[Out][TargetWords];

struct Open {
    msg_mem_req request;
    unsigned requester, kind;
    uint64_t from, due;
};
static std::vector<Open> under_way;
// Writes of one requester, kind and number: when those began that have a place, and how many behind them have none.
struct Writes {
    std::deque<uint64_t> began;
    unsigned unlisted;
};
static std::map<unsigned, Writes> writes_of;
static unsigned room = WriteRoom, without;

static unsigned kind_of(const msg_mem_req &m)
{
    const bool far = m.target == Out - 1;
    switch (m.op) {
    case MEM_WRITE:
        return far ? 5 : 1;
    case MEM_ATOMIC:
        return far ? 6 : 2;
    case MEM_XLAT:
        return 3;
    default:
        return far ? 4 : 0;
    }
}
static bool writes(unsigned kind) { return kind == 1 || kind == 5; }
static unsigned bytes_back(unsigned op) { return op == MEM_WRITE ? 0 : op == MEM_XLAT ? 8 : 64; }

static unsigned latency_class(uint64_t cycles)
{
    unsigned n = 0;
    for (uint64_t edge = 32; n < 9 && cycles >= edge; edge *= 2)
        n++;
    return n;
}

// Numbers of a requester and kind are free before they come again, but for writes.
static bool tag_free(unsigned requester, unsigned kind, uint32_t tag)
{
    for (const Open &o : under_way)
        if (o.requester == requester && o.kind == kind && (o.request.tag & 255) == (tag & 255))
            return false;
    return true;
}

static void clock_once()
{
    dut.cycle_i = cycle;
    dut.clk_i = 1;
    dut.eval();
    dut.clk_i = 0;
    dut.eval();
    cycle++;
}

static void ask(unsigned requester)
{
    msg_mem_req m;
    uint64_t *words = reinterpret_cast<uint64_t *>(&m);
    for (unsigned i = 0; i < sizeof m / 8; i++)
        words[i] = rng();
    m.op = (uint8_t)pick(5);
    m.target = (uint8_t)pick(Out);
    m.size = pick(2) ? 4 : 8;
    if (m.op == MEM_WRITE) // several under one number
        m.tag = m.tag & 31;
    if (m.op == MEM_ATOMIC && pick(2)) // of one word
        m.mask = 0;
    const unsigned kind = kind_of(m);
    if (!writes(kind) && !tag_free(requester, kind, m.tag))
        return;
    set_bit(dut.req_valid_i, requester);
    put(dut.req_i[requester], m);
    const unsigned bytes = (unsigned)__builtin_popcountll(m.mask);
    const unsigned to = m.op == MEM_WRITE ? bytes : m.op != MEM_ATOMIC ? 0 : bytes ? bytes : m.size;
    want[requester][kind][0]++;
    want[requester][kind][1] += to;
    want_target[m.target][0]++;
    want_target[m.target][1] += to;
    if (writes(kind)) {
        Writes &w = writes_of[(requester * Kinds + kind) << 4 | (m.tag & 15)];
        if (w.unlisted || room == 0) {
            w.unlisted++;
            without++;
        } else {
            w.began.push_back(cycle);
            room--;
        }
    }
    under_way.push_back({m, requester, kind, cycle, cycle + 1 + pick(1ull << (4 + pick(11)))});
}

// One that is due, of a server that says nothing else in this cycle.
static void answer(unsigned target)
{
    for (size_t n = 0; n < under_way.size(); n++) {
        const Open o = under_way[n];
        if (o.request.target != target || o.due > cycle)
            continue;
        msg_mem_rsp m;
        uint64_t *words = reinterpret_cast<uint64_t *>(&m);
        for (unsigned i = 0; i < sizeof m / 8; i++)
            words[i] = rng();
        m.op = o.request.op;
        m.source = (uint8_t)o.requester;
        m.tag = o.request.tag;
        set_bit(dut.rsp_valid_i, target);
        put(dut.rsp_i[target], m);
        uint64_t *w = want[o.requester][o.kind];
        w[2] += bytes_back(m.op);
        w[3] += cycle - o.from;
        if (!writes(o.kind)) {
            w[4 + latency_class(cycle - o.from)]++;
        } else {
            Writes &of = writes_of[(o.requester * Kinds + o.kind) << 4 | (m.tag & 15)];
            if (of.began.empty()) {
                of.unlisted--;
            } else {
                w[4 + latency_class(cycle - of.began.front())]++;
                of.began.pop_front();
                room++;
            }
        }
        want_target[target][2] += bytes_back(m.op);
        want_target[target][3] += cycle - o.from;
        under_way.erase(under_way.begin() + (long)n);
        return;
    }
}

static void run(unsigned cycles, unsigned load)
{
    for (unsigned n = 0; n < cycles || !under_way.empty(); n++) {
        clear(dut.req_valid_i);
        clear(dut.rsp_valid_i);
        for (unsigned t = 0; t < Out; t++)
            answer(t);
        for (unsigned i = 0; i < In && n < cycles; i++)
            if (pick(256) < load)
                ask(i);
        clock_once();
    }
    clear(dut.req_valid_i);
    clear(dut.rsp_valid_i);
}

static void compare(unsigned most)
{
    unsigned n = 0;
    auto next = [&](uint64_t value, const char *what) {
        if (n++ >= most)
            return;
        dut.next_i = 1;
        clock_once();
        if (dut.word_o != value)
            fail(what, dut.word_o, value);
    };
    for (unsigned i = 0; i < In; i++)
        for (unsigned k = 0; k < Kinds; k++)
            for (unsigned w = 0; w < Words; w++)
                next(want[i][k][w], w == 3 ? "waited" : w > 3 ? "latencies" : w ? "bytes" : "requests");
    for (unsigned t = 0; t < Out; t++)
        for (unsigned w = 0; w < TargetWords; w++)
            next(want_target[t][w], "server");
    next(0, "behind the last");
    dut.next_i = 0;
    clock_once();
}

int main()
{
    clear(dut.req_valid_i), clear(dut.rsp_valid_i);
    dut.next_i = 0, dut.clk_i = 0, dut.rst_ni = 0;
    for (int i = 0; i < 3; i++)
        clock_once();
    dut.rst_ni = 1;
    compare(~0u);
    case_done("nothing after reset");
    run(20000, 20);
    compare(100);
    compare(~0u);
    case_done("few", "S0.21");
    run(3000, 200);
    cycle += 5000; // a crossbar at rest is not evaluated
    run(100000, 3);
    compare(~0u);
    case_done("many, then few after a rest", "S0.21");
    for (unsigned k = 0; k < Kinds; k++)
        for (unsigned w = 0; w < Words; w++)
            if (!want[0][k][w] && !(w == 1 && !writes(k) && k != 2 && k != 6) && !(w == 2 && writes(k)))
                fail("a word that was never anything but 0", k, w);
    if (!without)
        fail("writes that found no room", without, 1);
    return bench_end("noc_meter");
}

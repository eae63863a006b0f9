// SPDX-License-Identifier: Apache-2.0
// Bench of channel, a link of 9 cycles with room for 5 messages: every message, whole, exactly its latency after it was sent,
// and nothing else; against the stamps of the bridge's channels (docs/contracts.md).
// top: channel
// args: -GLatency=9 -GDepth=5 -GWidth=40
// mutate: Stages = Latency - 2; => Stages = Latency - 1;
// mutate: .raddr_i(read_q), => .raddr_i('0),
// mutate: if (valid_i || !idle_o || !rst_ni) begin => if (valid_i || !rst_ni) begin
// mutate: row == Aw'(Rows - 1) => row == Aw'(Rows - 2)
// mutate: idle_o = under_way_q == '0 && !valid_o => idle_o = under_way_q == '0
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vchannel.h"

constexpr unsigned latency = 9, depth = 5;

struct Message {
    uint64_t due, data;
};

static uint64_t x = 88172645463325252ull;

static uint64_t random64()
{
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

// In cycle t the sender shows what it has sent at the edge of t; the edge of t + 1 is the first that the link sees it at.
static bool run(Vchannel &d, unsigned cycles, unsigned percent, const char *name)
{
    std::deque<Message> sent;
    auto edge = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    for (uint64_t t = 0; t < cycles; t++) {
        while (!sent.empty() && sent.front().due < t)
            sent.pop_front();
        // one under way leaves its room when the edge that shows it has come
        unsigned under_way = static_cast<unsigned>(sent.size()) - (!sent.empty() && sent.front().due == t);
        d.valid_i = under_way < depth && random64() % 100 < percent && t + 2 * latency < cycles;
        d.data_i = random64() & 0xffffffffff;
        d.eval();
        // the receiver's input of cycle t is what the edge before it has left
        bool due = !sent.empty() && sent.front().due == t;
        if (d.valid_o != due || (due && d.data_o != sent.front().data) || d.idle_o != sent.empty()) {
            std::printf("%s, cycle %lu: valid %d data %lx idle %d; %zu under way\n", name, static_cast<unsigned long>(t), d.valid_o,
                        static_cast<unsigned long>(d.data_o), d.idle_o, sent.size());
            return false;
        }
        // shown behind the edge of t: at the receiver before the edge of t + latency, which is t + latency - 1 edges later
        if (d.valid_i)
            sent.push_back({t + latency - 1, d.data_i});
        edge();
    }
    return sent.empty();
}

int main()
{
    Vchannel d;
    d.rst_ni = 0, d.valid_i = 0, d.clk_i = 0;
    for (unsigned n = 0; n < 2; n++)
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
    d.rst_ni = 1;
    if (!run(d, 20000, 100, "dense"))
        return 1;
    case_done("as dense as its bound");
    if (!run(d, 20000, 30, "gaps"))
        return 1;
    case_done("with gaps");
    if (!run(d, 20000, 3, "single"))
        return 1;
    case_done("one at a time");
    return 0;
}

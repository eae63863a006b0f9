// SPDX-License-Identifier: Apache-2.0
// Bench of gpu_link_credited (and of gpu_link, which carries its messages), of 9 cycles with 5 places at the receiver: messages, whole,
// and credits each exactly the latency after they were sent, neither lost nor doubled, and idle only when nothing is under way.
// top: gpu_link_credited
// args: -GLatency=9 -GDepth=5
// mutate: .valid_i(credit_i), => .valid_i(valid_o),
// mutate: idle_o = there_idle && back_idle => idle_o = there_idle
// mutate: .data_i(msg_i) => .data_i('0)
// mutate: gpu_link.sv: .Latency(Latency), => .Latency(Latency - 1),
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vgpu_link_credited.h"

constexpr unsigned latency = 9, depth = 5;

struct Message {
    uint64_t due;
    uint32_t text;
};

static uint64_t x = 88172645463325252ull;

static uint32_t random32()
{
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return static_cast<uint32_t>(x >> 16);
}

static bool due_now(const std::deque<Message> &sent, uint64_t t)
{
    return !sent.empty() && sent.front().due == t;
}

// The receiver frees a place with `percent` in a cycle; the sender sends whenever it has a credit.
static bool run(Vgpu_link_credited &d, unsigned cycles, unsigned percent)
{
    std::deque<Message> there, back;
    unsigned credits = depth, held = 0;
    for (uint64_t t = 0; t < cycles; t++) {
        bool more = t + 4 * latency < cycles;
        d.valid_i = more && credits > 0;
        d.msg_i = random32();
        d.credit_i = held > 0 && (random32() % 100 < percent || !more);
        d.eval();
        bool arrives = due_now(there, t), returns = due_now(back, t);
        if (d.valid_o != arrives || (arrives && d.msg_o != there.front().text) || d.credit_o != returns || d.idle_o != (there.empty() && back.empty())) {
            std::printf("cycle %lu: valid %d message %x credit %d idle %d; %zu and %zu under way\n", static_cast<unsigned long>(t), d.valid_o, d.msg_o,
                        d.credit_o, d.idle_o, there.size(), back.size());
            return false;
        }
        if (d.valid_i)
            there.push_back({t + latency - 1, d.msg_i}), credits--;
        if (d.credit_i)
            back.push_back({t + latency - 1, 0}), held--;
        if (arrives)
            there.pop_front(), held++;
        if (returns)
            back.pop_front(), credits++;
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
    }
    return credits == depth && held == 0 && there.empty() && back.empty();
}

int main()
{
    Vgpu_link_credited d;
    d.rst_ni = 0, d.valid_i = 0, d.credit_i = 0, d.clk_i = 0;
    for (unsigned n = 0; n < 2; n++)
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
    d.rst_ni = 1;
    if (!run(d, 20000, 100))
        return 1;
    case_done("places freed at once");
    if (!run(d, 20000, 10))
        return 1;
    case_done("places freed slowly");
    return 0;
}

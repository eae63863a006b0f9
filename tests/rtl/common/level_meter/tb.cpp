// SPDX-License-Identifier: Apache-2.0
// Bench of level_meter: levels and full bits of three queues that change at random times and stand for times that are not
// clocked, against sums in C++ that go cycle by cycle; every word, read in order, in part and from the beginning again.
// top: level_meter
// args: -GQueues=3 -Wno-UNUSEDPARAM --x-initial unique
// mutate: 64'(level[n]) * (cycle_i - since) => 64'(level[n])
// mutate: 64'(level[n]) * => 64'(level_i[n]) *
// mutate: (fulls[n] ? => (full_i[n] ?
// mutate: if (level_i != level || full_i != fulls) begin => if (level_i != level) begin
// mutate: || full_i != fulls || next_i => || next_i
// mutate: next_i ? pointer + 32'd1 : 32'd0 => pointer + 32'(next_i)
// mutate: pointer >= 32'd2 * Queues ? 64'd0 => pointer >= 32'd2 * Queues ? 64'd1
// mutate: since = cycle_i => since = cycle_i + 64'd1
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/rtl/case_done.h"
#include "Vlevel_meter.h"

enum { Queues = 3 };
static Vlevel_meter &dut = *[] { // what reset leaves alone holds anything
    Verilated::randReset(2);
    return new Vlevel_meter;
}();
static uint64_t cycle = 1000, sums[2 * Queues], changed[2 * Queues]; // up to now; up to the last change of any queue
static unsigned level[Queues], full;

static unsigned pick(unsigned n)
{
    static uint64_t x = 88172645463325252ull;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (unsigned)((x >> 20) % n);
}

static void clock_once()
{
    dut.cycle_i = cycle++;
    dut.clk_i = 1, dut.eval();
    dut.clk_i = 0, dut.eval();
}

// The level of the cycle that begins, as the meter sees it at the next edge; rests: cycles that go by with it, not clocked.
static void change(unsigned most, unsigned rests)
{
    const unsigned n = pick(Queues);
    if (pick(4))
        level[n] = pick(most + 1);
    else
        full ^= 1u << n;
    uint64_t packed = 0;
    for (unsigned i = 0; i < Queues; i++)
        packed |= (uint64_t)level[i] << 16 * i;
    if (packed != dut.level_i || full != dut.full_i)
        for (unsigned i = 0; i < 2 * Queues; i++)
            changed[i] = sums[i];
    dut.level_i = packed, dut.full_i = (uint8_t)full;
    for (unsigned k = 0; k <= rests; k++)
        for (unsigned i = 0; i < Queues; i++)
            sums[2 * i] += level[i], sums[2 * i + 1] += full >> i & 1;
    clock_once();
    cycle += rests;
}

// The first `most` words.  Cycles of reading are cycles, too.
static void compare(unsigned most)
{
    for (unsigned n = 0; n <= most; n++) {
        dut.next_i = n < most;
        clock_once();
        for (unsigned i = 0; i < Queues; i++)
            sums[2 * i] += level[i], sums[2 * i + 1] += full >> i & 1;
        const uint64_t want = n < 2 * Queues ? changed[n] : 0;
        if (n < most && dut.word_o != want) {
            std::printf("word %u: %llu, expected %llu\n", n, (unsigned long long)dut.word_o, (unsigned long long)want);
            std::exit(1);
        }
    }
}

int main()
{
    dut.level_i = 0, dut.full_i = 0, dut.next_i = 0, dut.rst_ni = 0;
    clock_once(), clock_once();
    dut.rst_ni = 1;
    compare(2 * Queues + 1);
    case_done("nothing after reset");
    for (unsigned n = 0; n < 20000; n++) {
        change(n % 3 ? 65535 : 3, pick(5) ? 0 : pick(300));
        if (!pick(50))
            compare(pick(2 * Queues + 2));
    }
    compare(2 * Queues + 1);
    for (unsigned i = 0; i < 2 * Queues; i++)
        if (!changed[i])
            return std::printf("word %u was never anything but 0\n", i), 1;
    case_done("levels and full bits", "S0.21");
    std::printf("level_meter: passed\n");
    return 0;
}

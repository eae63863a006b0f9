// SPDX-License-Identifier: Apache-2.0
// Bench of stream_bounds: pushes and pops on all ports at random against counts in C++; the assertion fails for each port that does
// what it may not and for no other, and what fails does not end the run here.
// top: stream_bounds
// args: -GPorts=5 -GDepth=3 --x-initial unique
// cflags: -DVL_USER_STOP
// mutate: held[n] < Depth => held[n] <= Depth
// mutate: held[n] != 0) => 1'b1)
// mutate: if (push_i[n] != pop_i[n]) => if (push_i[n] || pop_i[n])
// mutate: if (!rst_ni) for => if (1'b0) for
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vstream_bounds.h"

static const unsigned Ports = 5, Depth = 3;
static Vstream_bounds *dut;
static unsigned held[Ports], told, wrong;
static uint64_t x = 88172645463325252ull;

void vl_stop(const char *, int, const char *) { told++; }

static uint64_t rng() { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; }

// One clock; the ports that do what they may not are counted.
static void clock_once(unsigned push, unsigned pop)
{
    unsigned expected = 0;
    told = 0;
    for (unsigned n = 0; n < Ports; n++) {
        bool in = push >> n & 1, out = pop >> n & 1;
        if (in == out)
            continue;
        expected += dut->rst_ni && (in ? held[n] >= Depth : held[n] == 0);
        held[n] += in ? 1 : -1;
    }
    dut->push_i = push, dut->pop_i = pop;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    if (told != expected)
        std::printf("pushes %x, pops %x: %u failed, expected %u\n", push, pop, told, expected), wrong++;
}

// What moves during reset is nobody's concern, and forgotten.
static void reset()
{
    dut->rst_ni = 0;
    clock_once(0x1f, 0), clock_once(0x3, 0x1c);
    dut->rst_ni = 1;
    for (unsigned &count : held)
        count = 0;
}

static void legal()
{
    bool full = false;
    reset();
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t r = rng();
        unsigned lean = i / 100 % 2 ? 3 : 1, push = 0, pop = 0;
        for (unsigned n = 0; n < Ports; n++, r >>= 8) {
            bool in = (r & 3) < lean, out = (r >> 4 & 3) < 4 - lean;
            push |= (in && (out || held[n] < Depth)) << n;
            pop |= (out && (in || held[n] > 0)) << n;
            full |= held[n] == Depth;
        }
        clock_once(push, pop);
    }
    if (!full)
        std::printf("never full\n"), wrong++;
    case_done("legal moves of all ports");
}

static void too_many()
{
    for (unsigned n = 0; n < Ports; n++) {
        reset();
        for (unsigned i = 0; i <= Depth; i++)
            clock_once(1u << n, 0);
        if (told != 1)
            std::printf("port %u: one push too many: %u failed\n", n, told), wrong++;
    }
    case_done("a push too many");
}

static void without_push()
{
    for (unsigned n = 0; n < Ports; n++) {
        reset();
        clock_once(0x1f & ~(1u << n), 0);
        clock_once(0, 0x1f);
        if (told != 1)
            std::printf("port %u: a pop without its push: %u failed\n", n, told), wrong++;
    }
    case_done("a pop without its push");
}

static void anything()
{
    for (unsigned i = 0; i < 200; i++) {
        reset();
        for (unsigned k = 0; k < 4; k++)
            clock_once(rng() & 0x1f, rng() & 0x1f);
    }
    case_done("anything at random");
}

int main()
{
    dut = new Vstream_bounds;
    legal();
    too_many();
    without_push();
    anything();
    return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0
// Bench of rr_arbiter and of pick_pkg's round robin: random requests against a scan in C++.
// top: rr_arbiter
// args: -GN=53
// mutant: -GSeedBug=2'd1
// mutant: -GSeedBug=2'd2
// mutant: -GSeedBug=2'd3
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vrr_arbiter.h"

int main()
{
    const unsigned N = 53;
    Vrr_arbiter d;
    uint64_t x = 88172645463325252ull;
    unsigned pointer = 0;
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    d.rst_ni = 0, d.take_i = 0, d.request_i = 0;
    clock(), clock();
    d.rst_ni = 1;
    for (unsigned n = 0; n < 200000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t y = x * 0x9e3779b97f4a7c15ull;
        d.request_i = (n & 64 ? x & y & y >> 7 : n & 128 ? x : x & y & x >> 11 & y >> 5) & ((1ull << N) - 1);
        d.take_i = y >> 60 & 1;
        d.eval();
        unsigned want = pointer;
        while (d.request_i && !(d.request_i >> want & 1))
            want = (want + 1) % N;
        if (d.valid_o != (d.request_i != 0) || (d.request_i && d.grant_o != want)) {
            std::printf("cycle %u: requests %llx pointer %u grant %u, expected %u\n", n, (unsigned long long)d.request_i, pointer, d.grant_o, want);
            return 1;
        }
        if (d.request_i && d.take_i)
            pointer = (want + 1) % N;
        clock();
    }
    case_done("random against a model");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Bench of issue_queue: random pushes and a unit that is ready at random against a queue in C++; a record leaves in the
// cycle after a ready and no other, in order; idle means that nothing moves at the next edge.
// top: issue_queue
// mutate: && !valid_o; => ;
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vissue_queue.h"

int main()
{
    Vissue_queue d;
    std::deque<uint32_t> q;
    uint64_t x = 88172645463325252ull;
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    d.rst_ni = 0, d.push_i = 0, d.ready_i = 0;
    clock(), clock();
    d.rst_ni = 1;
    bool full = false, valid = false;
    for (unsigned n = 0; n < 100000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned mode = n / 500 % 3; // fills, drains, even
        d.push_i = q.size() < 4 && (mode == 0 ? (x & 3) != 0 : mode == 1 ? (x & 7) == 0 : x & 1);
        d.ready_i = mode == 0 ? (x >> 8 & 7) == 0 : mode == 1 ? (x >> 8 & 3) != 0 : x >> 8 & 1;
        d.data_i = static_cast<uint32_t>(x >> 16);
        d.eval();
        bool pop = d.ready_i && !q.empty();
        if (d.idle_o != (!pop && !valid)) {
            std::printf("cycle %u: idle %d, record leaves %d, record stands %d\n", n, d.idle_o, pop, valid);
            return 1;
        }
        uint32_t expect = pop ? q.front() : 0;
        if (pop)
            q.pop_front();
        if (d.push_i)
            q.push_back(d.data_i);
        full |= q.size() == 4;
        clock();
        valid = pop;
        if (d.valid_o != valid || (valid && d.data_o != expect)) {
            std::printf("cycle %u: valid %d data %x, expected %d %x\n", n, d.valid_o, d.data_o, valid, expect);
            return 1;
        }
    }
    case_done("random against a queue");
    return !full;
}

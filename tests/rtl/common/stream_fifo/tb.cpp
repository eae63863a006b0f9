// SPDX-License-Identifier: Apache-2.0
// Bench of stream_fifo: random traffic against a queue in C++.
// top: stream_fifo
// mutant: -GSeedBug=2'd1
// mutant: -GSeedBug=2'd2
// mutant: -GSeedBug=2'd3
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vstream_fifo.h"

int main()
{
    Vstream_fifo d;
    std::deque<uint32_t> q;
    uint64_t x = 88172645463325252ull;
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    d.rst_ni = 0, d.valid_i = 0, d.ready_i = 0;
    clock(), clock();
    d.rst_ni = 1;
    for (unsigned n = 0; n < 100000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned mode = n / 1000 % 3; // drain, fill, even
        d.valid_i = mode == 0 ? (x & 3) == 0 : mode == 1 ? (x & 3) != 0 : x & 1;
        d.ready_i = mode == 0 ? (x >> 8 & 3) != 0 : mode == 1 ? (x >> 8 & 3) == 0 : x >> 8 & 1;
        d.data_i = static_cast<uint32_t>(x >> 16);
        d.eval();
        bool push = d.valid_i && d.ready_o, pop = d.valid_o && d.ready_i;
        if (d.valid_o != !q.empty() || d.ready_o != (q.size() < 4) || d.count_o != q.size() || (d.valid_o && d.data_o != q.front())) {
            std::printf("cycle %u: valid %d ready %d count %u data %x, expected %zu words, first %x\n", n, d.valid_o, d.ready_o, d.count_o,
                        d.data_o, q.size(), q.empty() ? 0 : q.front());
            return 1;
        }
        if (push)
            q.push_back(d.data_i);
        if (pop)
            q.pop_front();
        clock();
    }
    case_done("random against a model");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Bench of async_fifo: random traffic between two clocks of any ratio against a queue in C++; room_o keeps its word; a queue
// that is left alone runs full and empty.  (A register that samples a changing bit is not modelled: tests/formal is about that.)
// top: async_fifo
// args: -GWidth=9 -GDepth=16
// mutate: assign ready_o = used != place_t'(Depth); => assign ready_o = 1'b1;
// mutate: used <= place_t'(Depth - 4); => used <= place_t'(Depth - 3);
// mutate: data_o      <= mem[read_q[Aw-1:0]]; => data_o      <= mem[write_q[Aw-1:0]];
// mutate: valid_o <= pop || (valid_o && !ready_i); => valid_o <= pop;
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vasync_fifo.h"

static uint64_t x = 88172645463325252ull;
static uint64_t rng() { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; }

static bool run(unsigned write_period, unsigned read_period)
{
    Vasync_fifo d;
    std::deque<uint32_t> q;
    d.wrst_ni = d.rrst_ni = 0, d.valid_i = d.ready_i = 0, d.wclk_i = d.rclk_i = 0, d.eval();
    uint64_t write_at = 1, read_at = 1 + rng() % read_period, words = 0;
    unsigned promised = 0, most = 0;
    for (uint64_t now = 0; words < 20000; now++) {
        if (now > 40 * (write_period + read_period))
            d.wrst_ni = d.rrst_ni = 1;
        if (now > 40000000)
            return std::printf("periods %u, %u: %llu words only\n", write_period, read_period, (unsigned long long)words), false;
        unsigned mode = words / 2500 % 4; // both random; nobody reads but to go on; nobody writes much; both always
        if (now == write_at) {
            d.valid_i = d.wrst_ni && (mode == 3 || mode == 1 || (mode == 2 ? rng() % 8 == 0 : rng() & 1)), d.data_i = rng() & 0x1ff;
            d.eval();
            if (d.room_o)
                promised = 4;
            if (promised && d.valid_i && !d.ready_o)
                return std::printf("no place though room was told\n"), false;
            bool push = d.valid_i && d.ready_o;
            if (push)
                q.push_back(d.data_i), promised -= promised != 0;
            most = q.size() > most ? q.size() : most;
            d.wclk_i = 1, d.eval(), d.wclk_i = 0, d.eval(); // a pulse of no length: the edge is all that counts
            write_at += write_period + rng() % 2;
        }
        if (now == read_at) {
            d.ready_i = d.rrst_ni && (mode == 3 || mode == 2 || (mode == 1 ? rng() % 8 == 0 : rng() & 1));
            d.eval();
            if (d.valid_o && d.ready_i) {
                if (q.empty() || d.data_o != q.front())
                    return std::printf("word %llu is %x, expected %x of %zu\n", (unsigned long long)words, d.data_o, q.empty() ? 0 : q.front(), q.size()), false;
                q.pop_front(), words++;
            }
            d.rclk_i = 1, d.eval(), d.rclk_i = 0, d.eval();
            read_at += read_period + rng() % 2;
        }
    }
    if (most < 16 || most > 17) // 16 words, and one at the output
        return std::printf("periods %u, %u: never more than %u words inside\n", write_period, read_period, most), false;
    return true;
}

int main()
{
    for (unsigned w : {1, 2, 3, 7, 10})
        for (unsigned r : {1, 2, 3, 7, 10})
            if (!run(w, r))
                return 1;
    case_done("random against a queue, 25 ratios of clocks");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Bench of latency_floor: random reports with and without a rest against a queue in C++ that knows the cycle in which each
// may leave; what passes, what waits behind its own key, room, idleness.  Phases: few, many, bursts of equal rests (one
// leaves each cycle).
// top: latency_floor
// args: -GDepth=8 -GKeyW=2
// mutant: -GSeedBug=3'd1
// mutant: -GSeedBug=3'd2
// mutant: -GSeedBug=3'd3
// mutant: -GSeedBug=3'd4
#include <cstdint>
#include <cstdio>
#include <deque>

#include "tests/rtl/case_done.h"
#include "Vlatency_floor.h"

int main()
{
    struct Report {
        uint64_t due;
        unsigned word, key;
    };
    Vlatency_floor d;
    std::deque<Report> q;
    uint64_t x = 88172645463325252ull, cycle = 0, passed = 0, waited = 0, behind = 0, stalled = 0;
    bool room = true;
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(), cycle++; };
    d.rst_ni = 0, d.valid_i = 0;
    clock(), clock();
    d.rst_ni = 1;
    for (unsigned n = 0; n < 200000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned mode = n / 1000 % 4, most = mode == 2 ? 200 : mode == 1 ? 40 : 6;
        bool send = mode == 0 ? (x & 15) == 0 : mode == 1 ? (x & 3) != 0 : x & 1;
        unsigned rest = (x >> 8 & 3) == 0 ? 0 : mode == 3 ? 5 : 1 + (x >> 12) % most;
        bool own = false;
        d.rest_i = rest, d.data_i = x >> 32 & 0x3fff, d.key_i = x >> 48 & 3;
        for (auto &r : q)
            own |= r.key == d.key_i;
        d.valid_i = send && room;  // as a unit: it saw the room one cycle ago
        stalled += send && !room;
        room = d.ready_o;
        d.eval();
        bool pass = d.valid_i && !rest && !own, leaves = !pass && !q.empty() && q.front().due <= cycle;
        if (d.valid_o != (pass || leaves) || (pass && d.data_o != d.data_i) || (leaves && d.data_o != q.front().word) ||
            d.idle_o != q.empty()) {
            std::printf("cycle %llu: valid %d idle %d word %x, expected valid %d pass %d, %zu wait, first %x due in %lld\n", (unsigned long long)cycle,
                        d.valid_o, d.idle_o, d.data_o, pass || leaves, pass, q.size(), q.empty() ? 0 : q.front().word,
                        q.empty() ? 0 : (long long)(q.front().due - cycle));
            return 1;
        }
        if (leaves)
            q.pop_front(), waited++;
        if (d.valid_i && !pass)
            q.push_back({cycle + rest, (unsigned)d.data_i, (unsigned)d.key_i}), behind += !rest;
        passed += pass;
        if (q.size() > 8)
            return std::printf("more than 8 wait\n"), 1;
        clock();
    }
    std::printf("%llu passed, %llu waited, of these %llu behind their own, %llu held back\n", (unsigned long long)passed, (unsigned long long)waited,
                (unsigned long long)behind, (unsigned long long)stalled);
    case_done("random against a queue");
    return !passed || !waited || !behind || !stalled;
}

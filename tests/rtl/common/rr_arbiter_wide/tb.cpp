// SPDX-License-Identifier: Apache-2.0
// Bench of rr_arbiter with more requesters than a word has bits: random requests against a scan in C++.
// top: rr_arbiter
// args: -GN=65
// mutate: choice  = N <= 64 => choice  = N <= 128
// mutate: 7'(pointer_q) => 7'(6'(pointer_q))
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <random>

#include "tests/rtl/case_done.h"
#include "Vrr_arbiter.h"

int main()
{
    constexpr unsigned N = 65;
    Vrr_arbiter d;
    std::mt19937_64 random(7);
    unsigned pointer = 0, last = 0; // grants of the last requester
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    auto present = [&](const std::bitset<N> &requests) {
        for (unsigned w = 0; w < 3; w++)
            d.request_i[w] = static_cast<uint32_t>((requests >> (32 * w) & std::bitset<N>(0xffffffffu)).to_ullong());
    };
    d.rst_ni = 0, d.take_i = 0, present({});
    clock(), clock();
    d.rst_ni = 1;
    for (unsigned n = 0; n < 200000; n++) {
        std::bitset<N> requests;
        for (unsigned some = static_cast<unsigned>(random() % 4); some; some--)
            requests.set(random() % (n & 64 ? N : N / 16 + 1) * (n & 128 ? 1 : 16) % N);
        if (n & 32)
            requests.set(N - 1, random() & 1);
        bool take = random() & 1;
        present(requests);
        d.take_i = take;
        d.eval();
        unsigned want = pointer;
        while (requests.any() && !requests[want])
            want = (want + 1) % N;
        if (d.valid_o != requests.any() || (requests.any() && d.grant_o != want)) {
            std::printf("cycle %u: pointer %u grant %u, expected %u\n", n, pointer, d.grant_o, want);
            return 1;
        }
        last += requests.any() && take && want == N - 1;
        if (requests.any() && take)
            pointer = (want + 1) % N;
        clock();
    }
    if (last < 1000) {
        std::printf("the last requester had its turn %u times only\n", last);
        return 1;
    }
    case_done("random against a model");
    return 0;
}

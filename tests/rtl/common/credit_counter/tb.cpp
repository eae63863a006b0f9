// SPDX-License-Identifier: Apache-2.0
// Bench of credit_counter: random spending and returning against a count in C++; all credits are there after reset.
// top: credit_counter
// mutate: if (spend_i != credit_i) => if (spend_i || credit_i)
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vcredit_counter.h"

int main()
{
    Vcredit_counter d;
    uint64_t x = 88172645463325252ull;
    unsigned count = 16;
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    d.rst_ni = 0, d.spend_i = 0, d.credit_i = 0;
    clock(), clock();
    d.rst_ni = 1;
    bool empty = false, full = false;
    for (unsigned n = 0; n < 50000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned lean = n / 500 % 2 ? 3 : 1;
        d.spend_i = count > 0 && (x & 3) < lean;
        d.credit_i = count < 16 && (x >> 8 & 3) < 4 - lean;
        d.eval();
        if (d.count_o != count || d.available_o != (count != 0)) {
            std::printf("cycle %u: count %u, expected %u\n", n, d.count_o, count);
            return 1;
        }
        empty |= count == 0, full |= count == 16;
        count = count - d.spend_i + d.credit_i;
        clock();
    }
    case_done("random against a count");
    return !(empty && full);
}

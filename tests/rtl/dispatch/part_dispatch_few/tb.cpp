// SPDX-License-Identifier: Apache-2.0
// Bench of part_dispatch with four dispatchers, which fill one CU after the other and lose patience after 300 cycles: random launches against the
// CUs of ../part_dispatch, which CU a group goes to, the turn of a large group, and the end of its claim.  Not responsible for: all else (there).
// top: part_dispatch
// constants: dispatch_dispatchers.4+place.fill+patience.300
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: if (Fill) begin => if (1'b0) begin
// mutate: if (reserved && cycle_i - kept_since >= 16 * Patience) begin => if (1'b0) begin
// mutate: if (reserved && cycle_i - kept_since >= 16 * Patience) begin => if (reserved && cycle_i - kept_since >= Patience) begin
// mutate: since[owner] = cycle_i; => ;
// mutate: && !reserved; => ;
// mutate: free     = '1; => free = Dispatchers'(1);
#define DISPATCHERS 4
#define PATIENCE 300
#include "tests/rtl/dispatch/part_dispatch/bench.h"
#include "tests/rtl/dispatch/part_dispatch/cases.h"

// The first CU of the mask that has room takes the next group, whoever's it is.
static void test_fill()
{
    hold = 1;
    send(plain_launch(25000, Simds * Slots + 3, ~1ull));
    send(plain_launch(25001, 2, ~0ull));
    steps(400);
    for (unsigned cu = 0; cu < Cus; cu++) {
        const unsigned want = cu == 1 ? Simds * Slots : cu == 2 ? 3 : 0;
        if (live_of(cu, 25000) != want || live_of(cu, 25001) != (cu == 0 ? 2u : 0u))
            FAIL("cu %u has %u and %u wavefronts, expected %u", cu, live_of(cu, 25000), live_of(cu, 25001), want);
    }
    hold = 0;
    drain(4000);
}

// What runs in the CU that is kept does not end before another kernel has been there: after 16 times the patience that one gets in, and the large
// group has its turn later.
static void test_claim_ends()
{
    fill_cu(25100);
    msg_cp_cmd big = plain_launch(25101, 1, 1), small = plain_launch(25102, 1, 1);
    big.lds_bytes = Lds, big.vgprs = 256;
    send(big), send(small);
    steps(Patience + 100);
    end_one(25100);
    steps(20);
    hold = 1;
    const uint64_t begin = cycle;
    while (launches[25102].started == 0 && cycle < begin + 17 * Patience)
        step(nullptr);
    if (launches[25102].started != 1 || launches[25102].first_start < begin + 16 * Patience - 60)
        FAIL("a claim ended after %llu cycles", (unsigned long long)(cycle - begin));
    // the next claim begins after the patience again, and not before
    end_one(25100);
    steps(20);
    hold = 1;
    send(plain_launch(25103, 1, 1));
    steps(100);
    if (launches[25103].started != 1)
        FAIL("a new claim began at once");
    for (Wave &w : cus[0].wave)
        w.end = cycle;
    hold = 0;
    drain(20000);
}

int main()
{
    bench_begin();
    test_random(1000);
    case_done("random launches", "S3.5, S3.7, S3.10");
    test_fill();
    case_done("one CU after the other");
    test_patience();
    case_done("a large group has its turn", "S3.8, S3.10");
    test_claim_ends();
    case_done("the end of a claim", "S3.8");
    std::printf("passed, %llu cycles\n", (unsigned long long)cycle);
    return 0;
}

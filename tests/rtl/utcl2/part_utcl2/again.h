// SPDX-License-Identifier: Apache-2.0
// Reset, in the bench of part_utcl2: after one cycle of it, whatever was under way, the same requests and commands have
// the same outputs in the same cycles, and until they come nothing moves.  Included by tb.cpp, whose traffic it uses.
#ifndef AGAIN_H
#define AGAIN_H

static void reset_for(unsigned cycles)
{
    dut->mem_req_valid_i = dut->mem_rsp_credit_i = dut->mem_req_credit_i = dut->mem_rsp_valid_i = dut->ctl_cmd_valid_i =
        dut->xlat_evt_credit_i = dut->perf_en_i = 0;
    dut->rst_ni = 0;
    for (unsigned i = 0; i < cycles; i++)
        dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1;
    flying.clear(), previous.clear(), walk_answers.clear(), walk_tags.clear(), reports.clear(), memory.clear();
    memset(root_of, 0, sizeof root_of);
    credits = Depth, held = walk_held = reports_open = evts = 0;
    deaf = withheld = changing = before_evt = false;
    serial = 1, next_table = 0x10000, evt_at = ~0ull;
    rng.seed(7);
    outputs = 0;
    if (!dut->idle_o || dut->mem_req_credit_o || dut->mem_rsp_valid_o || dut->ctl_evt_valid_o || dut->mem_req_valid_o ||
        dut->xlat_evt_valid_o)
        fail("something moves out of reset, or it does not rest", dut->idle_o, 1);
    for (unsigned i = 0; i < 10; i++)
        clock_once(nullptr, 256); // idle: nothing may move
}

// Something of everything; the outputs of all its cycles.
static uint64_t from_reset()
{
    new_root(2), new_root(3), new_root(Space, XLAT_WITHHOLD);
    for (unsigned vmid : {2u, 3u, Space})
        for (unsigned p = 0; p < 1200; p++)
            map_page(vmid, Far + p * 4096ull, plain_entry(0x1000 * vmid + p));
    for (unsigned n = 0; n < 1500; n++)
        issue(n & 1 ? 3 : 2, Far + pick(1200) * 4096, 1, n < 500 ? 40 : 256);
    drain_all();
    for (unsigned n = 0; n < 200; n++) { // with generations that come again what another space has would go
        command(CTL_INV, 2, 0, 0, true);
        issue(3, Far + pick(64) * 4096, 1, 256);
    }
    command(CTL_INV, 3, Far, 100 * 4096, true);
    for (unsigned n = 0; n < 20; n++)
        issue(Space, Far + (1200 + n) * 4096, 1, 256), issue(3, Far + pick(200) * 4096, 1, 256);
    clocks(600);
    answer(Space, 0, 0, true);
    drain_all();
    tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    for (unsigned n = 0; n < 8; n++)
        counter(n);
    return outputs;
}

// Requests, walks, reports, a command that have not ended.
static void left_undone(unsigned kind)
{
    withheld = true;
    for (unsigned n = 0; n < 100; n++)
        issue(n % 3 ? 3 : 2, Far + pick(1300) * 4096, 1, 16);
    deaf = true, withheld = false;
    for (unsigned n = 0; n < 10; n++)
        issue(Space, Far + (1300 + n) * 4096, 1, 256);
    clocks(400);
    for (unsigned n = 0; n < 8 + 3 * kind; n++)
        issue(2, Far + pick(1300) * 4096, 1, 16);
    command(kind & 1 ? CTL_INV : CTL_XLAT, kind & 1 ? 3 : Space, kind & 1 ? Far : 0, kind & 1 ? 200 * 4096 : 0, false,
            kind & 1 ? CACHE_INV_TLB : XLAT_DENY);
    clocks(1 + kind * 3);
}

// Reset at each moment of a walk, of a report, of a command: no output comes out of it, and no space has a root.
static void reset_at_each_moment()
{
    for (unsigned delay = 0; delay < 45; delay++) {
        for (unsigned kind = 0; kind < 5; kind++) {
            new_root(2), new_root(Space, XLAT_WITHHOLD);
            map_page(2, Far, plain_entry(0x100));
            latency_fixed = 4;
            if (kind == 0)
                issue(2, Far, 1, 256), issue(Space, Far, 1, 256), issue(2, 1ull << 40, 1, 256);
            else if (kind == 1)
                knock(40), signal(CTL_DISCARD); // credits go back one a cycle
            else
                command(kind == 2   ? CTL_ROOT
                        : kind == 3 ? CTL_INV
                                    : CTL_SIGNAL,
                        2, kind == 2 ? root_of[2] : Far, kind == 3 ? 3 * 4096 : 0, false);
            clocks(delay);
            reset_for(1);
            latency_fixed = 0;
            issue(2, Far, 1, 256), issue(Space, Far, 1, 256); // faults, without a walk
            wait_all();
        }
    }
}

static void reset_again()
{
    reset_at_each_moment();
    reset_for(1);
    const uint64_t want = from_reset();
    for (unsigned kind = 0; kind < 6; kind++) {
        left_undone(kind);
        reset_for(kind == 5 ? 3 : 1);
        if (uint64_t got = from_reset(); got != want)
            fail("the same behind another reset has other outputs", got, want);
    }
}
#endif

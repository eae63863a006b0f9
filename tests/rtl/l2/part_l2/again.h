// SPDX-License-Identifier: Apache-2.0
// Reset, in the bench of part_l2: after one cycle of it, whatever was under way, the same requests and commands at the
// same times have the same outputs in the same cycles, and until they come nothing moves.  Included by tb.cpp, whose
// traffic it uses.
#ifndef AGAIN_H
#define AGAIN_H

static void reset_for(unsigned cycles, const std::vector<uint8_t> &memory)
{
    dut->mem_req_valid_i = dut->mem_rsp_credit_i = dut->dram_rsp_valid_i = dut->ctl_cmd_valid_i = dut->perf_en_i = 0;
    cycle = 0; // the DRAM's refreshes go by it
    dut->cycle_i = 0;
    dut->rst_ni = 0;
    for (unsigned i = 0; i < cycles; i++)
        dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1;
    flying.clear(), flying_old.clear(), sent_at.clear(), waiting_order.clear(), store_answers.clear();
    model = backing = memory;
    credits = Depth, held = evts = serial = 0, done_at = ~0ull;
    rng.seed(7);
    outputs = 0;
    if (!dut->idle_o || dut->mem_req_credit_o || dut->mem_rsp_valid_o || dut->ctl_evt_valid_o ||
        dut->obs_order_valid_o || dut->dram_req_valid_o)
        fail("something moves out of reset, or it does not rest", dut->idle_o, 1);
    for (unsigned i = 0; i < 10; i++)
        clock_once(nullptr, 256); // idle: nothing may move
}

static void requests(unsigned count, unsigned lines, unsigned drain)
{
    for (unsigned n = 0; n < count; n++)
        issue(random_request(slice_line(pick(lines))), drain);
}

// Something of everything; the outputs of all its cycles.
static uint64_t from_reset()
{
    requests(4000, 4096, 256); // sets are full
    requests(300, 8, 40);
    invalidate(CACHE_WB_L2, 3 * Piece, 200 * Piece);
    requests(500, 600, 256);
    invalidate(CACHE_INV_L2);
    requests(500, 600, 256);
    invalidate(CACHE_WB_L2 | CACHE_INV_L2, 0, 40 * Piece);
    drain_all();
    invalidate(CACHE_WB_L2);
    same_as_backing("after a reset, address");
    for (unsigned n = 0; n < 18; n++)
        counter(n);
    return outputs;
}

// Requests, fetches, stores that are not in DRAM, a command that has not ended.
static void left_undone(unsigned kind)
{
    whose = Any;
    requests(200 + 37 * kind, kind & 1 ? 4096 : 40, 16);
    command(kind & 1 ? CACHE_WB_L2 : CACHE_INV_L2, 0, kind & 2 ? 100 * Piece : 0);
    for (unsigned i = 0; i < 1 + 7 * kind; i++)
        clock_once(nullptr, 0);
}

static void reset_again()
{
    const std::vector<uint8_t> memory = backing;
    whose = Any;
    reset_for(1, memory);
    const uint64_t want = from_reset();
    for (unsigned kind = 0; kind < 10; kind++) {
        left_undone(kind);
        reset_for(kind == 9 ? 3 : 1, memory);
        if (uint64_t got = from_reset(); got != want)
            fail("the same behind another reset has other outputs", got, want);
    }
}
#endif

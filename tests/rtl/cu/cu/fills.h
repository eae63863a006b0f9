// SPDX-License-Identifier: Apache-2.0
// Wavefronts that follow one another as closely as a CU takes them: without SGPRs, with item ids of one to three registers, on SIMDs by turns, on two of one
// parity, on one alone.  Each has its own ids; a kill behind them finds all of them.
#pragma once
#include "tests/rtl/cu/harness.h"

static WaveSetup bare_setup(unsigned n, unsigned simd, unsigned items)
{
    WaveSetup q;
    q.simd = simd, q.slot = n / 4, q.vgpr_base = 24 * (n / 4), q.vgprs = 24, q.sgpr_base = 16 * (n / 4), q.sgprs = 16;
    q.group_waves = 16, q.wave_in_group = n, q.items = items, q.bare = true;
    q.size[0] = 10, q.size[1] = 9, q.size[2] = 11;
    return q;
}

static void run_fills(Bench &b)
{
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {0, 2, 0, 2}, {1, 3, 3, 1}, {2, 2, 2, 2}, {3, 0, 0, 1}};
    for (unsigned items = 0; items < 3; items++)
        for (auto &order : orders) {
            b.mem.put(MemBase, assemble("v_mov_b32 v3, v0\n v_mov_b32 v4, v1\n v_mov_b32 v5, v2\n s_endpgm\n"));
            if (items < 2) // what is not written may hold anything
                b.mem.put(MemBase, assemble(items ? "v_mov_b32 v3, v0\n v_mov_b32 v4, v1\n s_endpgm\n" : "v_mov_b32 v3, v0\n s_endpgm\n"));
            b.golden_mem = b.mem;
            std::vector<Wave *> set;
            unsigned slot[4] = {};
            for (unsigned n = 0; n < 8; n++) {
                WaveSetup q = bare_setup(n, order[n % 4], items);
                q.slot = slot[q.simd]++, q.vgpr_base = 24 * q.slot, q.sgpr_base = 16 * q.slot;
                set.push_back(b.add(q));
            }
            b.golden_run(set);
            b.run(set);
        }
}

static uint64_t instructions(Bench &b)
{
    b.top->perf_addr_i = 0xff;
    b.clock();
    b.clock();
    return b.top->perf_data_o;
}

// The command to kill is behind wavefronts that are still being filled: they are killed, too.
static void run_fills_killed(Bench &b)
{
    b.mem.put(MemBase, assemble("s_branch -1\n"));
    b.golden_mem = b.mem;
    b.observe = false;
    for (unsigned count = 1; count < 8; count++)
        for (unsigned items = 0; items < 3; items++) {
            for (unsigned n = 0; n < count; n++)
                b.launch(b.add(bare_setup(n, n % 4, items)));
            msg_cu_cmd kill{};
            kill.kind = CU_KILL;
            kill.vmid = 1;
            b.commands.push_back(kill);
            const size_t before = b.events.size();
            for (unsigned i = 0; i < 2000 && (b.events.size() == before || b.events.back().kind != CU_EVT_ACK); i++)
                b.step();
            if (b.events.size() != before + 1 || b.events.back().kind != CU_EVT_ACK)
                fail("a kill behind %u wavefronts is not acknowledged", count);
            for (unsigned i = 0; i < 100; i++)
                b.step();
            const uint64_t then = instructions(b);
            for (unsigned i = 0; i < 200; i++)
                b.step();
            if (instructions(b) != then)
                fail("a wavefront of %u lives on behind its kill", count);
            b.running.clear();
        }
    b.observe = true;
}

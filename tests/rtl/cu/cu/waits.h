// SPDX-License-Identifier: Apache-2.0
// Waits of the bench of cu: s_waitcnt with counts above 0 goes on when so many accesses are left, neither earlier nor
// later; a barrier does not wait for wavefronts that have ended; item ids of a group of three dimensions.
#pragma once
#include "tests/rtl/cu/harness.h"

// Four accesses 256 cycles apart, all with the same latency, then one addition for each as soon as it may use its result.
static std::string wait_program(bool vector)
{
    std::string text = "  v_lshlrev_b32 v1, 2, v0\n  v_mov_b32 v3, s1\n  v_add_u32 v2, vcc, s0, v1\n";
    for (unsigned i = 0; i < 4; i++) {
        text += vector ? "  flat_load_dword v" + std::to_string(10 + i) + ", v[2:3] glc\n  v_add_u32 v2, vcc, 0x1000, v2\n"
                       : "  s_load_dword s" + std::to_string(20 + i) + ", s[0:1], " + std::to_string(0x1000 * i) + "\n";
        for (unsigned k = 0; k < 4; k++)
            text += "  s_nop 15\n";
    }
    // the other counter is not waited for
    text += vector ? "  s_load_dword s40, s[0:1], 0x0\n" : "  flat_load_dword v40, v[2:3]\n";
    for (unsigned i = 0; i < 4; i++) {
        std::string n = std::to_string(3 - i);
        text += vector ? "  s_waitcnt vmcnt(" + n + ")\n  v_add_u32 v20, vcc, 1, v" + std::to_string(10 + i) + "\n"
                       : "  s_waitcnt lgkmcnt(" + n + ")\n  s_add_u32 s30, s20, s" + std::to_string(20 + i) + "\n";
    }
    return text + "  s_waitcnt vmcnt(0) & lgkmcnt(0)\n  s_nop 0\n  s_endpgm\n";
}

static void run_waits(Bench &b)
{
    unsigned latency = b.latency, jitter = b.jitter;
    b.latency = 8, b.jitter = 0;
    for (bool vector : {true, false}) {
        b.mem.put(MemBase, assemble(wait_program(vector)));
        b.golden_mem = b.mem;
        for (unsigned late : {0u, 2400u}) { // once so that translations are there
            b.data_late = late;
            WaveSetup q;
            q.sgpr = {0x300000, 0};
            Wave *w = b.add(q);
            b.golden_run({w});
            b.run({w});
            if (late == 0)
                continue;
            uint64_t at[4] = {}; // of the additions
            unsigned n = 0;
            for (size_t i = 1; i < w->trace.size() && n < 4; i++)
                if (w->trace[i - 1].first >> 16 == 0xbf8c)
                    at[n++] = w->issued_at[i];
            for (unsigned i = 1; i < 4; i++)
                if (at[i] - at[i - 1] < 200 || at[i] - at[i - 1] > 320)
                    fail("run_waits: %s count %u: the next result is used %llu cycles later, not 256", vector ? "vmcnt" : "lgkmcnt", 3 - i,
                         (unsigned long long)(at[i] - at[i - 1]));
        }
    }
    b.data_late = 0, b.latency = latency, b.jitter = jitter;
}

// Of four wavefronts one ends before the others meet, one while they wait for it: two go on, and meet twice more.
static void run_ended(Bench &b)
{
    b.mem.put(MemBase, assemble("  s_cmp_eq_u32 s0, 3\n  s_cbranch_scc1 end\n  s_sleep 8\n  s_cmp_eq_u32 s0, 2\n  s_cbranch_scc1 late\n"
                                "  s_barrier\n  s_add_u32 s2, s0, 1\n  s_cmp_eq_u32 s0, 0\n  s_cbranch_scc1 more\n  s_sleep 20\nmore:\n"
                                "  s_barrier\n  s_add_u32 s2, s0, 2\n  s_barrier\n  s_branch end\nlate:\n  s_sleep 30\nend:\n  s_endpgm\n"));
    b.golden_mem = b.mem;
    for (unsigned group : {0u, 5u, 15u}) {
        std::vector<Wave *> set;
        for (unsigned n = 0; n < 4; n++) {
            WaveSetup q;
            q.simd = n, q.slot = 1 + n, q.group = group, q.group_waves = 4, q.wave_in_group = n, q.sgpr_base = n * 112, q.sgpr = {n};
            set.push_back(b.add(q));
        }
        b.golden_run(set);
        b.run(set, 20000);
        if (set[0]->issued_at[6] < set[2]->issued_at[6])
            fail("run_ended: the barrier does not wait for the wavefront that comes late");
    }
}

// v0, v1, v2 of a group of 5 x 3 x 7 items, in the registers of each wavefront.
static void run_items(Bench &b)
{
    b.mem.put(MemBase, assemble("  v_mov_b32 v3, v0\n  v_mov_b32 v4, v1\n  v_mov_b32 v5, v2\n  s_endpgm\n"));
    b.golden_mem = b.mem;
    for (unsigned wave = 0; wave < 2; wave++) {
        WaveSetup q;
        q.items = 2, q.wave_in_group = wave, q.group_waves = 1, q.size[0] = 5, q.size[1] = 3, q.size[2] = 7, q.simd = wave, q.slot = 7;
        q.exec = wave ? (1ull << 41) - 1 : ~0ull;
        Wave *w = b.add(q);
        b.golden_run({w});
        b.run({w});
    }
}

// SPDX-License-Identifier: Apache-2.0
// A loop of three far jumps whose prefetch behind the first takes thousands of cycles: its answers come when the epoch of
// the fetches has come round, in the middle of fetching another chunk that has the same place in the buffer, or while the wavefront
// waits for just these answers and has asked for nothing yet.
#pragma once
#include "tests/rtl/cu/harness.h"

static void run_late(Bench &b, bool swapped)
{
    // chunks of 8 dwords: 0 counts, 4 jumps to 13, 5 (prefetched) spoils s8, 13 jumps to 22, 22 counts down and jumps to 4; or 4 to 22, 22
    // to 13, 13 to 4: 128 jumps after the first the program is at the third
    std::string text = "  s_movk_i32 s7, 1500\n  s_mov_b32 s8, 0\n  s_branch first\n";
    unsigned at = 3;
    auto pad = [&](unsigned chunk, const char *what) {
        for (; at < chunk * 8; at++)
            text += std::string("  ") + what + "\n";
    };
    pad(4, "s_nop 0");
    text += "first:\n  s_branch second\n", at++;
    pad(5, "s_nop 0");
    pad(6, "s_addk_i32 s8, 0x1");
    for (unsigned chunk : {13u, 22u}) {
        pad(chunk, "s_nop 0");
        if ((chunk == 13) != swapped)
            text += "second:\n  s_addk_i32 s8, 0x100\n  s_branch third\n", at += 2;
        else
            text += "third:\n  s_sub_u32 s7, s7, 1\n  s_cmp_lg_u32 s7, 0\n  s_cbranch_scc1 first\n  s_endpgm\n", at += 4;
    }
    b.mem.put(MemBase, assemble(text));
    b.golden_mem = b.mem;
    b.latency = 20;
    b.jitter = 0;
    b.late_va = MemBase + 5 * 32;
    b.late_most = 12000;
    b.waves.clear();
    std::vector<Wave *> set;
    WaveSetup q;
    q.simd = 1;
    q.sgpr_base = 16;
    set.push_back(b.add(q));
    b.golden_run(set);
    b.run(set);
    b.late_most = 0;
}

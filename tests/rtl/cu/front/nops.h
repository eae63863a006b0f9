// SPDX-License-Identifier: Apache-2.0
// Turns of s_nop: the instruction behind `s_nop n` issues 4 * (n + 1) cycles after it, for every n; of a
// wavefront that is alone.  Of three on a SIMD not earlier; later when another one took the port in that turn.
#pragma once
#include "tests/rtl/cu/harness.h"

static void run_nops(Bench &b)
{
    static constexpr unsigned Waves = 3, Lead = 2;  // of s_nop 15: the code behind it arrives
    std::string text = "  s_nop 15\n  s_nop 15\n";
    for (unsigned n = 0; n < 32; n++)
        text += "  s_nop " + std::to_string(n < 16 ? 15 - n : n - 16) + "\n";
    text += "  s_sleep 0\n  s_endpgm\n";
    b.mem.put(MemBase, assemble(text));
    b.golden_mem = b.mem;
    b.latency = 8;
    b.jitter = 0;
    for (unsigned alone = 2; alone-- > 0;) {
        std::vector<Wave *> set;
        b.waves.clear();
        for (unsigned n = 0; n < (alone ? 1 : Waves); n++) {
            WaveSetup q;
            q.simd = 2;
            q.slot = n;
            q.group = n;
            q.sgpr_base = n * 112 + 16;
            set.push_back(b.add(q));
        }
        b.golden_run(set);
        b.run(set);
        for (const Wave *w : set)
            for (unsigned n = Lead; n < Lead + 32; n++) {
                uint64_t took = w->issued_at[n + 1] - w->issued_at[n], should = 4 * ((w->trace[n].first & 15) + 1);
                if (alone ? took != should : took < should)
                    fail("s_nop %u, %zu wavefronts: the next instruction issues %llu cycles later, not %llu",
                         w->trace[n].first & 15, set.size(), (unsigned long long)took, (unsigned long long)should);
            }
    }
}

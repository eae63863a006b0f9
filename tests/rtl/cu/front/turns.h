// SPDX-License-Identifier: Apache-2.0
// Vector memory takes the wavefronts of a SIMD in rounds, in which each that is ready issues once: while two of one
// priority are ready neither issues more than two accesses more than the other (the round in which one of them begins,
// and one); none of a lower priority issues before a higher one's last.
#pragma once
#include <algorithm>

#include "tests/rtl/cu/harness.h"

// Wavefronts of one SIMD issue `accesses` each behind a barrier, with s_setprio of prio; one begins `late` turns after
// its turn.  `rounds`: at least so many pairs of accesses have something to say.
static void run_turns(Bench &b, const std::vector<unsigned> &prio, unsigned accesses, unsigned late, unsigned rounds)
{
    std::vector<Wave *> set;
    b.latency = 8, b.jitter = 0;
    for (unsigned n = 0; n < prio.size(); n++) {
        std::string text =
            "  s_mov_b64 exec, 0\n  s_setprio " + std::to_string(prio[n]) + "\n  s_nop 15\n  s_barrier\n";
        text += n == 1 && late ? "  s_nop " + std::to_string(late) + "\n" : "  s_nop 0\n";
        for (unsigned k = 0; k < accesses; k++)
            text += "  flat_load_dword v2, v[0:1]\n";
        WaveSetup q;
        q.simd = 1;
        q.slot = (n * 7 + 3) % 10;
        q.group_waves = (unsigned)prio.size(), q.wave_in_group = n;
        q.sgpr_base = n * 112;
        q.pc = MemBase + 0x1000 * (n + 1);
        b.mem.put(q.pc, assemble(text + "  s_endpgm\n"));
        set.push_back(b.add(q));
    }
    b.golden_mem = b.mem;
    b.golden_run(set);
    b.run(set);
    unsigned compared = 0;
    for (unsigned n = 0; n < set.size(); n++)
        for (unsigned other = 0; other < set.size(); other++) {
            const uint64_t *mine = &set[n]->issued_at[5], *theirs = &set[other]->issued_at[5];
            const uint64_t begin = std::max(mine[0], theirs[0]),
                           end = std::min(mine[accesses - 1], theirs[accesses - 1]);
            const auto issued = [&](const uint64_t *of, uint64_t until) {
                return std::count_if(of, of + accesses, [&](uint64_t at) { return at > begin && at <= until; });
            };
            for (unsigned k = 0; k < accesses; k++)
                if (prio[n] > prio[other] && mine[0] < theirs[k] && theirs[k] < mine[accesses - 1])
                    fail("vector memory: an access of wavefront %u before the last of %u, of a higher priority", other,
                         n);
                else if (prio[n] == prio[other] && n != other && mine[k] > begin && mine[k] <= end) {
                    compared++;
                    if (issued(mine, mine[k]) > issued(theirs, mine[k]) + 2)
                        fail("vector memory: %ld accesses of wavefront %u, %ld of %u", issued(mine, mine[k]), n,
                             issued(theirs, mine[k]), other);
                }
        }
    if (compared < rounds)
        fail("vector memory: %u pairs of accesses compared", compared);
}

static void run_vmem_turns(Bench &b)
{
    run_turns(b, {0, 0, 0, 0, 0}, 12, 0, 100);
    run_turns(b, {0, 0, 0, 0, 0}, 12, 15, 100);
    run_turns(b, {0, 2, 1, 2, 1}, 12, 0, 30);
    run_turns(b, {0, 3, 0, 1}, 12, 9, 10);
    std::printf("turns of vector memory\n");
}

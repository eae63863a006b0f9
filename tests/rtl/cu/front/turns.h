// SPDX-License-Identifier: Apache-2.0
// Vector memory takes the wavefronts of a SIMD in rounds, in which each that is ready issues once, and the SIMDs in turn:
// while two of one priority are ready neither issues more than two accesses more than the other (the round in which one of
// them begins, and one); none of a lower priority issues before a higher one's last, of one SIMD.
#pragma once
#include <algorithm>

#include "tests/rtl/cu/harness.h"

// What an access is, and the instructions before it: in the front end's bench it has no lanes and takes no time, so one is
// ready seldom enough; in the whole CU it takes 16 cycles, and all wait for the unit.
struct Access {
    const char *text, *before;
    unsigned instructions; // of `before`
};
static const Access NoLanes = {"  flat_load_dword v2, v[0:1]\n", "  s_mov_b64 exec, 0\n", 1};
static const Access FourDwords = {"  flat_load_dwordx4 v[8:11], v[4:5]\n", "  v_mov_b32 v4, 0x300000\n  v_mov_b32 v5, 0\n", 2}; // of a place that nothing writes

// Wavefronts of one SIMD, or of so many in turn, issue `accesses` each behind a barrier, with s_setprio of prio; one begins
// `late` turns after its turn.  `rounds`: at least so many pairs of accesses have something to say.
static void run_turns(Bench &b, const Access &access, const std::vector<unsigned> &prio, unsigned accesses, unsigned late, unsigned rounds,
                      unsigned simds = 1)
{
    const unsigned first = access.instructions + 4;
    std::vector<Wave *> set;
    b.latency = 8, b.jitter = 0;
    for (unsigned n = 0; n < prio.size(); n++) {
        std::string text = access.before;
        text += "  s_setprio " + std::to_string(prio[n]) + "\n  s_nop 15\n  s_barrier\n";
        text += n == 1 && late ? "  s_nop " + std::to_string(late) + "\n" : "  s_nop 0\n";
        for (unsigned k = 0; k < accesses; k++)
            text += access.text;
        WaveSetup q;
        q.simd = simds == 1 ? 1 : n % simds;
        q.slot = (n * 7 + 3) % 10;
        q.group_waves = (unsigned)prio.size(), q.wave_in_group = n;
        q.sgpr_base = n * 112, q.vgpr_base = n / simds * 48;
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
            const uint64_t *mine = &set[n]->issued_at[first], *theirs = &set[other]->issued_at[first];
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
    run_turns(b, NoLanes, {0, 0, 0, 0, 0}, 12, 0, 100);
    run_turns(b, NoLanes, {0, 0, 0, 0, 0}, 12, 15, 100);
    run_turns(b, NoLanes, {0, 2, 1, 2, 1}, 12, 0, 30);
    run_turns(b, NoLanes, {0, 3, 0, 1}, 12, 9, 10);
    std::printf("turns of vector memory\n");
}

static void run_vmem_queue(Bench &b)
{
    run_turns(b, FourDwords, {0, 0, 0, 0}, 12, 0, 60);
    run_turns(b, FourDwords, {0, 0, 0, 0}, 12, 15, 60);
    run_turns(b, FourDwords, {0, 2, 1, 2}, 12, 0, 10);
    run_turns(b, FourDwords, {0, 0, 0, 0, 0, 0, 0, 0}, 12, 0, 100, 4);
}

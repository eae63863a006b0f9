// SPDX-License-Identifier: Apache-2.0
// Exact times of what a bench of the compute unit runs: as tests/system/cycles.tsv for whole programs, but of single blocks and in the
// bench's own run, so that a change of who waits for whom shows where it was made.  A new figure comes with the commit that says why.
// Not responsible for: what the times should be (published figures: tests/rtl/cu/timing, tests/rtl/cu/vmem/costs.h).
#pragma once
#include <cstdint>
#include <cstdio>

static unsigned pins_differ; // the bench fails at its end, when all new figures have been printed

static inline void pinned(const char *what, uint64_t is, uint64_t was)
{
    if (is == was)
        return;
    std::printf("pinned: %s: %llu, was %llu\n", what, (unsigned long long)is, (unsigned long long)was);
    pins_differ++;
}

// Cycles of a case, and how many of them were evaluated: the others are those of a unit at rest.
template <class Bench> static void pinned_case(Bench &b, const char *what, uint64_t cycles, uint64_t evaluated)
{
    static uint64_t cycle, seen;
    pinned(what, b.cycle - cycle, cycles);
    if (b.check_idle)
        pinned(what, b.evaluated - seen, evaluated);
    cycle = b.cycle, seen = b.evaluated;
}

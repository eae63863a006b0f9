// SPDX-License-Identifier: Apache-2.0
// State of the LDS bench: the unit, its cycle, the VGPRs of four SIMDs, what is under way; packed structs.
// Not responsible for: what moves it (lds_drive.h, lds_line.h).
#pragma once
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>

#ifndef SERIAL
#define SERIAL 0 // 1: the LDS of a lone narrow SIMD, whose cycles differ
#endif
#include "Vlds_unit.h"
#include "lds_model.h"

static std::mt19937_64 rng(1);
static Vlds_unit *dut;
static uint64_t cycle;
static uint32_t vgpr[4][256][64], want_vgpr[4][256][64];
static bool stall_writes, busy_writes;  // ports of the VGPRs: taken now and then, by vector instructions
static bool one_row;                    // no port is taken for long: a pair sends one row a cycle
static uint64_t conflicts;              // cycles in which the unit said so
static unsigned closed;                 // SIMDs whose port takes nothing
static uint64_t busy_until[4], rows_taken[4];
static int failures;

static void fail(const char *what, uint64_t a, uint64_t b)
{
    if (++failures <= 10)
        printf("cycle %llu: %s: got %llx, want %llx\n", (unsigned long long)cycle, what, (unsigned long long)a, (unsigned long long)b);
}

// ---- packed structs are written and read field by field, from the lowest bit
struct Packer {
    uint32_t words[32] = {};
    unsigned at = 0;
    void put(uint64_t v, unsigned bits)
    {
        for (unsigned i = 0; i < bits; i++, at++)
            words[at / 32] |= (uint32_t)((v >> i) & 1) << (at % 32);
    }
};
static uint64_t bits_of(const uint32_t *w, unsigned at, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(w[(at + i) / 32] >> ((at + i) % 32) & 1) << i;
    return v;
}

struct Pending {
    Ds ds;
    uint64_t issued = 0, left = 0;  // cycles
    bool executed = false, read_done = false;
};
enum { LATENCY = 48 - 9 };  // default of the parameter: from valid_i to the report
enum { PAIRS = SERIAL ? 1 : 2, SIMDS = SERIAL ? 1 : 4, SLOW = SERIAL ? 32 : 1 };
static unsigned inside[2];
static std::deque<Ds> queued[2];        // by pair: not yet issued
static std::deque<Pending> flying[2];
static uint64_t done_count, executed_count[2];

static size_t under_way(unsigned pair)
{
    return queued[pair].size() + flying[pair].size();
}

// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd: the SIMD under test, what each instruction under way must do, and a cycle with its checks.
// Not responsible for: what is issued (drive.h).
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "Vcu_simd.h"
#define GCN3_OPS_TABLE
extern "C" {
#include "isa/salu.h"
}

#ifndef LANES
#define LANES 16 // of the SIMD: rows of the ports pass in 16 / LANES parts
#endif
#ifndef OPERAND_STAGES
#define OPERAND_STAGES 0 // before the four of the SIMD
#endif
#ifndef NIGHTLY_VECTORS
#define NIGHTLY_VECTORS 100000000 // a family of host_ieee.h
#endif
static const unsigned Parts = 16 / LANES;
static const unsigned Regs = 64; // VGPRs in use
static std::mt19937_64 rng(7);
static Vcu_simd *dut;
static uint64_t cycle, lane_results, rows_seen, masks_seen;
static int failures;
static uint32_t golden[256][64], pattern[256][64];
static struct gcn3_wave wave;

static uint64_t below(uint64_t n) { return rng() % n; }
static bool chance(unsigned percent) { return below(100) < percent; }

// ---- packed structs, from the lowest bit
struct Packer {
    uint32_t words[20] = {};
    unsigned at = 0;
    void put(uint64_t v, unsigned bits)
    {
        for (unsigned n = 0; n < bits; n++, at++)
            words[at / 32] |= (uint32_t)(v >> n & 1) << at % 32;
    }
};
template <class T> static uint64_t take(const T &w, unsigned at, unsigned bits)
{
    uint64_t v = 0;
    for (unsigned n = 0; n < bits; n++)
        v |= (uint64_t)(w[(at + n) / 32] >> (at + n) % 32 & 1) << n;
    return v;
}

// ---- what an instruction under way must do
struct Expected {
    bool used;
    bool any; // whatever comes is right
    std::string name;
    uint64_t inst;
    unsigned vdst, width;
    bool has_result;
    uint64_t result;
    uint32_t data[4][64];
    uint32_t src[3][64];
    uint8_t mode;
    uint64_t exec;
};
static Expected expected[256];
static unsigned retired;
static uint64_t seen_mask; // of the last instruction with `any`

static void complain(const Expected &e, const char *what, unsigned lane, uint64_t got, uint64_t want)
{
    static std::string last;
    failures++;
    if (e.name == last)
        return;
    last = e.name;
    printf("%s %016llx mode %02x exec %016llx: %s lane %u: got %llx, want %llx (sources %08x %08x %08x)\n", e.name.c_str(),
           (unsigned long long)e.inst, e.mode, (unsigned long long)e.exec, what, lane, (unsigned long long)got,
           (unsigned long long)want, e.src[0][lane & 63], e.src[1][lane & 63], e.src[2][lane & 63]);
}

static void check_outputs()
{
    if (dut->obs_valid_o) {
        unsigned tag = take(dut->obs_o, 538, 8), row = take(dut->obs_o, 528, 10), lanes = take(dut->obs_o, 512, 16);
        const Expected &e = expected[tag];
        unsigned reg = (row >> 2) - e.vdst, base = (row & 3) * 16;
        rows_seen += e.used;
        if (!e.used)
            ; // a memory unit's write
        else if (e.any)
            ;
        else if (reg >= e.width)
            complain(e, "register", row >> 2, row >> 2, e.vdst);
        else
            for (unsigned l = 0; l < 16; l++)
                if (lanes >> l & 1) {
                    lane_results++;
                    if (dut->obs_o[l] != e.data[reg][base + l])
                        complain(e, "result", base + l, dut->obs_o[l], e.data[reg][base + l]);
                }
    }
    if (dut->done_valid_o) {
        Expected &e = expected[take(dut->done_o, 65, 8)];
        if (!e.used)
            complain(e, "unexpected done", 0, 0, 0);
        if ((bool)take(dut->done_o, 64, 1) != e.has_result)
            complain(e, "has_result", 0, !e.has_result, e.has_result);
        else if (e.has_result) {
            masks_seen++;
            uint64_t got = take(dut->done_o, 0, 64);
            if (e.any)
                seen_mask = got;
            else if (got != e.result)
                complain(e, "mask", got != e.result ? __builtin_ctzll(got ^ e.result) : 0, got, e.result);
        }
        e.used = false;
        retired++;
    }
}

static void tick()
{
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    dut->eval();
    cycle++;
    check_outputs();
}

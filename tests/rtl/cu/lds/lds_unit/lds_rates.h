// SPDX-License-Identifier: Apache-2.0
// Clocks of an instruction in a stream of equal ones (docs/reference/lds.md).
#pragma once
#include <cstdlib>

#include "lds_drive.h"

// `count` equal instructions, lane l at byte stride*l, of wavefront `first` and others in turn: flips 16: of the other SIMD
// of the pair, 48: of all SIMDs.
static void stream(unsigned op, unsigned stride, unsigned count, unsigned first, unsigned flips)
{
    Ds ds = {};
    for (unsigned i = 0; i < ds_row_count; i++)
        if (ds_rows[i].op == op)
            ds.row = &ds_rows[i];
    ds.op = op, ds.addr = 0, ds.data0 = 4, ds.data1 = 8, ds.dst = 16, ds.bytes = 65536, ds.m0 = ~0u, ds.exec = ~0ull, ds.results = ds.row->dst;
    if (ds.row->two)
        ds.offset1 = 1;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][0][l] = want_vgpr[s][0][l] = l * stride % 65536;
    for (unsigned i = 0; i < count; i++) {
        unsigned pairs = flips >> 5;
        ds.wave = first ^ (pairs & i) << 5 ^ (i >> pairs & flips >> 4 & 1) << 4, ds.tag = i & 255;
        issue(ds);
    }
}

// Clocks of one instruction in a stream of equal ones, of one pair or of both.
static double cost(unsigned op, unsigned stride, unsigned count, unsigned pairs)
{
    drain();
    uint64_t begin = cycle, first = executed_count[0];
    stream(op, stride, count, 0, pairs == 2 ? 48 : 16);
    if (pairs == 2) {
        while (executed_count[0] - first < count / 4)
            tick();
        if (std::llabs((long long)(under_way(0) - under_way(1))) > 4)
            fail("one pair goes first: under way", under_way(0), under_way(1));
    }
    drain();
    return (double)(cycle - begin) / count;
}

// Clocks of an instruction, of a pair alone and with both pairs busy (CU); stride 0: all lanes one address.
struct Rate {
    const char *name;
    unsigned op, stride;
    double alone, both;
};
static const Rate rates[] = {
    {"ds_read_b32", 54, 4, 4, 2},       {"ds_read_b32 stride 8", 54, 8, 4, 4},        {"ds_read_b32 same address", 54, 0, 4, 2},
    {"ds_read_b32 stride 128", 54, 128, 64, 64}, {"ds_read_b32 stride 32", 54, 32, 16, 16}, {"ds_read_u8", 58, 4, 4, 2},
    {"ds_read_b64", 118, 8, 8, 4},      {"ds_read2_b32", 55, 4, 8, 4},                {"ds_read_b96", 254, 16, 16, 8},
    {"ds_read_b128", 255, 16, 16, 8},   {"ds_read2_b64", 119, 8, 16, 8},             {"ds_write_b32", 13, 4, 8, 4},
    {"ds_write_b8", 30, 4, 8, 4},       {"ds_write2_b32", 14, 4, 12, 6},              {"ds_write_b64", 77, 8, 12, 8},
    {"ds_write_b96", 222, 16, 16, 10},  {"ds_write_b128", 223, 16, 20, 10},           {"ds_write2_b64", 78, 8, 20, 10},
    {"ds_add_u32", 0, 4, 8, 4},         {"ds_add_rtn_u32", 32, 4, 8, 4},              {"ds_cmpst_rtn_b32", 48, 4, 12, 6},
    {"ds_add_u64", 64, 8, 12, 6},       {"ds_add_rtn_u64", 96, 8, 12, 6},             {"ds_cmpst_rtn_b64", 112, 8, 20, 10},
    {"ds_swizzle_b32", 61, 4, 4, 2},    {"ds_bpermute_b32", 63, 4, 8, 4},             {"ds_permute_b32", 62, 4, 8, 4},
};

// Passes beyond the first of each group of 32 words are told, one a cycle.
static void check_conflicts()
{
    static const struct {
        unsigned op, stride, conflicts;
    } cases[] = {{54, 4, 0}, {54, 0, 0}, {54, 8, 2}, {54, 128, 62}, {13, 64, 30}, {0, 0, 62}, {118, 8, 0}, {118, 64, 28}, {61, 4, 0}};
    for (auto &c : cases) {
        drain();
        uint64_t before = conflicts;
        stream(c.op, c.stride, 10, 0, 16);
        drain();
        if (conflicts - before != 10 * c.conflicts)
            fail("conflicts of ten instructions", conflicts - before, 10 * c.conflicts);
    }
}

// Cycles of one instruction that is alone, until its last row is written.
static uint64_t alone(unsigned op, unsigned stride)
{
    drain();
    for (int i = 0; i < 40; i++)
        tick();
    stream(op, stride, 1, 0, 0);
    uint64_t begin = cycle;
    while (!queued[0].empty() || inside[0])
        tick();
    return cycle - begin;
}

// A conflict costs an instruction that is alone its passes at most: rows leave while later groups are served.
static void check_alone()
{
    static const struct {
        unsigned op, stride, passes;
    } cases[] = {{54, 8, 2}, {54, 128, 62}, {118, 64, 28}, {32, 128, 62}};
    for (auto &c : cases) {
        uint64_t more = alone(c.op, c.stride) - alone(c.op, c.op == 118 ? 8 : 4);
        if (more > c.passes)
            fail("cycles more of a lone instruction with conflicts", more, c.passes);
    }
}

static void check_rate(const Rate &r, unsigned pairs, double slack)
{
    double got = cost(r.op, r.stride, 400, pairs), want = pairs == 1 ? r.alone : r.both;
    printf("%-26s %-9s %6.2f clocks, want %.0f\n", r.name, pairs == 1 ? "one pair" : "both", got, want);
    if (got < want - 0.01 || got > want * slack + 0.15)  // the start and end of a stream count too
        fail(r.name, (uint64_t)(got * 100), (uint64_t)(want * 100));
}

static void check_rates()
{
    // a quarter of the ports' cycles taken by others: the rates of free ports, since rows wait for their own SIMD only
    static const Rate busy[] = {{"ds_read_b32 busy ports", 54, 4, 4, 2},
                                {"ds_read2_b32 busy ports", 55, 4, 8, 4},
                                {"ds_read_b128 busy ports", 255, 16, 16, 8}};
    busy_writes = true;
    for (const Rate &r : busy)
        for (unsigned pairs = 1; pairs <= 2; pairs++)
            check_rate(r, pairs, 1.05);
    busy_writes = false;
    drain();
    one_row = true;
    for (const Rate &r : rates)
        for (unsigned pairs = 1; pairs <= 2; pairs++)
            check_rate(r, pairs, 1.02);
    check_conflicts();
    check_alone();
    one_row = false;
}

// One lane after another: a word a cycle; atomics of 32 and 64 bits, without and with a second operand.  Beside that
// the first word's way and the last row's to the VGPRs.
static void check_serial_rates()
{
    static const struct {
        const char *name;
        unsigned op, stride, words, more;
    } serial[] = {
        {"ds_read_b32", 54, 4, 64, 10},         {"ds_read_b32 stride 128", 54, 128, 64, 10}, {"ds_read_u8", 58, 4, 64, 10},
        {"ds_read2_b64", 119, 8, 256, 10},      {"ds_read_b96", 254, 16, 192, 10},           {"ds_write_b32", 13, 4, 64, 8},
        {"ds_write2_b32", 14, 4, 128, 8},      {"ds_write_b128", 223, 16, 256, 8},         {"ds_add_u32", 0, 4, 64 * 7, 6},
        {"ds_add_rtn_u64", 96, 8, 64 * 8 + 12, 10}, {"ds_cmpst_rtn_b32", 48, 4, 64 * 8, 6},  {"ds_cmpst_rtn_b64", 112, 8, 64 * 10 + 12, 10},
        {"ds_swizzle_b32", 61, 4, 64, 10},      {"ds_bpermute_b32", 63, 4, 64, 10},          {"ds_permute_b32", 62, 4, 256, 10},
    };
    for (auto &r : serial) {
        drain();
        uint64_t begin = cycle;
        stream(r.op, r.stride, 100, 0, 0);
        drain();
        double got = (cycle - begin) / 100.0;
        printf("%-26s %7.2f clocks, want %u\n", r.name, got, r.words + r.more);
        if (got < r.words + r.more || got > r.words + r.more + 1.5)
            fail(r.name, (uint64_t)(got * 100), (r.words + r.more) * 100);
    }
}

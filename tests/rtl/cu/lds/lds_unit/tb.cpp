// SPDX-License-Identifier: Apache-2.0
// Bench of lds_unit: random DS instructions of both pairs of SIMDs against a C++ model that executes them in the order
// that the unit reports, lanes one after another (lds_model.h); VGPRs of four SIMDs are in lds_bench.h.  Checks every result row, memory
// through later loads, order of completion, its cycle (when the instruction left, but not before the shortest latency), clocks of one pair alone and of both at once (docs/reference/lds.md) with
// lines of FLAT instructions between them, which overtake nothing that is inside,
// conflict-free, strided and same-address accesses, rows that go on while a port is busy, bounds, idleness (C.3).  The argument
// `speed` prints ns a cycle instead.
// top: lds_unit
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd2
// mutant: -GSeedFault=4'd3
// mutant: -GSeedFault=4'd4
// mutant: -GSeedFault=4'd5
// mutant: -GSeedFault=4'd6
// mutant: -GSeedFault=4'd7
// mutant: -GSeedFault=4'd8
// mutant: -GSeedFault=4'd9
// mutant: -GSeedFault=4'd10
// mutate: mem[{raddr_i[b][Aw-1:0], b[4:0]}] => mem[{row[Aw-1:0], b[4:0]}]
// mutate: re_o <= re; => if (re != '0) re_o <= re;
// mutate: op[p].data1 + 8'(row_word[p]) - 8'(op[p].ctl.regs0) => op[p].data1 + 8'(row_word[p])
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "tests/rtl/case_done.h"
#include "lds_rates.h"

static uint32_t operand_value()
{
    static const uint32_t corners[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x00000001,
                                       0x80000001, 0x007fffff, 0x7f7fffff};
    switch (rng() % 5) {
    case 0:
        return corners[rng() % (sizeof corners / sizeof *corners)];
    case 1:
        return rng() % 16;
    case 2:  // floats near one, of few bits: sums that cancel, carry, tie
        return (uint32_t)(rng() % 2 << 31 | (120 + rng() % 16) << 23 | rng() % 8 << rng() % 21);
    default:
        return rng();
    }
}

// Registers of an instruction are written only while no other uses them: the last four of a pair differ in theirs.
static Ds random_ds(unsigned pair, unsigned serial)
{
    Ds ds;
    ds.row = &ds_rows[rng() % ds_row_count];
    ds.op = ds.row->op;
    ds.wave = pair << 5 | (SERIAL ? 0 : rng() % 2 << 4) | rng() % 2;
    ds.tag = serial & 255;
    unsigned base = (ds.wave & 1) * 128 + serial % 4 * 32, simd = ds.wave >> 4;
    ds.addr = base, ds.data0 = base + 4, ds.data1 = base + 8, ds.dst = base + 16;
    if (rng() % 4 == 0)
        ds.dst = base;  // over its own operands
    ds.results = ds.row->dst;
    ds.offset0 = rng() % (rng() % 4 ? 16 : 256);
    ds.offset1 = rng() % 4 ? (ds.row->two ? rng() % 16 : 0) : rng() % 256;
    ds.exec = rng() % 4 ? rng() | rng() : rng() % 3 ? ~0ull : rng() % 2 ? 0 : 1ull << rng() % 64;
    ds.base = 512 * (serial % 2);
    ds.bytes = ds.base ? 4096 : 512;
    ds.m0 = rng() % 4 ? 0xffffffff : rng() % 600;
    unsigned kind = rng() % 5, stride = 1u << rng() % 8, shift = rng() % 64 * 4;
    for (unsigned l = 0; l < 64; l++) {
        uint32_t a = kind == 0 ? l * ds.row->bytes : kind == 1 ? l * stride + shift : kind == 2 ? shift : kind == 3 ? rng() % 128 : rng() % ds.bytes;
        if (rng() % 50 == 0)
            a = operand_value();
        if (ds.row->kind == 'x')
            a = operand_value();
        vgpr[simd][ds.addr][l] = want_vgpr[simd][ds.addr][l] = a;
        for (unsigned k = 0; k < 8; k++)
            vgpr[simd][ds.data0 + k][l] = want_vgpr[simd][ds.data0 + k][l] = operand_value();
        for (unsigned k = 0; k < 4; k++)
            vgpr[simd][base + 16 + k][l] = want_vgpr[simd][base + 16 + k][l] = 0xdead0000 + l;
    }
    return ds;
}

// One SIMD's port takes nothing: as long as its rows have room, those of the other SIMD of the pair flow, and the pair
// completes in order as soon as the port takes rows.
static void check_closed_port()
{
    for (unsigned s = 0; s < 4; s++) {
        drain();
        closed = 1u << s;
        uint64_t taken = rows_taken[s ^ 1];
        stream(54, 4, 8, s >> 1 << 5 | (s & 1) << 4, 16);  // ds_read_b32: 16 rows for each SIMD, all that waits
        for (int i = 0; i < 60; i++)
            tick();
        if (rows_taken[s ^ 1] - taken != 16)
            fail("closed port: rows of the other SIMD", rows_taken[s ^ 1] - taken, 16);
        if (under_way(s >> 1) != 8)
            fail("closed port: under way", under_way(s >> 1), 8);
        closed = 0, taken = rows_taken[s];
        for (int i = 0; i < 18; i++)
            tick();
        if (rows_taken[s] - taken != 16)
            fail("opened port: rows in 18 cycles", rows_taken[s] - taken, 16);
    }
    drain();
}

// Lines that come while the unit rests wake it.
static void check_lines()
{
    for (int i = 0; i < 2000; i++) {
        if (rng() % 4 == 0)
            for (int k = 0; k < 24; k++)
                tick();
        line_mode = true;
        for (int k = 0; k < 200 && lines.empty(); k++)
            tick();
        line_mode = false;
        for (int k = 0; k < 20 + 10 * SERIAL && !lines.empty(); k++)
            tick();
        if (!lines.empty())
            fail("a lone line takes long", 20 + 10 * SERIAL, 5), exit(1);
    }
    drain();
}

// Contents that the model knows, line after line.
static void fill_memory()
{
    for (unsigned at = 0; at < 65536; at += 64) {
        Line q = {};
        q.store = true, q.lanes = 1, q.mask = ~0ull, q.addr = at;
        for (auto &b : q.data)
            b = rng();
        send_line(q);
        for (int i = 0; i < 100 && !lines.empty(); i++)
            tick();
    }
}

// Reset at any time: nothing of what was inside comes out, and what comes then is served as ever.
static void check_reset(unsigned *serial)
{
    for (unsigned n = 0; n < (SERIAL ? 12 : 30); n++) {
        stall_writes = n % 2, line_mode = n % 3;
        for (unsigned k = 0; k < 12; k++) {
            unsigned pair = k % PAIRS;
            wait(pair, 3);
            issue(random_ds(pair, serial[pair]++));
        }
        for (unsigned i = rng() % (n % 4 ? 30 * SLOW : 120 * SLOW); i > 0; i--)
            tick();
        dut->rst_ni = 0, dut->valid_i = 0, dut->line_valid_i = 0;
        for (int i = 0; i < 4; i++)
            dut->clk_i = i & 1, dut->eval();
        dut->rst_ni = 1;
        for (unsigned pair = 0; pair < 2; pair++)
            queued[pair].clear(), flying[pair].clear(), inside[pair] = 0;
        lines.clear(), stall_writes = line_mode = false;
        memcpy(want_vgpr, vgpr, sizeof vgpr);  // with the rows that had left
        for (int i = 0; i < 100; i++)
            tick();
        if (!dut->idle_o)
            fail("not idle after a reset", n, 0);
        fill_memory();
        for (unsigned k = 0; k < 24; k++) {
            unsigned pair = k % PAIRS;
            wait(pair, 3);
            issue(random_ds(pair, serial[pair]++));
        }
        drain();
    }
}

static double cpu_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double ns_per_cycle(bool busy, unsigned op)
{
    if (!busy) {
        double t0 = cpu_ns();
        for (int i = 0; i < 2000000; i++)
            dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
        return (cpu_ns() - t0) / 2000000;
    }
    uint64_t begin = cycle;
    double t0 = cpu_ns();
    cost(op, 4, 20000, 2);
    return (cpu_ns() - t0) / (cycle - begin);
}

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vlds_unit;
    dut->rst_ni = 0, dut->obs_en_i = 1;
    for (int i = 0; i < 4; i++) // nothing of it is looked at
        dut->clk_i = i & 1, dut->eval();
    dut->rst_ni = 1;
    tick();
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        printf("ns a cycle: idle %.1f, read_b32 %.1f, write_b32 %.1f, add_u32 %.1f, read_b128 %.1f (bench included)\n", ns_per_cycle(false, 0),
               ns_per_cycle(true, 54), ns_per_cycle(true, 13), ns_per_cycle(true, 0), ns_per_cycle(true, 255));
        return 0;
    }
    // known contents first
    for (unsigned block = 0; block < 256; block++) {
        Ds ds = {};
        ds.row = &ds_rows[0];
        for (unsigned i = 0; i < ds_row_count; i++)
            if (ds_rows[i].op == 13)
                ds.row = &ds_rows[i];
        ds.op = 13, ds.addr = 0, ds.data0 = 1, ds.bytes = 65536, ds.m0 = ~0u, ds.exec = ~0ull, ds.tag = block & 255;
        for (unsigned l = 0; l < 64; l++) {
            vgpr[0][0][l] = want_vgpr[0][0][l] = block * 256 + l * 4;
            vgpr[0][1][l] = want_vgpr[0][1][l] = operand_value();
        }
        issue(ds);
        drain();
    }
    unsigned serial[2] = {};
    for (unsigned n = 0; n < 20000 && !failures; n++) {
        unsigned pair = rng() % PAIRS;
        stall_writes = n / 64 % 2;
        line_mode = n / 32 % 4 != 0;
        if (n % 16 == 0)
            busy_until[rng() % SIMDS] = cycle + rng() % 200;
        if (n % 256 == 0)
            drain();
        wait(pair, n / 128 % 2 ? 1 : 3);
        issue(random_ds(pair, serial[pair]++));
        for (unsigned i = rng() % 8; i > 0; i--)
            tick();
    }
    stall_writes = line_mode = false;
    drain();
    check_lines();
    case_done("random instructions", "C.3");
    check_reset(serial);
    case_done("reset");
    printf("%llu instructions, %llu lines in %llu cycles\n", (unsigned long long)done_count, (unsigned long long)line_count,
           (unsigned long long)cycle);
    if (!failures)
        SERIAL ? check_serial_rates() : (check_closed_port(), check_rates());
    case_done("rates");
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}

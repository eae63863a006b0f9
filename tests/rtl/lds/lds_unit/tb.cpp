// SPDX-License-Identifier: Apache-2.0
// Bench of lds_unit: random DS instructions of both pairs of SIMDs against a C++ model that executes them in the order
// that the unit reports, lanes one after another; VGPRs of four SIMDs are modelled here.  Checks every result row, memory
// through later loads, order of completion, its cycle (when the instruction left, but not before the shortest latency), clocks of one pair alone and of both at once (docs/reference/lds.md) with
// lines of FLAT instructions between them, which overtake nothing that is inside,
// conflict-free, strided and same-address accesses, rows that go on while a port is busy, bounds, idleness (C.3).  The argument
// `speed` prints ns a cycle instead.
// top: lds_unit
// sources: build/gen/gcn3_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/common/pick_pkg.sv rtl/common/latency_floor.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/tech/ram_1r1w.sv rtl/tech/ram_banked.sv rtl/lds/lds_collect.sv rtl/lds/lds_step_pkg.sv rtl/lds/lds_serial.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv
// args: -Wno-UNUSEDPARAM
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
// mutate: rtl/tech/ram_banked.sv: mem[{raddr_i[b][Aw-1:0], b[4:0]}] => mem[{row[Aw-1:0], b[4:0]}]
// mutate: rtl/lds/lds_collect.sv: op[p].data1 + 8'(row_word[p]) - 8'(op[p].ctl.regs0) => op[p].data1 + 8'(row_word[p])
#include <ctime>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// A line of the vector memory unit.
struct Line {
    unsigned wave, tag, id, op, addr;
    bool store, atomic, wide;
    uint64_t lanes, mask;
    uint8_t data[64], want[64];
    uint64_t issued;
    bool executed = false;
    std::deque<unsigned> before;  // tags of the wavefront's instructions that were inside
};
static std::deque<Line> lines;  // one at most
static bool line_mode;
static uint64_t line_count;

static size_t under_way(unsigned pair)
{
    return queued[pair].size() + flying[pair].size();
}

// A line takes effect.
static void observe_line(unsigned wave, unsigned tag, uint64_t lanes)
{
    static const char *const names[] = {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"};
    if (lines.empty() || lines[0].executed)
        return fail("effect without line", tag, 0);
    Line &q = lines[0];
    if (q.wave != wave || q.tag != tag || q.lanes != lanes)
        fail("effect of another line", tag, q.tag);
    for (auto &p : flying[wave >> 5])
        for (unsigned t : q.before)
            if (p.ds.wave == wave && p.ds.tag == t && !p.executed)
                fail("a line overtakes an instruction", tag, t);
    q.executed = true;
    uint8_t *at = lds_memory + q.addr;
    memcpy(q.want, lds_memory + (q.addr & ~63u), 64);
    if (q.store) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                at[i] = q.data[i];
    } else if (q.atomic) {
        uint64_t a, b, old = 0, now;
        unsigned bytes = q.wide ? 8 : 4;
        memcpy(&a, q.data, 8), memcpy(&b, q.data + 8, 8), memcpy(&old, at, bytes);
        bool swaps = !strcmp(names[q.op], "cmpswap");  // as DS: the first operand is compared
        now = q.wide ? atomic_value<uint64_t, int64_t, double>(names[q.op], old, swaps ? b : a, swaps ? a : b)
                     : atomic_value<uint32_t, int32_t, float>(names[q.op], old, swaps ? b : a, swaps ? a : b);
        memcpy(at, &now, bytes);
        memcpy(q.want, &old, 8);
    }
}

static void line_answer(const uint32_t *w)
{
    if (lines.empty() || !lines[0].executed)
        return fail("answer without line", bits_of(w, 512, 8), 0);
    const Line &q = lines[0];
    if (bits_of(w, 512, 8) != q.id)
        fail("answer of line", bits_of(w, 512, 8), q.id);
    for (unsigned i = 0; !q.store && i < (q.atomic ? 8u : 64u); i++)
        if ((uint8_t)(w[i / 4] >> 8 * (i % 4)) != q.want[i])
            fail(q.atomic ? "old value of a line's atomic" : "line read", w[i / 4] >> 8 * (i % 4) & 255, q.want[i]);
    lines.clear();
    line_count++;
}

// One line at a time, of a wavefront that has instructions inside or not.
static void drive_line()
{
    dut->line_valid_i = 0;
    if (!line_mode || !lines.empty() || rng() % 8)
        return;
    Line q = {};
    unsigned kind = rng() % 3;
    q.wave = rng() % SIMDS << 4 | rng() % 2, q.tag = rng() & 255, q.id = rng() & 255, q.store = kind == 0, q.atomic = kind == 1;
    q.wide = rng() % 2, q.op = rng() % 13, q.lanes = q.atomic ? 1ull << rng() % 64 : rng() | 1, q.mask = q.store ? rng() | rng() : 0;
    q.addr = rng() % (rng() % 4 ? 16 : 1024) * 64 + (q.atomic ? (q.wide ? rng() % 8 * 8 : rng() % 16 * 4) : 0);
    for (auto &b : q.data)
        b = rng() % 4 ? rng() : 0;
    for (auto &p : flying[q.wave >> 5])
        if (!p.executed && p.ds.wave == q.wave)
            q.before.push_back(p.ds.tag);
    q.issued = cycle;
    Packer p;
    for (unsigned i = 0; i < 64; i++)
        p.put(q.data[i], 8);
    p.put(q.mask, 64), p.put(q.addr, 17), p.put(q.lanes, 64), p.put(0, 3), p.put(q.wide, 1), p.put(q.op, 4), p.put(q.atomic, 1);
    p.put(q.store, 1), p.put(q.id, 8), p.put(q.tag, 8), p.put(q.wave, 6);
    memcpy(dut->line_i[0].data(), p.words, sizeof dut->line_i[0]);
    dut->line_valid_i = 1;
    lines.push_back(q);
}

// The unit says: this instruction takes effect now.
static void observe(unsigned wave, unsigned tag, uint64_t lanes)
{
    unsigned pair = wave >> 5;
    if (lanes)
        return observe_line(wave, tag, lanes);
    for (auto &p : flying[pair])
        if (!p.executed) {
            if (p.ds.tag != tag || p.ds.wave != wave)
                fail("order within a pair: tag", tag, p.ds.tag);
            p.executed = true;
            executed_count[pair]++;
            lds_execute(p.ds, vgpr[p.ds.wave >> 4], want_vgpr[p.ds.wave >> 4]);
            return;
        }
    fail("effect without instruction", tag, 0);
}

static void operands_read(unsigned pair, unsigned tag)
{
    for (auto &p : flying[pair])
        if (!p.read_done) {
            p.read_done = true;
            if (tag != p.ds.tag)
                fail("operands read of tag", tag, p.ds.tag);
            return;
        }
    fail("operands read without instruction", tag, 0);
}

static void complete(unsigned pair, unsigned done)
{
    unsigned tag = done & 255, wave = done >> 8 & 63;
    if (flying[pair].empty())
        return fail("completion without instruction", tag, 0);
    const Pending &p = flying[pair].front();
    const Ds &ds = p.ds;
    if (tag != ds.tag || wave != ds.wave)
        fail("completion of tag", tag, ds.tag);
    if (!p.read_done || !p.executed)
        fail("completion before operands were read or before its effect", tag, 0);
    // as soon as it has left, but not before the shortest latency
    uint64_t due = p.left > p.issued + LATENCY ? p.left : p.issued + LATENCY;
    if (!p.left || cycle != due)
        fail("cycle of completion", cycle, due);
    flying[pair].pop_front();
    done_count++;
}

// Its results are written; those of a younger one may follow before it is reported as complete.
static void left(unsigned pair)
{
    auto p = flying[pair].begin();
    while (p != flying[pair].end() && p->left)
        ++p;
    if (p == flying[pair].end())
        return fail("left without instruction", pair, 0);
    p->left = cycle;
    inside[pair]--;
    const Ds &ds = p->ds;
    for (unsigned k = 0; k < ds.results; k++)
        for (unsigned l = 0; l < 64; l++)
            if (vgpr[ds.wave >> 4][ds.dst + k][l] != want_vgpr[ds.wave >> 4][ds.dst + k][l]) {
                if (failures < 10)
                    printf("op %u %s lane %u word %u wave %x addr %u dst %u exec %llx m0 %x base %x bytes %x offsets %x %x\n", ds.op, ds.row->name,
                           l, k, ds.wave, ds.addr, ds.dst, (unsigned long long)ds.exec, ds.m0, ds.base, ds.bytes, ds.offset0, ds.offset1);
                fail("result", vgpr[ds.wave >> 4][ds.dst + k][l], want_vgpr[ds.wave >> 4][ds.dst + k][l]);
            }
}

// As the front end: one record a cycle, at most eight of a pair inside.
static void drive()
{
    static unsigned turn;
    dut->valid_i = 0;
    for (unsigned k = 0; k < PAIRS && !dut->valid_i; k++) {
        unsigned pair = SERIAL ? 0 : turn ^= 1;
        if (queued[pair].empty() || inside[pair] == 8)
            continue;
        const Ds &ds = queued[pair].front();
        Packer p;
        p.put(ds.bytes, 17), p.put(ds.base, 17), p.put(ds.exec, 64), p.put(ds.m0, 32), p.put(ds.offset1, 8), p.put(ds.offset0, 8);
        p.put(ds.dst, 8), p.put(ds.data1, 8), p.put(ds.data0, 8), p.put(ds.addr, 8), p.put(ds.op, 8), p.put(ds.tag, 8), p.put(ds.wave, 6);
        memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
        dut->valid_i = 1;
        flying[pair].push_back({ds, cycle});
        inside[pair]++;
        queued[pair].pop_front();
    }
}

static void tick()
{
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    // what SIMDs and front end see in this cycle, before the edge
    unsigned reads = dut->vrd_valid_o, request[2] = {dut->vrd_o[0], dut->vrd_o[1]};
    const uint32_t *ports[4] = {dut->vwr0_o.data(), dut->vwr1_o.data(), dut->vwr2_o.data(), dut->vwr3_o.data()};
    for (unsigned s = 0; s < 4; s++)
        if (dut->vwr_valid_o >> s & dut->vwr_ready_i[s] & 1) {
            const uint32_t *w = ports[s];
            unsigned lanes = bits_of(w, 512, 16), row = bits_of(w, 528, 10);
            if (bits_of(w, 550, 2) != s)
                fail("row of another SIMD", bits_of(w, 550, 2), s);
            rows_taken[s]++;
            for (unsigned l = 0; l < 16; l++)
                if (lanes >> l & 1)
                    vgpr[s][row >> 2][(row & 3) * 16 + l] = w[l];
        }
    dut->eval();
    cycle++;
    for (unsigned s = 0; s < 4; s++) {
        if (busy_writes && cycle % 4 == s && rng() % 4 == 0)  // one instruction of four beats of the vector ALU
            busy_until[s] = cycle + 4;
        dut->vwr_ready_i[s] = !(stall_writes && rng() % 3 == 0) && cycle >= busy_until[s] && !(closed >> s & 1);
    }
    for (unsigned pair = 0; pair < 2; pair++) {
        unsigned simd = request[pair] >> 10 & 3, row = request[pair] & 1023;
        if (reads >> 2 * pair & 3 && (reads >> 2 * pair & 3) != 1u << (simd & 1))
            fail("read of another SIMD", reads, simd);
        if (reads >> 2 * pair & 3)
            for (unsigned l = 0; l < 16; l++)
                dut->vrd_data_i[simd][l] = vgpr[simd][row >> 2][(row & 3) * 16 + l];
        if (dut->opread_valid_o >> pair & 1)
            operands_read(pair, dut->opread_o[pair] & 255);
    }
    drive();
    for (unsigned pair = 0; SERIAL && pair < PAIRS; pair++)
        if (dut->left_o >> pair & 1)
            left(pair); // the next instruction starts in this cycle
    if (dut->obs_valid_o)
        observe(dut->obs_o[0] >> 8 & 63, dut->obs_o[0] & 255, bits_of(dut->obs_o.data(), 14, 64));
    if (dut->line_rsp_valid_o)
        line_answer(dut->line_rsp_o[0].data());
    if (!lines.empty() && cycle - lines[0].issued > 2000 * SLOW)
        fail("line never answered", cycle - lines[0].issued, 0), exit(1);
    drive_line();
    for (unsigned pair = 0; pair < 2; pair++) {
        if (!SERIAL && dut->left_o >> pair & 1)
            left(pair);
        if (dut->done_valid_o >> pair & 1)
            complete(pair, dut->done_o[pair]);
    }
}

static void issue(const Ds &ds)
{
    queued[ds.wave >> 5].push_back(ds);
}

// Until at most `most` instructions of a pair are under way.
static void wait(unsigned pair, size_t most)
{
    uint64_t last = cycle, done = done_count;
    while (under_way(pair) > most) {
        tick();
        if (done != done_count)
            last = cycle, done = done_count;
        if (cycle - last > 3000 * (SERIAL ? 2 : 1))
            fail("never done", under_way(pair), most), exit(1);
    }
}

static void drain()
{
    wait(0, 0), wait(1, 0);
    for (int i = 0; i < 100 && !lines.empty() && !line_mode; i++)
        tick();
    for (int i = 0; i < 4; i++)
        tick();
    if (!dut->idle_o && !line_mode)
        fail("not idle after the last completion", 0, 1);
}

static uint32_t operand_value()
{
    static const uint32_t corners[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x00000001,
                                       0x80000001, 0x007fffff, 0x7f7fffff};
    switch (rng() % 4) {
    case 0:
        return corners[rng() % (sizeof corners / sizeof *corners)];
    case 1:
        return rng() % 16;
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
    {"ds_swizzle_b32", 61, 4, 4, 2},    {"ds_bpermute_b32", 63, 4, 8, 4},
};

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
    for (const Rate &r : rates)
        for (unsigned pairs = 1; pairs <= 2; pairs++)
            check_rate(r, pairs, 1.02);
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
    dut = new Vlds_unit;
    dut->rst_ni = 0, dut->obs_en_i = 1;
    tick(), tick();
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
    printf("%llu instructions, %llu lines in %llu cycles\n", (unsigned long long)done_count, (unsigned long long)line_count,
           (unsigned long long)cycle);
    if (!failures)
        SERIAL ? check_serial_rates() : (check_closed_port(), check_rates());
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}

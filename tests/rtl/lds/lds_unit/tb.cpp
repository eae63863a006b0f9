// SPDX-License-Identifier: Apache-2.0
// Bench of lds_unit: random DS instructions from several wavefronts against a C++ model that executes lanes one after
// another; VGPRs of four SIMDs are modelled here.  Checks every result row, memory through later loads, order of
// completion, cycle costs of conflict-free, strided and same-address accesses, bounds, idleness.  The argument
// `speed` prints ns a cycle instead.
// top: lds_unit
// sources: build/gen/gcn3_pkg.sv rtl/cu/cu_pkg.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/tech/ram_banked.sv rtl/lds/lds_collect.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv
// args: -Wno-UNUSEDPARAM
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd2
// mutant: -GSeedFault=4'd3
#include <ctime>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>

#include "Vlds_unit.h"
#include "lds_model.h"

static std::mt19937_64 rng(1);
static Vlds_unit *dut;
static uint64_t cycle;
static uint32_t vgpr[4][256][64], want_vgpr[4][256][64];
static bool stall_writes;
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
    uint64_t issued;
    bool read_done = false;
};
static std::deque<Pending> flying;
static uint64_t last_latency, done_count;
static bool vrd_valid;
static unsigned vrd_simd, vrd_row;

static void tick()
{
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    // what the SIMDs see in this cycle, before the edge
    bool read = dut->vrd_valid_o;
    unsigned row = dut->vrd_o & 1023, simd = dut->vrd_o >> 10 & 3;
    bool wrote = dut->vwr_valid_o && dut->vwr_ready_i;
    if (wrote) {
        const uint32_t *w = dut->vwr_o.data();
        unsigned lanes = bits_of(w, 512, 16), vrow = bits_of(w, 528, 10), s = bits_of(w, 550, 2);
        for (unsigned l = 0; l < 16; l++)
            if (lanes >> l & 1)
                vgpr[s][vrow >> 2][(vrow & 3) * 16 + l] = w[l];
    }
    dut->eval();
    cycle++;
    dut->valid_i = 0;
    dut->vwr_ready_i = stall_writes ? rng() % 3 != 0 : 1;
    if (read)
        for (unsigned l = 0; l < 16; l++)
            dut->vrd_data_i[simd][l] = vgpr[simd][row >> 2][(row & 3) * 16 + l];
    if (dut->opread_valid_o) {
        for (auto &p : flying)
            if (!p.read_done) {
                p.read_done = true;
                if ((dut->opread_o & 255) != p.ds.tag)
                    fail("operands read of tag", dut->opread_o & 255, p.ds.tag);
                break;
            }
    }
    if (dut->done_valid_o) {
        const uint32_t *w = dut->done_o.data();
        uint64_t tag = bits_of(w, 74, 8), wave = bits_of(w, 82, 6);
        if (flying.empty())
            return fail("completion without instruction", tag, 0);
        Ds &ds = flying.front().ds;
        if (tag != ds.tag || wave != ds.wave || bits_of(w, 64, 10) != 0x100)
            fail("completion of tag", tag, ds.tag);
        if (!flying.front().read_done)
            fail("completion before operands were read", tag, 0);
        for (unsigned k = 0; k < ds.results; k++)
            for (unsigned l = 0; l < 64; l++)
                if (vgpr[ds.wave >> 4][ds.dst + k][l] != want_vgpr[ds.wave >> 4][ds.dst + k][l]) {
                    if (failures < 10)
                        printf("op %u %s lane %u word %u wave %x addr %u dst %u exec %llx m0 %x base %x bytes %x offsets %x %x\n", ds.op, ds.row->name,
                               l, k, ds.wave, ds.addr, ds.dst, (unsigned long long)ds.exec, ds.m0, ds.base, ds.bytes, ds.offset0, ds.offset1);
                    fail("result", vgpr[ds.wave >> 4][ds.dst + k][l], want_vgpr[ds.wave >> 4][ds.dst + k][l]);
                }
        last_latency = cycle - flying.front().issued;
        flying.pop_front();
        done_count++;
    }
}

static void issue(const Ds &ds)
{
    int patience = 3000;
    dut->eval();  // ready depends on valid of this cycle
    while (!dut->ready_o && --patience)
        tick(), dut->eval();
    if (!patience)
        fail("never ready", 0, 1), exit(1);
    tick();  // ready_o speaks of the next cycle
    Packer p;
    p.put(ds.bytes, 17), p.put(ds.base, 17), p.put(ds.exec, 64), p.put(ds.m0, 32), p.put(ds.offset1, 8), p.put(ds.offset0, 8);
    p.put(ds.dst, 8), p.put(ds.data1, 8), p.put(ds.data0, 8), p.put(ds.addr, 8), p.put(ds.op, 8), p.put(ds.tag, 8), p.put(ds.wave, 6);
    memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
    dut->valid_i = 1;
    flying.push_back({ds, cycle});
    lds_execute(ds, vgpr[ds.wave >> 4], want_vgpr[ds.wave >> 4]);
}

static void drain()
{
    int patience = 5000;
    while (!flying.empty() && --patience)
        tick();
    if (!patience)
        fail("never done", flying.size(), 0), exit(1);
    for (int i = 0; i < 4; i++)
        tick();
    if (!dut->idle_o)
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

// Registers r..r+3 are written only while no instruction of that wavefront is under way: each wavefront has its own 40.
static Ds random_ds(unsigned serial)
{
    Ds ds;
    ds.row = &ds_rows[rng() % ds_row_count];
    ds.op = ds.row->op;
    ds.wave = rng() % 4 << 4 | rng() % 2;
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

// Clocks of one instruction in a stream of equal ones, lane l at byte stride*l.
static double cost(unsigned op, unsigned stride, unsigned count)
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
    drain();
    uint64_t begin = cycle;
    for (unsigned i = 0; i < count; i++) {
        ds.wave = i % 4 << 4, ds.tag = i & 255;
        issue(ds);
    }
    drain();
    return (double)(cycle - begin) / count;
}

static void check_cost(const char *what, double got, double want)
{
    printf("%-40s %6.2f clocks, want %.1f\n", what, got, want);
    if (std::fabs(got - want) > 0.35 + want * 0.02)
        fail(what, (uint64_t)(got * 100), (uint64_t)(want * 100));
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
    cost(op, 4, 20000);
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
    for (unsigned n = 0; n < 20000 && !failures; n++) {
        stall_writes = n / 64 % 2;
        if (flying.size() >= 2 || n % 256 == 0)
            while (flying.size() >= (n % 256 ? 2 : 1))
                tick();
        issue(random_ds(n));
    }
    stall_writes = false;
    drain();
    printf("%llu instructions in %llu cycles\n", (unsigned long long)done_count, (unsigned long long)cycle);
    if (!failures) {
        check_cost("ds_read_b32 stride 4", cost(54, 4, 400), 4);
        check_cost("ds_read_b32 stride 8", cost(54, 8, 400), 4.5);  // four buffers, 18 cycles each
        check_cost("ds_read_b32 same address", cost(54, 0, 400), 4);
        check_cost("ds_read_b32 stride 128", cost(54, 128, 100), 64);
        check_cost("ds_read_b32 stride 32", cost(54, 32, 100), 16);
        check_cost("ds_read_b64", cost(118, 8, 400), 8);
        check_cost("ds_read2_b32", cost(55, 8, 400), 8);
        check_cost("ds_read_b128", cost(255, 16, 400), 16);
        check_cost("ds_write_b32", cost(13, 4, 400), 8);
        check_cost("ds_write2_b32", cost(14, 8, 400), 12);
        check_cost("ds_write_b64", cost(77, 8, 400), 12);
        check_cost("ds_write_b96", cost(222, 16, 400), 16);
        check_cost("ds_write_b128", cost(223, 16, 400), 20);
        check_cost("ds_add_u32", cost(0, 4, 400), 8);
        check_cost("ds_add_rtn_u32", cost(32, 4, 400), 8);
        check_cost("ds_add_u64", cost(64, 8, 400), 12);
        check_cost("ds_cmpst_rtn_b64", cost(112, 8, 400), 20);
        check_cost("ds_swizzle_b32", cost(61, 4, 400), 4);
        check_cost("ds_bpermute_b32", cost(63, 4, 400), 8);
    }
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}

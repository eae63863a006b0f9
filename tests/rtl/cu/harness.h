// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: memory behind the channels with random latencies, an assembler (llvm-mc),
// the golden model run beforehand, and a check of every observed register write, instruction and the final state.
// Not responsible for: the programs (tb.cpp of each bench).
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#ifdef PART_CU  // the partition's top (part_cu)
#include "Vpart_cu.h"
using Top = Vpart_cu;
#else
#include "Vcu.h"
using Top = Vcu;
#endif
#include "verilated.h"
extern "C" {
#include "gantry_msg.h"
#include "gcn3/gcn3.h"
#include "vm/pagetable.h"
}

static constexpr uint64_t MemBase = 0x100000, MemBytes = 8 << 20;
static constexpr unsigned Cu = 37;  // second shader engine but one, CU 5

struct Random {
    uint64_t x = 0x9e3779b97f4a7c15;
    uint32_t operator()()
    {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        return x >> 16;
    }
    uint32_t below(uint32_t n) { return (*this)() % n; }
};

[[noreturn]] static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    std::vprintf(format, args);
    std::printf("\n");
    std::exit(1);
}

// Text of a program -> dwords.
static std::vector<uint32_t> assemble(const std::string &text)
{
    char dir[] = "/tmp/gantry-cu-XXXXXX";
    if (!mkdtemp(dir))
        fail("mkdtemp");
    std::string base = dir, src = base + "/p.s", obj = base + "/p.o", bin = base + "/p.bin";
    FILE *f = fopen(src.c_str(), "w");
    fwrite(text.data(), 1, text.size(), f);
    fclose(f);
    std::string cmd = "llvm-mc-19 -triple=amdgcn -mcpu=gfx803 -filetype=obj -o " + obj + " " + src +
                      " && llvm-objcopy-19 -O binary --only-section=.text " + obj + " " + bin;
    if (system(cmd.c_str()))
        fail("assembler failed on:\n%s", text.c_str());
    std::vector<uint32_t> code;
    f = fopen(bin.c_str(), "r");
    for (uint32_t x; fread(&x, 4, 1, f) == 1;)
        code.push_back(x);
    fclose(f);
    if (system(("rm -r " + base).c_str()))
        fail("cannot remove %s", dir);
    return code;
}

struct Memory {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(MemBytes);
    bool has(uint64_t va, unsigned n) const { return va >= MemBase && va + n <= MemBase + MemBytes; }
    uint8_t *at(uint64_t va) { return &bytes[va - MemBase]; }
    void put(uint64_t va, const std::vector<uint32_t> &words) { memcpy(at(va), words.data(), words.size() * 4); }
};

// State after one instruction of the golden model.
struct Snapshot {
    uint64_t pc;
    uint32_t first;
    bool priv;        // in the trap handler, before or after
    uint32_t s[128];  // as stored, also where the wavefront may not look
    bool scc;
    unsigned vdst, vdst_w;
    uint32_t v[4][64];
};

struct WaveSetup {
    unsigned simd = 0, slot = 0, group = 0, group_waves = 1, wave_in_group = 0;
    unsigned vgpr_base = 0, vgprs = 64, sgpr_base = 0, sgprs = 112, lds_base = 0, lds_bytes = 0, items = 0;
    uint32_t scratch_base = 0;
    uint64_t tba = 0, tma = 0;  // trap handler of the VMID: as told to the CU before
    uint64_t pc = MemBase, exec = ~0ull;
    uint8_t mode = 0xc0, ieee = 3, vmid = 1;
    std::vector<uint32_t> sgpr;
};

struct Wave {
    WaveSetup setup;
    gcn3_wave golden{};
    std::vector<Snapshot> trace;
    int fault = 0;
    std::vector<uint32_t> v = std::vector<uint32_t>(256 * 64);
    // what the RTL showed
    uint64_t issued = 0, checked = 0, issued_at[256] = {};
    uint32_t s[128] = {};
    std::vector<uint32_t> rv = std::vector<uint32_t>(256 * 64);
    bool done = false, faulted = false;
    msg_cu_evt event{};
    uint32_t (*vgpr(std::vector<uint32_t> &x))[64] { return reinterpret_cast<uint32_t(*)[64]>(x.data()); }
};

class Bench {
public:
    VerilatedContext ctx;
    std::unique_ptr<Top> top{new Top{&ctx}};
    Memory mem, golden_mem;
    std::vector<uint8_t> lds = std::vector<uint8_t>(65536), golden_lds = std::vector<uint8_t>(65536);
    std::map<unsigned, Wave *> running;  // by {simd, slot}
    std::vector<std::unique_ptr<Wave>> waves;
    std::deque<msg_cu_cmd> commands;
    std::vector<msg_cu_evt> events;
    Random rnd;
    uint64_t cycle = 0, evaluated = 0, observed = 0, completions = 0;
    unsigned latency = 12, jitter = 20, vector_latency = 120;
    bool trace = getenv("CU_TRACE") != nullptr;  // print fetches and issues
    bool check_idle = getenv("CU_EVERY_CYCLE") == nullptr, observe = true, compare_registers = true;
    std::multimap<uint64_t, msg_ifetch_rsp> ifetch;
    std::multimap<uint64_t, msg_smem_rsp> smem;
    std::multimap<uint64_t, msg_mem_rsp> vector;

    Bench()
    {
        top->rst_ni = 0;
#ifdef PART_CU
        top->id_i = Cu;  // of GPU 0
#else
        top->cu_id_i = Cu;
        top->gpu_id_i = 0;
#endif
        top->obs_en_i = 1;
        top->perf_en_i = 1;
        for (unsigned i = 0; i < 4; i++)
            clock();
        top->rst_ni = 1;
    }

    void clock()
    {
        top->cycle_i = cycle & 0xffff;
        top->clk_i = 0;
        top->eval();
        top->clk_i = 1;
        top->eval();
        cycle++;
        evaluated++;
    }

    // ---- golden side
    static int fetch(void *c, gcn3_wave *, uint64_t pc, uint64_t *inst)
    {
        auto *b = static_cast<Bench *>(c);
        if (!b->golden_mem.has(pc, 8))
            return FAULT_NOT_PRESENT;
        memcpy(inst, b->golden_mem.at(pc), 8);
        return 0;
    }
    static int scalar_load(void *c, gcn3_wave *, uint64_t va, uint32_t *to, unsigned dwords)
    {
        auto *b = static_cast<Bench *>(c);
        if (!b->golden_mem.has(va, 4 * dwords))
            return FAULT_NOT_PRESENT;
        memcpy(to, b->golden_mem.at(va), 4 * dwords);
        return 0;
    }
    static int scalar_store(void *c, gcn3_wave *, uint64_t va, const uint32_t *from, unsigned dwords)
    {
        auto *b = static_cast<Bench *>(c);
        if (!b->golden_mem.has(va, 4 * dwords))
            return FAULT_NOT_PRESENT;
        memcpy(b->golden_mem.at(va), from, 4 * dwords);
        return 0;
    }
    static int access(void *c, gcn3_access *a, int what)
    {
        auto *b = static_cast<Bench *>(c);
        for (unsigned l = 0; l < 64; l++)
            if (a->mask >> l & 1) {
                if (!b->golden_mem.has(a->va[l], a->bytes)) {
                    a->fault_va = a->va[l];
                    return FAULT_NOT_PRESENT;
                }
                uint32_t w[4] = {};
                for (unsigned k = 0; k < 4; k++)
                    w[k] = a->data[k][l];
                uint8_t *p = b->golden_mem.at(a->va[l]);
                if (what == 1) {
                    memcpy(p, w, a->bytes);
                    continue;
                }
                uint32_t old[4] = {};
                memcpy(old, p, a->bytes);
                if (what == 2) {
                    uint64_t prev = 0, arg = 0, cmp = 0;
                    unsigned n = a->bytes;
                    memcpy(&prev, p, n);
                    memcpy(&arg, w, n);
                    memcpy(&cmp, (uint8_t *)w + n, n);
                    uint64_t next = gcn3_atomic(a->atomic_op, n, prev, arg, cmp);
                    memcpy(p, &next, n);
                }
                for (unsigned k = 0; k < 4; k++)
                    a->data[k][l] = old[k];
            }
        return 0;
    }
    static int load(void *c, gcn3_wave *, gcn3_access *a) { return access(c, a, 0); }
    static int store(void *c, gcn3_wave *, gcn3_access *a) { return access(c, a, 1); }
    static int atomic(void *c, gcn3_wave *, gcn3_access *a) { return access(c, a, 2); }
    static uint64_t time(void *, gcn3_wave *) { return 0; }
    static void interrupt(void *, gcn3_wave *) {}

    void golden_start(Wave &w)
    {
        gcn3_wave &g = w.golden;
        const WaveSetup &q = w.setup;
        g.pc = q.pc;
        g.mode = q.mode;
        g.ieee = q.ieee & 1;
        g.dx10_clamp = q.ieee >> 1;
        g.v = w.vgpr(w.v);
        g.vgprs = q.vgprs;
        g.sgprs = q.sgprs;
        g.lds = &golden_lds[q.lds_base];
        g.lds_bytes = q.lds_bytes;
        g.scratch_base = q.scratch_base;
        g.shared_hi = 0x20000000;
        g.private_hi = 0x20000001;
        g.vmid = q.vmid;
        g.tba = q.tba;
        g.tma = q.tma;
        g.trap_en = q.tba != 0;
        g.in_group = q.group_waves > 1;
        gcn3_place(&g, Cu, q.simd << 4 | q.slot, q.group, q.vgpr_base, q.sgpr_base, q.lds_base);
        for (unsigned i = 0; i < q.sgpr.size(); i++)
            g.s[i] = w.s[i] = q.sgpr[i];
        WAVE_EXEC(&g) = q.exec;
        memcpy(&w.s[126], &q.exec, 8);
        for (unsigned l = 0; l < 64; l++)
            for (unsigned k = 0; k <= q.items; k++)
                w.v[k * 64 + l] = w.rv[k * 64 + l] = k == 0 ? q.wave_in_group * 64 + l : 0;
    }

    // Run all waves added since the last call; barriers among them are honoured.
    void golden_run(std::vector<Wave *> set, unsigned limit = 200000)
    {
        gcn3_env env = {this, fetch, load, store, atomic, scalar_load, time, interrupt, nullptr, scalar_store};
        for (Wave *w : set)
            golden_start(*w);
        for (bool moved = true; moved;) {
            moved = false;
            for (Wave *w : set)
                while (!w->golden.ended && !w->golden.at_barrier && !w->fault && !gcn3_halted(&w->golden)) {
                    golden_step(*w, env);
                    moved = true;
                    if (w->trace.size() > limit)
                        fail("golden: program does not end");
                }
            bool all = true;
            for (Wave *w : set)
                all = all && (w->golden.ended || w->golden.at_barrier || w->fault || gcn3_halted(&w->golden));
            for (Wave *w : set)
                if (all)
                    w->golden.at_barrier = false;
        }
    }

    void golden_step(Wave &w, const gcn3_env &env)
    {
        Snapshot s;
        uint64_t dwords = 0;
        gcn3_inst inst;
        s.pc = w.golden.pc;
        s.priv = w.golden.priv;
        w.fault = fetch(this, &w.golden, s.pc, &dwords);
        if (w.fault)
            return;
        gcn3_decode(dwords, &inst);
        w.fault = gcn3_execute(&w.golden, &env, &inst);
        if (w.fault)
            return;
        s.first = dwords;
        s.priv |= w.golden.priv;
        gcn3_scalar_image(&w.golden, s.s);
        s.scc = w.golden.scc;
        s.vdst = inst.vdst;
        s.vdst_w = inst.vdst_w;
        if (inst.op == OP_V_MOVRELD_B32 || inst.op == OP_V_MOVRELSD_B32)
            s.vdst += inst.unit == UNIT_VALU ? WAVE_M0(&w.golden) : 0;
        for (unsigned k = 0; k < s.vdst_w && k < 4; k++)
            memcpy(s.v[k], &w.v[((s.vdst + k) & 255) * 64], 256);
        w.trace.push_back(s);
    }

    // ---- start of a wavefront
    Wave *add(const WaveSetup &setup)
    {
        waves.emplace_back(new Wave);
        Wave *w = waves.back().get();
        w->setup = setup;
        while (w->setup.sgpr.size() < 24)
            w->setup.sgpr.push_back(rnd());
        return w;
    }

    void launch(Wave *w)
    {
        const WaveSetup &q = w->setup;
        msg_cu_cmd c{};
        c.kind = CU_WAVE;
        c.vmid = q.vmid;
        c.wave = q.simd << 4 | q.slot;
        c.launch = 3;
        c.group = q.group;
        c.group_waves = q.group_waves;
        c.wave_in_group = q.wave_in_group;
        c.vgpr_items = q.items;
        c.vgpr_base = q.vgpr_base;
        c.vgprs = q.vgprs;
        c.sgpr_base = q.sgpr_base;
        c.sgprs = q.sgprs;
        c.lds_base = q.lds_base;
        c.lds_bytes = q.lds_bytes;
        c.scratch_base = q.scratch_base >> 8;
        c.pc = q.pc;
        c.exec = q.exec;
        c.group_size[0] = 1024;
        c.group_size[1] = c.group_size[2] = 1;
        c.recip_x = 1024;
        c.recip_y = 1 << 20;
        c.mode = q.mode;
        c.ieee = q.ieee;
        c.init_sgprs = q.sgpr.size();
        for (unsigned i = 0; i < q.sgpr.size(); i++)
            c.sgpr[i] = q.sgpr[i];
        commands.push_back(c);
        running[c.wave] = w;
    }

    // ---- channels
    template <class T, class W> static void put(W &port, const T &msg) { memcpy(&port, &msg, sizeof msg); }
    template <class T, class W> static T get(const W &port)
    {
        T msg;
        memcpy(&msg, &port, sizeof msg);
        return msg;
    }
    uint64_t brought[4][2] = {}; // data of the next scalar store of a SIMD
    uint64_t due() { return cycle + latency + rnd.below(jitter + 1); }
    // at most one message a cycle on a port
    template <class M, class T> void send(M &queue, const T &msg)
    {
        uint64_t t = due();
        while (queue.count(t))
            t++;
        queue.emplace(t, msg);
    }

    void answer_mem(const msg_mem_req &q)
    {
        msg_mem_rsp r{};
        r.op = q.op;
        r.source = q.source;
        r.tag = q.tag;
        if (q.op == MEM_XLAT) {
            bool ok = mem.has(q.addr & ~4095ull, 4096);
            r.data[0] = ok ? (q.addr & ~4095ull) | PTE_VALID | PTE_R | PTE_W | PTE_X | PTE_LEAF | 1ull << 48 : 0;
            r.status = ok ? MEM_OK : MEM_FAULT_NOT_PRESENT;
        } else {
            uint64_t pa = q.addr & 0xffffffffffff;
            if (!mem.has(pa & ~63ull, 64))
                fail("request outside memory: op=%u addr=%llx", q.op, (unsigned long long)q.addr);
            uint8_t *p = mem.at(pa & ~63ull);
            if (q.op == MEM_WRITE) {
                for (unsigned i = 0; i < 64; i++)
                    if (q.mask >> i & 1)
                        p[i] = ((const uint8_t *)q.data)[i];
            } else if (q.op == MEM_ATOMIC) {
                uint64_t old = 0;
                p = mem.at(pa);
                memcpy(&old, p, q.size);
                uint64_t next = gcn3_atomic(q.atomic, q.size, old, q.data[0], q.data[1]);
                memcpy(p, &next, q.size);
                r.data[0] = old;
            } else {
                memcpy(r.data, p, 64);
            }
        }
        send(vector, r);
    }

    void outputs()
    {
        if (top->ifetch_req_valid_o) {
            auto q = get<msg_ifetch_req>(top->ifetch_req_o);
            if (trace)
                std::printf("%llu fetch %02x epoch %02x va %llx\n", (unsigned long long)cycle, q.wave, q.epoch, (unsigned long long)q.va);
            msg_ifetch_rsp r{};
            r.wave = q.wave;
            r.epoch = q.epoch;
            if (mem.has(q.va, 32))
                memcpy(r.data, mem.at(q.va), 32);
            else
                r.status = MEM_FAULT_NOT_PRESENT;
            send(ifetch, r);
        }
        if (top->smem_req_valid_o) {
            auto q = get<msg_smem_req>(top->smem_req_o);
            msg_smem_rsp r{};
            r.wave = q.wave;
            r.tag = q.tag;
            r.op = q.op;
            r.dwords = q.dwords;
            r.va = q.va;
            bool data = q.op == SMEM_LOAD || q.op == SMEM_STORE;
            if (data && !mem.has(q.va, 4 * q.dwords))
                r.status = MEM_FAULT_NOT_PRESENT;
            else if (q.op == SMEM_LOAD)
                memcpy(r.data, mem.at(q.va), 4 * q.dwords);
            else if (q.op == SMEM_STORE)
                memcpy(mem.at(q.va), brought[q.wave >> 4 & 3], 4 * q.dwords);
            if (q.op == SMEM_DATA)
                brought[q.wave >> 4 & 3][q.dwords & 1] = q.va;
            else
                send(smem, r);
        }
        top->mem_req_credit_i = 0;
        if (top->mem_req_valid_o) {
            answer_mem(get<msg_mem_req>(top->mem_req_o));
            top->mem_req_credit_i = 1;
        }
        top->cu_evt_credit_i = 0;
        if (top->cu_evt_valid_o) {
            auto e = get<msg_cu_evt>(top->cu_evt_o);
            events.push_back(e);
            top->cu_evt_credit_i = 1;
            Wave *w = running.count(e.wave) ? running[e.wave] : nullptr;
            if (e.kind == CU_EVT_WAVE_DONE) {
                if (!w)
                    fail("end of a wavefront that does not run");
                finish(*w, e);
                running.erase(e.wave);
            } else if (e.kind == CU_EVT_FAULT && w) {
                w->faulted = true;
                w->event = e;
            }
        }
    }

    void finish(Wave &w, const msg_cu_evt &e)
    {
        const WaveSetup &q = w.setup;
        w.done = true;
        w.event = e;
        if (observe && (w.issued != w.trace.size() || e.instructions != w.trace.size()))
            fail("wave %u.%u: %llu instructions issued, event says %u, golden %zu", q.simd, q.slot,
                 (unsigned long long)w.issued, e.instructions, w.trace.size());
        uint32_t image[128];
        gcn3_scalar_image(&w.golden, image);
        for (unsigned i = 0; observe && compare_registers && i < 128; i++)
            if (w.s[i] != image[i] && i != 125)
                fail("wave %u.%u: at the end s[%u] = %08x, golden %08x", q.simd, q.slot, i, w.s[i], image[i]);
        for (unsigned i = 0; observe && compare_registers && i < 256 * 64; i++)
            if (w.rv[i] != w.v[i])
                fail("wave %u.%u: at the end v%u lane %u = %08x, golden %08x", q.simd, q.slot, i / 64, i % 64, w.rv[i], w.v[i]);
    }

    // ---- observation: bit offsets follow the packed structs of cu_pkg, last field lowest
    static uint64_t field(const uint32_t *x, unsigned low, unsigned width)
    {
        uint64_t r = 0;
        for (unsigned i = 0; i < width; i++)
            r |= (uint64_t)(x[(low + i) / 32] >> ((low + i) % 32) & 1) << i;
        return r;
    }

    const Snapshot &entry(Wave &w, unsigned tag)
    {
        uint64_t n = w.issued - 1;
        n -= (n - tag) & 255;
        if (n >= w.trace.size())
            fail("wave %u.%u: write of instruction %llu, only %zu run", w.setup.simd, w.setup.slot, (unsigned long long)n,
                 w.trace.size());
        return w.trace[n];
    }

    void observe_all()
    {
        for (unsigned k = 0; k < 6; k++)
            if (top->obs_inst_valid_o >> k & 1) {
                const uint32_t *x = top->obs_inst_o[k].data();
                unsigned id = field(x, 136, 6);
                if (!running.count(id))
                    fail("instruction of a wavefront that does not run");
                Wave &w = *running[id];
                if (trace)
                    std::printf("%llu issue %02x port %u pc %llx inst %08x\n", (unsigned long long)cycle, id, k,
                                (unsigned long long)field(x, 64, 64), (unsigned)field(x, 0, 32));
                if (w.issued >= w.trace.size())
                    fail("wave %02x: issued beyond its end: pc %llx", id, (unsigned long long)field(x, 64, 64));
                const Snapshot &s = w.trace[w.issued];
                if (field(x, 64, 64) != s.pc || field(x, 0, 32) != s.first || field(x, 128, 8) != (w.issued & 255))
                    fail("cycle %llu wave %02x instruction %llu: pc %llx inst %08x tag %u, golden pc %llx inst %08x",
                         (unsigned long long)cycle, id, (unsigned long long)w.issued, (unsigned long long)field(x, 64, 64),
                         (unsigned)field(x, 0, 32), (unsigned)field(x, 128, 8), (unsigned long long)s.pc, s.first);
                w.issued_at[w.issued & 255] = cycle;
                w.issued++;
            }
        for (unsigned k = 4; k < 8; k++)
            if (top->obs_done_valid_o >> k & 1)
                observe_done(k, top->obs_done_o[k]);
        for (unsigned k = 0; k < 5; k++)
            if (top->obs_sgpr_valid_o >> k & 1) {
                const uint32_t *x = top->obs_sgpr_o[k].data();
                unsigned id = field(x, 535, 6), first = field(x, 519, 8), count = field(x, 514, 5);
                Wave &w = *running[id];
                const Snapshot &s = entry(w, field(x, 527, 8));
                for (unsigned i = 0; i < count; i++) {
                    if (first + i >= SREG_TBA && first + i < (s.priv ? SREG_TTMP : SREG_M0))
                        continue;  // has no effect
                    if (x[i] != s.s[first + i])
                        fail("cycle %llu wave %02x pc %llx inst %08x: s[%u] = %08x, golden %08x (port %u)",
                             (unsigned long long)cycle, id, (unsigned long long)s.pc, s.first, first + i, x[i],
                             s.s[first + i], k);
                    w.s[first + i] = x[i];
                }
                if (field(x, 513, 1) && field(x, 512, 1) != s.scc)
                    fail("cycle %llu wave %02x pc %llx inst %08x: scc = %u", (unsigned long long)cycle, id,
                         (unsigned long long)s.pc, s.first, !s.scc);
                observed++;
            }
        for (unsigned k = 0; k < 4; k++)
            if (top->obs_vgpr_valid_o >> k & 1)
                observe_vgpr(k, top->obs_vgpr_o[k].data());
    }

    // No access is complete before its shortest latency (defaults of the parameters of cu).  An instruction is
    // seen one cycle after its choice; what needs its result is chosen at least 4 cycles after the report.
    void observe_done(unsigned port, unsigned done)
    {
        unsigned id = done >> 8 & 63, tag = done & 255;
        if (!running.count(id))
            return;
        Wave &w = *running[id];
        const Snapshot &s = entry(w, tag);
        bool time = port == 7 && (s.first >> 18 & 255) >= 0x24 && (s.first >> 18 & 255) <= 0x25;
        unsigned least = port == 6 ? vector_latency : time ? 41 : 48;
        if (cycle - w.issued_at[tag] + 5 < least)
            fail("cycle %llu wave %02x pc %llx inst %08x: complete after %llu cycles", (unsigned long long)cycle, id,
                 (unsigned long long)s.pc, s.first, (unsigned long long)(cycle - w.issued_at[tag] + 5));
        completions++;
    }

    void observe_vgpr(unsigned simd, const uint32_t *x)
    {
        unsigned id = simd << 4 | field(x, 546, 4), row = field(x, 528, 10), lanes = field(x, 512, 16);
        if (!running.count(id))
            return;  // initial item ids
        Wave &w = *running[id];
        const Snapshot &s = entry(w, field(x, 538, 8));
        unsigned reg = (row >> 2) - w.setup.vgpr_base, k = reg - s.vdst;
        if (k >= s.vdst_w)
            fail("cycle %llu wave %02x pc %llx inst %08x: writes v%u", (unsigned long long)cycle, id,
                 (unsigned long long)s.pc, s.first, reg);
        for (unsigned i = 0; i < 16; i++)
            if (lanes >> i & 1) {
                unsigned lane = (row & 3) * 16 + i;
                if (x[i] != s.v[k][lane])
                    fail("cycle %llu wave %02x pc %llx inst %08x: v%u lane %u = %08x, golden %08x", (unsigned long long)cycle,
                         id, (unsigned long long)s.pc, s.first, reg, lane, x[i], s.v[k][lane]);
                w.rv[reg * 64 + lane] = x[i];
            }
        observed++;
    }

    template <class M, class P> void deliver(M &queue, uint8_t &valid, P &port)
    {
        valid = 0;
        auto it = queue.begin();
        if (it != queue.end() && it->first <= cycle) {
            valid = 1;
            put(port, it->second);
            queue.erase(it); if(trace) std::printf("%llu deliver %zu\n",(unsigned long long)cycle, queue.size());
        }
    }

    void step()
    {
        deliver(ifetch, top->ifetch_rsp_valid_i, top->ifetch_rsp_i);
        deliver(smem, top->smem_rsp_valid_i, top->smem_rsp_i);
        deliver(vector, top->mem_rsp_valid_i, top->mem_rsp_i);
        top->cu_cmd_valid_i = !commands.empty();
        if (!commands.empty()) {
            put(top->cu_cmd_i, commands.front());
            commands.pop_front();
        }
        bool input = top->ifetch_rsp_valid_i | top->smem_rsp_valid_i | top->mem_rsp_valid_i | top->cu_cmd_valid_i |
                     top->cu_evt_credit_i | top->mem_req_credit_i;
        if (top->idle_o && !input && check_idle) {
            cycle++;  // the rule of the bridge: no evaluation
            return;
        }
        clock();
        if (observe)
            observe_all();
        outputs();
    }

    // Until all wavefronts of the set ended or faulted.
    void run(std::vector<Wave *> set, uint64_t limit = 2000000)
    {
        for (Wave *w : set)
            launch(w);
        for (uint64_t end = cycle + limit;;) {
            bool all = true;
            for (Wave *w : set)
                all = all && (w->done || w->faulted);
            if (all)
                return;
            if (cycle > end)
                fail("no end after %llu cycles", (unsigned long long)limit);
            bool stuck = check_idle && top->idle_o && commands.empty() && ifetch.empty() && smem.empty() && vector.empty() &&
                         !top->cu_evt_credit_i && !top->mem_req_credit_i && cycle > 100;
            if (stuck)
                fail("cycle %llu: idle, but wavefronts have not ended (wave %02x at instruction %llu)",
                     (unsigned long long)cycle, running.begin()->first, (unsigned long long)running.begin()->second->issued);
            step();
        }
    }

    void same_memory()
    {
        for (unsigned i = 0; i < MemBytes; i++)
            if (mem.bytes[i] != golden_mem.bytes[i])
                fail("memory at %llx: %02x, golden %02x", (unsigned long long)(MemBase + i), mem.bytes[i], golden_mem.bytes[i]);
    }
};

// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: every observed instruction, register write and completion, and the state at the end, against the
// golden model's.  Not responsible for: how that came about (harness_golden.h).
#pragma once
#include "harness_memory.h"

struct ObserverSide : MemorySide {
    // Registers hold anything before reset (benches with --x-initial unique).
    static VerilatedContext *with_anything(VerilatedContext &c)
    {
        c.randReset(2);
        c.randSeed(29);
        return &c;
    }
    VerilatedContext ctx;
    std::unique_ptr<Top> top{new Top{with_anything(ctx)}};
    std::map<unsigned, Wave *> running;  // by {simd, slot}
    uint64_t observed = 0, completions = 0;
    unsigned vector_latency = 120;
    bool observe = true, compare_registers = true;

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

    // Bit offsets follow the packed structs of cu_pkg, last field lowest
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
};

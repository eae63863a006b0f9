// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: the golden model runs the programs beforehand and leaves the state after every instruction.
// Not responsible for: comparing it (harness_observe.h).
#pragma once
#include "harness_parts.h"

struct GoldenSide {
    Memory golden_mem;
    std::vector<uint8_t> golden_lds = std::vector<uint8_t>(65536);

    static int fetch(void *c, gcn3_wave *, uint64_t pc, uint64_t *inst)
    {
        auto *b = static_cast<GoldenSide *>(c);
        if (!b->golden_mem.has(pc, 8))
            return FAULT_NOT_PRESENT;
        memcpy(inst, b->golden_mem.at(pc), 8);
        return 0;
    }
    static int scalar_load(void *c, gcn3_wave *, uint64_t va, uint32_t *to, unsigned dwords)
    {
        auto *b = static_cast<GoldenSide *>(c);
        if (!b->golden_mem.has(va, 4 * dwords))
            return FAULT_NOT_PRESENT;
        memcpy(to, b->golden_mem.at(va), 4 * dwords);
        return 0;
    }
    static int scalar_store(void *c, gcn3_wave *, uint64_t va, const uint32_t *from, unsigned dwords)
    {
        auto *b = static_cast<GoldenSide *>(c);
        if (!b->golden_mem.has(va, 4 * dwords))
            return FAULT_NOT_PRESENT;
        memcpy(b->golden_mem.at(va), from, 4 * dwords);
        return 0;
    }
    static int access(void *c, gcn3_access *a, int what)
    {
        auto *b = static_cast<GoldenSide *>(c);
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
        for (unsigned l = 0; l < 64; l++) {
            unsigned item = q.wave_in_group * 64 + l, id[3] = {item % q.size[0], item / q.size[0] % q.size[1], item / q.size[0] / q.size[1]};
            for (unsigned k = 0; k <= q.items; k++)
                w.v[k * 64 + l] = w.rv[k * 64 + l] = id[k];
        }
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
};

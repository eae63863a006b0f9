// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: starts wavefronts and steps the unit: memory with random latencies (harness_memory.h), the golden
// model (harness_golden.h) and the check of all that is observed (harness_observe.h).
// Not responsible for: the programs (tb.cpp of each bench).
#pragma once
#include "harness_golden.h"
#include "harness_observe.h"

struct Bench : GoldenSide, ObserverSide {
    std::vector<std::unique_ptr<Wave>> waves;
    std::deque<msg_cu_cmd> commands;
    std::vector<msg_cu_evt> events;
    std::deque<msg_ctl_cmd> controls;  // to the control agent of the partition's top, and its answers
    std::vector<msg_ctl_evt> answers;
    uint64_t evaluated = 0;
    bool check_idle = getenv("CU_EVERY_CYCLE") == nullptr;

    Bench()
    {
        top->rst_ni = 0;
#ifdef PART_CU
        top->id_i = Cu;  // of GPU 0
        top->ctl_cmd_valid_i = 0;
#else
        top->cu_id_i = Cu;
        top->gpu_id_i = 0;
        top->hold_take_i = top->hold_all_i = top->kick_i = top->inv_valid_i = 0;
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
        // inputs are pulses: who clocks without new ones gives no credit and no answer again
        top->cu_evt_credit_i = top->mem_req_credit_i = 0;
        top->cu_cmd_valid_i = top->ifetch_rsp_valid_i = top->smem_rsp_valid_i = top->mem_rsp_valid_i = 0;
#ifdef PART_CU
        top->ctl_cmd_valid_i = 0;
#else
        top->inv_valid_i = 0;
#endif
    }

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
        for (unsigned d = 0; d < 3; d++)
            c.group_size[d] = q.size[d];
        c.recip_x = ((1 << 20) + q.size[0] - 1) / q.size[0];
        c.recip_y = ((1 << 20) + q.size[1] - 1) / q.size[1];
        c.mode = q.mode;
        c.ieee = q.ieee;
        c.init_sgprs = q.bare ? 0 : q.sgpr.size();
        for (unsigned i = 0; i < c.init_sgprs; i++)
            c.sgpr[i] = q.sgpr[i];
        commands.push_back(c);
        running[c.wave] = w;
    }

    void outputs()
    {
#ifdef PART_CU
        if (top->ctl_evt_valid_o)
            answers.push_back(get<msg_ctl_evt>(top->ctl_evt_o));
#endif
        if (top->ifetch_req_valid_o)
            answer_ifetch(get<msg_ifetch_req>(top->ifetch_req_o));
        if (top->smem_req_valid_o)
            answer_smem(get<msg_smem_req>(top->smem_req_o));
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
        bool control = false;
#ifdef PART_CU
        top->ctl_cmd_valid_i = control = !controls.empty();
        if (control) {
            put(top->ctl_cmd_i, controls.front());
            controls.pop_front();
        }
#endif
        bool input = control | top->ifetch_rsp_valid_i | top->smem_rsp_valid_i | top->mem_rsp_valid_i | top->cu_cmd_valid_i |
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

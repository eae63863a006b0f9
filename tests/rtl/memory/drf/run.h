// SPDX-License-Identifier: Apache-2.0
// One run: reset, the cycle, the watchdog, the end, and what of a run is not a value: lines that stay where they are used.
#ifndef TESTS_DRF_RUN_H
#define TESTS_DRF_RUN_H
#include <algorithm>

#include "kills.h"
#include "tests/rtl/case_done.h"

static uint64_t hits[7];      // of all CUs: see perf_o of cu_vmem
static bool may_issue[AllCus]; // an instruction is taken at the next edge
static uint64_t last_end;     // cycle in which something completed
static Instr *by_hand;        // to be issued beside all agents (kept.h) ...
static Vector *hand;          // ... by this one

static bool running; // reset is over

static void cycle_of_all()
{
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->clear_inputs();
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->take_credits();
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->take_messages();
    if (running) {
        if (params.gpus > 1)
            step_driver(), step_kills();
        send_commands();
        step_maintenance();
        for (unsigned c = 0; c < cu_count(); c++)
            for (unsigned k = 0, turn = cycle % VectorsPerCu, given = 0; k < VectorsPerCu; k++) {
                unsigned a = c + (k + turn) % VectorsPerCu * cu_count();
                if (vector_on(a))
                    given |= vectors[a].step(may_issue[c] && !given);
            }
        step_others();
        for (unsigned g = 0; g < params.gpus && params.gpus > 1 && on(Accesses); g++)
            firms[g].step();
        if (by_hand && may_issue[hand->cu])
            hand->issue(Instr(*by_hand)), by_hand = nullptr;
    }
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->dut->cycle_i = cycle, g->dut->clk_i = 0, g->dut->eval();
    if (running) {
        before_edge();
        for (unsigned c = 0; c < cu_count(); c++)
            may_issue[c] = bit(gpu_of_cu(c).dut->ready_o, c % Cus);
    }
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->dut->clk_i = 1, g->dut->eval();
    cycle++;
    if (cycle % 1024 == 0)
        busy_simds = on(Weather) && sky.one_in(3);
    if (!running)
        return;
    after_edge();
    for (Gpu *g = gpu; g < gpu + params.gpus; g++)
        g->send_messages();
    for (unsigned c = 0; c < cu_count(); c++) {
        const Vdrf_top *dut = gpu_of_cu(c).dut;
        const unsigned own = c % Cus;
        if (bit(dut->inv_done_o, own))
            cu_done(c);
        for (unsigned i = 0; i < 7; i++)
            hits[i] += dut->vmem_perf_o[own] >> i & 1;
        if (bit(dut->done_valid_o, own)) {
            unsigned wave = bits_of(dut->done_o[own].data(), 82, 6), k = (wave & 15) * 4 + (wave >> 4);
            if (k >= VectorsPerCu)
                fail("completion", "CU %u names wavefront %02x", c, wave);
            vectors[c + k * cu_count()].complete(dut->done_o[own].data()), last_end = cycle;
        }
    }
}

static void all_stand()
{
    std::for_each(gpu, gpu + params.gpus, [](Gpu &g) { g.where_all_stands(); });
    if (params.gpus > 1)
        driver_stands();
}

// An instruction that does not end, whatever others do.
static void watch()
{
    const uint64_t Patience = params.gpus > 1 ? 125000 * params.gpus : 60000; // pages move one after the other, those of all GPUs
    bool stuck = false;
    for (auto &v : vectors)
        stuck |= !v.flying.empty() && cycle - v.flying.front().issued > Patience;
    if (!stuck && cycle - last_end < 4 * Patience)
        return;
    printf("nothing ends; what stands where:\n");
    for (auto &v : vectors)
        if (!v.flying.empty()) {
            const Instr &i = v.flying.front();
            printf("  CU %u wavefront %02x, its episode %llu: %s of %u bytes, issued at %llu, lanes", v.cu, v.wave, (unsigned long long)v.episode, i.name(),
                   i.bytes(), (unsigned long long)i.issued);
            for (unsigned l = 0, n = 0; l < 64 && n < 6; l++)
                if (i.exec >> l & 1)
                    n++, printf(" %u: %llx (memory %llx)", l, (unsigned long long)i.va[l],
                                (unsigned long long)(page_at(v.n, i.va[l]) < 0 ? 0 : frames[space[v.n].page[page_at(v.n, i.va[l])].frame]->pa | (i.va[l] & 4095)));
            printf("\n");
        }
    for (unsigned b = 0; b < block_count(); b++)
        if (block_busy[b])
            printf("  block %u has not answered its command\n", b);
    for (unsigned c = 0; c < cu_count(); c++)
        if (cu_busy[c])
            printf("  CU %u has not answered its invalidation\n", c);
    all_stand();
    fail("no end", "%llu episodes of %llu have ended, the last instruction at %llu", (unsigned long long)episodes_done, (unsigned long long)params.episodes,
         (unsigned long long)last_end);
}

static void start()
{
    sky = rng_of(200), hub = rng_of(201);
    Rng rng = rng_of(202);
    build_pages(rng);
    make_vectors();
    make_others();
    if (params.gpus > 1)
        make_driver(), reaper = rng_of(205);
    else
        build_tables();
    next_storm = 20000 + hub.pick(20000);
    Verilated::randReset(2);
    Verilated::randSeed(params.seed % 0x7fffffff + 1);
    for (unsigned g = 0; g < params.gpus; g++) {
        gpu[g].number = g;
        for (unsigned p = 0; p < FarPorts; p++)
            gpu[g].far_credits[p] = gpu[g].answer_credits[p] = FarDepth;
        for (auto &link : gpu[g].to_initiator)
            link.delay.freezes = 25; // lines that are on their way while others store to them
        gpu[g].dut = new Vdrf_top;
        gpu[g].dut->gpu_i = g, gpu[g].dut->rst_ni = 0;
    }
    for (unsigned i = 0; i < 3; i++)
        cycle_of_all();
    for (unsigned g = 0; g < params.gpus; g++)
        gpu[g].dut->rst_ni = 1;
    running = true;
    static int roots;
    for (unsigned n = 0; n < params.spaces && params.gpus == 1; n++)
        command_block(BlockUtcl2, {0, space[n].vmid, space[n].root, &roots});
    agents_pause = true;
    while (roots || (params.gpus > 1 && !driver_rests()))
        cycle_of_all();
    agents_pause = false;
    last_end = cycle;
}

static bool all_rest()
{
    bool rest = others_rest() && (params.gpus == 1 || (driver_rests() && firms_rest() && kills_rest())) && script.empty() && !script_left && episodes_done == episodes_begun;
    for (unsigned b = 0; b < block_count(); b++)
        rest &= block_queue[b].empty();
    for (unsigned c = 0; c < cu_count(); c++)
        rest &= cu_queue[c].empty();
    return rest;
}

static bool parts_rest() { return std::all_of(gpu, gpu + params.gpus, [](Gpu &g) { return g.links_empty() && g.dut->idle_o; }); }

static void settle()
{
    for (uint64_t patience = cycle + 300000; !all_rest() || !parts_rest();) {
        cycle_of_all();
        if (cycle % 1024 == 0)
            watch();
        if (cycle > patience)
            all_stand(), fail("no rest", "agents %s, parts %s", all_rest() ? "rest" : "go on", parts_rest() ? "too" : "do not, or links hold messages");
    }
}

// Memory as the reference has it, when everything has been released.
static void compare_memory()
{
    for (unsigned k = 0; k < SyncPages; k++)
        for (unsigned w = 0; w < CounterWords; w++) {
            uint32_t n = counter[k][w].issued;
            memcpy(frames[space[0].page[FirstSync + k].frame]->value + sync_offset(w), &n, 4);
        }
    for (Frame *f : frames)
        for (unsigned i = 0; i < 4096; i++)
            if (const uint8_t got = *at(place_of(f->pa + i)); got != f->value[i])
                fail("memory", "at the end, memory %llx (page %llx): got %x, want %x", (unsigned long long)place_of(f->pa + i), (unsigned long long)f->pa, got, f->value[i]);
}

static void random_episodes()
{
    while (episodes_done < params.episodes) {
        cycle_of_all();
        if (cycle % 1024 == 0)
            watch();
    }
    params.features &= ~(uint64_t)(Remaps | Storms | Flushes | Moves | GivesUp | Frees | Kills);
    settle();
    static bool done;
    end_of_run(&done);
    while (!done)
        cycle_of_all();
    settle();
    compare_memory();
}
#endif

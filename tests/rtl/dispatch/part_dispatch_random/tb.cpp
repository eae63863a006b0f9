// SPDX-License-Identifier: Apache-2.0
// Bench of part_dispatch against the reference scheduler of ../reference: random launches of 8 address spaces with 4 queues each, of a
// priority of their own, 1 to 3 dimensions, partial groups, scratch memory, LDS, masks; traps, kills and maintenance beside them, times when
// all of the GPU is taken and times when launches want the same few CUs.  Every CU that is tried, every answer of the pool, every place and
// every field of every CU_WAVE is the reference's.  GANTRY_NIGHTLY=1, or a number as argument: 100,000 launches, or so many.
// Not responsible for: what the host is told, agents (../part_dispatch, whose surroundings it uses).
// top: part_dispatch
// constants: dispatch_patience.300
// own: tests/rtl/dispatch/part_dispatch_random/taps.vlt
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: best[i] && best[k] && grid[k].prio < grid[i].prio) => best[i] && 1'b0)
// mutate: ((equals & earlier[i]) != '0) => (1'b0)
// mutate: earlier[i][l] = 1'b0; => ;
// mutate: engine_turn     = after(engine); => engine_turn = engine;
// mutate: cu_turn[engine] = cu[3:0] + 4'd1; => cu_turn[engine] = cu[3:0];
// mutate: nofit[i] = nofit[i] & ~64'(freed_i); => nofit[i] = 64'd0;
// mutate: if (!freed_i[Cw'(t.cu)]) nofit => nofit
// mutate: kept       = pick_pkg::first64(grid[i].cu_mask & 64'(freed_i)); => kept = pick_pkg::first64(64'(freed_i));
// mutate: cycle_i - since[i] >= age && => cycle_i - since[i] >= Patience &&
// mutate: since[i]   = waits[i] ? since[i] : cycle_i; => since[i] = cycle_i;
// mutate: if (reserved && l == owner && ok_i) begin => if (reserved && l == owner) begin
// mutate: late[l]     = late[l] - lead; => ;
// mutate: more = (c.scratch_waves - 32'(c.waves)) / ScratchPerCu; => more = c.scratch_waves / ScratchPerCu;
// mutate: waves - below < ScratchPerCu ? 7'(waves - below) => waves - below < ScratchPerCu ? 7'd32
// mutate: k * Simds + 32'(simd_at) < 32'(positions) => k * Simds + 32'(simd_at) <= 32'(positions)
// mutate: places[s].vgpr  = pick_pkg::first64(vgpr_runs); => places[s].vgpr = pick_pkg::rr64(vgpr_runs, 6'd8);
// mutate: places[s].sgpr  = pick_pkg::first64(sgpr_runs); => places[s].sgpr = pick_pkg::rr64(sgpr_runs, 6'd8);
// mutate: lds_base = pick_pkg::first128(lds_runs); => lds_base = pick_pkg::rr128(lds_runs, 7'd16);
// mutate: group    = pick_pkg::first64(64'(groups_w)); => group = pick_pkg::rr64(64'(groups_w), 6'd2);
// mutate: turn[cu]   = 2'((32'(first) + 32'(r.waves)) % Simds); => turn[cu] = 2'((32'(first) + 32'd1) % Simds);
// mutate: if (busy && 32'(r.cu) == c) begin => if (1'b0) begin
#ifndef DISPATCHERS // part_dispatch_random_fill has others
#define DISPATCHERS 8
#define PATIENCE 300
#define FILL false
#endif
#include "tests/rtl/dispatch/part_dispatch/bench.h"
#include "tests/rtl/dispatch/part_dispatch_random/watch.h"

static const unsigned Spaces = 8, Queues = 4;
struct Queue {
    uint8_t vmid, prio;
};
static Queue queues[Spaces * Queues];
static uint64_t hot; // CUs that many launches of this time want

// A launch of a queue.  Most are small, so that many are gone through; some fill the GPU, or need most of a CU.
static msg_cp_cmd launch_of_queue(unsigned id, const Queue &q)
{
    msg_cp_cmd c = launch_random(id);
    const unsigned kind = pick(16);
    if (kind < 6) // few groups
        for (int d = 0; d < 3; d++)
            c.groups[d] = std::min<uint32_t>(c.groups[d], 1 + pick(3)), c.grid[d] = std::min<uint32_t>(c.grid[d], c.groups[d] * c.group[d]);
    if (kind == 14)
        c = launch_make(id, 64, 1, 1, 64 * (1 + pick(100)) - pick(64), 1, 1);
    if (kind == 15) {
        c = launch_make(id, 64 * (1 + pick(16)), 1, 1, 1024 * 3, 1, 1);
        c.lds_bytes = Lds - 512 * pick(3), c.vgprs = (uint16_t)(c.waves > 4 ? 64 : 4 * (1 + pick(64)));
    }
    if (pick(3) == 0 && (c.cu_mask & hot) && (c.scratch_wave_bytes == 0 || c.scratch_waves >= 64 * ScratchPerCu))
        c.cu_mask &= hot;
    c.vmid = q.vmid, c.prio = q.prio;
    return c;
}

static void send_launch(const msg_cp_cmd &c)
{
    in_queue.push_back(c);
    send(c);
}

// Whatever else the host may send.
static void send_other(unsigned id)
{
    msg_cp_cmd c = {};
    c.vmid = (uint8_t)(1 + pick(Spaces));
    switch (pick(6)) {
    case 0:
        c.kind = CP_TRAP, c.id = 0xa000 | (id & 0xfff), c.root = rng(), c.pc = rng();
        break;
    case 1:
        c.kind = CP_KILL, c.id = 0x9000 | (id & 0xfff);
        break;
    case 2:
        c.kind = CP_FETCH, c.id = 0xff, c.pc = rng();
        break;
    case 3:
        c.kind = CP_VMID, c.root = rng(), c.flags = pick(2);
        break;
    default:
        c.kind = CP_CACHE, c.id = 0x8000 | (id & 0xfff), c.flags = pick(64);
    }
    if (c.kind == CP_KILL && maintenance.empty()) {
        send(c);
        for (hold = 0; !maintenance.empty();) // it may stand behind a launch that waits for a dispatcher
            step(nullptr);
    } else if (c.kind != CP_KILL)
        send(c);
}

// What the time is like: how long wavefronts run, which CUs are wanted, whether any ends at all.
static void new_time()
{
    static const unsigned lengths[] = {10, 40, 40, 200, 1500};
    run_cycles = lengths[pick(5)];
    hot = 0;
    for (unsigned n = 1 + pick(6); n--;)
        hot |= 1ull << pick(Cus);
    hold = pick(12) == 0;
}

static void test_launches(uint64_t count)
{
    for (Queue &q : queues)
        q.vmid = (uint8_t)(1 + (&q - queues) / Queues), q.prio = (uint8_t)(pick(2) ? 7 : pick(16));
    unsigned other = 0;
    for (uint64_t sent = 0; sent < count;) {
        if (pick(200) == 0)
            new_time();
        if (launches.size() < 14 && places > 4 && pick(4)) {
            unsigned id = sent & 0x7fff;
            if (!launches.count(id))
                send_launch(launch_of_queue(id, queues[pick(Spaces * Queues)]));
            sent++;
        } else if (pick(6) == 0 && places > 4 && maintenance.size() < 4 && fetches.size() < 4)
            send_other(other++);
        for (unsigned n = pick(60); n--;)
            step(nullptr);
        if (launches.size() >= 14 && hold && pick(20) == 0)
            hold = 0;
    }
    hold = 0;
    drain(2000000);
    for (unsigned n = 0; n < 200; n++)
        step(nullptr);
    right(ref_rest(&reference));
}

int main(int argc, char **argv)
{
    const char *nightly = std::getenv("GANTRY_NIGHTLY");
    const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : nightly && nightly[0] == '1' ? 100000 : 3000;
    bench_begin();
    watch_begin(FILL);
    test_launches(count);
    std::printf("%llu launches: %llu tries, %llu refused, %llu groups, %llu wavefronts, %llu waits, %llu claims (%llu too long), %llu kills, %llu cycles\n",
                (unsigned long long)count, (unsigned long long)reference.tries, (unsigned long long)reference.refusals, (unsigned long long)reference.grants,
                (unsigned long long)reference.waves, (unsigned long long)reference.waits, (unsigned long long)reference.claims,
                (unsigned long long)reference.claims_ended, (unsigned long long)reference.kills, (unsigned long long)cycle);
    if (reference.refusals < count || reference.waits < count / 20 || reference.claims < count / 200 || reference.kills < count / 200)
        FAIL("too little has happened");
    case_done("launches of 32 queues against the reference", "S3.5, S3.7, S3.8, S3.9, S3.10");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Random tester of the memory path without data races: vector memory units, scalar and instruction caches, crossbar, L2 slices with
// DRAM channels, L2 TLB with walker, RDMA engine, all real and small, with agents on every port (docs/verification.md).
// By day on the model of test_drf_faults.py.
// nightly: yes
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// run: episodes=5000 other=5000
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
#include "kept_two.h"
#include "shrink.h"

static int fault; // seeded, of the model of test_drf_faults.py
extern "C" int drf_fault() { return fault; }

static void whole_run()
{
    start();
    if (params.hand)
        params.gpus == 1 ? all_by_hand() : moves_by_hand();
    random_episodes();
    using Ull = unsigned long long;
    printf("%llu episodes (%llu short ones), %llu accesses of lanes, %llu loaded values checked, %llu counted, locks taken %llu in %llu tries\n",
           (Ull)episodes_done, (Ull)unsaturated, (Ull)lane_accesses, (Ull)loads_checked, (Ull)counted, (Ull)locks_taken, (Ull)lock_tries);
    printf("%llu scalar loads, %llu scalar stores, %llu fetches, %llu far requests, %llu accesses of the owner; %llu changes of tables, %llu storms, %llu flushes, %llu locks of pages, %llu reports, %llu accesses of no page\n",
           (Ull)scalar_loads, (Ull)scalar_stores, (Ull)fetches, (Ull)far_requests, (Ull)host_accesses, (Ull)remaps, (Ull)storms, (Ull)flushes,
           (Ull)page_locks, (Ull)reports, (Ull)strayed);
    printf("%llu cycles; transactions %llu, TLB hits %llu misses %llu, reads that hit %llu, missed %llu, joined %llu, writes %llu\n", (Ull)cycle, (Ull)hits[0],
           (Ull)hits[1], (Ull)hits[2], (Ull)hits[3], (Ull)hits[4], (Ull)hits[5], (Ull)hits[6]);
    if (params.gpus > 1) {
        printf("%llu moves begun (%llu blocks), %llu refused, %llu given up, %llu came; %llu exchanges, %llu frees, %llu accesses of command processors, %llu commands; counters read %llu times, %llu told; %llu clients ended, %llu episodes cut short\n", (Ull)moves_begun,
               (Ull)blocks_begun, (Ull)moves_refused, (Ull)moves_given_up, (Ull)pmem_moves(memory), (Ull)exchanges, (Ull)frees, (Ull)(firms[0].ended + firms[1].ended), (Ull)hub_commands, (Ull)count_reads, (Ull)counts_told, (Ull)kills, (Ull)cut_short);
        if (firsts) {
            const struct faults_sums s = faults_sums(firsts);
            printf("%llu first accesses: %llu moved, %llu mapped, %llu late; %llu pages ahead of them\n", (Ull)s.faults, (Ull)s.moved, (Ull)s.mapped, (Ull)s.late, (Ull)s.ahead);
        }
        case_done("random episodes of several GPUs", "S1.4, S1.9, S1.10, S1.13, S1.14, B.11");
        return;
    }
    case_done("random episodes", "S0.19, S1.2, S3.12");
}

int main(int argc, char **argv)
{
    bool shrinks = true;
    uint64_t runs = 1, other = 0; // with seeds 1001 apart, as odd and even ones differ (firsts.h, strays); then so many episodes with two GPUs, or with one
    params.vectors = Vectors == 64 ? ~0ull : (1ull << Vectors % 64) - 1;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "noshrink"))
            shrinks = false;
        else if (!strncmp(argv[i], "fault=", 6))
            fault = atoi(argv[i] + 6);
        else if (!strncmp(argv[i], "plant=", 6)) {
            if (!plant_read(argv[i] + 6))
                return printf("drf: %s: no fault\n", argv[i]), 2;
        } else if (!strncmp(argv[i], "runs=", 5))
            runs = strtoull(argv[i] + 5, nullptr, 0);
        else if (!strncmp(argv[i], "other=", 6))
            other = strtoull(argv[i] + 6, nullptr, 0);
        else if (!params.read(argv[i]))
            return printf("drf: %s: no parameter of the tester\n", argv[i]), 2;
    Outcome o;
    for (uint64_t n = 0; n < runs && !o.failed; n++, params.seed += o.failed ? 0 : 1001)
        o = attempt(params, whole_run, true, 0);
    if (!o.failed && other) {
        params.gpus = params.gpus == 1 ? 2 : 1, params.episodes = other;
        o = attempt(params, whole_run, true, 0);
    }
    if (!o.failed)
        return 0;
    printf("%s\nthis run: %s\n", o.line.c_str(), params.text().c_str());
    double spent = cpu_of_children();
    if (shrinks)
        shrink(params, o, whole_run, spent < 5 ? 40 : 60);
    return 1;
}

// SPDX-License-Identifier: Apache-2.0
// The written bounds of an RTL machine's channels (bounds.h, gpu_links.h) and which ends of a GPU are its own ports.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bridge/run/sched.h"
#include "gantry_cfg.h"
#include "target/bounds.h"
#include "target/gpu_links.h"

// Credits where there are some; else a message a cycle, by which the receiver may lag.
static void depths_of_bounds(void **state)
{
    (void)state;
    const struct gantry_cfg cfg = {.gpu_noc_queue = 33, .gpu_noc_target_queue = 17, .gpu_l2_mshrs = 19};
    static const struct {
        enum bound bound;
        uint32_t depth; // 0: of the latency
    } bounds[] = {{BOUND_INITIATOR, 33}, {BOUND_TARGET, 17}, {BOUND_EVENTS, 8}, {BOUND_FILLS, 19}, {BOUND_PORT, 0}};
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (uint32_t latency = 8; latency < 200; latency += 61)
            assert_int_equal(bound_depth(&cfg, bounds[i].bound, latency),
                             bounds[i].depth ? bounds[i].depth : latency + 9 * PART_WINDOW);
    assert_int_equal(SCHED_STRETCH, 8);
}

static void ports_of_a_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *port;
        enum rtl_kind kind;
        bool instances;
    } ports[] = {{"cp_cmd", KIND_DISPATCH, false}, {"cp_evt", KIND_DISPATCH, false}, {"dram_req", KIND_L2, true},
                 {"dram_rsp", KIND_L2, true},      {"far_req", KIND_RDMA, false},    {"far_rsp", KIND_RDMA, false}};
    for (unsigned i = 0; i < sizeof ports / sizeof *ports; i++) {
        const unsigned n = i < 2 ? 0 : 3;
        const struct gpu_end end = gpu_outside(ports[i].port, n);
        assert_int_equal(end.kind, ports[i].kind);
        assert_int_equal(end.instance, ports[i].instances ? n : 0);
        assert_int_equal(end.lane, ports[i].instances ? 0 : n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(depths_of_bounds), cmocka_unit_test(ports_of_a_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

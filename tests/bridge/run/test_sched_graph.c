// SPDX-License-Identifier: Apache-2.0
// What a machine is as a number: any difference of two graphs shows in it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys_bench.h"

/* Each difference of two graphs shows in their hash. */
static void test_graphs(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, 1, 64);
    const uint64_t graph = sched_graph(&b.sched);
    struct wire *w = b.sched.wires[4];
    uint32_t *const numbers[] = {
        &w->channel.bytes,       &w->channel.latency,      &w->channel.depth, &w->channel.rate.bytes_per_cycle,
        &w->channel.rate.header, &w->channel.rate.kind_at, &w->to_slot,       &b.sched.parts[1]->number};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] ^= 1;
        assert_true(sched_graph(&b.sched) != graph);
        *numbers[i] ^= 1;
    }
    w->silent = true;
    assert_true(sched_graph(&b.sched) != graph);
    w->silent = false;
    for (unsigned i = 0; i < TOYS; i++) {
        struct part *part = b.sched.parts[i];
        part->name[0] = 'T';
        assert_true(sched_graph(&b.sched) != graph);
        part->name[0] = 't';
        uint32_t *const of_part[] = {&part->number, &part->ins};
        for (unsigned k = 0; k < 2; k++) {
            *of_part[k] ^= 1;
            assert_true(sched_graph(&b.sched) != graph);
            *of_part[k] ^= 1;
        }
        for (unsigned k = 0; k < part->outs; k++) { /* which channel each output is, or none */
            struct wire *out = part->out[k];
            part->out[k] = b.sched.wires[(i * part->outs + k + 1) % b.sched.wire_count];
            assert_true(sched_graph(&b.sched) != graph);
            part->out[k] = NULL;
            assert_true(sched_graph(&b.sched) != graph);
            part->out[k] = out;
        }
    }
    for (uint32_t i = 0; i < b.sched.wire_count; i++) {
        b.sched.wires[i]->channel.depth++;
        assert_true(sched_graph(&b.sched) != graph);
        b.sched.wires[i]->channel.depth--;
    }
    w->channel.rate.payload[3]++;
    assert_true(sched_graph(&b.sched) != graph);
    w->channel.rate.payload[3]--;
    assert_true(sched_graph(&b.sched) == graph);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

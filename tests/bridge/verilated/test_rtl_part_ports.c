// SPDX-License-Identifier: Apache-2.0
// Ports of verilated partitions: found by name, connected lane by lane with their credits; what does not fit is our own
// bug.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../errors.h"
#include "rtl_bench.h"

static const struct model_port ports_b[] = {
    {.name = "out_rsp", .count = 2, .bytes = 4, .slot = 1, .credit = 1, .credit_slot = 2},
    {.name = "mem_req", .count = 2, .bytes = 4, .slot = 3},
    {.name = "cp_cmd", .count = 1, .bytes = 8, .slot = 5},
    {.name = "in_req", .out = 1, .count = 2, .bytes = 4, .slot = 0}, /* without the credit that a's has */
};
static struct part *part_b(void)
{
    struct model_api *other = calloc(1, sizeof *other);
    *other = api;
    other->ports = ports_b;
    other->port_count = 4;
    struct library lib = {.kind = "toy", .api = other, .key = (char *)"b"};
    return rtl_part_new(&lib, "b", 0, 0, 0, false);
}

static void test_connect(void **state)
{
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *a = rtl_part_new(&library, "a", 0, 0, 0, false), *b = part_b();
    sched_add(&s, a);
    sched_add(&s, b);
    assert_ptr_equal(rtl_port(a, "mem_rsp", false), &ports[0]);
    assert_ptr_equal(rtl_part_api(a), &api);
    rtl_connect(&s, a, 1, b, 0, "out_rsp", 12, 3);
    assert_ptr_equal(a->out[4]->to, b);
    assert_int_equal(a->out[4]->to_slot, 1);
    assert_true(a->out[4]->channel.latency == 12 && a->out[4]->channel.depth == 3 && a->out[4]->channel.bytes == 4);
    assert_ptr_equal(b->out[2]->to, a);
    assert_int_equal(b->out[2]->to_slot, 8);
    assert_true(b->out[2]->channel.latency == 12 && b->out[2]->channel.depth == 3 && b->out[2]->channel.bytes == 0);
    rtl_connect(&s, a, 0, b, 1, "mem_req", 9, 5);
    assert_ptr_equal(a->out[0]->to, b);
    assert_int_equal(a->out[0]->to_slot, 4);
    assert_int_equal(s.wire_count, 3);
    void *other = (void *)(uintptr_t)rtl_part_api(b);
    sched_fini(&s);
    free(other);
}

/* What does not fit is our own bug. */
static int wrong(void *ctx)
{
    const unsigned n = *(const unsigned *)ctx;
    struct sched s;
    sched_init(&s);
    struct part *a = rtl_part_new(&library, "a", 0, 0, 0, false), *b = part_b();
    sched_add(&s, a);
    sched_add(&s, b);
    if (n == 0)
        rtl_connect(&s, a, 0, b, 0, "cp_cmd", 9, 5); /* widths */
    else if (n == 1)
        rtl_connect(&s, b, 0, a, 0, "in_req", 9, 5); /* credits */
    else if (n == 2)
        rtl_connect(&s, a, 2, b, 0, "mem_req", 9, 5);
    else if (n == 3)
        rtl_connect(&s, a, 0, b, 2, "mem_req", 9, 5);
    else
        rtl_port(a, "mem_req", false);
    return 0;
}

static void test_wrong_ports(void **state)
{
    static const char *const texts[] = {"a: internal error", "b: internal error",
                                        "port mem_req: lane 2 of 2 to b lane 0 of 2",
                                        "port mem_req: lane 0 of 2 to b lane 2 of 2", "no input port mem_req"};
    (void)state;
    for (unsigned n = 0; n < 5; n++) {
        assert_said(wrong, &n, 70, texts[n]);
        if (n < 2)
            assert_non_null(strstr(errors.text, "differs from that of"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect),
        cmocka_unit_test(test_wrong_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

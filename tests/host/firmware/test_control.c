/* SPDX-License-Identifier: Apache-2.0
 * Control operations of the firmware: one function each, what it sends, queueing of several clients in order with
 * credits, answers with status, place and state, one line for what is refused (S1.17, S1.23).
 */
#include "firmware/control.h"

#include "queue_bench.h"

struct heard {
    unsigned count;
    struct control_result last;
    unsigned order[64];
};
static struct heard heard;

static void on_done(void *ctx, const struct control_result *result)
{
    heard.order[heard.count++ % 64] = (unsigned)(uintptr_t)ctx;
    heard.last = *result;
}

/* shows S1.17: each operation is one message with its signals. */
static void each_operation_is_one_message(void **state)
{
    static void (*const operations[])(struct cp *, uint8_t, uint16_t, control_fn,
                                      void *) = {control_enable, control_disable, control_pause,  control_continue,
                                                 control_drain,  control_flush,   control_discard};
    static const uint8_t signals[] = {CTL_ENABLE, 0, CTL_PAUSE, CTL_CONTINUE, CTL_DRAIN, CTL_FLUSH, CTL_DISCARD};
    struct bench *b = *state;
    heard = (struct heard){0};
    for (unsigned i = 0; i < 7; i++) {
        operations[i](b->cp[0], CTL_GROUP_RDMA | CTL_GROUP_NOC, i % 2 ? CP_ALL : 3, on_done, NULL);
        assert_int_equal(control_open(b->cp[0]), 1);
        assert_true(cp_working(b->cp[0]));
        sim_run(b->sim, sim_now(b->sim) + 10000);
        assert_int_equal(heard.count, i + 1);
        assert_int_equal(control_open(b->cp[0]), 0);
        const struct msg_cp_cmd *cmd = command_last(b, CP_CONTROL);
        assert_int_equal(cmd->flags,
                         signals[i] | (CTL_GROUP_RDMA | CTL_GROUP_NOC) << 8 | (i % 2 ? 0xffff0000u : 3u << 16));
        assert_true(heard.last.gpu == 0 && heard.last.signals == signals[i] && heard.last.status == CTL_OK);
        assert_true(heard.last.port == 1 && heard.last.state == CTL_STATE_PAUSED);
    }
}

/* shows S1.23: as many as there are entries are at the GPU, the rest wait in order; each is answered once. */
static void operations_are_queued(void **state)
{
    struct bench *b = *state;
    const unsigned before = commands(b, CP_CONTROL);
    heard = (struct heard){0};
    for (unsigned i = 0; i < 20; i++)
        control_drain(b->cp[0], CTL_GROUP_NOC, CP_ALL, on_done, (void *)(uintptr_t)i);
    assert_int_equal(commands(b, CP_CONTROL) - before, CP_CONTROLS);
    assert_int_equal(control_open(b->cp[0]), 20);
    sim_run(b->sim, sim_now(b->sim) + 100000);
    assert_int_equal(commands(b, CP_CONTROL) - before, 20);
    assert_int_equal(heard.count, 20);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(heard.order[i], i);
}

/* One line: place, message, state. */
static void a_refusal_has_a_line(void **state)
{
    struct bench *b = *state;
    char text[200];
    heard = (struct heard){0};
    fake_control_status = CTL_ERROR_ON;
    control_enable(b->cp[0], CTL_GROUP_RDMA, CP_ALL, on_done, NULL);
    control_enable(b->cp[0], CTL_GROUP_RDMA, CP_ALL, NULL, NULL); /* nobody wants to know */
    sim_run(b->sim, sim_now(b->sim) + 10000);
    fake_control_status = CTL_OK;
    assert_int_equal(heard.count, 1);
    control_text(&heard.last, text, sizeof text);
    assert_string_equal(text,
                        "gpu0: control of the RDMA engine: signals 0x01: enable of a component that is on (paused)");
    heard.last.status = CTL_ERROR_NONE, heard.last.port = 0xff, heard.last.groups = CTL_GROUP_CU,
    heard.last.state = CTL_STATE_RUN;
    control_text(&heard.last, text, sizeof text);
    assert_string_equal(text, "gpu0: control of compute units: signals 0x01: no such component (running)");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_operation_is_one_message),
        TEST(operations_are_queued),
        TEST(a_refusal_has_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

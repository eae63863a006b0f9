/* SPDX-License-Identifier: Apache-2.0
 * Control operations of the firmware: one function each, what it sends, queueing of several clients in order with
 * credits, answers with status, place and state, one line for what is refused (S1.17, S1.23).
 */
#include "maintenance/control.h"

#include "../firmware/exit_bench.h"
#include "../firmware/queue_bench.h"

#define ALL 150u /* more than the GPU takes */

struct heard {
    unsigned count;
    struct control_result last;
    unsigned order[256];
};
static struct heard heard;

static void on_done(void *ctx, const struct control_result *result)
{
    heard.order[heard.count++ % 256] = (unsigned)(uintptr_t)ctx;
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
        assert_true(heard.last.group == CTL_GROUP_RDMA && heard.last.at == 0 && heard.last.state == CTL_STATE_PAUSED);
    }
}

/* shows S1.23: as many as there are entries are at the GPU, the rest wait in order; each is answered once. */
static void operations_are_queued(void **state)
{
    struct bench *b = *state;
    const unsigned before = commands(b, CP_CONTROL);
    heard = (struct heard){0};
    for (unsigned i = 0; i < ALL; i++)
        control_drain(b->cp[0], CTL_GROUP_NOC, CP_ALL, on_done, (void *)(uintptr_t)i);
    assert_int_equal(commands(b, CP_CONTROL) - before, CP_CONTROLS);
    assert_int_equal(control_open(b->cp[0]), ALL);
    sim_run(b->sim, sim_now(b->sim) + 100000);
    assert_int_equal(commands(b, CP_CONTROL) - before, ALL);
    assert_int_equal(heard.count, ALL);
    for (unsigned i = 0; i < ALL; i++)
        assert_int_equal(heard.order[i], i);
}

static void pauses_sent(struct bench *b, unsigned n)
{
    while (n--)
        control_pause(b->cp[0], CTL_GROUP_NOC, CP_ALL, NULL, NULL);
}

/* The bound of those without an answer. */
static void a_client_without_end(void **state)
{
    assert_int_equal(status_of(pauses_sent, *state, CP_CONTROLS_OPEN), 0);
    assert_int_equal(status_of(pauses_sent, *state, CP_CONTROLS_OPEN + 1), 70);
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
}

/* shows S1.25, S1.26, S1.27, S1.28: the line of each error, with the component of a group that it is about. */
static void each_error_has_its_line(void **state)
{
    static const struct {
        struct control_result result;
        const char *line;
    } rows[] = {
        {{.gpu = 1,
          .groups = 63,
          .number = CP_ALL,
          .group = CTL_GROUP_SQC,
          .at = 3,
          .signals = 2,
          .status = CTL_ERROR_OFF,
          .state = CTL_STATE_OFF},
         "gpu1: control of instruction and scalar cache 3: signals 0x02: the component is off (off)"},
        {{.groups = CTL_GROUP_L2,
          .number = 15,
          .group = CTL_GROUP_L2,
          .at = 15,
          .signals = 1,
          .status = CTL_ERROR_ON,
          .state = CTL_STATE_RUN},
         "gpu0: control of L2 slice 15: signals 0x01: enable of a component that is on (running)"},
        {{.groups = CTL_GROUP_NOC,
          .group = CTL_GROUP_NOC,
          .signals = 8,
          .status = CTL_ERROR_BUSY,
          .state = CTL_STATE_FLUSHING},
         "gpu0: control of the crossbar: signals 0x08: a drain, flush or discard is under way (flushing)"},
        {{.groups = CTL_GROUP_UTCL2,
          .group = CTL_GROUP_UTCL2,
          .signals = 24,
          .status = CTL_ERROR_TOGETHER,
          .state = CTL_STATE_PAUSED},
         "gpu0: control of the L2 TLB: signals 0x18: signals that do not go together (paused)"},
        {{.groups = CTL_GROUP_L2,
          .group = CTL_GROUP_L2,
          .signals = 4,
          .status = CTL_ERROR_STATE,
          .state = CTL_STATE_RUN},
         "gpu0: control of L2 slice 0: signals 0x04: not in this state (running)"},
        {{.groups = CTL_GROUP_SQC,
          .group = CTL_GROUP_SQC,
          .signals = 0,
          .status = CTL_ERROR_OUTSTANDING,
          .state = CTL_STATE_PAUSED},
         "gpu0: control of instruction and scalar cache 0: signals 0x00: disable with something unfinished (paused)"},
        {{.groups = CTL_GROUP_CU,
          .number = 7,
          .group = 0xff,
          .signals = 2,
          .status = CTL_ERROR_NONE,
          .state = CTL_STATE_RUN},
         "gpu0: control of compute unit 7: signals 0x02: no such component (running)"},
        {{.groups = CTL_GROUP_CU,
          .group = CTL_GROUP_CU,
          .at = 3,
          .signals = 32,
          .status = CTL_ERROR_DISCARD,
          .state = CTL_STATE_PAUSED},
         "gpu0: control of compute unit 3: signals 0x20: it has no discard (paused)"},
        {{.groups = 3, .number = CP_ALL, .group = 0xff, .signals = 2, .status = CTL_ERROR_NONE, .state = CTL_STATE_RUN},
         "gpu0: control of components: signals 0x02: no such component (running)"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        control_text(&rows[i].result, text, sizeof text);
        assert_string_equal(text, rows[i].line);
        assert_null(strchr(text, '\n'));
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_operation_is_one_message), TEST(operations_are_queued),   TEST(a_client_without_end),
        TEST(a_refusal_has_a_line),          TEST(each_error_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

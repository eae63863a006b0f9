// SPDX-License-Identifier: Apache-2.0
// A GPU that the test simulates, by the library: the command processor's commands come, a launch ends with its event,
// the host's requests are served, in windows that the test runs; what cannot be sent is refused.
#include "gantry_msg.h"
#include "lib_bench.h"

struct gpu {
    struct gantry_machine *machine;
    unsigned commands[16], requests, steps;
    int late; // answers are sent behind the window, by who runs the machine
    struct {
        struct msg_cp_evt evt;
        uint64_t cycle;
    } queue[64];
    unsigned queued;
    uint64_t window;
};

static void event_send(struct gpu *g, const struct msg_cp_evt *evt, uint64_t cycle)
{
    DONE(gantry_gpu_send(g->machine, 0, GANTRY_PORT_EVENT, 0, cycle, evt, sizeof *evt, error));
}

static void command_take(struct gpu *g, const struct msg_cp_cmd *cmd, uint64_t cycle)
{
    static const uint8_t answers[16] = {[CP_LAUNCH] = CP_EVT_LAUNCH_DONE,
                                        [CP_CACHE] = CP_EVT_CACHE_DONE,
                                        [CP_KILL] = CP_EVT_KILL_DONE,
                                        [CP_TRAP] = CP_EVT_TRAP_DONE};
    struct msg_cp_evt evt = {.kind = answers[cmd->kind % 16], .id = cmd->id, .vmid = cmd->vmid};
    g->commands[cmd->kind % 16]++;
    if (cmd->kind == CP_LAUNCH) {
        evt.start = cycle;
        evt.end = cycle + 1;
        evt.data = 4;
        evt.instructions = 40;
    }
    if (!evt.kind)
        return;
    if (g->late) {
        g->queue[g->queued].evt = evt;
        g->queue[g->queued++].cycle = cycle;
    } else {
        event_send(g, &evt, cycle + 1);
    }
}

static void on_take(void *ctx, unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message)
{
    struct gpu *g = ctx;
    struct msg_mem_rsp rsp;
    assert_int_equal(gpu, 0);
    if (port == GANTRY_PORT_COMMAND)
        command_take(g, message, cycle);
    if (port != GANTRY_PORT_FAR_REQUEST)
        return;
    g->requests++;
    DONE(gantry_gpu_serve(g->machine, message, sizeof(struct msg_mem_req), &rsp, sizeof rsp, error));
    DONE(gantry_gpu_send(g->machine, 0, GANTRY_PORT_FAR_ANSWER, lane, cycle, &rsp, sizeof rsp, error));
}

static int on_step(void *ctx, unsigned gpu, uint64_t from)
{
    struct gpu *g = ctx;
    (void)gpu;
    g->steps++;
    g->window = from;
    return !g->late;
}

static void on_shown(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups)
{
    struct gpu *g = ctx;
    (void)gpu;
    *instructions = 40 * g->commands[CP_LAUNCH];
    *groups = 4 * g->commands[CP_LAUNCH];
}

static void open_with(struct gpu *g)
{
    const struct gantry_gpu model = {
        .size = sizeof model, .gpus = 1, .ctx = g, .take = on_take, .step = on_step, .shown = on_shown};
    const struct gantry_options options = {.size = sizeof options, .gpu_model = &model};
    struct gantry_config *config = tiny();
    struct gantry_machine *m;
    REFUSED(GANTRY_USAGE, "gantry: system.rtl: whole, when a GPU is simulated elsewhere",
            gantry_machine_new(config, &options, &m, error));
    DONE(gantry_config_set(config, "system.rtl=whole", error));
    DONE(gantry_machine_new(config, &options, &g->machine, error));
    gantry_config_free(config);
}

static struct gantry_summary run_whole(struct gpu *g)
{
    struct gantry_summary summary;
    struct gantry_object *object = vecadd_open();
    open_with(g);
    struct gantry_launch *launch = vecadd_launch(g->machine, object);
    DONE(gantry_launch_run(launch, error));
    DONE(gantry_summarize(g->machine, &summary, error));
    gantry_machine_free(g->machine);
    gantry_object_free(object);
    return summary;
}

static void a_launch_ends_with_its_event(void **state)
{
    struct gpu g = {.late = 0};
    (void)state;
    const struct gantry_summary s = run_whole(&g);
    assert_true(g.commands[CP_LAUNCH] == 1 && g.commands[CP_VMID] == 1 && g.commands[CP_CACHE] >= 2);
    assert_true(s.kernels == 1 && s.instructions == 40 && s.cycles > 2 * 140);
    assert_true(g.steps < s.cycles / 8); // idle windows are left out
}

// The test's clock is the clock: it runs the machine a window at a time and sends what came of it; the launch takes as
// long as when it is sent at once.
static void the_time_is_the_callers(void **state)
{
    struct gpu at_once = {.late = 0}, g = {.late = 1};
    struct gantry_object *object = vecadd_open();
    struct gantry_row row;
    uint64_t next;
    int event = GANTRY_AT_CYCLE;
    (void)state;
    const struct gantry_summary want = run_whole(&at_once);
    open_with(&g);
    struct gantry_launch *launch = vecadd_launch(g.machine, object);
    DONE(gantry_launch_start(launch, error));
    for (uint64_t end = GANTRY_WINDOW; event == GANTRY_AT_CYCLE; end += GANTRY_WINDOW) {
        DONE(gantry_run(g.machine, end, &event, error));
        DONE(gantry_gpu_next(g.machine, &next, error));
        assert_true(event == GANTRY_LAUNCH_OVER || (next == end && g.window == end - GANTRY_WINDOW));
        for (unsigned i = 0; i < g.queued; i++)
            event_send(&g, &g.queue[i].evt, g.queue[i].cycle + 1);
        g.queued = 0;
        assert_true(end < 100000);
    }
    DONE(gantry_kernel_row(g.machine, 0, &row, error));
    struct gantry_summary s;
    DONE(gantry_summarize(g.machine, &s, error));
    assert_true(s.cycles == want.cycles && s.hash == want.hash && s.data == want.data);
    const struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE};
    REFUSED(GANTRY_USAGE, "gantry: gantry_gpu_send: the message is none of this port",
            gantry_gpu_send(g.machine, 0, GANTRY_PORT_EVENT, 0, 0, &evt, 8, error));
    assert_int_equal(gantry_gpu_send(g.machine, 0, GANTRY_PORT_EVENT, 0, 0, &evt, sizeof evt, NULL), GANTRY_USAGE);
    gantry_machine_free(g.machine);
    gantry_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_launch_ends_with_its_event),
                                       cmocka_unit_test(the_time_is_the_callers)};
    return cmocka_run_group_tests(tests, kernels_build, NULL);
}

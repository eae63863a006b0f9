// SPDX-License-Identifier: Apache-2.0
// The watchdog (watchdog.c): partitions that turn without a message or an instruction while somebody waits end the run
// after its second look at the latest, not before; its report names who waits for whom, what is under way and who is
// busy; where wavefronts are is told once a run.
#include "../machine/hand_bench.h"

#define BUSY "partitions are busy, but for 1048576 cycles no message was sent and no instruction issued"

// A hub that never rests.
static void turn(struct hand *h, unsigned gpu)
{
    h->hub[gpu]->idle = false;
    sched_wake(&h->sim->sched, h->hub[gpu], 0);
}

static struct hand *turning(const struct sim_options *options)
{
    struct hand *h = hand_open(2, true, options);
    turn(h, 1);
    return h;
}

static void a_turning_machine_is_reported(void **state)
{
    (void)state;
    struct hand *h = turning(NULL);
    hand_cmd(h, 1, CP_LAUNCH, 3);
    char *text = hand_said(h, SIM_WATCH_CYCLES + 10, SIM_STOPPED); // the command is a message: it has moved
    assert_string_equal(text, "");
    free(text);
    assert_true(h->sim->watch_cycle == SIM_WATCH_CYCLES);
    assert_true(h->sim->watch_sent == 1);
    text = hand_said(h, 2 * SIM_WATCH_CYCLES - 1, SIM_STOPPED);
    assert_string_equal(text, "");
    free(text);
    text = hand_said(h, UINT64_MAX, SIM_NO_PROGRESS);
    assert_string_equal(text, "gantry: no progress at cycle 2097152: " BUSY "\n"
                              "  host.cp waits for gpu1.hub: launch 3\n"
                              "  gpu1.hub is busy at cycle 2097152\n");
    free(text);
    hand_close(h);
}

// A message between two looks, wherever it goes, is progress; none is needed when nobody waits, or a timer is set.
static void what_is_progress(void **state)
{
    (void)state;
    struct hand *h = turning(NULL);
    const uint64_t look = SIM_WATCH_CYCLES;
    assert_int_equal(sim_run(h->sim, 3 * look + 1), SIM_STOPPED); // nobody waits
    assert_true(h->sim->watch_cycle == 3 * look);
    hand_read(h, 0, false, 1);
    assert_int_equal(sim_run(h->sim, 4 * look + 10), SIM_STOPPED);
    hand_credit(h->lane[1], 4 * look + 500);
    assert_int_equal(sim_run(h->sim, 5 * look + 10), SIM_STOPPED);
    sim_timer(h->sim, 7 * look, 0);
    assert_int_equal(sim_run(h->sim, 7 * look - 1), SIM_STOPPED); // the host acts then
    char *text = hand_said(h, UINT64_MAX, SIM_NO_PROGRESS);
    assert_int_equal(h->told, 1);
    assert_string_equal(text,
                        "gantry: no progress at cycle 7340032: " BUSY "\n"
                        "  host.cp waits for memory0: memory request at 0x0 of cycle 3145729, 1 under way, 0 to send\n"
                        "  gpu1.hub is busy at cycle 7340032\n"
                        "  memory1 -> host.cp: 1 messages under way, next due at cycle 4194804\n");
    free(text);
    hand_close(h);
}

// A launch whose fault the host has not answered is no machine that waits; golden GPUs are not watched.
static void who_is_not_watched(void **state)
{
    (void)state;
    struct hand *h = turning(NULL);
    hand_cmd(h, 1, CP_LAUNCH, 3);
    hand_event(h, 1, 500, CP_EVT_FAULT, 3);
    assert_int_equal(sim_run(h->sim, 4 * SIM_WATCH_CYCLES), SIM_STOPPED);
    h->sim->gpus[1].pending[0].faulted = false;
    h->sim->options.model = SIM_GOLDEN;
    assert_false(watchdog_turning(h->sim));
    h->sim->sched.now = h->sim->watch_cycle + SIM_WATCH_CYCLES - 1;
    assert_false(watchdog_turning(h->sim));
    h->sim->options.model = SIM_RTL;
    assert_false(watchdog_turning(h->sim)); // a cycle too early
    hand_close(h);
}

// Every kind of command, a launch that has a fault, requests that wait, messages under way with their cycle.
static void what_a_report_says(void **state)
{
    (void)state;
    struct hand *h = hand_open(2, false, NULL);
    static const uint8_t kinds[] = {CP_LAUNCH, CP_CACHE, CP_KILL, CP_TRAP, CP_COUNTS};
    for (unsigned i = 0; i < 5; i++)
        hand_cmd(h, i & 1, kinds[i], (uint16_t)(11 + i));
    sim_timer(h->sim, 5000, 0);
    assert_int_equal(sim_run(h->sim, 300), SIM_STOPPED);
    hand_event(h, 0, 403, CP_EVT_FAULT, 11);
    assert_int_equal(sim_run(h->sim, 410), SIM_STOPPED);
    for (unsigned i = 0; i < 3; i++)
        hand_read(h, (UINT64_C(2) << 48) + 64 * (i + 1), false, i);
    hand_credit(h->hub[1], 900);
    hand_credit(h->hub[1], 900);
    turn(h, 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    watchdog_report(h->sim, out, "why not");
    fclose(out);
    char wanted[1000];
    snprintf(wanted, sizeof wanted,
             "gantry: no progress at cycle %llu: why not\n"
             "  host.cp waits for gpu0.hub: launch 11 (faulted)\n"
             "  host.cp waits for gpu0.hub: kill 13\n"
             "  host.cp waits for gpu0.hub: counters of far accesses 15\n"
             "  host.cp waits for gpu1.hub: cache maintenance 12\n"
             "  host.cp waits for gpu1.hub: trap handler 14\n"
             "  host.cp waits for memory2: memory request at 0x2000000000040 of cycle 410, 1 under way, 2 to send\n"
             "  host.cp -> memory2: 1 messages under way, next due at cycle 510\n"
             "  gpu0.hub is busy at cycle %llu\n"
             "  gpu1.hub -> host.cp: 2 messages under way, next due at cycle 900\n",
             (unsigned long long)h->sim->sched.now, (unsigned long long)h->sim->sched.now);
    assert_string_equal(text, wanted);
    free(text);
    hand_close(h);
}

// ---- where wavefronts are
static void reports(struct part *part, FILE *out)
{
    fprintf(out, "%s reports\n", part->name);
}
static void visits(struct part *part, uint64_t from)
{
    (void)part, (void)from;
}
static const struct part_ops talks = {.visit = visits, .report = reports};

static void where_is_told_once(void **state)
{
    (void)state;
    struct hand *h = hand_open(3, true, NULL);
    struct part golden[3] = {
        {.ops = &talks, .name = "one"}, {.ops = &talks, .name = "two"}, {.ops = &talks, .name = "three"}};
    hand_cmd(h, 0, CP_LAUNCH, 1);
    hand_cmd(h, 2, CP_CACHE, 1);
    for (unsigned g = 0; g < 3; g++)
        h->sim->gpus[g].golden = &golden[g];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    watchdog_gpu(h->sim, 1, out);
    watchdog_where(h->sim, out); // of those that somebody waits for
    watchdog_where(h->sim, out);
    fclose(out);
    assert_string_equal(text, "two reports\none reports\nthree reports\n");
    free(text);
    for (unsigned g = 0; g < 3; g++)
        h->sim->gpus[g].golden = NULL;
    hand_close(h);
}

// --max-cycles tells it; sim_where does, and neither twice.
static void the_last_cycle_tells_where(void **state)
{
    (void)state;
    const struct sim_options options = {.max_cycles = 800};
    struct hand *h = hand_open(1, true, &options);
    hand_cmd(h, 0, CP_LAUNCH, 1);
    sim_timer(h->sim, 5000, 0);
    assert_int_equal(sim_run(h->sim, 796), SIM_STOPPED);
    assert_false(h->sim->where_told);
    assert_int_equal(sim_run(h->sim, 6000), SIM_MAX_CYCLES);
    assert_true(h->sim->where_told);
    h->sim->where_told = false;
    sim_where(h->sim);
    assert_true(h->sim->where_told);
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_machine_is_reported),
        cmocka_unit_test(what_is_progress),
        cmocka_unit_test(who_is_not_watched),
        cmocka_unit_test(what_a_report_says),
        cmocka_unit_test(where_is_told_once),
        cmocka_unit_test(the_last_cycle_tells_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What happens at the host and when (host_events.c, sim_run): events of GPUs, answers of memories, places for commands
// and timers in their order and at their cycle, never beyond the cycle that the caller allows; a stop, --max-cycles,
// the end of a machine in which nothing is left to do or that waits for itself.  GPUs and memories are the test's.
#include "hand_bench.h"

// The text of what the host was told: kind, GPU or lane, cycle.
static const char *order_of(const struct hand *h)
{
    static char text[4096];
    size_t used = 0;
    text[0] = 0;
    for (unsigned i = 0; i < h->told && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%u@%llu", i ? " " : "", h->host[i].what,
                                 h->host[i].where, (unsigned long long)h->host[i].cycle);
    return text;
}

static void of_one_cycle_events_come_first(void **state)
{
    (void)state;
    struct hand *h = hand_open(3, true, NULL);
    sim_timer(h->sim, 803, 5);
    sim_timer(h->sim, 803, 6);
    for (unsigned g = 0; g < 3; g++)
        hand_cmd(h, g, CP_CACHE, 10 + g);
    hand_read(h, UINT64_C(2) << 48, false, 1);
    hand_read(h, 0, false, 2);
    hand_answer(h, 2, 803, 0, 1);
    hand_answer(h, 0, 803, 0, 1);
    hand_event(h, 2, 803, CP_EVT_CACHE_DONE, 12);
    hand_event(h, 1, 803, CP_EVT_CACHE_DONE, 11);
    hand_event(h, 0, 804, CP_EVT_CACHE_DONE, 10);
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_string_equal(order_of(h), "e1@803 e2@803 a0@803 a2@803 t0@803 t0@803 e0@804");
    assert_int_equal(h->host[4].value, 5);
    assert_int_equal(h->host[5].value, 6);
    assert_int_equal(h->host[0].evt.kind, CP_EVT_CACHE_DONE);
    assert_int_equal(h->host[0].evt.id, 11);
    hand_close(h);
}

// Events of one GPU come in their order, one a cycle; those of a lower GPU do not overtake an earlier one.
static void cycles_come_before_gpus(void **state)
{
    (void)state;
    struct hand *h = hand_open(3, true, NULL);
    for (unsigned i = 0; i < 4; i++)
        hand_cmd(h, 2, CP_CACHE, i);
    hand_cmd(h, 0, CP_CACHE, 9);
    for (unsigned i = 0; i < 4; i++)
        hand_event(h, 2, 900, CP_EVT_CACHE_DONE, i);
    hand_event(h, 0, 902, CP_EVT_CACHE_DONE, 9);
    sim_timer(h->sim, 901, 0);
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_string_equal(order_of(h), "e2@900 e2@901 t0@901 e0@902 e2@902 e2@903");
    hand_close(h);
}

// Whatever it is, it comes at its cycle and not a cycle before that the caller allows; the host's time is then that.
static void nothing_comes_beyond_the_limit(void **state)
{
    (void)state;
    for (uint64_t at = 800; at < 817; at++)
        for (unsigned what = 0; what < 3; what++) {
            struct hand *h = hand_open(2, true, NULL);
            sim_timer(h->sim, 5000, 0); // there is always something left to do
            if (what == 0) {
                hand_cmd(h, 1, CP_CACHE, 1);
                hand_event(h, 1, at, CP_EVT_CACHE_DONE, 1);
            } else if (what == 1) {
                hand_read(h, 0, false, 2);
                hand_answer(h, 0, at, 0, 1);
            } else {
                sim_timer(h->sim, at, 3);
            }
            for (uint64_t until = 790; until < at + 10; until += until < at - 1 ? at - 1 - until : 1) {
                assert_int_equal(sim_run(h->sim, until), SIM_STOPPED);
                assert_true(sim_now(h->sim) == until);
                assert_int_equal(h->told, until >= at);
            }
            assert_int_equal(h->host[0].what, "eat"[what]);
            assert_true(h->host[0].cycle == at);
            hand_close(h);
        }
}

// A caller that allows less than has passed moves nothing.
static void time_does_not_go_back(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    sim_timer(h->sim, 500, 0);
    assert_int_equal(sim_run(h->sim, 404), SIM_STOPPED);
    assert_int_equal(sim_run(h->sim, 100), SIM_STOPPED);
    assert_true(sim_now(h->sim) == 404);
    sim_timer(h->sim, 3, 1); // long ago: now
    assert_int_equal(sim_run(h->sim, 600), SIM_STOPPED);
    assert_string_equal(order_of(h), "t0@404 t0@500");
    hand_close(h);
}

static void stops(struct hand *h, const struct hand_note *n)
{
    (void)n;
    sim_stop(h->sim);
}

// A stop ends the run at that event; what else is due in its window and in its cycle comes with the next runs, and no
// partition has run in between.
static void a_stop_is_at_once(void **state)
{
    (void)state;
    struct hand *h = hand_open(2, true, NULL);
    h->act = stops;
    hand_cmd(h, 0, CP_CACHE, 0);
    hand_cmd(h, 1, CP_CACHE, 1);
    hand_read(h, 0, false, 2);
    hand_event(h, 0, 801, CP_EVT_CACHE_DONE, 0);
    hand_event(h, 1, 801, CP_EVT_CACHE_DONE, 1);
    hand_answer(h, 0, 801, 0, 0);
    sim_timer(h->sim, 801, 0);
    sim_timer(h->sim, 806, 0);
    for (unsigned i = 1; i <= 5; i++) {
        assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
        assert_int_equal(h->told, i);
        assert_true(sim_now(h->sim) == (i < 5 ? 801 : 806));
        assert_true(h->sim->sched.now == 800);
    }
    assert_string_equal(order_of(h), "e0@801 e1@801 a0@801 t0@801 t0@806");
    hand_close(h);
}

static void sends_again(struct hand *h, const struct hand_note *n)
{
    if (n->what == 'e' && n->value < 5)
        hand_cmd(h, n->where, CP_CACHE, (uint16_t)(n->value + 1));
    if (n->what == 't')
        hand_read(h, UINT64_C(1) << 48, false, 7);
}

// What a callback sends arrives a link's latency behind the callback's cycle.
static void what_a_callback_sends_is_of_its_cycle(void **state)
{
    (void)state;
    struct hand *h = hand_open(2, true, NULL);
    h->act = sends_again;
    hand_cmd(h, 1, CP_CACHE, 3);
    hand_event(h, 1, 1003, CP_EVT_CACHE_DONE, 3);
    hand_event(h, 1, 1005, CP_EVT_CACHE_DONE, 4);
    sim_timer(h->sim, 1006, 0);
    hand_event(h, 1, 1100, CP_EVT_CACHE_DONE, 5);
    h->act = sends_again;
    hand_answer(h, 1, 2000, 0, 0);
    assert_int_equal(sim_run(h->sim, 3000), SIM_STOPPED);
    assert_int_equal(h->count, 5); // the answer's place is given back, too
    static const uint64_t at[] = {0, 1003, 1005};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(h->notes[i].what == 'c' && h->notes[i].where == 1 && h->notes[i].cycle == at[i] + HAND_LINK);
        assert_int_equal(h->notes[i].cmd.id, 3 + i);
    }
    assert_true(h->notes[3].what == 'r' && h->notes[3].cycle == 1006 + HAND_LINK);
    assert_true(h->notes[4].what == 'p' && h->notes[4].cycle == 2000 + HAND_LINK);
    hand_close(h);
}

// With events of many GPUs the host's inputs are marked while they hold a message and no longer.
static void inputs_are_marked_while_they_hold_something(void **state)
{
    (void)state;
    struct hand *h = hand_open(HAND_GPUS, true, NULL);
    static const unsigned gpus[] = {0, 3, 31, 62, 63};
    uint64_t words[8];
    const uint32_t used = (h->sim->host->ins + 63) / 64;
    assert_true(used <= 8);
    for (unsigned i = 0; i < 5; i++) {
        hand_cmd(h, gpus[i], CP_CACHE, 0);
        hand_cmd(h, gpus[i], CP_CACHE, 1);
        hand_read(h, (uint64_t)(gpus[i] + 1) << 48, false, 7);
        hand_read(h, (uint64_t)(gpus[i] + 1) << 48, false, 7);
        for (unsigned n = 0; n < 2; n++) {
            hand_event(h, gpus[i], 800 + 100 * n, CP_EVT_CACHE_DONE, n);
            hand_answer(h, gpus[i] + 1, 800 + 100 * n, n, 0);
        }
    }
    for (unsigned round = 0; round < 3; round++) {
        sim_run(h->sim, 850 + 100 * (uint64_t)round - 100);
        memset(words, 0, sizeof words);
        for (unsigned i = 0; i < 5 && round < 2; i++) {
            const unsigned event = gpus[i], answer = 2 * HAND_GPUS + gpus[i] + 1;
            words[event / 64] |= UINT64_C(1) << event % 64;
            words[answer / 64] |= UINT64_C(1) << answer % 64;
        }
        assert_memory_equal(h->sim->host->waiting, words, used * sizeof *words);
        assert_int_equal(h->told, 10 * round);
    }
    hand_close(h);
}

// While models change nobody is told; what was under way is accounted for.
static void nobody_is_told_while_models_change(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    hand_cmd(h, 0, CP_CACHE, 1);
    hand_read(h, 0, false, 2);
    hand_event(h, 0, 800, CP_EVT_CACHE_DONE, 1);
    hand_answer(h, 0, 800, 0, 0);
    h->sim->settling = true;
    assert_false(sim_settled(h->sim));
    assert_int_equal(sim_run(h->sim, 1000), SIM_STOPPED);
    assert_int_equal(h->told, 0);
    assert_true(sim_settled(h->sim));
    hand_close(h);
}

// ---- ends
// The window of the last cycle is run whole, none behind it; the host's time is then the first cycle that is not run.
static void the_last_cycle(void **state)
{
    (void)state;
    static const struct {
        uint64_t most, end;
    } limits[] = {{801, 808}, {807, 808}, {808, 808}, {809, 816}};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options options = {.max_cycles = limits[i].most};
        struct hand *h = hand_open(1, true, &options);
        hand_cmd(h, 0, CP_CACHE, 1);
        for (unsigned n = 0; n < 32; n++) { // one arrives in each cycle around
            const struct msg_cp_cmd cmd = {.kind = CP_VMID};
            sched_send(h->sim->host, 0, 795 - HAND_LINK + n, &cmd);
        }
        assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_MAX_CYCLES);
        assert_true(sim_now(h->sim) == limits[i].end);
        assert_true(h->notes[h->count - 1].cycle == limits[i].end - 1);
        assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_MAX_CYCLES); // and remains so
        assert_true(sim_now(h->sim) == limits[i].end);
        hand_close(h);
    }
}

// A caller that allows less is the end before that; --max-cycles without anything to do is one, too.
static void the_last_cycle_and_the_caller(void **state)
{
    (void)state;
    const struct sim_options options = {.max_cycles = 800};
    struct hand *h = hand_open(1, true, &options);
    sim_timer(h->sim, 5000, 0);
    assert_int_equal(sim_run(h->sim, 799), SIM_STOPPED);
    assert_true(sim_now(h->sim) == 799);
    assert_int_equal(sim_run(h->sim, 5000), SIM_MAX_CYCLES);
    assert_true(sim_now(h->sim) == 800);
    assert_int_equal(h->told, 0);
    hand_close(h);
}

// How far partitions may run: to the caller's limit, the end of the window of the last cycle, the watchdog's next look.
static void limits_of_a_run(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    struct sim *sim = h->sim;
    sim->watch_cycle = 100;
    assert_true(events_limit(sim, 5000) == 5000);
    assert_true(events_limit(sim, UINT64_MAX) == 100 + SIM_WATCH_CYCLES);
    assert_true(events_limit(sim, 100 + SIM_WATCH_CYCLES - 1) == 100 + SIM_WATCH_CYCLES - 1);
    sim->options.model = SIM_GOLDEN;
    assert_true(events_limit(sim, UINT64_MAX) == UINT64_MAX);
    sim->options.max_cycles = 800;
    assert_true(events_limit(sim, UINT64_MAX) == 807);
    assert_true(events_limit(sim, 808) == 807);
    assert_true(events_limit(sim, 806) == 806);
    assert_true(events_limit(sim, 799) == 799);
    sim->options.max_cycles = UINT64_MAX - 3;
    assert_true(events_limit(sim, UINT64_MAX) == UINT64_MAX);
    sim->options.max_cycles = 0;
    sim->options.model = SIM_RTL;
    hand_close(h);
}

// Nothing is left to do: the host's time is the end of the last window in which something has happened.
static void an_idle_machine_stops(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    hand_cmd(h, 0, CP_VMID, 0);
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(h->count, 1);
    assert_true(sim_now(h->sim) == HAND_LINK + PART_WINDOW - HAND_LINK % PART_WINDOW);
    assert_true(sim_quiet(h->sim));
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_true(sim_now(h->sim) == HAND_LINK + PART_WINDOW - HAND_LINK % PART_WINDOW);
    h->sim->now = 4711; // the host was later than all of them
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_true(sim_now(h->sim) == 4711);
    hand_close(h);
}

// Idle, and the host waits: for a command, for a memory.  One with a fault waits for the host.
static void an_idle_machine_that_owes_something(void **state)
{
    (void)state;
    struct hand *h = hand_open(2, true, NULL);
    char wanted[400];
    hand_cmd(h, 1, CP_LAUNCH, 7);
    char *text = hand_said(h, UINT64_MAX, SIM_NO_PROGRESS);
    snprintf(wanted, sizeof wanted,
             "gantry: no progress at cycle %llu: all partitions are idle and no message is under way\n"
             "  host.cp waits for gpu1.hub: launch 7\n",
             (unsigned long long)h->sim->sched.now);
    assert_string_equal(text, wanted);
    free(text);
    hand_event(h, 1, 1003, CP_EVT_FAULT, 7);
    text = hand_said(h, UINT64_MAX, SIM_STOPPED);
    assert_string_equal(text, "");
    free(text);
    hand_cmd(h, 1, CP_KILL, 8);
    hand_event(h, 1, 1403, CP_EVT_KILL_DONE, 8);
    const uint64_t asked = sim_now(h->sim);
    hand_read(h, (UINT64_C(1) << 48) + 128, false, 3);
    text = hand_said(h, UINT64_MAX, SIM_NO_PROGRESS);
    snprintf(wanted, sizeof wanted,
             "gantry: no progress at cycle %llu: all partitions are idle and no message is under way\n"
             "  host.cp waits for memory1: memory request at 0x1000000000080 of cycle %llu, 1 under way, 0 to send\n",
             (unsigned long long)h->sim->sched.now, (unsigned long long)asked);
    assert_string_equal(text, wanted);
    free(text);
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_cycle_events_come_first),
        cmocka_unit_test(cycles_come_before_gpus),
        cmocka_unit_test(nothing_comes_beyond_the_limit),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(a_stop_is_at_once),
        cmocka_unit_test(what_a_callback_sends_is_of_its_cycle),
        cmocka_unit_test(inputs_are_marked_while_they_hold_something),
        cmocka_unit_test(nobody_is_told_while_models_change),
        cmocka_unit_test(the_last_cycle),
        cmocka_unit_test(the_last_cycle_and_the_caller),
        cmocka_unit_test(limits_of_a_run),
        cmocka_unit_test(an_idle_machine_stops),
        cmocka_unit_test(an_idle_machine_that_owes_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

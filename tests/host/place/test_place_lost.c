// SPDX-License-Identifier: Apache-2.0
// Workers that end, stop or do not answer (place_ask.c): who is lost and in which class, whom nobody waits for.
#include "place_bench.h"

// Nothing is asked any more of anybody.
static void nothing_is_asked(struct made *m, enum gantry_status wanted)
{
    void *text = m;
    struct ask ask = {.kind = PLACE_REPORT, .memory = 1, .a = 2, .b = 3, .bytes = 0};
    assert_false(place_ask(m->sim, 1, &ask, NULL, &text));
    assert_true(ask.kind == PLACE_REPORT && ask.memory == 0 && ask.a == 0 && ask.b == 0 && ask.bytes == 0);
    assert_null(text);
    assert_true(place_sum(m->sim, PLACE_QUIET) == 0);
    assert_int_equal(place_lost(m->sim), wanted);
    assert_int_equal(sim_lost(m->sim), wanted);
    assert_int_equal(m->failure, wanted);
}

static void a_killed_worker_is_seen(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 3, (struct sim_options){0});
    const uint64_t begin_ns = peers_clock();
    listen_to();
    kill(m.sim->place->workers->list[1].pid, SIGKILL);
    while (place_lost(m.sim) == STATUS_OK && peers_clock() - begin_ns < UINT64_C(20000000000))
        usleep(1000);
    const char *text = spoken();
    assert_non_null(strstr(text, "process worker2 (pid "));
    assert_non_null(strstr(text, "before the run did\n"));
    const unsigned before = told[1].count;
    nothing_is_asked(&m, STATUS_IO);
    assert_int_equal(told[1].count, before);
    end(&m);
}

// A worker has said why it ends: its exit status is the class.  What says nothing is an error of input or output.
static void the_class_of_an_end(void **state)
{
    (void)state;
    static const struct {
        int exit;
        enum gantry_status status;
    } ends[] = {{64, STATUS_USAGE}, {65, STATUS_CONFIG},      {66, STATUS_MISSING},     {70, STATUS_INTERNAL},
                {74, STATUS_IO},    {75, STATUS_NO_PROGRESS}, {76, STATUS_GUEST_FAULT}, {0, STATUS_IO},
                {1, STATUS_IO},     {137, STATUS_IO}};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        for (uint32_t who = 1; who <= 2; who++) { // the other one ends as one that sees it does, or not at all
            struct made m;
            open_with(&m, 3, (struct sim_options){0});
            listen_to();
            struct ask ask = {.kind = END, .a = (uint64_t)ends[i].exit};
            assert_false(place_ask(m.sim, who, &ask, NULL, NULL));
            nothing_is_asked(&m, ends[i].status);
            spoken();
            end(&m);
        }
    struct made m;
    open_with(&m, 3, (struct sim_options){0}); // the second has seen the first one's end
    listen_to();
    for (unsigned w = 1; w <= 2; w++) {
        int socket = m.sim->place->workers->list[w - 1].socket;
        ask_send(socket, &(struct ask){.kind = END, .a = w == 1 ? 66 : 74}, NULL, -1, NULL, NULL);
        while (!workers_ended(m.sim->place->workers, w, 1000))
            ;
    }
    place_give_up(m.sim);
    spoken();
    assert_int_equal(m.failure, STATUS_MISSING);
    m.failure = STATUS_OK;
    place_give_up(m.sim); // once
    assert_int_equal(m.failure, STATUS_OK);
    end(&m);
}

// One that is there and has closed its socket.
static void a_worker_that_does_not_answer(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){0});
    listen_to();
    struct ask ask = {.kind = DEAF};
    const uint64_t begin_ns = peers_clock();
    assert_false(place_ask(m.sim, 1, &ask, NULL, NULL));
    const uint64_t took = peers_clock() - begin_ns;
    assert_string_equal(spoken(), "gantry: place: a worker process does not answer\n");
    assert_true(took >= 900000000); // a second, in which it might have ended
    nothing_is_asked(&m, STATUS_IO);
    end(&m);
}

static unsigned asked;
static bool nobody_waits(void *arg)
{
    asked++;
    return *(bool *)arg;
}

// Three seconds of patience, then it is asked whether somebody still waits; one that is slow is waited for in any case,
// one that is stopped only as long as somebody does, and from then on by nobody.
static void a_slow_worker_is_waited_for(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const bool gone = n > 0, stopped = n == 2;
        bool unwanted = gone;
        struct made m;
        open_with(&m, 2, (struct sim_options){.unwanted = nobody_waits, .unwanted_arg = &unwanted});
        listen_to();
        asked = 0;
        struct ask ask = {.kind = SLOW, .a = 5};
        const pid_t pid = m.sim->place->workers->list[0].pid;
        if (stopped)
            kill(pid, SIGSTOP);
        const uint64_t begin_ns = peers_clock();
        assert_int_equal(place_ask(m.sim, 1, &ask, NULL, NULL), !stopped);
        const uint64_t took = peers_clock() - begin_ns;
        const char *said = spoken();
        assert_true(ask.a == (stopped ? 0 : 1005));
        assert_true(took > PEERS_PATIENCE_NS - 200000000 && took < 9 * UINT64_C(1000000000));
        assert_true(stopped ? asked == 1 : asked > 1 && asked < 20);
        char told_line[120];
        snprintf(told_line, sizeof told_line,
                 "gantry: place: process worker1 (pid %d) is stopped and the run is to end: it ends without it\n",
                 (int)pid);
        assert_int_equal(strstr(said, told_line) != NULL, stopped);
        if (stopped)
            nothing_is_asked(&m, STATUS_IO);
        end(&m);
        assert_true(peers_clock() - begin_ns < took + 3 * UINT64_C(1000000000));
    }
}

// The run is over and one that is to leave is stopped: it is not waited for longer than that takes to see.
static void a_stopped_worker_does_not_leave(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){0});
    listen_to();
    const pid_t pid = m.sim->place->workers->list[0].pid;
    kill(pid, SIGSTOP);
    const uint64_t begin_ns = peers_clock();
    end(&m);
    const uint64_t took = peers_clock() - begin_ns;
    char text[120];
    snprintf(text, sizeof text,
             "gantry: place: process worker1 (pid %d) is stopped and the run is over: it is ended as it is\n",
             (int)pid);
    assert_string_equal(spoken(), text);
    assert_int_equal(m.failure, STATUS_IO);
    assert_true(took > PEERS_PATIENCE_NS && took < 8 * UINT64_C(1000000000));
}

// Stopped before it has joined: told after the patience, and waited for only as long as somebody waits.
static bool stops_at_once;
static void child_begins(void)
{
    if (stops_at_once)
        raise(SIGSTOP);
}

static uint64_t wanted_until;
static bool nobody_waits_late(void *arg)
{
    (void)arg;
    return peers_clock() > wanted_until;
}

static void a_worker_that_is_stopped_at_its_beginning(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct made m;
        listen_to();
        stops_at_once = true;
        const uint64_t begin_ns = peers_clock();
        wanted_until = begin_ns + (late ? 4 : 0) * UINT64_C(1000000000);
        assert_true(begin(&m, 2, NULL, (struct sim_options){.unwanted = nobody_waits_late}));
        stops_at_once = false;
        assert_true(machine_build(m.sim) && machine_threads(m.sim, false));
        char text[120] = "";
        if (late)
            snprintf(text, sizeof text,
                     "gantry: place: process worker1 (pid %d) is stopped; the run waits until it goes on\n",
                     (int)m.sim->place->workers->list[0].pid);
        assert_false(place_join(m.sim));
        assert_string_equal(spoken(), text);
        assert_int_equal(m.failure, STATUS_IO);
        end(&m);
        assert_true(peers_clock() - begin_ns < (late ? 8 : 4) * UINT64_C(1000000000));
    }
}

int main(void)
{
    pthread_atfork(NULL, NULL, child_begins);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_worker_is_seen),         cmocka_unit_test(the_class_of_an_end),
        cmocka_unit_test(a_worker_that_does_not_answer),   cmocka_unit_test(a_slow_worker_is_waited_for),
        cmocka_unit_test(a_stopped_worker_does_not_leave), cmocka_unit_test(a_worker_that_is_stopped_at_its_beginning),
    };
    return cmocka_run_group_tests(tests, shared_make, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * When target time that stands still is the end, and what is then told (standstill.h; B.7).
 */
#include "../driver/bench.h"

#include <stdio.h>
#include <time.h>

#include "clock/standstill.h"

static FILE *said; /* what was written to stderr */
static int own_stderr;

static int still_setup(void **state)
{
    if (setup(state))
        return -1;
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset;
    b->config.cfg.clock_watchdog = 0.2;
    assert_int_equal(queue_new(b, 0, 0, &id, &offset), 0); /* starts the machine */
    b->client[0]->ended = b->client[1]->ended = true;      /* whose threads wait for something outside */
    said = tmpfile();
    own_stderr = dup(2);
    fflush(stderr);
    dup2(fileno(said), 2);
    fake_wheres = 0;
    return 0;
}

static int still_teardown(void **state)
{
    struct bench *b = *state;
    fflush(stderr);
    dup2(own_stderr, 2);
    close(own_stderr);
    fclose(said);
    b->client[0]->ended = b->client[1]->ended = false;
    return teardown(state);
}

static const char *text_said(void)
{
    static char all[8192];
    fflush(stderr);
    rewind(said);
    all[fread(all, 1, sizeof all - 1, said)] = 0;
    return all;
}

/* A thread that waits, of a client that is asked nothing. */
static struct conn *thread_add(struct bench *b, pid_t tid, enum conn_state state, uint64_t arg, uint32_t index)
{
    struct conn *conn = calloc(1, sizeof *conn), **link = &b->d->conns;
    *conn = (struct conn){.fd = -1,
                          .pid = 77,
                          .client = b->client[0],
                          .tid = tid,
                          .state = state,
                          .request = {.arg = arg, .index = index}};
    while (*link)
        link = &(*link)->next;
    *link = conn;
    return conn;
}

/* The limit counts from the last request or move of the clock on. */
static void the_watchdog_waits_for_its_limit(void **state)
{
    struct bench *b = *state;
    struct still s = {0};
    for (unsigned round = 0; round < 4; round++) {
        assert_false(still_ended(b->d, &s, round & 1));
        assert_false(still_ended(b->d, &s, round & 1));
        usleep(250000);
        if (round == 0)
            b->d->requests++;
        else if (round == 1)
            still_reset(&s);
        else if (round == 2) {
            machine_timer(b->d->machine, client_cycle(b->d) + 5);
            machine_run(b->d->machine, client_cycle(b->d) + 5);
        }
    }
    assert_string_equal(text_said(), "");
    assert_true(still_ended(b->d, &s, false));
    assert_non_null(strstr(text_said(), "target time has stood still for 0.2 s of host time (clock.watchdog)\n"));
    assert_int_equal(fake_wheres, 1);
}

/* Who waits for something outside may go on: the time begins again. */
static void what_comes_from_outside_is_waited_for(void **state)
{
    struct bench *b = *state;
    struct still s = {0};
    assert_false(still_ended(b->d, &s, true));
    usleep(250000);
    b->client[1]->ended = false; /* it pauses */
    assert_false(still_ended(b->d, &s, true));
    b->client[1]->ended = true;
    assert_false(still_ended(b->d, &s, true));
    assert_false(still_ended(b->d, &s, true));
    usleep(250000);
    assert_true(still_ended(b->d, &s, true));
}

/* Nothing can happen any more: seen after two seconds without a limit, unless a thread may end its wait by itself. */
static void deadlocks_need_no_limit(void **state)
{
    struct bench *b = *state;
    struct still s = {0};
    b->config.cfg.clock_watchdog = 0;
    assert_false(still_ended(b->d, &s, true));
    usleep(1000000);
    assert_false(still_ended(b->d, &s, true));
    usleep(1200000);
    assert_false(still_ended(b->d, &s, false)); /* something may happen */
    struct conn *polls = thread_add(b, 5, CONN_PARK, PARK_YIELD, 0);
    assert_false(still_ended(b->d, &s, true)); /* a loop of the program's own */
    polls->request.arg = 0x1234, polls->request.index = PARK_LIMITED;
    assert_false(still_ended(b->d, &s, true));
    polls->request.index = 0;
    assert_string_equal(text_said(), "");
    assert_true(still_ended(b->d, &s, true));
    assert_non_null(strstr(text_said(), "no thread can go on, and nothing can happen on any GPU\n"));
    assert_non_null(strstr(text_said(), "  process 77 thread 5 polls a signal at libhsa-runtime64+0x1234\n"));
}

/* Without a machine there is no time that could stand still. */
static void no_clock_stands_still(void **state)
{
    struct bench *b = *state;
    const struct sim_options options = {.model = SIM_GOLDEN};
    struct driver *d = driver_new(&b->config.cfg, &options);
    struct still s = {0};
    assert_false(still_ended(d, &s, true));
    usleep(250000);
    assert_false(still_ended(d, &s, true));
    driver_delete(d);
}

/* shows B.7: every thread that waits for the driver, in words */
static void all_that_wait_are_told(void **state)
{
    static const char *const words[] = {
        "thread 1 sleeps until cycle 1234\n", "thread 2 polls one signal or read index\n",
        "thread 3 polls with sched_yield\n",  "thread 4 polls a signal at libhsa-runtime64+0x42, with a time limit\n",
        "thread 5 polls with sched_yield\n",  "thread 6 polls a signal at libhsa-runtime64+0xdfffff\n",
        "thread 7 waits for event\n",
    };
    struct bench *b = *state;
    struct still s = {0};
    thread_add(b, 1, CONN_SLEEP, 0, 0)->deadline = 1234;
    thread_add(b, 2, CONN_PARK, PARK_LOAD, 0);
    thread_add(b, 3, CONN_PARK, PARK_YIELD, 0);
    thread_add(b, 4, CONN_PARK, 0x42, PARK_LIMITED);
    thread_add(b, 5, CONN_PARK, PARK_LOAD - 1, PARK_LIMITED);
    thread_add(b, 6, CONN_PARK, PARK_YIELD - 1, 0);
    thread_add(b, 7, CONN_WAIT, 0, 0);
    thread_add(b, 8, CONN_RUNNING, 0, 0);
    thread_add(b, 9, CONN_PARK, 0, 0)->client = NULL;
    assert_false(still_ended(b->d, &s, false));
    usleep(250000);
    assert_true(still_ended(b->d, &s, false));
    const char *at = text_said();
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        at = strstr(at, words[i]); /* in this order */
        assert_non_null(at);
    }
    assert_null(strstr(text_said(), "thread 8"));
    assert_null(strstr(text_said(), "thread 9"));
}

#define STILL(f) cmocka_unit_test_setup_teardown(f, still_setup, still_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        STILL(the_watchdog_waits_for_its_limit), STILL(what_comes_from_outside_is_waited_for),
        STILL(deadlocks_need_no_limit),          STILL(no_clock_stands_still),
        STILL(all_that_wait_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

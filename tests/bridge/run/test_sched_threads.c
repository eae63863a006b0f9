/* SPDX-License-Identifier: Apache-2.0
 * Groups shared out among threads, the team played by the test: from how many on, which, and what they send each other
 * meanwhile: it is delivered when all are through, whatever the order in which they ran.
 * libs: -Wl,--wrap=team_run,--wrap=team_new,--wrap=team_free
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/sched.h"
#include "bridge/run/thread_team.h"

enum { GROUPS = 6 };

static struct sched s;
static struct part *parts[GROUPS];
static unsigned shared, shared_count, visits[GROUPS];
static bool backwards, sends;

/* Runs the pieces by itself, in either order. */
void __wrap_team_run(struct team *team, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx);
void __wrap_team_run(struct team *team, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx)
{
    assert_ptr_equal(team, s.team);
    assert_true(s.apart && ctx == &s);
    shared++;
    shared_count = count;
    for (uint32_t n = 0; n < count; n++)
        work(ctx, backwards ? count - 1 - n : n);
}

/* Makes them unless told not to. */
static unsigned teams, team_size;
static bool no_threads;
struct team *__real_team_new(unsigned threads);
struct team *__wrap_team_new(unsigned threads);
struct team *__wrap_team_new(unsigned threads)
{
    teams++;
    team_size = threads;
    return no_threads ? NULL : __real_team_new(threads);
}

static struct team *given_back;
void __real_team_free(struct team *team);
void __wrap_team_free(struct team *team);
void __wrap_team_free(struct team *team)
{
    given_back = team;
    __real_team_free(team);
}

static struct {
    uint64_t cycle, value;
    uint32_t slot;
} came[100];
static unsigned came_count;
static bool apart_seen;

/* Output k leads to group k; a message is its sender and the cycle. */
static void group_visit(struct part *part, uint64_t from)
{
    visits[part->group]++;
    apart_seen |= s.apart;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            came[came_count].cycle = from + c;
            came[came_count].slot = part->due[c][i].slot;
            came[came_count++].value = *(const uint64_t *)part->due[c][i].data;
        }
    }
    for (uint32_t k = 0; sends && k < 2; k++) { /* two to the next group, one to itself, in one cycle */
        uint64_t value = 1000 * part->group + 10 * k;
        sched_send(part, (part->group + 1) % GROUPS, from + 3, &value);
    }
    if (sends) {
        uint64_t value = 1000 * part->group + 1;
        sched_send(part, part->group, from + 3, &value);
        for (uint32_t k = 0; k < GROUPS; k++) /* what goes to another is not there before all are through */
            if (k != part->group)
                assert_int_equal(channel_count(&part->out[k]->channel), s.apart                           ? 0
                                                                        : k == (part->group + 1) % GROUPS ? 2
                                                                                                          : 0);
        assert_int_equal(channel_count(&part->out[part->group]->channel), 1);
    }
    part->idle = true;
}
static const struct part_ops ops = {.visit = group_visit};

static void bench_open(unsigned threads)
{
    sched_init(&s);
    s.threads = threads;
    for (unsigned g = 0; g < GROUPS; g++) {
        char name[8];
        snprintf(name, sizeof name, "g%u", g);
        parts[g] = part_new(&ops, name, GROUPS, GROUPS, NULL);
        parts[g]->group = g;
        sched_add(&s, parts[g]);
    }
    for (unsigned a = 0; a < GROUPS; a++)
        for (unsigned b = 0; b < GROUPS; b++)
            sched_connect(&s, parts[a], b, parts[b], a, 8, 16, 4);
    assert_true(sched_start(&s));
    shared = shared_count = came_count = 0;
    apart_seen = sends = backwards = false;
    memset(visits, 0, sizeof visits);
}

/* Four groups with something to do are shared out, three are not; who has nothing to do is left out. */
static void test_how_many_are_shared_out(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        for (unsigned ready = 1; ready <= GROUPS; ready++) {
            bench_open(threads);
            for (unsigned k = 0; k < ready; k++)
                sched_wake(&s, parts[GROUPS - 1 - k], 5);
            sched_run(&s, 1);
            assert_int_equal(shared, threads == 2 && ready >= 4);
            assert_int_equal(shared_count, threads == 2 && ready >= 4 ? ready : 0);
            assert_int_equal(apart_seen, threads == 2 && ready >= 4);
            for (unsigned g = 0; g < GROUPS; g++)
                assert_int_equal(visits[g], g >= GROUPS - ready);
            assert_true(!s.apart && s.now == PART_WINDOW);
            sched_fini(&s);
        }
    }
}

/* The same messages, at the same cycles, in the same order, as on one thread. */
static void test_mail(void **state)
{
    static struct {
        uint64_t cycle, value;
        uint32_t slot;
    } first[100];
    (void)state;
    for (unsigned how = 0; how < 3; how++) { /* one thread; two; two, backwards */
        bench_open(how ? 2 : 1);
        backwards = how == 2;
        sends = true;
        for (unsigned g = 0; g < GROUPS; g++)
            sched_wake(&s, parts[g], 0);
        sched_run(&s, 1);
        sends = false;
        for (unsigned g = 0; g < GROUPS; g++) {
            assert_int_equal(s.groups[g].outbox_used, 0);
            assert_int_equal(channel_count(&parts[g]->out[(g + 1) % GROUPS]->channel), 2);
            assert_int_equal(channel_stamp(&parts[g]->out[(g + 1) % GROUPS]->channel, 0), 19);
            assert_int_equal(channel_stamp(&parts[g]->out[(g + 1) % GROUPS]->channel, 1), 20);
            assert_int_equal(*(const uint64_t *)channel_payload(&parts[g]->out[(g + 1) % GROUPS]->channel, 1),
                             1000 * g + 10);
        }
        assert_int_equal(sched_next(&s), 16);
        s.now = 16;
        backwards = false;
        sched_run(&s, 1);
        assert_int_equal(came_count, 3 * GROUPS);
        for (unsigned n = 0; n < came_count; n++) {
            if (how == 0) {
                first[n].cycle = came[n].cycle;
                first[n].value = came[n].value;
                first[n].slot = came[n].slot;
            }
            assert_true(came[n].cycle == first[n].cycle && came[n].value == first[n].value &&
                        came[n].slot == first[n].slot);
        }
        assert_true(sched_quiet(&s));
        sched_fini(&s);
    }
}

/* One thread needs no team; more are told when they cannot be made. */
static void test_start(void **state)
{
    static const struct part_ops none = {.visit = group_visit};
    (void)state;
    for (unsigned threads = 0; threads < 4; threads++) {
        for (unsigned fails = 0; fails < 2; fails++) {
            sched_init(&s);
            s.threads = threads;
            sched_add(&s, part_new(&none, "a", 0, 0, NULL));
            teams = 0;
            no_threads = fails;
            assert_int_equal(sched_start(&s), threads < 2 || !fails);
            assert_int_equal(teams, threads >= 2);
            assert_true(threads < 2 || team_size == threads);
            assert_int_equal(s.team != NULL, threads >= 2 && !fails);
            no_threads = false;
            const struct team *had = s.team;
            given_back = NULL;
            sched_fini(&s);
            assert_ptr_equal(given_back, had);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_many_are_shared_out),
        cmocka_unit_test(test_mail),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

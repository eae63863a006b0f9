// SPDX-License-Identifier: Apache-2.0
// Two processes that wait for each other by turns: a sleeper is woken, not found at the next look.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/region_wait.h"
#include "peers_bench.h"

struct turns {
    struct region *r;
    struct link *in, *out;
    uint64_t got;
};
static bool something(void *ctx)
{
    struct turns *t = ctx;
    return t->in->transport->peek(t->in) != t->got;
}

/* Ball number n is sent by one, then by the other, with rests that let the one who waits fall asleep. */
static enum region_end play(struct turns *t, unsigned balls, bool begins, uint64_t next)
{
    enum region_end end = REGION_GO;
    uint64_t ball = 0;
    while (t->got < balls && end == REGION_GO) {
        if (begins) {
            usleep(5000);
            link_send(t->out, 100 * (t->out->sent + 1), &ball);
            t->out->transport->promise(t->out, 100 * t->out->sent + 1);
        }
        begins = true;
        struct region_waiter w = {.next = next,
                                  .need = UINT64_MAX,
                                  .reach = 10,
                                  .sent = t->out->sent,
                                  .received = t->got,
                                  .look = something,
                                  .ctx = t,
                                  .in = &t->in,
                                  .count = 1};
        end = region_wait(t->r, &w);
        t->got = t->in->transport->peek(t->in);
        t->in->transport->done(t->in, t->got);
    }
    return end;
}

static void turns_open(struct turns *t, int fd, uint32_t self)
{
    static const char *const names[] = {"a:0 -> b:0", "b:0 -> a:0"};
    t->r = join(fd, self);
    t->in = calloc(1, sizeof *t->in);
    t->out = calloc(1, sizeof *t->out);
    link_init(t->out, &transport_shm, names[self], true, 8, 10, 4);
    link_init(t->in, &transport_shm, names[1 - self], false, 8, 10, 4);
    assert_true(peers_greet(t->r, 30) && t->out->transport->open(t->out, t->r) && t->in->transport->open(t->in, t->r));
}

static void test_sleepers_are_woken(void **state)
{
    static const struct region_link links[] = {{"a:0 -> b:0", 8, 10, 4, 0, 1}, {"b:0 -> a:0", 8, 10, 4, 1, 0}};
    enum { BALLS = 100 };
    struct region_plan plan = {PROCESSES, 2, links, 2, REGION_NONE};
    int fd = region_create(&plan), status;
    struct turns t = {0};
    (void)state;
    assert_true(fd >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        turns_open(&t, fd, 1);
        enum region_end end = play(&t, BALLS, false, 5000);
        uint64_t ball = 0;
        link_send(t.out, 100 * (t.out->sent + 1), &ball); /* the last one back */
        t.out->transport->promise(t.out, UINT64_MAX);
        _exit(end == REGION_GO ? 0 : 1);
    }
    turns_open(&t, fd, 0);
    uint64_t begin = peers_clock();
    assert_int_equal(play(&t, BALLS, true, 5000), REGION_GO);
    uint64_t took = peers_clock() - begin; /* 2 x BALLS rests of 5 ms; found by looks alone: 100 ms each */
    assert_true(took > 2 * BALLS * UINT64_C(5000000) && took < BALLS * UINT64_C(100000000));
    assert_int_equal(atomic_load(&region_entry(t.r, 0)->state), REGION_RUNS);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    t.in->transport->close(t.in);
    t.out->transport->close(t.out);
    region_close(t.r);
    free(t.in);
    free(t.out);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sleepers_are_woken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Interrupts of wavefronts: when they are served, and that none is lost (S0.8).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static void interrupt_send(struct bench *b, uint64_t at)
{
    const struct msg_cp_cmd *launch = command_last(b, CP_LAUNCH);
    fake_add(b->sim,
             (struct fake_due){.at = at, .evt = {.kind = CP_EVT_INTERRUPT, .id = launch->id, .vmid = launch->vmid}});
}

static void endless_runs(struct bench *b)
{
    queue_open(b, 0, 0, 0);
    fake_launch = endless;
    kernel_put(b, 0, 0x1502, 0);
    ring(b, 0);
    run(b);
}

/* shows S0.8: The store that belongs to an interrupt may come after it: each is served its time after it came. */
static void interrupts_are_served_after_their_time(void **state)
{
    struct bench *b = *state;
    endless_runs(b);
    uint64_t start = sim_now(b->sim) + 1000;
    interrupt_send(b, start);
    interrupt_send(b, start + 100); /* the first is not served yet */
    interrupt_send(b, start + 300);
    const struct {
        uint64_t cycle;
        unsigned served;
    } seen[] = {{699, 0}, {700, 1}, {999, 1}, {1000, 2}, {5000, 2}};
    for (unsigned i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        sim_run(b->sim, start + seen[i].cycle);
        assert_int_equal(b->interrupts, seen[i].served);
    }
    start = sim_now(b->sim) + 1000;
    interrupt_send(b, start);
    sim_run(b->sim, start + 10);
    cp_space_close(b->cp[0], &b->space[0][0]); /* nobody is left to be told */
    run(b);
    assert_int_equal(b->interrupts, 2);
    assert_int_equal(b->closed, 1);
}

/* The wavefronts of a closing space may send interrupts until they are killed.  Its owner may be freed as soon as it is
 * told that the space is closed, so nobody is told of an interrupt from then on. */
static void closing_spaces_are_let_go(void **state)
{
    struct bench *b = *state;
    endless_runs(b);
    interrupt_send(b, sim_now(b->sim) + 10); /* before the kill is answered; due to be served after that */
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_int_equal(b->closed, 0);
    while (!b->closed)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(b->interrupts, 0);
    run(b);
    assert_int_equal(b->interrupts, 0);
    assert_null(b->space[0][0].next_interrupted);
}

/* shows S0.8: Two address spaces by turns: what one sends again comes before what the other sent later. */
static void spaces_do_not_hide_each_other(void **state)
{
    struct bench *b = *state;
    uint16_t id[2];
    fake_launch = endless;
    for (unsigned c = 0; c < 2; c++) {
        queue_open(b, c, c, 0);
        kernel_put(b, c, 0x1502, 0);
        ring(b, c);
        run(b);
        id[c] = command_last(b, CP_LAUNCH)->id;
    }
    uint64_t start = sim_now(b->sim) + 1000;
    const struct {
        unsigned client, cycle;
    } sent[] = {{0, 0}, {0, 100}, {1, 200}};
    for (unsigned i = 0; i < 3; i++)
        fake_add(b->sim, (struct fake_due){.at = start + sent[i].cycle,
                                           .evt = {.kind = CP_EVT_INTERRUPT, .id = id[sent[i].client]}});
    for (unsigned i = 0; i < 3; i++) {
        sim_run(b->sim, start + sent[i].cycle + 699);
        assert_int_equal(b->interrupts, i);
        sim_run(b->sim, start + sent[i].cycle + 700);
        assert_int_equal(b->interrupts, i + 1);
    }
    sim_run(b->sim, start + 5000);
    assert_int_equal(b->interrupts, 3);
    fake_add(b->sim, (struct fake_due){.at = start + 6000, .evt = {.kind = CP_EVT_INTERRUPT, .id = id[0]}});
    sim_run(b->sim, start + 9000); /* one alone brings none of the other along */
    assert_int_equal(b->interrupts, 4);
    assert_null(b->cp[0]->interrupted);
}

/* Two spaces have one each to be served, at the same cycle or not; one closes before, between or after: the other hears
 * its own once, and nobody is waited for any more. */
static void a_space_closes_beside_another(void **state)
{
    for (unsigned n = 0; n < 12; n++) {
        const unsigned apart = n & 1 ? 100 : 0, gone = n >> 1 & 1, when = n / 4 * 400; /* 0, 400: before; 800: after */
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        uint16_t id[2];
        fake_launch = endless;
        for (unsigned c = 0; c < 2; c++) {
            queue_open(b, c, c, 0);
            kernel_put(b, c, 0x1502, 0);
            ring(b, c);
            run(b);
            id[c] = command_last(b, CP_LAUNCH)->id;
        }
        const uint64_t start = sim_now(b->sim) + 10;
        for (unsigned c = 0; c < 2; c++)
            fake_add(b->sim,
                     (struct fake_due){.at = start + c * apart, .evt = {.kind = CP_EVT_INTERRUPT, .id = id[c]}});
        sim_timer(b->sim, start + 5000, cookie_of(b->cp[0], COOKIE_POLL));
        sim_run(b->sim, start + apart + when);
        assert_int_equal(b->interrupts, when == 800 ? 2 : 0);
        assert_ptr_equal(b->cp[0]->interrupted, when == 800 ? NULL : &b->space[0][0]); /* in their order */
        cp_space_close(b->cp[0], &b->space[gone][0]);
        for (const struct cp_space *s = b->cp[0]->interrupted; s; s = s->next_interrupted)
            assert_ptr_equal(s, &b->space[!gone][0]);
        run(b);
        assert_int_equal(b->interrupts, when == 800 ? 2 : 1);
        assert_null(b->cp[0]->interrupted);
        assert_int_equal(b->closed, 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(interrupts_are_served_after_their_time),
        TEST(spaces_do_not_hide_each_other),
        TEST(closing_spaces_are_let_go),
        TEST(a_space_closes_beside_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

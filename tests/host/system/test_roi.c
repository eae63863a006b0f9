/* SPDX-License-Identifier: Apache-2.0
 * What a run is to do on its way, at the machine behind the driver: kernels of the region of interest on one model and
 * all others on the other, nobody across a border while anything runs; checkpoints at their kernel or cycle, unseen by
 * who runs the machine; the end behind a kernel.
 */
#include "../driver/packets.h"

static struct kernel_row *row(struct bench *b, unsigned n)
{
    assert_true(n < b->d->row_count);
    return &b->d->rows[n];
}

/* The model that had the turn when launch number n was sent, and when. */
static enum sim_model launched(struct bench *b, unsigned n, uint64_t *at)
{
    for (unsigned i = 0; i < fake(b)->logged; i++)
        if (fake(b)->log[i].cmd.kind == CP_LAUNCH && n-- == 0) {
            *at = fake(b)->log[i].at;
            return fake(b)->log[i].model;
        }
    fail_msg("no such launch");
    return SIM_RTL;
}

static uint64_t three_thousand(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 3000;
}

/* Seven kernels without barriers on queues of two GPUs, all there at once. */
static void seven_kernels(struct bench *b)
{
    fake_launch = three_thousand;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 1, 1)};
    for (unsigned n = 0; n < 7; n++) {
        struct sender *one = &s[n & 1];
        sender_kernel(b, one, 0, 0);
        guest_put(b, one, one->ring + (one->packets - 1) * 64, KERNEL_HEADER & ~0x100u, 2);
    }
    sender_ring(b, &s[0]);
    sender_ring(b, &s[1]);
    assert_true(queue_doorbells(b->d));
    run_dry(b);
    assert_int_equal(b->d->row_count, 7);
}

/* shows B.6: 3 to 5 of seven. */
static void a_region(void **state)
{
    struct bench *b = *state;
    uint64_t at, before = 0;
    b->goals = (struct goals){.roi_first = 3, .roi_last = 5};
    seven_kernels(b);
    assert_int_equal(fake(b)->switches, 3);
    for (unsigned n = 0; n < 7; n++) {
        assert_true(row(b, n)->number == n + 1); /* one GPU after the other: they start as they end */
        const bool inside = n >= 2 && n < 5;
        assert_int_equal(launched(b, n, &at), inside ? SIM_RTL : SIM_GOLDEN);
        assert_int_equal(row(b, n)->untimed, !inside);
        if (n == 2 || n == 5)
            assert_true(at > before + 3000); /* everything before the border had ended */
        else if (n)
            assert_true(at < before + 3000); /* elsewhere kernels overlap as ever */
        before = at;
    }
}

/* Of one kernel, from the first on; and one that is never reached: the golden model has the turn throughout. */
static void regions_at_the_ends(void **state)
{
    struct bench *b = *state;
    uint64_t at;
    b->goals = (struct goals){.roi_first = 1, .roi_last = 1};
    seven_kernels(b);
    for (unsigned n = 0; n < 7; n++) {
        assert_int_equal(launched(b, n, &at), n ? SIM_GOLDEN : SIM_RTL);
        assert_int_equal(row(b, n)->untimed, n > 0);
    }
}

static void a_region_behind_the_end(void **state)
{
    struct bench *b = *state;
    uint64_t at;
    b->goals = (struct goals){.roi_first = 8, .roi_last = 9};
    seven_kernels(b);
    for (unsigned n = 0; n < 7; n++)
        assert_int_equal(launched(b, n, &at), SIM_GOLDEN);
    assert_true(row(b, 6)->untimed);
}

/* Without a region nothing is switched, and every kernel has cycles. */
static void no_region(void **state)
{
    struct bench *b = *state;
    seven_kernels(b);
    assert_int_equal(fake(b)->switches, 0);
    assert_false(row(b, 0)->untimed || row(b, 6)->untimed);
}

/* shows S4.7: the machine stops behind the kernel for its checkpoint and goes on by itself. */
static void a_checkpoint_behind_a_kernel(void **state)
{
    struct bench *b = *state;
    b->goals = (struct goals){.checkpoint = "folder", .checkpoint_kernel = 2};
    seven_kernels(b);
    assert_true(b->goals.tried);
    assert_int_equal(b->goals.kernels, 7);
    assert_true(fake(b)->saved_at >= row(b, 1)->end && fake(b)->saved_at < row(b, 2)->end);
}

static uint64_t first_is_slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)cmd, (void)evt;
    return gpu == 0 ? 9000 : 1000;
}

/* shows S4.7: a kernel is counted as it starts, in the table and for the goals, also where one behind it ends first. */
static void numbers_are_of_the_start(void **state)
{
    struct bench *b = *state;
    b->goals = (struct goals){.checkpoint = "folder", .checkpoint_kernel = 1};
    fake_launch = first_is_slow;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 1, 1)};
    for (unsigned n = 0; n < 2; n++) {
        sender_kernel(b, &s[n], 0, 0);
        sender_ring(b, &s[n]);
    }
    assert_true(queue_doorbells(b->d));
    run_dry(b);
    assert_int_equal(b->d->row_count, 2);
    assert_true(row(b, 0)->number == 2 && row(b, 0)->gpu == 1);
    assert_true(row(b, 1)->number == 1 && row(b, 1)->gpu == 0);
    assert_true(b->goals.tried && fake(b)->saved_at >= row(b, 1)->end);
}

/* shows S4.7: at the very cycle, in the middle of a run to somewhere else. */
static void a_checkpoint_at_a_cycle(void **state)
{
    struct bench *b = *state;
    b->goals = (struct goals){.checkpoint = "folder", .checkpoint_cycle = 4321};
    struct sender s = sender_new(b, 0, 0, 0);
    (void)s;
    machine_timer(b->d->machine, 9000);
    assert_int_equal(machine_run(b->d->machine, 8000), MACHINE_UNTIL);
    assert_int_equal(machine_now(b->d->machine), 8000);
    assert_int_equal(fake(b)->saved_at, 4321);
    assert_int_equal(machine_run(b->d->machine, UINT64_MAX), MACHINE_VISIBLE);
    assert_int_equal(machine_now(b->d->machine), 9000);
}

/* shows S4.7: the run ends behind the kernel, and does not go on. */
static void the_end_behind_a_kernel(void **state)
{
    struct bench *b = *state;
    b->goals = (struct goals){.exit_after = 2};
    struct sender s = sender_new(b, 0, 0, 0);
    fake_launch = three_thousand;
    for (unsigned n = 0; n < 3; n++)
        sender_kernel(b, &s, 0, 0);
    sender_ring(b, &s);
    assert_true(queue_doorbells(b->d));
    enum machine_result result = MACHINE_UNTIL;
    for (unsigned i = 0; i < 100 && result != MACHINE_EXIT_AFTER; i++)
        result = machine_run(b->d->machine, machine_now(b->d->machine) + 5000);
    assert_int_equal(result, MACHINE_EXIT_AFTER);
    assert_int_equal(b->d->row_count, 2);
    const uint64_t end = machine_now(b->d->machine);
    assert_int_equal(machine_run(b->d->machine, UINT64_MAX), MACHINE_EXIT_AFTER);
    assert_int_equal(machine_now(b->d->machine), end);
    machine_unfinished(b->d->machine);
    assert_int_equal(b->goals.kernels, 2); /* what had not ended does not count */
    b->d->moved = true;
    assert_int_equal(gate_advance(b->d), GATE_EXIT_AFTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_region),
        TEST(regions_at_the_ends),
        TEST(a_region_behind_the_end),
        TEST(no_region),
        TEST(a_checkpoint_behind_a_kernel),
        TEST(numbers_are_of_the_start),
        TEST(a_checkpoint_at_a_cycle),
        TEST(the_end_behind_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

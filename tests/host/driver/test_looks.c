/* SPDX-License-Identifier: Apache-2.0
 * When queues that wait look at memory again, and what is on its way when a client ends: no result depends on the
 * host's time (B.4).
 */
#include "packets.h"

#define BARRIER_AND 0x103u /* without fences */
#define SIGNAL_VALUE 8u

static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 1000000;
}

static void sender_barrier(struct bench *b, struct sender *s, uint64_t wanted, uint64_t done)
{
    uint64_t at = s->ring + s->packets++ % 64 * 64;
    for (unsigned i = 0; i < 5; i++)
        guest_put(b, s, at + 8 + 8 * i, i ? 0 : wanted, 8);
    guest_put(b, s, at + 0x38, done, 8);
    guest_put(b, s, at, BARRIER_AND, 2);
    guest_put(b, s, s->ring + 0x1050, s->packets, 8);
    sender_ring(b, s);
}

static void signal_put(struct bench *b, const struct sender *s, uint64_t at, uint64_t value)
{
    guest_put(b, s, at, 1, 8);
    guest_put(b, s, at + SIGNAL_VALUE, value, 8);
    for (unsigned i = 16; i < 64; i += 8)
        guest_put(b, s, at + i, 0, 8);
}

/* shows B.4: A kernel's store to a signal is found at the next look of the command processor, at whatever moment the
 * host looks around; what a client has done meanwhile is found at once. */
static void the_border_of_a_slice_changes_nothing(void **state)
{
    struct bench *b = *state;
    const uint64_t wanted = b->ring[0] + SIGNAL_AT, done = wanted + 64;
    struct sender kernel = sender_new(b, 0, 1, 0), waits = sender_new(b, 0, 0, 1);
    for (unsigned client = 0; client < 2; client++) {
        signal_put(b, &waits, wanted, 1);
        signal_put(b, &waits, done, 1);
        fake_launch = slow;
        sender_kernel(b, &kernel, 0, 0);
        sender_ring(b, &kernel);
        sender_barrier(b, &waits, wanted, done);
        assert_true(queue_doorbells(b->d));
        machine_timer(b->d->machine, machine_now(b->d->machine) + 20000);
        machine_run(b->d->machine, machine_now(b->d->machine) + 20000);
        machine_run(b->d->machine, machine_now(b->d->machine) + 20000);
        fake_launch = NULL;
        const unsigned before = fake(b)->accesses;
        guest_put(b, &waits, wanted + SIGNAL_VALUE, 0, 8);
        b->d->moved = client;
        machine_timer(b->d->machine, machine_now(b->d->machine) + 1000);
        gate_advance(b->d);
        assert_int_equal(fake(b)->accesses > before, client); /* GPU 0 has no kernel: it has nothing to look for */
        run_dry(b);
        assert_int_equal(guest_get(b, &waits, done + SIGNAL_VALUE), 0); /* the kernel has ended */
    }
}

/* What a command processor has written releases a queue of another GPU as soon as the clock has stood still. */
static void signals_release_queues_elsewhere(void **state)
{
    struct bench *b = *state;
    const uint64_t first = b->ring[0] + SIGNAL_AT;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 1, 1)};
    for (unsigned i = 0; i < 5; i++)
        signal_put(b, &s[0], first + 64 * i, 1);
    for (unsigned i = 0; i < 4; i++) /* a chain that goes to and fro */
        sender_barrier(b, &s[i & 1], first + 64 * i, first + 64 * (i + 1));
    assert_true(queue_doorbells(b->d));
    run_dry(b);
    assert_int_equal(guest_get(b, &s[0], first + 64 + SIGNAL_VALUE), 1);
    guest_put(b, &s[0], first + SIGNAL_VALUE, 0, 8);
    machine_poll(b->d->machine);
    while (machine_run(b->d->machine, UINT64_MAX) != MACHINE_IDLE)
        ;
    for (unsigned i = 1; i < 5; i++)
        assert_int_equal(guest_get(b, &s[0], first + 64 * i + SIGNAL_VALUE), 0);
}

/* shows B.4: Whether the clock ran between a client's last request and its end does not show in the cycle at which what
 * it had is torn down; nor does a kernel that never ends hold that up. */
static void a_client_ends_when_nothing_is_on_its_way(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    sender_run(b, &s);
    const uint64_t last = machine_now(b->d->machine) + 152;
    fake_add(fake(b), (struct fake_due){.at = last, .evt = {.id = 0xff}});
    const unsigned from = fake(b)->logged;
    client_end(b->d, b->client[0]);
    assert_true(machine_now(b->d->machine) == last);
    assert_int_equal(fake(b)->log[from].cmd.kind, CP_VMID);
    assert_true(fake(b)->log[from].at == last);
    struct sender other = sender_new(b, 1, 0, 0);
    fake_launch = endless;
    sender_kernel(b, &other, 0, 0);
    sender_ring(b, &other);
    assert_true(queue_doorbells(b->d));
    while (commands(b, from, 0, CP_LAUNCH, 0) == 0)
        machine_run(b->d->machine, machine_now(b->d->machine) + 10);
    fake_launch = NULL;
    fake_add(fake(b), (struct fake_due){.at = machine_now(b->d->machine) + 5000, .evt = {.id = 0xff}});
    const uint64_t now = machine_now(b->d->machine);
    client_end(b->d, b->client[1]);
    assert_true(machine_now(b->d->machine) == now);
    run_dry(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_border_of_a_slice_changes_nothing),
        TEST(signals_release_queues_elsewhere),
        TEST(a_client_ends_when_nothing_is_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The gated clock, one step at a time: who is answered when (docs/reference/clock.md; S0.8).
 */
#include <sys/socket.h>

#include "packets.h"

/* A thread of a client that waits; its end of the connection. */
static int thread_add(struct bench *b, unsigned client, pid_t tid, enum conn_state state, uint64_t deadline)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    struct conn *conn = calloc(1, sizeof *conn), **link = &b->d->conns;
    *conn = (struct conn){.fd = ends[0], .client = b->client[client], .tid = tid, .state = state, .deadline = deadline};
    while (*link)
        link = &(*link)->next;
    *link = conn;
    return ends[1];
}

static bool answered(int end)
{
    struct shim_answer answer;
    return recv(end, &answer, sizeof answer, MSG_DONTWAIT) == (ssize_t)sizeof answer;
}

/* Steps until one of the threads is answered: its number; the machine has to be through with what it does. */
static unsigned next_answered(struct bench *b, const int *ends, unsigned count)
{
    for (unsigned step = 0; step < 1000; step++) {
        gate_step(b->d);
        for (unsigned i = 0; i < count; i++)
            if (answered(ends[i]))
                return i;
    }
    fail_msg("nobody is answered");
    return count;
}

/* The oldest process first, in it the lowest thread; a thread that is due again at once waits for the others. */
static void threads_are_answered_in_order(void **state)
{
    struct bench *b = *state;
    struct {
        unsigned client;
        pid_t tid;
    } threads[] = {{1, 20}, {0, 90}, {1, 10}, {0, 70}};
    static const unsigned expected[] = {3, 1, 2, 0, 3, 1, 2, 0};
    int ends[4];
    struct sender s = sender_new(b, 0, 0, 0);
    sender_run(b, &s);
    for (unsigned i = 0; i < 4; i++)
        ends[i] = thread_add(b, threads[i].client, threads[i].tid, CONN_SLEEP, machine_now(b->d->machine));
    for (unsigned n = 0; n < 8; n++) {
        unsigned who = next_answered(b, ends, 4);
        assert_int_equal(who, expected[n]);
        struct conn *conn = b->d->conns; /* it asks again, and has nothing to wait for */
        for (unsigned i = 0; i < who; i++)
            conn = conn->next;
        conn->state = CONN_SLEEP;
    }
    for (unsigned i = 0; i < 4; i++)
        close(ends[i]);
}

/* The clock stands at the end of a sleep or of a wait's time when its thread is answered, whatever the GPUs do. */
static void the_clock_stops_where_a_time_ends(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    for (unsigned busy = 0; busy < 2; busy++) {
        uint64_t now = machine_now(b->d->machine);
        int ends[2] = {thread_add(b, 0, 5, CONN_SLEEP, now + 777), thread_add(b, 1, 6, CONN_SLEEP, now + 333)};
        if (busy) { /* a kernel is at work beyond both */
            sender_kernel(b, &s, 0, 0);
            sender_ring(b, &s);
        }
        assert_int_equal(next_answered(b, ends, 2), 1);
        assert_int_equal(machine_now(b->d->machine), now + 333);
        assert_int_equal(next_answered(b, ends, 2), 0);
        assert_int_equal(machine_now(b->d->machine), now + 777);
        run_dry(b);
        close(ends[0]), close(ends[1]);
        server_close(b->d);
    }
}

static uint64_t second_queue_is_slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd,
                                     struct msg_cp_evt *evt)
{
    (void)sim, (void)cmd, (void)evt;
    return gpu ? 10000000 : 1000;
}

/* A polling thread looks again when a completion signal was written, whatever else goes on, and not before. */
static void polling_threads_look_when_something_changed(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0), slow = sender_new(b, 0, 1, 1);
    uint64_t signal = b->ring[0] + SIGNAL_AT;
    fake_launch = second_queue_is_slow;
    guest_put(b, &s, signal + 8, 2, 8);
    sender_kernel(b, &slow, 0, 0);
    sender_ring(b, &slow);
    int end = thread_add(b, 0, 5, CONN_PARK, 0);
    b->d->conns->looked = true; /* it has just looked in vain */
    for (uint64_t left = 2; left-- > 0;) {
        sender_kernel(b, &s, signal, 0);
        sender_ring(b, &s);
        next_answered(b, &end, 1);
        assert_int_equal(guest_get(b, &s, signal + 8), left);
        assert_true(machine_now(b->d->machine) < 1000000);
        b->d->conns->state = CONN_PARK;
        b->d->conns->looked = true;
    }
    fake_launch = NULL;
    close(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_are_answered_in_order),
        TEST(the_clock_stops_where_a_time_ends),
        TEST(polling_threads_look_when_something_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

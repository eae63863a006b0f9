/* SPDX-License-Identifier: Apache-2.0
 * The gated clock, one step at a time: who is answered when (docs/reference/clock.md; S0.8).
 */
#include <sys/socket.h>

#include "../driver/packets.h"

/* A thread of a client that waits; its end of the connection. */
static int thread_add(struct bench *b, unsigned client, pid_t tid, enum conn_state state, uint64_t deadline)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    struct conn *conn = calloc(1, sizeof *conn), **link = &b->d->conns;
    *conn = (struct conn){.fd = ends[0], .client = b->client[client], .tid = tid, .state = state, .deadline = deadline};
    if (state == CONN_PARK && !deadline)
        conn->deadline = NEVER;
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

/* One that waits for nothing that changes looks again when its time has come, in target time and to the cycle, while a
 * kernel runs: the kernel may wait for what it does then. */
static void a_polling_thread_looks_again_while_a_kernel_runs(void **state)
{
    struct bench *b = *state;
    struct sender slow = sender_new(b, 0, 1, 1);
    fake_launch = second_queue_is_slow;
    sender_kernel(b, &slow, 0, 0);
    sender_ring(b, &slow);
    const uint64_t now = machine_now(b->d->machine);
    int end = thread_add(b, 0, 5, CONN_PARK, now + 4321);
    b->d->conns->looked = true;
    for (unsigned n = 1; n <= 3; n++) {
        next_answered(b, &end, 1);
        assert_int_equal(machine_now(b->d->machine), now + 4321 * n);
        b->d->conns->state = CONN_PARK;
        b->d->conns->looked = true;
        b->d->conns->deadline += 4321;
    }
    fake_launch = NULL;
    close(end);
}

/* The clock has a say as soon as there is a queue, or a thread waits. */
static void when_the_clock_is_needed(void **state)
{
    static const enum conn_state waits[] = {CONN_WAIT, CONN_PARK, CONN_SLEEP};
    struct bench *b = *state;
    assert_false(gate_needed(b->d));
    int ends[2] = {thread_add(b, 0, 5, CONN_RUNNING, 0), thread_add(b, 0, 6, CONN_RUNNING, 0)};
    assert_false(gate_needed(b->d));
    for (unsigned i = 0; i < 3; i++) {
        b->d->conns->next->state = waits[i];
        assert_true(gate_needed(b->d));
        b->d->conns->next->state = CONN_RUNNING;
    }
    assert_false(gate_needed(b->d));
    sender_new(b, 0, 0, 0);
    assert_true(gate_needed(b->d));
    close(ends[0]), close(ends[1]);
}

static struct shim_answer answer_of(int end)
{
    struct shim_answer answer = {.result = 99};
    assert_int_equal(recv(end, &answer, sizeof answer, MSG_DONTWAIT), sizeof answer);
    return answer;
}

/* Without a machine there is no time: threads that poll look again, and nobody else goes on. */
static void before_there_is_a_clock(void **state)
{
    struct bench *b = *state;
    int park = thread_add(b, 0, 5, CONN_PARK, 0), sleeper = thread_add(b, 0, 6, CONN_SLEEP, 7);
    assert_int_equal(gate_step(b->d), GATE_IDLE);
    assert_int_equal(gate_step(b->d), GATE_BUSY);
    assert_int_equal(answer_of(park).result, 0);
    for (unsigned again = 0; again < 2; again++) { /* as often as it likes */
        b->d->conns->state = CONN_PARK;
        assert_int_equal(gate_step(b->d), GATE_IDLE);
        assert_int_equal(gate_step(b->d), GATE_BUSY);
        assert_int_equal(answer_of(park).result, 0);
    }
    assert_int_equal(gate_step(b->d), GATE_IDLE);
    assert_false(answered(sleeper));
    close(park), close(sleeper);
}

/* Nothing can happen: who polls looks once more before the clock goes to the next time of another; without one, always.
 */
static void polling_threads_look_before_time_is_skipped(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    uint64_t now = machine_now(b->d->machine);
    int ends[2] = {thread_add(b, 0, 5, CONN_PARK, 0), thread_add(b, 0, 6, CONN_SLEEP, now + 5000)};
    assert_int_equal(next_answered(b, ends, 2), 0);
    b->d->conns->state = CONN_PARK; /* in vain */
    assert_int_equal(next_answered(b, ends, 2), 1);
    assert_int_equal(machine_now(b->d->machine), now + 5000);
    assert_false(answered(ends[0]));
    for (unsigned i = 0; i < 3; i++) {
        bool idle = false;
        for (unsigned step = 0; step < 100 && !answered(ends[0]); step++)
            idle |= gate_step(b->d) == GATE_IDLE;
        assert_true(idle);
        b->d->conns->state = CONN_PARK;
    }
    close(ends[0]), close(ends[1]);
}

/* A run that records need not look for changes of memory until a client goes on. */
static void memory_stands_still_at_rest(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    int end = thread_add(b, 0, 5, CONN_SLEEP, machine_now(b->d->machine) + 50000);
    for (unsigned round = 0; round < 2; round++) {
        b->d->moved = true;
        fake_stills = 0;
        gate_advance(b->d);
        assert_int_equal(fake_stills, 0);
        gate_advance(b->d);
        assert_int_equal(fake_stills, 1);
    }
    assert_int_equal(next_answered(b, &end, 1), 0);
    assert_true(b->d->moved);
    close(end);
}

/* What each kind of wait is answered, by one step or by all that are due at once; who has gone is not answered. */
static void answers_of_waits(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    struct kfd_ioctl_create_event_args e = {.event_type = KFD_IOC_EVENT_MEMORY};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &e), 0);
    uint64_t now = machine_now(b->d->machine);
    for (unsigned round = 0; round < 2; round++) {
        int ends[] = {thread_add(b, 0, 1, CONN_SLEEP, now), thread_add(b, 0, 2, CONN_SLEEP, now),
                      thread_add(b, 0, 3, CONN_PARK, 0),    thread_add(b, 1, 4, CONN_PARK, 0),
                      thread_add(b, 0, 5, CONN_SLEEP, now), thread_add(b, 0, 6, CONN_SLEEP, now + 1),
                      thread_add(b, 0, 7, CONN_PARK, 0),    thread_add(b, 0, 8, CONN_RUNNING, 0)};
        struct conn *conn[8], *at = b->d->conns;
        for (unsigned i = 0; i < 8; i++, at = at->next)
            conn[i] = at;
        memset(conn[1]->request.data, 0x5a, sizeof conn[1]->request.data);
        conn[1]->again = conn[2]->due = conn[3]->due = conn[4]->gone = true;
        event_raise_fault(b->client[0], id_of(0), 0x1000, FAULT_NOT_PRESENT);
        if (round)
            gate_release(b->d);
        for (unsigned i = 0; i < 4 && !round; i++) {
            assert_int_equal(gate_step(b->d), GATE_BUSY);
            assert_int_equal(conn[i]->state, CONN_RUNNING); /* one by one */
            assert_int_equal(conn[3]->state, i < 3 ? CONN_PARK : CONN_RUNNING);
        }
        struct shim_answer answer[4];
        for (unsigned i = 0; i < 4; i++)
            answer[i] = answer_of(ends[i]);
        assert_true(answer[0].result == 0 && answer[0].error == 0);
        assert_true(answer[1].result == -1 && answer[1].error == EAGAIN && !conn[1]->again);
        assert_memory_equal(answer[1].data, conn[1]->request.data, sizeof answer[1].data); /* it asks with it again */
        assert_int_equal(answer[2].result, PARK_FAULT);
        assert_int_equal(answer[3].result, 0); /* another process has no fault */
        for (unsigned i = 4; i < 8; i++)
            assert_false(answered(ends[i]));
        for (unsigned i = 0; i < 8; i++)
            close(ends[i]);
        server_close(b->d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_are_answered_in_order),
        TEST(the_clock_stops_where_a_time_ends),
        TEST(polling_threads_look_when_something_changed),
        TEST(a_polling_thread_looks_again_while_a_kernel_runs),
        TEST(when_the_clock_is_needed),
        TEST(before_there_is_a_clock),
        TEST(polling_threads_look_before_time_is_skipped),
        TEST(answers_of_waits),
        TEST(memory_stands_still_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

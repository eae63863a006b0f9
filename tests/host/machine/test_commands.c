// SPDX-License-Identifier: Apache-2.0
// Commands of the host with places (machine/commands.h): how many leave, at which cycle and in which order; what waits
// leaves as soon as there is a place; a place for which nobody waits wakes nobody; as a saved state.
#include "hand_bench.h"
#include "saved/state_io.h"

// Commands that no answer is waited for.
static void send(struct hand *h, unsigned gpu, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        hand_cmd(h, gpu, CP_VMID, (uint16_t)(first + i));
}

// Command number `i` of those that have arrived.
static void arrived(const struct hand *h, unsigned i, unsigned gpu, unsigned id, uint64_t cycle)
{
    assert_true(i < h->count);
    assert_int_equal(h->notes[i].what, 'c');
    assert_int_equal(h->notes[i].where, gpu);
    assert_int_equal(h->notes[i].cmd.id, id);
    assert_true(h->notes[i].cycle == cycle);
}

static void as_many_leave_as_there_are_places(void **state)
{
    (void)state;
    struct hand *h = hand_open(2, true, NULL);
    send(h, 0, 0, 70);
    send(h, 1, 500, 3);
    assert_int_equal(h->sim->commands_waiting, 6);
    assert_int_equal(h->sim->gpus[0].commands.credits, 0);
    assert_int_equal(h->sim->gpus[1].commands.credits, SIM_CMD_DEPTH - 3);
    assert_true(commands_due(h->sim) == UINT64_MAX);
    assert_int_equal(sim_run(h->sim, 700), SIM_STOPPED);
    assert_int_equal(h->count, SIM_CMD_DEPTH + 3);
    for (unsigned i = 0, g[2] = {0, 0}; i < h->count; i++) { // one a cycle of each GPU
        const unsigned gpu = h->notes[i].where;
        arrived(h, i, gpu, 500 * gpu + g[gpu], HAND_LINK + g[gpu]);
        g[gpu]++;
    }
    hand_close(h);
}

// A place that comes back is used at that cycle, by the command that has waited longest.
static void what_waits_leaves_when_there_is_a_place(void **state)
{
    (void)state;
    struct hand *h = hand_open(3, true, NULL);
    send(h, 1, 0, SIM_CMD_DEPTH + 4);
    send(h, 2, 100, SIM_CMD_DEPTH + 1);
    send(h, 0, 200, 1);
    hand_credit(h->hub[2], 1002); // before those of a lower GPU
    hand_credit(h->hub[1], 1005);
    hand_credit(h->hub[1], 1005);
    hand_credit(h->hub[1], 1013);
    hand_credit(h->hub[0], 990); // of a GPU for which nothing waits
    assert_true(commands_due(h->sim) == 1002);
    assert_int_equal(sim_run(h->sim, 1000), SIM_STOPPED);
    h->count = 0;
    assert_int_equal(sim_run(h->sim, 1004), SIM_STOPPED);
    assert_true(commands_due(h->sim) == 1005);
    assert_int_equal(h->sim->commands_waiting, 4);
    assert_int_equal(sim_run(h->sim, 2000), SIM_STOPPED);
    assert_int_equal(h->count, 4);
    arrived(h, 0, 2, 100 + SIM_CMD_DEPTH, 1002 + HAND_LINK);
    arrived(h, 1, 1, SIM_CMD_DEPTH, 1005 + HAND_LINK);
    arrived(h, 2, 1, SIM_CMD_DEPTH + 1, 1006 + HAND_LINK);
    arrived(h, 3, 1, SIM_CMD_DEPTH + 2, 1013 + HAND_LINK);
    assert_int_equal(h->sim->commands_waiting, 1);
    assert_true(commands_due(h->sim) == UINT64_MAX);
    hand_close(h);
}

static void sends_one(struct hand *h, const struct hand_note *n)
{
    (void)n;
    send(h, 0, 900, 1);
}

// A callback of the cycle in which the place comes sends a command: it does not keep the one before it from leaving.
static void a_place_is_used_whoever_finds_it(void **state)
{
    (void)state;
    for (unsigned timer = 0; timer < 2; timer++) {
        struct hand *h = hand_open(1, true, NULL);
        hand_cmd(h, 0, CP_CACHE, 1);
        send(h, 0, 10, SIM_CMD_DEPTH);
        h->act = sends_one;
        hand_credit(h->hub[0], 1005);
        if (timer)
            sim_timer(h->sim, 1005, 0);
        hand_event(h, 0, timer ? 3000 : 1005, CP_EVT_CACHE_DONE, 1);
        assert_int_equal(sim_run(h->sim, 2000), SIM_STOPPED);
        assert_int_equal(h->told, 1);
        assert_int_equal(h->count, SIM_CMD_DEPTH + 1);
        arrived(h, SIM_CMD_DEPTH, 0, 10 + SIM_CMD_DEPTH - 1, 1005 + HAND_LINK);
        assert_int_equal(h->sim->commands_waiting, 1);
        hand_credit(h->hub[0], 2105);
        assert_int_equal(sim_run(h->sim, 2500), SIM_STOPPED);
        arrived(h, SIM_CMD_DEPTH + 1, 0, 900, 2105 + HAND_LINK);
        hand_close(h);
    }
}

// Places that have come back are there for the next commands; nobody was woken for them.
static void places_come_back(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    send(h, 0, 0, SIM_CMD_DEPTH);
    assert_int_equal(sim_run(h->sim, 300), SIM_STOPPED);
    for (unsigned i = 0; i < 5; i++)
        hand_credit(h->hub[0], 600);
    assert_true(sim_quiet(h->sim));
    sim_timer(h->sim, 602, 0);
    assert_int_equal(sim_run(h->sim, 602), SIM_STOPPED);
    h->count = 0;
    send(h, 0, 200, 6);
    assert_int_equal(h->sim->commands_waiting, 3); // places of 600, 601 and 602
    assert_int_equal(sim_run(h->sim, 1000), SIM_STOPPED);
    assert_int_equal(h->count, 5);
    for (unsigned i = 0; i < 5; i++)
        arrived(h, i, 0, 200 + i, 602 + HAND_LINK + i);
    hand_close(h);
}

// Thousands may wait: they leave in their order, whatever comes in between.
static void many_wait(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    unsigned sent = SIM_CMD_DEPTH;
    send(h, 0, 0, sent);
    for (unsigned round = 0; round < 60; round++) {
        const unsigned more = round % 7 * 9, back = round % 5 * 7;
        send(h, 0, sent, more);
        sent += more;
        for (unsigned i = 0; i < back; i++)
            hand_credit(h->hub[0], sim_now(h->sim) + HAND_LINK);
        assert_int_equal(sim_run(h->sim, sim_now(h->sim) + 500), SIM_STOPPED);
        assert_int_equal(h->count + h->sim->commands_waiting, sent);
    }
    assert_true(h->sim->commands_waiting > 500);
    for (unsigned i = 0; i < h->count; i++)
        assert_int_equal(h->notes[i].cmd.id, i);
    hand_close(h);
}

// ---- state
static void a_saved_state_goes_on(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL), *other = hand_open(1, true, NULL);
    struct commands *from = &h->sim->gpus[0].commands, *to = &other->sim->gpus[0].commands;
    struct state_buffer saved, again;
    state_buffer_init(&saved);
    state_buffer_init(&again);
    send(h, 0, 0, SIM_CMD_DEPTH + 30);
    for (unsigned i = 0; i < 9; i++) // the list does not begin at its beginning
        hand_credit(h->hub[0], 500);
    assert_int_equal(sim_run(h->sim, 700), SIM_STOPPED);
    send(h, 0, 200, 6);
    send(other, 0, 300, SIM_CMD_DEPTH + 5); // is gone
    commands_save(from, &saved.writer);
    const size_t bytes = saved.count;
    assert_int_equal(bytes, 8 + 27 * sizeof(struct msg_cp_cmd));
    for (size_t n = 0; n < bytes; n += n < 20 ? 1 : 83) { // one that ends too soon
        saved.count = n;
        saved.taken = 0;
        assert_false(commands_restore(to, &saved.reader));
        assert_string_equal(saved.reader.why, "");
    }
    saved.count = bytes;
    saved.taken = 0;
    assert_true(commands_restore(to, &saved.reader));
    assert_int_equal(saved.taken, bytes);
    assert_int_equal(to->credits, 0);
    assert_int_equal(to->count, 27);
    commands_save(to, &again.writer);
    assert_int_equal(again.count, bytes);
    assert_memory_equal(again.bytes, saved.bytes, bytes);
    for (unsigned i = 0; i < 27; i++)
        assert_int_equal(to->waiting[(to->head + i) & (to->room - 1)].id,
                         i < 21 ? SIM_CMD_DEPTH + 9 + i : 200 + i - 21);
    saved.bytes[0] = SIM_CMD_DEPTH; // all places free
    saved.taken = 0;
    assert_true(commands_restore(to, &saved.reader));
    assert_int_equal(to->credits, SIM_CMD_DEPTH);
    saved.bytes[0] = SIM_CMD_DEPTH + 1;
    saved.taken = 0;
    assert_false(commands_restore(to, &saved.reader));
    assert_string_equal(saved.reader.why, "65 credits of 64");
    free(saved.bytes);
    free(again.bytes);
    hand_close(h);
    hand_close(other);
}

// ---- bugs
static void more_places_than_there_are(void *arg)
{
    struct hand *h = arg;
    send(h, 0, 0, 2);
    for (unsigned i = 0; i < 3; i++)
        hand_credit(h->hub[0], 200);
    sim_run(h->sim, 220);
    h->sim->now = 220;
    send(h, 0, 0, 1);
}

static void of_a_gpu_that_is_not_there(void *arg)
{
    hand_cmd(arg, 2, CP_VMID, 0);
}

static void partitions_before_the_host(void *arg)
{
    struct hand *h = arg;
    hand_cmd(h, 0, CP_CACHE, 1);
    hand_event(h, 0, 200, CP_EVT_CACHE_DONE, 1);
    h->sim->sched.now = 200;
    sched_run(&h->sim->sched, 1);
}

static void bugs_are_told(void **state)
{
    (void)state;
    static const struct {
        void (*what)(void *arg);
        const char *said;
    } bugs[] = {{more_places_than_there_are, "65 credits of 64"},
                {of_a_gpu_that_is_not_there, "command for gpu2 of 2"},
                {partitions_before_the_host, "event was not delivered before the partitions ran"}};
    struct hand *h = hand_open(2, true, NULL);
    for (unsigned i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        char *said;
        assert_true(hand_aborts(bugs[i].what, h, &said));
        assert_non_null(strstr(said, bugs[i].said));
        free(said);
    }
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_leave_as_there_are_places),
        cmocka_unit_test(what_waits_leaves_when_there_is_a_place),
        cmocka_unit_test(a_place_is_used_whoever_finds_it),
        cmocka_unit_test(places_come_back),
        cmocka_unit_test(many_wait),
        cmocka_unit_test(a_saved_state_goes_on),
        cmocka_unit_test(bugs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

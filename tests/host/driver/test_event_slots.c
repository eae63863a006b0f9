/* SPDX-License-Identifier: Apache-2.0
 * Slots of the event page as messages: which lines are read and when, what is written meanwhile, and what becomes of
 * all that when the page or the client goes (S0.8, S3.12).
 */
#include "packets.h"

#define LINE_SLOTS 8u
#define PAGE_AT UINT64_C(0x30000000)

struct page {
    uint64_t handle, pa;
    uint64_t *slots;
};

static uint32_t event_new(struct bench *b, unsigned client, uint32_t type, uint64_t page)
{
    struct kfd_ioctl_create_event_args a = {.event_type = type, .event_page_offset = page, .auto_reset = 1};
    assert_int_equal(call(b, client, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    return a.event_id;
}

static void event_end(struct bench *b, uint32_t id)
{
    struct kfd_ioctl_destroy_event_args e = {.event_id = id};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), 0);
}

/* A page with `count` signal events, ids 1 to `count`, on a machine that runs. */
static struct page page_new(struct bench *b, unsigned client, uint32_t count)
{
    struct page p = {.handle = alloc(b, client, 0, PAGE_AT, EVENT_LIMIT * 8, FLAGS_GTT, 0)};
    const uint64_t offset = memory_find(b->client[client], p.handle)->hold->backing->offset;
    p.pa = pmem_addr(0, offset);
    p.slots = (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), offset, EVENT_LIMIT * 8);
    sender_new(b, client, 0, 0);
    for (uint32_t id = 1; id <= count; id++)
        assert_int_equal(event_new(b, client, KFD_IOC_EVENT_SIGNAL, p.handle), id);
    run_dry(b);
    return p;
}

static bool is_set(struct bench *b, unsigned client, uint32_t id)
{
    return b->client[client]->events[id].set;
}

static uint64_t now(struct bench *b)
{
    return machine_now(b->d->machine);
}

/* Accesses since number `from`, of this kind. */
static unsigned accesses(struct bench *b, unsigned from, unsigned op)
{
    unsigned n = 0;
    for (unsigned i = from; i < fake(b)->accesses; i++)
        n += fake(b)->access[i % FAKE_MAX].req.op == op;
    return n;
}

/* Only lines with slots of signal events are read, and only slots that are not empty are exchanged. */
static void what_an_interrupt_costs(void **state)
{
    struct bench *b = *state;
    struct page p = page_new(b, 0, 20); /* lines 0, 1 and 2 */
    for (uint32_t id = LINE_SLOTS; id < 2 * LINE_SLOTS; id++)
        event_end(b, id);                                                          /* line 1 has none any more */
    assert_int_equal(event_new(b, 0, KFD_IOC_EVENT_MEMORY, p.handle), LINE_SLOTS); /* nor has this a slot */
    unsigned from = fake(b)->accesses;
    interrupt(b, 0);
    assert_int_equal(accesses(b, from, MEM_READ_NC), 2);
    assert_int_equal(fake(b)->accesses, from + 2);
    assert_true(fake(b)->access[from].req.addr == p.pa && fake(b)->access[from + 1].req.addr == p.pa + 128);
    p.slots[0] = p.slots[3] = p.slots[LINE_SLOTS] = p.slots[LINE_SLOTS + 1] = p.slots[20] = p.slots[21] = 5;
    from = fake(b)->accesses;
    const uint64_t before = now(b), answer = 2 * fake_memory[0];
    slots_look(b->d, b->client[0]);
    while (!is_set(b, 0, 3))
        assert_int_equal(machine_run(b->d->machine, UINT64_MAX), MACHINE_VISIBLE);
    assert_true(now(b) == before + 2 * answer); /* read, then exchanged: and there the clock stands */
    run_dry(b);
    assert_true(now(b) == before + 2 * answer && is_set(b, 0, 20));
    assert_int_equal(accesses(b, from, MEM_ATOMIC), 2);
    assert_int_equal(fake(b)->accesses, from + 4);
    assert_true(p.slots[3] == UINT64_MAX && p.slots[20] == UINT64_MAX);
    assert_true(p.slots[0] == 5 && p.slots[LINE_SLOTS] == 5 && p.slots[LINE_SLOTS + 1] == 5 && p.slots[21] == 5);
    assert_int_equal(b->client[0]->slots.open, 0);
}

/* Whoever polls looks again behind an interrupt, whether a slot was written or there are none. */
static void polling_clients_look_again(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    slots_look(b->d, b->client[0]);
    assert_int_equal(machine_run(b->d->machine, UINT64_MAX), MACHINE_VISIBLE);
    event_new(b, 0, KFD_IOC_EVENT_SIGNAL, alloc(b, 0, 0, PAGE_AT, 4096, FLAGS_GTT, 0));
    const uint64_t before = now(b);
    slots_look(b->d, b->client[0]);
    assert_int_equal(machine_run(b->d->machine, UINT64_MAX), MACHINE_VISIBLE);
    assert_true(now(b) == before + 2 * fake_memory[0]);
}

/* A slot is written at a cycle from the interrupt to the end of the look that it begins, and its own interrupt comes
 * some cycles later: wherever that falls, the event is set, and the slot is empty in the end. */
static void no_written_slot_is_lost(void **state)
{
    struct bench *b = *state;
    struct page p = page_new(b, 0, 9);
    const uint64_t answer = 2 * fake_memory[0];
    for (unsigned other = 0; other < 2; other++) { /* something else is to be exchanged, which makes the look longer */
        for (uint64_t written = 0; written <= 2 * answer + 20; written += 10) {
            for (uint64_t later = 0; later <= answer; later += 50) {
                b->client[0]->events[1].set = b->client[0]->events[9].set = false;
                p.slots[1] = other ? 1 : UINT64_MAX;
                const uint64_t begin = now(b);
                slots_look(b->d, b->client[0]);
                machine_timer(b->d->machine, begin + written);
                machine_timer(b->d->machine, begin + written + later);
                while (now(b) < begin + written)
                    machine_run(b->d->machine, begin + written);
                p.slots[9] = 9;
                while (now(b) < begin + written + later)
                    machine_run(b->d->machine, begin + written + later);
                interrupt(b, 0);
                assert_true(is_set(b, 0, 9) && is_set(b, 0, 1) == other);
                assert_true(p.slots[9] == UINT64_MAX && p.slots[1] == UINT64_MAX);
                assert_int_equal(b->client[0]->slots.open, 0);
            }
        }
    }
}

/* What is written between the read and the exchange goes with it; an event that is gone is not raised, nor is the one
 * that somebody else has emptied. */
static void what_changes_during_a_look(void **state)
{
    struct bench *b = *state;
    struct page p = page_new(b, 0, 3);
    const uint64_t answer = 2 * fake_memory[0];
    p.slots[1] = p.slots[2] = p.slots[3] = 7;
    slots_look(b->d, b->client[0]);
    machine_run(b->d->machine, now(b) + answer - 1);
    event_end(b, 3); /* before the answer: its slot is nobody's */
    machine_run(b->d->machine, now(b) + 2);
    assert_int_equal(b->client[0]->slots.open, 2);
    p.slots[1] = 8;          /* once more */
    p.slots[2] = UINT64_MAX; /* somebody else was faster */
    run_dry(b);
    assert_true(is_set(b, 0, 1) && !is_set(b, 0, 2) && !is_set(b, 0, 3));
    assert_true(p.slots[1] == UINT64_MAX && p.slots[2] == UINT64_MAX && p.slots[3] == 7);
}

/* Two clients look at the same time, each at its own page. */
static void clients_look_beside_each_other(void **state)
{
    struct bench *b = *state;
    struct page p[2] = {page_new(b, 0, 2), page_new(b, 1, 2)};
    assert_true(p[0].pa != p[1].pa);
    p[0].slots[1] = p[1].slots[2] = 5;
    slots_look(b->d, b->client[0]);
    slots_look(b->d, b->client[1]);
    run_dry(b);
    assert_true(is_set(b, 0, 1) && !is_set(b, 0, 2) && !is_set(b, 1, 1) && is_set(b, 1, 2));
    assert_true(p[0].slots[1] == UINT64_MAX && p[1].slots[2] == UINT64_MAX);
}

/* A page that is freed during a look is nobody's before its last access is answered: no exchange meets its next owner.
 */
static void pages_wait_for_accesses(void **state)
{
    struct bench *b = *state;
    const uint64_t answer = 2 * fake_memory[0];
    for (unsigned late = 0; late < 2; late++) { /* freed before the read is answered, or before the exchange is */
        struct page p = page_new(b, late, 1);
        const uint64_t free_bytes = b->d->gtt.arena.free_bytes;
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = p.handle};
        p.slots[1] = 7;
        slots_look(b->d, b->client[late]);
        machine_run(b->d->machine, now(b) + (late ? answer + 1 : 1));
        assert_int_equal(call(b, late, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
        assert_false(quarantine_empty(b->d));
        assert_int_equal(b->d->gtt.arena.free_bytes, free_bytes);
        while (b->client[late]->slots.open) {
            assert_false(quarantine_empty(b->d));
            machine_run(b->d->machine, now(b) + 1);
        }
        assert_true(quarantine_empty(b->d) && b->d->gtt.arena.free_bytes > free_bytes);
        assert_int_equal(is_set(b, late, 1), late);
        assert_int_equal(accesses(b, fake(b)->accesses - 1, MEM_ATOMIC), late);
    }
}

/* A client that ends during a look stays until it is answered, and begins nothing after that. */
static void clients_wait_for_accesses(void **state)
{
    struct bench *b = *state;
    struct page p = page_new(b, 1, 1);
    p.slots[1] = 7;
    slots_look(b->d, b->client[1]);
    slots_look(b->d, b->client[1]); /* once more, afterwards */
    machine_run(b->d->machine, now(b) + 1);
    const unsigned accesses_before = fake(b)->accesses;
    struct client *c = b->client[1];
    c->ended = true; /* without the machine's settling, which would answer */
    c->gpu[0].space_open = false;
    client_reap(b->d);
    assert_true(b->d->clients->next == c);
    run_dry(b);
    assert_int_equal(fake(b)->accesses, accesses_before);
    assert_int_equal(c->slots.open, 0);
    client_reap(b->d);
    assert_null(b->d->clients->next);
}

/* As many as there can be: all events are signals and all slots are written. */
static void all_slots_are_written(void **state)
{
    struct bench *b = *state;
    struct page p = page_new(b, 0, EVENT_LIMIT - 1);
    for (uint32_t id = 1; id < EVENT_LIMIT; id++)
        p.slots[id] = id;
    fake(b)->most = 0;
    interrupt(b, 0);
    for (uint32_t id = 1; id < EVENT_LIMIT; id++)
        assert_true(is_set(b, 0, id) && p.slots[id] == UINT64_MAX);
    assert_true(fake(b)->most > 3000 && fake(b)->most <= SLOTS_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_an_interrupt_costs),    TEST(polling_clients_look_again),     TEST(no_written_slot_is_lost),
        TEST(what_changes_during_a_look), TEST(clients_look_beside_each_other), TEST(pages_wait_for_accesses),
        TEST(clients_wait_for_accesses),  TEST(all_slots_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

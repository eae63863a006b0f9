/* SPDX-License-Identifier: Apache-2.0
 * Events that are not there any more, the first and the last of all, and what a client finds of them: slots, words,
 * faults (S0.8, B.7).
 */
#include "packets.h"

#include <stdio.h>

#define LAST (EVENT_LIMIT - 1u)

static uint32_t event_new(struct bench *b, uint32_t type, uint64_t *page)
{
    struct kfd_ioctl_create_event_args a = {.event_type = type, .event_page_offset = *page};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    *page = a.event_page_offset;
    return a.event_id;
}

static void event_end(struct bench *b, uint32_t id)
{
    struct kfd_ioctl_destroy_event_args e = {.event_id = id};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), 0);
}

/* All ids are taken, the last by an event of this type. */
static void events_fill(struct bench *b, uint32_t last)
{
    uint64_t page = 0;
    while (event_new(b, KFD_IOC_EVENT_SIGNAL, &page) != LAST)
        page = 0;
    event_end(b, LAST);
    page = 0;
    assert_int_equal(event_new(b, last, &page), LAST);
}

static void wait_put(struct bench *b, struct conn *conn, struct kfd_event_data *list, uint32_t count)
{
    struct kfd_ioctl_wait_events_args a = {.events_ptr = (uintptr_t)list, .num_events = count, .timeout = UINT32_MAX};
    *conn = (struct conn){.fd = -1, .client = b->client[0], .state = CONN_WAIT, .deadline = NEVER};
    memcpy(conn->request.data, &a, sizeof a);
}

/* Who brings no page gets the offset of the kernel's own kind (2 in the topmost bits), who brings one keeps it. */
static void pages_of_events_are_named(void **state)
{
    struct bench *b = *state;
    uint64_t page = 0, buffer = alloc(b, 0, 0, 0x30000000, EVENT_LIMIT * 8, FLAGS_GTT, 0), given = buffer;
    event_new(b, KFD_IOC_EVENT_SIGNAL, &page);
    assert_true(page == UINT64_C(2) << 62);
    event_new(b, KFD_IOC_EVENT_SIGNAL, &given);
    assert_true(given == buffer);
}

/* The first slot and the last are served like those between them; what is not created has none. */
static void the_last_event_has_a_slot(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint64_t page = alloc(b, 0, 0, 0x30000000, EVENT_LIMIT * 8, FLAGS_GTT, 0), given = page;
    event_new(b, KFD_IOC_EVENT_SIGNAL, &given);
    events_fill(b, KFD_IOC_EVENT_SIGNAL);
    event_end(b, 7);
    const struct object *o = memory_find(c, page);
    uint64_t *slots = (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), o->hold->backing->offset, o->bytes);
    slots[0] = slots[1] = slots[7] = slots[LAST] = 5;
    sender_new(b, 0, 0, 0); /* starts the machine */
    interrupt(b, 0);
    for (uint32_t id = 1; id < EVENT_LIMIT; id++)
        assert_int_equal(c->events[id].set, id == 1 || id == LAST);
    assert_true(slots[0] == 5 && slots[1] == UINT64_MAX && slots[7] == 5 && slots[LAST] == UINT64_MAX);
    c->events[1].set = false;
    event_raise(c, 7);
    event_raise(c, EVENT_LIMIT);
    event_raise(c, UINT32_MAX);
    assert_false(c->events[7].set || c->events[7].used);
}

/* A buffer that is freed has no slots any more: events are raised without. */
static void slots_go_with_their_buffer(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint64_t page = alloc(b, 0, 0, 0x30000000, 4096, FLAGS_GTT, 0), given = page;
    uint32_t id = event_new(b, KFD_IOC_EVENT_SIGNAL, &given);
    const uint64_t offset = memory_find(c, page)->hold->backing->offset;
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = page};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
    uint64_t *slots = (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), offset, 4096);
    slots[id] = 9;
    sender_new(b, 0, 0, 0); /* starts the machine */
    interrupt(b, 0);
    assert_true(!c->events[id].set && slots[id] == 9);
    event_raise(c, id);
    assert_true(c->events[id].set && slots[id] == 9);
}

/* A memory event is told of a fault and remembers it, be it the first or the last; one that is gone is not. */
static void faults_reach_the_first_and_the_last(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint64_t page = 0;
    assert_int_equal(event_new(b, KFD_IOC_EVENT_MEMORY, &page), 1);
    page = 0;
    uint32_t gone = event_new(b, KFD_IOC_EVENT_MEMORY, &page);
    events_fill(b, KFD_IOC_EVENT_MEMORY);
    event_end(b, gone);
    assert_false(event_fault_unseen(b->d, c));
    event_raise_fault(c, id_of(1), 0x7000, FAULT_NOT_PRESENT);
    for (uint32_t id = 1; id < EVENT_LIMIT; id++)
        assert_int_equal(c->events[id].set, id == 1 || id == LAST);
    assert_int_equal(c->events[gone].fault_va, 0);
    assert_true(c->events[1].fault_va == 0x7000 && c->events[LAST].fault_gpu_id == id_of(1));
    assert_true(event_fault_unseen(b->d, c));
    event_end(b, 1);
    assert_true(event_fault_unseen(b->d, c)); /* the last still has it */
    event_end(b, LAST);
    assert_false(event_fault_unseen(b->d, c));
}

/* Who waits for several and gets one finds the entries of the others as they were. */
static void entries_of_unset_events_stay(void **state)
{
    static struct kfd_event_data list[2];
    struct bench *b = *state;
    struct client *c = b->client[0];
    struct conn conn;
    struct shim_answer answer = {0};
    uint64_t page = 0, again = 0;
    uint32_t signal = event_new(b, KFD_IOC_EVENT_SIGNAL, &page), memory = event_new(b, KFD_IOC_EVENT_MEMORY, &again);
    memset(list, 0xee, sizeof list);
    list[0].event_id = memory, list[1].event_id = signal;
    wait_put(b, &conn, list, 2);
    event_raise(c, signal);
    assert_true(event_wait_ready(b->d, &conn));
    event_wait_finish(&conn, &answer);
    assert_int_equal(answer.error, 0);
    assert_true(list[0].memory_exception_data.va == UINT64_C(0xeeeeeeeeeeeeeeee));
    assert_int_equal(list[0].event_id, memory);
    assert_int_equal(c->events[memory].fault_va, 0);
}

/* shows B.7: an event that was destroyed has a number and nothing else to tell; the last one's kind is told. */
static void words_of_events_that_are_gone(void **state)
{
    static struct kfd_event_data list[3];
    struct bench *b = *state;
    struct conn conn;
    char text[200] = "";
    uint64_t page = 0;
    uint32_t gone = event_new(b, KFD_IOC_EVENT_MEMORY, &page);
    events_fill(b, KFD_IOC_EVENT_MEMORY);
    event_end(b, gone);
    list[0].event_id = gone, list[1].event_id = EVENT_LIMIT, list[2].event_id = LAST;
    wait_put(b, &conn, list, 3);
    FILE *out = fmemopen(text, sizeof text, "w");
    event_wait_tell(b->d, &conn, out);
    fclose(out);
    assert_string_equal(text, "waits for one event of 1, 4096, 4095 (memory fault)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_of_events_are_named),    TEST(the_last_event_has_a_slot),
        TEST(slots_go_with_their_buffer),   TEST(faults_reach_the_first_and_the_last),
        TEST(entries_of_unset_events_stay), TEST(words_of_events_that_are_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

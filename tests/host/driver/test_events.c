/* SPDX-License-Identifier: Apache-2.0
 * Events of the driver by its ioctls: waiters, the event page and interrupts, ids (S0.8).
 */
#include "bench.h"

static uint32_t event_new(struct bench *b, uint32_t type, bool auto_reset)
{
    struct kfd_ioctl_create_event_args a = {.event_type = type, .auto_reset = auto_reset};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    assert_int_not_equal(a.event_page_offset, 0);
    return a.event_id;
}

static void events_wake_waiters(void **state)
{
    struct bench *b = *state;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, true), two = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    uint32_t memory = event_new(b, KFD_IOC_EVENT_MEMORY, false);
    struct kfd_event_data data[3] = {{.event_id = one}, {.event_id = two}, {.event_id = memory}};
    struct kfd_ioctl_wait_events_args w = {
        .events_ptr = (uintptr_t)data, .num_events = 2, .wait_for_all = 1, .timeout = UINT32_MAX};
    struct conn conn = {.fd = -1, .client = b->client[0]};
    struct shim_answer answer;
    memcpy(conn.request.data, &w, sizeof w);
    assert_int_equal(event_wait_begin(b->d, &conn), 0);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise(b->client[0], one);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise(b->client[0], two);
    assert_true(event_wait_ready(b->d, &conn));
    event_wait_finish(&conn, &answer);
    memcpy(&w, answer.data, sizeof w);
    assert_int_equal(w.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_false(b->client[0]->events[one].set); /* consumed */
    assert_true(b->client[0]->events[two].set);
    w.events_ptr = (uintptr_t)&data[2];
    w.num_events = 1;
    memcpy(conn.request.data, &w, sizeof w);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise_fault(b->client[0], id_of(2), 0xdead00000, FAULT_READ_ONLY);
    assert_true(event_wait_ready(b->d, &conn));
    event_wait_finish(&conn, &answer);
    assert_int_equal(data[2].memory_exception_data.va, 0xdead00000);
    assert_int_equal(data[2].memory_exception_data.gpu_id, id_of(2));
    assert_int_equal(data[2].memory_exception_data.failure.ReadOnly, 1);
    assert_int_equal(data[2].memory_exception_data.failure.NotPresent, 0);
    data[2].event_id = 4000;
    memcpy(conn.request.data, &w, sizeof w);
    assert_int_equal(event_wait_begin(b->d, &conn), EINVAL);
}

/* An interrupt sets every signal event whose slot in the event page was written, and empties these slots. */
static void interrupts_take_all_written_slots(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint32_t id[4];
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL,
                                            .event_page_offset =
                                                alloc(b, 0, 0, 0x30000000, EVENT_LIMIT * 8, FLAGS_GTT, 0)};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    id[0] = a.event_id;
    const struct object *page = memory_find(c, c->event_page);
    assert_non_null(page);
    uint64_t *slots = (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), page->offset, page->bytes);
    for (unsigned n = 0; n < EVENT_LIMIT; n++)
        assert_true(slots[n] == UINT64_MAX);
    for (unsigned n = 1; n < 4; n++)
        id[n] = event_new(b, n == 3 ? KFD_IOC_EVENT_MEMORY : KFD_IOC_EVENT_SIGNAL, false);
    event_raise_interrupt(b->d, c); /* nothing was written */
    for (unsigned n = 0; n < 4; n++)
        assert_false(c->events[id[n]].set);
    slots[id[0]] = id[0], slots[id[2]] = slots[id[3]] = 1;
    event_raise_interrupt(b->d, c);
    assert_true(c->events[id[0]].set && !c->events[id[1]].set && c->events[id[2]].set && !c->events[id[3]].set);
    assert_true(slots[id[0]] == UINT64_MAX && slots[id[2]] == UINT64_MAX && slots[id[3]] == 1);
    event_raise_mailbox(b->d, c, id[1]); /* the command processor has no need of the slot */
    assert_true(c->events[id[1]].set);
}

static void event_ids_run_out_cleanly(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL};
    for (unsigned i = 1; i < EVENT_LIMIT; i++) {
        a.event_page_offset = 0;
        assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
        assert_int_equal(a.event_id, i);
    }
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), ENOSPC);
    struct kfd_ioctl_destroy_event_args e = {.event_id = 77};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), EINVAL);
    a.event_page_offset = 0;
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    assert_int_equal(a.event_id, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_wake_waiters),
        TEST(interrupts_take_all_written_slots),
        TEST(event_ids_run_out_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

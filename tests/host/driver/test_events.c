/* SPDX-License-Identifier: Apache-2.0
 * Events of the driver by its ioctls: waiters, the event page and interrupts, ids (S0.8).
 */
#include "packets.h"

static uint32_t event_new(struct bench *b, uint32_t type, bool auto_reset)
{
    struct kfd_ioctl_create_event_args a = {.event_type = type, .auto_reset = auto_reset};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    assert_int_not_equal(a.event_page_offset, 0);
    return a.event_id;
}

/* shows S0.8 */
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
    uint64_t *slots =
        (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), page->hold->backing->offset, page->bytes);
    for (unsigned n = 0; n < EVENT_LIMIT; n++)
        assert_true(slots[n] == UINT64_MAX);
    for (unsigned n = 1; n < 4; n++)
        id[n] = event_new(b, n == 3 ? KFD_IOC_EVENT_MEMORY : KFD_IOC_EVENT_SIGNAL, false);
    sender_new(b, 0, 0, 0); /* starts the machine */
    interrupt(b, 0);        /* nothing was written */
    for (unsigned n = 0; n < 4; n++)
        assert_false(c->events[id[n]].set);
    slots[id[0]] = id[0], slots[id[2]] = slots[id[3]] = 1;
    interrupt(b, 0);
    assert_true(c->events[id[0]].set && !c->events[id[1]].set && c->events[id[2]].set && !c->events[id[3]].set);
    assert_true(slots[id[0]] == UINT64_MAX && slots[id[2]] == UINT64_MAX && slots[id[3]] == 1);
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

struct waiter {
    struct conn conn;
    struct kfd_event_data data[2];
};

/* A thread waits for two events; timeout in ms. */
static void wait_begin(struct bench *b, struct waiter *w, uint32_t one, uint32_t two, bool all, uint32_t timeout)
{
    *w = (struct waiter){.conn = {.fd = -1, .client = b->client[0]}, .data = {{.event_id = one}, {.event_id = two}}};
    struct kfd_ioctl_wait_events_args a = {
        .events_ptr = (uintptr_t)w->data, .num_events = 2, .wait_for_all = all, .timeout = timeout};
    memcpy(w->conn.request.data, &a, sizeof a);
    assert_int_equal(event_wait_begin(b->d, &w->conn), 0);
}

/* What the ioctl answers in wait_result, now that the wait is over. */
static uint32_t wait_end(struct bench *b, struct waiter *w)
{
    struct shim_answer answer = {0};
    struct kfd_ioctl_wait_events_args a;
    assert_true(event_wait_ready(b->d, &w->conn));
    event_wait_finish(&w->conn, &answer);
    assert_int_equal(answer.error, 0);
    memcpy(&a, answer.data, sizeof a);
    return a.wait_result;
}

static void event_end(struct bench *b, uint32_t id)
{
    struct kfd_ioctl_destroy_event_args e = {.event_id = id};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), 0);
}

/* Nobody can raise an event that is destroyed: it holds no thread. */
static void destroyed_events_hold_nobody(void **state)
{
    struct bench *b = *state;
    struct waiter any, all;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, false), two = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    wait_begin(b, &any, one, two, false, UINT32_MAX);
    wait_begin(b, &all, one, two, true, UINT32_MAX);
    event_end(b, one);
    assert_int_equal(wait_end(b, &any), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_false(event_wait_ready(b->d, &all.conn)); /* the other one is still there */
    event_end(b, two);
    assert_int_equal(wait_end(b, &all), KFD_IOC_WAIT_RESULT_COMPLETE);
}

static void time_passes(struct bench *b, uint64_t until)
{
    machine_timer(b->d->machine, until);
    run_dry(b);
    assert_true(machine_now(b->d->machine) == until);
}

/* shows S0.8: A wait whose time is over says so, takes no event, and was no shorter than asked for; 1 ms is 10^6
 * cycles. */
static void waits_end_with_their_time(void **state)
{
    struct bench *b = *state;
    struct waiter w;
    sender_new(b, 0, 0, 0); /* starts the clock */
    for (unsigned all = 0; all < 2; all++) {
        uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, true), two = event_new(b, KFD_IOC_EVENT_SIGNAL, true);
        uint64_t begin = machine_now(b->d->machine);
        wait_begin(b, &w, one, two, all, 3);
        if (all)
            event_raise(b->client[0], two); /* one of two is not all */
        time_passes(b, begin + 2999999);
        assert_false(event_wait_ready(b->d, &w.conn));
        time_passes(b, begin + 3000000);
        assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_TIMEOUT);
        if (!all)
            continue;
        event_raise(b->client[0], one); /* the first is still set: the next wait gets both */
        wait_begin(b, &w, one, two, true, 0);
        assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_COMPLETE);
        wait_begin(b, &w, one, two, false, 0);
        assert_false(event_wait_ready(b->d, &w.conn)); /* and has consumed them */
    }
}

/* SET_EVENT and RESET_EVENT do what they say; an event is born unset, also under the id of one that was set. */
static void events_are_set_and_reset(void **state)
{
    struct bench *b = *state;
    struct waiter w;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, false), two = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    struct kfd_ioctl_set_event_args set = {.event_id = one};
    struct kfd_ioctl_reset_event_args reset = {.event_id = one};
    wait_begin(b, &w, one, two, false, UINT32_MAX);
    assert_false(event_wait_ready(b->d, &w.conn));
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_EVENT, &set), 0);
    assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(call(b, 0, AMDKFD_IOC_RESET_EVENT, &reset), 0);
    wait_begin(b, &w, one, two, false, UINT32_MAX);
    assert_false(event_wait_ready(b->d, &w.conn));
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_EVENT, &set), 0);
    event_end(b, one);
    assert_int_equal(event_new(b, KFD_IOC_EVENT_SIGNAL, false), one);
    wait_begin(b, &w, one, two, false, UINT32_MAX);
    assert_false(event_wait_ready(b->d, &w.conn));
    set.event_id = reset.event_id = 4000;
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_EVENT, &set), EINVAL);
    assert_int_equal(call(b, 0, AMDKFD_IOC_RESET_EVENT, &reset), EINVAL);
}

/* All memory events of a process hear of a fault, none of another process. */
static void every_memory_event_hears_of_a_fault(void **state)
{
    struct bench *b = *state;
    struct waiter w;
    uint32_t one = event_new(b, KFD_IOC_EVENT_MEMORY, false), two = event_new(b, KFD_IOC_EVENT_MEMORY, false);
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_MEMORY};
    assert_int_equal(call(b, 1, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    wait_begin(b, &w, one, two, true, UINT32_MAX);
    event_raise_fault(b->client[0], id_of(1), 0x1234000, FAULT_NOT_PRESENT);
    assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_COMPLETE);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(w.data[i].memory_exception_data.va, 0x1234000);
        assert_int_equal(w.data[i].memory_exception_data.gpu_id, id_of(1));
        assert_int_equal(w.data[i].memory_exception_data.failure.NotPresent, 1);
    }
    assert_false(b->client[1]->events[a.event_id].set);
}

static int begin_error(struct bench *b, uint64_t list, uint32_t count)
{
    struct conn conn = {.fd = -1, .client = b->client[0]};
    struct kfd_ioctl_wait_events_args a = {.events_ptr = list, .num_events = count, .timeout = UINT32_MAX};
    memcpy(conn.request.data, &a, sizeof a);
    return event_wait_begin(b->d, &conn);
}

/* shows S0.8: A wait names events that there are, wherever in its list, and a list that there is. */
static void waits_name_events(void **state)
{
    static struct kfd_event_data list[4097];
    struct bench *b = *state;
    uint32_t good = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    static const uint32_t wrong[] = {0, 2, EVENT_LIMIT, EVENT_LIMIT + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
        list[i].event_id = good;
    for (unsigned place = 0; place < 3; place++)
        for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            list[place].event_id = wrong[i];
            assert_int_equal(begin_error(b, (uintptr_t)list, 3), EINVAL);
            list[place].event_id = good;
        }
    assert_int_equal(begin_error(b, (uintptr_t)list, 0), EINVAL);
    assert_int_equal(begin_error(b, (uintptr_t)list, 1), 0);
    assert_int_equal(begin_error(b, (uintptr_t)list, 4096), 0);
    assert_int_equal(begin_error(b, (uintptr_t)list, 4097), EINVAL);
    assert_int_equal(begin_error(b, 64, 1), EINVAL); /* nothing is mapped there */
    struct kfd_ioctl_destroy_event_args e = {.event_id = EVENT_LIMIT};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), EINVAL);
}

/* Times of a wait: none is a few cycles, the greatest two are for ever, and what cannot be read any more is told. */
static void times_of_waits(void **state)
{
    struct bench *b = *state;
    struct waiter w;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    wait_begin(b, &w, one, one, false, 5);
    assert_true(event_wait_ready(b->d, &w.conn)); /* without a clock no time ends */
    assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_TIMEOUT);
    sender_new(b, 0, 0, 0);
    uint64_t now = machine_now(b->d->machine);
    static const struct {
        uint32_t ms;
        uint64_t cycles;
    } cases[] = {{0, WAIT_LEAST},
                 {1, 1000000},
                 {0xfffffffd, UINT64_C(0xfffffffd) * 1000000},
                 {0xfffffffe, NEVER},
                 {0xffffffff, NEVER}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wait_begin(b, &w, one, one, false, cases[i].ms);
        assert_int_equal(w.conn.state, CONN_WAIT);
        assert_int_equal(w.conn.deadline, i < 3 ? now + cases[i].cycles : NEVER);
        assert_false(event_wait_ready(b->d, &w.conn));
    }
    struct kfd_ioctl_wait_events_args a = {.events_ptr = 64, .num_events = 1, .timeout = UINT32_MAX};
    struct shim_answer answer = {0};
    memcpy(w.conn.request.data, &a, sizeof a); /* the list is gone */
    assert_true(event_wait_ready(b->d, &w.conn));
    event_wait_finish(&w.conn, &answer);
    assert_true(answer.result == -1 && answer.error == EFAULT);
}

/* The event page may be shorter than there are events: slots end with it, events do not. */
static void slots_end_with_their_page(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint64_t vram = alloc(b, 0, 0, 0x30000000, 4096, FLAGS_VRAM, 0);
    uint64_t handle = alloc(b, 0, 0, 0x31000000, 4096, FLAGS_GTT, 0),
             next = alloc(b, 0, 0, 0x32000000, 4096, FLAGS_GTT, 0);
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL, .event_page_offset = vram};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), EINVAL);
    a.event_page_offset = handle + 1000; /* no such handle */
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), EINVAL);
    a.event_page_offset = handle;
    for (uint32_t id = 1; id < 520; id++) {
        assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
        assert_true(a.event_id == id && a.event_slot_index == id && a.event_trigger_data == id);
        assert_int_equal(a.event_page_offset, id < 500 ? handle : next);
        a.event_page_offset = id < 499 ? handle : next; /* it stays where it is */
    }
    assert_int_equal(c->event_page, handle);
    struct pmem *pm = machine_memory(b->d->machine);
    const struct object *page = memory_find(c, handle), *behind = memory_find(c, next);
    assert_int_equal(behind->hold->backing->offset, page->hold->backing->offset + 4096);
    uint64_t *slots = (uint64_t *)(void *)pmem_gtt(pm, page->hold->backing->offset, 8192);
    for (unsigned n = 505; n < 520; n++)
        slots[n] = n;
    sender_new(b, 0, 0, 0); /* starts the machine */
    interrupt(b, 0);
    for (unsigned n = 505; n < 520; n++) {
        assert_int_equal(c->events[n].set, n < 512);
        assert_true(slots[n] == (n < 512 ? UINT64_MAX : n)); /* what is behind is none of it */
    }
    event_raise(c, 515); /* all the same */
    assert_true(c->events[515].set && !c->events[514].set);
}

/* What failed of an access is told by one word of three. */
static void faults_are_told_apart(void **state)
{
    static const enum fault_kind kinds[] = {FAULT_NOT_PRESENT, FAULT_READ_ONLY, FAULT_NO_EXECUTE, FAULT_BUS};
    struct bench *b = *state;
    struct waiter w;
    uint32_t one = event_new(b, KFD_IOC_EVENT_MEMORY, true), two = event_new(b, KFD_IOC_EVENT_SIGNAL, true);
    for (unsigned i = 0; i < 4; i++) {
        wait_begin(b, &w, one, two, false, UINT32_MAX);
        memset(&w.data[0].memory_exception_data, 0xee, sizeof w.data[0].memory_exception_data);
        event_raise_fault(b->client[0], id_of(i % 3), 0x5000 + i, kinds[i]);
        assert_int_equal(wait_end(b, &w), KFD_IOC_WAIT_RESULT_COMPLETE);
        const struct kfd_hsa_memory_exception_data *told = &w.data[0].memory_exception_data;
        assert_true(told->va == 0x5000 + i && told->gpu_id == id_of(i % 3));
        assert_int_equal(told->failure.ReadOnly, kinds[i] == FAULT_READ_ONLY);
        assert_int_equal(told->failure.NoExecute, kinds[i] == FAULT_NO_EXECUTE);
        assert_int_equal(told->failure.NotPresent, i == 0 || i == 3);
        assert_true(told->failure.imprecise == 0 && told->ErrorType == 0); /* nothing else is said */
        assert_int_equal(w.data[1].memory_exception_data.gpu_id, 0);       /* a signal has no fault */
        assert_false(b->client[0]->events[one].set);
    }
}

/* A fault is unseen until a thread of the process itself waits for one of its memory events. */
static void faults_are_seen_by_waiters(void **state)
{
    static struct waiter w;
    struct bench *b = *state;
    uint32_t signal = event_new(b, KFD_IOC_EVENT_SIGNAL, false), memory = event_new(b, KFD_IOC_EVENT_MEMORY, false);
    assert_false(event_fault_unseen(b->d, b->client[0]));
    event_raise(b->client[0], signal);
    assert_false(event_fault_unseen(b->d, b->client[0]));
    event_raise_fault(b->client[0], id_of(0), 0x1000, FAULT_NOT_PRESENT);
    assert_true(event_fault_unseen(b->d, b->client[0]));
    assert_false(event_fault_unseen(b->d, b->client[1]));
    wait_begin(b, &w, signal, signal, false, UINT32_MAX);
    b->d->conns = &w.conn;
    bool for_signals = event_fault_unseen(b->d, b->client[0]);
    wait_begin(b, &w, signal, memory, false, UINT32_MAX);
    bool for_both = event_fault_unseen(b->d, b->client[0]);
    wait_begin(b, &w, memory, signal, false, UINT32_MAX);
    for_both |= event_fault_unseen(b->d, b->client[0]); /* wherever in the list */
    w.conn.state = CONN_PARK;
    bool asked_before = event_fault_unseen(b->d, b->client[0]);
    w.conn.state = CONN_WAIT, w.conn.client = b->client[1];
    bool of_another = event_fault_unseen(b->d, b->client[0]);
    b->d->conns = NULL;
    assert_true(for_signals && !for_both && asked_before && of_another);
    event_end(b, memory);
    assert_false(event_fault_unseen(b->d, b->client[0]));
}

/* shows B.7: what a thread waits for, in words */
static void waits_in_words(void **state)
{
    struct bench *b = *state;
    struct waiter w;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, false), two = event_new(b, KFD_IOC_EVENT_MEMORY, false);
    static const char *const words[] = {"waits for event 1\n", "waits for all events 1, 2 (memory fault)\n",
                                        "waits for one event of 1, 2 (memory fault)\n", "waits for event\n"};
    for (unsigned i = 0; i < 4; i++) {
        char text[200] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        wait_begin(b, &w, one, two, i == 1, UINT32_MAX);
        struct kfd_ioctl_wait_events_args a;
        memcpy(&a, w.conn.request.data, sizeof a);
        a.num_events = i ? 2 : 1;
        a.events_ptr = i == 3 ? 64 : a.events_ptr; /* nothing is mapped there */
        memcpy(w.conn.request.data, &a, sizeof a);
        event_wait_tell(b->d, &w.conn, out);
        fclose(out);
        assert_string_equal(text, words[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_wake_waiters),
        TEST(interrupts_take_all_written_slots),
        TEST(event_ids_run_out_cleanly),
        TEST(destroyed_events_hold_nobody),
        TEST(waits_end_with_their_time),
        TEST(events_are_set_and_reset),
        TEST(every_memory_event_hears_of_a_fault),
        TEST(waits_name_events),
        TEST(times_of_waits),
        TEST(slots_end_with_their_page),
        TEST(faults_are_told_apart),
        TEST(faults_are_seen_by_waiters),
        TEST(waits_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The machine behind the driver: figures of the configuration that command processors go by, when GPUs look at each
 * other's signals, interrupts, and what is counted of a run.
 */
#include "../driver/packets.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/log.h"

#define BARRIER_AND 0x103u /* without fences */
#define SIGNAL_VALUE 8u

/* A barrier packet that waits for the signal, and completes another. */
static void sender_barrier(struct bench *b, struct sender *s, uint64_t wanted, uint64_t done)
{
    uint64_t at = s->ring + s->packets++ % 64 * 64;
    for (unsigned i = 0; i < 5; i++)
        guest_put(b, s, at + 8 + 8 * i, i ? 0 : wanted, 8);
    guest_put(b, s, at + 0x38, done, 8);
    guest_put(b, s, at, BARRIER_AND, 2);
    guest_put(b, s, s->ring + 0x1050, s->packets, 8);
}

static void signal_put(struct bench *b, const struct sender *s, uint64_t at, uint64_t value)
{
    guest_put(b, s, at, 1, 8); /* a user signal */
    guest_put(b, s, at + SIGNAL_VALUE, value, 8);
    for (unsigned i = 16; i < 64; i += 8)
        guest_put(b, s, at + i, 0, 8);
}

static uint64_t now(struct bench *b)
{
    return machine_now(b->d->machine);
}

static void until(struct bench *b, uint64_t cycle)
{
    machine_timer(b->d->machine, cycle);
    while (now(b) < cycle)
        machine_run(b->d->machine, cycle);
}

/* A work-group may have all the LDS of a CU, and no byte more. */
static void work_groups_have_the_lds_of_a_cu(void **state)
{
    struct bench *b = *state;
    b->config.cfg.gpu_cu_lds_kib = 48;
    struct sender s = sender_new(b, 0, 0, 0);
    for (unsigned more = 0; more < 2; more++) {
        unsigned before = commands(b, 0, 0, CP_LAUNCH, 0);
        sender_kernel(b, &s, 0, 0);
        guest_put(b, &s, s.ring + more * 64 + 0x1c, 48 * 1024 + more, 4);
        guest_put(b, &s, s.ring + 0x10c0, b->ring[0] + SIGNAL_AT, 8);
        sender_ring(b, &s);
        assert_true(queue_doorbells(b->d));
        run_dry(b);
        assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0) - before, !more);
    }
}

/* Kernels run on as many CUs as there are. */
static void kernels_run_on_all_cus(void **state)
{
    static const struct {
        uint32_t cus;
        uint64_t mask;
    } cases[] = {{1, 1}, {5, 0x1f}, {63, UINT64_MAX >> 1}, {64, UINT64_MAX}};
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(n ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        b->config.cfg.gpu_cu_count = cases[n].cus;
        assert_int_equal(machine_cus(b->d->machine), cases[n].cus);
        struct sender s = sender_new(b, 0, 0, 0);
        sender_run(b, &s);
        assert_true(launch_last(b)->cu_mask == cases[n].mask);
    }
}

/* A queue that waits for a signal goes on when a GPU tells anything, not when it next looks by itself: the kernel may
 * have changed the signal. */
static void what_one_gpu_does_the_others_see(void **state)
{
    struct bench *b = *state;
    const uint64_t wanted = b->ring[0] + SIGNAL_AT, done = wanted + 64;
    struct sender kernel = sender_new(b, 0, 0, 0), waits = sender_new(b, 0, 1, 1);
    signal_put(b, &waits, wanted, 1);
    signal_put(b, &waits, done, 1);
    sender_kernel(b, &kernel, 0, 0);
    sender_ring(b, &kernel);
    sender_barrier(b, &waits, wanted, done);
    sender_ring(b, &waits);
    assert_true(queue_doorbells(b->d));
    while (commands(b, 0, 0, CP_LAUNCH, 0) == 0)
        machine_run(b->d->machine, now(b) + 10);
    uint64_t ends = 0;
    for (unsigned i = 0; i < fake(b)->count; i++)
        if (!fake(b)->due[i].timer && fake(b)->due[i].evt.kind == CP_EVT_LAUNCH_DONE)
            ends = fake(b)->due[i].at;
    assert_true(ends > now(b));
    until(b, ends - 1);
    guest_put(b, &waits, wanted + SIGNAL_VALUE, 0, 8);
    assert_int_equal(guest_get(b, &waits, done + SIGNAL_VALUE), 1);
    until(b, ends + 1000); /* a look by itself would come after 2000 */
    assert_int_equal(guest_get(b, &waits, done + SIGNAL_VALUE), 0);
}

/* The last completion is the word of it: a signal is written behind its kernel's end.  The first doorbell stays the
 * first. */
static void a_run_counts_from_doorbell_to_signal(void **state)
{
    struct bench *b = *state;
    const uint64_t signal = b->ring[0] + SIGNAL_AT;
    assert_true(machine_now(b->d->machine) == 0 && !machine_started(b->d->machine));
    assert_true(b->d->first_doorbell == NEVER && !b->d->gpu_work);
    struct sender s = sender_new(b, 0, 0, 0);
    assert_true(b->d->gpu_work && machine_started(b->d->machine));
    for (unsigned n = 0; n < 2; n++) {
        machine_timer(b->d->machine, now(b) + 700);
        run_dry(b);
        uint64_t rung = now(b);
        signal_put(b, &s, signal, 1);
        sender_kernel(b, &s, signal, 0);
        sender_ring(b, &s);
        assert_true(queue_doorbells(b->d));
        while (machine_run(b->d->machine, now(b) + 1) != MACHINE_VISIBLE)
            ;
        assert_int_equal(guest_get(b, &s, signal + SIGNAL_VALUE), 0);
        assert_true(b->d->last_completion == now(b) && now(b) > b->d->rows[n].end);
        assert_true(n ? b->d->first_doorbell < rung - 700 : b->d->first_doorbell == rung);
        assert_int_equal(b->d->doorbells[0], n + 1);
        run_dry(b);
    }
}

/* A machine in which nothing can happen comes to the end of a time, or tells that it does not. */
static void nothing_can_happen(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    sender_run(b, &s);
    assert_false(machine_busy(b->d->machine));
    while (machine_run(b->d->machine, now(b)) == MACHINE_VISIBLE)
        ;
    assert_int_equal(machine_run(b->d->machine, now(b)), MACHINE_UNTIL);
    assert_int_equal(machine_run(b->d->machine, now(b) + 1), MACHINE_IDLE);
}

/* A completion signal with a mailbox: its event is set, and lines of the log have the cycle at which that was. */
static void completions_reach_their_event(void **state)
{
    struct bench *b = *state;
    const uint64_t signal = b->ring[0] + SIGNAL_AT, mailbox = signal + 128;
    struct kfd_ioctl_create_event_args other = {.event_type = KFD_IOC_EVENT_SIGNAL}, a = other;
    struct sender s = sender_new(b, 0, 0, 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &other), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    signal_put(b, &s, signal, 1);
    guest_put(b, &s, signal + 16, mailbox, 8);
    guest_put(b, &s, signal + 24, a.event_id, 4);
    sender_kernel(b, &s, signal, 0);
    sender_ring(b, &s);
    assert_true(queue_doorbells(b->d));
    assert_false(b->client[0]->events[a.event_id].set);
    run_dry(b);
    assert_true(b->client[0]->events[a.event_id].set && !b->client[0]->events[other.event_id].set);
    assert_int_equal(guest_get(b, &s, mailbox), a.event_id);
    assert_true(log_cycle == now(b));
    fake(b)->now += 5; /* time in which nothing happens */
    machine_run(b->d->machine, now(b));
    assert_true(log_cycle == now(b));
}

/* s_sendmsg of a wavefront: the events whose slots it has written are set, those of its process. */
static void interrupts_reach_the_events_of_their_process(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 1, 0);
    struct kfd_ioctl_create_event_args a[2];
    for (unsigned c = 0; c < 2; c++) {
        a[c] = (struct kfd_ioctl_create_event_args){
            .event_type = KFD_IOC_EVENT_SIGNAL, .event_page_offset = alloc(b, c, 0, 0x30000000, 4096, FLAGS_GTT, 0)};
        assert_int_equal(call(b, c, AMDKFD_IOC_CREATE_EVENT, &a[c]), 0);
        const struct object *page = memory_find(b->client[c], b->client[c]->event_page);
        *(uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine),
                                      page->hold->backing->offset + a[c].event_slot_index * 8, 8) = 1;
    }
    fake_launch = endless;
    sender_run(b, &s);
    fake_launch = NULL;
    fake_add(fake(b), (struct fake_due){
                          .at = now(b) + 10,
                          .gpu = 1,
                          .evt = {.kind = CP_EVT_INTERRUPT, .id = launch_last(b)->id, .vmid = launch_last(b)->vmid}});
    run_dry(b);
    assert_true(b->client[0]->events[a[0].event_id].set && !b->client[1]->events[a[1].event_id].set);
}

/* Physical memory that the host cannot give is told in one line, and nothing is left of the machine. */
static void a_machine_without_memory_is_told(void **state)
{
    struct bench *b = *state;
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct rlimit files, none;
    char text[300];
    FILE *said = tmpfile();
    int own = dup(2);
    fflush(stderr);
    dup2(fileno(said), 2);
    getrlimit(RLIMIT_NOFILE, &files);
    none = (struct rlimit){0, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    struct driver *d = driver_new(&b->config.cfg, &options);
    setrlimit(RLIMIT_NOFILE, &files);
    fflush(stderr);
    dup2(own, 2);
    close(own);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = 0;
    fclose(said);
    assert_null(d);
    assert_string_equal(text, "gantry: memory of the machine: Too many open files\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_groups_have_the_lds_of_a_cu), TEST(kernels_run_on_all_cus),
        TEST(what_one_gpu_does_the_others_see), TEST(a_run_counts_from_doorbell_to_signal),
        TEST(completions_reach_their_event),    TEST(interrupts_reach_the_events_of_their_process),
        TEST(a_machine_without_memory_is_told), TEST(nothing_can_happen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

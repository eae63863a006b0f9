/* SPDX-License-Identifier: Apache-2.0
 * Numbers in requests about queues: offsets of pages, percentages and priorities, ids, to both sides of their ends
 * (S0.8, S0.14).
 */
#include "packets.h"

/* What an offset names: the page of one GPU, doorbells or registers, not more of it, once the device is open. */
static void offsets_name_pages(void **state)
{
    struct bench *b = *state;
    struct client *closed = client_get(b->d, 0x3ffff000); /* no such process */
    b->config.cfg.system_doorbell_windows.count = 3;
    for (unsigned g = 0; g < GPUS; g++) { /* in another order than they are counted in */
        uint64_t doorbell = doorbell_encode(PAGE_DOORBELL, id_of(g)), mmio = doorbell_encode(PAGE_MMIO, id_of(g)),
                 at = 7;
        b->config.cfg.system_doorbell_windows.value[g] = 64 * (5 - g);
        assert_int_equal(queue_map_offset(b->d, b->client[0], doorbell, 4096, &at), 0);
        assert_int_equal(at, (5 - g) * 65536);
        assert_int_equal(queue_map_offset(b->d, b->client[0], mmio, 1, &at), 0);
        assert_int_equal(at, (5 - g) * 65536 + 8192);
        at = 7;
        assert_int_equal(queue_map_offset(b->d, b->client[0], mmio, 0, &at), EINVAL);
        assert_int_equal(queue_map_offset(b->d, b->client[0], mmio, 4097, &at), EINVAL);
        assert_int_equal(queue_map_offset(b->d, b->client[0], doorbell_encode(PAGE_EVENTS, id_of(g)), 4096, &at),
                         EINVAL);
        assert_int_equal(queue_map_offset(b->d, b->client[0], UINT64_C(1) << 62 | mmio, 4096, &at), EINVAL);
        assert_int_equal(queue_map_offset(b->d, closed, doorbell, 4096, &at), EINVAL);
        assert_int_equal(at, 7);
    }
    b->config.cfg.system_doorbell_windows.count = 1; /* the others as if none were told */
    assert_int_equal(queue_window(b->d, 0), 5 * 65536);
    assert_int_equal(queue_window(b->d, 1), 2 << 20);
    b->config.cfg.system_doorbell_windows.count = 0;
    for (unsigned g = 0; g < GPUS; g++)
        assert_int_equal(queue_window(b->d, g), (g + 1) << 20);
}

/* Of the last launch. */
static unsigned launch_prio(struct bench *b)
{
    for (unsigned i = fake(b)->logged; i-- > 0;)
        if (fake(b)->log[i].cmd.kind == CP_LAUNCH)
            return fake(b)->log[i].cmd.prio;
    fail();
    return 0;
}

/* Percentages to 100 and priorities to 15, both included; no other changes anything. */
static void updates_are_in_range(void **state)
{
    static const struct {
        uint32_t percentage, priority;
        int error;
    } cases[] = {{100, 15, 0}, {101, 15, EINVAL}, {100, 16, EINVAL}, {0, 16, EINVAL}, {1, 0, 0}};
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kfd_ioctl_update_queue_args u = {
            .queue_id = s.id, .queue_percentage = cases[i].percentage, .queue_priority = cases[i].priority};
        assert_int_equal(call(b, 0, AMDKFD_IOC_UPDATE_QUEUE, &u), cases[i].error);
        sender_run(b, &s);
        assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), i + 1);
    }
}

/* shows S3.9: Made with a share of 0 a queue does nothing until it is given one; its kernels have the priority that it
 * had when they were read. */
static void shares_from_the_beginning(void **state)
{
    static const struct {
        uint32_t percentage, priority;
    } wrong[] = {{101, 0}, {100, 16}};
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct kfd_ioctl_create_queue_args a = {.ring_base_address = b->ring[0],
                                                .write_pointer_address = b->ring[0] + 0x1050,
                                                .read_pointer_address = b->ring[0] + 0x1080,
                                                .ring_size = 0x2000,
                                                .gpu_id = id_of(0),
                                                .queue_percentage = wrong[i].percentage,
                                                .queue_priority = wrong[i].priority,
                                                .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
        assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), EINVAL);
    }
    struct sender s = sender_share(b, 0, 0, 0, 0, 11);
    sender_run(b, &s);
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 0);
    struct kfd_ioctl_update_queue_args u = {.queue_id = s.id, .queue_percentage = 1, .queue_priority = 11};
    assert_int_equal(call(b, 0, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
    run_dry(b);
    assert_int_equal(launch_prio(b), 11);
    u.queue_priority = 4;
    assert_int_equal(call(b, 0, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
    sender_run(b, &s);
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 2);
    assert_int_equal(launch_prio(b), 4);
}

/* A process has a queue for each word of a doorbell page; the next one is told so, and gets the word that is freed. */
static void ids_run_out_cleanly(void **state)
{
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset, at;
    b->config.cfg.driver_queues = 2 * DOORBELL_QUEUES;
    for (uint32_t n = 0; n < DOORBELL_QUEUES; n++) {
        assert_int_equal(queue_new(b, 0, 0, &id, &offset), 0);
        assert_int_equal(id, n);
    }
    assert_int_equal(queue_new(b, 0, 1, &id, &offset), ENOSPC);
    assert_int_equal(queue_new(b, 1, 1, &id, &offset), 0); /* another process has its own */
    assert_int_equal(queue_end(b, 0, DOORBELL_QUEUES), EINVAL);
    assert_int_equal(queue_map_offset(b->d, b->client[0], doorbell_encode(PAGE_DOORBELL, id_of(0)), 4096, &at), 0);
    uint32_t *words = (uint32_t *)(void *)(b->client[0]->pages + at);
    for (uint32_t n = 0; n < 2; n++) { /* the last word rings as the first does */
        words[n ? DOORBELL_QUEUES - 1 : 0] = 0;
        assert_true(queue_doorbells(b->d));
        assert_int_equal(b->d->doorbells[0], n + 1);
    }
    assert_int_equal(queue_end(b, 0, DOORBELL_QUEUES - 1), 0);
    assert_int_equal(queue_new(b, 0, 2, &id, &offset), 0);
    assert_int_equal(id, DOORBELL_QUEUES - 1);
    assert_int_equal(queue_find(b->client[0], id)->gpu, 2);
    for (uint32_t n = 0; n < DOORBELL_QUEUES; n++)
        assert_int_equal(queue_end(b, 0, n), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(offsets_name_pages),
        TEST(updates_are_in_range),
        TEST(shares_from_the_beginning),
        TEST(ids_run_out_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

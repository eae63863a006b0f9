/* SPDX-License-Identifier: Apache-2.0
 * What a client may ask for ends where its own memory ends, and what it asks in vain leaves nothing behind (S0.14,
 * S3.12).
 */
#include "bench.h"

#define FLAGS_USER (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
#define TIB (UINT64_C(1) << 40)

static int user_alloc(struct bench *b, unsigned client, uint64_t cpu, uint64_t bytes, uint64_t *handle)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {
        .size = bytes, .gpu_id = id_of(0), .mmap_offset = cpu, .flags = FLAGS_USER};
    int error = call(b, client, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
    *handle = a.handle;
    return error;
}

static void give(struct bench *b, unsigned client, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, client, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

/* shows S3.12: user pointers of one client never reach into the owner bits of physical addresses, nor use up another's
 * numbers. */
static void user_pointers_are_bounded(void **state)
{
    struct bench *b = *state;
    static uint64_t own[1024] __attribute__((aligned(4096)));
    uint64_t h, second, v = 0;
    assert_int_equal(user_alloc(b, 0, 0x1000, TIB, &h), 0);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(user_alloc(b, 0, 0x1000, TIB, &second), ENOMEM);
    assert_int_equal(user_alloc(b, 0, 0x1000, 4096, &second), ENOMEM);
    assert_int_equal(user_alloc(b, 1, 0x1000, 4096, &second), 0); /* the other client has its own */
    give(b, 0, h);
    for (unsigned i = 0; i < 1000; i++) { /* far beyond the 240 numbers there are */
        assert_int_equal(user_alloc(b, 0, 0x1000, TIB, &h), 0);
        struct object *o = memory_find(b->client[0], h);
        assert_true(o->hold->backing->offset >= PMEM_WINDOW_BASE &&
                    o->hold->backing->offset + o->bytes <= PMEM_WINDOW_END);
        give(b, 0, h);
    }
    assert_int_equal(user_alloc(b, 0, (uintptr_t)own, 4096, &h), 0);
    assert_int_equal(map(b, 0, h, 1, true), 0);
    own[3] = 77;
    assert_int_equal(pagetable_read(b->client[0]->gpu[0].pt, 24, &v, 8), 0);
    assert_int_equal(v, 77);
    assert_int_equal(user_alloc(b, 0, UINT64_MAX - 4095, 8192, &h), EINVAL);
}

/* An address leads to one object; what is asked again changes nothing. */
static void addresses_are_not_mapped_twice(void **state)
{
    struct bench *b = *state;
    uint64_t one = alloc(b, 0, 0, 0x20000000, 0x400000, FLAGS_VRAM, 0);
    uint64_t two = alloc(b, 0, 0, 0x20201000, 0x1000, FLAGS_VRAM, 0);
    struct pagetable *pt = b->client[0]->gpu[0].pt;
    assert_int_equal(map(b, 0, one, 1, true), 0);
    uint64_t entry = pagetable_lookup(pt, 0x20201000);
    assert_int_equal(map(b, 0, two, 1, true), EINVAL);
    assert_int_equal(pagetable_lookup(pt, 0x20201000), entry);
    assert_int_equal(map(b, 0, one, 1, true), 0);
    assert_int_equal(map(b, 0, two, 2, true), 0); /* another GPU, another table */
    assert_int_equal(map(b, 0, one, 1, false), 0);
    assert_int_equal(map(b, 0, two, 1, true), 0);
    give(b, 0, two);
    for (uint64_t va = 0x20000000; va < 0x20400000; va += 0x1000)
        assert_int_equal(pagetable_lookup(pt, va), 0);
}

/* shows S3.12: the region of page tables is full in the middle of a map: no entry of it stays, since nothing would
 * remove it. */
static void maps_that_fail_leave_no_entry(void **state)
{
    struct bench *b = *state;
    struct pagetable *pt = b->client[0]->gpu[0].pt;
    uint64_t va = UINT64_C(1) << 30, h = 0;
    int error = 0;
    for (unsigned i = 0; i < 1000 && !error; i++, va += UINT64_C(1) << 30) { /* two tables each: one of 2 MiB pages */
        h = alloc(b, 0, 0, va + 0x1ff000, 0x2000, FLAGS_GTT, 0);             /* and two for its ends */
        error = map(b, 0, h, 1, true);
    }
    assert_int_equal(error, ENOMEM);
    va -= UINT64_C(1) << 30;
    assert_int_equal(pagetable_lookup(pt, va + 0x1ff000), 0);
    assert_int_equal(pagetable_lookup(pt, va + 0x200000), 0);
    give(b, 0, h);
    assert_int_equal(map(b, 1, alloc(b, 1, 1, 0x20000000, 0x1000, FLAGS_VRAM, 0), 2, true), 0); /* another GPU */
}

/* Ring and indices of a queue: all in memory of the client, mapped on that GPU. */
static void queues_lie_in_mapped_memory(void **state)
{
    struct bench *b = *state;
    const uint64_t ring = b->ring[0], top = TIB - 0x4000;
    const struct {
        uint64_t ring, read, write;
        uint32_t bytes;
        int error;
    } asked[] = {
        {ring, ring + 0x1080, ring + 0x1050, 0x2000, 0},
        {ring + 0xf000, ring + 0x1080, ring + 0x1050, 0x2000, EINVAL}, /* its second page is not there */
        {ring, ring + 0x1080, ring + 0x1050, 0x80000000u, EINVAL},
        {ring, ring + 0x10000, ring + 0x1050, 0x2000, EINVAL},
        {ring, ring + 0x1080, 0, 0x2000, EINVAL},
        {ring, ring + 0x1081, ring + 0x1050, 0x2000, EINVAL},
        {ring, ring + 0x1080, ring + 0x1051, 0x2000, EINVAL},
        {ring, ring + 0x1080, ring + 0x1058, 0x2000, 0},
        {ring, ring + 0x1080, ring + 0x10000, 0x2000, EINVAL},
        {ring, ring + 0xfff8, ring + 0xfff0, 0x2000, 0},
        {ring + 0xe000, ring + 0x1080, ring + 0x1050, 0x2000, 0}, /* to the end of the buffer */
        {top, ring + 0x1080, ring + 0x1050, 0x4000, 0},           /* to the end of all addresses */
        {top + 0x2000, ring + 0x1080, ring + 0x1050, 0x4000, EINVAL},
        {top, TIB - 8, TIB - 16, 0x2000, 0},
        {top, TIB, TIB - 16, 0x2000, EINVAL},
        {ring + 64, ring + 0x1080, ring + 0x1050, 0x2000, 0},
        {ring + 32, ring + 0x1080, ring + 0x1050, 0x2000, EINVAL},
        {ring, ring + 0x1080, ring + 0x1050, 0x3000, EINVAL}, /* no power of two */
        {ring, ring + 0x1080, ring + 0x1050, 127, EINVAL},
        {ring, ring + 0x1080, ring + 0x1050, 128, 0}, /* one packet */
        {ring + 8, ring + 0x1080, ring + 0x1050, 0x2000, EINVAL},
        {UINT64_MAX - 63, ring + 0x1080, ring + 0x1050, 0x2000, EINVAL},
        {ring, UINT64_MAX - 7, ring + 0x1050, 0x2000, EINVAL},
        {TIB - 0x1000, ring + 0x1080, ring + 0x1050, 0x2000, EINVAL},
        {ring, ring + 0x1080, ring + 0x1050, 64, EINVAL},
        {ring, ring + 0x1080, ring + 0x1050, 0, EINVAL},
    };
    uint32_t good = 0;
    assert_int_equal(map(b, 0, alloc(b, 0, 0, top, 0x4000, FLAGS_GTT, 0), 1, true), 0);
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                                .ring_base_address = asked[i].ring,
                                                .write_pointer_address = asked[i].write,
                                                .read_pointer_address = asked[i].read,
                                                .ring_size = asked[i].bytes,
                                                .gpu_id = id_of(0),
                                                .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
        assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), asked[i].error);
        if (!asked[i].error) /* ids and numbers are those of queues that there are */
            assert_int_equal(a.queue_id, good++);
        assert_int_equal(b->d->queue_count, good);
        assert_null(queue_find(b->client[0], good));
    }
}

static void sizes_and_addresses_end(void **state)
{
    struct bench *b = *state;
    const uint32_t aql = FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM;
    alloc(b, 0, 0, 0, TIB + 1, FLAGS_GTT, EINVAL);
    alloc(b, 0, 0, 0, UINT64_MAX, FLAGS_GTT, EINVAL);
    alloc(b, 0, 0, TIB - 0x1000, 0x1001, FLAGS_GTT, EINVAL);
    alloc(b, 0, 0, UINT64_MAX & ~UINT64_C(4095), 0x2000, FLAGS_GTT, EINVAL); /* end wraps */
    alloc(b, 0, 0, TIB - 0x1000, 0xfff, FLAGS_GTT, 0);
    alloc(b, 0, 0, 0x70000000, 0x3000, aql, EINVAL); /* no two halves */
    alloc(b, 0, 0, 0x70000000, 0x1000, aql, EINVAL);
    struct kfd_ioctl_set_scratch_backing_va_args s = {.gpu_id = id_of(0), .va_addr = TIB >> 16};
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &s), EINVAL);
    s.va_addr--;
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &s), 0);
    struct kfd_ioctl_set_trap_handler_args t = {.gpu_id = id_of(0), .tba_addr = TIB};
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_TRAP_HANDLER, &t), EINVAL);
    struct kfd_ioctl_map_memory_to_gpu_args m = {.handle = b->client[0]->objects.root->at, .n_devices = 9};
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), EINVAL);
    m.n_devices = 1;
    m.device_ids_array_ptr = 64; /* nothing is mapped there */
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), EINVAL);
    m.n_success = 2;
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), EINVAL);
    assert_int_equal(m.n_success, 2);
}

/* What one client asks for does not show in another's clock. */
static void clock_readings_are_the_clients_own(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_get_clock_counters_args a = {.gpu_id = id_of(0)};
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(call(b, 0, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
    uint64_t many = a.gpu_clock_counter;
    assert_int_equal(call(b, 1, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
    assert_int_equal(many - a.gpu_clock_counter, 999);
}

static void allocations_are_counted(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {
        .size = 4096, .gpu_id = id_of(0), .flags = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL};
    while (c->objects.count < 65536)
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), ENOMEM);
    assert_int_equal(call(b, 1, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    give(b, 0, ranges_from(&c->objects, 3)->at);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(user_pointers_are_bounded),     TEST(addresses_are_not_mapped_twice),
        TEST(maps_that_fail_leave_no_entry), TEST(queues_lie_in_mapped_memory),
        TEST(sizes_and_addresses_end),       TEST(clock_readings_are_the_clients_own),
        TEST(allocations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

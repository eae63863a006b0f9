/* SPDX-License-Identifier: Apache-2.0
 * Memory objects side by side, pages of devices among them, and both neighbours of what an argument may be (S0.8,
 * S3.12).
 */
#include "packets.h"

#define FLAGS_USER KFD_IOC_ALLOC_MEM_FLAGS_USERPTR
#define TIB (UINT64_C(1) << 40)

static uint64_t entry(struct bench *b, unsigned gpu, uint64_t va)
{
    return pagetable_lookup(b->client[0]->gpu[gpu].pt, va) & PTE_ADDR;
}

static void give(struct bench *b, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

/* Objects may touch, in whatever order they are mapped; a page that two of them have is the first one's. */
static void neighbours_are_mapped(void **state)
{
    struct bench *b = *state;
    static const unsigned orders[][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}};
    for (unsigned n = 0; n < 4; n++) {
        uint64_t h[3], low, high;
        for (unsigned i = 0; i < 3; i++)
            h[i] = alloc(b, 0, 0, 0x20000000 + i * 0x3000, 0x3000, FLAGS_VRAM, 0);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(map(b, 0, h[orders[n][i]], 1, true), 0);
        for (unsigned i = 0; i < 9; i++)
            assert_int_equal(entry(b, 0, 0x20000000 + i * 0x1000),
                             pmem_addr(1, memory_find(b->client[0], h[i / 3])->hold->backing->offset + i % 3 * 0x1000));
        low = alloc(b, 0, 0, 0x1fffe000, 0x3000, FLAGS_VRAM, 0);  /* its last page is the first of the first */
        high = alloc(b, 0, 0, 0x20008000, 0x3000, FLAGS_VRAM, 0); /* its first page is the last of the last */
        assert_int_equal(map(b, 0, low, 1, true), EINVAL);
        assert_int_equal(map(b, 0, high, 1, true), EINVAL);
        assert_true(entry(b, 0, 0x1fffe000) == 0 && entry(b, 0, 0x20009000) == 0);
        for (unsigned i = 0; i < 3; i++)
            give(b, h[i]);
        give(b, low);
        give(b, high);
    }
}

/* Doorbell and register pages are for the host: on a GPU nothing is mapped, taken or shot down for them. */
static void pages_of_devices_are_not_mapped(void **state)
{
    struct bench *b = *state;
    const uint64_t va = 0x20000000;
    struct sender s = sender_new(b, 0, 0, 0);
    sender_run(b, &s);
    uint64_t page = alloc(b, 0, 0, va, 0x1000, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0),
             vram = alloc(b, 0, 0, va, 0x1000, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, page, 1, true), 0);
    assert_int_equal(entry(b, 0, va), 0);
    assert_int_equal(map(b, 0, vram, 1, true), 0);
    uint64_t there = entry(b, 0, va);
    unsigned from = fake(b)->logged;
    assert_int_equal(map(b, 0, page, 1, false), 0);
    give(b, page);
    assert_true(there && entry(b, 0, va) == there);
    sender_run(b, &s);
    assert_int_equal(commands(b, from, 0, CP_CACHE, CACHE_INV_TLB), 0);
    b->client[0] = client_get(b->d, 0x3ffff000); /* no such process: without an address space */
    assert_int_equal(client_open(b->d, b->client[0]), 0);
    page = alloc(b, 0, 0, va, 0x1000, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, 0);
    struct object *o = memory_find(b->client[0], page);
    b->client[0]->pid = getpid(); /* whose array is read */
    assert_int_equal(map(b, 0, page, 1, true), 0);
    assert_int_equal(o->mapped, 1);
    assert_int_equal(map(b, 0, page, 1, false), 0);
    assert_int_equal(o->mapped, 0);
    b->client[0]->pid = 0x3ffff000;
}

/* shows S0.14: the doorbell page that a process allocates is that of its queues on the GPU; registers lie elsewhere. */
static void doorbell_pages_are_those_of_queues(void **state)
{
    struct bench *b = *state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct kfd_ioctl_alloc_memory_of_gpu_args page = {
            .va_addr = 0x20000000, .size = 4096, .gpu_id = id_of(g), .flags = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL};
        uint32_t id;
        uint64_t offset;
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &page), 0);
        assert_int_equal(queue_new(b, 0, g, &id, &offset), 0);
        assert_true(page.mmap_offset == offset);
        page.flags = KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &page), 0);
        assert_true(page.mmap_offset != offset);
    }
}

/* The first and the last that is good, and what is next to it. */
static void arguments_end_where_they_end(void **state)
{
    struct bench *b = *state;
    static uint32_t ids[DRIVER_GPUS + 1];
    for (unsigned i = 0; i <= DRIVER_GPUS; i++)
        ids[i] = id_of(i % GPUS);
    uint64_t h = alloc(b, 0, 0, 0x20000000, 0x1000, FLAGS_VRAM, 0);
    struct kfd_ioctl_map_memory_to_gpu_args m = {
        .handle = h, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = DRIVER_GPUS}; /* some twice */
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), 0);
    assert_int_equal(m.n_success, DRIVER_GPUS);
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), 0); /* all is done */
    assert_int_equal(m.n_success, DRIVER_GPUS);
    m.n_success = 0, m.n_devices = DRIVER_GPUS + 1;
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), EINVAL);
    m = (struct kfd_ioctl_map_memory_to_gpu_args){.handle = h};
    assert_int_equal(call(b, 0, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &m), 0); /* from none */
    assert_int_not_equal(entry(b, 0, 0x20000000), 0);
    alloc(b, 0, 0, 0x30000001, 0x1000, FLAGS_VRAM, EINVAL);
    alloc(b, 0, 0, 0x30000fff, 0x1000, FLAGS_VRAM, EINVAL);
    alloc(b, 0, 0, 0x30001000, 0, FLAGS_VRAM, EINVAL);
    alloc(b, 0, 0, 0x30001000, 1, FLAGS_VRAM, 0);
    alloc(b, 0, 0, TIB - 0x1000, 0x1000, FLAGS_VRAM, 0);
    alloc(b, 0, 0, TIB, 0x1000, FLAGS_VRAM, EINVAL);
    alloc(b, 0, GPUS, 0x30001000, 0x1000, FLAGS_VRAM, EINVAL);
    for (unsigned i = 0; i < 3; i++) {
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x40000000,
                                                       .size = 0x2000,
                                                       .gpu_id = id_of(0),
                                                       .mmap_offset = UINT64_MAX - 0x2001 + i,
                                                       .flags = FLAGS_USER};
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), i < 2 ? 0 : EINVAL);
    }
}

/* Handles are told apart, and none is 0, which names nothing. */
static void handles_are_numbers_of_their_own(void **state)
{
    struct bench *b = *state;
    uint64_t h[12];
    for (unsigned i = 0; i < 12; i++) {
        h[i] = alloc(b, 0, i % GPUS, 0x20000000 + i * 0x10000, 0x1000, i & 1 ? FLAGS_VRAM : FLAGS_GTT, 0);
        assert_int_not_equal(h[i], 0);
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(h[i], h[k]);
    }
    assert_null(memory_find(b->client[0], 0));
    for (unsigned i = 0; i < 12; i++) { /* in an order of its own; each frees what it names */
        uint64_t handle = h[i * 5 % 12];
        give(b, handle);
        assert_null(memory_find(b->client[0], handle));
        for (unsigned k = i + 1; k < 12; k++)
            assert_non_null(memory_find(b->client[0], h[k * 5 % 12]));
    }
}

/* All windows of client memory taken: the next is told so, and one that is given back is there for it. */
static void windows_run_out_cleanly(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {
        .size = TIB, .gpu_id = id_of(0), .mmap_offset = 0x1000, .flags = FLAGS_USER};
    uint64_t last = 0, before = b->client[0]->objects.count;
    unsigned taken = 0;
    int error;
    do {
        b->client[0]->user_bytes = 0; /* as if another process had them */
        last = a.handle;
        a.mmap_offset = 0x1000;
        error = call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
    } while (!error && ++taken < 10000);
    assert_int_equal(error, ENOMEM);
    assert_true(taken > 100);
    assert_int_equal(b->client[0]->objects.count, before + taken);
    assert_int_equal(b->client[0]->user_bytes, 0);
    b->client[0]->user_bytes = TIB;
    give(b, last);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    b->client[0]->user_bytes = TIB * taken; /* what they give back */
}

/* Of objects that touch in VRAM each is found by its own offset, to its own end. */
static void neighbours_have_their_own_offsets(void **state)
{
    struct bench *b = *state;
    uint64_t offset[4];
    for (unsigned i = 0; i < 4; i++) {
        offset[i] = memory_find(b->client[0], alloc(b, 0, 1, 0x20000000 + i * 0x1000, 0x1000, FLAGS_VRAM, 0))
                        ->hold->backing->offset;
        assert_int_equal(offset[i], offset[0] + i * 0x1000);
    }
    for (unsigned i = 0; i < 4; i++) {
        uint64_t bytes = 0x1000, at, whole = 0x1001;
        assert_true(memory_map_file(b->d, b->client[0], 1, offset[i], &bytes, &at) >= 0);
        assert_int_equal(bytes, 0x1000);
        assert_int_equal(memory_map_file(b->d, b->client[0], 1, offset[i], &whole, &at), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(neighbours_are_mapped),
        TEST(pages_of_devices_are_not_mapped),
        TEST(doorbell_pages_are_those_of_queues),
        TEST(arguments_end_where_they_end),
        TEST(handles_are_numbers_of_their_own),
        TEST(windows_run_out_cleanly),
        TEST(neighbours_have_their_own_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Memory of a process by its ioctls: rights of pages, TLB shoot-downs, what is left of freed memory, client memory
 * (S0.8, S3.12).
 */
#include "../driver/packets.h"

static void memory_end(struct bench *b, unsigned client, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, client, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

static uint64_t available(struct bench *b, unsigned gpu)
{
    struct kfd_ioctl_get_available_memory_args a = {.gpu_id = id_of(gpu)};
    assert_int_equal(call(b, 0, AMDKFD_IOC_AVAILABLE_MEMORY, &a), 0);
    return a.available;
}

/* shows S0.8: A GPU may write and execute what the allocation said, on every GPU, and may always read. */
static void pages_have_the_rights_of_their_allocation(void **state)
{
    static uint8_t own[4096] __attribute__((aligned(4096)));
    static const uint32_t kinds[] = {KFD_IOC_ALLOC_MEM_FLAGS_VRAM, KFD_IOC_ALLOC_MEM_FLAGS_GTT,
                                     KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
    struct bench *b = *state;
    for (unsigned n = 0; n < 12; n++) {
        bool writable = n & 1, executable = n & 2;
        uint64_t va = 0x50000000 + n * 0x10000u;
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {
            .va_addr = va, .size = 4096, .gpu_id = id_of(1), .mmap_offset = (uintptr_t)own, .flags = kinds[n / 4]};
        a.flags |= writable ? KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE : 0;
        a.flags |= executable ? KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE : 0;
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        assert_int_equal(map(b, 0, a.handle, 7, true), 0);
        for (unsigned g = 0; g < GPUS; g++) {
            uint64_t entry = pagetable_lookup(b->client[0]->gpu[g].pt, va);
            assert_true(entry & PTE_R);
            assert_int_equal((entry & PTE_W) != 0, writable);
            assert_int_equal((entry & PTE_X) != 0, executable);
        }
    }
}

/* Host memory that host and GPUs use at the same time is not cached, nor is such memory of one GPU in another; other
 * memory is. */
static void coherent_host_memory_is_not_cached(void **state)
{
    const uint32_t plain = FLAGS_GTT & ~(uint32_t)KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
    const struct {
        uint32_t flags;
        bool uncached, far; /* far: in the other GPU */
    } cases[] = {{FLAGS_GTT, true, true},
                 {plain, false, false},
                 {plain | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, true, true},
                 {FLAGS_VRAM, false, false},
                 {FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, false, true}};
    struct bench *b = *state;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        uint64_t va = 0x50000000 + n * 0x10000u, handle = alloc(b, 0, 0, va, 4096, cases[n].flags, 0);
        assert_int_equal(map(b, 0, handle, 3, true), 0);
        assert_int_equal((pagetable_lookup(b->client[0]->gpu[0].pt, va) & PTE_UNCACHED) != 0, cases[n].uncached);
        assert_int_equal((pagetable_lookup(b->client[0]->gpu[1].pt, va) & PTE_UNCACHED) != 0, cases[n].far);
    }
}

/* shows S3.12: Of pages that go, by UNMAP or FREE, no GPU that had them keeps a translation when the next kernel of the
 * process starts; a running one loses it as soon as the tables are written. */
static void no_gpu_keeps_translations_of_pages_that_go(void **state)
{
    struct bench *b = *state;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 1, 1)};
    for (unsigned round = 0; round < 4; round++) {
        bool by_free = round & 1, running = round & 2;
        uint64_t handle = alloc(b, 0, 0, 0x60000000, 0x2000, FLAGS_VRAM, 0); /* of GPU 0; GPU 1 is its peer */
        assert_int_equal(map(b, 0, handle, 3, true), 0);
        unsigned from[2];
        for (unsigned g = 0; g < 2; g++) {
            fake_launch = NULL;
            sender_run(b, &s[g]);
            from[g] = fake(b)->logged;
            sender_run(b, &s[g]); /* nothing has changed: translations stay */
            assert_int_equal(commands(b, from[g], g, CP_CACHE, CACHE_INV_TLB), 0);
            if (running) {
                fake_launch = endless;
                sender_run(b, &s[g]);
            }
        }
        from[0] = from[1] = fake(b)->logged;
        if (by_free)
            memory_end(b, 0, handle);
        else
            assert_int_equal(map(b, 0, handle, 3, false), 0);
        for (unsigned g = 0; g < 2; g++) /* the entries go first */
            assert_int_equal(commands(b, from[g], g, CP_CACHE, CACHE_INV_TLB), 0);
        if (running)
            tables_settle(b);
        for (unsigned g = 0; g < 2; g++) {
            if (!running)
                sender_run(b, &s[g]);
            assert_int_equal(commands(b, from[g], g, CP_CACHE, CACHE_INV_TLB), 1);
        }
        for (unsigned i = from[0]; i < fake(b)->logged; i++) { /* of a running one these translations and no others */
            const struct msg_cp_cmd *cmd = &fake(b)->log[i].cmd;
            if (cmd->kind == CP_CACHE && cmd->flags & CACHE_INV_TLB) {
                assert_int_equal(cmd->root, running ? 0x60000000 : 0);
                assert_int_equal(cmd->pc, running ? 0x2000 : 0);
            }
        }
        if (running) {
            struct kfd_ioctl_destroy_queue_args q[2] = {{.queue_id = s[0].id}, {.queue_id = s[1].id}};
            for (unsigned g = 0; g < 2; g++) {
                assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_QUEUE, &q[g]), 0);
                s[g] = sender_new(b, 0, g, 2 + g + round);
            }
        }
        if (!by_free)
            memory_end(b, 0, handle);
    }
    fake_launch = NULL;
}

/* Whoever gets memory next finds zeros, and all of it is there again. */
static void freed_memory_comes_back_empty_and_whole(void **state)
{
    static const uint64_t most = UINT64_C(40) << 20; /* more than half: what comes next lies on it */
    static uint8_t pattern[1 << 20], found[1 << 20], zero[1 << 20];
    struct bench *b = *state;
    memset(pattern, 0xa5, sizeof pattern);
    for (unsigned kind = 0; kind < 2; kind++) {
        uint64_t before = available(b, 1);
        for (unsigned round = 0; round < 2; round++) {
            uint64_t handle = alloc(b, 0, 1, 0x80000000, most + 0x1000, kind ? FLAGS_GTT : FLAGS_VRAM, 0);
            assert_int_equal(map(b, 0, handle, 2, true), 0);
            struct pagetable *pt = b->client[0]->gpu[1].pt;
            for (uint64_t at = 0; at < most + 0x1000; at += sizeof found) {
                uint64_t n = most + 0x1000 - at < sizeof found ? most + 0x1000 - at : sizeof found;
                assert_int_equal(pagetable_read(pt, 0x80000000 + at, found, n), 0);
                assert_memory_equal(found, zero, n);
                assert_int_equal(pagetable_write(pt, 0x80000000 + at, pattern, n), 0);
            }
            assert_true(kind || available(b, 1) + most < before);
            memory_end(b, 0, handle);
            assert_int_equal(available(b, 1), before);
        }
    }
}

/* The same of a page beside one that stays: its memory does not go to the host in between. */
static void a_freed_page_among_others_is_empty(void **state)
{
    struct bench *b = *state;
    for (unsigned kind = 0; kind < 2; kind++) {
        uint64_t handle[2], value = 0;
        for (unsigned i = 0; i < 2; i++) {
            handle[i] = alloc(b, 0, 0, 0x50000000 + i * 0x10000u, 4096, kind ? FLAGS_GTT : FLAGS_VRAM, 0);
            assert_int_equal(map(b, 0, handle[i], 1, true), 0);
        }
        struct pagetable *pt = b->client[0]->gpu[0].pt;
        assert_int_equal(pagetable_write(pt, 0x50000ff8, "secret!", 8), 0);
        assert_int_equal(pagetable_write(pt, 0x50010ff8, "my word", 8), 0);
        uint64_t pa = pagetable_lookup(pt, 0x50000000) & PTE_ADDR;
        memory_end(b, 0, handle[0]);
        handle[0] = alloc(b, 0, 0, 0x60000000, 4096, kind ? FLAGS_GTT : FLAGS_VRAM, 0);
        assert_int_equal(map(b, 0, handle[0], 1, true), 0);
        assert_true((pagetable_lookup(pt, 0x60000000) & PTE_ADDR) == pa); /* first fit: the same page */
        assert_int_equal(pagetable_read(pt, 0x60000ff8, &value, 8), 0);
        assert_int_equal(value, 0);
        assert_int_equal(pagetable_read(pt, 0x50010ff8, &value, 8), 0);
        assert_memory_equal(&value, "my word", 8);
        memory_end(b, 0, handle[0]);
        memory_end(b, 0, handle[1]);
    }
}

/* A handle that was freed names nothing, whatever came after it. */
static void a_freed_handle_names_nothing(void **state)
{
    struct bench *b = *state;
    uint64_t old = alloc(b, 0, 0, 0x50000000, 4096, FLAGS_VRAM, 0);
    memory_end(b, 0, old);
    uint64_t fresh = alloc(b, 0, 0, 0x50000000, 4096, FLAGS_VRAM, 0);
    assert_int_not_equal(fresh, old);
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = old};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), EINVAL);
    assert_int_equal(map(b, 0, old, 1, true), EINVAL);
    assert_int_equal(map(b, 0, fresh, 1, true), 0);
}

/* Every byte that was asked for is there, up to the end of its last page and no further. */
static void sizes_are_rounded_up_to_pages(void **state)
{
    struct bench *b = *state;
    uint64_t handle = alloc(b, 0, 0, 0x50000000, 0x1001, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, handle, 1, true), 0);
    struct pagetable *pt = b->client[0]->gpu[0].pt;
    assert_int_not_equal(pagetable_lookup(pt, 0x50000000), 0);
    assert_int_not_equal(pagetable_lookup(pt, 0x50001000), 0);
    assert_int_equal(pagetable_lookup(pt, 0x50002000), 0);
}

/* Client memory: its page is what the GPU sees, also for an address inside of it, until it is freed. */
static void client_memory_ends_with_its_object(void **state)
{
    static uint32_t page[1024] __attribute__((aligned(4096)));
    struct bench *b = *state;
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x40000000,
                                                   .size = 4096,
                                                   .gpu_id = id_of(0),
                                                   .mmap_offset = (uintptr_t)&page[16],
                                                   .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
    uint32_t value = 0;
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(map(b, 0, a.handle, 1, true), 0);
    page[16] = 77;
    assert_int_equal(pagetable_read(b->client[0]->gpu[0].pt, 0x40000000 + 64, &value, 4), 0);
    assert_int_equal(value, 77);
    uint64_t pa = pagetable_lookup(b->client[0]->gpu[0].pt, 0x40000000) & PTE_ADDR;
    assert_int_equal(pmem_read(machine_memory(b->d->machine), pa, &value, 4), 0);
    memory_end(b, 0, a.handle);
    assert_int_equal(pmem_read(machine_memory(b->d->machine), pa, &value, 4), -EFAULT);
}

/* A process has ended, and what it had on the GPUs has not yet: its pages are out of reach, though this process here,
 * whoever has its number, goes on. Another client's stay. */
static void client_memory_ends_with_its_process(void **state)
{
    static uint32_t page[1024] __attribute__((aligned(4096)));
    struct bench *b = *state;
    struct pmem *pm = machine_memory(b->d->machine);
    uint64_t pa[2];
    uint32_t value = 5;
    for (unsigned c = 0; c < 2; c++) {
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x40000000,
                                                       .size = 4096,
                                                       .gpu_id = id_of(0),
                                                       .mmap_offset = (uintptr_t)page,
                                                       .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
        assert_int_equal(call(b, c, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        assert_int_equal(map(b, c, a.handle, 1, true), 0);
        pa[c] = pagetable_lookup(b->client[c]->gpu[0].pt, 0x40000000) & PTE_ADDR;
        assert_int_equal(pmem_read(pm, pa[c], &value, 4), 0);
        assert_int_equal(value, 0);
    }
    client_end(b->d, b->client[0]);
    value = 5;
    assert_int_equal(pmem_read(pm, pa[0], &value, 4), -EFAULT);
    assert_int_equal(pmem_write(pm, pa[0], &value, 4), -EFAULT);
    assert_int_equal(page[0], 0);
    assert_int_equal(pmem_write(pm, pa[1], &value, 4), 0); /* into the other process */
    assert_int_equal(page[0], 0);
    value = 0;
    assert_int_equal(pmem_read(pm, pa[1], &value, 4), 0);
    assert_int_equal(value, 5);
}

/* Scratch, the only VRAM that is not executable, does not show in the data figure: its contents depend on placement. */
static void scratch_is_no_data(void **state)
{
    struct bench *b = *state;
    uint64_t before = b->d->data.value;
    for (unsigned n = 0; n < 2; n++) {
        uint32_t flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
        flags |= n ? KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE : 0;
        uint64_t handle = alloc(b, 0, 0, 0x50000000, 4096, flags, 0);
        assert_int_equal(map(b, 0, handle, 1, true), 0);
        assert_int_equal(pagetable_write(b->client[0]->gpu[0].pt, 0x50000000, "words", 5), 0);
        memory_end(b, 0, handle);
        assert_int_equal(b->d->data.value != before, n);
    }
}

/* MAP that fails in the middle says how far it came, and goes on from there. */
static void mapping_goes_on_where_it_failed(void **state)
{
    struct bench *b = *state;
    uint32_t ids[3] = {id_of(0), 0x7777, id_of(2)};
    uint64_t handle = alloc(b, 0, 0, 0x50000000, 4096, FLAGS_VRAM, 0);
    struct kfd_ioctl_map_memory_to_gpu_args a = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 3};
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a), EINVAL);
    assert_int_equal(a.n_success, 1);
    ids[0] = 0x7777, ids[1] = id_of(1); /* what was done is not looked at again */
    assert_int_equal(call(b, 0, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a), 0);
    assert_int_equal(a.n_success, 3);
    for (unsigned g = 0; g < GPUS; g++)
        assert_int_not_equal(pagetable_lookup(b->client[0]->gpu[g].pt, 0x50000000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_have_the_rights_of_their_allocation),
        TEST(coherent_host_memory_is_not_cached),
        TEST(no_gpu_keeps_translations_of_pages_that_go),
        TEST(freed_memory_comes_back_empty_and_whole),
        TEST(a_freed_page_among_others_is_empty),
        TEST(a_freed_handle_names_nothing),
        TEST(sizes_are_rounded_up_to_pages),
        TEST(client_memory_ends_with_its_object),
        TEST(client_memory_ends_with_its_process),
        TEST(scratch_is_no_data),
        TEST(mapping_goes_on_where_it_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

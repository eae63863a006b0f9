/* SPDX-License-Identifier: Apache-2.0
 * Pages of a client's memory that move between GPUs: whoever reads or writes them finds them, before a machine has
 * begun and while it runs; what is refused changes nothing.
 */
#include "../driver/moves_bench.h"

#define BYTES (5 * PAGE)

/* Its program has the page mapped, every GPU reads and writes it, and the data figure is that of its words. */
static void everybody_finds_a_page(void **state)
{
    struct bench *b = *state;
    uint64_t data[2];
    for (unsigned moves = 0; moves < 2; moves++) {
        const uint64_t before = b->d->data.value, h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
        assert_int_equal(map(b, 0, h, 7, true), 0);
        uint64_t there = BYTES, file_at;
        const int fd = memory_map_file(b->d, b->client[0], 0, page & PMEM_OFFSET_MASK, &there, &file_at);
        uint64_t *program = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)file_at);
        assert_true(program != MAP_FAILED);
        words_put(b, 0, 1, AT, BYTES, 5);
        static const unsigned way[] = {1, 2, 0, 2, 1};
        for (unsigned i = 0; moves && i < 5; i++) {
            assert_int_equal(move(b, page + PAGE, PAGE, way[i]), 0);
            assert_int_equal(home_of(b, page + PAGE), way[i]);
            assert_int_equal(home_of(b, page), 0);
            tables_agree(b, 0, 7, AT, BYTES, page);
            for (unsigned g = 0; g < GPUS; g++)
                words_are(b, 0, g, AT, BYTES, 5);
            program[PAGE / 8 + 3] += 1;
            uint64_t word = 0;
            assert_int_equal(pagetable_read(b->client[0]->gpu[i % 3].pt, AT + PAGE + 24, &word, 8), 0);
            assert_true(word == program[PAGE / 8 + 3]);
            program[PAGE / 8 + 3] -= 1;
        }
        munmap(program, BYTES);
        memory_end(b, 0, h);
        data[moves] = b->d->data.value - before;
        assert_true(quarantine_empty(b->d) && !*pmem_moved(memory(b)));
        b->d->data.value = before;
    }
    assert_true(data[0] == data[1] && data[0] != 0);
}

/* shows S1.8: Nothing is locked when the target has no empty frame. */
static void a_full_gpu_takes_nothing(void **state)
{
    struct bench *b = *state;
    const uint64_t h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h), granule = 64 << 10;
    assert_int_equal(map(b, 0, h, 7, true), 0);
    words_put(b, 0, 0, AT, BYTES, 6);
    const uint64_t all = b->d->vram[1].arena.free_bytes,
                   full = alloc(b, 0, 1, UINT64_C(0x300000000), all - granule, FLAGS_VRAM, 0);
    for (unsigned i = 0; i < BYTES / PAGE; i++) /* one granule: 16 frames */
        assert_int_equal(move(b, page + i * PAGE, PAGE, 1), 0);
    const uint64_t more = alloc(b, 0, 0, AT + (1 << 20), 16 * PAGE, FLAGS_VRAM, 0), next = page_of(b, 0, more);
    assert_int_equal(map(b, 0, more, 7, true), 0);
    for (unsigned i = 0; i < 11; i++)
        assert_int_equal(move(b, next + i * PAGE, PAGE, 1), 0);
    assert_int_equal(move(b, next + 11 * PAGE, PAGE, 1), -ENOMEM);
    assert_int_equal(home_of(b, next + 11 * PAGE), 0);
    assert_false(migrate_busy(b->d->migrate));
    tables_agree(b, 0, 7, AT + (1 << 20), 16 * PAGE, next);
    assert_int_equal(move(b, next, PAGE, 0), 0); /* home is always free, and leaves a frame */
    assert_int_equal(move(b, next + 11 * PAGE, PAGE, 1), 0);
    memory_end(b, 0, full);
    words_are(b, 0, 2, AT, BYTES, 6);
    memory_end(b, 0, h);
    memory_end(b, 0, more);
    assert_int_equal(b->d->vram[1].arena.free_bytes, all);
}

/* A block of 64 KiB is one large entry where it goes, too. */
static void a_block_stays_whole(void **state)
{
    struct bench *b = *state;
    const uint64_t bytes = 2 * MIGRATE_BLOCK, h = alloc(b, 0, 0, AT, bytes, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(page % MIGRATE_BLOCK, 0);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    words_put(b, 0, 0, AT, bytes, 7);
    assert_int_equal(move(b, page + PAGE, MIGRATE_BLOCK, 1), -EINVAL);
    assert_int_equal(move(b, page + MIGRATE_BLOCK, MIGRATE_BLOCK, 2), 0);
    for (unsigned g = 0; g < 2; g++) {
        const uint64_t entry = pagetable_lookup(b->client[0]->gpu[g].pt, AT + MIGRATE_BLOCK + 5 * PAGE);
        assert_int_equal((entry & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT, 4);
    }
    tables_agree(b, 0, 3, AT, bytes, page);
    assert_int_equal(map(b, 0, h, 4, true), 0); /* by a GPU that did not have it yet */
    tables_agree(b, 0, 7, AT, bytes, page);
    words_are(b, 0, 2, AT, bytes, 7);
    assert_int_equal(move(b, page + MIGRATE_BLOCK + 3 * PAGE, PAGE, 1), 0); /* one of them goes on alone */
    assert_int_equal(move(b, page + MIGRATE_BLOCK, MIGRATE_BLOCK, 1), -EALREADY);
    assert_int_equal(move(b, page + MIGRATE_BLOCK, MIGRATE_BLOCK, 0), 0); /* from two places home */
    tables_agree(b, 0, 7, AT, bytes, page);
    words_are(b, 0, 1, AT, bytes, 7);
    assert_false(*pmem_moved(memory(b)));
    memory_end(b, 0, h);
}

/* Each for its reason, and nothing has changed. */
static void what_is_refused(void **state)
{
    struct bench *b = *state;
    const struct {
        uint32_t flags;
        unsigned gpus;
    } cases[] = {{FLAGS_GTT, 7},
                 {FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, 7},
                 {FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, 7},
                 {FLAGS_VRAM & ~(uint32_t)KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE, 7},
                 {FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, 7},
                 {FLAGS_VRAM, 1},
                 {FLAGS_VRAM, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t h = alloc(b, 0, 0, AT, 2 * PAGE, cases[i].flags, 0), page = page_of(b, 0, h);
        if (cases[i].gpus)
            assert_int_equal(map(b, 0, h, cases[i].gpus, true), 0);
        assert_int_equal(move(b, page, PAGE, 1), -EPERM);
        memory_end(b, 0, h);
    }
    static uint8_t own[4096] __attribute__((aligned(4096)));
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = AT,
                                                   .size = 4096,
                                                   .gpu_id = id_of(0),
                                                   .mmap_offset = (uintptr_t)own,
                                                   .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
                                                            KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE};
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(map(b, 0, a.handle, 7, true), 0);
    assert_int_equal(move(b, page_of(b, 0, a.handle), PAGE, 1), -EPERM);
    const uint64_t h = alloc(b, 0, 0, AT + (1 << 20), 2 * PAGE, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    assert_int_equal(move(b, page, PAGE, 0), -EALREADY);
    assert_int_equal(move(b, page, PAGE, GPUS), -EINVAL);
    assert_int_equal(move(b, page, 2 * PAGE, 1), -EINVAL);
    assert_int_equal(move(b, page + 8, PAGE, 1), -EINVAL);
    assert_int_equal(move(b, page + 2 * PAGE, PAGE, 1), -EPERM);                      /* nobody's */
    assert_int_equal(move(b, page & ~(MIGRATE_BLOCK - 1), MIGRATE_BLOCK, 1), -EPERM); /* not all of it */
    assert_int_equal(move(b, pmem_addr(1, (64 << 20) - PAGE), PAGE, 1), -EPERM);      /* page tables */
    assert_false(*pmem_moved(memory(b)) || migrate_busy(b->d->migrate));
    struct sender s = golden_begin(b, 0, 0, 0);
    (void)s;
    assert_int_equal(move(b, page, PAGE, 1), 0);
    assert_int_equal(move(b, page, PAGE, 2), -EBUSY);
    moves_end(b);
    assert_int_equal(home_of(b, page), 1);
}

static unsigned launches(struct bench *b)
{
    return commands(b, 0, 0, CP_LAUNCH, 0) + commands(b, 0, 1, CP_LAUNCH, 0);
}

/* A kernel of the process runs, on whatever GPU: not now. */
static void a_running_kernel_is_no_border(void **state)
{
    struct bench *b = *state;
    struct sender s[2] = {golden_begin(b, 0, 0, 0), golden_begin(b, 0, 1, 1)};
    const uint64_t h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    sender_run(b, &s[0]);
    fake_launch = endless;
    sender_run(b, &s[1]);
    assert_int_equal(move(b, page, PAGE, 1), -EAGAIN);
    assert_false(migrate_busy(b->d->migrate) || pagetable_locked(b->client[0]->gpu[0].pt, AT));
    fake_launch = NULL;
}

/* On a machine that runs: locked for a while for all GPUs, and no kernel starts meanwhile; it starts when page tables
 * have the new place. */
static void a_move_takes_its_time(void **state)
{
    struct bench *b = *state;
    struct sender s = golden_begin(b, 0, 0, 0);
    const uint64_t h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    words_put(b, 0, 0, AT, BYTES, 8);
    sender_run(b, &s);
    const unsigned before = launches(b), log = fake(b)->logged;
    fake_memory[1] = fake_memory[2] = 2000; /* page tables are slow: a kernel would be sooner */
    assert_int_equal(move(b, page, PAGE, 1), 0);
    assert_int_equal(move(b, page + 2 * PAGE, PAGE, 2), 0); /* two at a time */
    for (unsigned g = 0; g < 2; g++)
        assert_true(pagetable_locked(b->client[0]->gpu[g].pt, AT) &&
                    pagetable_locked(b->client[0]->gpu[g].pt, AT + 2 * PAGE) &&
                    !pagetable_locked(b->client[0]->gpu[g].pt, AT + PAGE));
    sender_kernel(b, &s, 0, 0);
    sender_ring(b, &s);
    assert_true(queue_doorbells(b->d));
    while (migrate_busy(b->d->migrate)) {
        assert_int_equal(launches(b), before);
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    }
    assert_int_equal(home_of(b, page), 1);
    assert_int_equal(home_of(b, page + 2 * PAGE), 2);
    tables_agree(b, 0, 3, AT, BYTES, page);
    fake_memory[1] = fake_memory[2] = 150;
    run_dry(b);
    assert_int_equal(launches(b), before + 1);
    assert_true(commands(b, log, 0, CP_CACHE, CACHE_INV_TLB) > 0); /* no old translation is left */
    words_are(b, 0, 1, AT, BYTES, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_finds_a_page), TEST(a_full_gpu_takes_nothing),      TEST(a_block_stays_whole),
        TEST(what_is_refused),        TEST(a_running_kernel_is_no_border), TEST(a_move_takes_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

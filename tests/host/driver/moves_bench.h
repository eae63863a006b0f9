/* SPDX-License-Identifier: Apache-2.0
 * For tests of pages that move: memory of a client that looks different in every word, where its pages are, and moves
 * of them.
 */
#ifndef TESTS_HOST_DRIVER_MOVES_BENCH_H
#define TESTS_HOST_DRIVER_MOVES_BENCH_H
#include <sys/mman.h>

#include "migrate/migrate.h"
#include "packets.h"

#define AT UINT64_C(0x200000000)
#define PAGE UINT64_C(4096)

static inline struct pmem *memory(struct bench *b)
{
    return machine_memory(b->d->machine);
}

/* Own address of the object's first page. */
static inline uint64_t page_of(struct bench *b, unsigned client, uint64_t handle)
{
    return backing_address(memory_find(b->client[client], handle)->hold->backing);
}

static inline unsigned home_of(struct bench *b, uint64_t page)
{
    return (unsigned)(pmem_frame_of(memory(b), page) >> PMEM_OWNER_SHIFT) - 1;
}

static inline int move(struct bench *b, uint64_t page, uint64_t bytes, unsigned gpu)
{
    return migrate_now(b->d->migrate, page, bytes, gpu);
}

/* The words of the object by the page tables of a GPU. */
static inline void words_put(struct bench *b, unsigned client, unsigned gpu, uint64_t va, uint64_t bytes, uint64_t seed)
{
    uint64_t word[64];
    for (uint64_t at = 0; at < bytes; at += sizeof word) {
        for (unsigned i = 0; i < 64; i++)
            word[i] = (at / 8 + i + seed) * UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(pagetable_write(b->client[client]->gpu[gpu].pt, va + at, word, sizeof word), 0);
    }
}

static inline void words_are(struct bench *b, unsigned client, unsigned gpu, uint64_t va, uint64_t bytes, uint64_t seed)
{
    uint64_t word[64];
    for (uint64_t at = 0; at < bytes; at += sizeof word) {
        assert_int_equal(pagetable_read(b->client[client]->gpu[gpu].pt, va + at, word, sizeof word), 0);
        for (unsigned i = 0; i < 64; i++)
            assert_true(word[i] == (at / 8 + i + seed) * UINT64_C(0x9e3779b97f4a7c15));
    }
}

/* Every GPU that has [va, +bytes) mapped finds it where it is, by the host's tables and by those in its memory. */
static inline void tables_agree(struct bench *b, unsigned client, unsigned gpus, uint64_t va, uint64_t bytes,
                                uint64_t page)
{
    for (unsigned g = 0; g < GPUS; g++)
        for (uint64_t at = 0; gpus >> g & 1 && at < bytes; at += PAGE) {
            const struct pagetable *pt = b->client[client]->gpu[g].pt;
            assert_true((pagetable_lookup(pt, va + at) & PTE_ADDR) == pmem_frame_of(memory(b), page + at));
            assert_true(pagetable_walk(memory(b), pagetable_root(pt), va + at) == pagetable_lookup(pt, va + at));
        }
}

static inline void memory_end(struct bench *b, unsigned client, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, client, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

/* Until nothing moves; the clock runs only as long. */
static inline void moves_end(struct bench *b)
{
    for (unsigned n = 0; migrate_busy(b->d->migrate); n++) {
        assert_true(n < 1000000);
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    }
}

static inline uint64_t empty_bytes(struct bench *b)
{
    uint64_t sum = 0;
    for (unsigned g = 0; g < GPUS; g++)
        sum += b->d->vram[g].arena.free_bytes;
    return sum;
}

/* Page tables are begun, and the machine, as golden GPUs. */
static inline struct sender golden_begin(struct bench *b, unsigned client, unsigned gpu, unsigned place)
{
    struct sender s = sender_new(b, client, gpu, place);
    fake(b)->model = SIM_GOLDEN;
    fake_launch = NULL;
    tables_settle(b);
    return s;
}
#endif

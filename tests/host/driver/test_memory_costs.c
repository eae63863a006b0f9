/* SPDX-License-Identifier: Apache-2.0
 * What an operation on memory objects costs does not grow with how many the client has: 8 times as many take
 * about 8 times as long, not 64 times.
 */
#define BENCH_VRAM "gpu.vram_mib=512"
#include "bench.h"

#include <time.h>

#define VA UINT64_C(0x100000000)
#define MOST 65000u
#define PAGE 4096u

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void gone(struct bench *b, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

/* CPU seconds of `count` objects: allocated, mapped, found for mmap; every second one freed and allocated again, twice
 * as large; all unmapped and freed, from the last one on. */
static double memory_costs(struct bench *b, unsigned count, uint32_t flags)
{
    static uint64_t handles[MOST];
    const double begin = seconds();
    for (unsigned i = 0; i < count; i++) {
        handles[i] = alloc(b, 0, 1, VA + UINT64_C(2) * PAGE * i, PAGE, flags, 0);
        assert_int_equal(map(b, 0, handles[i], 2, true), 0);
        const struct backing *found = memory_find(b->client[0], handles[i])->hold->backing;
        uint64_t bytes = PAGE, at, vram = pmem_vram_bytes(machine_memory(b->d->machine));
        if (found->kind != BACKING_USER)
            assert_true(memory_map_file(b->d, b->client[0], found->kind == BACKING_VRAM,
                                        (found->kind == BACKING_GTT ? vram : 0) + found->offset, &bytes, &at) >= 0);
    }
    for (unsigned i = 0; i < count; i += 2)
        gone(b, handles[i]);
    for (unsigned i = 0; i < count; i += 2)
        handles[i] = alloc(b, 0, 1, VA + UINT64_C(2) * PAGE * i, (i % 64 ? 1 : 2) * PAGE, flags, 0);
    for (unsigned i = count; i-- > 0;) {
        assert_int_equal(map(b, 0, handles[i], 2, false), 0);
        gone(b, handles[i]);
    }
    return seconds() - begin;
}

static void objects_cost_the_same(void **state)
{
    struct bench *b = *state;
    const double few = memory_costs(b, MOST / 8, FLAGS_VRAM), many = memory_costs(b, MOST, FLAGS_VRAM);
    assert_true(many < 24 * few + 0.2);
    assert_int_equal(b->client[0]->holds.count, 1);
}

/* Windows of client memory. */
static void windows_cost_the_same(void **state)
{
    struct bench *b = *state;
    const double few = memory_costs(b, MOST / 8, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR),
                 many = memory_costs(b, MOST, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
    assert_true(many < 24 * few + 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(objects_cost_the_same), TEST(windows_cost_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

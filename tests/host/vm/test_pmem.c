/* SPDX-License-Identifier: Apache-2.0
 * Physical memory: owners, bounds, masks, atomics, windows of another process (S0.4: each GPU's memory is its own).
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "pmem_bench.h"

/* shows S0.4 */
static void owners_are_apart(void **state)
{
    struct pmem *pm = *state;
    uint64_t v = 0;
    for (uint64_t owner = 0; owner < 3; owner++) {
        uint64_t x = 0x1111111111111111u * (owner + 1);
        assert_int_equal(pmem_write(pm, pmem_addr((unsigned)owner, 0x1000), &x, 8), 0);
    }
    for (uint64_t owner = 0; owner < 3; owner++) {
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)owner, 0x1000), &v, 8), 0);
        assert_int_equal(v, 0x1111111111111111u * (owner + 1));
    }
    assert_int_equal(*pmem_vram(pm, 1, 0x1000, 1), 0x33);
}

static void bounds_are_kept(void **state)
{
    struct pmem *pm = *state;
    uint64_t v = 0;
    assert_int_equal(pmem_read(pm, pmem_addr(1, VRAM - 8), &v, 8), 0);
    assert_int_equal(pmem_read(pm, pmem_addr(1, VRAM - 4), &v, 8), -EFAULT);
    assert_int_equal(pmem_write(pm, pmem_addr(0, GTT), &v, 1), -EFAULT);
    assert_int_equal(pmem_read(pm, pmem_addr(3, 0), &v, 8), -EFAULT);
    assert_null(pmem_vram(pm, 0, UINT64_MAX - 3, 8));
    assert_null(pmem_vram(pm, 2, 0, 8));
    assert_null(pmem_new(0, VRAM, GTT));
}

static void mask_selects_bytes(void **state)
{
    struct pmem *pm = *state;
    uint8_t line[64], got[64];
    srand(7);
    for (int round = 0; round < 200; round++) {
        uint64_t mask = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
        if (round == 0)
            mask = UINT64_MAX;
        if (round == 1)
            mask = UINT64_C(1) << 63;
        memset(pmem_vram(pm, 0, 64, 64), 0xee, 64);
        for (int i = 0; i < 64; i++)
            line[i] = (uint8_t)(i + round);
        assert_int_equal(pmem_write_masked(pm, pmem_addr(1, 64), line, mask), 0);
        assert_int_equal(pmem_read(pm, pmem_addr(1, 64), got, 64), 0);
        for (int i = 0; i < 64; i++)
            assert_int_equal(got[i], mask >> i & 1 ? line[i] : 0xee);
    }
}

static uint32_t atomic32(struct pmem *pm, unsigned op, uint32_t start, uint32_t operand, uint32_t compare)
{
    uint32_t after = 0;
    uint64_t old = 0;
    pmem_write(pm, pmem_addr(2, 256), &start, 4);
    assert_int_equal(pmem_atomic(pm, pmem_addr(2, 256), op, 4, operand, compare, &old), 0);
    assert_int_equal(old, start);
    pmem_read(pm, pmem_addr(2, 256), &after, 4);
    return after;
}

static void atomics_follow_their_definition(void **state)
{
    struct pmem *pm = *state;
    assert_int_equal(atomic32(pm, ATOMIC_SWAP, 5, 9, 0), 9);
    assert_int_equal(atomic32(pm, ATOMIC_CMPSWAP, 5, 9, 5), 9);
    assert_int_equal(atomic32(pm, ATOMIC_CMPSWAP, 5, 9, 6), 5);
    assert_int_equal(atomic32(pm, ATOMIC_ADD, 0xffffffffu, 2, 0), 1);
    assert_int_equal(atomic32(pm, ATOMIC_SUB, 1, 2, 0), 0xffffffffu);
    assert_int_equal(atomic32(pm, ATOMIC_SMIN, 0xfffffff0u, 3, 0), 0xfffffff0u);
    assert_int_equal(atomic32(pm, ATOMIC_UMIN, 0xfffffff0u, 3, 0), 3);
    assert_int_equal(atomic32(pm, ATOMIC_SMAX, 0xfffffff0u, 3, 0), 3);
    assert_int_equal(atomic32(pm, ATOMIC_UMAX, 0xfffffff0u, 3, 0), 0xfffffff0u);
    assert_int_equal(atomic32(pm, ATOMIC_AND, 12, 10, 0), 8);
    assert_int_equal(atomic32(pm, ATOMIC_OR, 12, 10, 0), 14);
    assert_int_equal(atomic32(pm, ATOMIC_XOR, 12, 10, 0), 6);
    assert_int_equal(atomic32(pm, ATOMIC_INC, 9, 9, 0), 0);
    assert_int_equal(atomic32(pm, ATOMIC_INC, 8, 9, 0), 9);
    assert_int_equal(atomic32(pm, ATOMIC_DEC, 0, 9, 0), 9);
    assert_int_equal(atomic32(pm, ATOMIC_DEC, 10, 9, 0), 9);
    assert_int_equal(atomic32(pm, ATOMIC_DEC, 4, 9, 0), 3);
    uint64_t old = 0;
    assert_int_equal(pmem_atomic(pm, pmem_addr(0, 8), ATOMIC_ADD, 8, UINT64_MAX, 0, &old), 0);
    assert_int_equal(*(uint64_t *)(void *)pmem_gtt(pm, 8, 8), UINT64_MAX);
    assert_int_equal(pmem_atomic(pm, pmem_addr(0, 6), ATOMIC_ADD, 4, 1, 0, &old), -EFAULT);
}

/* What is kept for page tables: a 64th of the VRAM, in pieces of 64 KiB, at least 1 MiB. */
static void tables_have_a_share_of_vram(void **state)
{
    static const uint64_t mib[][2] = {{4, 1024}, {64, 1024}, {128, 2048}, {135, 2112}, {256, 4096}};
    (void)state;
    for (unsigned i = 0; i < sizeof mib / sizeof mib[0]; i++) {
        struct pmem *pm = pmem_new(1, mib[i][0] << 20, 1 << 20);
        assert_non_null(pm);
        assert_true(pmem_table_bytes(pm) == (i == 3 ? UINT64_C(33) << 16 : mib[i][1] << 10));
        pmem_free(pm);
    }
}

/* The order of signed numbers is that of unsigned ones with the half spaces exchanged, in both sizes. */
static void signed_atomics_know_the_sign(void **state)
{
    static const uint64_t values[] = {
        0, 1, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX >> 1, UINT64_C(1) << 63, UINT64_MAX};
    (void)state;
    for (unsigned size = 4; size <= 8; size += 4) {
        const uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX, half = mask / 2 + 1;
        for (unsigned i = 0; i < 64; i++) {
            uint64_t a = values[i / 8] & mask, b = values[i % 8] & mask;
            bool below = (a ^ half) < (b ^ half);
            assert_true((pmem_atomic_result(ATOMIC_SMIN, size, values[i / 8], values[i % 8], 0) & mask) ==
                        (below ? a : b));
            assert_true((pmem_atomic_result(ATOMIC_SMAX, size, values[i / 8], values[i % 8], 0) & mask) ==
                        (below ? b : a));
            assert_true((pmem_atomic_result(ATOMIC_UMIN, size, values[i / 8], values[i % 8], 0) & mask) ==
                        (a < b ? a : b));
            assert_true((pmem_atomic_result(ATOMIC_UMAX, size, values[i / 8], values[i % 8], 0) & mask) ==
                        (a < b ? b : a));
        }
    }
}

static void windows_reach_another_process(void **state)
{
    struct pmem *pm = *state;
    uint32_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[3] = 42;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    uint64_t a = pmem_window_add(pm, child, (uintptr_t)page, 4096);
    uint64_t b = pmem_window_add(pm, child, (uintptr_t)page + 4096, 4096);
    assert_int_equal(a, PMEM_WINDOW_BASE);
    assert_int_equal(b, PMEM_WINDOW_BASE + 4096); /* numbered by the order of calls */
    uint32_t v = 0;
    assert_int_equal(pmem_read(pm, a + 12, &v, 4), 0);
    assert_int_equal(v, 42);
    uint8_t block[256];
    memset(block, 0x5a, sizeof block);
    assert_int_equal(pmem_write(pm, a + 4096 - 128, block, 256), 0); /* across both windows */
    memset(block, 0, sizeof block);
    assert_int_equal(pmem_read(pm, b - 128, block, 256), 0);
    assert_int_equal(block[255], 0x5a);
    uint64_t old = 0;
    assert_int_equal(pmem_atomic(pm, a + 12, ATOMIC_ADD, 4, 8, 0, &old), 0);
    assert_int_equal(pmem_read(pm, a + 12, &v, 4), 0);
    assert_int_equal(v, 50);
    pmem_window_remove(pm, a);
    assert_int_equal(pmem_read(pm, a, &v, 4), -EFAULT);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(pmem_read(pm, b, &v, 4), -EFAULT); /* the process is gone */
    munmap(page, 8192);
}

/* A slab shares what lies in it and nothing else: not the neighbours, not the page tables, not what comes after it. */
static void slabs_are_apart(void **state)
{
    struct pmem *pm = *state;
    const uint64_t granule = pmem_granule(pm, 1);
    const struct {
        unsigned memory;
        uint64_t owner;
    } places[] = {{0, 1}, {1, 2}, {PMEM_GTT, 0}};
    assert_int_equal(pmem_shared_bytes(pm, 1), VRAM - pmem_table_bytes(pm));
    assert_int_equal(pmem_shared_bytes(pm, PMEM_GTT), GTT);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned memory = places[i].memory;
        uint64_t at = 0, bytes = 0, v = 0x77, got = 0;
        uint8_t *seen;
        assert_int_equal(pmem_slab_fd(pm, memory, 2 * granule, &at, &bytes), -1);
        assert_int_equal(pmem_slab_take(pm, memory, 2 * granule, 3 * granule), 0);
        int fd = pmem_slab_fd(pm, memory, 3 * granule + 4096, &at, &bytes);
        assert_true(fd >= 0 && at == granule + 4096 && bytes == 2 * granule - 4096);
        assert_int_equal(pmem_slab_fd(pm, memory, 2 * granule - 1, &at, &bytes), -1);
        assert_int_equal(pmem_slab_fd(pm, memory, 5 * granule, &at, &bytes), -1);
        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(ftruncate(fd, (off_t)(100 * granule)), -1);
        assert_int_equal(errno, EPERM);
        seen = mmap(NULL, 3 * granule, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_true(seen != MAP_FAILED);
        assert_int_equal(pmem_write(pm, pmem_addr((unsigned)places[i].owner, 4 * granule - 4), &v, 8), 0);
        memcpy(&got, seen + 2 * granule - 4, 8);
        assert_int_equal(got, 0x77);
        pmem_clear(pm, memory, 4 * granule - 4096, 8192);
        memcpy(&got, seen + 2 * granule - 4, 8);
        assert_int_equal(got, 0);
        memset(seen, 0xee, 3 * granule);
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)places[i].owner, 2 * granule - 8), &got, 8), 0);
        assert_int_equal(got, 0);
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)places[i].owner, 5 * granule), &got, 8), 0);
        assert_int_equal(got, 0);
        pmem_slab_give(pm, memory, 3 * granule); /* the middle one: what the client has mapped leads nowhere */
        memset(seen, 0xdd, 3 * granule);
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)places[i].owner, 3 * granule), &got, 8), 0);
        assert_int_equal(got, 0);
        assert_int_equal(pmem_slab_take(pm, memory, 3 * granule, granule), 0);
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)places[i].owner, 3 * granule), &got, 8), 0);
        assert_int_equal(got, 0);
        assert_int_equal(pmem_read(pm, pmem_addr((unsigned)places[i].owner, 4 * granule), &got, 8), 0);
        assert_int_equal(got, 0xdddddddddddddddd);
        for (uint64_t p = 0; p < 8; p++)
            pmem_slab_give(pm, memory, p * granule);
        assert_int_equal(fcntl(fd, F_GETFD), -1); /* the last one closes the file */
        munmap(seen, 3 * granule);
    }
    assert_true(pmem_slab_take(pm, 0, VRAM - pmem_table_bytes(pm), granule) < 0);
    assert_true(pmem_slab_take(pm, 0, VRAM - pmem_table_bytes(pm) - granule, 2 * granule) < 0);
    assert_true(pmem_slab_take(pm, 2, 0, granule) < 0);
    assert_int_equal(pmem_slab_take(pm, 0, VRAM - pmem_table_bytes(pm) - granule, granule), 0);
}

/* Numbers of windows never reach into the owner bits: they end, and those of freed windows are used again. */
static void window_numbers_end(void **state)
{
    struct pmem *pm = *state;
    const uint64_t huge = UINT64_C(1) << 40;
    uint64_t first = pmem_window_add(pm, getpid(), 0, huge), last = first;
    unsigned n = 1;
    for (uint64_t next; n < 1000 && (next = pmem_window_add(pm, getpid(), 0, huge)); n++, last = next)
        assert_int_equal(next, last + huge);
    assert_int_equal(n, 240);
    assert_int_equal(last + huge, PMEM_WINDOW_END);
    assert_int_equal(pmem_window_add(pm, getpid(), 0, 4096), 0);
    pmem_window_remove(pm, first + 7 * huge);
    assert_int_equal(pmem_window_add(pm, getpid(), 0, huge + 4096), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), 0, huge / 2), first + 7 * huge);
    assert_int_equal(pmem_window_add(pm, getpid(), 0, huge), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), (uintptr_t)&huge & ~UINT64_C(4095), 4096),
                     first + 7 * huge + huge / 2);
    uint64_t v = 0;
    assert_int_equal(pmem_read(pm, first + 7 * huge + huge / 2 + ((uintptr_t)&huge & 4095), &v, 8), 0);
    assert_int_equal(v, huge); /* found among its neighbours */
    assert_int_equal(pmem_window_add(pm, getpid(), UINT64_MAX - 4095, 8192), 0);
}

static void windows_end_with_their_process(void **state)
{
    struct pmem *pm = *state;
    uint64_t own = 42, v = 0, page = (uintptr_t)&own & ~UINT64_C(4095);
    uint64_t at = pmem_window_add(pm, getpid(), page, 4096) + ((uintptr_t)&own & 4095);
    assert_int_equal(pmem_read(pm, at, &v, 8), 0);
    pmem_windows_orphan(pm, getpid()); /* as if another process had the number now */
    assert_int_equal(pmem_read(pm, at, &v, 8), -EFAULT);
    assert_int_equal(pmem_write(pm, at, &v, 8), -EFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(owners_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(mask_selects_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_follow_their_definition, setup, teardown),
        cmocka_unit_test(signed_atomics_know_the_sign),
        cmocka_unit_test(tables_have_a_share_of_vram),
        cmocka_unit_test_setup_teardown(windows_reach_another_process, setup, teardown),
        cmocka_unit_test_setup_teardown(slabs_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(window_numbers_end, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_end_with_their_process, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

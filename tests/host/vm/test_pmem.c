/* SPDX-License-Identifier: Apache-2.0
 * Physical memory: owners, bounds, masks, atomics, windows of another process (S0.4: each GPU's memory is its own).
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "vm/pmem.h"

#define VRAM (UINT64_C(64) << 20)
#define GTT (UINT64_C(16) << 20)

static int setup(void **state)
{
    *state = pmem_new(2, VRAM, GTT);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    pmem_free(*state);
    return 0;
}

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
    /* The file behind GPU 0 holds the GTT after its VRAM. */
    assert_int_equal(pread(pmem_gtt_fd(pm), &v, 8, (off_t)(pmem_gtt_file_offset(pm) + 0x1000)), 8);
    assert_int_equal(v, 0x1111111111111111u);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(owners_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(mask_selects_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_follow_their_definition, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_reach_another_process, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Where physical memory ends: sizes that are accepted, first and last bytes, atomics and masks at any address, granules
 * of small and large memories, many windows (S0.4, S3.12).
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "pmem_bench.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* One to 64 GPUs with whole pages of memory, 4 MiB or more. */
static void sizes_of_machines(void **state)
{
    const struct {
        unsigned gpus;
        uint64_t vram, gtt;
        bool good;
    } asked[] = {{1, 4 * MIB, 0, true},           {64, 4 * MIB, 4 * KIB, true},     {1, 4 * MIB - 4 * KIB, 0, false},
                 {0, 4 * MIB, 0, false},          {65, 4 * MIB, 0, false},          {1, 4 * MIB + 1, 0, false},
                 {1, 4 * MIB, 2 * KIB, false},    {1, 4 * MIB + 2 * KIB, 0, false}, {1, 4 * MIB + 4 * KIB, 0, true},
                 {1, 4 * MIB, 4 * KIB + 1, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        errno = 0;
        struct pmem *pm = pmem_new(asked[i].gpus, asked[i].vram, asked[i].gtt);
        assert_int_equal(pm != NULL, asked[i].good);
        assert_int_equal(errno == EINVAL, !asked[i].good);
        if (!pm)
            continue;
        assert_int_equal(pmem_gpus(pm), asked[i].gpus);
        assert_int_equal(pmem_vram_bytes(pm), asked[i].vram);
        assert_int_equal(pmem_gtt_bytes(pm), asked[i].gtt);
        assert_non_null(pmem_vram(pm, asked[i].gpus - 1, 0, asked[i].vram));
        assert_int_equal(fcntl(0, F_GETFD) < 0, false);
        pmem_free(pm);
        assert_int_equal(fcntl(0, F_GETFD) < 0, false); /* it closes its own files only */
    }
}

/* The first and the last byte of each memory are its own, the next one is nobody's; a range that is longer than the
 * memory, or wraps, is nowhere. */
static void memories_end_with_their_last_byte(void **state)
{
    struct pmem *pm = *state;
    for (unsigned owner = 0; owner < 3; owner++) {
        const uint64_t end = owner ? VRAM : GTT, places[] = {0, end - 1};
        uint8_t value = (uint8_t)(0x10 + owner), got = 0, two[2] = {1, 2};
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(pmem_write(pm, pmem_addr(owner, places[i]), &value, 1), 0);
            assert_int_equal(pmem_read(pm, pmem_addr(owner, places[i]), &got, 1), 0);
            assert_int_equal(got, value);
        }
        assert_int_equal(pmem_read(pm, pmem_addr(owner, end), &got, 1), -EFAULT);
        assert_int_equal(pmem_write(pm, pmem_addr(owner, end), &got, 1), -EFAULT);
        assert_int_equal(pmem_write(pm, pmem_addr(owner, end - 1), two, 2), -EFAULT);
        assert_int_equal(pmem_read(pm, pmem_addr(owner, end - 1), &got, 1), 0);
        assert_int_equal(got, value); /* nothing of a range that is refused is written */
    }
    assert_non_null(pmem_gtt(pm, 0, GTT));
    assert_null(pmem_gtt(pm, 0, GTT + 1));
    assert_null(pmem_gtt(pm, 1, GTT));
    assert_null(pmem_gtt(pm, UINT64_MAX, 2));
    assert_null(pmem_gtt(pm, 2, UINT64_MAX));
    assert_non_null(pmem_vram(pm, 1, 0, VRAM));
    assert_null(pmem_vram(pm, 1, 0, VRAM + 1));
    assert_null(pmem_vram(pm, 1, 1, VRAM));
    assert_null(pmem_vram(pm, 1, 2, UINT64_MAX));
    uint8_t byte;
    const uint64_t nobodys[] = {pmem_addr(0, PMEM_WINDOW_BASE - 1), pmem_addr(0, PMEM_WINDOW_BASE),
                                pmem_addr(0, PMEM_OFFSET_MASK), pmem_addr(1, PMEM_WINDOW_BASE), pmem_addr(255, 0)};
    for (unsigned i = 0; i < sizeof nobodys / sizeof nobodys[0]; i++) {
        assert_int_equal(pmem_read(pm, nobodys[i], &byte, 1), -EFAULT);
        assert_int_equal(pmem_write(pm, nobodys[i], &byte, 1), -EFAULT);
    }
}

/* A line of the last 64 bytes of a memory is whole; of a line that is nobody's no byte is written, whatever the mask.
 */
static void masked_lines_at_the_end(void **state)
{
    struct pmem *pm = *state;
    uint8_t line[64], got[64];
    memset(line, 0x5a, sizeof line);
    for (unsigned owner = 0; owner < 3; owner++) {
        const uint64_t end = owner ? VRAM : GTT;
        static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0xf) << 60, 1, UINT64_C(0xff) << 28, 0};
        for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
            memset(got, 0, sizeof got);
            assert_int_equal(pmem_write(pm, pmem_addr(owner, end - 64), got, 64), 0);
            assert_int_equal(pmem_write_masked(pm, pmem_addr(owner, end - 64), line, masks[i]), 0);
            assert_int_equal(pmem_read(pm, pmem_addr(owner, end - 64), got, 64), 0);
            for (unsigned k = 0; k < 64; k++)
                assert_int_equal(got[k], masks[i] >> k & 1 ? 0x5a : 0);
            assert_int_equal(pmem_write_masked(pm, pmem_addr(owner, end), line, masks[i]), -EFAULT);
        }
    }
    assert_int_equal(pmem_write_masked(pm, pmem_addr(7, 0), line, 0), -EFAULT);
}

/* The same in client memory: bytes that are not enabled keep what the client wrote; a client that has gone is told. */
static void masked_lines_of_clients(void **state)
{
    static uint8_t page[4096] __attribute__((aligned(4096)));
    struct pmem *pm = *state;
    uint64_t at = pmem_window_add(pm, getpid(), (uintptr_t)page, 4096);
    uint8_t line[64];
    srand(5);
    for (unsigned round = 0; round < 100; round++) {
        uint64_t mask = round ? (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand() : UINT64_MAX;
        memset(page, 0xcc, sizeof page);
        memset(line, (int)round, sizeof line);
        assert_int_equal(pmem_write_masked(pm, at + 128, line, mask), 0);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(page[128 + i], mask >> i & 1 ? round : 0xcc);
        assert_true(page[127] == 0xcc && page[192] == 0xcc);
    }
    pmem_windows_orphan(pm, getpid());
    assert_int_equal(pmem_write_masked(pm, at, line, 1), -EFAULT);
    assert_int_equal(pmem_write_masked(pm, at, line, UINT64_MAX), -EFAULT);
}

/* An atomic changes its 4 or 8 bytes and tells what they were, in every memory; it is refused beside its natural place,
 * in another size, and where nobody lives. */
static void atomics_are_the_same_everywhere(void **state)
{
    static uint8_t page[4096] __attribute__((aligned(4096)));
    struct pmem *pm = *state;
    const uint64_t window = pmem_window_add(pm, getpid(), (uintptr_t)page, 4096);
    const uint64_t places[] = {pmem_addr(0, 0), pmem_addr(1, 0), pmem_addr(2, VRAM - 16), window + 4080};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t both[2] = {UINT64_C(0x8000000180000003), UINT64_C(0x1234567890abcdef)};
        uint64_t got[2], old = 0;
        assert_int_equal(pmem_write(pm, places[i], both, 16), 0);
        assert_int_equal(pmem_atomic(pm, places[i], ATOMIC_ADD, 4, 0x80000001, 0, &old), 0);
        assert_int_equal(old, 0x80000003);
        assert_int_equal(pmem_read(pm, places[i], got, 16), 0);
        assert_int_equal(got[0], 0x8000000100000004); /* no carry into the next word */
        assert_int_equal(got[1], both[1]);
        assert_int_equal(pmem_atomic(pm, places[i], ATOMIC_CMPSWAP, 8, 77, 0x8000000100000004, &old), 0);
        assert_int_equal(old, 0x8000000100000004);
        assert_int_equal(pmem_atomic(pm, places[i], ATOMIC_CMPSWAP, 8, 78, 0x8000000100000004, &old), 0);
        assert_int_equal(old, 77); /* another now: it stays */
        assert_int_equal(pmem_atomic(pm, places[i] + 4, ATOMIC_SUB, 4, 1, 0, &old), 0);
        assert_int_equal(old, 0);
        assert_int_equal(pmem_read(pm, places[i], got, 16), 0);
        assert_int_equal(got[0], 0xffffffff0000004d);
        assert_int_equal(got[1], both[1]);
        assert_int_equal(pmem_atomic(pm, places[i] + 4, ATOMIC_ADD, 8, 1, 0, &old), -EFAULT);
        assert_int_equal(pmem_atomic(pm, places[i] + 2, ATOMIC_ADD, 4, 1, 0, &old), -EFAULT);
        for (unsigned size = 0; size < 17; size++)
            if (size != 4 && size != 8)
                assert_int_equal(pmem_atomic(pm, places[i], ATOMIC_ADD, size, 1, 0, &old), -EFAULT);
        assert_int_equal(pmem_read(pm, places[i], got, 8), 0);
        assert_int_equal(got[0], 0xffffffff0000004d);
    }
    uint64_t old = 5;
    assert_int_equal(pmem_atomic(pm, pmem_addr(2, VRAM), ATOMIC_ADD, 4, 1, 0, &old), -EFAULT);
    assert_int_equal(pmem_atomic(pm, pmem_addr(9, 0), ATOMIC_ADD, 8, 1, 0, &old), -EFAULT);
    pmem_windows_orphan(pm, getpid());
    assert_int_equal(pmem_atomic(pm, window, ATOMIC_ADD, 4, 1, 0, &old), -EFAULT);
    assert_int_equal(old, 5);
}

/* Words of a line at once: those that the mask has, each with its operand; refused where a word is there in part, for
 * ATOMIC_CMPSWAP, beside a line and where nobody lives. */
static void atomics_of_a_line(void **state)
{
    struct pmem *pm = *state;
    const uint64_t places[] = {pmem_addr(0, 64), pmem_addr(1, 128), pmem_addr(2, VRAM - 64)};
    for (unsigned i = 0; i < 6; i++) {
        const unsigned size = i < 3 ? 4 : 8;
        const uint64_t place = places[i % 3],
                       mask = size == 4 ? UINT64_C(0xf00000000000ff0f) : UINT64_C(0xff0000000000ff00);
        uint64_t line[8], operands[8], got[8], old[8] = {0};
        for (unsigned k = 0; k < 8; k++)
            line[k] = UINT64_C(0xffffffff80000001) * (k + 1), operands[k] = UINT64_C(0x8000000180000002) + k;
        assert_int_equal(pmem_write(pm, place, line, 64), 0);
        assert_int_equal(pmem_atomic_line(pm, place, ATOMIC_ADD, size, mask, operands, old), 0);
        assert_int_equal(pmem_read(pm, place, got, 64), 0);
        for (unsigned at = 0; at < 64; at += size) {
            uint64_t before = 0, operand = 0, now = 0, told = 0, changed = mask >> at & 1;
            memcpy(&before, (uint8_t *)line + at, size), memcpy(&operand, (uint8_t *)operands + at, size);
            memcpy(&now, (uint8_t *)got + at, size), memcpy(&told, (uint8_t *)old + at, size);
            uint64_t all = size == 4 ? UINT32_MAX : UINT64_MAX;
            assert_true(now == ((before + (changed ? operand : 0)) & all));
            assert_true(told == (changed ? before : 0));
        }
        assert_int_equal(pmem_atomic_line(pm, place, ATOMIC_ADD, size, size == 4 ? 0x70 : 0xf0, operands, old),
                         -EFAULT);
        assert_int_equal(pmem_atomic_line(pm, place, ATOMIC_CMPSWAP, size, 0xff, operands, old), -EFAULT);
        assert_int_equal(pmem_atomic_line(pm, place + 8, ATOMIC_ADD, size, 0xff, operands, old), -EFAULT);
        assert_int_equal(pmem_atomic_line(pm, place, ATOMIC_ADD, 2, 0xff, operands, old), -EFAULT);
        assert_int_equal(pmem_atomic_line(pm, pmem_addr(2, VRAM), ATOMIC_ADD, size, 0xff, operands, old), -EFAULT);
        uint64_t still[8];
        assert_int_equal(pmem_read(pm, place, still, 64), 0);
        assert_memory_equal(still, got, 64);
    }
}

/* Client memory that can be read and not written: an atomic says so. */
static void atomics_on_read_only_pages(void **state)
{
    struct pmem *pm = *state;
    uint8_t *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t at = pmem_window_add(pm, getpid(), (uintptr_t)page, 4096), old = 1;
    assert_int_equal(pmem_atomic(pm, at, ATOMIC_ADD, 4, 1, 0, &old), -EFAULT);
    assert_int_equal(page[0], 0);
    munmap(page, 4096);
}

/* Each granule may cost a descriptor: a memory has at most 1,024, of a power of two, no larger than that asks for. */
static void granules_fit_their_memory(void **state)
{
    static const uint64_t sizes[] = {4 * MIB, 64 * MIB, 65 * MIB, 96 * MIB, 500 * MIB, GIB, 3 * GIB, 16 * GIB};
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pmem *pm = pmem_new(1, sizes[i], sizes[i]);
        assert_non_null(pm);
        assert_int_equal(pmem_shared_bytes(pm, 1), 0); /* no such GPU */
        for (unsigned gtt = 0; gtt < 2; gtt++) {
            uint64_t granule = pmem_granule(pm, gtt ? PMEM_GTT : 0), all = pmem_shared_bytes(pm, gtt ? PMEM_GTT : 0);
            assert_int_equal(all, gtt ? sizes[i] : sizes[i] - pmem_table_bytes(pm));
            assert_true(granule >= 64 * KIB && (granule & (granule - 1)) == 0);
            assert_true((all + granule - 1) / granule <= 1024);
            assert_true(granule == 64 * KIB || all / (granule / 2) >= 1024);
        }
        pmem_free(pm);
    }
}

/* The last granule ends with the memory: so does its file, and what is given back of it. */
static void the_last_granule_may_be_short(void **state)
{
    const uint64_t gtt = 200 * KIB, granule = 64 * KIB, last = 3 * granule, short_bytes = gtt - last;
    struct pmem *pm = pmem_new(1, 4 * MIB, gtt);
    uint64_t at = 0, bytes = 0, mark = 0x55aa, got = 1;
    struct stat s;
    (void)state;
    assert_int_equal(pmem_granule(pm, PMEM_GTT), granule);
    assert_true(pmem_slab_take(pm, PMEM_GTT, last, granule) < 0); /* beyond the end */
    assert_true(pmem_slab_take(pm, PMEM_GTT, 4 * granule, granule) < 0);
    assert_true(pmem_slab_take(pm, PMEM_GTT, 2 * granule, 0) < 0);
    assert_true(pmem_slab_take(pm, PMEM_GTT, 2 * granule + 4 * KIB, granule) < 0);
    assert_int_equal(pmem_slab_take(pm, PMEM_GTT, 2 * granule, granule + short_bytes), 0);
    int fd = pmem_slab_fd(pm, PMEM_GTT, last + 4 * KIB, &at, &bytes);
    assert_true(fd >= 0 && at == granule + 4 * KIB && bytes == short_bytes - 4 * KIB);
    assert_int_equal(fstat(fd, &s), 0);
    assert_int_equal(s.st_size, granule + short_bytes);
    assert_int_equal(pmem_slab_fd(pm, PMEM_GTT, gtt, &at, &bytes), -1);
    assert_int_equal(pmem_slab_fd(pm, 1, 0, &at, &bytes), -1);
    uint8_t *seen = mmap(NULL, granule + short_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_int_equal(pmem_write(pm, pmem_addr(0, gtt - 8), &mark, 8), 0);
    assert_memory_equal(seen + granule + short_bytes - 8, &mark, 8);
    pmem_slab_give(pm, PMEM_GTT, gtt - 1); /* any byte of it names the granule */
    assert_int_equal(pmem_slab_fd(pm, PMEM_GTT, last, &at, &bytes), -1);
    assert_int_equal(pmem_read(pm, pmem_addr(0, gtt - 8), &got, 8), 0);
    assert_int_equal(got, 0);
    assert_int_equal(*(uint64_t *)(void *)(seen + granule + short_bytes - 8), 0); /* nor does the client keep it */
    assert_true(pmem_slab_fd(pm, PMEM_GTT, last - 1, &at, &bytes) == fd && bytes == 1);
    munmap(seen, granule + short_bytes);
    pmem_slab_give(pm, PMEM_GTT, last); /* no longer in a slab: nothing happens */
    pmem_slab_give(pm, 1, 0);
    pmem_free(pm);
}

/* Clearing ends where it was asked to, in and between slabs, and gives the host its memory back. */
static void clearing_is_exact(void **state)
{
    struct pmem *pm = *state;
    static uint8_t buffer[512 * KIB];
    const uint64_t granule = pmem_granule(pm, 0);
    for (unsigned memory = 0; memory < 3; memory++) {
        const unsigned which = memory == 2 ? PMEM_GTT : memory;
        const uint64_t base = pmem_addr(memory == 2 ? 0 : memory + 1, 0);
        assert_int_equal(pmem_slab_take(pm, which, granule, 2 * granule), 0);
        assert_int_equal(pmem_slab_take(pm, which, 4 * granule, granule), 0);
        static const uint64_t ranges[][2] = {{4, 8}, {60, 72}, {4, 124}, {130, 250}, {188, 352}, {0, 512}, {256, 256}};
        for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) { /* KiB */
            memset(buffer, 0xab, sizeof buffer);
            assert_int_equal(pmem_write(pm, base, buffer, sizeof buffer), 0);
            pmem_clear(pm, which, ranges[i][0] * KIB, (ranges[i][1] - ranges[i][0]) * KIB);
            assert_int_equal(pmem_read(pm, base, buffer, sizeof buffer), 0);
            for (uint64_t k = 0; k < sizeof buffer; k += KIB)
                assert_int_equal(buffer[k], k / KIB >= ranges[i][0] && k / KIB < ranges[i][1] ? 0 : 0xab);
        }
        uint64_t at, bytes;
        struct stat s;
        pmem_clear(pm, which, granule, 2 * granule);
        assert_int_equal(fstat(pmem_slab_fd(pm, which, granule, &at, &bytes), &s), 0);
        assert_int_equal(s.st_blocks, 0);
    }
    pmem_clear(pm, 2, 0, granule); /* no such GPU: nothing happens */
}

/* Hundreds of windows, each with its own page behind it; those that go leave the others where they are. */
static void many_windows(void **state)
{
    enum { PAGES = 300 };
    struct pmem *pm = *state;
    uint64_t *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t window[PAGES], value;
    for (unsigned i = 0; i < PAGES; i++) {
        pages[i * 512] = i + 1;
        window[i] = pmem_window_add(pm, getpid(), (uintptr_t)(pages + i * 512), 4096);
        assert_int_equal(window[i], PMEM_WINDOW_BASE + i * UINT64_C(4096));
    }
    for (unsigned i = 0; i < PAGES; i += 3)
        pmem_window_remove(pm, window[i]);
    pmem_window_remove(pm, window[3]);                              /* no longer there */
    pmem_window_remove(pm, PMEM_WINDOW_BASE + PAGES * 4096 + 4096); /* never was */
    for (unsigned i = 0; i < PAGES; i++) {
        assert_int_equal(pmem_read(pm, window[i], &value, 8), i % 3 ? 0 : -EFAULT);
        assert_true(i % 3 == 0 || value == i + 1);
    }
    uint8_t block[8192] = {0};
    assert_int_equal(pmem_read(pm, window[1], block, 8192), 0);           /* two neighbours */
    assert_int_equal(pmem_read(pm, window[1] + 1, block, 8192), -EFAULT); /* and a byte of a gap */
    assert_int_equal(pmem_write(pm, window[2] + 4095, block, 2), -EFAULT);
    assert_int_equal(pmem_read(pm, window[4] - 1, block, 2), -EFAULT);
    munmap(pages, PAGES * 4096);
}

static void windows_are_whole_pages(void **state)
{
    struct pmem *pm = *state;
    assert_int_equal(pmem_window_add(pm, getpid(), 0x1000, 0), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), 0x1000, 4095), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), 0x1000, 4096 + 2048), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), 0x1000, 4096 + 1), 0);
    assert_int_equal(pmem_window_add(pm, getpid(), 0x1000, 4096), PMEM_WINDOW_BASE);
    assert_int_equal(pmem_window_add(pm, getpid(), UINT64_MAX - 4096, 4096), PMEM_WINDOW_BASE + 4096);
    assert_int_equal(pmem_window_add(pm, getpid(), UINT64_MAX - 4095, 4096), 0); /* the addresses end */
}

/* Only the windows of a process that ends lead nowhere; the others, before and after, are as they were. */
static void orphans_are_those_of_one_process(void **state)
{
    static uint64_t page[512] __attribute__((aligned(4096)));
    struct pmem *pm = *state;
    uint64_t value = 0, window[6];
    page[0] = 99;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    for (unsigned i = 0; i < 6; i++)
        window[i] = pmem_window_add(pm, i % 2 ? child : getpid(), (uintptr_t)page, 4096);
    pmem_windows_orphan(pm, child);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pmem_read(pm, window[i], &value, 8), i % 2 ? -EFAULT : 0);
    assert_int_equal(value, 99);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_machines),
        cmocka_unit_test_setup_teardown(memories_end_with_their_last_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(masked_lines_at_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(masked_lines_of_clients, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_are_the_same_everywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_of_a_line, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_on_read_only_pages, setup, teardown),
        cmocka_unit_test(granules_fit_their_memory),
        cmocka_unit_test(the_last_granule_may_be_short),
        cmocka_unit_test_setup_teardown(clearing_is_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(many_windows, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_are_whole_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(orphans_are_those_of_one_process, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

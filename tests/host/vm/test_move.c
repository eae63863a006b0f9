/* SPDX-License-Identifier: Apache-2.0
 * Pages of VRAM that move: who has one mapped keeps it, GPUs find it at its new address and nothing of it at the old
 * one; what is not as the page says when it moves ends the run; freed pages are home; a saved state has them where they
 * are.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "pmem_bench.h"
#include "saved/state_io.h"
#include "vm/pmem_save.h"

#define PAGE UINT64_C(4096)
#define P pmem_addr(1, 0x10000) /* a page of GPU 0, in a client's slab */
#define A pmem_addr(2, 0x20000) /* frames of GPU 1 that nobody has */
#define B pmem_addr(2, 0x25000)
#define C pmem_addr(1, 0x80000)

static uint64_t at(struct pmem *pm, uint64_t pa)
{
    uint64_t value = 0;
    assert_int_equal(pmem_read(pm, pa, &value, 8), 0);
    return value;
}

static void put(struct pmem *pm, uint64_t pa, uint64_t value)
{
    assert_int_equal(pmem_write(pm, pa, &value, 8), 0);
}

/* As a GPU's push does it, then the change. */
static void move(struct pmem *pm, uint64_t page, uint64_t to)
{
    uint8_t bytes[PAGE];
    assert_int_equal(pmem_read(pm, pmem_frame_of(pm, page), bytes, PAGE), 0);
    assert_int_equal(pmem_write(pm, to, bytes, PAGE), 0);
    pmem_move(pm, page, to, true);
}

/* The slab of P, as its client has it mapped. */
static uint64_t *client_map(struct pmem *pm)
{
    uint64_t file_offset, bytes;
    const int fd = pmem_slab_fd(pm, 0, 0x10000, &file_offset, &bytes);
    void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)file_offset);
    assert_true(p != MAP_FAILED);
    return p;
}

static void a_client_keeps_its_page(void **state)
{
    struct pmem *pm = *state;
    const uint64_t way[] = {A, B, C, P, A, P};
    assert_int_equal(pmem_slab_take(pm, 0, 0x10000, pmem_granule(pm, 0)), 0);
    uint64_t *client = client_map(pm), last = P;
    client[3] = 1;
    for (unsigned i = 0; i < sizeof way / sizeof *way; i++) {
        move(pm, P, way[i]);
        assert_true(*pmem_moved(pm) == (way[i] != P));
        assert_true(pmem_frame_of(pm, P + 24) == way[i] + 24 && pmem_page_at(pm, way[i] + 24) == P + 24);
        assert_int_equal(at(pm, way[i] + 24), client[3]);
        client[3] += 10;
        assert_int_equal(at(pm, way[i] + 24), client[3]);
        put(pm, way[i] + 32, i);
        assert_int_equal(client[4], i);
        put(pm, last + 32, 99); /* nobody's any more */
        assert_int_equal(client[4], i);
        assert_int_equal(pmem_pages(pm, 0, 0x10020, 8)[0], i);
        last = way[i];
    }
    assert_true(pmem_frame_of(pm, A) == A && pmem_frame_of(pm, B) == B && pmem_frame_of(pm, C) == C);
    munmap(client, PAGE);
}

/* Every way to a physical address: runs of bytes across pages, masks, atomics, pointers. */
static void all_accesses_go_where_the_page_is(void **state)
{
    struct pmem *pm = *state;
    uint8_t run[3 * PAGE], found[3 * PAGE], line[64];
    uint64_t old, olds[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    move(pm, P, A);
    for (unsigned i = 0; i < sizeof run; i++)
        run[i] = (uint8_t)(i * 7 + i / 256);
    assert_int_equal(pmem_write(pm, A - PAGE, run, sizeof run), 0);
    assert_int_equal(pmem_read(pm, A - PAGE, found, sizeof found), 0);
    assert_memory_equal(run, found, sizeof run);
    assert_memory_equal(pmem_pages(pm, 0, 0x10000, PAGE), run + PAGE, PAGE);
    assert_memory_equal(pmem_pages(pm, 1, 0x21000, PAGE), run + 2 * PAGE, PAGE);
    assert_ptr_equal(pmem_vram(pm, 1, 0x20040, 64), pmem_pages(pm, 0, 0x10040, 64));
    assert_ptr_equal(pmem_vram(pm, 0, 0x10040, 64), pmem_pages(pm, 1, 0x20040, 64));
    assert_ptr_equal(pmem_vram(pm, 1, 0x21000, 9 * PAGE), pmem_pages(pm, 1, 0x21000, 9 * PAGE));
    memset(line, 0xee, sizeof line);
    assert_int_equal(pmem_write_masked(pm, A + 64, line, 1u << 5), 0);
    assert_int_equal(pmem_pages(pm, 0, 0x10045, 1)[0], 0xee);
    put(pm, A + 128, 5);
    assert_int_equal(pmem_atomic(pm, A + 128, ATOMIC_ADD, 8, 2, 0, &old), 0);
    assert_int_equal(pmem_atomic_line(pm, A + 128, ATOMIC_ADD, 8, 0xff, ones, olds), 0);
    assert_int_equal(pmem_pages(pm, 0, 0x10080, 1)[0], 8);
    assert_int_equal(pmem_read(pm, pmem_addr(2, VRAM - 8), found, 16), -EFAULT);
    assert_null(pmem_vram(pm, 1, VRAM, 1));
}

/* Runs `what` in a process of its own, whose status and words are told. */
static int told(struct pmem *pm, void (*what)(struct pmem *pm), char *text, size_t room)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        what(pm);
        _exit(0);
    }
    close(pipes[1]);
    waitpid(child, &status, 0);
    const ssize_t n = read(pipes[0], text, room - 1);
    text[n > 0 ? n : 0] = 0;
    close(pipes[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void lines_are_lost(struct pmem *pm)
{
    put(pm, P + 5 * 64 + 8, 0x1234);
    put(pm, A + 5 * 64 + 8, 0x5678);
    pmem_move(pm, P, A, true);
}

static void a_line_is_lost_on_the_way_home(struct pmem *pm)
{
    put(pm, P + 8, 7);
    move(pm, P, A);
    put(pm, P + 8, 8);
    pmem_move(pm, P, P, true);
}

static void to_a_frame_that_is_taken(struct pmem *pm)
{
    move(pm, P, A);
    pmem_move(pm, P + PAGE, A, false);
}

static void to_where_it_is(struct pmem *pm)
{
    pmem_move(pm, P, P, false);
}

static void to_page_tables(struct pmem *pm)
{
    pmem_move(pm, P, pmem_addr(2, VRAM - PAGE), false);
}

static void of_host_memory(struct pmem *pm)
{
    pmem_move(pm, pmem_addr(0, 0), A, false);
}

static void several_pages_by_one_pointer(struct pmem *pm)
{
    move(pm, P, A);
    pmem_vram(pm, 1, 0x1f000, 2 * PAGE);
}

/* A push that lost a line is not found by a program later, but here. */
static void what_does_not_fit_ends_the_run(void **state)
{
    char text[1000];
    assert_int_equal(told(*state, lines_are_lost, text, sizeof text), 70);
    assert_non_null(strstr(text, "page 1000000010000 moves to 2000000020000: line 5, byte 8: 0000000000005678 there, "
                                 "0000000000001234 in the page"));
    assert_null(strchr(strchr(text, '\n') + 1, '\n')); /* one line */
    assert_int_equal(told(*state, a_line_is_lost_on_the_way_home, text, sizeof text), 70);
    assert_non_null(strstr(text, "line 0, byte 8: 0000000000000008 there, 0000000000000007 in the page"));
    void (*const wrong[])(struct pmem *) = {to_a_frame_that_is_taken, to_where_it_is, to_page_tables, of_host_memory,
                                            several_pages_by_one_pointer};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(told(*state, wrong[i], text, sizeof text), 70);
}

/* The one who gets the memory next finds zeros at home, and the frame holds nothing of it. */
static void freed_pages_are_home(void **state)
{
    struct pmem *pm = *state;
    for (unsigned way = 0; way < 2; way++) {
        assert_int_equal(pmem_slab_take(pm, 0, 0x10000, pmem_granule(pm, 0)), 0);
        put(pm, P + 8, 5);
        put(pm, P + PAGE, 6);
        move(pm, P, A);
        move(pm, P + PAGE, B);
        if (way == 0)
            pmem_clear(pm, 0, 0x10000, PAGE);
        else
            pmem_slab_give(pm, 0, 0x10000);
        assert_true(pmem_frame_of(pm, P) == P && pmem_frame_of(pm, A) == A);
        assert_int_equal(at(pm, P + 8), 0);
        assert_int_equal(at(pm, way ? P + PAGE : B), way ? 0 : 6);
        pmem_slab_give(pm, 0, 0x10000);
        assert_false(*pmem_moved(pm));
    }
}

static bool data_has(struct pmem *pm, unsigned gpu, uint64_t offset)
{
    for (uint64_t done = 0, from, end; pmem_data_next(pm, gpu, done, &from, &end); done = end) {
        assert_true(from >= done && end > from && end <= VRAM);
        if (offset >= from && offset < end)
            return true;
    }
    return false;
}

/* A frame whose bytes lie in another memory's file is no hole, one beside it still is. */
static void frames_of_moved_pages_are_data(void **state)
{
    struct pmem *pm = *state;
    put(pm, P, 1);
    put(pm, pmem_addr(2, 0x22000), 1);
    assert_false(data_has(pm, 1, 0x20000));
    pmem_move(pm, P, A, false);
    assert_true(data_has(pm, 1, 0x20000) && data_has(pm, 0, 0x10000) && data_has(pm, 1, 0x22000));
    assert_false(data_has(pm, 1, 0x21000) || data_has(pm, 1, 0x1f000) || data_has(pm, 0, 0x11000));
    uint64_t from, end;
    assert_true(pmem_data_next(pm, 1, 0x20800, &from, &end)); /* in the middle of it */
    assert_true(from == 0x20800 && end == 0x21000);
    put(pm, pmem_addr(2, 0x1f000), 1); /* data before it, and behind */
    put(pm, pmem_addr(2, 0x21000), 1);
    assert_true(data_has(pm, 1, 0x1f000) && data_has(pm, 1, 0x20000) && data_has(pm, 1, 0x21000));
}

/* Who still knows the old address learns which page is meant, until the frame has another one or an owner. */
static void an_old_address_is_known(void **state)
{
    struct pmem *pm = *state;
    const uint64_t granule = pmem_granule(pm, 1), moves = pmem_moves(pm);
    assert_true(pmem_page_before(pm, A + 5) == A + 5);
    move(pm, P, A);
    assert_true(pmem_page_before(pm, P + 5) == P + 5 && pmem_page_before(pm, A + 5) == P + 5);
    move(pm, P, B);
    assert_true(pmem_page_before(pm, A + 5) == P + 5 && pmem_page_at(pm, A + 5) == A + 5);
    move(pm, P + PAGE, A);
    assert_true(pmem_page_before(pm, A + 5) == P + PAGE + 5);
    pmem_home(pm, 0, 0x11000, PAGE);
    assert_true(pmem_page_before(pm, A + 5) == P + PAGE + 5);
    assert_int_equal(pmem_slab_take(pm, 1, 0x20000 - 0x20000 % granule, granule), 0);
    assert_true(pmem_page_before(pm, A + 5) == A + 5);
    assert_true(pmem_page_before(pm, pmem_addr(0, 8)) == pmem_addr(0, 8));
    assert_int_equal(pmem_moves(pm), moves + 4);
}

struct heard {
    unsigned count;
    uint64_t page, to;
};

static void on_moved(void *ctx, uint64_t page, uint64_t to)
{
    struct heard *h = ctx;
    *h = (struct heard){h->count + 1, page, to};
}

static void others_are_told(void **state)
{
    struct pmem *pm = *state;
    struct heard heard = {0};
    const uint64_t before = pmem_changes(pm);
    pmem_watch(pm, &(struct pmem_watch){.moved = on_moved, .ctx = &heard});
    pmem_move(pm, P, A, false);
    assert_true(heard.count == 1 && heard.page == P && heard.to == A);
    assert_true(pmem_changes(pm) > before);
    pmem_home(pm, 0, 0x10000, PAGE);
    assert_true(heard.count == 2 && heard.page == P && heard.to == P);
    pmem_home(pm, 0, 0x10000, PAGE); /* it is */
    assert_int_equal(heard.count, 2);
}

static void a_saved_state_has_them_where_they_are(void **state)
{
    struct pmem *pm = *state, *other = pmem_new(2, VRAM, GTT), *flat = pmem_new(2, VRAM, GTT);
    struct state_buffer saved, again, frames;
    put(pm, P, 11);
    put(pm, P + PAGE, 12);
    move(pm, P, A);
    move(pm, P + PAGE, C);
    put(pm, P, 13); /* left behind, in a frame that is nobody's */
    put(other, P, 1);
    move(other, P, B); /* goes */
    state_buffer_init(&saved);
    pmem_save(pm, &saved.writer);
    assert_true(pmem_restore(other, &saved.reader));
    assert_int_equal(saved.taken, saved.count);
    assert_true(pmem_frame_of(other, P) == A && pmem_frame_of(other, P + PAGE) == C && pmem_frame_of(other, B) == B);
    assert_true(at(other, A) == 11 && at(other, C) == 12 && at(other, P) == 13);
    state_buffer_init(&again);
    pmem_save(other, &again.writer);
    assert_true(again.count == saved.count && memcmp(again.bytes, saved.bytes, saved.count) == 0);
    for (unsigned g = 0; g < 2; g++) { /* as its GPU has it, for whom nothing has moved */
        state_buffer_init(&frames);
        pmem_contents_save(pm, g, &frames.writer);
        assert_true(pmem_contents_restore(flat, g, &frames.reader));
        free(frames.bytes);
    }
    assert_false(*pmem_moved(flat));
    assert_true(at(flat, A) == 11 && at(flat, C) == 12 && at(flat, P) == 13);
    const uint64_t bad = pmem_addr(3, 0);
    memcpy(saved.bytes + saved.count - 16, &bad, 8); /* where the last page is */
    saved.taken = 0;
    assert_false(pmem_restore(other, &saved.reader));
    assert_non_null(strstr(saved.reader.why, "is at 0x3000000000000"));
    free(saved.bytes), free(again.bytes);
    pmem_free(other), pmem_free(flat);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_client_keeps_its_page),        TEST(all_accesses_go_where_the_page_is),
        TEST(what_does_not_fit_ends_the_run), TEST(freed_pages_are_home),
        TEST(frames_of_moved_pages_are_data), TEST(others_are_told),
        TEST(an_old_address_is_known),        TEST(a_saved_state_has_them_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

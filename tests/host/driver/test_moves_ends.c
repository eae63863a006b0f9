/* SPDX-License-Identifier: Apache-2.0
 * Memory whose owners change while its pages move or are away: freed, unmapped, mapped, exported, its process killed or
 * forked.  A move is finished or undone, no word is lost, no frame is, and none is anybody's before caches have dropped
 * it.
 */
#include "moves_bench.h"

#define BYTES (4 * PAGE)
#define EXPORT _IOWR('K', 0x81, struct share_export_args)
#define IMPORT _IOWR('K', 0x80, struct share_import_args)

static uint64_t import(struct bench *b, uint64_t handle, uint64_t va)
{
    struct share_export_args e = {.handle = handle, .gpu_id = id_of(0)};
    assert_int_equal(call(b, 0, EXPORT, &e), 0);
    struct share_import_args i = {.va_addr = va, .gpu_id = id_of(0)};
    memcpy(i.share, e.share, sizeof i.share);
    assert_int_equal(call(b, 1, IMPORT, &i), 0);
    return i.handle;
}

static void export_alone(struct bench *b, uint64_t handle)
{
    struct share_export_args e = {.handle = handle, .gpu_id = id_of(0)};
    assert_int_equal(call(b, 0, EXPORT, &e), 0);
}

/* What happens to the object while its first page is locked (way 0) or mapped anew (way 1). */
enum change { FREED, UNMAPPED, MAPPED, EXPORTED, IMPORTED, FORKED, KILLED, CHANGES };

static void happens(struct bench *b, enum change change, uint64_t handle, unsigned way)
{
    switch (change) {
    case FREED:
        memory_end(b, 0, handle);
        break;
    case UNMAPPED:
        assert_int_equal(map(b, 0, handle, 2, false), 0);
        break;
    case MAPPED:
        assert_int_equal(map(b, 0, handle, 4, true), 0);
        tables_settle(b);
        tables_agree(b, 0, 7, AT, BYTES, page_of(b, 0, handle));
        break;
    case EXPORTED:
        export_alone(b, handle);
        break;
    case IMPORTED:
        b->client[1]->pid = getpid(); /* whose array of GPUs is read */
        assert_int_equal(map(b, 1, import(b, handle, AT + (1 << 20)), 4, true), 0);
        b->client[1]->pid = b->other;
        words_are(b, 1, 2, AT + (1 << 20), BYTES, 9 + way);
        break;
    case FORKED:
        assert_non_null(client_forked(b->d, 1, getpid()));
        break;
    default:
        client_end(b->d, b->client[0]);
        break;
    }
}

static void goes_on_to(struct bench *b, unsigned way)
{
    while (way && pagetable_locked(b->client[0]->gpu[0].pt, AT))
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    assert_true(migrate_busy(b->d->migrate));
}

/* Six times over, in both steps of a move. */
static void owners_change_during_a_move(void **state)
{
    struct bench *b = *state;
    for (unsigned n = 0; n < 2 * CHANGES; n++) {
        const enum change change = n / 2;
        const unsigned way = n % 2;
        struct sender s = golden_begin(b, 0, 0, 0);
        sender_run(b, &s);
        const uint64_t empty = empty_bytes(b), h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
        assert_int_equal(map(b, 0, h, 3, true), 0);
        words_put(b, 0, 0, AT, BYTES, 9 + way);
        assert_int_equal(move(b, page, PAGE, 1), 0);
        assert_int_equal(move(b, page + PAGE, PAGE, 2), 0);
        goes_on_to(b, way);
        happens(b, change, h, way);
        const bool undone = way == 0 && change != EXPORTED && change != FORKED;
        if (change != FREED && change != KILLED) {
            moves_end(b);
            assert_int_equal(home_of(b, page), undone ? 0 : 1);
            assert_int_equal(home_of(b, page + PAGE), undone ? 0 : 2);
            tables_settle(b);
            tables_agree(b, 0, 1, AT, BYTES, page);
            words_are(b, 0, 0, AT, BYTES, 9 + way);
            memory_end(b, 0, h);
        }
        assert_false(migrate_busy(b->d->migrate));
        run_dry(b);
        if (change == KILLED || change == IMPORTED || change == FORKED) { /* other clients from here on */
            teardown(state);
            setup(state);
            b = *state;
            continue;
        }
        assert_true(quarantine_empty(b->d) && !*pmem_moved(memory(b)));
        assert_true(empty_bytes(b) == empty);
        assert_int_equal(queue_end(b, 0, s.id), 0);
        run_dry(b);
    }
}

/* Two processes have it, in places of their own; what is left when one has gone is the other's. */
static void two_processes_have_a_page(void **state)
{
    struct bench *b = *state;
    const uint64_t empty = empty_bytes(b), other = AT + (1 << 20), h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0),
                   page = page_of(b, 0, h), i = import(b, h, other);
    assert_int_equal(map(b, 0, h, 1, true), 0);
    assert_int_equal(move(b, page, PAGE, 2), -EPERM); /* one GPU, until the other process has it too */
    b->client[1]->pid = getpid();
    assert_int_equal(map(b, 1, i, 6, true), 0);
    words_put(b, 0, 0, AT, BYTES, 4);
    assert_int_equal(move(b, page + PAGE, PAGE, 2), 0);
    tables_agree(b, 0, 1, AT, BYTES, page);
    tables_agree(b, 1, 6, other, BYTES, page);
    words_are(b, 1, 2, other, BYTES, 4);
    memory_end(b, 0, h);
    words_are(b, 1, 1, other, BYTES, 4);
    assert_int_equal(home_of(b, page + PAGE), 2);
    assert_int_equal(move(b, page + PAGE, PAGE, 1), 0);
    words_are(b, 1, 1, other, BYTES, 4);
    memory_end(b, 1, i);
    b->client[1]->pid = b->other;
    assert_true(empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

/* A kernel of another process runs: its GPU's caches may hold lines of a frame, so who comes back waits. */
static void frames_rest_until_caches_are_empty(void **state)
{
    struct bench *b = *state;
    struct sender s = golden_begin(b, 0, 1, 0), other = golden_begin(b, 1, 0, 0);
    const uint64_t h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    words_put(b, 0, 0, AT, BYTES, 3);
    sender_run(b, &s);
    fake_launch = endless;
    sender_run(b, &other);
    fake_launch = NULL;
    const unsigned log = fake(b)->logged;
    assert_int_equal(move(b, page, PAGE, 1), 0);
    moves_end(b);
    assert_false(quarantine_empty(b->d));
    assert_int_equal(move(b, page, PAGE, 0), -EAGAIN);
    tables_agree(b, 0, 3, AT, BYTES, page);
    run_dry(b);
    assert_true(quarantine_empty(b->d));
    assert_true(commands(b, log, 0, CP_CACHE, CACHE_INV_L1V) > 0);
    assert_int_equal(commands(b, log, 0, CP_CACHE, CACHE_INV_L2), 0); /* its slices were told before */
    assert_int_equal(move(b, page, PAGE, 0), 0);
    moves_end(b);
    const uint64_t left = b->d->vram[1].arena.free_bytes;
    run_dry(b);
    assert_true(b->d->vram[1].arena.free_bytes > left); /* the granule goes back with its last frame */
    words_are(b, 0, 1, AT, BYTES, 3);
}

/* Many objects, moves, ends, in any order: every word is where it belongs, and at the end all memory is there. */
static void at_random(void **state)
{
    enum { MOST = 24 };
    struct bench *b = *state;
    uint64_t handle[MOST] = {0}, seed[MOST], bytes[MOST];
    const uint64_t empty = empty_bytes(b);
    unsigned moved = 0;
    srand(11);
    for (unsigned n = 0; n < 4000; n++) {
        const unsigned i = (unsigned)rand() % MOST, what = (unsigned)rand() % 10;
        const uint64_t va = AT + i * (UINT64_C(1) << 24);
        if (!handle[i]) {
            bytes[i] = (1 + (uint64_t)rand() % 40) * PAGE;
            seed[i] = n;
            handle[i] = alloc(b, 0, (unsigned)rand() % GPUS, va, bytes[i], FLAGS_VRAM, 0);
            assert_int_equal(map(b, 0, handle[i], 7, true), 0);
            words_put(b, 0, (unsigned)rand() % GPUS, va, bytes[i], n);
        } else if (what == 0) {
            memory_end(b, 0, handle[i]);
            handle[i] = 0;
        } else if (what == 1) {
            assert_int_equal(map(b, 0, handle[i], 2, false), 0);
            assert_int_equal(map(b, 0, handle[i], 2, true), 0);
        } else {
            const bool block = what == 2 && bytes[i] >= 2 * MIGRATE_BLOCK;
            uint64_t page = page_of(b, 0, handle[i]) + (uint64_t)rand() % (bytes[i] / PAGE) * PAGE;
            page = block ? (page_of(b, 0, handle[i]) + MIGRATE_BLOCK - 1) & ~(MIGRATE_BLOCK - 1) : page;
            const int error = move(b, page, block ? MIGRATE_BLOCK : PAGE, (unsigned)rand() % GPUS);
            assert_true(error == 0 || error == -EALREADY);
            moved += error == 0;
        }
        if (handle[i] && n % 8 == 0)
            words_are(b, 0, (unsigned)rand() % GPUS, va, bytes[i], seed[i]);
        if (handle[i])
            tables_agree(b, 0, 7, va, bytes[i], page_of(b, 0, handle[i]));
    }
    assert_true(moved > 1000);
    for (unsigned i = 0; i < MOST; i++)
        if (handle[i]) {
            words_are(b, 0, 0, AT + i * (UINT64_C(1) << 24), bytes[i], seed[i]);
            memory_end(b, 0, handle[i]);
        }
    assert_true(empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(owners_change_during_a_move),
        TEST(two_processes_have_a_page),
        TEST(frames_rest_until_caches_are_empty),
        TEST(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

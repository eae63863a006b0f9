/* SPDX-License-Identifier: Apache-2.0
 * Phases in a driver whose GPUs and their counters the case plays: what of a client's memory a policy may move, as
 * what, where it is found when it has moved, and what is forgotten with it; the ledger's rows.
 * libs: -Wl,--wrap=cp_counts_listen,--wrap=cp_counts_set,--wrap=cp_counts_read,--wrap=machine_working
 */
#define BENCH_MORE "migrate.policy=periodic"
#include "../driver/carried_bench.h"

#include "firmware/cp_private.h"
#include "maintenance/counts.h"
#include "migrate/ledger.h"
#include "system/machine_private.h"
#include "system/phases.h"

#define BLOCK MIGRATE_BLOCK
#define ENOUGH 1800u /* accesses: the threshold of a block is 16 times 112 */

static struct {
    far_count_fn *each[GPUS];
    void *arg[GPUS];
    unsigned on, reads;
    struct {
        unsigned gpu;
        struct far_count count;
    } counts[16]; /* told with the next read */
    unsigned count;
    bool works;
} fakes;

static unsigned gpu_of(const struct cp *cp)
{
    return cp->gpu;
}

void __wrap_cp_counts_listen(struct cp *cp, far_count_fn *each, void *arg);
void __wrap_cp_counts_listen(struct cp *cp, far_count_fn *each, void *arg)
{
    fakes.each[gpu_of(cp)] = each;
    fakes.arg[gpu_of(cp)] = arg;
}

int __wrap_cp_counts_set(struct cp *cp, bool on);
int __wrap_cp_counts_set(struct cp *cp, bool on)
{
    assert_true(on);
    fakes.on |= 1u << gpu_of(cp);
    return 0;
}

int __wrap_cp_counts_read(struct cp *cp, uint32_t least, far_counts_end_fn *end, void *arg);
int __wrap_cp_counts_read(struct cp *cp, uint32_t least, far_counts_end_fn *end, void *arg)
{
    const unsigned gpu = gpu_of(cp);
    assert_int_equal(least, 1); /* who decides hears of all */
    fakes.reads += gpu == 0;
    for (unsigned i = 0; i < fakes.count; i++)
        if (fakes.counts[i].gpu == gpu)
            fakes.each[gpu](fakes.arg[gpu], cp, &fakes.counts[i].count);
    if (gpu == GPUS - 1)
        fakes.count = 0;
    end(arg, cp, 0, 0, 0);
    return 0;
}

bool __wrap_machine_working(const struct machine *m);
bool __wrap_machine_working(const struct machine *m)
{
    (void)m;
    return fakes.works;
}

static void counted(unsigned gpu, uint64_t frame, uint32_t reads)
{
    fakes.counts[fakes.count].gpu = gpu;
    fakes.counts[fakes.count++].count = (struct far_count){.frame = frame, .reads = reads};
}

static void begin(struct bench *b)
{
    rtl_begin(b);
    memset(&fakes, 0, sizeof fakes);
}

/* A kernel starts; the next phase is over, and its decisions have begun. */
static void a_phase(struct bench *b)
{
    struct machine *m = b->d->machine;
    const unsigned reads = fakes.reads;
    fakes.works = true;
    m->phases.wake(m->phases.ctx);
    assert_int_equal(fakes.on, 7);
    while (fakes.reads == reads)
        machine_run(m, machine_now(m) + 1);
    assert_int_equal(machine_now(m) % 10000, 0);
    assert_false(migrate_busy(b->d->migrate)); /* the decision takes its time */
    machine_run(m, machine_now(m) + 100);
    machine_run(m, machine_now(m) + 1);
    fakes.works = false;
}

/* Blocks of coarse memory that two GPUs have; nothing of others, and nothing in smaller pieces. */
static void what_may_move(void **state)
{
    struct bench *b = *state;
    uint64_t block, small;
    begin(b);
    object_new_at(b, 0, AT, 3 * BLOCK, 1, &block);
    object_new_at(b, 0, AT + (1 << 20), 4 * PAGE, 2, &small);
    const uint64_t fine =
        page_of(b, 0, alloc(b, 0, 0, AT + (2 << 20), BLOCK, FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, 0));
    const uint64_t alone = page_of(b, 0, alloc(b, 0, 0, AT + (3 << 20), BLOCK, FLAGS_VRAM, 0));
    assert_int_equal(block % BLOCK, 0);
    hold(true, true, true);
    counted(1, block + BLOCK, ENOUGH);
    counted(2, block + 2 * BLOCK, ENOUGH);
    counted(1, small, ENOUGH);
    counted(1, fine, ENOUGH);
    counted(1, alone, ENOUGH);
    counted(1, pmem_addr(1, 40 << 20), ENOUGH); /* nobody's */
    a_phase(b);
    assert_int_equal(b->d->migrate->count, 2);
    assert_int_equal(move_of(b, block + BLOCK)->to >> PMEM_OWNER_SHIFT, 2);
    assert_int_equal(move_of(b, block + 2 * BLOCK)->to >> PMEM_OWNER_SHIFT, 3);
    assert_int_equal(move_of(b, block + BLOCK)->pages.bytes, BLOCK);
    hold(false, false, false);
    say_all(b, GOOD);
    all_is_free(b);
    words_are(b, 0, 2, AT, 3 * BLOCK, 1);
    const struct ledger *l = phases_ledger(b->d->phases);
    assert_int_equal(l->count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct move_fact *f = &l->rows[i].fact;
        assert_string_equal(l->rows[i].policy, "periodic");
        assert_true(f->batch == 2 && f->decision == 100 && f->from == 0 && f->to == 1 + i && f->refused == 0);
        assert_int_equal(f->wait + f->lock + f->shoot + f->flush + f->copy + f->map, f->ended - f->begun);
    }
    assert_int_equal(l->sums.strays, 4 * ENOUGH);
}

/* Counted at its frame, wherever that is; who has it by now is not far from it; ordered moves have their rows. */
static void where_it_is_then(void **state)
{
    struct bench *b = *state;
    uint64_t block;
    begin(b);
    object_new_at(b, 0, AT, BLOCK, 1, &block);
    assert_int_equal(move(b, block, BLOCK, 1), 0);
    all_is_free(b);
    const uint64_t there = pmem_frame_of(memory(b), block);
    assert_int_equal(there >> PMEM_OWNER_SHIFT, 2);
    counted(1, block, ENOUGH);     /* from before the move: it is its own now */
    counted(2, there, ENOUGH / 2); /* too few */
    a_phase(b);
    assert_false(migrate_busy(b->d->migrate));
    counted(0, there, ENOUGH);
    a_phase(b);
    assert_non_null(move_of(b, block));
    assert_true(move_of(b, block)->to == block);
    all_is_free(b);
    words_are(b, 0, 1, AT, BLOCK, 1);
    const struct ledger *l = phases_ledger(b->d->phases);
    assert_int_equal(l->count, 2);
    assert_string_equal(l->rows[0].policy, "order");
    assert_string_equal(l->rows[1].policy, "periodic");
    assert_true(l->rows[0].fact.decision == 0 && l->rows[1].fact.from == 1 && l->rows[1].fact.to == 0);
}

/* A block of which some pages are there already goes page by page. */
static void in_pieces(void **state)
{
    struct bench *b = *state;
    uint64_t block;
    begin(b);
    object_new_at(b, 0, AT, BLOCK, 1, &block);
    assert_int_equal(move(b, block + 3 * PAGE, PAGE, 2), 0);
    all_is_free(b);
    counted(2, block, ENOUGH);
    a_phase(b);
    assert_int_equal(b->d->migrate->count, 15);
    all_is_free(b);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(home_of(b, block + i * PAGE), 2);
    words_are(b, 0, 0, AT, BLOCK, 1);
}

/* Freed between the count and the end of the phase: its accesses are nobody's. */
static void freed_in_between(void **state)
{
    struct bench *b = *state;
    uint64_t block, again;
    begin(b);
    const uint64_t h = object_new_at(b, 0, AT, BLOCK, 1, &block);
    struct machine *m = b->d->machine;
    fakes.works = true;
    m->phases.wake(m->phases.ctx);
    fakes.each[1](fakes.arg[1], machine_cp(m, 1), &(struct far_count){.frame = block, .writes = ENOUGH});
    fakes.works = false; /* no phase until it is somebody else's */
    memory_end(b, 0, h);
    run_dry(b);
    object_new_at(b, 0, AT, BLOCK, 1, &again);
    assert_int_equal(again, block); /* it has its place now */
    a_phase(b);
    assert_false(migrate_busy(b->d->migrate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(what_may_move), TEST(where_it_is_then), TEST(in_pieces),
                                       TEST(freed_in_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

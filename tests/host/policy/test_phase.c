/* SPDX-License-Identifier: Apache-2.0
 * Phases with a machine that the case plays: when counters are read, what the policy hears, when a batch begins; counts
 * of a phase are its own; a machine at rest has no timer.
 */
#include "../migrate/policy_bench.h"

#include <errno.h>

#include "policy/phase.h"

#define GPUS 3u
#define FRAME(gpu, n) ((((uint64_t)(gpu) + 1) << 40) + (n)*PAGE)
#define PERIOD 10000u
#define DECISION 100u
#define READ_CYCLES 50u /* what the answer of a GPU takes here */

struct fake {
    struct phase *phase;
    uint64_t now, timers[64];
    unsigned count;
    bool runs, golden, busy, refuses_read, silent; /* silent: reads are never answered */
    uint64_t executed, asked[64];                  /* cycles of counts_read of GPU 0 */
    unsigned reads, on;
    uint64_t added[64], added_at[64], gone_at[64]; /* migrate_add, migrate_go */
    unsigned added_to[64], adds, goes;
    uint64_t home[64]; /* of the pages FRAME(0, n): GPU */
    int error;
    uint64_t moves; /* page n may move: bit n */
    /* what the policy has heard */
    struct page_fact heard[64];
    unsigned heards, phases;
    uint64_t phase_at[64];
    unsigned wants; /* decisions: the first pages it heard of, to who asked */
    struct move_fact told[64];
    unsigned tolds;
};
static struct fake *f;

static uint64_t now(void *ctx)
{
    return ((struct fake *)ctx)->now;
}
static void timer(void *ctx, uint64_t at)
{
    struct fake *m = ctx;
    assert_true(at > m->now && m->count < 64);
    m->timers[m->count++] = at;
}
static bool needed(void *ctx)
{
    return ((struct fake *)ctx)->runs;
}
static uint64_t executed(void *ctx)
{
    return ((struct fake *)ctx)->executed;
}
static int counts_set(void *ctx, unsigned gpu)
{
    struct fake *m = ctx;
    m->on |= 1u << gpu;
    return m->golden ? -ENOTSUP : 0;
}
static int counts_read(void *ctx, unsigned gpu)
{
    struct fake *m = ctx;
    if (gpu == 0)
        m->asked[m->reads++ % 64] = m->now;
    return m->refuses_read ? -ENOTSUP : 0;
}
static uint64_t page(void *ctx, uint64_t frame, unsigned *home)
{
    struct fake *m = ctx;
    const uint64_t n = (frame >> 12) & 63;
    *home = (unsigned)m->home[n];
    return FRAME(0, n);
}
static uint64_t unit(void *ctx, uint64_t at, uint64_t *start)
{
    *start = at;
    return ((struct fake *)ctx)->moves >> ((at >> 12) & 63) & 1 ? PAGE : 0;
}
static int add(void *ctx, uint64_t at, uint64_t bytes, unsigned gpu)
{
    struct fake *m = ctx;
    assert_int_equal(bytes, PAGE);
    m->added_at[m->adds] = m->now;
    m->added_to[m->adds] = gpu;
    m->added[m->adds++] = at;
    return m->error;
}
static void go(void *ctx)
{
    struct fake *m = ctx;
    m->gone_at[m->goes++] = m->now;
    m->busy = true;
}
static bool moving(void *ctx)
{
    return ((struct fake *)ctx)->busy;
}

/* The policy: it notes, and wants what it is told to. */
static void *begin(const struct policy_machine *m)
{
    (void)m;
    return f;
}
static void end(void *own)
{
    assert_ptr_equal(own, f);
}
static void count(void *own, const struct page_fact *fact)
{
    struct fake *m = own;
    m->heard[m->heards++] = *fact;
}
static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct fake *m = own;
    assert_int_equal(room, PHASE_MOST);
    m->phase_at[m->phases++] = p->cycle;
    for (unsigned i = 0; i < m->wants; i++)
        out[i] = (struct decision){.page = m->heard[i].page, .to = m->heard[i].requester, .why = "it is told to"};
    return m->wants;
}
static void moved(void *own, const struct move_fact *fact)
{
    struct fake *m = own;
    m->told[m->tolds++] = *fact;
}
static const struct policy_ops noting = {
    .name = "noting", .begin = begin, .end = end, .count = count, .phase = phase, .moved = moved};

static int setup(void **state)
{
    static const struct phase_host host = {.now = now,
                                           .timer = timer,
                                           .needed = needed,
                                           .executed = executed,
                                           .counts_set = counts_set,
                                           .counts_read = counts_read,
                                           .page = page,
                                           .unit = unit,
                                           .add = add,
                                           .go = go,
                                           .moving = moving};
    struct policy_machine m = machine;
    struct phase_host own = host;
    f = calloc(1, sizeof *f);
    f->moves = UINT64_MAX;
    m.gpus = GPUS;
    own.ctx = f;
    f->phase = phase_new(&own, &noting, &m, &(struct phase_settings){.period = PERIOD, .decision = DECISION});
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    phase_free(f->phase);
    free(f);
    (void)state;
    return 0;
}

/* All answer that the counters were read, READ_CYCLES later. */
static void reads_end(void)
{
    f->now += READ_CYCLES;
    for (unsigned g = 0; g < GPUS; g++)
        phase_read(f->phase, g, 0);
}

/* Time passes up to `cycle`, with the timers on the way; counters are read at once where GPUs answer. */
static void run(uint64_t cycle)
{
    for (;;) {
        unsigned first = f->count;
        for (unsigned i = 0; i < f->count; i++)
            if (f->timers[i] <= cycle && (first == f->count || f->timers[i] < f->timers[first]))
                first = i;
        if (first == f->count)
            break;
        const unsigned reads = f->reads;
        f->now = f->timers[first] > f->now ? f->timers[first] : f->now;
        f->timers[first] = f->timers[--f->count];
        phase_timer(f->phase);
        if (f->reads != reads && !f->silent && !f->refuses_read)
            reads_end();
    }
    f->now = cycle > f->now ? cycle : f->now;
}

static void kernel(uint64_t cycle)
{
    run(cycle);
    f->runs = true;
    phase_wake(f->phase);
}

static void batch_ends(void)
{
    f->busy = false;
    for (unsigned i = 0; i < f->adds; i++) {
        struct move_fact m = {.page = f->added[i], .bytes = PAGE, .to = f->added_to[i], .ended = f->now};
        phase_moved(f->phase, &m);
    }
}

static void read_each_period(void **state)
{
    (void)state;
    kernel(12345);
    assert_int_equal(f->on, 7);
    for (unsigned i = 0; i < 3; i++) { /* something is used all the time */
        run(19999 + i * PERIOD);
        phase_count(f->phase, 1, FRAME(0, 3), 5, 0);
    }
    run(42000);
    assert_int_equal(f->reads, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(f->asked[i], 20000 + i * PERIOD);
        assert_int_equal(f->phase_at[i], 20000 + i * PERIOD);
    }
}

/* S1.4, S1.7: sums of entries by page and requester, ordered, each told in its phase alone. */
static void sums_of_a_phase(void **state)
{
    (void)state;
    f->home[7] = 2;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 3), 5, 1);
    phase_count(f->phase, 2, FRAME(0, 3), 1, 0);
    phase_count(f->phase, 1, FRAME(0, 3), 4095, 0); /* one that has left early */
    phase_count(f->phase, 0, FRAME(2, 7), 0, 2);    /* a page that is elsewhere */
    phase_count(f->phase, 2, FRAME(0, 7), 9, 9);    /* who counts it has it by now */
    f->moves &= ~(UINT64_C(1) << 9);
    phase_count(f->phase, 1, FRAME(0, 9), 9, 9); /* may not move */
    run(15000);
    assert_int_equal(f->phases, 1);
    assert_int_equal(f->heards, 3);
    assert_true(f->heard[0].page == FRAME(0, 3) && f->heard[0].requester == 1 && f->heard[0].home == 0);
    assert_true(f->heard[0].reads == 4100 && f->heard[0].writes == 1 && f->heard[0].bytes == PAGE);
    assert_true(f->heard[1].page == FRAME(0, 3) && f->heard[1].requester == 2 && f->heard[1].reads == 1);
    assert_true(f->heard[2].page == FRAME(0, 7) && f->heard[2].requester == 0 && f->heard[2].home == 2);
    assert_int_equal(phase_sums(f->phase).strays, 36);
    assert_int_equal(phase_sums(f->phase).reads, 5 + 1 + 4095 + 9 + 9);
    f->heards = 0;
    phase_count(f->phase, 1, FRAME(0, 3), 2, 0);
    run(25000);
    assert_int_equal(f->phases, 2);
    assert_int_equal(f->heards, 1);
    assert_int_equal(f->heard[0].reads, 2);
}

/* shows S1.6: the MMU opens a migration phase every period and moves all pending pages in one batch; no message of a
 * move leaves outside of one.  Nothing is sent but `decision` cycles behind the last count, all that is pending then,
 * at once; a phase that would begin while pages move is left out. */
static void no_message_outside_a_phase(void **state)
{
    (void)state;
    f->wants = 3;
    kernel(1);
    for (unsigned i = 0; i < 3; i++)
        phase_count(f->phase, 1, FRAME(0, i), 4095, 0);
    run(10000 + READ_CYCLES + DECISION - 1);
    phase_count(f->phase, 1, FRAME(0, 2), 4095, 0);
    assert_int_equal(f->adds + f->goes, 0);
    run(10000 + READ_CYCLES + DECISION);
    assert_int_equal(f->adds, 3);
    assert_int_equal(f->goes, 1);
    run(35000); /* it takes long */
    assert_int_equal(f->reads, 1);
    assert_int_equal(f->goes, 1);
    batch_ends();
    assert_int_equal(f->tolds, 3);
    assert_true(f->told[0].batch == 3 && f->told[0].decision == READ_CYCLES + DECISION);
    phase_count(f->phase, 2, FRAME(0, 2), 4095, 0); /* a flood of them begins nothing */
    run(39999);
    assert_int_equal(f->adds, 3);
    f->heards = 0;
    f->wants = 1;
    run(40000 + READ_CYCLES + DECISION);
    assert_int_equal(f->reads, 2);
    assert_int_equal(f->goes, 2);
    for (unsigned i = 0; i < f->adds; i++)
        assert_int_equal(f->added_at[i] % PERIOD, READ_CYCLES + DECISION);
}

static void refused_is_told(void **state)
{
    (void)state;
    f->wants = 2;
    f->error = -ENOMEM;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    phase_count(f->phase, 1, FRAME(0, 1), 40, 0);
    run(11000);
    assert_int_equal(f->adds, 2);
    assert_int_equal(f->goes, 0);
    assert_int_equal(f->tolds, 2);
    assert_int_equal(f->told[1].refused, -ENOMEM);
    assert_int_equal(phase_sums(f->phase).refused, 2);
    assert_int_equal(phase_sums(f->phase).batches, 0);
}

/* Freed between count and batch: nothing moves, and its next owner's page has no past. */
static void freed_meanwhile(void **state)
{
    (void)state;
    f->wants = 1;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    phase_count(f->phase, 1, FRAME(0, 1), 40, 0);
    phase_gone(f->phase, FRAME(0, 0), PAGE);
    run(10000 + READ_CYCLES);
    assert_int_equal(f->heards, 1);
    assert_true(f->heard[0].page == FRAME(0, 1));
}

/* The same between decision and batch. */
static void freed_when_decided(void **state)
{
    (void)state;
    f->wants = 2;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    phase_count(f->phase, 1, FRAME(0, 1), 40, 0);
    run(10000 + READ_CYCLES + 10);
    assert_int_equal(f->phases, 1);
    phase_gone(f->phase, FRAME(0, 0), PAGE);
    run(10000 + READ_CYCLES + DECISION);
    assert_int_equal(f->adds, 1);
    assert_true(f->added[0] == FRAME(0, 1));
    assert_int_equal(f->tolds, 0);
}

/* The last kernel ends: no batch any more, and within a period no timer. */
static void at_rest_without_timers(void **state)
{
    (void)state;
    f->wants = 1;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    run(10000 + READ_CYCLES);
    f->runs = false;
    run(40000);
    assert_int_equal(f->goes, 0);
    assert_int_equal(f->count, 0);
    assert_int_equal(f->reads, 1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0); /* late */
    assert_int_equal(f->count, 0);
    kernel(1000000);
    run(1010000);
    assert_int_equal(f->asked[1], 1010000);
}

/* A machine that is stuck with a kernel under way: its watchdog needs a time without timers. */
static void stuck_without_timers(void **state)
{
    (void)state;
    f->executed = 77;
    kernel(1);
    run(100000000);
    assert_int_equal(f->count, 0);
    assert_in_range(f->reads, 7, 10);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0); /* it goes on after all */
    assert_int_equal(f->count, 1);
    run(100010000);
    assert_int_equal(f->asked[(f->reads - 1) % 64], 100010000);
}

/* No far access for long: phases are rare, and near again with a kernel or an access. */
static void rare_without_far_accesses(void **state)
{
    (void)state;
    kernel(1);
    for (unsigned i = 0; i < 100; i++) {
        f->executed++;
        run(i * 100000);
    }
    assert_in_range(f->reads, 10, 16); /* of 990 periods */
    assert_int_equal(f->count, 1);
    const unsigned before = f->reads;
    kernel(10000000);
    run(10010000);
    assert_int_equal(f->reads, before + 1);
    assert_int_equal(f->asked[before], 10010000);
}

/* Many kernels do not fill the machine with timers. */
static void one_timer_a_phase(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 50; i++)
        kernel(i);
    assert_int_equal(f->count, 1);
}

static void golden_does_nothing(void **state)
{
    (void)state;
    f->golden = true;
    kernel(1);
    assert_int_equal(f->count, 0);
    f->golden = false; /* --roi: from here on it counts */
    kernel(5);
    assert_int_equal(f->count, 1);
}

/* The next phase waits for the slowest GPU; one without counters is not waited for. */
static void slow_gpu(void **state)
{
    (void)state;
    f->silent = true;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    run(30000);
    assert_int_equal(f->reads, 1);
    phase_read(f->phase, 0, 0);
    phase_read(f->phase, 2, 5);
    phase_read(f->phase, 2, 0); /* nobody asked */
    assert_int_equal(f->phases, 0);
    phase_read(f->phase, 1, 0);
    assert_int_equal(f->phases, 1);
    assert_int_equal(phase_sums(f->phase).lost, 5);
    f->refuses_read = true;
    run(40000);
    assert_int_equal(f->reads, 2);
    assert_int_equal(f->count, 1); /* the phase was over at once */
}

/* 40 far accesses in 1,000 instructions are near then: 10,000 instructions later 400 more would have been. */
static void what_would_have_been(void **state)
{
    (void)state;
    f->wants = 1;
    kernel(1);
    phase_count(f->phase, 1, FRAME(0, 0), 40, 0);
    f->executed = 1000;
    run(10200);
    batch_ends();
    f->wants = 0;
    for (unsigned i = 0; i < 10; i++) {
        run(19000 + i * PERIOD);
        f->executed += 1000;
        phase_count(f->phase, 2, FRAME(0, 5), 1, 0);
    }
    run(110500);
    assert_in_range(phase_sums(f->phase).gained, 390, 400);                              /* rounded */
    struct move_fact back = {.page = FRAME(0, 0), .bytes = PAGE, .from = 1, .batch = 1}; /* by the program's order */
    assert_false(phase_moved(f->phase, &back));
    assert_true(back.batch == 1 && back.decision == 0);
    phase_count(f->phase, 2, FRAME(0, 5), 1, 0);
    const uint64_t gained = phase_sums(f->phase).gained;
    f->executed += 1000;
    run(130000);
    assert_int_equal(phase_sums(f->phase).gained, gained);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(read_each_period),          CASE(sums_of_a_phase),      CASE(no_message_outside_a_phase),
        CASE(refused_is_told),           CASE(freed_meanwhile),      CASE(freed_when_decided),
        CASE(at_rest_without_timers),    CASE(stuck_without_timers), CASE(golden_does_nothing),
        CASE(rare_without_far_accesses), CASE(one_timer_a_phase),    CASE(slow_gpu),
        CASE(what_would_have_been),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

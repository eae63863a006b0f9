/* SPDX-License-Identifier: Apache-2.0
 * First accesses with a machine that the case plays: when they are decided, what the policy hears, what is mapped or
 * moved, and that everybody who waits is answered.
 */
#include "policy_bench.h"

#include <errno.h>

#include "migrate/faults.h"

#define CYCLES 700u
#define GPUS 4u
#define PAGES 32u
#define VA(n) (UINT64_C(0x7000000000) + (n)*PAGE)
#define OWN(n) (UINT64_C(0x1000010000000) + (n)*PAGE)

struct fake {
    struct faults *faults;
    uint64_t now, timer;
    bool there[PAGES], moves[PAGES], moving[PAGES]; /* by page */
    bool mapped[PAGES][GPUS];
    unsigned home[PAGES], alias[PAGES]; /* by address: another page than its own; 0: none */
    int add_error, map_error;
    unsigned adds, goes, maps, answers, denies;
    uint64_t added[PAGES], answered[PAGES];
    unsigned added_to[PAGES];
    bool wants;      /* the policy: to move */
    uint64_t wide;   /* pages of a unit, 0: one */
    uint64_t denied; /* bytes of the last one */
    struct fault_fact heard[PAGES];
    unsigned heards;
    struct move_fact refused;
};
static struct fake *f;
static char client; /* an owner */

static uint64_t now(void *ctx)
{
    return ((struct fake *)ctx)->now;
}
static void timer(void *ctx, uint64_t at)
{
    struct fake *m = ctx;
    assert_true(m->timer <= m->now && at == m->now + CYCLES); /* one at a time */
    m->timer = at;
}
static bool place(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *p)
{
    struct fake *m = ctx;
    const uint64_t n = (va - VA(0)) / PAGE;
    assert_ptr_equal(owner, &client);
    if (!m->there[n])
        return false;
    const uint64_t first = m->wide ? n / m->wide * m->wide : n;
    *p = (struct fault_place){.va = VA(first),
                              .page = OWN(m->alias[n] ? m->alias[n] : first),
                              .bytes = m->wide ? m->wide * PAGE : PAGE,
                              .home = m->home[n],
                              .mapped = m->mapped[n][gpu],
                              .moves = m->moves[n]};
    return true;
}
static int map(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    struct fake *m = ctx;
    (void)owner;
    assert_int_equal(bytes, PAGE);
    m->maps++;
    m->mapped[(va - VA(0)) / PAGE][gpu] = m->map_error == 0;
    return m->map_error;
}
static void answer(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny)
{
    struct fake *m = ctx;
    (void)owner, (void)gpu;
    assert_true(va % PAGE == 0 && (bytes == PAGE || m->wide));
    m->answered[m->answers++] = va;
    m->denies += deny;
    m->denied = deny ? bytes : m->denied;
}
static int add(void *ctx, uint64_t page, uint64_t bytes, unsigned gpu)
{
    struct fake *m = ctx;
    assert_int_equal(bytes, PAGE);
    if (m->add_error)
        return m->add_error;
    m->moving[(page - OWN(0)) / PAGE] = true;
    m->added_to[m->adds] = gpu;
    m->added[m->adds++] = page;
    return 0;
}
static void go(void *ctx)
{
    ((struct fake *)ctx)->goes++;
}
static bool moving(void *ctx, uint64_t page, uint64_t bytes)
{
    assert_int_equal(bytes, PAGE);
    return ((struct fake *)ctx)->moving[(page - OWN(0)) / PAGE];
}

static enum fault_verdict fault(void *own, const struct fault_fact *fact)
{
    struct fake *m = own;
    m->heard[m->heards++] = *fact;
    return m->wants ? FAULT_MOVE : FAULT_FAR;
}
static void moved(void *own, const struct move_fact *fact)
{
    ((struct fake *)own)->refused = *fact;
}
static const struct policy_ops noting = {.name = "noting", .fault = fault, .moved = moved};
static const struct policy_ops silent = {.name = "silent"};

static void opened_ahead(const struct policy_ops *ops, unsigned ahead)
{
    static const struct faults_host host = {.now = now,
                                            .timer = timer,
                                            .place = place,
                                            .map = map,
                                            .answer = answer,
                                            .add = add,
                                            .go = go,
                                            .moving = moving};
    struct faults_host own = host;
    own.ctx = f;
    f->faults = faults_new(&own, ops, f, CYCLES, ahead);
}

static void opened(const struct policy_ops *ops)
{
    opened_ahead(ops, 0);
}

static int setup(void **state)
{
    f = calloc(1, sizeof *f);
    f->now = 1000;
    f->wants = true;
    memset(f->there, true, sizeof f->there);
    memset(f->moves, true, sizeof f->moves);
    (void)state;
    return 0;
}

static int teardown(void **state)
{
    faults_free(f->faults);
    free(f);
    (void)state;
    return 0;
}

static bool report(unsigned page, unsigned gpu)
{
    return faults_report(f->faults, &client, gpu, VA(page), false);
}

/* To the timer's cycle, if one is set. */
static void decided(void)
{
    assert_true(f->timer > f->now);
    f->now = f->timer;
    faults_timer(f->faults);
}

/* The move of a page ends: it is there, mapped on `gpu`, or (-ECANCELED) was undone. */
static struct move_fact ends(unsigned page, unsigned gpu, int error)
{
    struct move_fact m = {.page = OWN(page), .bytes = PAGE, .to = gpu, .refused = error, .batch = 1};
    f->moving[page] = false;
    f->mapped[page][gpu] |= error == 0;
    f->home[page] = error ? f->home[page] : gpu;
    assert_true(faults_claim(f->faults, &m));
    faults_settle(f->faults, OWN(page), PAGE, error);
    return m;
}

static void sums_are(uint64_t faults, uint64_t has_moved, uint64_t mapped, uint64_t late, uint64_t denied)
{
    const struct faults_sums s = faults_sums(f->faults);
    assert_true(s.faults == faults && s.moved == has_moved && s.mapped == mapped && s.late == late &&
                s.denied == denied);
}

/* What the policy hears; nothing before its time; those that came by then go as one batch; each is answered. */
static void pages_move_to_who_asks(void **state)
{
    (void)state;
    opened(&noting);
    f->home[3] = 2;
    assert_true(report(3, 1));
    f->now++; /* more, before the first is decided: each waits for its own time */
    assert_true(report(4, 3) && report(3, 1));
    f->now = 1000 + CYCLES - 1;
    faults_timer(f->faults); /* somebody else's timer */
    assert_int_equal(f->heards + f->adds + f->maps + f->answers, 0);
    decided();
    assert_int_equal(f->now, 1000 + CYCLES);
    assert_int_equal(f->heards, 1);
    const struct fault_fact *h = &f->heard[0];
    assert_true(h->page == OWN(3) && h->bytes == PAGE && h->home == 2 && h->requester == 1 && h->cycle == f->now &&
                !h->engine);
    assert_true(f->adds == 1 && f->added[0] == OWN(3) && f->added_to[0] == 1 && f->goes == 1);
    assert_int_equal(f->answers, 0); /* not before it is there */
    assert_true(faults_wait(f->faults, &client, 1, VA(3), PAGE) && faults_wait(f->faults, &client, 3, VA(4), PAGE));
    assert_false(faults_wait(f->faults, &client, 2, VA(3), PAGE) || faults_wait(f->faults, &client, 1, VA(4), PAGE));
    assert_true(report(5, 0) && report(6, 1));
    decided();
    assert_int_equal(f->now, 1000 + 2 * CYCLES); /* that of page 4 */
    assert_true(f->adds == 2 && f->added[1] == OWN(4) && f->added_to[1] == 3);
    decided();
    assert_true(f->adds == 3 && f->added[2] == OWN(6) && f->maps == 1); /* GPU 0 has page 5: it is not asked about */
    assert_int_equal(f->heards, 3);
    struct move_fact m = ends(3, 1, 0);
    assert_true(m.decision == CYCLES && m.batch == 1);
    m = ends(4, 3, 0);
    assert_int_equal(m.decision, 2 * CYCLES - 1);
    assert_int_equal(ends(6, 1, 0).decision, 2 * CYCLES);
    assert_int_equal(f->answers, 4);
    assert_int_equal(f->denies, 0);
    sums_are(4, 3, 1, 0, 0);
    assert_false(faults_wait(f->faults, &client, 1, 0, UINT64_MAX));
}

static void a_batch(void **state)
{
    (void)state;
    opened(&noting);
    report(0, 1);
    for (unsigned n = 1; n < 6; n++)
        report(n, 1 + n % 3);
    decided();
    decided();
    assert_int_equal(f->adds, 6);
    assert_int_equal(f->goes, 2);
    assert_int_equal(ends(0, 1, 0).batch, 1);
    assert_int_equal(ends(4, 2, 0).batch, 5);
    assert_int_equal(faults_sums(f->faults).batches, 2);
}

/* Of two GPUs that ask at once one gets the page; the other, and who asks later, is served when it is there. */
static void others_wait_for_the_move(void **state)
{
    (void)state;
    opened(&noting);
    report(9, 1);
    report(2, 1);
    report(2, 3);
    decided();
    decided();
    assert_true(f->adds == 2 && f->added[1] == OWN(2) && f->added_to[1] == 1);
    assert_int_equal(f->heards, 2);
    f->now += 50;
    report(2, 2);
    decided();
    assert_int_equal(f->adds + f->maps, 2);
    f->mapped[2][3] = true; /* by the move, which has known that GPU 3 waits */
    ends(2, 1, 0);
    assert_true(f->maps == 1 && f->mapped[2][2]);
    assert_int_equal(f->answers, 3);
    ends(9, 1, 0);
    sums_are(4, 2, 1, 1, 0);
}

/* An order that could not begin, or was undone, is mapped where it is: nobody waits for ever. */
static void what_does_not_move_is_mapped(void **state)
{
    (void)state;
    opened(&noting);
    f->add_error = -ENOMEM;
    report(1, 2);
    decided();
    assert_true(f->maps == 1 && f->mapped[1][2] && f->goes == 0 && f->answers == 1);
    assert_true(f->refused.page == OWN(1) && f->refused.refused == -ENOMEM && f->refused.to == 2);
    f->add_error = 0;
    report(2, 2);
    decided();
    ends(2, 2, -ECANCELED); /* once more */
    assert_true(f->maps == 1 && f->answers == 1);
    decided();
    assert_true(f->adds == 2 && f->heards == 3);
    ends(2, 2, -ECANCELED);
    assert_true(f->maps == 2 && f->mapped[2][2] && f->answers == 2);
    f->moves[3] = false;
    report(3, 2);
    decided();
    assert_int_equal(f->maps, 3);
    assert_int_equal(f->heards, 3); /* of what may not move nobody is asked */
    f->wants = false;
    faults_report(f->faults, &client, 2, VA(4), true);
    decided();
    assert_true(f->maps == 4 && f->heard[3].engine);
    sums_are(4, 0, 4, 0, 0);
}

static void a_policy_that_says_nothing(void **state)
{
    (void)state;
    opened(&silent);
    report(1, 2);
    decided();
    assert_true(f->maps == 1 && f->adds == 0 && f->answers == 1);
}

/* Memory that has gone, or for which no table is left, is a fault; what has come meanwhile is an answer. */
static void what_is_gone_is_denied(void **state)
{
    (void)state;
    opened(&noting);
    f->there[7] = false;
    assert_false(report(7, 1));
    report(8, 1);
    f->there[8] = false;
    decided();
    assert_true(f->denies == 1 && f->answered[0] == VA(8));
    f->wants = false;
    f->map_error = ENOMEM;
    report(9, 1);
    decided();
    assert_int_equal(f->denies, 2);
    f->map_error = 0;
    report(10, 1);
    f->mapped[10][1] = true;
    decided();
    assert_true(f->answers == 3 && f->denies == 2);
    f->wants = true;
    report(11, 1);
    decided();
    f->there[11] = false;
    ends(11, 1, -ECANCELED);
    assert_int_equal(f->denies, 3);
    sums_are(4, 0, 0, 1, 3);
}

/* A page that one process has at two addresses: who asks by the second one is answered by it. */
static void two_addresses(void **state)
{
    (void)state;
    opened(&noting);
    f->alias[9] = 2; /* page 2, as address 9 */
    assert_true(report(2, 1) && report(9, 1));
    assert_true(faults_wait(f->faults, &client, 1, VA(9), PAGE));
    decided();
    assert_int_equal(f->adds, 1);
    decided();
    assert_int_equal(f->answers, 0);
    f->mapped[2][1] = true;
    ends(2, 1, 0);
    assert_true(f->answers == 2 && f->answered[0] == VA(2) && f->answered[1] == VA(9) && f->mapped[9][1]);
    sums_are(2, 1, 1, 0, 0);
}

/* First accesses to pages one behind the other: 2, 4, then as many as the key says come with them. */
static void pages_in_a_row(void **state)
{
    (void)state;
    opened_ahead(&noting, 5);
    report(0, 1);
    report(20, 1); /* another row */
    decided();
    decided();
    assert_int_equal(f->adds, 2);
    report(1, 1);
    decided();
    assert_true(f->adds == 5 && f->added[3] == OWN(2) && f->added[4] == OWN(3) && f->added_to[4] == 1 && f->goes == 3);
    assert_true(!f->heard[2].ahead && f->heard[3].ahead && f->heard[3].page == OWN(2) && f->heard[3].requester == 1);
    assert_true(faults_wait(f->faults, &client, 1, VA(3), PAGE));
    assert_true(report(3, 1)); /* it is on its way */
    assert_int_equal(ends(2, 1, 0).decision, CYCLES);
    assert_int_equal(ends(3, 1, 0).batch, 3);
    report(4, 2); /* who asks is another GPU */
    decided();
    assert_int_equal(f->adds, 6);
    ends(4, 2, 0);
    f->mapped[4][1] = true; /* and this one has had it mapped */
    report(5, 1);
    decided();
    assert_int_equal(f->adds, 7);
    report(6, 1);
    decided();
    assert_int_equal(f->adds, 10);
    report(9, 1); /* 2, then 4 */
    decided();
    assert_int_equal(f->adds, 15);
    report(14, 1); /* then 5, of which what is there already ends the row */
    f->mapped[17][1] = true;
    decided();
    assert_int_equal(f->adds, 18);
    assert_int_equal(faults_sums(f->faults).faults, 9);
    assert_int_equal(faults_sums(f->faults).ahead, 1);
}

/* Nobody waits for what was fetched ahead and undone; it is asked for again when it is wanted. */
static void ahead_and_undone(void **state)
{
    (void)state;
    opened_ahead(&noting, 8);
    report(0, 1);
    decided();
    report(1, 1);
    decided();
    assert_int_equal(f->adds, 4);
    ends(2, 1, -ECANCELED);
    assert_false(faults_wait(f->faults, &client, 1, VA(2), PAGE));
    assert_true(report(3, 1));
    ends(3, 1, -ECANCELED); /* which is asked for by now */
    assert_true(faults_wait(f->faults, &client, 1, VA(3), PAGE));
    decided();
    assert_true(f->adds == 5 && f->added[4] == OWN(3));
    ends(3, 1, 0);
    ends(0, 1, 0);
    ends(1, 1, 0);
    assert_int_equal(f->answers, 3);
    sums_are(3, 3, 0, 0, 0);
}

/* Of a unit of several pages the second report is known: both are denied when the memory has gone. */
static void all_of_a_unit_is_denied(void **state)
{
    (void)state;
    opened(&noting);
    f->wide = 4;
    assert_true(report(9, 1) && report(10, 1));
    assert_int_equal(faults_sums(f->faults).faults, 1);
    f->there[9] = f->there[10] = false;
    decided();
    assert_true(f->denies == 1 && f->answered[0] == VA(8) && f->denied == 4 * PAGE);
}

/* Memory in smaller pieces is mapped at the addresses meanwhile: who waits for any page of the old unit is asked again.
 */
static void another_unit(void **state)
{
    (void)state;
    opened(&noting);
    f->wide = 4;
    assert_true(report(9, 1) && report(10, 1));
    f->wide = 2;
    decided();
    assert_true(f->answers == 1 && f->denies == 0 && f->answered[0] == VA(8) && f->adds + f->maps == 0);
    sums_are(0, 0, 0, 0, 0);
    assert_true(report(9, 1) && report(10, 1));
    assert_int_equal(faults_sums(f->faults).faults, 2);
}

static void an_owner_that_ends(void **state)
{
    (void)state;
    opened(&noting);
    report(1, 1);
    report(2, 1);
    faults_forget(f->faults, f); /* another one */
    assert_true(faults_wait(f->faults, &client, 1, VA(2), PAGE));
    faults_forget(f->faults, &client);
    assert_false(faults_wait(f->faults, &client, 1, 0, UINT64_MAX));
    decided(); /* the timer that was set */
    assert_int_equal(f->adds + f->maps + f->answers, 0);
    report(3, 1);
    decided();
    assert_int_equal(f->adds, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_move_to_who_asks),
        TEST(a_batch),
        TEST(others_wait_for_the_move),
        TEST(what_does_not_move_is_mapped),
        TEST(a_policy_that_says_nothing),
        TEST(what_is_gone_is_denied),
        TEST(an_owner_that_ends),
        TEST(pages_in_a_row),
        TEST(ahead_and_undone),
        TEST(all_of_a_unit_is_denied),
        TEST(another_unit),
        TEST(two_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

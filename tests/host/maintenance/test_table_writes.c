/* SPDX-License-Identifier: Apache-2.0
 * Page tables by messages (docs/reference/firmware.md, "Page tables"): which writes are under way together, what waits
 * for what, what joins, and shoot-downs, spaces and drops of caches behind them.  The tables of two spaces lead to the
 * sink as on the whole machine; expected contents are those of the host's copy.
 */
#include "../firmware/cp_bench.h"
#include "firmware/cp_private.h"

#define SPACE_VA UINT64_C(0x4000000000)
#define BIG (UINT64_C(2) << 20)
#define LINE 64u
#define PAGE UINT64_C(4096)
#define BASE ((UINT64_C(64) << 20) - (1 << 20))

static void sink(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct bench *b = ctx;
    cp_tables_write(b->cp[(pa >> PMEM_OWNER_SHIFT) - 1], pa, from, bytes);
}

static int setup(void **state)
{
    int status = bench_setup(state);
    struct bench *b = *state;
    pagetable_sink_set(b->pm, sink, b);
    sim_run(b->sim, UINT64_MAX); /* what the opening of the spaces has sent */
    return status;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    pagetable_sink_set(b->pm, NULL, NULL);
    return bench_teardown(state);
}

#define TABLES_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Physical address of byte `at` of GPU g's region of tables that the bench leaves alone. */
static uint64_t far_line(unsigned g, uint64_t at)
{
    return pmem_addr(g + 1, BASE + (UINT64_C(512) << 10) + at);
}

static uint64_t word_at(struct bench *b, uint64_t pa)
{
    uint64_t value = 0;
    assert_int_equal(pmem_read(b->pm, pa, &value, sizeof value), 0);
    return value;
}

static void write_word(struct bench *b, uint64_t pa, uint64_t value)
{
    cp_tables_write(b->cp[(pa >> PMEM_OWNER_SHIFT) - 1], pa, &value, sizeof value);
}

static uint64_t leaf(uint64_t n)
{
    return n << 12 | PTE_VALID | PTE_LEAF | PTE_R;
}

static uint64_t pointer(uint64_t n)
{
    return n << 12 | PTE_VALID;
}

static void run_to(struct bench *b, uint64_t cycle)
{
    sim_run(b->sim, cycle);
    assert_true(sim_now(b->sim) <= cycle);
    b->sim->now = cycle;
}

static void run_dry(struct bench *b)
{
    run(b);
    assert_true(cp_tables_done(b->cp[0]) == cp_tables_asked(b->cp[0]) && !cp_busy(b->cp[0]));
}

static unsigned sent_since(struct bench *b, unsigned from, unsigned kind, uint32_t flags)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->logged; i++)
        n += b->sim->log[i].cmd.kind == kind && (b->sim->log[i].cmd.flags & flags) == flags;
    return n;
}

/* Nothing is sent before the machine runs; then at the same cycle, 16 at a time, each answer one more. */
static void sixteen_are_under_way(void **state)
{
    enum { COUNT = 40 };
    struct bench *b = *state;
    const unsigned from = b->sim->accesses;
    const uint64_t now = sim_now(b->sim), answer = 2 * fake_memory[1];
    assert_false(cp_busy(b->cp[0]));
    for (unsigned i = 0; i < COUNT; i++)
        write_word(b, far_line(0, i * LINE + 8 * (i % 8)), leaf(i + 1));
    assert_int_equal(b->sim->accesses, from);
    assert_true(cp_busy(b->cp[0]) && !cp_busy(b->cp[1]));
    assert_int_equal(cp_tables_asked(b->cp[0]), COUNT);
    b->sim->most = 0;
    for (unsigned round = 0; round < 3; round++) {
        run_to(b, now + round * answer);
        assert_int_equal(b->sim->accesses - from, round == 2 ? COUNT : 16 * (round + 1));
        assert_int_equal(cp_tables_done(b->cp[0]), 16 * round);
        assert_int_equal(b->tables, 16 * round); /* told of each answer */
    }
    run_dry(b);
    assert_true(sim_now(b->sim) == now + 3 * answer);
    assert_int_equal(b->sim->most, 16);
    for (unsigned i = 0; i < COUNT; i++) {
        const struct msg_mem_req *req = &b->sim->access[from + i].req;
        assert_true(req->op == MEM_WRITE && req->addr == far_line(0, i * LINE));
        assert_true(req->mask == UINT64_C(0xff) << 8 * (i % 8)); /* these bytes and no others */
        assert_true(word_at(b, req->addr + 8 * (i % 8)) == leaf(i + 1));
    }
    write_word(b, far_line(0, 0), 0); /* and it begins anew */
    run_dry(b);
    assert_int_equal(b->sim->accesses, from + COUNT + 1);
    assert_int_equal(word_at(b, far_line(0, 0)), 0);
}

/* An entry that leads to a table waits until all before it is answered; what comes behind it does not wait for it. */
static void pointers_wait_for_what_is_before_them(void **state)
{
    struct bench *b = *state;
    const unsigned from = b->sim->accesses;
    const uint64_t now = sim_now(b->sim), answer = 2 * fake_memory[1];
    write_word(b, far_line(0, 0), leaf(1));
    write_word(b, far_line(0, LINE), leaf(2));
    write_word(b, far_line(0, 2 * LINE), pointer(3));
    write_word(b, far_line(0, 3 * LINE), leaf(4));
    write_word(b, far_line(0, 4 * LINE), PTE_LEAF); /* not valid: it leads nowhere */
    run_to(b, now + answer - 1);
    assert_int_equal(b->sim->accesses, from + 2);
    run_to(b, now + answer);
    assert_int_equal(b->sim->accesses, from + 5);
    assert_int_equal(cp_tables_done(b->cp[0]), 2);
    run_dry(b);
    assert_true(sim_now(b->sim) == now + 2 * answer);
    write_word(b, far_line(0, 0), pointer(1)); /* alone it waits for nobody */
    run_to(b, sim_now(b->sim));
    assert_int_equal(b->sim->accesses, from + 6);
    run_dry(b);
}

/* A write to a line that is not sent yet joins what is to be written there, wherever in the queue; with and behind an
 * entry that leads to a table it stands for itself, and what is on its way is left alone. */
static void writes_join(void **state)
{
    struct bench *b = *state;
    const unsigned from = b->sim->accesses;
    const uint64_t line = far_line(0, 0), other = far_line(0, LINE);
    write_word(b, line, leaf(1));
    write_word(b, other, leaf(2));
    write_word(b, line + 16, leaf(3));
    write_word(b, line, leaf(4));
    assert_int_equal(cp_tables_asked(b->cp[0]), 2);
    write_word(b, line + 24, pointer(5)); /* not into the first: what it leads to may come behind that */
    assert_int_equal(cp_tables_asked(b->cp[0]), 3);
    write_word(b, line + 24, 0); /* nor this into it */
    assert_int_equal(cp_tables_asked(b->cp[0]), 4);
    write_word(b, line + 32, leaf(6)); /* but into the last one */
    assert_int_equal(cp_tables_asked(b->cp[0]), 4);
    run_to(b, sim_now(b->sim));
    assert_int_equal(b->sim->accesses, from + 2);
    assert_true(b->sim->access[from].req.mask == 0xff00ff && b->sim->access[from].req.data[0] == leaf(4));
    write_word(b, other, leaf(7)); /* that line is under way */
    assert_int_equal(cp_tables_asked(b->cp[0]), 5);
    run_dry(b);
    assert_int_equal(b->sim->accesses, from + 5);
    assert_true(word_at(b, line) == leaf(4) && word_at(b, line + 16) == leaf(3) && word_at(b, line + 24) == 0);
    assert_true(word_at(b, line + 32) == leaf(6) && word_at(b, other) == leaf(7));
    uint64_t words[16]; /* across three lines */
    for (unsigned i = 0; i < 16; i++)
        words[i] = leaf(i + 10);
    cp_tables_write(b->cp[0], line + 56, words, sizeof words);
    run_dry(b);
    assert_int_equal(b->sim->accesses, from + 8);
    assert_true(b->sim->access[from + 5].req.mask == UINT64_C(0xff) << 56 &&
                b->sim->access[from + 6].req.mask == UINT64_MAX &&
                b->sim->access[from + 7].req.mask == UINT64_MAX >> 8);
    for (unsigned i = 0; i < 16; i++)
        assert_true(word_at(b, line + 56 + 8 * i) == leaf(i + 10));
}

/* What a walker would find at this moment is what it was before or what it becomes, never anything else. */
static void walks_agree(struct bench *b, struct pagetable *pt, uint64_t va, uint64_t before)
{
    uint64_t entry = pagetable_walk(b->pm, pagetable_root(pt), va), after = pagetable_lookup(pt, va);
    assert_true(entry == before || entry == after || (entry & ~PTE_FRAGMENT) == (before & ~PTE_FRAGMENT));
}

/* Whole tables: made, filled, split and removed, while a walker looks at every cycle at which memory changes.  Pages of
 * tables hold old entries, which must not be seen. */
static void walkers_find_old_or_new(void **state)
{
    struct bench *b = *state;
    struct pagetable *pt = b->space[0][0].pt;
    const uint64_t pa = pmem_addr(1, 0);
    struct {
        uint64_t va, pages;
        bool map;
    } steps[] = {
        {SPACE_VA, 3, true},         {SPACE_VA + BIG - PAGE, 600, true},  {SPACE_VA + 8 * BIG, 512, true},
        {SPACE_VA, 1, false},        {SPACE_VA + BIG - PAGE, 600, false}, {SPACE_VA + 8 * BIG + 5 * PAGE, 1, false},
        {SPACE_VA + PAGE, 2, false}, {SPACE_VA + 8 * BIG, 512, true}};
    uint64_t junk[512];
    for (unsigned i = 0; i < 512; i++)
        junk[i] = leaf(0xdead);
    for (unsigned page = 6; page < 40; page++) /* those behind the six of the bench */
        pmem_write(b->pm, pmem_addr(1, BASE + page * PAGE), junk, sizeof junk);
    for (unsigned s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        const uint64_t at[] = {
            SPACE_VA,          SPACE_VA + PAGE,    SPACE_VA + 2 * PAGE, SPACE_VA + BIG - PAGE,
            SPACE_VA + BIG,    SPACE_VA + 2 * BIG, SPACE_VA + 8 * BIG,  SPACE_VA + 8 * BIG + 5 * PAGE,
            SPACE_VA + 9 * BIG};
        enum { COUNT = sizeof at / sizeof at[0] };
        uint64_t before[COUNT];
        for (unsigned i = 0; i < COUNT; i++)
            before[i] = pagetable_lookup(pt, at[i]);
        if (steps[s].map)
            assert_int_equal(pagetable_map(pt, steps[s].va, pa, steps[s].pages * PAGE, PTE_R), 0);
        else
            assert_int_equal(pagetable_unmap(pt, steps[s].va, steps[s].pages * PAGE), 0);
        for (uint64_t n = 0; tables_open(b->cp[0]); n++) {
            assert_true(n < 100000);
            run_to(b, sim_now(b->sim) + 10);
            for (unsigned i = 0; i < COUNT; i++)
                walks_agree(b, pt, at[i], before[i]);
        }
        for (unsigned i = 0; i < COUNT; i++)
            assert_true(pagetable_walk(b->pm, pagetable_root(pt), at[i]) == pagetable_lookup(pt, at[i]));
    }
}

/* Nothing runs: the next packet drops translations, but only when the entries are gone; it is counted from the call. */
static void shootdowns_stand_behind_writes(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    struct cp_space *space = &b->space[0][0];
    const uint64_t answer = 2 * fake_memory[1];
    space->tlb_stale = false;
    write_word(b, far_line(0, 0), 0);
    cp_space_shootdown(cp, space, 0, 0);
    assert_int_equal(cp_shootdowns_sent(cp), 1);
    write_word(b, far_line(0, LINE), pointer(1)); /* of the next mapping: it does not count */
    const uint64_t now = sim_now(b->sim);
    run_to(b, now + answer - 1);
    assert_true(!space->tlb_stale && cp_shootdowns_done(cp) == 0 && space->notes == 1);
    run_to(b, now + answer);
    assert_true(space->tlb_stale && cp_shootdowns_done(cp) == 1 && space->notes == 0);
    assert_int_equal(b->shootdowns, 1);
    assert_true(tables_open(cp));
    run_dry(b);
    space->tlb_stale = false;
    cp_space_shootdown(cp, space, 0, 0); /* with nothing to write, as ever */
    assert_true(space->tlb_stale && cp_shootdowns_sent(cp) == 1);
    assert_int_equal(sent_since(b, 0, CP_CACHE, CACHE_INV_TLB), 0);
}

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

/* A kernel of client 0 on GPU 0 that does not end. */
static void kernel_run(struct bench *b)
{
    fake_launch = endless;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x1502, 0);
    ring(b, 0);
    sim_run(b->sim, sim_now(b->sim) + 5000);
    assert_int_equal(sent_since(b, 0, CP_LAUNCH, 0), 1);
    fake_launch = NULL;
}

/* What runs loses translations by a command that is sent at the cycle of the last answer, with those of other spaces
 * and drops of caches in their order; each is done when its own command is answered. */
static void commands_stand_behind_writes(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    const uint64_t answer = 2 * fake_memory[1], command = 2 * fake_latency + fake_cache_cycles;
    kernel_run(b);
    b->space[0][0].tlb_stale = b->space[1][0].tlb_stale = false;
    const unsigned from = b->sim->logged;
    const uint64_t sent = cp_shootdowns_sent(cp), now = sim_now(b->sim);
    cp_caches_drop(cp, true); /* nothing waits: at once */
    assert_int_equal(sent_since(b, from, CP_CACHE, CACHE_INV_L2), 1);
    write_word(b, far_line(0, 0), 0);
    cp_caches_drop(cp, false); /* no shoot-down waits: at once, too */
    assert_int_equal(b->sim->logged, from + 2);
    cp_space_shootdown(cp, &b->space[1][0], 0x1000, 0x1000); /* of which nothing runs */
    cp_space_shootdown(cp, &b->space[0][0], 0x7123456000, 0x200000);
    write_word(b, far_line(0, LINE), pointer(1));
    cp_caches_drop(cp, true);
    cp_space_shootdown(cp, &b->space[0][0], 0x5000, 0);
    assert_int_equal(cp_shootdowns_sent(cp), sent + 6);
    run_to(b, now + answer - 1);
    assert_int_equal(b->sim->logged, from + 2);
    assert_int_equal(cp_shootdowns_done(cp), sent + 2); /* those of before */
    run_to(b, now + answer);
    assert_int_equal(b->sim->logged, from + 3);
    assert_int_equal(b->sim->log[from + 2].cmd.vmid, b->space[0][0].vmid);
    assert_int_equal(b->sim->log[from + 2].cmd.flags, CACHE_INV_TLB);
    assert_int_equal(b->sim->log[from + 2].cmd.root, 0x7123456000); /* the pages that it was asked for */
    assert_int_equal(b->sim->log[from + 2].cmd.pc, 0x200000);
    assert_true(!b->space[0][0].tlb_stale && b->space[1][0].tlb_stale);
    assert_int_equal(cp_shootdowns_done(cp), sent + 3);
    run_to(b, now + answer + command);
    assert_int_equal(cp_shootdowns_done(cp), sent + 4);
    run_to(b, now + 2 * answer);
    assert_int_equal(b->sim->logged, from + 5);
    assert_int_equal(b->sim->log[from + 3].cmd.flags & CACHE_INV_L2, CACHE_INV_L2);
    assert_int_equal(b->sim->log[from + 4].cmd.flags, CACHE_INV_TLB);
    assert_true(b->sim->log[from + 4].cmd.root == 0 && b->sim->log[from + 4].cmd.pc == 0); /* all */
    run_to(b, now + 2 * answer + command - 1);
    assert_int_equal(cp_shootdowns_done(cp), sent + 4);
    run_to(b, now + 2 * answer + command);
    assert_int_equal(cp_shootdowns_done(cp), sent + 6);
}

/* A drop of caches that waited while everything ended is left to the next fence. */
static void drops_behind_writes(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    const unsigned from = b->sim->logged;
    write_word(b, far_line(0, 0), 0);
    cp_space_shootdown(cp, &b->space[0][0], 0, 0);
    cp_caches_drop(cp, true);
    assert_int_equal(cp_shootdowns_sent(cp), 2);
    run_dry(b);
    assert_true(cp_shootdowns_done(cp) == 2 && b->sim->logged == from);
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0102, 0); /* without fences of its own */
    ring(b, 0);
    run_dry(b);
    assert_true(sent_since(b, from, CP_CACHE, CACHE_INV_L2) > 0);
}

/* An access of the command processor that was translated before counts: it is answered later here. */
static void own_accesses_count(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    const uint64_t slow = 1000;
    const uint64_t memory = fake_memory[0];
    queue_open(b, 0, 0, 0);
    write_word(b, far_line(0, 0), 0);
    cp_space_shootdown(cp, &b->space[0][0], 0, 0);
    fake_memory[0] = slow;
    ring(b, 0);
    const uint64_t now = sim_now(b->sim);
    run_to(b, now + BELL + 2 * slow - 1);
    assert_int_equal(b->space[0][0].notes, 0);
    assert_true(b->space[0][0].accesses && cp_shootdowns_done(cp) == 0);
    run_to(b, now + BELL + 2 * slow);
    assert_int_equal(cp_shootdowns_done(cp), 1);
    fake_memory[0] = memory;
}

/* A space becomes known behind the writes so far, with its trap handler; without any at once. */
static void spaces_open_behind_writes(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    struct cp_space *space = &b->space[0][0];
    const uint64_t answer = 2 * fake_memory[1];
    unsigned from = b->sim->logged;
    space->tba = 0x1000;
    space->tlb_stale = false;
    write_word(b, far_line(0, 0), leaf(1));
    cp_space_open(cp, space);
    assert_true(space->tlb_stale && b->sim->logged == from);
    const uint64_t now = sim_now(b->sim);
    run_to(b, now + answer - 1);
    assert_int_equal(b->sim->logged, from);
    run_to(b, now + answer);
    assert_int_equal(sent_since(b, from, CP_VMID, 0), 1);
    assert_true(b->sim->log[from].cmd.root == pagetable_root(space->pt));
    assert_int_equal(sent_since(b, from, CP_TRAP, 0), 1);
    run_dry(b);
    from = b->sim->logged;
    cp_space_open(cp, space);
    assert_int_equal(sent_since(b, from, CP_VMID, 0), 1);
}

/* A space that is closed goes behind the writes so far and all that was to be done for it, and once. */
static void spaces_close_behind_writes(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    const uint64_t answer = 2 * fake_memory[1];
    cp_space_close(cp, &b->space[1][0]); /* nothing is written: at once */
    assert_true(b->closed == 1 && b->last_closed == &b->space[1][0]);
    write_word(b, far_line(0, 0), 0);
    cp_space_shootdown(cp, &b->space[0][0], 0, 0);
    write_word(b, far_line(0, LINE), pointer(1));
    cp_space_close(cp, &b->space[0][0]);
    write_word(b, far_line(0, 2 * LINE), pointer(1)); /* somebody else's */
    const unsigned from = b->sim->logged;
    const uint64_t now = sim_now(b->sim);
    run_to(b, now + 2 * answer - 1);
    assert_true(b->closed == 1 && sent_since(b, from, CP_VMID, 0) == 0);
    run_to(b, now + 2 * answer);
    assert_true(b->closed == 2 && b->last_closed == &b->space[0][0]);
    run_dry(b);
    assert_int_equal(b->closed, 2);
}

/* As many writes as there can be: all lines of the region, none sent; and tables that all are linked. */
static void the_queue_is_bounded(void **state)
{
    struct bench *b = *state;
    struct pagetable *pt = b->space[0][0].pt;
    enum { LINES = (1 << 20) / LINE };
    uint64_t words[8];
    for (unsigned round = 0; round < 3; round++) /* once or more: a line waits once */
        for (unsigned line = 0; line < LINES; line++) {
            for (unsigned i = 0; i < 8; i++)
                words[i] = word_at(b, pmem_addr(1, BASE + line * LINE + 8 * i));
            bool points = false;
            for (unsigned i = 0; i < 8; i++)
                points |= (words[i] & (PTE_VALID | PTE_LEAF)) == PTE_VALID;
            if (!points)
                cp_tables_write(b->cp[0], pmem_addr(1, BASE + line * LINE), words, sizeof words);
        }
    assert_true(cp_tables_asked(b->cp[0]) > LINES - 20 && cp_tables_asked(b->cp[0]) <= LINES);
    uint64_t va = SPACE_VA;
    while (pagetable_map(pt, va, pmem_addr(1, PAGE), PAGE, PTE_R) == 0)
        va += BIG;
    assert_true(va > SPACE_VA + 200 * BIG); /* a table each */
    run_dry(b);
    for (uint64_t at = SPACE_VA; at < va; at += BIG)
        assert_true(pagetable_walk(b->pm, pagetable_root(pt), at) == pagetable_lookup(pt, at));
}

/* The report of a run without progress tells of them. */
static void what_waits_is_told(void **state)
{
    struct bench *b = *state;
    char text[200] = "";
    write_word(b, far_line(0, 0), 0);
    write_word(b, far_line(0, LINE), 0);
    FILE *out = fmemopen(text, sizeof text, "w");
    cp_tell(b->cp[0], out);
    cp_tell(b->cp[1], out);
    fclose(out);
    assert_string_equal(text, "  gpu0: 2 changes of page tables are to be written\n");
    run_dry(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLES_TEST(sixteen_are_under_way),
        TABLES_TEST(pointers_wait_for_what_is_before_them),
        TABLES_TEST(writes_join),
        TABLES_TEST(walkers_find_old_or_new),
        TABLES_TEST(shootdowns_stand_behind_writes),
        TABLES_TEST(commands_stand_behind_writes),
        TABLES_TEST(drops_behind_writes),
        TABLES_TEST(own_accesses_count),
        TABLES_TEST(spaces_open_behind_writes),
        TABLES_TEST(spaces_close_behind_writes),
        TABLES_TEST(the_queue_is_bounded),
        TABLES_TEST(what_waits_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The monitor of moves: messages of a page that goes from GPU 0 to GPU 1, as an engine without bugs sends them and GPUs
 * answer them; then with one thing wrong at a time, each of which ends the run with its words.
 */
#include "../migrate/monitor_bench.h"

enum fault {
    GOOD,
    UNLOCKED,      /* GPU 1 has it mapped, and is forgotten */
    UNTOLD,        /* its TLBs keep the old entry */
    UNANSWERED,    /* by its shoot-down */
    MORE_IS_LAST,  /* the last shoot-down says that another one follows */
    TOLD_TWICE,    /* of the same lock */
    STARTS,        /* a kernel whose space was never shot down */
    BACK_TWICE,    /* written back */
    BACK_UNASKED,  /* an answer of caches to nobody */
    BACK_MISSING,  /* ordered before the slices have answered */
    BACK_REFUSED,  /* or though they have refused */
    STORE_MISSING, /* the other GPU does not know of its lines */
    STORE_SHORT,   /* or of fewer */
    SLOT_TAKEN,    /* its slot has a page already */
    MOVED_MISSING, /* bound after one report */
    STORED_MISSING,
    STORED_FAULT,
    MOVED_TWICE,
    MAPPED_EARLY, /* before anything was sent */
    RIGHTS_LOST,
    BACK_HOME, /* an entry that leads to the old frame after the page has left */
    LOCKED_LATE,
    HOST_READS, /* while it is away */
    HOST_WRITES_OLD,
};

/* Locked and told on both GPUs; a kernel runs on GPU 1. */
static void locks(struct world *w, enum fault f)
{
    launch(w, 1);
    lock(w, 0, true);
    if (f != UNLOCKED)
        lock(w, 1, true);
    if (f != STARTS)
        shoot(w, 0, false);
    if (f != UNTOLD)
        shoot(w, 1, f == MORE_IS_LAST);
    if (f == TOLD_TWICE)
        shoot(w, 1, false);
    if (f != STARTS)
        caches_answer(w, 0, 1, CTL_OK);
    if (f != UNTOLD && f != UNANSWERED)
        caches_answer(w, 1, 1, CTL_OK);
}

static void goes(struct world *w, enum fault f)
{
    write_back(w);
    if (f == BACK_TWICE)
        write_back(w);
    if (f != BACK_MISSING)
        caches_answer(w, 0, f == BACK_UNASKED ? 9 : 2, f == BACK_REFUSED ? CTL_ERROR_OFF : CTL_OK);
    if (f == LOCKED_LATE)
        assert_int_equal(pagetable_map(w->pt[1], VA + PAGE, FROM, PAGE, RIGHTS), 0);
    if (f == LOCKED_LATE)
        assert_int_equal(pagetable_lock(w->pt[1], VA + PAGE, PAGE, true), 0);
    if (f == MAPPED_EARLY)
        pmem_move(w->pm, FROM, TO, false);
    if (f == MAPPED_EARLY)
        map(w, TO, RIGHTS);
    if (f != STORE_MISSING)
        store(w, f == STORE_SHORT ? LINES - 1 : LINES);
    if (f == SLOT_TAKEN)
        store(w, LINES);
    send(w);
    if (f == HOST_READS)
        host(w, FROM + 64, MEM_READ);
    if (f != MOVED_MISSING)
        report(w, 0, CP_EVT_MOVED, MOVE_OK);
    if (f == MOVED_TWICE)
        report(w, 0, CP_EVT_MOVED, MOVE_OK);
    if (f != STORED_MISSING)
        report(w, 1, CP_EVT_STORED, f == STORED_FAULT ? MOVE_FAULT : MOVE_OK);
}

static void arrives(struct world *w, enum fault f)
{
    pmem_move(w->pm, FROM, TO, false);
    if (f == BACK_HOME)
        assert_int_equal(pagetable_map(w->pt[0], VA, TO, PAGE, RIGHTS), 0);
    map(w, f == BACK_HOME ? FROM : TO, f == RIGHTS_LOST ? PTE_R : RIGHTS);
    if (f == HOST_WRITES_OLD)
        host(w, FROM, MEM_WRITE);
    if (f == STARTS)
        launch(w, 0);
}

static void whole(struct world *w, enum fault f)
{
    locks(w, f);
    goes(w, f);
    arrives(w, f);
}

static void a_good_move(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    whole(&w, GOOD);
    host(&w, TO, MEM_READ);
    const uint8_t *guards[2] = {pmem_guards(w.pm, 0), pmem_guards(w.pm, 1)};
    assert_int_equal(guards[0][0x100], PMEM_LEFT);
    assert_int_equal(guards[1][0x200], PMEM_OPEN);
    pmem_home(w.pm, 0, FROM & PMEM_OFFSET_MASK, PAGE);
    assert_int_equal(guards[0][0x100], PMEM_OPEN);
    assert_int_equal(guards[1][0x200], PMEM_LEFT);
    world_free(&w);
}

/* Who may access which frame, from step to step. */
static void frames_are_guarded(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    const uint8_t *from = pmem_guards(w.pm, 0) + 0x100, *to = pmem_guards(w.pm, 1) + 0x200;
    locks(&w, GOOD);
    write_back(&w);
    assert_true(*from == PMEM_OPEN && *to == PMEM_OPEN); /* lines are being written */
    caches_answer(&w, 0, 2, CTL_OK);
    assert_true(*from == PMEM_SENT && *to == PMEM_OPEN);
    store(&w, LINES);
    send(&w);
    assert_true(*from == PMEM_SENT && *to == PMEM_COMES);
    assert_true(pmem_guard_wrong(PMEM_SENT, true) && !pmem_guard_wrong(PMEM_SENT, false));
    assert_true(!pmem_guard_wrong(PMEM_COMES, true) && pmem_guard_wrong(PMEM_COMES, false));
    assert_true(pmem_guard_wrong(PMEM_LEFT, true) && pmem_guard_wrong(PMEM_LEFT, false));
    assert_true(!pmem_guard_wrong(PMEM_OPEN, true) && !pmem_guard_wrong(PMEM_OPEN, false));
    lock(&w, 0, false); /* an owner changes: it is where it was, and lines still come to the other frame */
    assert_true(*from == PMEM_OPEN && *to == PMEM_COMES);
    lock(&w, 1, false);
    report(&w, 0, CP_EVT_MOVED, MOVE_OK);
    report(&w, 1, CP_EVT_STORED, MOVE_OK);
    host(&w, FROM, MEM_WRITE);
    world_free(&w);
}

/* Given up, refused and begun again: no complaint. */
static void moves_that_do_not_go(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    for (unsigned g = 0; g < 2; g++) { /* before anything was told */
        lock(&w, g, true);
        lock(&w, g, false);
    }
    locks(&w, GOOD);
    write_back(&w);
    caches_answer(&w, 0, 2, CTL_ERROR_OFF); /* refused */
    for (unsigned g = 0; g < 2; g++)
        lock(&w, g, false);
    event(&w, 1, (struct msg_cp_evt){.kind = CP_EVT_LAUNCH_DONE, .id = 7, .vmid = VMID});
    locks(&w, GOOD);
    write_back(&w);
    for (unsigned g = 0; g < 2; g++) /* an owner changes, and it moves anew before the slices have answered */
        lock(&w, g, false);
    event(&w, 1, (struct msg_cp_evt){.kind = CP_EVT_LAUNCH_DONE, .id = 7, .vmid = VMID});
    locks(&w, GOOD);
    write_back(&w);
    caches_answer(&w, 0, 2, CTL_OK);
    caches_answer(&w, 0, 2, CTL_OK);
    store(&w, LINES);
    send(&w);
    report(&w, 0, CP_EVT_MOVED, MOVE_FAULT);
    store(&w, 0); /* its slot is given up */
    report_of(&w, 1, CP_EVT_STORED, 8, MOVE_OK);
    for (unsigned g = 0; g < 2; g++)
        lock(&w, g, false);
    event(&w, 1, (struct msg_cp_evt){.kind = CP_EVT_LAUNCH_DONE, .id = 7, .vmid = VMID});
    whole(&w, GOOD);
    world_free(&w);
}

static void ends_with(enum fault f, const char *words)
{
    char text[4096] = "";
    int end[2], status;
    assert_int_equal(pipe(end), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct world w;
        dup2(end[1], STDERR_FILENO);
        world_new(&w);
        whole(&w, f);
        _exit(0);
    }
    close(end[1]);
    for (ssize_t n, at = 0; (n = read(end[0], text + at, sizeof text - 1 - (size_t)at)) > 0;)
        at += n;
    close(end[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 70 || !strstr(text, words))
        fail_msg("fault %d, status %x, no \"%s\" in: %s", f, (unsigned)status, words, text);
}

/* shows S1.9, S1.11, S1.14: each by itself. */
static void what_is_wrong_ends_the_run(void **state)
{
    (void)state;
    static const char *const words[] = {
        [UNLOCKED] = "gpu1: page at 1000000100000 is written back, and mapped at 40000000 without a lock",
        [UNTOLD] = "no shoot-down was sent",
        [UNANSWERED] = "the shoot-down is not answered",
        [MORE_IS_LAST] = "the shoot-down is not answered",
        [TOLD_TWICE] = "gpu1: page 1000000100000 waits for writes of page tables and shoot-downs, and its lock is told",
        [STARTS] = "gpu0: a kernel of vmid 3 starts",
        [BACK_TWICE] = "waits for the write-back of its lines: flush, before this: there is no such step",
        [BACK_UNASKED] = "gpu0: answer 9 of caches",
        [BACK_MISSING] = "push, before this: its lines are in DRAM",
        [BACK_REFUSED] = "push, before this: its lines are in DRAM",
        [STORE_MISSING] = "to slot 4 of gpu1, which has not been told",
        [STORE_SHORT] = "to slot 4 of gpu1, which has not been told",
        [SLOT_TAKEN] = "gpu1: slot 4 is given to a page, and has one",
        [MOVED_MISSING] = "bind, before this: both engines have reported",
        [STORED_MISSING] = "bind, before this: both engines have reported",
        [STORED_FAULT] = "bind, before this: both engines have reported",
        [MOVED_TWICE] = "gpu0: report 6 of a page that was sent",
        [MAPPED_EARLY] = "waits for the write-back of its lines: bind, before this: there is no such step",
        [RIGHTS_LOST] = "had rights 6, and is mapped with 2",
        [BACK_HOME] = "waits for writes of page tables: undo, before this: there is no such step",
        [LOCKED_LATE] = "waits for the write-back of its lines, and is locked once more",
        [HOST_READS] = "the host accesses line 1 of frame 1000000100000",
        [HOST_WRITES_OLD] = "the host accesses line 0 of frame 1000000100000",
    };
    for (unsigned f = GOOD + 1; f < sizeof words / sizeof *words; f++)
        ends_with((enum fault)f, words[f]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_move),
        cmocka_unit_test(frames_are_guarded),
        cmocka_unit_test(moves_that_do_not_go),
        cmocka_unit_test(what_is_wrong_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

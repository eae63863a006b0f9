/* SPDX-License-Identifier: Apache-2.0
 * The monitor of moves: messages of a page that goes from GPU 0 to GPU 1, as an engine without bugs sends them and GPUs
 * answer them; then with one thing wrong at a time, each of which ends the run with its words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "firmware/page.h"
#include "gantry_msg.h"
#include "migrate/monitor.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define VA UINT64_C(0x40000000)
#define FROM pmem_addr(1, 0x100000)
#define TO pmem_addr(2, 0x200000)
#define RIGHTS (PTE_R | PTE_W)
#define VMID 3u
#define LINES (PAGE / PAGE_LINE)

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

struct world {
    struct pmem *pm;
    struct pagetable *pt[2];
    struct monitor *monitor;
    const struct sim_watch *watch;
};

/* Changes of tables as the command processors write them: line by line. */
static void sink(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct world *w = ctx;
    for (uint32_t done = 0, n; done < bytes; done += n) {
        const unsigned place = (unsigned)((pa + done) % 64);
        n = 64 - place < bytes - done ? 64 - place : bytes - done;
        struct msg_mem_req req = {
            .op = MEM_WRITE, .addr = pa + done - place, .mask = (UINT64_MAX >> (64 - n)) << place};
        memcpy((uint8_t *)req.data + place, (const uint8_t *)from + done, n);
        w->watch->access(w->watch->ctx, &req);
        assert_int_equal(pmem_write(w->pm, pa + done, (const uint8_t *)from + done, n), 0);
    }
}

static void command(struct world *w, unsigned gpu, struct msg_cp_cmd cmd)
{
    w->watch->command(w->watch->ctx, gpu, &cmd);
}

static void event(struct world *w, unsigned gpu, struct msg_cp_evt evt)
{
    w->watch->event(w->watch->ctx, gpu, &evt);
}

static void world_new(struct world *w)
{
    w->pm = pmem_new(2, 64 << 20, 1 << 20);
    w->monitor = monitor_new(w->pm);
    w->watch = monitor_watch(w->monitor);
    for (unsigned g = 0; g < 2; g++) {
        w->pt[g] = pagetable_new(w->pm, g);
        assert_int_equal(pagetable_map(w->pt[g], VA - PAGE, FROM - PAGE, 4 * PAGE, RIGHTS), 0);
        command(w, g, (struct msg_cp_cmd){.kind = CP_VMID, .vmid = VMID, .root = pagetable_root(w->pt[g])});
    }
    pagetable_sink_set(w->pm, sink, w);
}

static void world_free(struct world *w)
{
    for (unsigned g = 0; g < 2; g++)
        pagetable_free(w->pt[g]);
    monitor_free(w->monitor);
    pmem_free(w->pm);
}

static void launch(struct world *w, unsigned gpu)
{
    command(w, gpu, (struct msg_cp_cmd){.kind = CP_LAUNCH, .vmid = VMID, .id = 7});
}

static void lock(struct world *w, unsigned gpu, bool locked)
{
    assert_int_equal(pagetable_lock(w->pt[gpu], VA, PAGE, locked), 0);
}

static void shoot(struct world *w, unsigned gpu, bool more)
{
    command(w, gpu,
            (struct msg_cp_cmd){.kind = CP_CACHE,
                                .vmid = VMID,
                                .id = 1,
                                .flags = CACHE_INV_TLB | (more ? CACHE_MORE : 0),
                                .root = VA,
                                .pc = PAGE});
}

static void caches_answer(struct world *w, unsigned gpu, unsigned id, uint8_t status)
{
    event(w, gpu, (struct msg_cp_evt){.kind = CP_EVT_CACHE_DONE, .id = (uint16_t)id, .status = status});
}

static void write_back(struct world *w)
{
    command(w, 0,
            (struct msg_cp_cmd){.kind = CP_CACHE,
                                .id = 2,
                                .flags = CACHE_WB_L2 | CACHE_INV_L2,
                                .root = FROM & PMEM_OFFSET_MASK,
                                .pc = PAGE});
}

static void order(struct world *w, unsigned gpu, struct msg_cp_move view)
{
    struct msg_cp_cmd cmd;
    memcpy(&cmd, &view, sizeof cmd);
    command(w, gpu, cmd);
}

static void store(struct world *w, uint64_t lines)
{
    order(w, 1, (struct msg_cp_move){.kind = CP_STORE, .slot = 4, .id = lines ? 5 : 8, .lines = (uint16_t)lines});
}

static void send(struct world *w)
{
    order(w, 0,
          (struct msg_cp_move){
              .kind = CP_MOVE, .slot = 4, .id = 6, .lines = LINES, .source = FROM & PMEM_OFFSET_MASK, .target = TO});
}

static void report_of(struct world *w, unsigned gpu, uint8_t kind, uint16_t id, uint8_t status)
{
    const struct msg_cp_evt_move told = {
        .kind = kind, .id = id, .slot = 4, .begun = 1, .status = status, .lines = LINES};
    struct msg_cp_evt evt;
    memcpy(&evt, &told, sizeof evt);
    event(w, gpu, evt);
}

static void report(struct world *w, unsigned gpu, uint8_t kind, uint8_t status)
{
    report_of(w, gpu, kind, kind == CP_EVT_MOVED ? 6 : 5, status);
}

static void map(struct world *w, uint64_t to, uint32_t rights)
{
    for (unsigned g = 0; g < 2; g++)
        assert_int_equal(pagetable_map(w->pt[g], VA, to, PAGE, rights), 0);
}

static void host(struct world *w, uint64_t addr, uint8_t op)
{
    w->watch->access(w->watch->ctx, &(struct msg_mem_req){.op = op, .addr = addr, .mask = UINT64_MAX});
}

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

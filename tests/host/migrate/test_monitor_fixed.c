/* SPDX-License-Identifier: Apache-2.0
 * The monitor of moves with key migrate.fixed_cycles: a page that the host copies when its lines are written back, as
 * an engine without bugs does it; then with one thing wrong at a time.
 */
#include "monitor_bench.h"

enum fault { GOOD, UNASKED, UNANSWERED, REFUSED, SENT, RIGHTS_LOST, HOST_WRITES };

static void told(struct world *w)
{
    launch(w, 1);
    for (unsigned g = 0; g < 2; g++) {
        lock(w, g, true);
        shoot(w, g, false);
        caches_answer(w, g, 1, CTL_OK);
    }
}

static void whole(struct world *w, enum fault f)
{
    told(w);
    if (f != UNASKED)
        write_back(w);
    if (f != UNASKED && f != UNANSWERED)
        caches_answer(w, 0, 2, f == REFUSED ? CTL_ERROR_OFF : CTL_OK);
    if (f == HOST_WRITES)
        host(w, FROM, MEM_WRITE);
    if (f == SENT)
        store(w, LINES);
    if (f == SENT)
        send(w);
    pmem_move(w->pm, FROM, TO, false);
    map(w, TO, f == RIGHTS_LOST ? PTE_R : RIGHTS);
}

/* There, and again after an owner's change. */
static void good_moves(void **state)
{
    (void)state;
    struct world w;
    world_of(&w, true);
    told(&w);
    write_back(&w);
    caches_answer(&w, 0, 2, CTL_OK);
    assert_int_equal(pmem_guards(w.pm, 0)[0x100], PMEM_SENT);
    for (unsigned g = 0; g < 2; g++)
        lock(&w, g, false);
    assert_int_equal(pmem_guards(w.pm, 0)[0x100], PMEM_OPEN);
    event(&w, 1, (struct msg_cp_evt){.kind = CP_EVT_LAUNCH_DONE, .id = 7, .vmid = VMID});
    whole(&w, GOOD);
    host(&w, TO, MEM_READ);
    assert_int_equal(pmem_guards(w.pm, 0)[0x100], PMEM_LEFT);
    assert_int_equal(pmem_guards(w.pm, 1)[0x200], PMEM_OPEN);
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
        world_of(&w, true);
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

static void what_is_wrong_ends_the_run(void **state)
{
    (void)state;
    static const char *const words[] = {
        [UNASKED] = "shoot-downs: copy, before this: there is no such step",
        [UNANSWERED] = "the write-back of its lines: copy, before this: there is no such step",
        [REFUSED] = "the write-back of its lines: copy, before this: there is no such step",
        [SENT] = "the fixed time of a move: push, before this: there is no such step",
        [RIGHTS_LOST] = "had rights 6, and is mapped with 2",
        [HOST_WRITES] = "the host accesses line 0 of frame 1000000100000",
    };
    for (unsigned f = GOOD + 1; f < sizeof words / sizeof *words; f++)
        ends_with((enum fault)f, words[f]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_moves), cmocka_unit_test(what_is_wrong_ends_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

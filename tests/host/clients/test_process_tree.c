/* SPDX-License-Identifier: Apache-2.0
 * The order of processes: by their place in the tree, not by number or time of arrival (docs/reference/clock.md,
 * "Several processes"; B.4).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/process_tree.h"

#define NUMBERS 1000u /* of processes, before they begin anew */
#define GONE 0x3ffff000

static struct kin made(struct kin *parent, uint64_t start, pid_t pid)
{
    return (struct kin){.parent = parent, .start = start, .pid = pid, .depth = parent ? parent->depth + 1 : 0};
}

/* shows B.4: parents first, then older children with all that is theirs, whatever their numbers are. */
static void the_tree_decides(void **state)
{
    const struct kin_tree tree = {.pid_room = NUMBERS};
    struct kin root = made(NULL, 10, 500);
    struct kin first = made(&root, 20, 900), second = made(&root, 30, 100); /* numbers began anew in between */
    struct kin child = made(&first, 90, 700), grandchild = made(&child, 95, 3);
    struct kin late = made(&second, 40, 101);
    struct kin *const order[] = {&root, &first, &child, &grandchild, &second, &late};
    const unsigned count = sizeof order / sizeof order[0];
    (void)state;
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++)
            assert_int_equal(kin_before(&tree, order[a], order[b]), a < b);
}

/* Within one tick of the kernel's clock numbers rise, and go on from the beginning. */
static void numbers_decide_within_a_tick(void **state)
{
    const struct kin_tree tree = {.pid_room = NUMBERS};
    struct kin root = made(NULL, 10, 500);
    struct kin a = made(&root, 20, 998), b = made(&root, 20, 999), c = made(&root, 20, 301);
    struct kin *const order[] = {&a, &b, &c};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(kin_before(&tree, order[i], order[k]), i < k);
    assert_int_equal(kin_thread(&tree, 998, 998), 0);
    assert_int_equal(kin_thread(&tree, 998, 999), 1);
    assert_int_equal(kin_thread(&tree, 998, 301), 303);
}

/* What /proc says of live processes; a process keeps its place, and its parent's is known when that has ended. */
static void places_are_kept(void **state)
{
    struct kin_tree tree;
    int born[2];
    pid_t pids[3];
    (void)state;
    kin_init(&tree);
    assert_true(tree.pid_room >= 300 && tree.self == getpid());
    assert_int_equal(pipe(born), 0);
    pids[0] = fork();
    if (pids[0] == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (unsigned i = 0; i < 2; i++) {
            pid_t pid = fork();
            if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
                for (;;)
                    pause();
            }
            if (write(born[1], &pid, sizeof pid) != (ssize_t)sizeof pid)
                _exit(1);
        }
        for (;;)
            pause();
    }
    assert_int_equal(read(born[0], &pids[1], sizeof pids[1]), sizeof pids[1]);
    assert_int_equal(read(born[0], &pids[2], sizeof pids[2]), sizeof pids[2]);
    tree.program = pids[0];
    struct kin *later = kin_take(&tree, pids[2], 0), *older = kin_take(&tree, pids[1], 0);
    struct kin *root = later->parent, *again = kin_take(&tree, pids[1], 0);
    assert_true(again == older && root && root == older->parent && root->pid == pids[0] && !root->parent);
    assert_false(root->orphan || older->orphan || older->by_host);
    assert_true(kin_before(&tree, older, later) && kin_before(&tree, root, older) && !kin_before(&tree, later, older));
    kin_drop(&tree, again);
    kin_by_host(older); /* and who may wait for it, but not its sibling */
    assert_true(older->by_host && root->by_host && !later->by_host);
    kin_ended(&tree, root->parent); /* none */
    struct kin *own = kin_take(&tree, pids[0], 0);
    assert_true(own == root);
    kin_ended(&tree, own);
    for (unsigned i = 3; i-- > 0;) /* children may not have asked yet to end with their parent */
        kill(pids[i], SIGKILL);
    waitpid(pids[0], NULL, 0);
    /* Who has gone before anybody looked is known by the one that forked it; else it is an orphan. */
    struct kin *hinted = kin_take(&tree, GONE, pids[0]);
    assert_true(hinted->orphan);
    kin_drop(&tree, hinted);
    kin_drop(&tree, later);
    kin_drop(&tree, older);
    assert_true(tree.all == root); /* it has ended, and is known for a while */
    for (unsigned i = 0; i < KIN_ENDED; i++)
        kin_ended(&tree, NULL);
    assert_null(tree.all);
    kin_fini(&tree);
    close(born[0]), close(born[1]);
}

/* A child whose parent ends at once is put where it was forked; one of unknown parents comes by chance. */
static void orphans_are_known(void **state)
{
    struct kin_tree tree;
    int born[2];
    pid_t child;
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    kin_init(&tree);
    assert_int_equal(pipe(born), 0);
    pid_t parent = fork();
    if (parent == 0) {
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            for (;;)
                pause();
        }
        _exit(write(born[1], &child, sizeof child) != (ssize_t)sizeof child);
    }
    assert_int_equal(read(born[0], &child, sizeof child), sizeof child);
    tree.program = parent;
    struct kin *root = kin_take(&tree, parent, 0);
    siginfo_t end;
    waitid(P_PID, (id_t)parent, &end, WEXITED); /* and is gone */
    struct kin *known = kin_take(&tree, child, parent);
    assert_true(known->parent == root && !known->orphan);
    kin_drop(&tree, known);
    struct kin *unknown = kin_take(&tree, child, 0);
    assert_true(unknown->orphan && !unknown->parent);
    kin_drop(&tree, unknown);
    kin_drop(&tree, root);
    assert_null(tree.all);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    kin_fini(&tree);
    close(born[0]), close(born[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_decides),
        cmocka_unit_test(numbers_decide_within_a_tick),
        cmocka_unit_test(places_are_kept),
        cmocka_unit_test(orphans_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

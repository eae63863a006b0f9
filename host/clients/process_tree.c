/* SPDX-License-Identifier: Apache-2.0
 * Tree of processes; contract in process_tree.h.
 *
 * Children of one process are ordered by start time.  The kernel counts start times in hundredths of a second; children
 * of the same hundredth are ordered by process number.  Numbers rise and wrap around at the end of their range; the
 * range is far longer than the number of forks in a hundredth of a second.
 */
#include "clients/process_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "clients/proc.h"

#define DEPTH_MAX 64    /* generations that are looked at above a process */
#define PID_ROOM 32768u /* where the kernel does not tell */

void kin_init(struct kin_tree *tree)
{
    struct proc_text text;
    *tree = (struct kin_tree){.self = getpid(), .pid_room = PID_ROOM};
    if (proc_read("/proc/sys/kernel/pid_max", &text))
        sscanf(text.line, "%u", &tree->pid_room);
}

static struct kin *kin_find(const struct kin_tree *tree, pid_t pid, uint64_t start)
{
    struct kin *k = tree->all; /* the latest first */
    while (k && (k->pid != pid || (start && k->start != start)))
        k = k->next;
    return k;
}

static struct kin *kin_make(struct kin_tree *tree, pid_t pid, pid_t parent, unsigned generations)
{
    struct proc_birth birth = {0};
    const bool alive = proc_birth(pid, &birth);
    struct kin *k = kin_find(tree, pid, birth.start);
    if (k) {
        k->uses++;
        return k;
    }
    k = xcalloc(1, sizeof *k);
    *k = (struct kin){.pid = pid, .start = birth.start, .uses = 1};
    parent = parent ? parent : (pid_t)birth.parent;
    if (pid == tree->program)
        parent = 0;
    else if (!alive || parent <= 1 || parent == tree->self || generations == 0)
        k->orphan = true;
    else
        k->parent = kin_make(tree, parent, 0, generations - 1);
    if (k->parent) {
        k->depth = k->parent->depth + 1;
        k->by_host = k->parent->by_host;
        k->orphan = k->parent->orphan;
    }
    k->next = tree->all;
    tree->all = k;
    return k;
}

struct kin *kin_take(struct kin_tree *tree, pid_t pid, pid_t parent)
{
    return kin_make(tree, pid, parent, DEPTH_MAX);
}

void kin_drop(struct kin_tree *tree, struct kin *kin)
{
    while (kin && --kin->uses == 0) {
        struct kin **link = &tree->all, *parent = kin->parent;
        while (*link != kin)
            link = &(*link)->next;
        *link = kin->next;
        free(kin);
        kin = parent;
    }
}

void kin_ended(struct kin_tree *tree, struct kin *kin)
{
    struct kin **place = &tree->ended[tree->ended_next++ % KIN_ENDED];
    kin_drop(tree, *place);
    *place = kin;
}

void kin_fini(struct kin_tree *tree)
{
    for (unsigned i = 0; i < KIN_ENDED; i++)
        kin_drop(tree, tree->ended[i]);
    *tree = (struct kin_tree){0};
}

/* Distance from `from` up to `pid`, with wrap-around at the end of the range. */
static unsigned numbers_between(const struct kin_tree *tree, pid_t from, pid_t pid)
{
    return (unsigned)(pid >= from ? pid - from : pid - from + (pid_t)tree->pid_room);
}

static bool sibling_before(const struct kin_tree *tree, const struct kin *a, const struct kin *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    const unsigned between = numbers_between(tree, a->pid, b->pid);
    return between && between < tree->pid_room / 2;
}

bool kin_before(const struct kin_tree *tree, const struct kin *a, const struct kin *b)
{
    const unsigned a_depth = a->depth, b_depth = b->depth;
    while (a->depth > b_depth)
        a = a->parent;
    while (b->depth > a_depth)
        b = b->parent;
    if (a == b)
        return a_depth < b_depth;
    while (a->parent != b->parent) {
        a = a->parent;
        b = b->parent;
    }
    return sibling_before(tree, a, b);
}

unsigned kin_thread(const struct kin_tree *tree, pid_t pid, pid_t tid)
{
    return numbers_between(tree, pid, tid);
}

void kin_by_host(struct kin *kin)
{
    for (; kin && !kin->by_host; kin = kin->parent)
        kin->by_host = true;
}

/* SPDX-License-Identifier: Apache-2.0
 * The tree of processes that a run has started: who comes first.  A parent comes before its children, an older child
 * with all that descends from it before a younger one, whenever each of them connects and whatever its number is.
 */
#ifndef GANTRY_KIN_H
#define GANTRY_KIN_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KIN_ENDED 64u /* of the processes that have ended, the last are still known as parents */

struct kin {
    struct kin *next;
    struct kin *parent; /* NULL: it is the program itself, or an orphan */
    pid_t pid;
    uint64_t start; /* when it was forked, in ticks of the kernel */
    unsigned depth, uses;
    bool orphan; /* its parent had ended before anybody asked: its place is the host's chance */
    bool
        by_host; /* it, or one whose end it may have waited for, has waited for the host's clock; children inherit it */
};

struct kin_tree {
    struct kin *all;
    pid_t self, program;           /* gantry; what it has started */
    struct kin *ended[KIN_ENDED];  /* a ring */
    unsigned ended_next, pid_room; /* process numbers begin anew there */
};

void kin_init(struct kin_tree *tree);
void kin_fini(struct kin_tree *tree);
/* The place of a process, to be given back with kin_drop; parent: who has forked it, 0: its parent now. */
struct kin *kin_take(struct kin_tree *tree, pid_t pid, pid_t parent);
void kin_drop(struct kin_tree *tree, struct kin *kin);  /* NULL: nothing happens */
void kin_ended(struct kin_tree *tree, struct kin *kin); /* as kin_drop, but it stays known for a while */
bool kin_before(const struct kin_tree *tree, const struct kin *a, const struct kin *b);
/* A thread with number `tid` of process `pid`: how many numbers later it was made. */
unsigned kin_thread(const struct kin_tree *tree, pid_t pid, pid_t tid);
/* Waits for the host's clock; so those that may wait for it do, too: its line up to the program. */
void kin_by_host(struct kin *kin);
#endif

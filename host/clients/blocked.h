/* SPDX-License-Identifier: Apache-2.0
 * What a thread that is blocked waits for, by the system call that it is in.
 */
#ifndef GANTRY_BLOCKED_H
#define GANTRY_BLOCKED_H
#include <stdbool.h>
#include <sys/types.h>

/* Futex waits without a time limit and waits for a child: what another thread here ends. */
enum blocker { BLOCKED_BY_THREAD, BLOCKED_BY_CHILD, BLOCKED_OUTSIDE };

/* It runs, also where it is about to block or carries out what it has waited for: it is shown as blocked then. */
bool thread_runs(pid_t pid, pid_t tid);
/* A thread that runs, or is not for us to see, is BLOCKED_OUTSIDE. */
enum blocker blocked_by(pid_t pid, pid_t tid);
/* Its wait ends at a time of the host's clock: sleeps, and waits with a time limit. */
bool blocked_timed(pid_t pid, pid_t tid);
#endif

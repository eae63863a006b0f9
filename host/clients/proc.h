/* SPDX-License-Identifier: Apache-2.0
 * Small files of /proc, and what the stat file of a process or thread says.
 */
#ifndef GANTRY_PROC_H
#define GANTRY_PROC_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_BYTES 512

struct proc_text {
    char line[PROC_BYTES + 1]; /* as much as fits, zeros behind it */
};

/* False when there is no such file (any more). */
bool proc_read(const char *path, struct proc_text *text);

/* State letter and parent in the stat file at `path`; false when there is none (any more). */
bool proc_state(const char *path, char *state, int *parent);

struct proc_birth {
    int parent;     /* now */
    uint64_t start; /* in ticks of the kernel */
};
/* Of a process; false when there is none (any more). */
bool proc_birth(pid_t pid, struct proc_birth *birth);

unsigned proc_threads(pid_t pid);       /* of a process; 0: it is gone */
char proc_thread(pid_t pid, pid_t tid); /* state letter; 0: it is gone */
bool proc_blocked(char state);          /* it does not run */
/* Page faults of a thread so far, of both kinds; 0: it is gone. */
uint64_t proc_faults(pid_t pid, pid_t tid);
/* How long a thread was given the CPU, and how often; false: it is gone, or the kernel does not count. */
bool proc_times(pid_t pid, pid_t tid, uint64_t *cpu_ns, uint64_t *runs);
#endif

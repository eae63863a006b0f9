/* SPDX-License-Identifier: Apache-2.0
 * A small process that removes the generated tree when the simulator ends, however it ends (SIGKILL included).
 */
#ifndef GANTRY_JANITOR_H
#define GANTRY_JANITOR_H
#include <sys/types.h>

struct janitor {
    pid_t pid;
    int pipe;
};

/* Make a private temporary folder (its path in root, at most `room` bytes) and the process that watches over it.
 * 0, or -1 with errno. */
int janitor_start(struct janitor *j, char *root, unsigned room);
/* The folder is gone when this returns. */
void janitor_finish(struct janitor *j);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * A small process that removes the generated tree when the simulator ends, however it ends (SIGKILL included).
 */
#ifndef GANTRY_JANITOR_H
#define GANTRY_JANITOR_H
#include <sys/types.h>

#define JANITOR_ROOT 256

struct janitor {
    pid_t pid;
    int pipe;
    char root[JANITOR_ROOT]; /* the folder */
};

/* Make a private temporary folder (j->root) and the process that watches over it.  0, or -1 with errno. */
int janitor_start(struct janitor *j);
/* The folder is gone when this returns, also when somebody has killed the janitor. */
void janitor_finish(struct janitor *j);
#endif

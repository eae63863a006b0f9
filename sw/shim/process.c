/* SPDX-License-Identifier: Apache-2.0
 * Processes: what happens when the shim is loaded and when the program forks.  Not responsible for: other programs that
 * it starts (exec.c).
 */
#include <pthread.h>
#include <unistd.h>

#include "shim.h"

static pid_t forking; /* the parent, in the child: it may have ended */

static void forks(void)
{
    forking = getpid();
}

static void forked(void)
{
    shim_after_fork(forking);
    clock_after_fork();
    fault_after_fork();
}

__attribute__((constructor)) static void shim_start(void)
{
    if (!shim_active())
        return;
    shim_greet();
    pthread_atfork(forks, NULL, forked);
    clock_arm();
}

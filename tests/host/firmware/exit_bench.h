/* SPDX-License-Identifier: Apache-2.0
 * How a process ends that goes on as this one: for bounds whose breach ends the run.  Not responsible for: the bench.
 */
#ifndef GANTRY_EXIT_BENCH_H
#define GANTRY_EXIT_BENCH_H
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cp_bench.h"

/* Exit status of a copy of this process that does it and goes on. */
static int status_of(void (*act)(struct bench *b, unsigned n), struct bench *b, unsigned n)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        act(b, n);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#endif

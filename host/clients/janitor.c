/* SPDX-License-Identifier: Apache-2.0
 * The janitor (janitor.h): a child in a session of its own that waits for the end of a pipe.
 */
#include "clients/janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/topology.h"

#define END_NS 1000000 /* between two looks whether it has ended */
#define END_LOOKS 1000

static void janitor_main(int fd, const char *root)
{
    char byte;
    setsid();
    prctl(PR_SET_NAME, "gantry-janitor");
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (fd != 3)
        dup2(fd, 3);
    /* Nothing else stays open: neither the terminal nor sockets outlive their owner because of us. */
    for (int other = 0; other < 1024; other++)
        if (other != 3)
            close(other);
    while (read(3, &byte, 1) < 0 && errno == EINTR)
        ;
    topology_remove(root);
    _exit(0);
}

int janitor_start(struct janitor *j)
{
    const char *base = getenv("TMPDIR");
    char *root = j->root;
    int ends[2];
    if (snprintf(root, sizeof j->root, "%s/gantry-XXXXXX", base && *base ? base : "/tmp") >= (int)sizeof j->root) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (!mkdtemp(root))
        return -1;
    if (pipe2(ends, O_CLOEXEC) < 0) {
        rmdir(root);
        return -1;
    }
    j->pid = fork();
    if (j->pid == 0) {
        close(ends[1]);
        janitor_main(ends[0], root);
    }
    close(ends[0]);
    j->pipe = ends[1];
    if (j->pid > 0)
        return 0;
    int error = errno;
    close(ends[1]);
    rmdir(root);
    errno = error;
    return -1;
}

void janitor_finish(struct janitor *j)
{
    if (j->pid <= 0)
        return;
    close(j->pipe);
    unsigned looks = END_LOOKS;
    pid_t ended;
    while ((ended = waitpid(j->pid, NULL, WNOHANG)) == 0 && looks-- > 0)
        nanosleep(&(struct timespec){.tv_nsec = END_NS}, NULL);
    if (ended == 0) { /* it is stopped */
        kill(j->pid, SIGKILL);
        while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    topology_remove(j->root); /* if somebody has killed it */
    j->pid = 0;
}

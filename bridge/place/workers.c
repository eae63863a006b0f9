/* SPDX-License-Identifier: Apache-2.0
 * Worker processes; contract in workers.h.
 */
#include "bridge/place/workers.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"

#define LOOK_MS 100 /* at a worker that has to end */
#define LOOKS_A_SECOND 10

/* ---- in the worker */
/* Who started this process has gone.  The run's links see that within a fraction of a second and it is told; what does
 * not look at them any more is ended. */
static void orphaned(int number)
{
    (void)number;
    alarm(WORKERS_DYING_S);
}

/* Others learn from the end of a socket or pipe that this process's parent has gone: no copies of them here. */
static void descriptors_close(int keep)
{
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat st;
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != keep && fd != dirfd(folder) && fstat(fd, &st) == 0 &&
            (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

static void worker_main(pid_t parent, uint32_t self, int socket, worker_fn fn, void *ctx)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (unsigned i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGALRM, SIG_DFL);
    signal(SIGUSR1, orphaned);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    char name[24];
    snprintf(name, sizeof name, "gantry:%u", self);
    prctl(PR_SET_NAME, name);
    descriptors_close(socket);
    int status = fn(ctx, self, socket);
    log_left_out(); /* of its own */
    fflush(NULL);
    _exit(status);
}

/* ---- in the process that starts it */
static bool worker_start(struct worker *w, uint32_t self, worker_fn fn, void *ctx)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    pid_t parent = getpid();
    w->pid = fork();
    if (w->pid == 0)
        worker_main(parent, self, ends[1], fn, ctx);
    int error = errno;
    close(ends[1]);
    w->socket = ends[0];
    if (w->pid == -1) {
        w->pid = 0;
        errno = error;
        return false;
    }
    w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
    return w->pidfd >= 0;
}

struct workers *workers_start(uint32_t count, worker_fn fn, void *ctx)
{
    struct workers *all = xzalloc(sizeof *all + count * sizeof *all->list);
    fflush(NULL); /* what is not written yet would be written twice */
    for (; all->count < count; all->count++) {
        struct worker *w = &all->list[all->count];
        *w = (struct worker){.pidfd = -1, .socket = -1};
        if (worker_start(w, all->count + 1, fn, ctx))
            continue;
        diag("place", "process %u cannot be started: %s", all->count + 1, strerror(errno));
        all->count++;
        workers_finish(all, 0);
        return NULL;
    }
    return all;
}

static bool reap(struct worker *w, int options)
{
    int status;
    if (w->pid && waitpid(w->pid, &status, options) == w->pid) {
        w->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        w->pid = 0;
    }
    return w->pid == 0;
}

bool workers_ended(struct workers *all, uint32_t self, int milliseconds)
{
    struct worker *w = &all->list[self - 1];
    struct pollfd p = {.fd = w->pidfd, .events = POLLIN};
    if (w->pid && w->pidfd >= 0)
        poll(&p, 1, milliseconds);
    return reap(w, WNOHANG);
}

void workers_finish(struct workers *all, unsigned seconds)
{
    if (all == NULL)
        return;
    unsigned looks = LOOKS_A_SECOND * seconds; /* at all of them */
    for (uint32_t i = 0; i < all->count; i++) {
        struct worker *w = &all->list[i];
        for (; looks > 0 && !workers_ended(all, i + 1, LOOK_MS); looks--)
            ;
        if (w->pid && !reap(w, WNOHANG)) {
            kill(w->pid, SIGKILL);
            reap(w, 0);
        }
        close(w->pidfd); /* -1: nothing happens */
        close(w->socket);
    }
    free(all);
}

/* SPDX-License-Identifier: Apache-2.0
 * Are all clients at rest?  A client rests when each of its threads has an outstanding request that waits; where one
 * has not, its state in /proc decides (watch.h).  Children that have not (yet) loaded the shim count too.
 */
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "clients/blocked.h"
#include "clients/proc.h"
#include "driver/driver.h"

/* Calls fn for each thread of pid that has no request outstanding; stops when it returns false. */
static bool threads_each(const struct driver *d, const struct client *c, pid_t pid,
                         bool (*fn)(pid_t pid, pid_t tid, FILE *out), FILE *out)
{
    char path[96], state;
    int parent;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    bool all = true;
    for (struct dirent *entry; folder && all && (entry = readdir(folder));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
        if (!watch_waits(d, c, tid) && proc_state(path, &state, &parent) && !strchr("ZX", state))
            all = fn(pid, tid, out);
    }
    if (folder)
        closedir(folder);
    return all;
}

static bool thread_inside(pid_t pid, pid_t tid, FILE *out)
{
    (void)out;
    return blocked_by(pid, tid) != BLOCKED_OUTSIDE;
}

static bool thread_tell(pid_t pid, pid_t tid, FILE *out)
{
    static const char *const what[] = {"for another thread (futex)", "for a process that it started",
                                       "for something outside"};
    fprintf(out, "  process %d thread %d waits %s\n", (int)pid, (int)tid, what[blocked_by(pid, tid)]);
    return true;
}

bool rest_outside(struct driver *d)
{
    bool inside = true;
    watch_refresh(d);
    for (const struct watched *p = d->watch.all; p && inside; p = p->next)
        inside = watch_over(p) || threads_each(d, p->client, p->pid, thread_inside, NULL);
    return !inside;
}

void rest_tell(const struct driver *d, FILE *out)
{
    for (struct client *c = d->clients; c; c = c->next)
        if (!c->ended)
            threads_each(d, c, c->pid, thread_tell, out);
}

static bool requests_unread(const struct driver *d)
{
    size_t count = 1, n = 0;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        count++;
    struct pollfd *fds = xcalloc(count, sizeof *fds);
    fds[n++] = (struct pollfd){.fd = d->listen_fd, .events = POLLIN};
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        fds[n++] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
    bool unread = poll(fds, n, 0) > 0;
    free(fds);
    return unread;
}

bool rest_reached(struct driver *d, const struct client *except)
{
    enum watch_sight sight = watch_look(d, except);
    if (sight == WATCH_CHANGED)
        sight = watch_look(d, except);
    return sight == WATCH_STILL && !requests_unread(d);
}

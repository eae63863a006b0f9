/* SPDX-License-Identifier: Apache-2.0
 * Are all clients at rest?  A client rests when each of its threads has an outstanding request that waits; where one
 * has not, two looks at its state in /proc decide.  Children that have not (yet) loaded the shim count too.
 */
#include <dirent.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <xxhash.h>

#include "base/xalloc.h"
#include "driver/driver.h"
#include "driver/proc.h"

#define FAMILY_MAX 4096

static unsigned outstanding(const struct driver *d, const struct client *c)
{
    unsigned count = 0;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        count += conn->client == c && conn->state != CONN_RUNNING;
    return count;
}

/* c is NULL for what is no client (yet): nobody who waits for us is. */
static bool thread_waits(const struct driver *d, const struct client *c, pid_t tid)
{
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->client == c && conn->tid == tid && conn->state != CONN_RUNNING)
            return true;
    return false;
}

static unsigned thread_count(pid_t pid)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return stat(path, &s) == 0 ? (unsigned)s.st_nlink - 2 : 0; /* "." and ".." */
}

/* Identity and run count of a blocked thread added to the hash; false when it runs. */
static bool thread_blocked(pid_t pid, pid_t tid, uint64_t *sum)
{
    char path[96], state;
    struct proc_text text;
    int parent;
    unsigned long long ran, waited;
    struct {
        uint64_t tid;
        unsigned long long times;
    } seen = {.tid = (uint64_t)tid};
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    if (proc_state(path, &state, &parent) && !strchr("SZXT", state))
        return false;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    if (proc_read(path, &text) && sscanf(text.line, "%llu %llu %llu", &ran, &waited, &seen.times) == 3)
        *sum = XXH3_64bits_withSeed(&seen, sizeof seen, *sum);
    return true;
}

/* All threads of pid but those known to wait are blocked. */
static bool process_blocked(const struct driver *d, const struct client *c, pid_t pid, uint64_t *sum)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return true;
    bool blocked = true;
    for (struct dirent *entry; blocked && (entry = readdir(folder));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (*entry->d_name != '.' && !thread_waits(d, c, tid))
            blocked = thread_blocked(pid, tid, sum);
    }
    closedir(folder);
    return blocked;
}

static struct client *client_of(const struct driver *d, pid_t pid)
{
    for (struct client *c = d->clients; c; c = c->next)
        if (c->pid == pid && !c->ended)
            return c;
    return NULL;
}

struct family {
    pid_t pid[FAMILY_MAX], parent[FAMILY_MAX];
    unsigned count;
};

static void family_read(struct family *f)
{
    DIR *folder = opendir("/proc");
    f->count = 0;
    for (struct dirent *entry; folder && f->count < FAMILY_MAX && (entry = readdir(folder));) {
        char path[64], state;
        int parent;
        pid_t pid = (pid_t)atoi(entry->d_name); /* 0: no process, and no such file */
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        if (proc_state(path, &state, &parent)) {
            f->pid[f->count] = pid;
            f->parent[f->count++] = (pid_t)parent;
        }
    }
    if (folder)
        closedir(folder);
}

/* A descendant of a client that is no client itself, such as a child between fork and the loading of the shim. */
static bool family_stranger(const struct driver *d, const struct family *f, unsigned i)
{
    if (client_of(d, f->pid[i]))
        return false;
    pid_t up = f->parent[i];
    for (unsigned depth = 0; depth < f->count && up && !client_of(d, up); depth++) {
        unsigned k = 0;
        while (k < f->count && f->pid[k] != up)
            k++;
        up = k < f->count ? f->parent[k] : 0;
    }
    return client_of(d, up) != NULL;
}

static bool strangers_blocked(const struct driver *d, const struct family *f, uint64_t *sum)
{
    for (unsigned i = 0; i < f->count; i++) {
        if (family_stranger(d, f, i) && !process_blocked(d, NULL, f->pid[i], sum))
            return false;
    }
    return true;
}

static bool look(const struct driver *d, struct family *f, uint64_t *sum)
{
    *sum = 0;
    for (struct client *c = d->clients; c; c = c->next)
        if (!c->ended && !process_blocked(d, c, c->pid, sum))
            return false;
    if (f->count == 0)
        family_read(f);
    return strangers_blocked(d, f, sum);
}

/* Futex waits without a time limit and waits for a child: what another thread here ends. */
enum place { PLACE_THREAD, PLACE_CHILD, PLACE_OUTSIDE };

static enum place thread_place(pid_t pid, pid_t tid)
{
    char path[96];
    struct proc_text text;
    unsigned long long number, arg[4];
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    if (!proc_read(path, &text) ||
        sscanf(text.line, "%llu 0x%llx 0x%llx 0x%llx 0x%llx", &number, &arg[0], &arg[1], &arg[2], &arg[3]) != 5)
        return PLACE_OUTSIDE; /* it runs, or is not for us to see */
    unsigned op = arg[1] & ~(unsigned)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    if (number == SYS_futex && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) && arg[3] == 0)
        return PLACE_THREAD;
    return number == SYS_wait4 || number == SYS_waitid ? PLACE_CHILD : PLACE_OUTSIDE;
}

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
        if (!thread_waits(d, c, tid) && proc_state(path, &state, &parent) && !strchr("ZX", state))
            all = fn(pid, tid, out);
    }
    if (folder)
        closedir(folder);
    return all;
}

static bool thread_inside(pid_t pid, pid_t tid, FILE *out)
{
    (void)out;
    return thread_place(pid, tid) != PLACE_OUTSIDE;
}

static bool thread_tell(pid_t pid, pid_t tid, FILE *out)
{
    static const char *const what[] = {"for another thread (futex)", "for a process that it started",
                                       "for something outside"};
    fprintf(out, "  process %d thread %d waits %s\n", (int)pid, (int)tid, what[thread_place(pid, tid)]);
    return true;
}

bool rest_outside(const struct driver *d)
{
    static struct family family;
    bool inside = true;
    for (struct client *c = d->clients; c && inside; c = c->next)
        inside = c->ended || threads_each(d, c, c->pid, thread_inside, NULL);
    family_read(&family);
    for (unsigned i = 0; i < family.count && inside; i++)
        if (family_stranger(d, &family, i))
            inside = threads_each(d, NULL, family.pid[i], thread_inside, NULL);
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

bool rest_reached(struct driver *d)
{
    bool all = true;
    for (struct client *c = d->clients; c && all; c = c->next)
        all = c->ended || outstanding(d, c) >= thread_count(c->pid);
    if (!all) {
        static struct family family;
        uint64_t first, second;
        family.count = 0;
        if (!look(d, &family, &first) || !look(d, &family, &second) || first != second)
            return false;
    }
    return !requests_unread(d);
}

double rest_cpu_seconds(const struct driver *d)
{
    double sum = 0;
    for (struct client *c = d->clients; c; c = c->next) {
        clockid_t clock;
        struct timespec t;
        if (!c->ended && clock_getcpuclockid(c->pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
            sum += (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    }
    return sum;
}

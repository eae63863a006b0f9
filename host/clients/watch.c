/* SPDX-License-Identifier: Apache-2.0
 * Processes and threads of a run; contract in watch.h.
 *
 * One look is enough when nothing has run since the last one: whoever has just asked is known to have stopped before
 * it, so nobody is left who could have woken a thread behind our back.  Else a second look has to show the same.
 */
#include "clients/watch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "clients/blocked.h"
#include "clients/proc.h"
#include "driver/driver.h"

#define DEPTH_MAX 4096 /* generations: a number that is used anew could close a ring */

unsigned watch_outstanding(const struct driver *d, const struct client *c)
{
    unsigned count = 0;
    for (const struct conn *conn = d->conns; conn && c; conn = conn->next)
        count += conn->client == c && conn->state != CONN_RUNNING;
    return count;
}

/* c is NULL for what is no client (yet): nobody who waits for us is. */
bool watch_waits(const struct driver *d, const struct client *c, pid_t tid)
{
    for (const struct conn *conn = d->conns; conn && c; conn = conn->next)
        if (conn->client == c && conn->tid == tid && conn->state != CONN_RUNNING)
            return true;
    return false;
}

bool watch_over(const struct watched *p)
{
    return p->client && (p->client->ended || p->client->over);
}

static struct watched *process_find(const struct watch *w, pid_t pid)
{
    struct watched *p = w->all;
    while (p && p->pid != pid)
        p = p->next;
    return p;
}

static void process_add(struct driver *d, pid_t pid, struct client *client, pid_t parent)
{
    struct watched *p = process_find(&d->watch, pid);
    if (!p) {
        struct watched **link = &d->watch.all; /* behind those that are there: a look under way comes to it */
        while (*link)
            link = &(*link)->next;
        *link = p = xcalloc(1, sizeof *p);
        p->pid = pid;
        p->parent = parent;
    }
    p->client = client ? client : p->client;
}

void watch_process(struct driver *d, pid_t pid, struct client *client)
{
    process_add(d, pid, client, 0);
}

static void process_free(struct watched *p)
{
    free(p->threads);
    free(p);
}

void watch_fini(struct watch *w)
{
    while (w->all) {
        struct watched *p = w->all;
        w->all = p->next;
        process_free(p);
    }
}

static void process_forget(struct watch *w, struct watched *p)
{
    struct watched **link = &w->all;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    process_free(p);
}

void watch_client_ended(struct driver *d, struct client *c)
{
    struct watched *p = process_find(&d->watch, c->pid);
    if (p && p->client == c)
        process_forget(&d->watch, p);
}

static struct watch_thread *thread_find(struct watched *p, pid_t tid)
{
    for (size_t i = 0; p && i < p->count; i++)
        if (p->threads[i].tid == tid)
            return &p->threads[i];
    return NULL;
}

void watch_answered(struct driver *d, const struct conn *conn)
{
    struct watched *p = process_find(&d->watch, conn->pid);
    struct watch_thread *t = thread_find(p, conn->tid);
    if (p)
        p->settled = 0;
    if (t)
        t->ran = true;
}

void watch_asked(struct driver *d, const struct conn *conn)
{
    struct watch_thread *t = thread_find(process_find(&d->watch, conn->pid), conn->tid);
    if (!t)
        return;
    spell_end(&t->spell);
    t->left_out = false;
}

void watch_threads(struct watched *p)
{
    char path[64];
    struct watch_thread *now = NULL;
    size_t count = 0, room = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid <= 0)
            continue;
        const struct watch_thread *known = thread_find(p, tid);
        now = xgrow(now, &room, count + 1, sizeof *now);
        now[count++] = known ? *known : (struct watch_thread){.tid = tid, .ran = true};
    }
    if (folder)
        closedir(folder);
    free(p->threads);
    p->threads = now;
    p->count = count;
    p->room = room;
}

bool watch_parent(pid_t pid)
{
    char path[96];
    struct proc_text text;
    bool any = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !any && (entry = readdir(folder));) {
        const int tid = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, tid);
        any = tid > 0 && proc_read(path, &text); /* it is empty where there are none */
    }
    if (folder)
        closedir(folder);
    return any;
}

static void children_find(struct driver *d, pid_t pid, struct watch_thread *t)
{
    char path[96];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)t->tid);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        process_add(d, (pid_t)child, NULL, pid);
    if (file)
        fclose(file);
    t->ran = false;
}

/* A thread without a request; *gone: the list of threads is an old one. */
static enum watch_sight thread_look(const struct watched *p, struct watch_thread *t, bool *gone)
{
    uint64_t cpu_ns, runs = 0;
    const char state = proc_thread(p->pid, t->tid);
    *gone |= !state;
    t->blocked = false;
    if (!proc_blocked(state))
        return t->left_out ? WATCH_STILL : WATCH_RUNS;
    const bool ended = state == 'Z' || state == 'X', before = t->ended;
    t->ended = ended;
    if (ended && !before)
        return WATCH_RUNS; /* who waits for its end may not have been woken yet */
    if (!ended)
        proc_times(p->pid, t->tid, &cpu_ns, &runs); /* a kernel that does not count them: what is seen is enough */
    const bool same = state && t->seen && t->runs == runs;
    if (!same && state && !ended && thread_runs(p->pid, t->tid))
        return t->left_out ? WATCH_STILL : WATCH_RUNS;
    t->seen = true;
    t->runs = runs;
    t->ran |= !same;
    t->placed &= same;
    t->blocked = same;
    return same || t->left_out ? WATCH_STILL : WATCH_CHANGED;
}

/* A thread that was given an answer runs still: no look at the others is needed. */
static bool answered_runs(const struct driver *d, const struct watched *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct watch_thread *t = &p->threads[i];
        if (t->ran && !t->left_out && !watch_waits(d, p->client, t->tid) && !proc_blocked(proc_thread(p->pid, t->tid)))
            return true;
    }
    return false;
}

static enum watch_sight threads_look(struct driver *d, struct watched *p, bool all_wait, bool runs, bool *gone)
{
    enum watch_sight sight = WATCH_STILL;
    if (!all_wait && !runs && answered_runs(d, p))
        return WATCH_RUNS;
    for (size_t i = 0; i < p->count; i++) {
        struct watch_thread *t = &p->threads[i];
        const bool waits = all_wait || watch_waits(d, p->client, t->tid);
        const enum watch_sight one = waits ? WATCH_STILL : thread_look(p, t, gone);
        if (one == WATCH_RUNS && runs) { /* it may; what it has forked by now counts */
            children_find(d, p->pid, t);
            t->ran = true;
            continue;
        }
        if (one == WATCH_RUNS)
            return one;
        sight = one == WATCH_CHANGED ? one : sight;
        if (t->ran)
            children_find(d, p->pid, t);
    }
    return sight;
}

/* Its first thread has ended, and so have all others, but its parent, or we, have not been told yet; or others are
 * about to end, who seem to wait for an answer until then. */
static bool process_ends(const struct driver *d, const struct watched *p)
{
    bool some = false, all = p->client && p->client->pidfd >= 0;
    for (size_t i = 0; i < p->count; i++) {
        some |= p->threads[i].ended;
        all &= p->threads[i].ended;
    }
    for (size_t i = 0; some && !all && i < p->count; i++)
        if (watch_waits(d, p->client, p->threads[i].tid) && !proc_blocked(proc_thread(p->pid, p->threads[i].tid)))
            return true;
    return all;
}

/* runs: its threads may run.  *there: the process is. */
static enum watch_sight process_look(struct driver *d, struct watched *p, bool runs, bool *there)
{
    bool gone = false;
    const unsigned outstanding = watch_outstanding(d, p->client), threads = proc_threads(p->pid);
    *there = threads > 0;
    if (!*there && p->client)
        return p->client->pidfd >= 0 ? WATCH_RUNS : WATCH_STILL; /* until the end is noticed */
    if (!*there)
        return WATCH_CHANGED; /* it may have woken its parent just now */
    if (threads != p->count)
        watch_threads(p);
    const enum watch_sight sight = threads_look(d, p, outstanding >= threads, runs, &gone);
    if (gone)
        watch_threads(p);
    if (!runs && sight == WATCH_STILL && process_ends(d, p))
        return WATCH_RUNS;
    p->settled = sight == WATCH_STILL && outstanding >= threads ? outstanding : 0;
    return sight;
}

bool watch_settled(const struct driver *d, const struct watched *p)
{
    return watch_over(p) || (p->settled && p->settled == watch_outstanding(d, p->client));
}

bool watch_belongs(const struct driver *d, const struct watched *p)
{
    for (size_t depth = 0; p && depth < DEPTH_MAX; depth++) {
        if ((p->client && !watch_over(p)) || p->pid == d->program)
            return true;
        p = p->parent ? process_find(&d->watch, p->parent) : NULL;
    }
    return false;
}

enum watch_sight watch_look(struct driver *d, const struct client *except)
{
    enum watch_sight sight = WATCH_STILL;
    for (unsigned turn = 0; turn < 2; turn++) {
        const bool clients = turn == 0; /* those first: it is they that run */
        for (struct watched *p = d->watch.all, *next; p; p = next) {
            bool there = true;
            const bool runs = p->client && p->client == except;
            next = p->next;
            if ((p->client != NULL) != clients || watch_settled(d, p))
                continue;
            if (!watch_belongs(d, p)) {
                process_forget(&d->watch, p);
                continue;
            }
            const enum watch_sight one = process_look(d, p, runs, &there);
            if (one == WATCH_RUNS)
                return one;
            sight = one == WATCH_CHANGED && !runs ? one : sight;
            next = p->next; /* it may have got children */
            if (!there && !p->client)
                process_forget(&d->watch, p);
        }
    }
    return sight;
}

void watch_refresh(struct driver *d)
{
    for (struct watched *p = d->watch.all, *next; p; p = next) {
        watch_threads(p);
        for (size_t i = 0; i < p->count && !watch_over(p); i++)
            children_find(d, p->pid, &p->threads[i]);
        next = p->next;
        if (!p->client && (!p->count || !watch_belongs(d, p)))
            process_forget(&d->watch, p);
    }
}

void watch_host_waits(struct driver *d)
{
    for (struct watched *p = d->watch.all; p; p = p->next) {
        for (size_t i = 0; i < p->count && !watch_settled(d, p); i++) {
            struct watch_thread *t = &p->threads[i];
            if (t->placed || watch_waits(d, p->client, t->tid))
                continue;
            t->placed = true;
            if (!blocked_timed(p->pid, t->tid))
                continue;
            struct kin *kin = kin_take(&d->kin, p->pid, 0);
            kin_by_host(kin);
            kin_drop(&d->kin, kin);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * Liveness of the processes of a run; contract in peers.h.
 */
#include "bridge/link/peers.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "bridge/link/region_layout.h"

#define GREET_LOOK_NS 200000 /* between two looks whether a process has come */

enum { TOLD_END = 1, TOLD_STOP = 2 };

uint64_t peers_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void peers_watch(struct region *r, uint32_t process, int pidfd)
{
    if (r->mine[process])
        close(r->pidfds[process]);
    r->pidfds[process] = pidfd;
    r->mine[process] = false;
}

void peers_beat(struct region *r, uint64_t cycle)
{
    atomic_store_explicit(&region_entry(r, r->self)->cycle, cycle, memory_order_relaxed);
}

/* Whether a process that joined, or that is watched, has ended. */
static bool ended(struct region *r, uint32_t process)
{
    int32_t pid = atomic_load(&region_entry(r, process)->pid);
    if (r->pidfds[process] < 0 && pid > 0) {
        r->pidfds[process] = (int)syscall(SYS_pidfd_open, pid, 0);
        r->mine[process] = r->pidfds[process] >= 0;
        if (r->pidfds[process] < 0)
            return errno == ESRCH;
    }
    struct pollfd p = {.fd = r->pidfds[process], .events = POLLIN};
    return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

bool peers_is_stopped(int32_t pid)
{
    char path[40], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    const char *name_end = getdelim(&text, &room, '\0', f) != -1 ? strrchr(text, ')') : NULL;
    bool stops = name_end && (name_end[2] == 'T' || name_end[2] == 't');
    fclose(f);
    free(text);
    return stops;
}

/* The link by which this process is behind most, of those that come from `process`. */
static const char *waiting_for(const struct region *r, uint32_t process, struct link *const *in, uint32_t count)
{
    const struct link *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (region_partner(r, in[i]) == process && (!found || in[i]->promised < found->promised))
            found = in[i];
    }
    return found ? found->name : "links";
}

static bool tell(struct region_entry *e, uint32_t what)
{
    return !(atomic_fetch_or(&e->told, what) & what);
}

static void look_at_rest(struct region *r, uint32_t process, const char *place)
{
    struct region_entry *e = region_entry(r, process);
    int32_t pid = atomic_load(&e->pid);
    if (!peers_is_stopped(pid))
        atomic_fetch_and(&e->told, ~(uint32_t)TOLD_STOP);
    else if (tell(e, TOLD_STOP))
        diag(place, "process %s (pid %d) is stopped at cycle %llu; the run waits until it goes on", e->name, (int)pid,
             (unsigned long long)atomic_load(&e->cycle));
}

uint32_t peers_stopped(const struct region *r, int32_t *pid)
{
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        const struct region_entry *e = region_entry(r, i);
        *pid = atomic_load(&e->pid);
        if (i != r->self && atomic_load(&e->stage) == REGION_GREETED && peers_is_stopped(*pid))
            return i;
    }
    return REGION_NONE;
}

enum peers peers_look(struct region *r, struct link *const *in, uint32_t count, bool still)
{
    enum peers found = PEERS_WELL;
    struct region_entry *own = region_entry(r, r->self);
    r->looked = peers_clock();
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        struct region_entry *e = region_entry(r, i);
        if (i == r->self)
            continue;
        bool end = ended(r, i); /* before the stage: who leaves in order says so first */
        uint32_t stage = atomic_load_explicit(&e->stage, memory_order_acquire);
        if (stage == REGION_LEFT && found == PEERS_WELL)
            found = PEERS_LEFT;
        else if (stage == REGION_REFUSED)
            found = PEERS_LOST;
        else if (stage != REGION_LEFT && end) {
            if (tell(e, TOLD_END))
                diag(waiting_for(r, i, in, count), "process %s (pid %d) ended at cycle %llu, before the run did",
                     e->name, (int)atomic_load(&e->pid), (unsigned long long)atomic_load(&e->cycle));
            found = PEERS_LOST;
        } else if (stage != REGION_LEFT && still)
            look_at_rest(r, i, waiting_for(r, i, in, count));
    }
    if (found == PEERS_LOST) /* this one gives up too, and is not missed */
        atomic_store(&own->stage, REGION_REFUSED);
    return found;
}

bool peers_due(const struct region *r)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return (int64_t)(now - r->looked) >= (int64_t)PEERS_LOOK_NS;
}

void peers_give_up(struct region *r)
{
    atomic_store(&region_entry(r, r->self)->stage, REGION_REFUSED);
}

static bool refuse(struct region *r)
{
    peers_give_up(r);
    return false;
}

bool peers_greet(struct region *r, unsigned seconds)
{
    return peers_greet_wanted(r, seconds, NULL, NULL);
}

bool peers_greet_wanted(struct region *r, unsigned seconds, bool (*unwanted)(void *ctx), void *ctx)
{
    struct region_entry *own = region_entry(r, r->self);
    uint64_t begin = peers_clock(), asked = begin;
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        struct region_entry *e = region_entry(r, i);
        while (atomic_load_explicit(&e->stage, memory_order_acquire) == REGION_ABSENT) {
            if (ended(r, i) && atomic_load(&e->stage) == REGION_ABSENT) {
                if (tell(e, TOLD_END))
                    diag("links", "process %s ended before the run began", e->name);
                return refuse(r);
            }
            const uint64_t now = peers_clock();
            if (unwanted && now - asked >= PEERS_LOOK_NS) {
                asked = now;
                if (unwanted(ctx))
                    return refuse(r);
            }
            if (now - begin > seconds * UINT64_C(1000000000)) {
                diag("links", "process %s has not come within %u s", e->name, seconds);
                return refuse(r);
            }
            nanosleep(&(struct timespec){.tv_nsec = GREET_LOOK_NS}, NULL);
        }
        char place[REGION_NAME + 16];
        snprintf(place, sizeof place, "process %s", e->name);
        if (!hello_fits(place, &own->hello, &e->hello)) /* its own does */
            return refuse(r);
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * Workers of a machine, seen from process 0: whether they are there, questions to them; contract in place.h.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"
#include "bridge/run/sched_links.h"
#include "machine/sim_private.h"
#include "place/place_private.h"
#include "vm/pmem.h"

/* ---- processes that are lost */
/* Of a worker's exit status; whoever was killed said nothing itself. */
static enum gantry_status class_of(int exit_status)
{
    static const enum gantry_status classes[] = {STATUS_USAGE, STATUS_CONFIG,      STATUS_MISSING,    STATUS_INTERNAL,
                                                 STATUS_IO,    STATUS_NO_PROGRESS, STATUS_GUEST_FAULT};
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (status_exit(classes[i]) == exit_status)
            return classes[i];
    return STATUS_IO;
}

void place_give_up(struct sim *sim)
{
    struct place *p = sim->place;
    if (p->lost)
        return;
    p->lost = STATUS_IO;
    for (uint32_t i = 1; p->workers && i <= p->workers->count; i++)
        if (workers_ended(p->workers, i, 0) && p->workers->list[i - 1].status != status_exit(STATUS_IO))
            p->lost = class_of(p->workers->list[i - 1].status);
    if (sim->options.failure)
        *sim->options.failure = p->lost;
}

static enum peers look(struct sim *sim, bool still)
{
    struct link *in[sim->sched.import_count + 1];
    sched_links_in(&sim->sched, in);
    return peers_look(sim->place->region, in, sim->sched.import_count, still);
}

enum gantry_status place_lost(struct sim *sim)
{
    struct place *p = sim->place;
    if (p == NULL)
        return STATUS_OK;
    if (!p->lost && peers_due(p->region) && look(sim, false) == PEERS_LOST)
        place_give_up(sim);
    return p->lost;
}

bool place_unwanted(struct sim *sim)
{
    struct place *p = sim->place;
    const struct sim_options *o = &sim->options;
    int32_t pid;
    if (p->lost)
        return true;
    if (!o->unwanted || !o->unwanted(o->unwanted_arg))
        return false;
    const uint32_t process = peers_stopped(p->region, &pid);
    if (process == REGION_NONE)
        return false;
    diag("place", "process %s (pid %d) is stopped and the run is to end: it ends without it",
         region_process(p->region, process), (int)pid);
    p->left = true;
    place_give_up(sim);
    return true;
}

bool place_left(const struct sim *sim)
{
    return sim->place && sim->place->left;
}

/* ---- questions */
struct waiting {
    struct sim *sim;
    uint64_t begin;
};

static bool keeps_waiting(void *ctx)
{
    struct waiting *w = ctx;
    const bool late = peers_clock() - w->begin > PEERS_PATIENCE_NS;
    return look(w->sim, late) != PEERS_LOST && !(late && place_unwanted(w->sim));
}

/* Its socket has ended: the process has, or is about to. */
static void missing(struct sim *sim)
{
    unsigned looks = 100;
    while (looks && look(sim, false) == PEERS_WELL) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        looks--;
    }
    if (looks == 0)
        diag("place", "a worker process does not answer");
    place_give_up(sim);
}

static bool ask_fd(struct sim *sim, uint32_t process, struct ask *ask, const void *data, int fd, void **answer)
{
    struct place *p = sim->place;
    struct waiting w = {sim, peers_clock()};
    void *bytes = NULL;
    int none = -1;
    if (answer)
        *answer = NULL;
    bool ok = !p->lost;
    if (ok) {
        int socket = p->workers->list[process - 1].socket;
        ok = ask_send(socket, ask, data, fd, keeps_waiting, &w);
        region_ask(p->region, process);
        ok = ok && ask_receive(socket, ask, &bytes, &none, keeps_waiting, &w);
        if (!ok && !p->lost)
            missing(sim);
    }
    close(none); /* -1: nothing happens */
    if (!ok)
        *ask = (struct ask){.kind = ask->kind};
    if (answer)
        *answer = bytes;
    else
        free(bytes);
    return ok;
}

bool place_ask(struct sim *sim, uint32_t process, struct ask *ask, const void *data, void **answer)
{
    return ask_fd(sim, process, ask, data, -1, answer);
}

uint32_t place_workers(const struct sim *sim)
{
    return sim->place && sim->place->workers ? sim->place->workers->count : 0;
}

uint64_t place_sum(struct sim *sim, enum place_ask kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= place_workers(sim); i++) {
        struct ask ask = {.kind = kind};
        place_ask(sim, i, &ask, NULL, NULL);
        sum += ask.a;
    }
    return sum;
}

static void slab_taken(void *ctx, unsigned memory, uint64_t at, uint64_t bytes, int fd)
{
    for (uint32_t i = 1; i <= place_workers(ctx); i++)
        ask_fd(ctx, i, &(struct ask){.kind = PLACE_TAKE, .memory = memory, .a = at, .b = bytes}, NULL, fd, NULL);
}

static void slab_given(void *ctx, unsigned memory, uint64_t at)
{
    for (uint32_t i = 1; i <= place_workers(ctx); i++)
        place_ask(ctx, i, &(struct ask){.kind = PLACE_GIVE, .memory = memory, .a = at}, NULL, NULL);
}

/* Before any message that is sent from now on comes in there. */
static void page_moved(void *ctx, uint64_t page, uint64_t to)
{
    for (uint32_t i = 1; i <= place_workers(ctx); i++)
        place_ask(ctx, i, &(struct ask){.kind = PLACE_PAGE, .a = page, .b = to}, NULL, NULL);
}

void place_watch(struct sim *sim)
{
    pmem_watch(sim->memory, &(struct pmem_watch){slab_taken, slab_given, page_moved, sim});
}

void place_windows(struct sim *sim)
{
    struct place *p = sim->place;
    size_t bytes;
    if (sim->options.model != SIM_GOLDEN || p->windows == pmem_windows_changes(sim->memory))
        return;
    p->windows = pmem_windows_changes(sim->memory);
    const void *windows = pmem_windows(sim->memory, &bytes);
    for (uint32_t i = 1; i <= place_workers(sim); i++)
        place_ask(sim, i, &(struct ask){.kind = PLACE_WINDOWS, .bytes = bytes}, windows, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Counters by kernel; contract in kernel_counters.h.
 */
#include "observe/kernel_counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "machine/sim_private.h"

#define ANY_GPU UINT32_MAX /* of a counter: host memory, lock step */

/* A counter of the machine, and its value at the end of the last piece. */
struct named {
    char *location, *what, *unit;
    uint32_t gpu; /* ANY_GPU: of none */
    uint64_t value;
};

/* What one counter has gained, by itself and together with others. */
struct gain {
    uint64_t alone, shared;
};

struct gained {
    uint32_t counter;
    struct gain gain;
};

enum stage { AT_GPU, ENDED, RELEASING, OVER };

struct launched {
    unsigned gpu;
    uint16_t id;
    uint8_t vmid;
    enum stage stage;
    uint64_t start;     /* as the kernel table has it */
    struct gain *gains; /* by counter; NULL: it is over */
    size_t room;
    struct gained *kept; /* of one that is over: what is not 0 */
    uint32_t kept_count;
};

struct kernel_counters {
    struct sim *sim;
    struct named *named;
    size_t count, room;
    size_t at; /* of a walk over all counters: the next in the order of the last walk */
    struct launched *launched;
    size_t launched_count, launched_room;
    size_t first;         /* launches before it are over */
    struct gain *outside; /* of no kernel; shared: of several, taken once */
    size_t outside_room;
};

/* ---- counters */
static uint32_t gpu_of(const char *location)
{
    char *end;
    if (strncmp(location, "gpu", 3) != 0)
        return ANY_GPU;
    const unsigned long gpu = strtoul(location + 3, &end, 10);
    return *end == '.' || *end == 0 ? (uint32_t)gpu : ANY_GPU;
}

static bool is_named(const struct named *n, const char *location, const char *what)
{
    return strcmp(n->location, location) == 0 && strcmp(n->what, what) == 0;
}

/* Walks have one order: the search is for the first walk, and for counters that come later. */
static uint32_t named_find(struct kernel_counters *k, const char *location, const char *what, const char *unit)
{
    if (k->at < k->count && is_named(&k->named[k->at], location, what))
        return (uint32_t)k->at;
    for (size_t i = k->at; i < k->count; i++)
        if (is_named(&k->named[i], location, what))
            return (uint32_t)i;
    k->named = xgrow(k->named, &k->room, k->count + 1, sizeof *k->named);
    k->named[k->count] = (struct named){xstrdup(location), xstrdup(what), xstrdup(unit), gpu_of(location), 0};
    return (uint32_t)k->count++;
}

static struct gain *gain_of(struct gain **gains, size_t *room, uint32_t counter)
{
    if (counter >= *room) {
        const size_t before = *room;
        *gains = xgrow(*gains, room, counter + 1u, sizeof **gains);
        memset(*gains + before, 0, (*room - before) * sizeof **gains);
    }
    return &(*gains)[counter];
}

/* Kernels that are at a GPU, or with ANY_GPU at any. */
static unsigned present(const struct kernel_counters *k, uint32_t gpu)
{
    unsigned count = 0;
    for (size_t i = k->first; i < k->launched_count; i++)
        count += k->launched[i].gains && (gpu == ANY_GPU || k->launched[i].gpu == gpu);
    return count;
}

static void counter_see(void *arg, const char *location, const char *what, uint64_t value, const char *unit)
{
    struct kernel_counters *k = arg;
    const uint32_t counter = named_find(k, location, what, unit);
    struct named *n = &k->named[counter];
    const uint64_t more = value - n->value;
    k->at = counter + 1u;
    n->value = value;
    if (more == 0)
        return;
    uint32_t gpu = n->gpu;
    unsigned count = present(k, gpu);
    if (count == 0 && gpu != ANY_GPU) {
        gpu = ANY_GPU;
        count = present(k, gpu);
    }
    for (size_t i = k->first; i < k->launched_count; i++) {
        struct launched *l = &k->launched[i];
        if (!l->gains || (gpu != ANY_GPU && l->gpu != gpu))
            continue;
        struct gain *gain = gain_of(&l->gains, &l->room, counter);
        *(count > 1 ? &gain->shared : &gain->alone) += more;
    }
    if (count != 1) {
        struct gain *gain = gain_of(&k->outside, &k->outside_room, counter);
        *(count ? &gain->shared : &gain->alone) += more;
    }
}

/* A piece of time is over. */
static void piece_end(struct kernel_counters *k)
{
    k->at = 0;
    sim_counters(k->sim, counter_see, k);
}

/* ---- kernels */
static void launch_add(struct kernel_counters *k, unsigned gpu, uint16_t id, uint8_t vmid)
{
    k->launched = xgrow(k->launched, &k->launched_room, k->launched_count + 1, sizeof *k->launched);
    struct launched *l = &k->launched[k->launched_count++];
    *l = (struct launched){.gpu = gpu, .id = id, .vmid = vmid, .start = k->sim->turn->now};
    gain_of(&l->gains, &l->room, 0);
}

/* It is over: of its gains those that are some. */
static void launch_close(struct kernel_counters *k, struct launched *l)
{
    l->kept = xcalloc(l->room + 1, sizeof *l->kept);
    for (uint32_t c = 0; c < l->room; c++)
        if (l->gains[c].alone || l->gains[c].shared)
            l->kept[l->kept_count++] = (struct gained){c, l->gains[c]};
    free(l->gains);
    l->gains = NULL;
    while (k->first < k->launched_count && k->launched[k->first].gains == NULL)
        k->first++;
}

struct kernel_counters *kernel_counters_new(struct sim *sim)
{
    struct kernel_counters *k = xcalloc(1, sizeof *k);
    k->sim = sim;
    return k;
}

void kernel_counters_free(struct kernel_counters *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->count; i++) {
        free(k->named[i].location);
        free(k->named[i].what);
        free(k->named[i].unit);
    }
    for (size_t i = 0; i < k->launched_count; i++) {
        free(k->launched[i].gains);
        free(k->launched[i].kept);
    }
    free(k->launched);
    free(k->named);
    free(k->outside);
    free(k);
}

void kernel_counters_restored(struct kernel_counters *k)
{
    piece_end(k);
    for (unsigned g = 0; g < k->sim->gpu_count; g++) {
        const struct sim_gpu *gpu = &k->sim->gpus[g];
        for (uint32_t i = 0; i < gpu->pending_count; i++)
            if (gpu->pending[i].kind == CP_LAUNCH)
                launch_add(k, g, gpu->pending[i].id, gpu->pending[i].vmid);
    }
}

void kernel_counters_command(struct kernel_counters *k, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    if (cmd->kind == CP_LAUNCH) {
        piece_end(k);
        launch_add(k, gpu, cmd->id, cmd->vmid);
    }
    for (size_t i = k->first; cmd->kind == CP_CACHE && i < k->launched_count; i++) {
        struct launched *l = &k->launched[i];
        if (l->gains && l->gpu == gpu && l->id == cmd->id && l->stage == ENDED)
            l->stage = RELEASING;
    }
}

static void event_take(struct launched *l, const struct msg_cp_evt *evt)
{
    if (evt->kind == CP_EVT_LAUNCH_DONE && l->id == evt->id && l->stage == AT_GPU) {
        l->stage = ENDED;
        l->start = evt->start;
    }
    if ((evt->kind == CP_EVT_CACHE_DONE && l->id == evt->id && l->stage == RELEASING) ||
        (evt->kind == CP_EVT_KILL_DONE && l->vmid == evt->vmid))
        l->stage = OVER;
}

void kernel_counters_event(struct kernel_counters *k, unsigned gpu, const struct msg_cp_evt *evt)
{
    for (size_t i = k->first; i < k->launched_count; i++)
        if (k->launched[i].gains && k->launched[i].gpu == gpu)
            event_take(&k->launched[i], evt);
}

void kernel_counters_settle(struct kernel_counters *k)
{
    bool over = false;
    for (size_t i = k->first; i < k->launched_count; i++)
        over |= k->launched[i].gains && (k->launched[i].stage == ENDED || k->launched[i].stage == OVER);
    if (!over)
        return;
    piece_end(k);
    for (size_t i = k->first; i < k->launched_count; i++)
        if (k->launched[i].gains && (k->launched[i].stage == ENDED || k->launched[i].stage == OVER))
            launch_close(k, &k->launched[i]);
}

/* ---- what it tells */
static void gain_tell(const struct kernel_counters *k, struct sim_kernel_counter *row, uint32_t counter,
                      const struct gain *gain, sim_kernel_counter_fn fn, void *arg)
{
    const uint64_t values[] = {gain->alone, gain->shared};
    row->location = k->named[counter].location;
    row->what = k->named[counter].what;
    row->unit = k->named[counter].unit;
    for (unsigned i = 0; i < 2; i++) {
        row->shared = i != 0;
        row->value = values[i];
        if (row->value)
            fn(arg, row);
    }
}

void kernel_counters_tell(struct kernel_counters *k, sim_kernel_counter_fn fn, void *arg)
{
    struct sim_kernel_counter row = {.outside = true};
    piece_end(k);
    for (uint32_t c = 0; c < k->count && c < k->outside_room; c++)
        gain_tell(k, &row, c, &k->outside[c], fn, arg);
    for (size_t i = 0; i < k->launched_count; i++) {
        const struct launched *l = &k->launched[i];
        row = (struct sim_kernel_counter){.gpu = l->gpu, .start = l->start};
        for (uint32_t n = 0; n < l->kept_count; n++)
            gain_tell(k, &row, l->kept[n].counter, &l->kept[n].gain, fn, arg);
        for (uint32_t c = 0; l->gains && c < k->count && c < l->room; c++)
            gain_tell(k, &row, c, &l->gains[c], fn, arg);
    }
}

void sim_kernel_counters(struct sim *sim, sim_kernel_counter_fn fn, void *arg)
{
    if (sim->kernels)
        kernel_counters_tell(sim->kernels, fn, arg);
}

/* SPDX-License-Identifier: Apache-2.0
 * What a machine tells of itself: counters, hashes, progress, where a wavefront belongs.
 */
#include "observe/figures.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"
#include "machine/sim_private.h"
#include "machine/warm_caches.h"
#include "observe/lockstep_tap.h"
#include "place/boards.h"
#include "place/place.h"
#include "target/golden_part.h"
#include "target/memory_parts.h"
#include "target/rtl_gpu.h"
#include "target/rtl_groups.h"

/* SGPRs of a wavefront that an RTL GPU in partitions has started; *copy: to be freed. */
static const uint32_t *sgprs_of(const struct sim *sim, unsigned gpu, const struct msg_cp_evt *evt, void **copy)
{
    struct ask ask = {.kind = PLACE_SGPRS, .memory = gpu, .a = evt->cu, .b = evt->wave};
    *copy = NULL;
    if (sim->groups == NULL || !sim_elsewhere(sim, gpu))
        return sim->groups ? rtl_groups_sgprs(sim->groups, gpu, evt->cu, evt->wave) : NULL;
    place_ask((struct sim *)(uintptr_t)sim, sim->gpus[gpu].process, &ask, NULL, copy);
    return ask.bytes ? *copy : NULL;
}

unsigned sim_group(const struct sim *sim, unsigned gpu, const struct msg_cp_evt *evt, const struct msg_cp_cmd *launch,
                   uint32_t group[3])
{
    sim = sim->turn;
    void *copy;
    const uint32_t *sgpr = sgprs_of(sim, gpu, evt, &copy);
    const bool golden = sim->options.model == SIM_GOLDEN; /* neither: a whole GPU, inside which nobody looks */
    uint64_t number = evt->start;                         /* golden */
    unsigned at = launch->user_sgprs, known = 0;
    for (unsigned d = 0; d < 3; d++) {
        bool told = launch->sys_sgprs >> d & 1;
        group[d] = sgpr && told ? sgpr[at] : sgpr || !golden ? 0 : (uint32_t)(number % launch->groups[d]);
        number /= launch->groups[d];
        at += told;
        known |= (unsigned)((told && (sgpr || golden)) || launch->groups[d] == 1) << d;
    }
    free(copy);
    return known;
}

/* ---- counters */
struct counting {
    figures_fn fn;
    void *arg;
    uint32_t number;
};

static void counter_number(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    const struct counting *c = arg;
    c->fn(c->arg, c->number, location, name, value, unit);
}

void figures_counters_here(struct sim *sim, figures_fn fn, void *arg)
{
    for (uint32_t i = 0; i < sim->sched.count; i++) {
        struct part *part = sim->sched.parts[i];
        struct counting c = {fn, arg, part->number};
        part->over = sim->over;
        if (part->ops->counters)
            part->ops->counters(part, counter_number, &c);
    }
}

/* Those of several processes, to be told in the order of one. */
struct counter {
    struct place_counter head;
    uint64_t order; /* among those of its partition */
    char *texts;
};
struct counters {
    struct counter *list;
    size_t count, room;
};

static void counter_keep(struct counters *all, const struct place_counter *head, const char *texts)
{
    all->list = xgrow(all->list, &all->room, all->count + 1, sizeof *all->list);
    struct counter *c = &all->list[all->count];
    *c = (struct counter){*head, all->count, xcalloc(1, head->bytes)};
    memcpy(c->texts, texts, head->bytes);
    all->count++;
}

static void counter_collect(void *arg, uint32_t number, const char *location, const char *name, uint64_t value,
                            const char *unit)
{
    char texts[256];
    int bytes = snprintf(texts, sizeof texts, "%s%c%s%c%s", location, 0, name, 0, unit) + 1;
    PART_CHECK(bytes > 0 && (size_t)bytes <= sizeof texts, NULL, 0, "counter %s of %s", name, location);
    counter_keep(arg, &(struct place_counter){value, number, (uint32_t)bytes}, texts);
}

static void counters_receive(struct sim *sim, uint32_t process, struct counters *all)
{
    struct ask ask = {.kind = PLACE_COUNTERS};
    void *bytes;
    place_ask(sim, process, &ask, NULL, &bytes);
    for (const char *at = bytes, *end = at + ask.bytes; at < end;) {
        struct place_counter head;
        memcpy(&head, at, sizeof head);
        counter_keep(all, &head, at + sizeof head);
        at += sizeof head + head.bytes;
    }
    free(bytes);
}

static int counter_compare(const void *a, const void *b)
{
    const struct counter *x = a, *y = b;
    if (x->head.number != y->head.number)
        return x->head.number < y->head.number ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void counters_tell(struct counters *all, sim_counter_fn fn, void *arg)
{
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, counter_compare);
    for (size_t i = 0; i < all->count; i++) {
        const struct counter *c = &all->list[i];
        const char *name = c->texts + strlen(c->texts) + 1;
        fn(arg, c->texts, name, c->head.value, name + strlen(name) + 1);
        free(c->texts);
    }
    free(all->list);
}

static void lockstep_counters(struct sim *sim, sim_counter_fn fn, void *arg)
{
    uint64_t compared = lockstep_tap_compared(sim->tap), observed = lockstep_tap_observed(sim->tap);
    for (uint32_t i = 1; i <= place_workers(sim); i++) {
        struct ask ask = {.kind = PLACE_COMPARED};
        void *bytes;
        place_ask(sim, i, &ask, NULL, &bytes);
        compared += ask.a;
        observed += ask.bytes == sizeof observed ? *(uint64_t *)bytes : 0;
        free(bytes);
    }
    fn(arg, "lockstep", "compared", compared, "count");
    fn(arg, "lockstep", "observed", observed, "count");
}

void sim_counters(struct sim *sim, sim_counter_fn fn, void *arg)
{
    struct counters all = {.list = NULL};
    figures_counters_here(sim, counter_collect, &all);
    for (uint32_t i = 1; i <= place_workers(sim); i++)
        counters_receive(sim, i, &all);
    counters_tell(&all, fn, arg);
    for (unsigned g = 0; sim->twin && g < sim->gpu_count; g++) {
        struct part *golden = sim->twin->gpus[g].golden;
        golden->ops->counters(golden, fn, arg);
    }
    if (sim->warm)
        warm_counters(sim->warm, fn, arg);
    if (sim->tap)
        lockstep_counters(sim, fn, arg);
}

void figures_settle(struct sim *sim)
{
    if (sim->tap)
        lockstep_tap_settle(sim->tap);
    place_sum(sim, PLACE_SETTLE);
}

/* ---- hash and progress */
void sim_models(const struct sim *sim, void (*fn)(void *arg, const char *key, const char *tools), void *arg)
{
    if (sim->rtl)
        rtl_machine_models(sim->rtl, fn, arg);
}

void sim_boards(struct sim *sim, sim_board_fn fn, void *arg)
{
    boards_figures(rtl_machine_boards(sim->rtl), fn, arg);
    for (uint32_t i = 1; sim->rtl && i <= place_workers(sim); i++) {
        struct ask ask = {.kind = PLACE_BOARDS};
        void *bytes;
        place_ask(sim, i, &ask, NULL, &bytes);
        for (uint64_t n = 0; n < ask.bytes / sizeof(struct sim_board); n++)
            fn(arg, (const struct sim_board *)bytes + n);
        free(bytes);
    }
}

/* One number of a GPU that runs elsewhere. */
static uint64_t asked(const struct sim *sim, enum place_ask kind, unsigned gpu)
{
    struct ask ask = {.kind = kind, .memory = gpu};
    place_ask((struct sim *)(uintptr_t)sim, sim->gpus[gpu].process, &ask, NULL, NULL);
    return ask.a;
}

uint64_t figures_hash_here(const struct sim *sim, unsigned gpu)
{
    const struct sim_gpu *g = &sim->gpus[gpu];
    return g->golden ? golden_part_written(g->golden) : store_hash(g->store);
}

uint64_t figures_ended_here(const struct sim *sim, unsigned gpu)
{
    const struct sim_gpu *g = &sim->gpus[gpu];
    return g->golden ? golden_part_groups(g->golden) : sim->rtl ? rtl_machine_ended(sim->rtl, gpu) : 0;
}

uint64_t figures_hash(const struct sim *sim, unsigned gpu)
{
    if (sim_elsewhere(sim, gpu))
        return asked(sim, PLACE_HASH, gpu);
    return sim->gpus[gpu].store || sim->gpus[gpu].golden ? figures_hash_here(sim, gpu) : 0;
}

uint64_t sim_write_hash(const struct sim *sim)
{
    uint64_t hashes[258] = {0};
    unsigned n = 0;
    for (unsigned g = 0; g < sim->gpu_count && g < 256; g++) {
        if (sim->gpus[g].store || sim->gpus[g].golden || sim_elsewhere(sim, g))
            hashes[n++] = figures_hash(sim, g);
    }
    if (sim->hostmem)
        hashes[n++] = hostmem_hash(sim->hostmem);
    if (sim->twin)
        hashes[n++] = sim_write_hash(sim->twin);
    return XXH64(hashes, n * sizeof *hashes, 0);
}

uint64_t sim_groups(const struct sim *sim, unsigned gpu)
{
    if (sim->twin)
        return figures_ended_here(sim, gpu) + sim_groups(sim->twin, gpu);
    return sim_elsewhere(sim, gpu) ? asked(sim, PLACE_ENDED, gpu) : figures_ended_here(sim, gpu);
}

uint64_t figures_issued_here(const struct sim *sim)
{
    uint64_t sum = sim->twin ? sim_instructions(sim->twin) : 0;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        if (sim->gpus[g].golden)
            sum += golden_part_instructions(sim->gpus[g].golden);
        else if (sim->rtl && sim_has(sim, g) && !sim_elsewhere(sim, g))
            sum += rtl_machine_issued(sim->rtl, g);
    }
    return sum;
}

uint64_t sim_instructions(const struct sim *sim)
{
    return figures_issued_here(sim) + place_sum((struct sim *)(uintptr_t)sim, PLACE_ISSUED);
}

uint64_t figures_moved(struct sim *sim)
{
    return watchdog_sent(sim) + figures_issued_here(sim) + place_sum(sim, PLACE_MOVED);
}

uint64_t watchdog_sent(const struct sim *sim)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sim->sched.wire_count; i++)
        sum += sim->sched.wires[i]->from ? sim->sched.wires[i]->channel.sent : 0;
    return sum;
}

struct part *sim_part(const struct sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->sched.count; i++)
        if (strcmp(sim->sched.parts[i]->name, name) == 0)
            return sim->sched.parts[i];
    return NULL;
}

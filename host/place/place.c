/* SPDX-License-Identifier: Apache-2.0
 * Processes of a machine; contract in place.h.
 */
#include "place/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/peers.h"
#include "bridge/run/sched_links.h"
#include "config/config.h"
#include "config/placement.h"
#include "machine/sim_private.h"
#include "place/place_private.h"
#include "record/record.h"
#include "vm/pmem.h"

#define GREET_SECONDS 600 /* for building models' instances: the end of a process is seen at once */
#define LEAVE_SECONDS 20  /* for the last bytes of waves */
#define LEAVE_MS 100      /* between two looks at a worker that leaves */

/* ---- what all agree on */
static void key_add(void *arg, const char *key, const char *tools)
{
    XXH64_state_t *hash = arg;
    (void)tools;
    XXH64_update(hash, key, strlen(key) + 1);
}

static struct hello hello_of(const struct sim *sim)
{
    char rtl[20], graph[20], config[20], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    config_print(out, sim->cfg);
    fclose(out);
    XXH64_state_t *hash = XXH64_createState();
    PART_CHECK(hash, NULL, 0, "out of memory");
    XXH64_reset(hash, 0);
    models_walk(&sim->place->models, key_add, hash);
    snprintf(rtl, sizeof rtl, "%016" PRIx64, (uint64_t)XXH64_digest(hash));
    snprintf(config, sizeof config, "%016" PRIx64, (uint64_t)XXH64(text, size, 0));
    cut_plan_text(&sim->place->plan, graph);
    XXH64_freeState(hash);
    free(text);
    return hello_make(rtl, graph, config, sim->options.seed);
}

/* The machine is assembled without any partition, for its links. */
static bool plan_make(struct sim *sim)
{
    struct place *p = sim->place;
    struct sim plan = {.cfg = sim->cfg,
                       .memory = sim->memory,
                       .options = sim->options,
                       .self = SIM_NOWHERE,
                       .process = p->process,
                       .models = &p->models};
    sched_init(&plan.sched);
    plan.sched.cut = cut_planner(&p->plan);
    bool ok = machine_build(&plan) && !p->plan.failed;
    machine_scrap(&plan);
    return ok;
}

static bool region_make(struct place *p)
{
    const char *names[PLACE_GPUS];
    for (uint32_t i = 0; i < p->count; i++) {
        snprintf(p->names[i], PLACE_NAME, i ? "worker%u" : "gantry", (unsigned)i);
        names[i] = p->names[i];
    }
    struct region_plan plan = {
        .processes = names, .process_count = p->count, .links = p->plan.links, .link_count = p->plan.count, .host = 0};
    p->region_fd = region_create(&plan);
    return p->region_fd >= 0;
}

static bool region_enter(struct sim *sim)
{
    struct place *p = sim->place;
    struct hello hello = hello_of(sim);
    unsigned threads = sim->options.threads ? sim->options.threads : 1;
    p->region = region_open(p->region_fd, sim->self, &hello, threads);
    close(p->region_fd);
    p->region_fd = -1;
    p->cut.carrier = (struct carrier){&transport_shm, p->region};
    sim->sched.cut = cut_here(&p->cut);
    return p->region != NULL;
}

/* ---- beginning and end */
static int worker_begin(void *ctx, uint32_t self, int socket)
{
    struct sim *sim = ctx;
    sim->self = self;
    pmem_windows_inherit(sim->memory, getppid());
    return region_enter(sim) ? sim->place->work(sim, socket) : status_exit(STATUS_INTERNAL);
}

static bool refuse(const struct sim *sim, enum gantry_status status, const char *place, const char *why)
{
    if (why)
        diag(place, "%s", why);
    if (sim->options.failure)
        *sim->options.failure = status;
    return false;
}

static bool wanted(const struct sim *sim)
{
    return sim->cfg->place_processes > 1 && sim->options.only == 0;
}

bool place_begin(struct sim *sim, int (*work)(struct sim *sim, int socket))
{
    struct wave wave = {.scope = ""};
    char why[200];
    if (!wanted(sim))
        return true;
    if (sim->options.both)
        return refuse(sim, STATUS_USAGE, "--roi", "not with place.processes above 1");
    struct place *p = sim->place = xcalloc(1, sizeof *p);
    p->region_fd = -1;
    p->work = work;
    p->count = sim->cfg->place_processes;
    sim->process = p->process;
    sim->models = &p->models;
    if (placement_read(sim->cfg, p->process, why, sizeof why))
        return refuse(sim, STATUS_CONFIG, "place", why);
    if (sim->options.model == SIM_RTL && ((sim->options.wave && !wave_parse(&wave, sim->options.wave)) ||
                                          !models_load(&p->models, sim->cfg, &sim->options, &wave)))
        return false;
    if (!plan_make(sim))
        return false;
    if (!region_make(p))
        return refuse(sim, STATUS_IO, NULL, NULL);
    if (sim->options.record && !record_share(sim->options.record, sim->memory, sim->cfg->system_gpus, true))
        return refuse(sim, STATUS_IO, NULL, NULL);
    p->workers = workers_start(p->count - 1, worker_begin, sim);
    return p->workers && region_enter(sim) ? true : refuse(sim, STATUS_IO, NULL, NULL);
}

/* Workers that are stopped before they have joined, or that leave: told of the first.  `what` becomes of that. */
static bool stopped_tell(const struct place *p, const char *what)
{
    for (uint32_t i = 0; p->workers && i < p->workers->count; i++) {
        const struct worker *w = &p->workers->list[i];
        if (w->pid == 0 || !peers_is_stopped(w->pid))
            continue;
        diag("place", "process %s (pid %d) is stopped%s", p->names[i + 1], (int)w->pid, what);
        return true;
    }
    return false;
}

/* The others' beginning is waited for. */
struct greeting {
    struct sim *sim;
    uint64_t begin;
    bool told;
};

static bool greeting_unwanted(void *ctx)
{
    struct greeting *g = ctx;
    const struct sim_options *o = &g->sim->options;
    if (!g->told && peers_clock() - g->begin > PEERS_PATIENCE_NS)
        g->told = stopped_tell(g->sim->place, "; the run waits until it goes on");
    return o->unwanted && o->unwanted(o->unwanted_arg);
}

bool place_join(struct sim *sim)
{
    struct greeting greeting = {.sim = sim, .begin = peers_clock()};
    struct place *p = sim->place;
    if (p->cut.failed)
        return refuse(sim, STATUS_INTERNAL, NULL, NULL);
    if (sim->tap)
        sim->sched.stretch = 1;
    sched_join(&sim->sched, p->region);
    for (uint32_t i = 0; p->workers && i < p->workers->count; i++)
        peers_watch(p->region, i + 1, p->workers->list[i].pidfd);
    if (!peers_greet_wanted(p->region, GREET_SECONDS, sim->self == 0 ? greeting_unwanted : NULL, &greeting)) {
        place_give_up(sim);
        return false;
    }
    if (sim->self == 0)
        place_watch(sim);
    return true;
}

void place_refused(struct sim *sim)
{
    peers_give_up(sim->place->region);
}

/* They flush what they have written.  One that is stopped, and nobody waits for any more, is not waited for. */
static void workers_leave(struct sim *sim)
{
    struct place *p = sim->place;
    const uint64_t begin = peers_clock();
    for (uint32_t i = 0; p->workers && i < p->workers->count && !p->lost; i++) {
        while (!workers_ended(p->workers, i + 1, LEAVE_MS) && !p->lost) {
            const uint64_t waited = peers_clock() - begin;
            if (waited > LEAVE_SECONDS * UINT64_C(1000000000))
                return;
            if (waited > PEERS_PATIENCE_NS && stopped_tell(p, " and the run is over: it is ended as it is"))
                place_give_up(sim);
        }
    }
}

void place_end(struct sim *sim)
{
    struct place *p = sim->place;
    if (p == NULL)
        return;
    if (sim->self == 0)
        pmem_watch(sim->memory, NULL);
    region_close(p->region);
    workers_leave(sim);
    workers_finish(p->workers, p->lost ? 1 : 0);
    models_free(&p->models);
    cut_plan_fini(&p->plan);
    close(p->region_fd); /* -1: nothing happens */
    free(p);
    sim->place = NULL;
}

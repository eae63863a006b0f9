/* SPDX-License-Identifier: Apache-2.0
 * The whole machine in a file; contract in checkpoint.h.
 */
#include "checkpoint/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bridge/run/sched_save.h"
#include "checkpoint/checkpoint_file.h"
#include "checkpoint/state_shares.h"
#include "config/config.h"
#include "config/version.h"
#include "gantry_msg.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "observe/kernel_counters.h"
#include "observe/lockstep_tap.h"
#include "place/place.h"
#include "saved/state_io.h"
#include "target/rtl_groups.h"
#include "vm/pmem_save.h"

/* ---- what a machine is */
/* Where GPUs run is no part of a state: lines of those keys go. */
static void placement_strip(char *text)
{
    static const char key[] = "place.";
    char *to = text;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        n += at[n] == '\n';
        if (strncmp(at, key, sizeof key - 1) != 0) {
            memmove(to, at, n);
            to += n;
        }
        at += n;
    }
    *to = 0;
}

static char *config_text(const struct gantry_cfg *cfg)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    config_print(out, cfg);
    fclose(out);
    placement_strip(text);
    return text;
}

static void model_put(void *to, const char *key, const char *tools)
{
    (void)tools;
    state_put_text(to, key);
}

/* Of a state: what it takes to go on from it. */
static const char *kind_of(const struct sim_beside *beside)
{
    return beside && beside->memory ? "recorded" : "whole";
}

static uint64_t graph_of(struct sim *sim)
{
    return sched_graph(&sim->sched) + place_sum(sim, PLACE_GRAPH);
}

static void head_save(struct sim *sim, const char *kind, uint64_t graph, struct state_writer *to)
{
    char *config = config_text(sim->cfg);
    state_put_text(to, GANTRY_VERSION);
    state_put_text(to, kind);
    state_put_text(to, config);
    state_put_u64(to, sim->options.seed);
    state_put_u64(to, graph);
    state_put_u64(to, sim->now);
    sim_models(sim, model_put, to);
    state_put_text(to, "");
    free(config);
}

/* The first line that is another one; both texts have all keys in the same order. */
static bool config_same(struct state_reader *from, const char *saved, const char *here)
{
    while (*saved && *saved == *here) {
        size_t n = strcspn(saved, "\n"), m = strcspn(here, "\n");
        if (n != m || memcmp(saved, here, n) != 0)
            break;
        saved += n + (saved[n] == '\n');
        here += m + (here[m] == '\n');
    }
    return (*saved == 0 && *here == 0) ||
           state_refuse(from, "configuration: '%.*s' was saved, '%.*s' is here", (int)strcspn(saved, "\n"), saved,
                        (int)strcspn(here, "\n"), here);
}

static bool config_check(struct sim *sim, struct state_reader *from)
{
    char *saved = state_get_text(from), *here = config_text(sim->cfg);
    bool same = saved && config_same(from, saved, here);
    free(saved);
    free(here);
    return same;
}

struct models_check {
    struct state_reader *from;
    bool ok;
};

static void model_check(void *ctx, const char *key, const char *tools)
{
    struct models_check *c = ctx;
    (void)tools;
    c->ok = c->ok && state_get_same(c->from, "models", "model", key);
}

static bool head_check(struct sim *sim, const char *kind, uint64_t *cycle, struct state_reader *from)
{
    struct models_check models = {from, true};
    uint64_t seed, graph;
    if (!state_get_same(from, "gantry", "version", GANTRY_VERSION) || !state_get_same(from, "gantry", "state", kind) ||
        !config_check(sim, from) || !state_get_u64(from, &seed) || !state_get_u64(from, &graph) ||
        !state_get_u64(from, cycle))
        return false;
    if (seed != sim->options.seed)
        return state_refuse(from, "seed %llu was saved, %llu is here", (unsigned long long)seed,
                            (unsigned long long)sim->options.seed);
    if (sim->self == 0 && graph != graph_of(sim)) /* of a worker process 0 has seen that */
        return state_refuse(from, "its partitions and channels are others than those of this machine");
    sim_models(sim, model_check, &models);
    return models.ok && state_get_same(from, "models", "model", "");
}

/* ---- the state */
static enum gantry_status refused(const char *file, const char *what, const char *why)
{
    diag(file, "%s cannot be saved or restored: %s", what, why);
    return STATUS_USAGE;
}

static bool launches_any(const struct sim *sim)
{
    for (unsigned g = 0; g < sim->gpu_count; g++)
        for (uint32_t i = 0; i < sim->gpus[g].pending_count; i++)
            if (sim->gpus[g].pending[i].kind == CP_LAUNCH)
                return true;
    return false;
}

/* What lock step knows of wavefronts is no part of a state: only a machine without any can be saved, or taken up, under
 * it. */
static enum gantry_status savable(struct sim *sim, const char *file, bool memory)
{
    char text[120];
    const char *why;
    const struct part *part = sched_unsavable(&sim->sched, &why);
    PART_CHECK(!sim->running, NULL, sim->now, "saved or restored from a callback");
    if (part)
        return refused(file, part->name, why);
    if (sim->tap && (memory || launches_any(sim)))
        return refused(file, "lock step", "the golden model's registers are no part of the machine");
    why = memory ? pmem_unsavable(sim->memory, text, sizeof text) : NULL;
    return why ? refused(file, "memory", why) : STATUS_OK;
}

enum gantry_status sim_savable_here(struct sim *sim)
{
    const char *why;
    const struct part *part = sched_unsavable(&sim->sched, &why);
    return part ? refused("place", part->name, why) : STATUS_OK;
}

/* Partitions, messages and the host's side; shares: of a machine in several processes, else NULL. */
static void parts_save(struct sim *sim, struct shares *shares, struct state_writer *to)
{
    if (shares)
        shares_sched_save(shares, to);
    else
        sched_save(&sim->sched, to);
    sim_host_save(sim, shares ? shares_moved(shares) : figures_moved(sim), to);
    if (sim->groups && shares)
        shares_groups_save(shares, to);
    else if (sim->groups)
        rtl_groups_save(sim->groups, to);
}

enum gantry_status sim_save(struct sim *sim, const char *file, const struct sim_beside *beside)
{
    const bool memory = !beside || !beside->memory;
    struct shares *shares = NULL;
    enum gantry_status status = savable(sim, file, memory);
    if (status == STATUS_OK && sim->place)
        status = shares_collect(sim, file, &shares);
    struct checkpoint_out *out = status == STATUS_OK ? checkpoint_create(file) : NULL;
    if (!out) {
        shares_free(shares);
        return status == STATUS_OK ? STATUS_IO : status;
    }
    struct state_writer *to = checkpoint_writer(out);
    head_save(sim, kind_of(beside), shares ? shares_graph(shares) : graph_of(sim), to);
    parts_save(sim, shares, to);
    shares_free(shares);
    if (memory)
        pmem_save(sim->memory, to);
    if (beside)
        beside->save(beside->ctx, to);
    return checkpoint_commit(out);
}

/* What a process takes out of a state: its partitions, messages and, for what it needs of it, the host. */
static bool parts_restore(struct sim *sim, const char *kind, struct state_reader *from)
{
    uint64_t cycle;
    bool ok = head_check(sim, kind, &cycle, from) && sched_restore(&sim->sched, from) && sim_host_restore(sim, from) &&
              (sim->groups == NULL || rtl_groups_restore(sim->groups, from));
    return ok && (cycle == sim->now || state_refuse(from, "cycle %llu at its head, %llu behind it",
                                                    (unsigned long long)cycle, (unsigned long long)sim->now));
}

static bool lockstep_restored(struct sim *sim, struct state_reader *from)
{
    if (sim->tap && launches_any(sim))
        return state_refuse(from, "kernels run in this state: lock step can only begin before their start");
    if (sim->tap)
        lockstep_tap_restored(sim->tap, sim);
    return true;
}

static enum gantry_status restore_end(const char *file, struct checkpoint_in *in, bool ok)
{
    const struct state_reader *from = checkpoint_reader(in);
    if (!ok)
        diag(file, "%s", *from->why ? from->why : "ends too early");
    checkpoint_close(in);
    return ok ? STATUS_OK : STATUS_DATA;
}

enum gantry_status sim_restore_here(struct sim *sim, const char *file, bool beside)
{
    struct checkpoint_in *in = NULL;
    enum gantry_status status = savable(sim, file, !beside);
    if (status == STATUS_OK)
        status = checkpoint_open(file, &in);
    if (status != STATUS_OK)
        return status;
    struct state_reader *from = checkpoint_reader(in);
    bool ok = parts_restore(sim, beside ? "recorded" : "whole", from) && lockstep_restored(sim, from);
    return restore_end(file, in, ok);
}

/* They rest at the beginning until process 0 goes on. */
static enum gantry_status workers_restore(struct sim *sim, const char *file, bool beside)
{
    enum gantry_status status = STATUS_OK;
    for (uint32_t i = 1; i <= place_workers(sim) && status == STATUS_OK; i++) {
        struct ask ask = {.kind = PLACE_RESTORE, .a = beside, .bytes = strlen(file)};
        status = place_ask(sim, i, &ask, file, NULL) ? (enum gantry_status)ask.a : place_lost(sim);
    }
    return status;
}

enum gantry_status sim_restore(struct sim *sim, const char *file, const struct sim_beside *beside)
{
    struct checkpoint_in *in = NULL;
    const bool memory = !beside || !beside->memory;
    enum gantry_status status = savable(sim, file, memory);
    if (status == STATUS_OK)
        status = checkpoint_open(file, &in);
    if (status != STATUS_OK)
        return status;
    struct state_reader *from = checkpoint_reader(in);
    uint8_t more;
    bool ok = parts_restore(sim, kind_of(beside), from) && (!memory || pmem_restore(sim->memory, from)) &&
              (beside == NULL || beside->restore(beside->ctx, from)) && lockstep_restored(sim, from);
    if (ok && STATE_GET(from, more))
        ok = state_refuse(from, "holds more than this machine");
    status = restore_end(file, in, ok);
    if (status == STATUS_OK)
        status = workers_restore(sim, file, !memory);
    if (status == STATUS_OK)
        sim->watch_sent = figures_moved(sim) - sim->watch_sent;
    if (status == STATUS_OK && sim->kernels)
        kernel_counters_restored(sim->kernels);
    return status;
}

uint64_t sim_state_hash(struct sim *sim)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    state_put_u64(&hash.writer, sched_state_hash(&sim->sched));
    sim_host_save(sim, figures_moved(sim), &hash.writer);
    if (sim->groups)
        rtl_groups_save(sim->groups, &hash.writer);
    pmem_save(sim->memory, &hash.writer);
    return state_hash_end(&hash);
}

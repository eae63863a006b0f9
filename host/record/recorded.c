/* SPDX-License-Identifier: Apache-2.0
 * The folder of a checkpoint, and the state of a recorded run in it; contract in recorded.h.
 */
#include "record/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "checkpoint/checkpoint.h"
#include "machine/sim_private.h"
#include "record/record_format.h"
#include "record/shadow.h"
#include "saved/state_io.h"
#include "vm/pmem_save.h"

/* ---- what stands beside the machine */
struct saving {
    struct sim *sim;
    const struct recorded *place;
};

static void place_save(void *ctx, struct state_writer *to)
{
    const struct saving *s = ctx;
    const struct recorded *p = s->place;
    state_put_u64(to, p->journal.bytes);
    state_put_u64(to, p->journal.chain);
    state_put_u64(to, p->host);
    state_put_u64(to, p->kernels);
    for (unsigned g = 0; g < p->gpus; g++) {
        state_put_u64(to, p->memory[g]);
        if (p->shadows && p->shadows[g])
            shadow_save(p->shadows[g], to);
        else
            pmem_contents_save(s->sim->memory, g, to);
    }
    state_put_u64(to, p->memory[p->gpus]);
}

struct restoring {
    struct sim *sim;
    recorded_go go;
    void *ctx;
};

static bool place_restore(void *ctx, struct state_reader *from)
{
    const struct restoring *r = ctx;
    struct recorded p = {.gpus = r->sim->gpu_count};
    if (!state_get_u64(from, &p.journal.bytes) || !state_get_u64(from, &p.journal.chain) ||
        !state_get_u64(from, &p.host) || !state_get_u64(from, &p.kernels))
        return false;
    for (unsigned g = 0; g < p.gpus; g++)
        if (!state_get_u64(from, &p.memory[g]) || !pmem_contents_restore(r->sim->memory, g, from))
            return false;
    if (!state_get_u64(from, &p.memory[p.gpus]))
        return false;
    const char *why = r->go(r->ctx, &p);
    return why == NULL || state_refuse(from, "%s", why);
}

/* ---- the folder */
static bool recording_link(const char *recording, const char *name)
{
    if (link(recording, name) == 0)
        return true;
    char *whole = realpath(recording, NULL);
    bool ok = whole && symlink(whole, name) == 0;
    free(whole);
    return ok;
}

static void part_remove(const char *part, const char *state, const char *recording)
{
    unlink(state);
    unlink(recording);
    rmdir(part);
}

static enum gantry_status lost(const char *dir)
{
    diag(dir, "%s", strerror(errno));
    return STATUS_IO;
}

enum gantry_status recorded_save(struct sim *sim, const struct recorded *place, const char *recording, const char *dir)
{
    struct saving saving = {sim, place};
    const struct sim_beside beside = {.save = place_save, .ctx = &saving, .memory = true};
    char *part = xasprintf("%s.part-%d", dir, (int)getpid());
    char *state = xasprintf("%s/" CHECKPOINT_STATE, part), *input = xasprintf("%s/" RECORD_FILE, part);
    enum gantry_status status = STATUS_OK;
    if (mkdir(part, 0777) != 0) {
        status = lost(dir);
    } else {
        status = sim_save(sim, state, &beside);
        if (status == STATUS_OK && (!recording_link(recording, input) || rename(part, dir) != 0))
            status = lost(dir);
        if (status != STATUS_OK)
            part_remove(part, state, input);
    }
    free(part);
    free(state);
    free(input);
    return status;
}

enum gantry_status recorded_restore(struct sim *sim, const char *dir, recorded_go go, void *ctx)
{
    struct restoring restoring = {sim, go, ctx};
    const struct sim_beside beside = {.restore = place_restore, .ctx = &restoring, .memory = true};
    char *state = xasprintf("%s/" CHECKPOINT_STATE, dir);
    enum gantry_status status = sim_restore(sim, state, &beside);
    free(state);
    return status;
}

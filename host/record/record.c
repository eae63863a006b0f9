/* SPDX-License-Identifier: Apache-2.0
 * Recording a run; contract in record.h, layout in record_format.h.
 */
#include "record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/region_wait.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "place/place.h"
#include "record/message_log.h"
#include "record/part_log.h"
#include "record/record_format.h"
#include "record/record_private.h"
#include "record/recorded.h"
#include "record/shadow.h"
#include "saved/journal.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define COMMIT_SECONDS 0.25 /* so much is lost at most when the command is killed */
#define COMMIT_BYTES ((size_t)1 << 20)
#define LOOK_SHARE 100 /* looking for changes that nobody announced takes a hundredth of the time at most */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct record *record_open(const char *dir, char *const *parts, unsigned count, enum gantry_status *failure)
{
    *failure = STATUS_IO;
    if (mkdir(dir, 0777) != 0) {
        diag(dir, "%s", errno == EEXIST ? "exists already: a recording makes its folder" : strerror(errno));
        if (errno == EEXIST)
            *failure = STATUS_USAGE;
        return NULL;
    }
    char *path = xasprintf("%s/" RECORD_FILE, dir);
    struct journal *journal = journal_create(path, RECORD_KIND, RECORD_VERSION);
    if (!journal)
        diag(path, "%s", strerror(errno));
    free(path);
    if (!journal)
        return NULL;
    struct record *r = xcalloc(1, sizeof *r);
    *r = (struct record){.journal = journal, .dir = xstrdup(dir), .parts = parts, .part_count = count};
    for (unsigned i = 0; i < count; i++)
        record_text(r, RECORD_PART, parts[i], (uint32_t)strlen(parts[i]));
    return r;
}

void record_text(struct record *r, enum record_text what, const void *text, uint32_t bytes)
{
    uint32_t head[2] = {what, bytes};
    journal_put(r->journal, STREAM_TEXT, head, sizeof head);
    journal_put(r->journal, STREAM_TEXT, text, bytes);
}

static void host_put(struct record *r, enum host_kind kind, unsigned gpu, uint64_t cycle, const void *data,
                     size_t bytes)
{
    struct host_record head = {.cycle = cycle, .bytes = (uint32_t)bytes, .kind = (uint8_t)kind, .gpu = (uint8_t)gpu};
    journal_put(r->journal, STREAM_HOST, &head, sizeof head);
    journal_put(r->journal, STREAM_HOST, data, bytes);
}

/* Of what the host does: between windows the scheduler may be a little ahead of it, by windows in which nothing was
 * when all is quiet. */
static uint64_t host_cycle(const struct sim *sim)
{
    uint64_t run = sim->sched.now;
    if (sim->place) /* since then nobody was visited, in no process: as good as any cycle up to that of the rest */
        run = region_active(sim->sched.region);
    else if (sched_quiet(&sim->sched))
        run = sched_active(&sim->sched);
    return sim->now > run ? sim->now : run;
}

void record_command(struct record *r, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    host_put(r, HOST_COMMAND, gpu, r->sim->now, cmd, sizeof *cmd);
}

void record_event(struct record *r, unsigned gpu, const struct msg_cp_evt *evt)
{
    host_put(r, HOST_EVENT, gpu, r->sim->now, evt, sizeof *evt);
}

void record_access(struct record *r, unsigned lane, const struct msg_mem_req *req, bool overlap)
{
    const struct access_record record = {*req, overlap};
    host_put(r, HOST_ACCESS, lane ? lane - 1 : RECORD_HOST, r->sim->now, &record, sizeof record);
}

/* Host memory's answers are those of STREAM_PORT. */
void record_answer(struct record *r, unsigned lane, const struct msg_mem_rsp *rsp)
{
    if (lane)
        host_put(r, HOST_ANSWER, lane - 1, r->sim->now, rsp, sizeof *rsp);
}

void record_kernel(struct record *r, uint64_t number)
{
    host_put(r, HOST_KERNEL, 0, r->sim->now, &number, sizeof number);
    r->kernels++;
}

void record_changed(struct record *r)
{
    r->changed = true;
}

static void patch_put(void *ctx, unsigned gpu, uint64_t at, const void *data, size_t bytes)
{
    struct record *r = ctx;
    struct host_record head = {
        .cycle = host_cycle(r->sim), .bytes = (uint32_t)(sizeof at + bytes), .kind = HOST_PATCH, .gpu = (uint8_t)gpu};
    journal_put(r->journal, STREAM_HOST, &head, sizeof head);
    journal_put(r->journal, STREAM_HOST, &at, sizeof at);
    journal_put(r->journal, STREAM_HOST, data, bytes);
}

static void mark_put(struct record *r, enum host_kind kind)
{
    uint64_t hashes[256];
    for (unsigned g = 0; g < r->sim->gpu_count; g++)
        hashes[g] = figures_hash(r->sim, g);
    host_put(r, kind, 0, kind == HOST_END ? r->sim->now : host_cycle(r->sim), hashes,
             r->sim->gpu_count * sizeof *hashes);
}

/* The run goes on without its recording; record_close tells it once more by its status. */
static void full_tell(struct record *r)
{
    if (!r->told && journal_error(r->journal))
        diag(r->dir, "the recording ends at cycle %llu: %s", (unsigned long long)(r->sim ? r->sim->now : 0),
             strerror(journal_error(r->journal)));
    r->told = r->told || journal_error(r->journal);
}

static void changes_look(struct record *r)
{
    double begin = seconds();
    for (unsigned g = 0; g < r->sim->gpu_count; g++)
        if (r->shadows[g])
            shadow_update(r->shadows[g], patch_put, r);
    r->changed = false;
    r->changes = pmem_changes(r->sim->memory);
    r->look_end = seconds();
    r->look_cost = r->look_end - begin;
}

static void cut(struct record *r)
{
    r->cut = true;
    journal_cut(r->journal);
}

static void commit(struct record *r, enum host_kind kind)
{
    mark_put(r, kind);
    if (!record_gather(r)) /* a worker is lost, and with it what has entered its GPUs since the last commit */
        cut(r);
    journal_commit(r->journal);
    full_tell(r);
    r->commit_at = seconds() + COMMIT_SECONDS;
}

void record_window(struct record *r)
{
    if (r->unrest)
        return;
    double now = seconds();
    bool surely = r->changed || pmem_changes(r->sim->memory) != r->changes;
    if (surely || now - r->look_end > LOOK_SHARE * r->look_cost)
        changes_look(r);
    if (now >= r->commit_at || journal_pending(r->journal) >= COMMIT_BYTES)
        commit(r, HOST_MARK);
}

char *record_file(const struct record *r)
{
    return xasprintf("%s/" RECORD_FILE, r->dir);
}

enum gantry_status record_place(struct record *r, struct recorded *place)
{
    bool told = r->told;
    if (r->unrest) {
        diag(r->dir, "processes do not come to rest: nothing can be saved");
        return STATUS_IO;
    }
    changes_look(r);
    commit(r, HOST_MARK);
    *place = (struct recorded){.gpus = r->sim->gpu_count,
                               .kernels = r->kernels,
                               .journal = journal_place(r->journal),
                               .host = journal_put_bytes(r->journal, STREAM_HOST),
                               .shadows = r->shadows};
    for (unsigned g = 0; g <= place->gpus; g++)
        place->memory[g] = journal_put_bytes(r->journal, r->memory[g].stream);
    if (r->cut) /* a worker is lost, and told */
        return STATUS_IO;
    if (journal_error(r->journal) && told)
        diag(r->dir, "the recording has ended before: %s", strerror(journal_error(r->journal)));
    return journal_error(r->journal) ? STATUS_IO : STATUS_OK;
}

/* ---- begin and end */
/* Of a GPU that another process runs: kept there. */
static bool runs_elsewhere(const struct sim *sim, const char *name)
{
    unsigned gpu;
    return sscanf(name, "gpu%u.", &gpu) == 1 && gpu < sim->gpu_count ? sim_elsewhere(sim, gpu) : sim->self != 0;
}

static bool part_add(struct record *r, const char *name, bool far, unsigned in, unsigned out)
{
    struct part *part = sim_part(r->sim, name);
    if (part)
        r->logs[r->log_count++] =
            part_log_new(part, far ? part_slots_far(part) : part_slots_all(part), r->journal, in, out);
    else if (!runs_elsewhere(r->sim, name))
        diag("--record", "no part of the machine is called '%s'", name);
    return part || runs_elsewhere(r->sim, name);
}

bool record_share(struct record *r, struct pmem *memory, unsigned gpus, bool shared)
{
    r->shadows = xcalloc(gpus, sizeof(struct shadow *));
    r->shadow_count = gpus;
    for (unsigned g = 0; g < gpus; g++) {
        r->shadows[g] = shadow_new(memory, g, shared);
        if (!r->shadows[g]) {
            diag(r->dir, "no address space for a copy of the memory of gpu%u", g);
            return false;
        }
    }
    return true;
}

bool record_attach(struct record *r, struct sim *sim)
{
    r->sim = sim;
    r->logs = xcalloc(sim->gpu_count + r->part_count, sizeof(struct part_log *));
    r->memory = xcalloc(sim->gpu_count + 1u, sizeof *r->memory);
    r->memory[sim->gpu_count].stream = STREAM_PORT;
    if (!r->shadows && !record_share(r, sim->memory, sim->gpu_count, false))
        return false;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        char rdma[40];
        r->memory[g].stream = STREAM_MEMORY(g);
        if (!sim->gpus[g].store) {
            shadow_free(r->shadows[g]);
            r->shadows[g] = NULL;
            continue;
        }
        if (sim_elsewhere(sim, g))
            continue;
        store_shadow(sim->gpus[g].store, r->shadows[g]);
        snprintf(rdma, sizeof rdma, "gpu%u.rdma", g);
        if (sim->gpu_count > 1 && !part_add(r, rdma, true, STREAM_FAR(g), 0))
            return false;
    }
    if (sim->self == 0)
        r->served = hostmem_serve_by(sim->hostmem, (struct hostmem_server){record_serve, r});
    for (unsigned i = 0; i < r->part_count; i++)
        if (!part_add(r, r->parts[i], false, STREAM_PART_IN(i), STREAM_PART_OUT(i)))
            return false;
    return true;
}

unsigned record_parts(const struct record *r)
{
    return r->part_count;
}

void record_detach(struct record *r)
{
    if (!r->sim)
        return;
    while (r->log_count) /* the one put on last first */
        part_log_free(r->logs[--r->log_count]);
    for (unsigned g = 0; g < r->sim->gpu_count; g++) {
        if (r->sim->gpus[g].store && !sim_elsewhere(r->sim, g))
            store_shadow(r->sim->gpus[g].store, NULL);
        message_log_fini(&r->memory[g]);
    }
    message_log_fini(&r->memory[r->sim->gpu_count]);
    if (r->served.serve)
        hostmem_serve_by(r->sim->hostmem, r->served);
    r->sim->options.record = NULL;
    r->sim = NULL;
    free(r->logs);
    free(r->memory);
}

enum gantry_status record_close(struct record *r, bool whole)
{
    if (!r)
        return STATUS_OK;
    whole = whole && r->sim; /* nothing ran: not a recording */
    if (r->sim && !r->unrest && !place_left(r->sim))
        commit(r, HOST_END); /* asks the workers, and may find one stopped */
    const bool unrest = r->sim && (r->unrest || place_left(r->sim));
    if (unrest) {
        cut(r);
        diag(r->dir, "the recording ends before the run: processes did not come to rest");
    }
    if (unrest || !r->sim)
        journal_commit(r->journal);
    full_tell(r);
    if (r->sim)
        record_detach(r);
    bool told = r->told, ok = journal_close(r->journal, whole);
    if (!ok && !told)
        diag(r->dir, "the recording is not whole: %s", strerror(errno));
    for (unsigned g = 0; g < r->shadow_count; g++)
        shadow_free(r->shadows[g]);
    free(r->shadows);
    free(r->dir);
    free(r);
    return ok && !unrest ? STATUS_OK : STATUS_IO;
}

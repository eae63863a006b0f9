/* SPDX-License-Identifier: Apache-2.0
 * Replays; contract in replays.h.
 */
#include "lib/replays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kept.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "lib/gantry.h"
#include "machine/sim.h"
#include "metrics/metrics.h"

bool replay_may_set(const char *setting)
{
    if (strncmp(setting, "place.", strlen("place.")) == 0 ||
        strncmp(setting, "metrics.kernels=", strlen("metrics.kernels=")) == 0)
        return true;
    diag("--set", "'%s' is the recording's: only keys place.* and metrics.kernels can be set", setting);
    return false;
}

enum gantry_status replay_config(const char *dir, const char *const *settings, size_t count, bool lockstep,
                                 struct config *config, struct replay **replay)
{
    /* where its GPUs ran is not asked of those who replay it */
    static const char *const here[] = {"place.processes=1", "place.gpus=", "place.boards="};
    enum gantry_status status = STATUS_OK;
    uint32_t bytes;

    *replay = replay_open(dir, &status);
    if (!*replay)
        return status;
    const char *text = replay_text(*replay, RECORD_CONFIG, &bytes);
    int fd = memfd_create("configuration", MFD_CLOEXEC);
    char path[32];

    if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes) {
        diag(dir, "no memory for its configuration: %s", strerror(errno));
        close(fd); /* -1: nothing happens */
        return STATUS_IO;
    }
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    status = config_load(config, path);
    config->file = dir;
    close(fd);
    for (unsigned i = 0; i < sizeof here / sizeof *here && status == STATUS_OK; i++)
        status = config_set(config, dir, here[i]);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = replay_may_set(settings[i]) ? config_set(config, "--set", settings[i]) : STATUS_USAGE;
    /* checks that a live run made may need what this one does not have */
    config->cfg.check_lds = config->cfg.check_lds && lockstep;
    return status;
}

/* The recorded rows with their names; NULL: one of them has none. */
static struct kernel_row *rows_get(const struct replay *replay, const struct kernel_row *recorded, uint32_t count)
{
    uint32_t bytes;
    const char *names = replay_text(replay, RECORD_NAMES, &bytes);
    struct kernel_row *rows = xcalloc((size_t)count + 1, sizeof *rows);

    for (uint32_t i = 0; i < count && rows; i++) {
        const uintptr_t at = (uintptr_t)recorded[i].name;
        rows[i] = recorded[i];
        if (names && at < bytes) { /* a text has a NUL behind its last byte */
            rows[i].name = text_kept(names + at);
        } else {
            free(rows);
            rows = NULL;
        }
    }
    return rows;
}

/* Fill in what only the recorded run could know: kernel table, its cycles, data.  The rows, new; NULL: it was cut off
 * before, or is damaged. */
static struct kernel_row *recorded_find(const struct replay *replay, struct summary *summary)
{
    uint32_t bytes, row_bytes;
    const struct replay_result *result = replay_text(replay, RECORD_RESULT, &bytes);
    const struct kernel_row *recorded = replay_text(replay, RECORD_ROWS, &row_bytes);

    if (!result || !recorded || bytes != sizeof(*result) || result->row_bytes != sizeof(*recorded) ||
        row_bytes != result->row_count * sizeof(*recorded))
        return NULL;
    struct kernel_row *rows = rows_get(replay, recorded, result->row_count);
    if (!rows)
        return NULL;
    summary->rows = rows;
    summary->row_count = result->row_count;
    summary->cycles = result->cycles;
    summary->hash = result->hash;
    summary->data = result->data;
    summary->counters = result->counters;
    summary->complete = result->complete;
    summary->repeatable = result->repeatable;
    summary->lockstep = result->lockstep;
    return rows;
}

bool replay_counters_comparable(const struct summary *recorded, bool lockstep, bool part)
{
    return lockstep == recorded->lockstep && !(recorded->lockstep && part);
}

/* The figures of the end against those recorded; false with one line. */
static bool figures_compare(const struct summary *recorded, struct sim *sim, bool lockstep, bool part)
{
    uint64_t hash = summary_hash(recorded->rows, recorded->row_count, sim);

    if (hash != recorded->hash) {
        diag("replay", "hash=%016llx, recorded %016llx: what was written to host memory differs",
             (unsigned long long)hash, (unsigned long long)recorded->hash);
        return false;
    }
    if (!replay_counters_comparable(recorded, lockstep, part))
        return true;
    uint64_t counters = summary_counters(sim);
    if (counters != recorded->counters)
        diag("replay", "every message as recorded, but counters=%016llx, recorded %016llx",
             (unsigned long long)counters, (unsigned long long)recorded->counters);
    return counters == recorded->counters;
}

/* ---- from the beginning to the end */
enum gantry_status replaying_begin(struct replaying *r)
{
    if (!replay_start(r->replay, r->cfg, r->options))
        return *r->options->failure;
    const enum gantry_status status = r->from ? replay_restore(r->replay, r->from) : STATUS_OK;
    r->before = replay_kernels(r->replay);
    return status;
}

void replaying_run(struct replaying *r, const volatile int *stop, void (*progress)(void *arg), void *arg)
{
    r->end = replay_run(r->replay, stop, progress, arg);
}

/* Of the kernel table those of one GPU. */
static unsigned rows_keep(struct kernel_row *rows, unsigned count, unsigned gpu)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (rows[i].gpu == gpu)
            rows[kept++] = rows[i];
    return kept;
}

/* What is known of kernels: of a replay that ended early those that had ended by then. */
static void rows_find(struct replaying *r, struct summary *summary)
{
    r->rows = recorded_find(r->replay, summary);
    if (!r->rows)
        return;
    summary->rows_before = (unsigned)r->before;
    if (r->end != REPLAY_EXIT_AFTER)
        return;
    summary->complete = false;
    summary->cycles = summary->data = 0; /* those recorded are of its end */
    if (replay_kernels(r->replay) < summary->row_count)
        summary->row_count = (unsigned)replay_kernels(r->replay);
}

int replay_outcome(enum replay_end end, const struct sim_options *options)
{
    switch (end) {
    case REPLAY_ENDED:
    case REPLAY_EXIT_AFTER:
        return GANTRY_OK;
    case REPLAY_DIFFERS:
        return GANTRY_INTERNAL;
    case REPLAY_STOPPED:
        return GANTRY_STOPPED;
    case REPLAY_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)options->max_cycles);
        return GANTRY_NO_PROGRESS;
    case REPLAY_FAILED:
        return (int)*options->failure;
    }
    return GANTRY_INTERNAL;
}

int replaying_end(struct replaying *r, struct summary *summary)
{
    struct sim *sim = replay_sim(r->replay);
    const bool ended = r->end == REPLAY_ENDED, whole = replay_whole(r->replay), lockstep = r->options->lockstep;
    const unsigned only = r->options->only;

    if (ended && !whole)
        diag(NULL, "the recording was cut off: replayed as far as it goes");
    if ((ended || r->end == REPLAY_EXIT_AFTER) && whole)
        rows_find(r, summary);
    int status = replay_outcome(r->end, r->options);
    if (ended && r->rows && !only && !figures_compare(summary, sim, lockstep, r->from != NULL))
        status = GANTRY_INTERNAL;
    r->matches = ended && r->rows && status == GANTRY_OK && sim_lost(sim) == STATUS_OK;
    if (!summary->cycles)
        summary->cycles = sim_now(sim);
    if (only)
        summary->row_count = rows_keep(r->rows, summary->row_count, only - 1);
    return status;
}

void replaying_fini(struct replaying *r)
{
    free(r->rows);
    r->rows = NULL;
}

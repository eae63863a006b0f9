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
#include "machine/replay.h"
#include "metrics/metrics.h"

bool replay_may_set(const char *setting)
{
    if (strncmp(setting, "place.", strlen("place.")) == 0 ||
        strncmp(setting, "metrics.kernels=", strlen("metrics.kernels=")) == 0)
        return true;
    diag("--set", "'%s' is the recording's: only keys place.* and metrics.kernels can be set", setting);
    return false;
}

enum gantry_status replay_config(const char *dir, struct config *config, struct replay **replay)
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

struct kernel_row *replay_recorded(const struct replay *replay, struct summary *summary)
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

bool replay_compare(const struct summary *recorded, struct sim *sim, bool lockstep, bool part)
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

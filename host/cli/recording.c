/* SPDX-License-Identifier: Apache-2.0
 * The command's part of a recording; contract in recording.h.
 */
#include "cli/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/kept.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "machine/record.h"
#include "machine/replay.h"
#include "machine/rtl_kinds.h"

/* RECORD_RESULT: change RECORD_VERSION with it, or with struct kernel_row. */
struct result {
    uint64_t cycles, hash, data, counters;
    uint32_t row_bytes, row_count;
    uint8_t complete, repeatable, lockstep, zero[5];
};

static void words_split(struct words *words, const char *text)
{
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        words_add(words, xasprintf("%.*s", (int)n, at));
        at += n;
        if (!*at)
            return;
    }
}

static void texts_put(struct session *s)
{
    char *config = NULL, *command = NULL;
    size_t config_bytes = 0, command_bytes = 0;
    FILE *f = open_memstream(&config, &config_bytes), *c = open_memstream(&command, &command_bytes);

    CHECK(f && c, "record", "out of memory");
    config_print(f, &s->config.cfg);
    fclose(f);
    for (char const **word = s->argv; *word; word++)
        fprintf(c, "%s%s", word == s->argv ? "" : " ", *word);
    fclose(c);
    record_text(s->options.sim.record, RECORD_CONFIG, config, (uint32_t)config_bytes);
    record_text(s->options.sim.record, RECORD_COMMAND, command, (uint32_t)command_bytes);
    free(config);
    free(command);
}

enum gantry_status recording_begin(struct session *s)
{
    enum gantry_status failure = STATUS_OK;

    if (!s->options.record)
        return STATUS_OK;
    words_split(&s->parts, s->options.record);
    for (size_t i = 1; i < s->parts.count; i++)
        if (!rtl_kind_known(&s->config.cfg, s->parts.list[i])) {
            diag("--record", "no part of the machine is called '%s'", s->parts.list[i]);
            return STATUS_USAGE;
        }
    s->options.sim.record = record_open(s->parts.list[0], s->parts.list + 1, (unsigned)s->parts.count - 1, &failure);
    if (s->options.sim.record)
        texts_put(s);
    return s->options.sim.record ? STATUS_OK : failure;
}

/* The kernel table, with names apart: their addresses are another run's. */
static void rows_put(struct record *record, const struct summary *summary)
{
    const size_t bytes = (size_t)summary->row_count * sizeof(struct kernel_row);
    struct kernel_row *rows = xcalloc(summary->row_count + 1, sizeof *rows);
    struct {
        const char *name;
        size_t at;
    } *known = NULL;
    size_t room = 0, count = 0, names_bytes = 0;
    char *names = NULL;
    FILE *f = open_memstream(&names, &names_bytes);

    CHECK(f, "record", "out of memory");
    fputc(0, f);
    for (unsigned i = 0; i < summary->row_count; i++) {
        size_t n = 0;
        rows[i] = summary->rows[i];
        while (n < count && known[n].name != rows[i].name) /* kept: equal ones have one address */
            n++;
        if (n == count) {
            known = xgrow(known, &room, count + 1, sizeof *known);
            known[count].name = rows[i].name;
            known[count++].at = (size_t)ftell(f);
            fwrite(rows[i].name, 1, strlen(rows[i].name) + 1, f);
        }
        rows[i].name = (const char *)(uintptr_t)known[n].at;
    }
    fclose(f);
    record_text(record, RECORD_NAMES, names, (uint32_t)names_bytes);
    record_text(record, RECORD_ROWS, rows, (uint32_t)bytes);
    free(names);
    free(known);
    free(rows);
}

enum gantry_status recording_end(struct session *s, const struct summary *summary)
{
    struct record *record = s->options.sim.record;

    s->options.sim.record = NULL;
    if (record && summary) {
        struct result result = {.cycles = summary->cycles,
                                .hash = summary->hash,
                                .data = summary->data,
                                .counters = summary->counters,
                                .row_bytes = sizeof(struct kernel_row),
                                .row_count = summary->row_count,
                                .complete = summary->complete,
                                .repeatable = summary->repeatable,
                                .lockstep = summary->lockstep};
        record_text(record, RECORD_RESULT, &result, sizeof(result));
        rows_put(record, summary);
    }
    return record_close(record, summary != NULL);
}

enum gantry_status recording_open(struct session *s, const char *dir)
{
    enum gantry_status status = STATUS_OK;
    uint32_t bytes;

    s->replay = replay_open(dir, &status);
    if (!s->replay)
        return status;
    const char *text = replay_text(s->replay, RECORD_CONFIG, &bytes);
    int fd = memfd_create("configuration", MFD_CLOEXEC);
    char path[32];

    if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes) {
        diag(dir, "no memory for its configuration: %s", strerror(errno));
        close(fd); /* -1: nothing happens */
        return STATUS_IO;
    }
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    status = config_load(&s->config, path);
    s->config.file = dir;
    close(fd);
    /* where its GPUs ran is not asked of those who replay it */
    if (status == STATUS_OK)
        status = config_set(&s->config, dir, "place.processes=1");
    if (status == STATUS_OK)
        status = config_set(&s->config, dir, "place.gpus=");
    return status ? status : config_set(&s->config, dir, "place.boards=");
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

struct kernel_row *recording_result(const struct replay *replay, struct summary *summary)
{
    uint32_t bytes, row_bytes;
    const struct result *result = replay_text(replay, RECORD_RESULT, &bytes);
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

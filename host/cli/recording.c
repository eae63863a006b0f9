/* SPDX-License-Identifier: Apache-2.0
 * The command's part of a recording; contract in recording.h.
 */
#include "cli/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "lib/replays.h"
#include "record/record.h"
#include "target/rtl_kinds.h"

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
        struct replay_result result = {.cycles = summary->cycles,
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

/* SPDX-License-Identifier: Apache-2.0
 * Opening a recording, the texts in it, and the one line about what differs; contract in replay.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "record/replay_private.h"

void replay_close(struct replay *r)
{
    for (size_t i = 0; i < r->text_count; i++)
        free(r->texts[i].text);
    free(r->texts);
    journal_reader_free(r->reader);
    free(r->dir);
    free(r);
}

struct replay *replay_open(const char *dir, enum gantry_status *failure)
{
    char *path = xasprintf("%s/" RECORD_FILE, dir);
    struct journal_reader *reader = journal_open(path, RECORD_KIND, RECORD_VERSION, failure);
    free(path);
    if (!reader)
        return NULL;
    struct replay *r = xcalloc(1, sizeof *r);
    r->reader = reader;
    r->dir = xstrdup(dir);
    uint32_t head[2];
    while (journal_take(reader, STREAM_TEXT, head, sizeof head)) {
        struct replay_text text = {.what = head[0], .bytes = head[1], .text = xcalloc(1, (size_t)head[1] + 1)};
        r->texts = xgrow(r->texts, &r->text_room, r->text_count + 1, sizeof *r->texts);
        r->texts[r->text_count++] = text;
        if (!journal_take(reader, STREAM_TEXT, text.text, text.bytes))
            break;
    }
    uint32_t bytes;
    if (replay_text(r, RECORD_CONFIG, &bytes))
        return r;
    diag(dir, "the recording was cut off before its run began");
    *failure = STATUS_DATA;
    replay_close(r);
    return NULL;
}

const void *replay_text(const struct replay *r, enum record_text what, uint32_t *bytes)
{
    for (size_t i = 0; i < r->text_count; i++) {
        if (r->texts[i].what == what) {
            *bytes = r->texts[i].bytes;
            return r->texts[i].text;
        }
    }
    return NULL;
}

int replay_part(const struct replay *r, const char *name)
{
    int number = 0;
    for (size_t i = 0; i < r->text_count; i++) {
        if (r->texts[i].what != RECORD_PART)
            continue;
        if (strcmp(r->texts[i].text, name) == 0)
            return number;
        number++;
    }
    return -1;
}

bool replay_whole(const struct replay *r)
{
    return journal_whole(r->reader);
}

const char *replay_part_name(const struct replay *r, int part)
{
    for (size_t i = 0; i < r->text_count; i++)
        if (r->texts[i].what == RECORD_PART && part-- == 0)
            return r->texts[i].text;
    return NULL;
}

/* By a reader of its own: the stream is read in its order. */
uint64_t replay_last(const struct replay *r)
{
    enum gantry_status failure;
    char *path = xasprintf("%s/" RECORD_FILE, r->dir);
    struct journal_reader *reader = journal_open(path, RECORD_KIND, RECORD_VERSION, &failure);
    struct host_record record;
    uint64_t end = 0;
    while (reader && journal_take(reader, STREAM_HOST, &record, sizeof record)) {
        journal_skip(reader, STREAM_HOST, record.bytes);
        end = record.cycle;
    }
    journal_reader_free(reader);
    free(path);
    return end;
}

void replay_differs(struct replay *r, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!r->differs)
        diag("replay", "%s", text);
    r->differs = true;
}

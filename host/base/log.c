/* SPDX-License-Identifier: Apache-2.0
 * Log sink; contract in log.h.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

#define CAUSE_ROOM 2048
#define LINE_ROOM 4096
#define KINDS 128 /* formats of the program that can be bounded; the last one is for all beyond */
#define LIKE_ROOM 120

/* Lines of one kind. */
struct kind {
    const char *name; /* a format, or what diag_like was given */
    unsigned long count;
    unsigned most;
    char like[LIKE_ROOM]; /* the last one that was told */
};

struct log_kinds {
    struct kind list[KINDS];
    pthread_mutex_t lock;
};

static struct log_kinds process_kinds = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct log_place process_place = {.level = LOG_LEVEL_WARN, .kinds = &process_kinds};
_Thread_local struct log_place *log_place = &process_place;
static void (*log_wipe)(void);

struct log_place *log_place_new(void)
{
    struct log_place *place = xzalloc(sizeof *place);
    place->level = LOG_LEVEL_WARN;
    place->kinds = xzalloc(sizeof *place->kinds);
    pthread_mutex_init(&place->kinds->lock, NULL);
    return place;
}

void log_place_free(struct log_place *place)
{
    if (place == NULL)
        return;
    pthread_mutex_destroy(&place->kinds->lock);
    free(place->kinds);
    free(place);
}

void log_set_level(enum log_level level)
{
    log_place->level = level;
}

void log_set_file(FILE *file)
{
    log_place->file = file;
}

void log_set_wipe(void (*wipe)(void))
{
    log_wipe = wipe;
}

int log_enabled(enum log_level level)
{
    return level <= log_place->level || (log_place->file && level <= LOG_LEVEL_INFO);
}

/* One write for a whole line: lines of parallel processes do not mix. */
static void line_put(FILE *file, const char *line)
{
    fputs(line, file);
    fflush(file);
}

static void line_out(const char *line)
{
    if (log_place->tell) {
        log_place->tell(log_place->ctx, line);
        return;
    }
    if (log_wipe)
        log_wipe();
    line_put(stderr, line);
}

/* The line, made fit for output, to those sinks. */
static void line_tell(const char *text, bool told, bool kept)
{
    char line[LINE_ROOM];
    text_escape(line, sizeof line - 1, text);
    strcat(line, "\n");
    if (told)
        line_out(line);
    if (kept)
        line_put(log_place->file, line);
}

static struct kind *kind_of(const char *name)
{
    struct kind *const kinds = log_place->kinds->list;
    unsigned i = 0;
    while (i < KINDS - 1 && kinds[i].name && strcmp(kinds[i].name, name) != 0)
        i++;
    if (!kinds[i].name)
        kinds[i].name = name;
    return &kinds[i];
}

/* One more line of that kind: whether it is told. */
static bool kind_count(const char *name, unsigned most, const char *text)
{
    pthread_mutex_lock(&log_place->kinds->lock);
    struct kind *kind = kind_of(name);
    const bool more = kind->count++ < most;
    kind->most = most;
    if (more)
        text_escape(kind->like, sizeof kind->like, text);
    pthread_mutex_unlock(&log_place->kinds->lock);
    return more;
}

static void write_some(unsigned most, enum log_level level, const char *component, const char *format, va_list args)
{
    static const char *const names[] = {"error", "warn", "info", "debug", "trace"};
    char cause[CAUSE_ROOM], line[CAUSE_ROOM + 256];
    vsnprintf(cause, sizeof cause, format, args);
    if (most && !kind_count(format, most, cause))
        return;
    snprintf(line, sizeof line, "%llu %s %s %s", (unsigned long long)log_cycle, component, names[level], cause);
    line_tell(line, level <= log_place->level, log_place->file);
}

void log_write(enum log_level level, const char *component, const char *format, ...)
{
    va_list args;
    if (!log_enabled(level))
        return;
    va_start(args, format);
    write_some(level <= LOG_LEVEL_WARN   ? LOG_LIKE_MOST
               : level == LOG_LEVEL_INFO ? LOG_INFO_MOST
                                         : 0,
               level, component, format, args);
    va_end(args);
}

void log_finding(const char *component, const char *format, ...)
{
    va_list args;
    if (!log_enabled(LOG_LEVEL_WARN))
        return;
    va_start(args, format);
    write_some(LOG_INFO_MOST, LOG_LEVEL_WARN, component, format, args);
    va_end(args);
}

static void diag_tell(const char *place, const char *cause)
{
    char line[LINE_ROOM];
    snprintf(line, sizeof line, "gantry: %s%s%s", place ? place : "", place ? ": " : "", cause);
    line_tell(line, true, log_place->file);
}

void diag(const char *place, const char *format, ...)
{
    char cause[CAUSE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    diag_tell(place, cause);
}

bool diag_like(const char *kind, const char *place, const char *format, ...)
{
    char cause[CAUSE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    const bool more = kind_count(kind, LOG_LIKE_MOST, cause);
    if (more)
        diag_tell(place, cause);
    return more;
}

bool diag_more(const char *kind)
{
    pthread_mutex_lock(&log_place->kinds->lock);
    const bool more = kind_of(kind)->count < LOG_LIKE_MOST;
    pthread_mutex_unlock(&log_place->kinds->lock);
    return more;
}

void log_left_out(void)
{
    for (unsigned i = 0; i < KINDS; i++) {
        struct kind kind;
        pthread_mutex_lock(&log_place->kinds->lock);
        kind = log_place->kinds->list[i];
        log_place->kinds->list[i].count = 0;
        pthread_mutex_unlock(&log_place->kinds->lock);
        if (kind.count > kind.most && kind.most)
            diag(NULL, "%lu more line%s left out, like: %s", kind.count - kind.most,
                 kind.count - kind.most == 1 ? " was" : "s were", kind.like);
    }
}

/* Of this thread's report, when its lines do not go to stderr. */
static _Thread_local struct {
    char *text;
    size_t bytes;
} report;

FILE *log_report_open(void)
{
    FILE *file = log_place->tell ? open_memstream(&report.text, &report.bytes) : NULL;
    return file ? file : stderr;
}

void log_report_close(FILE *file)
{
    if (file == stderr)
        return;
    fclose(file);
    for (char *rest = report.text, *line; (line = strsep(&rest, "\n")) && (rest || *line);) {
        char whole[LINE_ROOM];
        snprintf(whole, sizeof whole, "%s\n", line);
        log_place->tell(log_place->ctx, whole);
    }
    free(report.text);
}

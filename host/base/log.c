/* SPDX-License-Identifier: Apache-2.0
 * Log sink: the only global state of the host model.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

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

uint64_t log_cycle;
static enum log_level log_limit = LOG_LEVEL_WARN;
static FILE *log_file;
static void (*log_wipe)(void);
static struct kind kinds[KINDS];
static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER;

void log_set_level(enum log_level level)
{
    log_limit = level;
}

void log_set_file(FILE *file)
{
    log_file = file;
}

void log_set_wipe(void (*wipe)(void))
{
    log_wipe = wipe;
}

int log_enabled(enum log_level level)
{
    return level <= log_limit || (log_file && level <= LOG_LEVEL_INFO);
}

/* One write for a whole line: lines of parallel processes do not mix. */
static void line_put(FILE *file, const char *line)
{
    fputs(line, file);
    fflush(file);
}

/* The line, made fit for output, to those sinks. */
static void line_tell(const char *text, bool told, bool kept)
{
    char line[LINE_ROOM];
    text_escape(line, sizeof line - 1, text);
    strcat(line, "\n");
    if (told && log_wipe)
        log_wipe();
    if (told)
        line_put(stderr, line);
    if (kept)
        line_put(log_file, line);
}

static struct kind *kind_of(const char *name)
{
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
    pthread_mutex_lock(&kinds_lock);
    struct kind *kind = kind_of(name);
    const bool more = kind->count++ < most;
    kind->most = most;
    if (more)
        text_escape(kind->like, sizeof kind->like, text);
    pthread_mutex_unlock(&kinds_lock);
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
    line_tell(line, level <= log_limit, log_file);
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
    line_tell(line, true, log_file);
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
    pthread_mutex_lock(&kinds_lock);
    const bool more = kind_of(kind)->count < LOG_LIKE_MOST;
    pthread_mutex_unlock(&kinds_lock);
    return more;
}

void log_left_out(void)
{
    for (unsigned i = 0; i < KINDS; i++) {
        struct kind kind;
        pthread_mutex_lock(&kinds_lock);
        kind = kinds[i];
        kinds[i].count = 0;
        pthread_mutex_unlock(&kinds_lock);
        if (kind.count > kind.most && kind.most)
            diag(NULL, "%lu more line%s left out, like: %s", kind.count - kind.most,
                 kind.count - kind.most == 1 ? " was" : "s were", kind.like);
    }
}

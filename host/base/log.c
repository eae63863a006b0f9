/* SPDX-License-Identifier: Apache-2.0
 * Log sink: the only global state of the host model.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

uint64_t log_cycle;
static enum log_level log_limit = LOG_LEVEL_WARN;
static FILE *log_file;
static void (*log_wipe)(void);

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

void log_write(enum log_level level, const char *component, const char *format, ...)
{
    static const char *const names[] = {"error", "warn", "info", "debug", "trace"};
    char line[2048];
    va_list args;
    int n;

    if (!log_enabled(level))
        return;
    n = snprintf(line, sizeof(line), "%llu %s %s ", (unsigned long long)log_cycle, component, names[level]);
    va_start(args, format);
    vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    if (level <= log_limit) {
        if (log_wipe)
            log_wipe();
        line_put(stderr, line);
    }
    if (log_file)
        line_put(log_file, line);
}

void diag(const char *place, const char *format, ...)
{
    char cause[2048], line[3072];
    va_list args;

    va_start(args, format);
    vsnprintf(cause, sizeof(cause), format, args);
    va_end(args);
    if (place)
        snprintf(line, sizeof(line), "gantry: %s: %s\n", place, cause);
    else
        snprintf(line, sizeof(line), "gantry: %s\n", cause);
    if (log_wipe)
        log_wipe();
    line_put(stderr, line);
    if (log_file)
        line_put(log_file, line);
}

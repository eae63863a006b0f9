/* SPDX-License-Identifier: Apache-2.0
 * Messages to the user and the log.  diag() is the one-line error of the command; log_write() a line
 * `cycle component level message` to stderr (level at or below the chosen one) and to log.txt of the result folder.
 * Components are hierarchical names equal to RTL instance paths ("gpu1.cu3.l1v", "driver").
 * All text is escaped (text.h): a message is one line, whatever came from outside.  Lines that a program under the run
 * can cause as often as it likes are bounded: of one kind the first LOG_LIKE_MOST are told and the others counted.  A
 * kind is a format of log_write (up to LOG_LEVEL_WARN; of LOG_LEVEL_INFO LOG_INFO_MOST; what is below was asked for
 * line by line) or the name that is given to diag_like.
 * Not responsible for: the kernel table and the progress line (host/metrics).
 */
#ifndef GANTRY_LOG_H
#define GANTRY_LOG_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG, LOG_LEVEL_TRACE };

#define LOG_LIKE_MOST 10u
#define LOG_INFO_MOST 1000u

/* Where the lines of a thread go, and what is known of them: that of the process, or one of its own of whoever is
 * called by another program (host/lib).  Threads that work for another have its place (bridge/run/thread_team.h). */
struct log_place {
    uint64_t cycle;       /* log_cycle */
    enum log_level level; /* default LOG_LEVEL_WARN */
    FILE *file;           /* further sink up to LOG_LEVEL_INFO at least, or NULL; borrowed */
    /* Instead of stderr; the line ends in a line feed, and may come on any thread that works here.  NULL: stderr. */
    void (*tell)(void *ctx, const char *line);
    /* CHECK has failed, behind its line; the process is aborted when it returns.  NULL: it ends as check.h says. */
    void (*bug)(void *ctx, const char *line);
    void *ctx;
    struct log_kinds *kinds; /* lines so far by kind */
};
extern _Thread_local struct log_place *log_place;

/* Its `kinds` are the new place's own. */
struct log_place *log_place_new(void);
void log_place_free(struct log_place *place);

/* Target cycle of the running callback, for log lines and CHECK; the scheduler sets it. */
#define log_cycle (log_place->cycle)

void log_set_level(enum log_level level);
void log_set_file(FILE *file);
int log_enabled(enum log_level level);

/* For reports of several lines: stderr, or a file whose lines go where those of this thread go when it is closed. */
FILE *log_report_open(void);
void log_report_close(FILE *report);

void log_write(enum log_level level, const char *component, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A finding of a check that somebody has asked for, one at each place in a program's code: LOG_INFO_MOST of a kind. */
void log_finding(const char *component, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(component, ...) log_write(LOG_LEVEL_ERROR, component, __VA_ARGS__)
#define log_warn(component, ...) log_write(LOG_LEVEL_WARN, component, __VA_ARGS__)
#define log_info(component, ...) log_write(LOG_LEVEL_INFO, component, __VA_ARGS__)
#define log_debug(component, ...)                                                                                      \
    do {                                                                                                               \
        if (log_enabled(LOG_LEVEL_DEBUG))                                                                              \
            log_write(LOG_LEVEL_DEBUG, component, __VA_ARGS__);                                                        \
    } while (0)

/* One line on stderr: `gantry: PLACE: CAUSE`; without place when it is NULL.  Also in the log file. */
void diag(const char *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for lines that come again and again: `kind` (kept) names them.  False: not told. */
bool diag_like(const char *kind, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Whether diag_like would tell one more: what is costly to find out is left out else. */
bool diag_more(const char *kind);

/* A line for each kind of which lines were left out, with their number; then counting begins anew. */
void log_left_out(void);

/* A progress line is on the terminal (host/metrics): called before other output to wipe it. */
void log_set_wipe(void (*wipe)(void));
#endif

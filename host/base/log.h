/* SPDX-License-Identifier: Apache-2.0
 * Messages to the user and the log.  diag() is the one-line error of the command; log_write() a line
 * `cycle component level message` to stderr (level at or below the chosen one) and to log.txt of the result folder.
 * Components are hierarchical names equal to RTL instance paths ("gpu1.cu3.l1v", "driver").
 * Not responsible for: the kernel table and the progress line (host/metrics).
 */
#ifndef GANTRY_LOG_H
#define GANTRY_LOG_H
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG, LOG_LEVEL_TRACE };

/* Target cycle of the running callback, for log lines and CHECK; the scheduler sets it. */
extern uint64_t log_cycle;

void log_set_level(enum log_level level); /* default LOG_LEVEL_WARN */
void log_set_file(FILE *file);            /* further sink up to LOG_LEVEL_INFO at least, or NULL; borrowed */
int log_enabled(enum log_level level);

void log_write(enum log_level level, const char *component, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

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

/* A progress line is on the terminal (host/metrics): called before other output to wipe it. */
void log_set_wipe(void (*wipe)(void));
#endif

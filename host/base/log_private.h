/* SPDX-License-Identifier: Apache-2.0
 * Lines so far by kind, for log.c and log_place.c.
 */
#ifndef GANTRY_LOG_PRIVATE_H
#define GANTRY_LOG_PRIVATE_H
#include <pthread.h>

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
#endif

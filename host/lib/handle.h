/* SPDX-License-Identifier: Apache-2.0
 * Handles of the library: which are alive, who is inside of a call with one, where its lines go.  Every call of
 * gantry.h with a handle begins with call_begin and ends with call_end.  The list of those that are alive is all that
 * machines share; it decides what is refused, never what a machine does.
 */
#ifndef GANTRY_LIB_HANDLE_H
#define GANTRY_LIB_HANDLE_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "base/status.h"
#include "lib/gantry.h"

enum handle_kind { HANDLE_CONFIG, HANDLE_MACHINE, HANDLE_OBJECT, HANDLE_LAUNCH };

/* Lines that a call leaves in its error. */
struct lines {
    pthread_mutex_t lock; /* threads of a machine tell, too */
    struct gantry_error *error;
    void (*line)(void *ctx, const char *line); /* of gantry_options; NULL: nobody wants them */
    void (*bug)(void *ctx, const char *line);
    void *ctx;
};

/* First member of every handle. */
struct handle {
    enum handle_kind kind;
    bool busy; /* a thread is inside of a call; under the list's lock, as `user` */
    pthread_t user;
    struct lines lines;
    struct log_place *place; /* NULL: lines go where those of the calling thread go (the command) */
};

/* Into the list; own: with a place for its lines. */
void handle_init(struct handle *handle, enum handle_kind kind, bool own);
/* Out of it, no call may be under way: else, and for a handle that is none, the process is aborted with a line that
 * names `function`.  Its place goes with handle_fini. */
void handle_end(struct handle *handle, enum handle_kind kind, const char *function);
void handle_fini(struct handle *handle);
/* Of a handle that is known: what belongs to it can go, as no call is under way with it and what goes does not run;
 * else the process is aborted likewise. */
void handle_rest(const struct handle *handle, bool runs, const char *function);
/* It is in the list and of that kind. */
bool handle_known(const void *handle, enum handle_kind kind);

/* A call under way; on the stack of the function. */
struct call {
    struct handle *handle, *around;  /* around: of the call that is under way around this one */
    struct gantry_error *error, own; /* own: the caller wants none */
    struct gantry_error *outer;      /* of the call around */
    struct log_place *before;
    const char *function;
};

/* False: it is refused, and the error says so; the function returns GANTRY_USAGE. */
bool call_begin(struct call *call, void *handle, enum handle_kind kind, const char *function,
                struct gantry_error *error);
/* The same from a callback of a call that is under way with this handle on this thread, or outside of any. */
bool call_within(struct call *call, void *handle, enum handle_kind kind, const char *function,
                 struct gantry_error *error);
/* status: of the call; what the function returns.  A failure without a line gets one. */
int call_end(struct call *call, int status);
/* Without a handle: lines of this thread go into *error; call_end ends it. */
void call_plain(struct call *call, struct handle *handle, const char *function, struct gantry_error *error);
/* An argument that cannot be: "gantry: FUNCTION: WHY". */
int call_refuse(struct call *call, const char *why);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Handles and calls of the library; contract in handle.h.
 */
#include "lib/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alive.h"

static pthread_mutex_t alive_lock = PTHREAD_MUTEX_INITIALIZER;
static struct alive alive;

static const char *kind_text(enum handle_kind kind)
{
    return kind == HANDLE_CONFIG    ? "a configuration"
           : kind == HANDLE_MACHINE ? "a machine"
           : kind == HANDLE_OBJECT  ? "a code object"
                                    : "a launch";
}

/* With the lock. */
static bool find(const struct handle *handle, enum handle_kind kind)
{
    return alive_has(&alive, handle) && handle->kind == kind;
}

/* ---- lines */
static void line_take(void *ctx, const char *line)
{
    struct lines *l = ctx;
    pthread_mutex_lock(&l->lock);
    if (l->error) {
        const size_t has = strlen(l->error->line), more = strlen(line);
        if (has + more + 1 < sizeof l->error->line)
            memcpy(l->error->line + has, line, more + 1);
    }
    if (l->line)
        l->line(l->ctx, line);
    pthread_mutex_unlock(&l->lock);
}

static void bug_take(void *ctx, const char *line)
{
    struct lines *l = ctx;
    if (l->bug)
        l->bug(l->ctx, line);
}

/* Where lines of the call that begins or ends go; threads of a machine may be telling some. */
static void lines_go(struct handle *h, struct gantry_error *error)
{
    if (!h->place)
        return;
    pthread_mutex_lock(&h->lines.lock);
    h->lines.error = error;
    pthread_mutex_unlock(&h->lines.lock);
}

static void place_make(struct handle *h)
{
    h->place = log_place_new();
    h->place->tell = line_take;
    h->place->bug = bug_take;
    h->place->ctx = &h->lines;
    pthread_mutex_init(&h->lines.lock, NULL);
}

/* ---- handles */
void handle_init(struct handle *h, enum handle_kind kind, bool own)
{
    h->kind = kind;
    if (own)
        place_make(h);
    pthread_mutex_lock(&alive_lock);
    alive_add(&alive, h);
    pthread_mutex_unlock(&alive_lock);
}

bool handle_known(const void *handle, enum handle_kind kind)
{
    pthread_mutex_lock(&alive_lock);
    const bool known = find(handle, kind);
    pthread_mutex_unlock(&alive_lock);
    return known;
}

static _Noreturn void misused(const char *function, const char *what, enum handle_kind kind)
{
    fprintf(stderr, "gantry: %s: %s %s\n", function, what, kind_text(kind));
    abort();
}

void handle_end(struct handle *h, enum handle_kind kind, const char *function)
{
    pthread_mutex_lock(&alive_lock);
    const bool known = find(h, kind), busy = known && h->busy;
    if (known && !busy)
        alive_drop(&alive, h);
    pthread_mutex_unlock(&alive_lock);
    if (!known || busy)
        misused(function, busy ? "a call is under way with" : "not", kind);
}

void handle_rest(const struct handle *h, bool runs, const char *function)
{
    pthread_mutex_lock(&alive_lock);
    const bool busy = h->busy;
    pthread_mutex_unlock(&alive_lock);
    if (busy || runs)
        misused(function, busy ? "a call is under way with" : "it runs on", h->kind);
}

void handle_fini(struct handle *h)
{
    if (h->place)
        pthread_mutex_destroy(&h->lines.lock);
    log_place_free(h->place);
}

/* ---- calls */
static void error_clear(struct gantry_error *error)
{
    error->code = GANTRY_OK;
    error->line[0] = 0;
}

static void call_init(struct call *c, const char *function, struct gantry_error *error)
{
    c->handle = c->around = NULL; /* not `own`, of thousands of bytes */
    c->outer = NULL;
    c->before = log_place;
    c->function = function;
    c->error = error ? error : &c->own;
    error_clear(c->error);
}

static bool refused(struct call *c, const char *why, const char *what)
{
    snprintf(c->error->line, sizeof c->error->line, "gantry: %s: %s%s", c->function, why, what);
    c->error->code = GANTRY_USAGE;
    return false;
}

static bool enter(struct call *c, void *handle, enum handle_kind kind, bool within)
{
    struct handle *h = handle;
    pthread_mutex_lock(&alive_lock);
    const bool known = find(handle, kind);
    const bool mine = known && h->busy && pthread_equal(h->user, pthread_self());
    const bool free_now = known && !h->busy;
    if (free_now) {
        h->busy = true;
        h->user = pthread_self();
    }
    pthread_mutex_unlock(&alive_lock);
    if (!known)
        return refused(c, handle ? "the handle is not (or no longer) " : "the handle is NULL, not ", kind_text(kind));
    if (!free_now && !(within && mine))
        return refused(c, mine ? "called from a callback of this handle, which is " : "another thread is inside of ",
                       kind_text(kind));
    if (!free_now) { /* the call around it goes on afterwards */
        c->around = h;
        c->outer = h->lines.error;
        lines_go(h, c->error);
        return true;
    }
    c->handle = h;
    lines_go(h, c->error);
    if (h->place)
        log_place = h->place;
    return true;
}

bool call_begin(struct call *c, void *handle, enum handle_kind kind, const char *function, struct gantry_error *error)
{
    call_init(c, function, error);
    return enter(c, handle, kind, false);
}

bool call_within(struct call *c, void *handle, enum handle_kind kind, const char *function, struct gantry_error *error)
{
    call_init(c, function, error);
    return enter(c, handle, kind, true);
}

void call_plain(struct call *c, struct handle *h, const char *function, struct gantry_error *error)
{
    call_init(c, function, error);
    *h = (struct handle){.busy = true};
    place_make(h);
    h->lines.error = c->error;
    log_place = h->place;
    c->handle = h;
}

int call_end(struct call *c, int status)
{
    struct handle *h = c->handle ? c->handle : c->around;
    log_place = c->before;
    if (h)
        lines_go(h, c->outer); /* NULL: no call around */
    c->error->code = status;
    if (status >= 0) /* warnings have been told */
        c->error->line[0] = 0;
    else if (h && h->place && !*c->error->line)
        snprintf(c->error->line, sizeof c->error->line, "gantry: %s: %s", c->function,
                 status_text((enum gantry_status)status));
    const size_t n = strlen(c->error->line);
    if (n && c->error->line[n - 1] == '\n')
        c->error->line[n - 1] = 0;
    if (c->handle == NULL)
        return status;
    pthread_mutex_lock(&alive_lock);
    c->handle->busy = false;
    pthread_mutex_unlock(&alive_lock);
    return status;
}

int call_refuse(struct call *c, const char *why)
{
    diag(c->function, "%s", why);
    return GANTRY_USAGE;
}

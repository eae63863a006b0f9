/* SPDX-License-Identifier: Apache-2.0
 * The processes of a run and their threads, as /proc shows them: which have a request outstanding, are blocked or run,
 * and what they have computed.  Clients, and what they or the program have started, shim or not.  A look reads only
 * what can have changed: the lists of children of threads that have run, and threads that have no request.
 */
#ifndef GANTRY_WATCH_H
#define GANTRY_WATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock/wait_limits.h"

struct client;
struct conn;
struct driver;

struct watch_thread {
    pid_t tid;
    bool ended;      /* at the last look */
    bool seen;       /* `runs` is set */
    bool ran;        /* since the list of its children was read */
    bool blocked;    /* at the last look, and has not run since the one before */
    bool placed;     /* it has been looked whether its wait is for a time */
    bool counted;    /* `cpu_ns` is set */
    bool left_out;   /* it spins: nobody waits for it, until it asks or blocks */
    uint64_t runs;   /* how often it was given the CPU */
    uint64_t cpu_ns; /* that it had used when it was counted last */
    struct spell spell;
};

struct watched {
    struct watched *next;
    pid_t pid, parent;     /* 0: of a client, and of the program */
    struct client *client; /* NULL: none (yet) */
    struct watch_thread *threads;
    size_t count, room;
    unsigned settled;  /* requests outstanding when all its threads had one; 0: not so */
    unsigned left_out; /* how often threads of it were */
};

struct watch {
    struct watched *all;
    uint64_t cpu_ns; /* used by all threads, as far as it was counted; never falls */
    bool told;       /* that a thread is left out */
};

enum watch_sight {
    WATCH_RUNS,    /* a thread runs */
    WATCH_CHANGED, /* none runs, but some have since the last look */
    WATCH_STILL,
};

void watch_fini(struct watch *w);
void watch_process(struct driver *d, pid_t pid, struct client *client); /* client may be NULL */
void watch_client_ended(struct driver *d, struct client *c);
void watch_answered(struct driver *d, const struct conn *conn); /* its thread goes on */
void watch_asked(struct driver *d, const struct conn *conn);
/* All processes but that of `except` (NULL: none is left out). */
enum watch_sight watch_look(struct driver *d, const struct client *except);
void watch_threads(struct watched *p); /* its threads as they are now; what is known of them is kept */
/* It is not to be looked at: all its threads wait for us, or it has ended. */
bool watch_settled(const struct driver *d, const struct watched *p);
/* A client, the program, or what one of these has started and is not left behind by it. */
bool watch_belongs(const struct driver *d, const struct watched *p);
bool watch_parent(pid_t pid); /* some thread of it has children */
/* Finds all processes anew, and forgets those that are gone. */
void watch_refresh(struct driver *d);
bool watch_over(const struct watched *p); /* a client that has ended */
/* All rest: whoever waits for a time of the host's clock is marked (kin_by_host). */
void watch_host_waits(struct driver *d);
unsigned watch_outstanding(const struct driver *d, const struct client *c);
bool watch_waits(const struct driver *d, const struct client *c, pid_t tid); /* it has a request outstanding */
#endif

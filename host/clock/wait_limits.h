/* SPDX-License-Identifier: Apache-2.0
 * How long the gated clock waits for clients that do not rest (docs/reference/clock.md, "When it cannot be kept"), and
 * how long the driver waits for the next request.  Figures go in, nothing is measured here.
 */
#ifndef GANTRY_PATIENCE_H
#define GANTRY_PATIENCE_H
#include <stdbool.h>
#include <stdint.h>

/* Of the run; all in seconds. */
struct patience {
    double limit;    /* CPU time without a call */
    double call;     /* host time of the last call or rest */
    double rest_cpu; /* CPU time at the first look since the last rest, negative: none yet */
    bool flooded;
    bool quiet; /* nothing was pending at the last look */
};

enum patience_state {
    PATIENCE_LEFT,
    PATIENCE_COMPUTES, /* it is long since anybody called: somebody computes */
    PATIENCE_FLOODED,  /* calls go on and on without a rest; until the next rest */
};

void patience_rested(struct patience *p, double now);
void patience_called(struct patience *p, double now);
/* CPU time, in seconds, that threads may have without a call; pending: somebody waits for the clock, a turn or an
 * answer. Anew: what they have had before counts no more, it has cost nobody anything. */
double patience_limit(struct patience *p, bool pending, bool *anew);
double patience_most(const struct patience *p); /* with what they grow in */
/* While clients do not rest; cpu: what all their threads have used so far, and never falls. */
enum patience_state patience_look(struct patience *p, double now, double cpu);

/* Of a thread: CPU time, in ns, since it last asked for something or all rested. */
struct spell {
    uint64_t since, upto; /* of its own CPU clock */
    uint64_t grows;       /* of that, while it was given memory all the time: it reads or builds something */
    uint64_t faults;      /* page faults at `upto` */
    bool open;            /* `since` is set */
};

void spell_end(struct spell *s);
void spell_look(struct spell *s, uint64_t cpu, uint64_t faults); /* both of all its life */
uint64_t spell_ns(const struct spell *s);                        /* without what it grew in */
uint64_t spell_all_ns(const struct spell *s);                    /* with it */
/* Whether a process whose threads have `all` ns together, without a call, is waited for no longer; before: how often
 * that has been so.  Each time it has half of the patience, so that it costs less than twice the patience in all. */
bool patience_spent(double limit, unsigned before, uint64_t all);
/* Whether a thread has had its share in that: at least half of what each of the `threads` has used on average. */
bool patience_shared(uint64_t own, uint64_t all, unsigned threads);

/* Zeroed at the beginning. */
struct pace {
    long us; /* that the next look for requests may wait */
    uint64_t cycle, requests;
    unsigned idle; /* steps in which nothing could happen since one of them changed */
};

void pace_unneeded(struct pace *pace);             /* nobody needs the clock: whatever comes wakes the driver */
void pace_restless(struct pace *pace, bool asked); /* somebody runs; whether anybody has just asked */
/* A step was made; whether nothing could happen, and what time it is and how many requests there were. */
void pace_stepped(struct pace *pace, bool idle, uint64_t cycle, uint64_t requests);
#endif

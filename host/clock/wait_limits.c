/* SPDX-License-Identifier: Apache-2.0
 * Patience and pace; contract in wait_limits.h.
 */
#include "clock/wait_limits.h"

#include <math.h>
#include <sys/param.h>

#define NOT_READ (-1)
#define LONG_PATIENCE 32 /* times the patience with a client that makes no call while something waits for it */
#define GROWS_NS 1000000 /* of CPU for each page: who is given less memory does not grow */
#define COMPUTES_SECONDS 0.5
#define HALVES_MOST 30u
#define FIRST_US 20
#define RESTLESS_MOST_US 2000
#define UNNEEDED_US 200000
#define IDLE_LOOKS 8 /* idle answers to polling threads before they are slowed down */
#define IDLE_US 1000

void patience_called(struct patience *p, double now)
{
    p->call = now;
}

void patience_rested(struct patience *p, double now)
{
    patience_called(p, now);
    p->rest_cpu = NOT_READ;
    p->flooded = false;
}

double patience_limit(struct patience *p, bool pending, bool *anew)
{
    *anew = pending && p->quiet;
    p->quiet = !pending;
    return pending ? p->limit : patience_most(p);
}

double patience_most(const struct patience *p)
{
    return LONG_PATIENCE * p->limit;
}

enum patience_state patience_look(struct patience *p, double now, double cpu)
{
    if (p->rest_cpu < 0)
        p->rest_cpu = cpu;
    p->flooded = p->flooded || cpu - p->rest_cpu > patience_most(p);
    if (p->flooded)
        return PATIENCE_FLOODED;
    return now - p->call > COMPUTES_SECONDS ? PATIENCE_COMPUTES : PATIENCE_LEFT;
}

void spell_end(struct spell *s)
{
    s->open = false;
}

void spell_look(struct spell *s, uint64_t cpu, uint64_t faults)
{
    if (!s->open)
        *s = (struct spell){.since = cpu, .upto = cpu, .faults = faults, .open = true};
    if (cpu - s->upto < (faults - s->faults) * GROWS_NS)
        s->grows += cpu - s->upto;
    s->upto = cpu;
    s->faults = faults;
}

uint64_t spell_all_ns(const struct spell *s)
{
    return s->open ? s->upto - s->since : 0;
}

uint64_t spell_ns(const struct spell *s)
{
    return spell_all_ns(s) - (s->open ? s->grows : 0);
}

bool patience_spent(double limit, unsigned before, uint64_t all)
{
    return (double)all * 1e-9 > ldexp(limit, -(int)MIN(before, HALVES_MOST));
}

bool patience_shared(uint64_t own, uint64_t all, unsigned threads)
{
    return own && own * 2 * threads >= all;
}

void pace_unneeded(struct pace *pace)
{
    pace->us = UNNEEDED_US;
}

void pace_restless(struct pace *pace, bool asked)
{
    pace->us = asked || !pace->us ? FIRST_US : MIN(pace->us * 2, RESTLESS_MOST_US);
}

void pace_stepped(struct pace *pace, bool idle, uint64_t cycle, uint64_t requests)
{
    if (pace->cycle != cycle || pace->requests != requests)
        *pace = (struct pace){.cycle = cycle, .requests = requests};
    pace->idle += idle;
    pace->us = !idle ? 0 : pace->idle > IDLE_LOOKS ? IDLE_US : FIRST_US;
}

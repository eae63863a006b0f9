/* SPDX-License-Identifier: Apache-2.0
 * For tests: a scheduler in a region (join_bench.h) whose waits and clock are played by the test, which is linked with
 * -Wl,--wrap=region_wait.
 */
#ifndef TESTS_BRIDGE_RUN_ADVANCE_BENCH_H
#define TESTS_BRIDGE_RUN_ADVANCE_BENCH_H
#include <stdint.h>
#include <time.h>

#include "bridge/link/peers.h"
#include "join_bench.h"

static uint64_t now_ns = UINT64_C(9000000000);
int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){(time_t)(now_ns / 1000000000), (long)(now_ns % 1000000000)};
    return 0;
}

/* ---- the wait */
static struct bench *bench;
static struct region_waiter seen;
static unsigned waits;
static uint64_t now_seen, promise_seen, turn_seen;
static enum region_end (*wait_act)(const struct region_waiter *w); /* NULL: quiet */
enum region_end __wrap_region_wait(struct region *r, const struct region_waiter *w);
enum region_end __wrap_region_wait(struct region *r, const struct region_waiter *w)
{
    assert_ptr_equal(r, bench->r[0]);
    seen = *w;
    now_seen = bench->s.now;
    promise_seen = bench->out->out->bundle->shared->promise;
    turn_seen = bench->own->turn;
    waits++;
    return wait_act ? wait_act(w) : REGION_QUIET;
}

static inline void open_played(struct bench *b, uint32_t host, bool acts)
{
    bench_open(b, host, acts);
    bench = b;
    b->r[0]->looked = now_ns;
    waits = 0;
    wait_act = NULL;
}

static inline void promised(struct bench *b, uint64_t stamp)
{
    b->to.transport->promise(&b->to, stamp);
}
#endif

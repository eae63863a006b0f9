/* SPDX-License-Identifier: Apache-2.0
 * A policy by itself, whom a case tells what GPUs have accessed and what has become of its decisions.
 */
#ifndef POLICY_BENCH_H
#define POLICY_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policy/policy.h"

#define PAGE UINT64_C(4096)
#define BLOCK UINT64_C(65536)
#define AT(n) (UINT64_C(0x1000000) + (n)*PAGE)
#define ROOM 16u

static const struct policy_machine machine = {.gpus = 4,
                                              .threshold = 32,
                                              .share = 51,
                                              .write_weight = 1,
                                              .returns = 3,
                                              .return_cycles = 500000,
                                              .pin_cycles = 2000000,
                                              .far_cycles = 3,
                                              .move_cycles = 300};

struct bench {
    const struct policy_ops *ops;
    void *own;
    uint64_t cycle, phases;
    struct decision out[ROOM];
};

static inline void open_bench(struct bench *b, const char *name, const struct policy_machine *m)
{
    *b = (struct bench){.ops = policy_find(name)};
    assert_non_null(b->ops);
    b->own = b->ops->begin(m);
}

static inline void close_bench(struct bench *b)
{
    b->ops->end(b->own);
}

static inline void used(struct bench *b, uint64_t page, unsigned home, unsigned by, uint64_t reads, uint64_t writes)
{
    const struct page_fact f = {
        .page = page, .bytes = PAGE, .home = home, .requester = by, .reads = reads, .writes = writes};
    b->ops->count(b->own, &f);
}

/* The phase ends at `cycle`: how many decisions. */
static inline size_t phase_ends(struct bench *b, uint64_t cycle)
{
    b->cycle = cycle;
    const size_t n = b->ops->phase(b->own, &(struct phase_fact){.cycle = cycle, .number = ++b->phases}, b->out, ROOM);
    assert_true(n <= ROOM);
    for (size_t i = 0; i < n; i++)
        assert_true(*b->out[i].why && strlen(b->out[i].why) < POLICY_WHY);
    return n;
}

/* It has gone, in `took` cycles, with `batch` - 1 others. */
static inline void has_moved(struct bench *b, uint64_t page, unsigned from, unsigned to, uint64_t took, unsigned batch)
{
    if (b->ops->moved)
        b->ops->moved(b->own, &(struct move_fact){.page = page,
                                                  .bytes = PAGE,
                                                  .from = from,
                                                  .to = to,
                                                  .begun = b->cycle,
                                                  .ended = b->cycle + took,
                                                  .decision = 150,
                                                  .batch = batch});
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * For tests: a scheduler of one partition in a region whose other process is played by the test.
 */
#ifndef TESTS_BRIDGE_RUN_JOIN_BENCH_H
#define TESTS_BRIDGE_RUN_JOIN_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/bundle.h"
#include "bridge/link/region_layout.h"
#include "bridge/link/region_wait.h"
#include "bridge/run/advance.h"

#define NEVER UINT64_MAX

struct bench {
    struct region *r[2];
    struct region_entry *own, *other;
    struct sched s;
    struct part *part;
    struct wire *in, *out;
    struct link to; /* the other's end of `in` */
    uint64_t act;
};

static inline uint64_t act_at(void *ctx)
{
    return *(const uint64_t *)ctx;
}
static inline void toy_visit(struct part *part, uint64_t from)
{
    (void)from;
    part->idle = true;
}
static const struct part_ops toy = {.visit = toy_visit};

/* acts: the first process, which has the scheduler, has an owner that acts. */
static inline void bench_open(struct bench *b, uint32_t host, bool acts)
{
    static const char *const names[] = {"p0", "p1"};
    static const struct region_link links[] = {{"a:0 -> b:0", 8, 20, 4, 0, 1}, {"b:0 -> a:0", 8, 32, 4, 1, 0}};
    const struct region_plan plan = {names, 2, links, 2, host};
    const struct hello hello = hello_make("r", "g", "c", 3);
    int fd = region_create(&plan);
    memset(b, 0, sizeof *b);
    for (uint32_t i = 0; i < 2; i++)
        b->r[i] = region_open(fd, i, &hello, 1);
    close(fd);
    b->own = region_entry(b->r[0], 0);
    b->other = region_entry(b->r[0], 1);
    sched_init(&b->s);
    b->part = part_new(&toy, "a", 1, 1, NULL);
    sched_add(&b->s, b->part);
    struct carrier carrier = {&transport_shm, b->r[0]};
    b->out = sched_export(&b->s, b->part, 0, (struct far_end){"b", 0}, 8, 20, 4, carrier);
    b->in = sched_import(&b->s, (struct far_end){"b", 0}, b->part, 0, 8, 32, 4, carrier);
    assert_true(b->out && b->in && sched_start(&b->s));
    link_init(&b->to, &transport_shm, "b:0 -> a:0", true, 8, 32, 4);
    assert_true(b->to.transport->open(&b->to, b->r[1]));
    b->act = NEVER;
    b->s.act = acts ? act_at : NULL;
    b->s.act_ctx = &b->act;
    b->s.act_ahead = 40;
    sched_join(&b->s, b->r[0]);
}

static inline void bench_close(struct bench *b)
{
    b->to.transport->close(&b->to);
    sched_fini(&b->s);
    region_close(b->r[0]);
    region_close(b->r[1]);
}
#endif

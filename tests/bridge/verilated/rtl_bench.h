/* SPDX-License-Identifier: Apache-2.0
 * For tests: an instance of a verilated partition whose model is written here instead of a library, and a partition
 * that is its partner.
 */
#ifndef TESTS_BRIDGE_VERILATED_RTL_BENCH_H
#define TESTS_BRIDGE_VERILATED_RTL_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/sched.h"
#include "bridge/verilated/rtl_part.h"
#include "saved/state_io.h"

/* ---- the model: notes what it is asked */
struct model {
    char name[40];
    uint16_t id;
    uint64_t seed, from, traced[2], word;
    uint32_t took, looked, counted, holds; /* counters read; times held and let go */
    bool held, over;
    uint64_t when[8];
    uint32_t slot[8], value[8];
    bool no_skip, on, busy, destroyed;
    uint32_t send_slot; /* at the next visit: a message, or a credit */
    bool send, send_credit, show;
};
static struct model *newest;

static inline void *model_create(const struct model_api *from, const char *name, uint16_t id, uint64_t seed)
{
    assert_non_null(from->create);
    newest = calloc(1, sizeof *newest);
    snprintf(newest->name, sizeof newest->name, "%s", name);
    newest->id = id;
    newest->seed = seed;
    return newest;
}
static unsigned destroyed;
static inline void model_destroy(void *model)
{
    destroyed++;
    free(model);
}
static inline bool model_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count,
                              bool no_skip, const struct model_sink *sink)
{
    struct model *m = model;
    m->from = from;
    m->no_skip = no_skip;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < count[c]; i++) {
            m->when[m->took] = from + c;
            m->slot[m->took] = due[c][i].slot;
            m->value[m->took++] = due[c][i].data ? *(const uint32_t *)due[c][i].data : 0;
        }
    }
    uint32_t message = 77;
    if (m->send || m->send_credit)
        sink->send(sink->ctx, m->send_slot, from + 3, m->send ? &message : NULL);
    m->send = m->send_credit = false;
    if (m->show && m->on)
        sink->observe(sink->ctx, 1, 2, from + 5, &message);
    return !m->busy;
}
static inline uint64_t model_counter(void *model, uint32_t address)
{
    struct model *m = model;
    assert_true(m->held != m->over);
    m->counted++;
    return 100 + address;
}
static inline void model_hold(void *model)
{
    struct model *m = model;
    assert_false(m->held);
    m->held = true;
    m->holds++;
}
static inline void model_release(void *model)
{
    struct model *m = model;
    assert_true(m->held);
    m->held = false;
}
static inline uint64_t model_shown(const void *model)
{
    return ((const struct model *)model)->word;
}
static inline uint64_t model_look(void *model, uint32_t what)
{
    ((struct model *)model)->looked++;
    return 1000 + what;
}
static inline void model_observe(void *model, bool on)
{
    ((struct model *)model)->on = on;
}
static inline bool model_trace(void *model, const char *file, uint64_t from, uint64_t to)
{
    struct model *m = model;
    m->traced[0] = from;
    m->traced[1] = to;
    return strcmp(file, "good.fst") == 0;
}
static inline void model_save(void *model, struct state_writer *to)
{
    STATE_PUT(to, ((struct model *)model)->word);
}
static inline bool model_restore(void *model, struct state_reader *from)
{
    return STATE_GET(from, ((struct model *)model)->word);
}

static const struct model_port ports[] = {
    {.name = "mem_rsp", .count = 2, .bytes = 4, .slot = 2},
    {.name = "in_req", .count = 2, .bytes = 4, .slot = 0, .credit = 1, .credit_slot = 5},
    {.name = "cp_evt", .count = 1, .bytes = 4, .slot = 4},
    {.name = "mem_rsp2", .count = 2, .bytes = 4, .slot = 5}, /* another stem, as long */
    {.name = "mem_req", .out = 1, .count = 2, .bytes = 4, .slot = 0},
    {.name = "cp_cmd", .out = 1, .count = 1, .bytes = 4, .slot = 2},
    {.name = "out_rsp", .out = 1, .count = 2, .bytes = 4, .slot = 3, .credit = 1, .credit_slot = 7},
};
static const struct model_counter counters[] = {{"", "visits", "1"}, {"valu", "busy", "cycles"}};
#define API                                                                                                            \
    {                                                                                                                  \
        .abi = MODEL_ABI, .kind = "toy", .ports = ports, .counters = counters, .port_count = 7, .counter_count = 2,    \
        .ins = 9, .outs = 7, .create = model_create, .destroy = model_destroy, .step = model_step,                     \
        .counter = model_counter, .shown = model_shown, .look = model_look, .observe = model_observe,                  \
        .trace = model_trace, .save = model_save, .restore = model_restore, .hold = model_hold,                        \
        .release = model_release                                                                                       \
    }
static const struct model_api api = API;
static struct library library = {.kind = "toy", .api = &api, .key = (char *)"toy-1"};

/* ---- its partner: a partition that sends what it is told and notes what comes */
struct partner {
    uint64_t came[4];
    uint32_t slot[4], count;
};
static inline void partner_visit(struct part *part, uint64_t from)
{
    struct partner *p = part->own;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            p->came[p->count] = from + c;
            p->slot[p->count++] = part->due[c][i].slot;
        }
    }
}
static const struct part_ops partner_ops = {.visit = partner_visit};

struct bench {
    struct sched s;
    struct partner partner;
    struct part *toy, *other;
    struct model *model;
};
static inline void bench_open(struct bench *b, bool no_skip)
{
    memset(b, 0, sizeof *b);
    sched_init(&b->s);
    b->toy = rtl_part_new(&library, "gpu3.toy5", 3, 5, 99, no_skip);
    b->model = newest;
    b->other = part_new(&partner_ops, "other", 4, 8, &b->partner);
    sched_add(&b->s, b->toy);
    sched_add(&b->s, b->other);
}
static inline void bench_start(struct bench *b)
{
    assert_true(sched_start(&b->s));
}
static inline void run_to(struct bench *b, uint64_t cycle)
{
    while (b->s.now < cycle)
        sched_run(&b->s, 1);
}
#endif

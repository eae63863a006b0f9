/* SPDX-License-Identifier: Apache-2.0
 * For tests of boards: a small model of a partition (bridge/verilated/model.h), whose state is a hash of all that came
 * to it, and windows of drawn messages for it.
 */
#ifndef TESTS_BRIDGE_BOARD_TOY_MODEL_H
#define TESTS_BRIDGE_BOARD_TOY_MODEL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/verilated/model.h"

#define INS 4u  /* lanes 0 and 1 of a port with credits, a plain one, a credit that comes back */
#define OUTS 6u /* two lanes of messages of 12 bytes, one of 4, two credits, one more of 4 */

/* ---- answers each message a drawn number of cycles later, more than once */
struct model {
    uint16_t id;
    uint64_t hash, evaluated, seed, looks;
    unsigned waiting;
};
static inline void *model_create(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    struct model *m = calloc(1, sizeof *m);
    (void)api, (void)name, (void)seed;
    m->id = id;
    m->hash = 0x9e3779b97f4a7c15u + id;
    m->waiting = 3;
    return m;
}
static inline void model_destroy(void *model)
{
    free(model);
}
static inline void stir(struct model *m, uint64_t value)
{
    m->hash = (m->hash ^ value) * 0x100000001b3u;
    m->hash ^= m->hash >> 29;
}
static const uint32_t in_bytes[INS] = {8, 8, 4, 0}, out_bytes[OUTS] = {12, 12, 4, 0, 0, 4};
static inline bool model_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count,
                              bool no_skip, const struct model_sink *sink)
{
    struct model *m = model;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        if (m->waiting == 0 && count[c] == 0 && !no_skip)
            continue;
        m->evaluated++;
        for (uint32_t i = 0; i < count[c]; i++) {
            stir(m, (from + c) << 8 | due[c][i].slot);
            for (uint32_t n = 0; n < in_bytes[due[c][i].slot]; n++)
                stir(m, ((const uint8_t *)due[c][i].data)[n]);
            m->waiting += 1 + m->hash % 9;
        }
        if (m->waiting)
            m->waiting--;
        for (uint32_t slot = 0; slot < OUTS; slot++) {
            uint32_t message[3] = {(uint32_t)m->hash, slot, (uint32_t)(from + c)};
            if ((m->hash >> (8 * slot) & 7) == 1 && m->waiting)
                sink->send(sink->ctx, slot, from + c, out_bytes[slot] ? message : NULL);
        }
        if (m->waiting)
            stir(m, 1);
    }
    return m->waiting == 0;
}
static inline uint64_t model_evaluated(const void *model)
{
    return ((const struct model *)model)->evaluated;
}
static inline uint64_t model_counter(void *model, uint32_t n)
{
    return ((struct model *)model)->hash * (n + 1);
}
static inline uint64_t model_shown(const void *model)
{
    return ((const struct model *)model)->hash >> 3;
}
static inline uint64_t model_look(void *model, uint32_t what)
{
    return ((struct model *)model)->hash ^ what;
}
static inline void model_observe(void *model, bool on)
{
    (void)model, (void)on;
    fail();
}
static inline void model_save(void *model, struct state_writer *to)
{
    (void)model, (void)to;
}
static const struct model_port ports[] = {
    {.name = "a_req", .credit = 1, .count = 2, .bytes = 8, .slot = 0, .credit_slot = 3},
    {.name = "b", .count = 1, .bytes = 4, .slot = 2},
    {.name = "a_rsp", .out = 1, .count = 2, .bytes = 12, .slot = 0},
    {.name = "c", .out = 1, .credit = 1, .count = 1, .bytes = 4, .slot = 2, .credit_slot = 3},
    {.name = "d", .out = 1, .count = 1, .bytes = 4, .slot = 5}};
static const struct model_counter counters[] = {{"", "one", "1"}, {"x", "two", "1"}, {"y", "three", "1"}};
static const struct model_ask asks[] = {{0, 0}, {0, 7}, {3, 7}};
static const struct model_api plain = {.abi = MODEL_ABI,
                                       .kind = "toy",
                                       .ports = ports,
                                       .counters = counters,
                                       .asks = asks,
                                       .port_count = 5,
                                       .counter_count = 3,
                                       .ins = INS,
                                       .outs = OUTS,
                                       .create = model_create,
                                       .destroy = model_destroy,
                                       .step = model_step,
                                       .evaluated = model_evaluated,
                                       .counter = model_counter,
                                       .shown = model_shown,
                                       .look = model_look,
                                       .observe = model_observe,
                                       .save = model_save};

/* ---- what is seen of it, what comes to it */
struct seen {
    uint64_t hash, count, by_slot[OUTS];
    uint32_t bytes;
};
static inline void seen_send(void *ctx, uint32_t slot, uint64_t cycle, const void *message)
{
    struct seen *s = ctx;
    s->hash = (s->hash ^ (cycle << 8 | slot)) * 0x100000001b3u;
    assert_int_equal(message != NULL, out_bytes[slot] != 0);
    for (uint32_t n = 0; n < out_bytes[slot]; n++)
        s->hash = (s->hash ^ ((const uint8_t *)message)[n]) * 0x100000001b3u;
    s->count++;
    s->by_slot[slot]++;
    s->bytes += out_bytes[slot];
}
struct window {
    struct part_in due[PART_WINDOW][INS], *list[PART_WINDOW];
    uint32_t count[PART_WINDOW];
    uint64_t data[PART_WINDOW][INS];
};
static uint64_t draw_state;
static inline uint32_t draw(void)
{
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw_state >> 33);
}
static inline void window_draw(struct window *w, bool some)
{
    memset(w->count, 0, sizeof w->count);
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        w->list[c] = w->due[c];
        for (uint32_t slot = 0; slot < INS && some; slot++) {
            if (draw() % 5)
                continue;
            w->data[c][slot] = (uint64_t)draw() << 32 | draw();
            w->due[c][w->count[c]++] = (struct part_in){slot, in_bytes[slot] ? &w->data[c][slot] : NULL};
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A machine with two GPUs (configuration tiny, RTL or golden) whose memories a test accesses by the host's port.  What
// is answered is kept in its order; a test may be told of each answer.
#ifndef PORT_BENCH_H
#define PORT_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "machine/sim.h"
#include "machine/sim_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GPUS 2u
#define MIB (UINT64_C(1) << 20)
#define GTT (4 * MIB)
#define ANSWERS 8192u

struct answered {
    uint64_t cookie, cycle;
    struct msg_mem_rsp rsp;
};

struct bench {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    struct answered got[ANSWERS];
    unsigned count;
    struct msg_cp_evt event; // the last one
    unsigned events, timers;
    char order[64]; // e event, a answer, t timer
    bool stop;      // at every answer
    void (*told)(struct bench *b, const struct answered *a);
};

static inline void bench_note(struct bench *b, char what)
{
    size_t n = strlen(b->order);
    if (n + 1 < sizeof b->order)
        b->order[n] = what;
}

static inline void bench_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    assert_true(sim_now(b->sim) == now && gpu < GPUS);
    b->event = *evt;
    b->events++;
    bench_note(b, 'e');
}

static inline void bench_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct bench *b = ctx;
    (void)cookie;
    assert_true(sim_now(b->sim) == now);
    b->timers++;
    bench_note(b, 't');
}

static inline void bench_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct bench *b = ctx;
    assert_true(sim_now(b->sim) == now && b->count < ANSWERS);
    struct answered *a = &b->got[b->count++];
    *a = (struct answered){.cookie = cookie, .cycle = now, .rsp = *rsp};
    bench_note(b, 'a');
    if (b->stop)
        sim_stop(b->sim);
    if (b->told)
        b->told(b, a);
}

static inline struct bench *bench_open(const struct sim_options *options)
{
    static const struct sim_host_ops ops = {.event = bench_event, .timer = bench_timer, .answer = bench_answer};
    struct bench *b = calloc(1, sizeof *b);
    config_init(&b->config);
    assert_int_equal(config_load(&b->config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&b->config, "test", "system.gpus=2"), STATUS_OK);
    assert_int_equal(config_set(&b->config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_finish(&b->config), STATUS_OK);
    b->memory = pmem_new(GPUS, 64 * MIB, GTT);
    b->sim = sim_new(&b->config.cfg, b->memory, options, &ops, b);
    assert_non_null(b->sim);
    return b;
}

static inline struct bench *bench_model(enum sim_model model)
{
    const struct sim_options options = {.model = model, .seed = 1};
    return bench_open(&options);
}

static inline void bench_close(struct bench *b)
{
    sim_free(b->sim);
    pmem_free(b->memory);
    config_fini(&b->config);
    free(b);
}

static inline void bench_run(struct bench *b)
{
    assert_int_equal(sim_run(b->sim, UINT64_MAX), SIM_STOPPED);
}

static inline void ask(struct bench *b, uint8_t op, uint64_t addr, uint64_t mask, const uint64_t *data, bool overlap,
                       uint64_t cookie)
{
    struct msg_mem_req req = {.op = op, .addr = addr, .mask = mask, .atomic = ATOMIC_ADD, .size = 8};
    if (data)
        memcpy(req.data, data, op == MEM_ATOMIC ? 16 : 64);
    sim_access(b->sim, &req, overlap, cookie);
}

// One request and its answer.
static inline struct answered *asked(struct bench *b, uint8_t op, uint64_t addr, uint64_t mask, const uint64_t *data)
{
    unsigned before = b->count;
    ask(b, op, addr, mask, data, false, 4711);
    bench_run(b);
    assert_int_equal(b->count, before + 1);
    assert_true(b->got[before].cookie == 4711);
    assert_int_equal(b->got[before].rsp.op, op);
    return &b->got[before];
}

static inline void line_fill(uint64_t line[8], uint8_t first)
{
    for (unsigned i = 0; i < 64; i++)
        ((uint8_t *)line)[i] = (uint8_t)(first + i);
}
#endif

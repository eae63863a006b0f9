// SPDX-License-Identifier: Apache-2.0
// The host's side of a machine without any model: events, commands, memory requests, timers and the watchdog of some
// GPUs of which the test is every partition.  What the host sends is kept with the cycle at which it arrives; what a
// GPU or memory would send, the test does (hand_event, hand_answer, hand_credit) for any later cycle, each channel in
// order.  The machine counts as one of RTL.
#ifndef HAND_BENCH_H
#define HAND_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define HAND_GPUS 64u
#define HAND_VRAM (UINT64_C(64) << 20)
#define HAND_LINK 100u // cycles between host and GPU: more than the windows that run at once
enum hand_out { HAND_EVENTS, HAND_PLACES };

// What has reached the host or a partition: e event, a answer, t timer; c command, r request, p a place for an answer.
struct hand_note {
    char what;
    unsigned where; // GPU; lane of a memory
    uint64_t cycle, value;
    struct msg_cp_evt evt;
    struct msg_cp_cmd cmd;
    struct msg_mem_req req;
    struct msg_mem_rsp rsp;
};

struct hand;
struct hand_part {
    struct hand *hand;
    unsigned where;
    bool memory;
};

struct hand {
    struct gantry_cfg cfg;
    struct pmem *memory;
    struct sim *sim;
    unsigned gpus;
    struct part *hub[HAND_GPUS], *lane[HAND_GPUS + 1];
    struct hand_part own[2 * HAND_GPUS + 1];
    struct hand_note notes[4096], host[4096]; // of the partitions, of the host
    unsigned count, told;
    void (*act)(struct hand *h, const struct hand_note *n); // of the host; may be NULL
};

static inline struct hand_note *hand_tell(struct hand *h, char what, unsigned where, uint64_t now, uint64_t value)
{
    assert_true(h->told < 4096 && sim_now(h->sim) == now);
    struct hand_note *n = &h->host[h->told++];
    *n = (struct hand_note){.what = what, .where = where, .cycle = now, .value = value};
    return n;
}

static inline void hand_on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct hand *h = ctx;
    struct hand_note *n = hand_tell(h, 'e', gpu, now, evt->id);
    n->evt = *evt;
    if (h->act)
        h->act(h, n);
}
static inline void hand_on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct hand *h = ctx;
    const struct hand_note *n = hand_tell(h, 't', 0, now, cookie);
    if (h->act)
        h->act(h, n);
}
static inline void hand_on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct hand *h = ctx;
    struct hand_note *n = hand_tell(h, 'a', rsp->gpu == UINT8_MAX ? 0 : rsp->gpu + 1u, now, cookie);
    n->rsp = *rsp;
    if (h->act)
        h->act(h, n);
}

static inline void hand_visit(struct part *part, uint64_t from)
{
    const struct hand_part *p = part->own;
    struct hand *h = p->hand;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            const struct part_in *in = &part->due[c][i];
            assert_true(h->count < 4096);
            struct hand_note *n = &h->notes[h->count++];
            *n = (struct hand_note){.what = !p->memory ? 'c' : in->slot ? 'p' : 'r', .where = p->where};
            n->cycle = from + c;
            if (n->what == 'c')
                memcpy(&n->cmd, in->data, sizeof n->cmd);
            else if (n->what == 'r')
                memcpy(&n->req, in->data, sizeof n->req);
        }
}

static const struct part_ops hand_ops = {.visit = hand_visit};
static const struct sim_host_ops hand_host = {hand_on_event, hand_on_timer, hand_on_answer};

static inline struct part *hand_part(struct hand *h, unsigned own, const char *name, unsigned where, bool memory)
{
    h->own[own] = (struct hand_part){h, where, memory};
    struct part *part = part_new(&hand_ops, name, 2, 2, &h->own[own]);
    part->idle = true;
    sched_add(&h->sim->sched, part);
    return part;
}

// ordered: of the memories of GPUs; host memory always is.
static inline struct hand *hand_open(unsigned gpus, bool ordered, const struct sim_options *options)
{
    struct hand *h = calloc(1, sizeof *h);
    struct sim *sim = h->sim = calloc(1, sizeof *sim);
    char name[40];
    h->gpus = gpus;
    h->cfg.link_host = HAND_LINK;
    h->cfg.system_gpus = gpus;
    h->memory = pmem_new(gpus, HAND_VRAM, HAND_VRAM);
    assert_non_null(h->memory);
    sim->cfg = &h->cfg;
    sim->memory = h->memory;
    sim->ops = &hand_host;
    sim->ctx = h;
    sim->turn = sim;
    if (options)
        sim->options = *options;
    sched_init(&sim->sched);
    sim->gpu_count = gpus;
    sim->gpus = calloc(gpus, sizeof *sim->gpus);
    for (unsigned g = 0; g < gpus; g++)
        commands_init(&sim->gpus[g].commands);
    sim->host = sim_host_part(sim, gpus);
    sim->port = port_new(sim);
    for (unsigned g = 0; g < gpus; g++) {
        snprintf(name, sizeof name, "gpu%u.hub", g);
        h->hub[g] = sim->gpus[g].dispatch = hand_part(h, g, name, g, false);
        commands_connect(sim, g, h->hub[g], 0, HAND_PLACES, HAND_EVENTS, 1024);
    }
    for (unsigned lane = 0; lane <= gpus; lane++) {
        snprintf(name, sizeof name, "memory%u", lane);
        h->lane[lane] = hand_part(h, gpus + lane, name, lane, true);
        port_connect(sim, lane,
                     (struct port_end){.to = h->lane[lane],
                                       .req_credit = HAND_PLACES,
                                       .rsp_out = HAND_EVENTS,
                                       .rsp_credit = 1,
                                       .ordered = lane == 0 || ordered,
                                       .credits = PORT_CREDITS});
    }
    assert_true(machine_threads(sim, false));
    return h;
}

static inline void hand_close(struct hand *h)
{
    sim_free(h->sim);
    pmem_free(h->memory);
    free(h);
}

// What the host is told of at `cycle`, which is HAND_LINK behind the present one or later.
static inline void hand_event(struct hand *h, unsigned gpu, uint64_t cycle, uint8_t kind, uint16_t id)
{
    const struct msg_cp_evt evt = {.kind = kind, .id = id};
    sched_send(h->hub[gpu], HAND_EVENTS, cycle - HAND_LINK, &evt);
}
static inline void hand_answer(struct hand *h, unsigned lane, uint64_t cycle, uint32_t tag, uint64_t word)
{
    const struct msg_mem_rsp rsp = {.tag = tag, .data = {word}};
    sched_send(h->lane[lane], HAND_EVENTS, cycle - HAND_LINK, &rsp);
}
static inline void hand_credit(struct part *part, uint64_t cycle)
{
    sched_send(part, HAND_PLACES, cycle - HAND_LINK, NULL);
}

static inline void hand_cmd(struct hand *h, unsigned gpu, uint8_t kind, uint16_t id)
{
    const struct msg_cp_cmd cmd = {.kind = kind, .id = id};
    sim_cmd(h->sim, gpu, &cmd);
}
static inline void hand_read(struct hand *h, uint64_t addr, bool overlap, uint64_t cookie)
{
    const struct msg_mem_req req = {.op = MEM_READ, .addr = addr};
    sim_access(h->sim, &req, overlap, cookie);
}

// A run, and what it says on stderr (to be freed).
static inline char *hand_said(struct hand *h, uint64_t until, enum sim_result wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    enum sim_result result = sim_run(h->sim, until);
    fclose(stderr);
    stderr = saved;
    assert_int_equal(result, wanted);
    return text;
}

// How many notes of a kind the partitions have.
static inline unsigned hand_notes(const struct hand *h, char what)
{
    unsigned n = 0;
    for (unsigned i = 0; i < h->count; i++)
        n += h->notes[i].what == what;
    return n;
}

// What is done in a process of its own aborts; *said (to be freed): what it says.
static inline bool hand_aborts(void (*what)(void *arg), void *arg, char **said)
{
    int ends[2], status;
    char *text = calloc(1, 4096);
    size_t used = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        what(arg);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], text + used, 4095 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (said)
        *said = text;
    else
        free(text);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
#endif

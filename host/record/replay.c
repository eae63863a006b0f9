/* SPDX-License-Identifier: Apache-2.0
 * The host's side of a replay (replay.h): commands and changes of memory from the recording at their cycles, answers of
 * host memory from it, events held against it.  Everything in the machine is live: latencies, credits, order.
 */
#include "record/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "machine/goals.h"
#include "machine/sim_private.h"
#include "observe/fields.h"
#include "observe/figures.h"
#include "record/part_log.h"
#include "record/recorded.h"
#include "record/replay_private.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define SLICE 20000u /* cycles between looks at signals and differences */

/* ---- what the host did */
static void host_take(struct replay *r, void *to, size_t bytes)
{
    CHECK(journal_take(r->reader, STREAM_HOST, to, bytes), "replay", "stream of the host ends within a record");
}

static void patch_apply(struct replay *r)
{
    uint64_t at;
    uint8_t bytes[4096];
    host_take(r, &at, sizeof at);
    for (uint32_t left = r->next.bytes - (uint32_t)sizeof at, n; left; left -= n, at += n) {
        n = left < sizeof bytes ? left : (uint32_t)sizeof bytes;
        host_take(r, bytes, n);
        CHECK(pmem_write(r->memory, pmem_addr(r->next.gpu + 1u, at), bytes, n) == 0, "replay",
              "gpu%u has no memory at 0x%llx", r->next.gpu, (unsigned long long)at);
    }
}

/* What each GPU has written so far, against the recording. */
static void mark_compare(struct replay *r)
{
    uint64_t hash;
    for (unsigned g = 0; g < r->gpus; g++) {
        host_take(r, &hash, sizeof hash);
        if (sim_has(r->sim, g) && figures_hash(r->sim, g) != hash && sim_lost(r->sim) == STATUS_OK)
            replay_differs(r, "gpu%u: by cycle %llu it has written other bytes to its VRAM than recorded", g,
                           (unsigned long long)r->next.cycle);
    }
}

/* The next record is of what the machine sends. */
static bool comes(const struct replay *r)
{
    return r->next.kind == HOST_EVENT || r->next.kind == HOST_ANSWER;
}

/* Everything that the host did by now, up to the next event or answer that it took. */
static void host_apply(struct replay *r, uint64_t now)
{
    while (r->next.kind && !comes(r) && r->next.cycle <= now && !r->ended) {
        struct msg_cp_cmd cmd;
        uint64_t number;
        struct access_record access;
        switch (r->next.kind) {
        case HOST_COMMAND:
            host_take(r, &cmd, sizeof cmd);
            sim_cmd(r->sim, r->next.gpu, &cmd);
            break;
        case HOST_ACCESS:
            host_take(r, &access, sizeof access);
            sim_access(r->sim, &access.req, access.overlap, r->next.gpu);
            break;
        case HOST_PATCH:
            patch_apply(r);
            break;
        case HOST_MARK:
        case HOST_END:
            mark_compare(r);
            r->ended = r->next.kind == HOST_END;
            break;
        case HOST_KERNEL:
            host_take(r, &number, sizeof number);
            r->kernels++;
            sim_kernel(r->sim, number);
            break;
        default:
            CHECK(false, "replay", "record of kind %u", r->next.kind);
        }
        replay_host_next(r);
    }
    r->ended = r->ended || r->next.kind == 0;
    if (r->ended)
        sim_stop(r->sim);
    else if (!comes(r))
        sim_timer(r->sim, r->next.cycle, 0);
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)cookie;
    host_apply(ctx, now);
}

/* What the machine sends to the host: a message of this name and kind. */
struct arrival {
    enum host_kind kind;
    const char *name, *from; /* partition of the GPU */
    unsigned gpu;
    uint64_t now, number;
    unsigned what; /* kind of an event, operation of an answer */
    size_t bytes;
};

static void arrival_compare(struct replay *r, const struct arrival *a, const void *seen, void *recorded)
{
    char fields[512];
    const unsigned long long now = a->now, number = a->number, then = r->next.cycle;
    host_take(r, recorded, a->bytes);
    fields_differ(a->kind == HOST_EVENT ? "cp_evt" : "mem_rsp", seen, recorded, fields, sizeof fields);
    if (r->next.gpu != a->gpu)
        replay_differs(r, "gpu%u.%s -> host.cp: %s %llu at cycle %llu; recorded was one of gpu%u at cycle %llu", a->gpu,
                       a->from, a->name, number, now, r->next.gpu, then);
    else if (then != now || *fields)
        replay_differs(r, "gpu%u.%s -> host.cp: %s %llu differs: cycle %llu (recorded %llu)%s%s", a->gpu, a->from,
                       a->name, number, now, then, *fields ? ", " : "", fields);
    replay_host_next(r);
}

static void arrived(struct replay *r, const struct arrival *a, const void *seen, void *recorded)
{
    host_apply(r, a->now);
    if (r->ended || r->differs)
        return;
    if (r->next.kind != a->kind) {
        replay_differs(r, "gpu%u.%s -> host.cp: %s %llu, of kind %u, at cycle %llu was not recorded", a->gpu, a->from,
                       a->name, (unsigned long long)a->number, a->what, (unsigned long long)a->now);
        return;
    }
    arrival_compare(r, a, seen, recorded);
    host_apply(r, a->now);
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct replay *r = ctx;
    struct msg_cp_evt recorded;
    const struct arrival a = {HOST_EVENT, "cp_evt", "dispatch", gpu, now, r->events, evt->kind, sizeof recorded};
    arrived(r, &a, evt, &recorded);
    r->events++;
}

/* A cookie says nothing here: after a checkpoint it is that of the host which asked. */
static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct replay *r = ctx;
    struct msg_mem_rsp recorded;
    const struct arrival a = {HOST_ANSWER, "mem_rsp", "rdma", rsp->gpu, now, r->answers, rsp->op, sizeof recorded};
    (void)cookie;
    if (rsp->gpu == RECORD_HOST) /* it came from the recording */
        return;
    arrived(r, &a, rsp, &recorded);
    r->answers++;
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer, .answer = on_answer};

/* ---- the run */
bool replay_start(struct replay *r, const struct gantry_cfg *cfg, const struct sim_options *options)
{
    r->gpus = cfg->system_gpus;
    r->gpu = options->only ? (int)options->only - 1 : -1;
    r->goals = options->goals;
    r->memory = pmem_new(r->gpus, (uint64_t)cfg->gpu_vram_mib << 20, (uint64_t)cfg->host_gtt_mib << 20);
    if (!r->memory) {
        pmem_refused();
        return false;
    }
    if (options->lockstep && !replay_windows(r))
        return false;
    r->end = replay_last(r);
    r->memory_log = xcalloc(r->gpus + 1u, sizeof *r->memory_log);
    r->memory_count = xcalloc(r->gpus + 1u, sizeof *r->memory_count);
    for (unsigned g = 0; g <= r->gpus; g++)
        r->memory_log[g].stream = g < r->gpus ? STREAM_MEMORY(g) : STREAM_PORT;
    struct sim_options own = *options;
    own.record_later = true; /* it is put on what serves here */
    r->sim = sim_new(cfg, r->memory, &own, &host_ops, r);
    if (!r->sim)
        return false;
    hostmem_serve_by(r->sim->hostmem, (struct hostmem_server){replay_serve, r});
    if (own.record && !record_attach(own.record, r->sim))
        return false;
    if (r->gpu >= 0 && r->gpus > 1) { /* around the new recording, which sees what others have sent, too */
        char name[40];
        snprintf(name, sizeof name, "gpu%d.rdma", r->gpu);
        r->feeds[r->gpu] = part_feed_new(sim_part(r->sim, name), r->reader, STREAM_FAR((unsigned)r->gpu));
    }
    replay_host_next(r);
    sim_timer(r->sim, 0, 0);
    return true;
}

uint64_t replay_kernels(const struct replay *r)
{
    return r->kernels;
}

struct sim *replay_sim(const struct replay *r)
{
    return r->sim;
}

/* The machine cannot go on, and the recording can. */
static void missing_tell(struct replay *r)
{
    if (r->next.kind == HOST_EVENT)
        replay_differs(r, "gpu%u.dispatch -> host.cp: cp_evt %llu of cycle %llu, which was recorded, does not come",
                       r->next.gpu, (unsigned long long)r->events, (unsigned long long)r->next.cycle);
    else if (r->next.kind == HOST_ANSWER)
        replay_differs(r, "gpu%u.rdma -> host.cp: mem_rsp %llu of cycle %llu, which was recorded, does not come",
                       r->next.gpu, (unsigned long long)r->answers, (unsigned long long)r->next.cycle);
    else
        replay_differs(r, "nothing can happen at cycle %llu, and the recording goes on to %llu",
                       (unsigned long long)sim_now(r->sim), (unsigned long long)r->end);
}

/* The checkpoint, when it is due.  True: it was. */
static bool checkpoint_serve(struct replay *r)
{
    if (!goals_due(r->goals, sim_now(r->sim)))
        return false;
    struct recorded place;
    char *file = xasprintf("%s/" RECORD_FILE, r->dir);
    replay_place(r, &place);
    goals_tried(r->goals, recorded_save(r->sim, &place, file, r->goals->checkpoint));
    free(file);
    return true;
}

enum replay_end replay_run(struct replay *r, const volatile int *stop, void (*progress)(void *arg), void *arg)
{
    while (!r->ended && !r->differs) {
        uint64_t now = sim_now(r->sim);
        if (comes(r) && now > r->next.cycle)
            missing_tell(r);
        enum sim_result result = sim_run(r->sim, goals_until(r->goals, now + SLICE));
        if (sim_lost(r->sim) != STATUS_OK)                 /* also when this turn has ended the replay */
            return *stop ? REPLAY_STOPPED : REPLAY_FAILED; /* it may be lost since nobody waits for it */
        bool saved = checkpoint_serve(r);
        if (goals_ended(r->goals))
            return REPLAY_EXIT_AFTER;
        if (progress)
            progress(arg);
        if (*stop)
            return REPLAY_STOPPED;
        if (result == SIM_MAX_CYCLES)
            return REPLAY_MAX_CYCLES;
        if (result == SIM_NO_PROGRESS || (result == SIM_STOPPED && sim_now(r->sim) == now && !r->ended && !saved))
            missing_tell(r);
    }
    return r->differs ? REPLAY_DIFFERS : REPLAY_ENDED;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    for (unsigned g = 0; g < 64; g++)
        part_feed_free(r->feeds[g]);
    sim_free(r->sim);
    pmem_free(r->memory);
    for (unsigned g = 0; r->memory_log && g <= r->gpus; g++)
        message_log_fini(&r->memory_log[g]);
    free(r->memory_log);
    free(r->memory_count);
    replay_close(r);
}

/* SPDX-License-Identifier: Apache-2.0
 * One partition of a recording alone (replay.h): no machine is around it, its messages come from the recording, and
 * those that it sends are held against it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/run/sched.h"
#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "observe/fields.h"
#include "record/message_sink.h"
#include "record/part_log.h"
#include "record/replay_private.h"
#include "target/models.h"

struct alone {
    struct replay *replay;
    struct part *part;
    struct message_log recorded;
    uint64_t count; /* messages that it sent */
    uint64_t end;
};

static const char *port_of(const struct part *part, uint32_t slot, unsigned *lane)
{
    const struct model_api *api = rtl_part_api(part);
    *lane = 0;
    for (uint32_t i = 0; i < api->port_count; i++) {
        *lane = slot - api->ports[i].slot;
        if (api->ports[i].out && *lane < api->ports[i].count)
            return api->ports[i].name;
    }
    *lane = 0;
    return "?";
}

/* A message leaves: the next recorded one must be it.  What comes after the recording's end nobody knows. */
static void sent_compare(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct alone *a = ctx;
    struct message m;
    char fields[512] = "";
    unsigned lane;
    if (!out || cycle >= a->end || a->replay->differs)
        return;
    const char *port = port_of(a->part, slot, &lane);
    if (!message_read(&a->recorded, a->replay->reader, &m)) {
        replay_differs(a->replay, "%s: %s %u: message %llu at cycle %llu was not recorded", a->part->name, port, lane,
                       (unsigned long long)a->count, (unsigned long long)cycle);
        return;
    }
    if (m.slot == slot)
        fields_differ(port, message, m.data, fields, sizeof fields);
    if (m.cycle != cycle || m.slot != slot || *fields) {
        unsigned other;
        const char *name = port_of(a->part, m.slot, &other);
        replay_differs(a->replay, "%s: message %llu differs: %s %u at cycle %llu (recorded %s %u at cycle %llu)%s%s",
                       a->part->name, (unsigned long long)a->count, port, lane, (unsigned long long)cycle, name, other,
                       (unsigned long long)m.cycle, *fields ? ", " : "", fields);
    }
    a->count++;
}

/* Kind and place of the partition of that name. */
static bool kind_find(const struct gantry_cfg *cfg, const char *wanted, unsigned *gpu, enum rtl_kind *kind,
                      unsigned *index)
{
    char name[40];
    for (*gpu = 0; *gpu < cfg->system_gpus; ++*gpu)
        for (unsigned k = 0; k < KIND_COUNT; k++)
            for (*index = 0; *index < rtl_kind_count(cfg, k); ++*index) {
                rtl_kind_title(name, sizeof name, *gpu, k, *index);
                *kind = k;
                if (strcmp(name, wanted) == 0)
                    return true;
            }
    return false;
}

static enum replay_end alone_run(struct alone *a, struct sched *s, const struct sim_options *options,
                                 const volatile int *stop)
{
    while (!a->replay->differs) {
        uint64_t next = sched_next(s);
        if (next >= a->end)
            break;
        if (options->max_cycles && next >= options->max_cycles)
            return REPLAY_MAX_CYCLES;
        if (*stop)
            return REPLAY_STOPPED;
        s->now = next;
        sched_run(s, 1);
    }
    struct message m;
    unsigned lane;
    if (!a->replay->differs && message_read(&a->recorded, a->replay->reader, &m) && m.cycle < a->end)
        replay_differs(a->replay, "%s: message %llu, %s of cycle %llu, which was recorded, does not come",
                       a->part->name, (unsigned long long)a->count, port_of(a->part, m.slot, &lane),
                       (unsigned long long)m.cycle);
    return a->replay->differs ? REPLAY_DIFFERS : REPLAY_ENDED;
}

static bool trace_begin(struct part *part, const struct wave *wave, const char *dir)
{
    char *file = xasprintf("%s/%s.fst", dir ? dir : ".", part->name);
    unlink(file); /* of a run before, or a link that leads elsewhere */
    bool ok = rtl_part_trace(part, file, wave->from, wave->to);
    if (!ok)
        diag("--wave", "%s: cannot be written", file);
    free(file);
    return ok;
}

enum replay_end replay_run_part(struct replay *r, int number, const struct gantry_cfg *cfg,
                                const struct sim_options *options, const volatile int *stop, uint64_t *messages)
{
    struct models models = {0};
    struct wave wave = {0};
    struct sched s;
    unsigned gpu, index;
    enum rtl_kind kind;
    const char *name = replay_part_name(r, number);
    enum replay_end end = REPLAY_DIFFERS;

    sched_init(&s);
    s.no_skip = options->no_skip;
    if (!kind_find(cfg, name, &gpu, &kind, &index) || (options->wave && !wave_parse(&wave, options->wave)) ||
        !models_load(&models, cfg, options, &wave)) {
        models_free(&models);
        *messages = 0;
        return *stop ? REPLAY_STOPPED : REPLAY_FAILED;
    }
    bool traced = wave_wants(&wave, name);
    struct alone a = {.replay = r, .recorded = {.stream = STREAM_PART_OUT((unsigned)number)}, .end = replay_last(r)};
    a.part = rtl_part_new(traced ? &models.traced[kind] : &models.plain[kind], name, gpu, index, options->seed,
                          options->no_skip);
    sched_add(&s, a.part);
    sink_connect(&s, a.part, "replay.sink");
    rtl_part_tap(a.part, sent_compare, &a);
    if (!traced || trace_begin(a.part, &wave, options->wave_dir)) {
        sched_start(&s);
        struct part_feed *feed = part_feed_new(a.part, r->reader, STREAM_PART_IN((unsigned)number));
        end = alone_run(&a, &s, options, stop);
        part_feed_free(feed);
    } else {
        end = REPLAY_FAILED;
    }
    *messages = a.count;
    message_log_fini(&a.recorded);
    sched_fini(&s);
    models_free(&models);
    return end;
}

/* SPDX-License-Identifier: Apache-2.0
 * Instances of verilated partitions; contract in rtl_part.h.
 */
#include "bridge/verilated/rtl_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/run/sched.h"
#include "bridge/verilated/asked.h"
#include "saved/state_io.h"

struct rtl_part {
    const struct model_api *api;
    const char *key; /* of its library, borrowed */
    void *model;
    struct model_sink sink;
    bool no_skip;
    rtl_observe_fn observe;
    void *observe_ctx;
    rtl_tap_fn tap;
    void *tap_ctx;
    struct asked **asks, **answers; /* by output, and by the input where its answers come; NULL: of none */
    bool listens;                   /* some input has one */
    uint64_t *counted;              /* counters after `counted_at` visits; UINT64_MAX: not known */
    uint64_t counted_at;
};

static void rtl_send(void *ctx, uint32_t slot, uint64_t cycle, const void *message)
{
    struct part *part = ctx;
    struct rtl_part *r = part->own;
    if (r->tap && message)
        r->tap(r->tap_ctx, true, slot, cycle, message);
    if (message && r->asks[slot])
        asked_sent(r->asks[slot], cycle, message);
    sched_send(part, slot, cycle, message);
}

static void rtl_observed(void *ctx, uint32_t port, uint32_t lane, uint64_t cycle, const void *data)
{
    struct part *part = ctx;
    struct rtl_part *r = part->own;
    r->observe(r->observe_ctx, part, port, lane, cycle, data);
}

static void tap_inputs(struct part *part, struct rtl_part *r, uint64_t from)
{
    for (uint32_t c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            if (part->due[c][i].data)
                r->tap(r->tap_ctx, false, part->due[c][i].slot, from + c, part->due[c][i].data);
}

static void answers_note(const struct part *part, const struct rtl_part *r)
{
    for (uint32_t c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            if (r->answers[part->due[c][i].slot])
                asked_answered(r->answers[part->due[c][i].slot], part->due[c][i].data);
}

static void rtl_visit(struct part *part, uint64_t from)
{
    struct rtl_part *r = part->own;
    if (r->tap)
        tap_inputs(part, r, from);
    if (r->listens)
        answers_note(part, r);
    part->idle = r->api->step(r->model, from, part->due, part->due_count, r->no_skip, &r->sink);
}

/* From here to its release the model may be asked: two copies of the whole state.  False: nobody needs it any more. */
static bool asking(const struct part *part, const struct rtl_part *r)
{
    const bool keep = r->api->hold && r->api->release && !part->over;
    if (keep)
        r->api->hold(r->model);
    return keep;
}

/* Between two visits counters stand still: they are read once, and the model goes on as if nobody had asked. */
static void counters_read(struct part *part)
{
    struct rtl_part *r = part->own;
    if (r->counted_at == part->visits)
        return;
    const bool keep = asking(part, r);
    for (uint32_t i = 0; i < r->api->counter_count; i++)
        r->counted[i] = r->api->counter(r->model, i);
    if (keep)
        r->api->release(r->model);
    r->counted_at = part->visits;
}

uint16_t rtl_part_id(struct part *part, uint32_t inner)
{
    struct rtl_part *r = part->own;
    const bool keep = asking(part, r);
    const uint64_t id = r->api->counter(r->model, r->api->counter_count + inner);
    if (keep)
        r->api->release(r->model);
    return (uint16_t)id;
}

static void rtl_counters(struct part *part, part_counter_fn fn, void *arg)
{
    struct rtl_part *r = part->own;
    counters_read(part);
    char location[96];
    for (uint32_t i = 0; i < r->api->counter_count; i++) {
        const struct model_counter *c = &r->api->counters[i];
        snprintf(location, sizeof location, "%s%s%s", part->name, *c->block ? "." : "", c->block);
        fn(arg, location, c->name, r->counted[i], c->unit);
    }
}

static uint64_t lane_sent(const struct part *part, const struct model_port *port, uint32_t lane, bool out)
{
    const struct wire *w = (out ? part->out : part->in)[port->slot + lane];
    return w ? w->channel.sent : 0;
}

/* Of an output port X_req or X_cmd the input port that answers it, X_rsp or X_evt; NULL: it is none, or has none. */
static const struct model_port *answer_of(const struct model_api *api, const struct model_port *ask)
{
    size_t stem = strlen(ask->name) - 4;
    const char *end = ask->name + stem, *answer = strcmp(end, "_req") == 0   ? "_rsp"
                                                  : strcmp(end, "_cmd") == 0 ? "_evt"
                                                                             : NULL;
    for (uint32_t k = 0; answer && ask->out && k < api->port_count; k++) {
        const struct model_port *port = &api->ports[k];
        if (!port->out && port->count == ask->count && strncmp(port->name, ask->name, stem) == 0 &&
            strcmp(port->name + stem, answer) == 0)
            return port;
    }
    return NULL;
}

/* Requests that were not answered. */
static void rtl_report(struct part *part, FILE *out)
{
    struct rtl_part *r = part->own;
    for (uint32_t i = 0; i < r->api->port_count; i++) {
        const struct model_port *ask = &r->api->ports[i], *answer = answer_of(r->api, ask);
        for (uint32_t lane = 0; answer && lane < ask->count; lane++) {
            const struct wire *w = part->out[ask->slot + lane];
            const struct asked *asked = r->asks[ask->slot + lane];
            const uint64_t sent = lane_sent(part, ask, lane, true), got = lane_sent(part, answer, lane, false);
            const uint64_t want = sent - (asked ? asked_unanswerable(asked) : 0);
            if (!w || want <= got)
                continue;
            fprintf(out, "  %s waits for %s: %llu of %llu %s unanswered, the last sent at cycle %llu\n", part->name,
                    channel_to(&w->channel), (unsigned long long)(want - got), (unsigned long long)sent, ask->name,
                    (unsigned long long)(w->channel.last - 1 - w->channel.latency));
            if (asked)
                asked_report(asked, out);
        }
    }
}

/* Ports whose requests are its own have a table. */
static void asks_new(struct rtl_part *r)
{
    r->asks = xcalloc(r->api->outs + 1, sizeof(struct asked *));
    r->answers = xcalloc(r->api->ins + 1, sizeof(struct asked *));
    for (uint32_t i = 0; i < r->api->port_count; i++) {
        const struct model_port *ask = &r->api->ports[i], *answer = answer_of(r->api, ask);
        if (answer && (r->asks[ask->slot] = asked_new(ask)) && asked_answers(r->asks[ask->slot])) {
            r->answers[answer->slot] = r->asks[ask->slot];
            r->listens = true;
        }
    }
}

static void rtl_free(struct part *part)
{
    struct rtl_part *r = part->own;
    r->api->destroy(r->model);
    for (uint32_t i = 0; i < r->api->outs; i++)
        asked_free(r->asks[i]);
    free(r->asks);
    free(r->answers);
    free(r->counted);
    free(r);
}

static const char *rtl_unsavable(const struct part *part)
{
    const struct rtl_part *r = part->own;
    return r->api->save ? NULL : r->api->unsavable;
}

static void rtl_save(struct part *part, struct state_writer *to)
{
    struct rtl_part *r = part->own;
    state_put_text(to, r->key);
    r->api->save(r->model, to);
}

static bool rtl_restore(struct part *part, struct state_reader *from)
{
    struct rtl_part *r = part->own;
    r->counted_at = UINT64_MAX;
    return state_get_same(from, part->name, "model", r->key) && r->api->restore && r->api->restore(r->model, from);
}

static uint64_t rtl_look(struct part *part, uint32_t what)
{
    struct rtl_part *r = part->own;
    return r->api->look(r->model, what);
}

static uint64_t rtl_shown(const struct part *part)
{
    const struct rtl_part *r = part->own;
    return r->api->shown(r->model);
}

static const struct part_ops rtl_ops = {.visit = rtl_visit,
                                        .counters = rtl_counters,
                                        .report = rtl_report,
                                        .free = rtl_free,
                                        .save = rtl_save,
                                        .restore = rtl_restore,
                                        .unsavable = rtl_unsavable,
                                        .look = rtl_look,
                                        .shown = rtl_shown};

static void absent_free(struct part *part)
{
    free(part->own);
}

/* Without a model. */
static const struct part_ops absent_ops = {.free = absent_free};

struct part *rtl_part_new(const struct library *library, const char *name, unsigned gpu, unsigned index, uint64_t seed,
                          bool no_skip)
{
    struct rtl_part *r = xzalloc(sizeof *r);
    r->api = library->api;
    r->key = library->key;
    struct part *part = part_new(&rtl_ops, name, r->api->ins, r->api->outs, r);
    r->model = r->api->create(r->api, part->name, (uint16_t)(gpu << 8 | index), seed);
    if (r->model == NULL) {
        part->ops = &absent_ops;
        part_free(part);
        return NULL;
    }
    r->sink = (struct model_sink){part, rtl_send, rtl_observed};
    r->no_skip = no_skip;
    asks_new(r);
    r->counted = xcalloc(r->api->counter_count + 1, sizeof *r->counted);
    r->counted_at = UINT64_MAX;
    part->idle = false; /* the first visit finds out */
    return part;
}

struct part *rtl_part_absent(const struct library *library, const char *name, uint32_t process)
{
    struct rtl_part *r = xzalloc(sizeof *r);
    r->api = library->api;
    struct part *part = part_elsewhere(name, r->api->ins, r->api->outs, process);
    part->ops = &absent_ops;
    part->own = r;
    return part;
}

void rtl_part_observe(struct part *part, rtl_observe_fn fn, void *ctx)
{
    struct rtl_part *r = part->own;
    r->observe = fn;
    r->observe_ctx = ctx;
    r->api->observe(r->model, fn != NULL);
}

void rtl_part_tap(struct part *part, rtl_tap_fn fn, void *ctx)
{
    struct rtl_part *r = part->own;
    r->tap = fn;
    r->tap_ctx = ctx;
}

rtl_tap_fn rtl_part_tapped(const struct part *part, void **ctx)
{
    const struct rtl_part *r = part->own;
    *ctx = r->tap_ctx;
    return r->tap;
}

bool rtl_part_trace(struct part *part, const char *file, uint64_t from, uint64_t to)
{
    struct rtl_part *r = part->own;
    return r->api->trace && r->api->trace(r->model, file, from, to);
}

const struct model_api *rtl_part_api(const struct part *part)
{
    return ((struct rtl_part *)part->own)->api;
}

const struct model_port *rtl_port(const struct part *part, const char *name, bool out)
{
    const struct model_api *api = rtl_part_api(part);
    for (uint32_t i = 0; i < api->port_count; i++) {
        if (api->ports[i].out == out && strcmp(api->ports[i].name, name) == 0)
            return &api->ports[i];
    }
    PART_CHECK(false, part, 0, "no %s port %s", out ? "output" : "input", name);
    return NULL;
}

struct wire *rtl_connect(struct sched *s, struct part *a, unsigned a_lane, struct part *b, unsigned b_lane,
                         const char *name, uint32_t latency, uint32_t depth)
{
    const struct model_port *from = rtl_port(a, name, true), *to = rtl_port(b, name, false);
    PART_CHECK(from->bytes == to->bytes && from->credit == to->credit, a, 0, "port %s differs from that of %s", name,
               b->name);
    PART_CHECK(a_lane < from->count && b_lane < to->count, a, 0, "port %s: lane %u of %u to %s lane %u of %u", name,
               a_lane, from->count, b->name, b_lane, to->count);
    struct wire *messages = sched_connect(s, a, from->slot + a_lane, b, to->slot + b_lane, from->bytes, latency, depth);
    if (from->credit)
        sched_connect(s, b, to->credit_slot + b_lane, a, from->credit_slot + a_lane, 0, latency, depth);
    return messages;
}

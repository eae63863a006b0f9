/* SPDX-License-Identifier: Apache-2.0
 * Messages of a partition, kept; contract in part_log.h.
 */
#include "record/part_log.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/run/sched.h"
#include "bridge/verilated/rtl_part.h"
#include "record/message_log.h"

struct part_log {
    struct part_shell shell;
    struct part *part;
    struct part_slots slots;
    struct journal *journal;
    struct message_log in, out;
    rtl_tap_fn next;
    void *next_ctx;
};

bool part_slots_have(const struct part_slots *slots, uint32_t slot)
{
    bool have = false;
    for (unsigned i = 0; i < 4; i++)
        have |= slot - slots->first[i] < slots->count[i];
    return have;
}

struct part_slots part_slots_all(const struct part *part)
{
    return (struct part_slots){.count = {part->ins}};
}

struct part_slots part_slots_far(const struct part *rdma)
{
    struct part_slots slots;
    static const char *const names[] = {"far_req", "far_rsp"};
    for (unsigned i = 0; i < 2; i++) {
        const struct model_port *in = rtl_port(rdma, names[i], false), *out = rtl_port(rdma, names[i], true);
        slots.first[i] = in->slot + 1;
        slots.count[i] = in->count - 1u;
        slots.first[2 + i] = out->credit_slot + 1;
        slots.count[2 + i] = out->count - 1u;
    }
    return slots;
}

void part_shell_put(struct part_shell *shell, struct part *part, void (*visit)(struct part *part, uint64_t from))
{
    *shell = (struct part_shell){*part->ops, part->ops};
    shell->ops.visit = visit;
    part->ops = &shell->ops;
}

void part_shell_remove(struct part_shell *shell, struct part *part)
{
    const struct part_ops **at = &part->ops;
    while (*at != &shell->ops)
        at = &((struct part_shell *)(uintptr_t)*at)->inner;
    *at = shell->inner;
}

/* Of a message on an input, which has no channel where the GPU that has sent it is not there (part_feed). */
static uint32_t bytes_in(const struct part *part, uint32_t slot)
{
    const struct model_api *api = rtl_part_api(part);
    uint32_t bytes = 0;
    if (part->in[slot])
        return part->in[slot]->channel.bytes;
    for (uint32_t i = 0; i < api->port_count; i++)
        if (!api->ports[i].out && slot - api->ports[i].slot < api->ports[i].count)
            bytes = api->ports[i].bytes;
    return bytes;
}

static void log_visit(struct part *part, uint64_t from)
{
    struct part_log *log = (struct part_log *)(uintptr_t)part->ops;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            const struct part_in *in = &part->due[c][i];
            if (part_slots_have(&log->slots, in->slot))
                message_write(&log->in, log->journal, from + c, in->slot, in->data,
                              in->data ? bytes_in(part, in->slot) : 0);
        }
    }
    part->ops = log->shell.inner; /* which may stand around another one: each finds itself there */
    part->ops->visit(part, from);
    part->ops = &log->shell.ops;
}

static void log_sent(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct part_log *log = ctx;
    if (out)
        message_write(&log->out, log->journal, cycle, slot, message, log->part->out[slot]->channel.bytes);
    if (log->next)
        log->next(log->next_ctx, out, slot, cycle, message);
}

struct part_log *part_log_new(struct part *part, struct part_slots slots, struct journal *journal, unsigned in,
                              unsigned out)
{
    struct part_log *log = xcalloc(1, sizeof *log);
    *log = (struct part_log){
        .part = part, .slots = slots, .journal = journal, .in = {.stream = in}, .out = {.stream = out}};
    part_shell_put(&log->shell, part, log_visit);
    if (out) {
        log->next = rtl_part_tapped(part, &log->next_ctx);
        rtl_part_tap(part, log_sent, log);
    }
    return log;
}

void part_log_free(struct part_log *log)
{
    if (!log)
        return;
    part_shell_remove(&log->shell, log->part);
    if (log->out.stream)
        rtl_part_tap(log->part, log->next, log->next_ctx);
    message_log_fini(&log->in);
    message_log_fini(&log->out);
    free(log);
}

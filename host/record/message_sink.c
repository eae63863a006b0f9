/* SPDX-License-Identifier: Apache-2.0
 * Sinks; contract in message_sink.h.
 */
#include "record/message_sink.h"

#include "bridge/run/sched.h"
#include "bridge/verilated/rtl_part.h"

#define DEPTH (2 * PART_WINDOW) /* one message a cycle: those of the latency, and of the window that is run */

static void sink_visit(struct part *part, uint64_t from)
{
    (void)part, (void)from;
}

static const struct part_ops sink_ops = {.visit = sink_visit};

struct part *sink_new(struct sched *s, const char *name, uint32_t ins, uint32_t outs)
{
    struct part *sink = part_new(&sink_ops, name, ins, outs, NULL);
    sched_add(s, sink);
    return sink;
}

/* Of a message of that output; 0: a credit. */
static uint32_t bytes_of(const struct part *part, uint32_t slot)
{
    const struct model_api *api = rtl_part_api(part);
    for (uint32_t i = 0; i < api->port_count; i++)
        if (api->ports[i].out && slot - api->ports[i].slot < api->ports[i].count)
            return api->ports[i].bytes;
    return 0;
}

void sink_connect(struct sched *s, struct part *part, const char *name)
{
    struct part *sink = sink_new(s, name, part->outs, 0);
    for (uint32_t slot = 0; slot < part->outs; slot++)
        if (!part->out[slot])
            sched_connect(s, part, slot, sink, slot, bytes_of(part, slot), PART_WINDOW, DEPTH);
}

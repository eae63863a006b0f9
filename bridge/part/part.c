/* SPDX-License-Identifier: Apache-2.0
 * Partitions; contract in part.h.
 */
#include "bridge/part/part.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"

const char *part_name(const struct part *part)
{
    return part ? part->name : "sim";
}

void part_bug(const struct part *part, uint64_t cycle, const char *file, int line, const char *what, const char *format,
              ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    check_fail(file, line, what, part_name(part), "cycle=%llu %s", (unsigned long long)cycle, text);
}

struct part *part_new(const struct part_ops *ops, const char *name, uint32_t ins, uint32_t outs, void *own)
{
    struct part *part = xzalloc(sizeof *part);
    part->ops = ops;
    part->own = own;
    part->idle = true;
    part->ins = ins;
    part->outs = outs;
    part->in = xcalloc(ins, sizeof *part->in);
    part->out = xcalloc(outs, sizeof *part->out);
    part->waiting = xcalloc((ins + 63) / 64, sizeof *part->waiting);
    snprintf(part->name, sizeof part->name, "%s", name);
    return part;
}

struct part *part_elsewhere(const char *name, uint32_t ins, uint32_t outs, uint32_t process)
{
    static const struct part_ops none = {.visit = NULL};
    struct part *part = part_new(&none, name, ins, outs, NULL);
    part->elsewhere = true;
    part->process = process;
    return part;
}

void part_free(struct part *part)
{
    if (part == NULL)
        return;
    if (part->ops->free)
        part->ops->free(part);
    for (unsigned c = 0; c < PART_WINDOW; c++)
        free(part->due[c]);
    free(part->in);
    free(part->out);
    free(part->waiting);
    free(part);
}

void part_due(struct part *part, unsigned cycle, uint32_t slot, const void *data)
{
    uint32_t n = part->due_count[cycle]++;
    part->due[cycle] = xgrow(part->due[cycle], &part->due_room[cycle], part->due_count[cycle], sizeof **part->due);
    part->due[cycle][n] = (struct part_in){slot, data};
}

void part_gather(struct part *part, uint64_t from)
{
    for (uint32_t w = 0; w < (part->ins + 63) / 64; w++) {
        for (uint64_t bits = part->waiting[w]; bits; bits &= bits - 1) {
            uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(bits);
            struct channel *c = &part->in[slot]->channel;
            size_t n = 0, count = channel_count(c);
            PART_CHECK(count <= c->depth, part, from, "channel %u, %s, holds %zu messages, depth %u", c->id, c->name,
                       count, c->depth);
            for (; n < count; n++) {
                uint64_t ahead = channel_stamp(c, n) - from;
                if (ahead >= PART_WINDOW) {
                    PART_CHECK((int64_t)ahead > 0, part, from, "channel %u, %s: message of cycle %llu comes too late",
                               c->id, c->name, (unsigned long long)(ahead + from));
                    break;
                }
                part_due(part, (unsigned)ahead, slot, c->bytes ? channel_payload(c, n) : NULL);
            }
            channel_drop(c, n); /* the payload stays readable: nobody sends to this partition during its visit */
            if (n == count)
                part->waiting[w] &= ~(UINT64_C(1) << (slot & 63));
        }
    }
}

void part_release(struct part *part)
{
    memset(part->due_count, 0, sizeof part->due_count);
}

uint64_t part_look(struct part *part, uint32_t what)
{
    return part->ops->look ? part->ops->look(part, what) : 0;
}

uint64_t part_shown(const struct part *part)
{
    return part->ops->shown ? part->ops->shown(part) : 0;
}

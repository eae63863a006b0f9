/* SPDX-License-Identifier: Apache-2.0
 * Messages of a partition, given back; contract in part_log.h.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/run/sched.h"
#include "record/message_log.h"
#include "record/part_log.h"

struct part_feed {
    struct part_shell shell;
    struct part *part;
    struct journal_reader *reader;
    struct message_log log;
    struct message next;    /* cycle UINT64_MAX: none */
    uint64_t woken;         /* for which cycle */
    struct message *window; /* messages of the visit under way: as many as there are inputs, of each cycle */
    uint64_t count;
};

static void feed_read(struct part_feed *f)
{
    if (!message_read(&f->log, f->reader, &f->next))
        f->next.cycle = UINT64_MAX;
}

static void feed_wake(struct part_feed *f)
{
    if (f->next.cycle == UINT64_MAX || f->next.cycle == f->woken)
        return;
    f->woken = f->next.cycle;
    sched_wake(f->part->sched, f->part, f->next.cycle);
}

static void feed_visit(struct part *part, uint64_t from)
{
    struct part_feed *f = (struct part_feed *)(uintptr_t)part->ops;
    struct message *m = f->window;
    for (; f->next.cycle < from + PART_WINDOW; feed_read(f), m++, f->count++) {
        PART_CHECK(f->next.cycle >= from && f->next.slot < part->ins && m < f->window + (size_t)part->ins * PART_WINDOW,
                   part, from, "recorded message of cycle %llu on input %u", (unsigned long long)f->next.cycle,
                   f->next.slot);
        *m = f->next;
        part_due(part, (unsigned)(m->cycle - from), m->slot, m->bytes ? m->data : NULL);
    }
    part->ops = f->shell.inner; /* as in part_log.c */
    part->ops->visit(part, from);
    part->ops = &f->shell.ops;
    feed_wake(f);
}

struct part_feed *part_feed_new(struct part *part, struct journal_reader *reader, unsigned in)
{
    struct part_feed *f = xcalloc(1, sizeof *f);
    f->part = part;
    f->reader = reader;
    f->log.stream = in;
    f->woken = UINT64_MAX;
    f->window = xcalloc((size_t)part->ins * PART_WINDOW, sizeof *f->window);
    part_shell_put(&f->shell, part, feed_visit);
    feed_read(f);
    feed_wake(f);
    return f;
}

uint64_t part_feed_count(const struct part_feed *feed)
{
    return feed->count;
}

void part_feed_free(struct part_feed *f)
{
    if (!f)
        return;
    part_shell_remove(&f->shell, f->part);
    message_log_fini(&f->log);
    free(f->window);
    free(f);
}

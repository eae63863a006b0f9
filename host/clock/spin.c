/* SPDX-License-Identifier: Apache-2.0
 * Threads that spin; contract in spin.h.
 */
#include "clock/spin.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "clients/proc.h"
#include "driver/driver.h"

void spin_anew(struct driver *d)
{
    for (struct watched *p = d->watch.all; p; p = p->next)
        for (size_t i = 0; i < p->count; i++)
            spell_end(&p->threads[i].spell);
}

void spin_rested(struct driver *d)
{
    spin_anew(d);
    for (struct watched *p = d->watch.all; p; p = p->next)
        for (size_t i = 0; i < p->count; i++)
            p->threads[i].left_out = p->threads[i].left_out && !p->threads[i].blocked;
}

bool spin_any(const struct driver *d)
{
    for (const struct watched *p = d->watch.all; p; p = p->next)
        for (size_t i = 0; i < p->count && !watch_over(p); i++)
            if (p->threads[i].left_out)
                return true;
    return false;
}

/* Once in a run: who it is, and what changes that. */
static void left_out_tell(struct watch *w, const struct watched *p, const struct watch_thread *t, double limit)
{
    char path[96], name[64] = "";
    struct proc_text text;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)p->pid, (int)t->tid);
    if (proc_read(path, &text)) {
        text.line[strcspn(text.line, "\n")] = 0;
        for (size_t i = 0; text.line[i] && i + 1 < sizeof name; i++)
            name[i] = text.line[i] >= ' ' && text.line[i] <= '~' ? text.line[i] : '?';
    }
    if (!w->told)
        diag("clock",
             "thread %d (%s) of process %d has run for %.3g s without a driver call while others waited: the clock no "
             "longer waits for it, and the run may not repeat (clock.patience)",
             (int)t->tid, name, (int)p->pid, limit);
    else
        log_info("driver", "thread %d (%s) of process %d is not waited for", (int)t->tid, name, (int)p->pid);
    w->told = true;
}

static bool thread_counts(const struct driver *d, const struct watched *p, const struct watch_thread *t)
{
    return !t->left_out && !watch_waits(d, p->client, t->tid);
}

/* CPU time without a call; grows: with what it grew in. */
static uint64_t thread_ns(const struct watch_thread *t, bool grows)
{
    return grows ? spell_all_ns(&t->spell) : spell_ns(&t->spell);
}

static void process_count(struct driver *d, struct watched *p, double limit, double most)
{
    uint64_t all[2] = {0}, runs;
    unsigned threads[2] = {0};
    for (size_t i = 0; i < p->count; i++) {
        struct watch_thread *t = &p->threads[i];
        uint64_t cpu_ns;
        if (watch_waits(d, p->client, t->tid) || !proc_times(p->pid, t->tid, &cpu_ns, &runs))
            continue;
        d->watch.cpu_ns += t->counted && cpu_ns > t->cpu_ns ? cpu_ns - t->cpu_ns : 0;
        t->cpu_ns = cpu_ns;
        t->counted = true;
        if (t->left_out)
            continue;
        spell_look(&t->spell, cpu_ns, proc_faults(p->pid, t->tid));
        for (unsigned grows = 0; grows < 2; grows++) {
            all[grows] += thread_ns(t, grows);
            threads[grows] += thread_ns(t, grows) > 0;
        }
    }
    const bool grows = !patience_spent(limit, p->left_out, all[0]);
    if (grows && !patience_spent(most, p->left_out, all[1]))
        return;
    const unsigned before = p->left_out;
    for (size_t i = 0; i < p->count; i++) {
        struct watch_thread *t = &p->threads[i];
        if (!thread_counts(d, p, t) || !patience_shared(thread_ns(t, grows), all[grows], threads[grows]) ||
            proc_blocked(proc_thread(p->pid, t->tid)))
            continue;
        t->left_out = true;
        p->left_out = before + 1;
        left_out_tell(&d->watch, p, t, (double)all[grows] * 1e-9);
    }
}

void spin_count(struct driver *d, double limit, double most)
{
    for (struct watched *p = d->watch.all; p; p = p->next) {
        if (watch_settled(d, p) || !watch_belongs(d, p))
            continue;
        if (proc_threads(p->pid) != p->count)
            watch_threads(p);
        process_count(d, p, limit, most);
    }
}

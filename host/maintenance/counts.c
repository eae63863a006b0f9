/* SPDX-License-Identifier: Apache-2.0
 * Counters of far accesses; contract in counts.h.  One command is at the GPU at a time; those behind it wait here, a
 * change between on and off only if no later one waits.
 */
#include "maintenance/counts.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "firmware/cp_private.h"

/* None of the table is above it: two counters. */
#define LEAST_MOST (2 * FAR_COUNT_MOST + 1)

static bool has_counters(const struct cp *cp)
{
    return cp->config.counters && sim_model_now(cp->sim) == SIM_RTL;
}

static void send_first(struct cp *cp)
{
    const struct count_command *c = &cp->counts.list[0];
    const struct msg_cp_counts view = {.kind = CP_COUNTS,
                                       .page = cp->config.count_page == 65536 ? 16 : 12,
                                       .id = ++cp->counts.id,
                                       .action = c->action,
                                       .least = c->least};
    struct msg_cp_cmd cmd;
    static_assert(sizeof cmd == sizeof view, "a view has the size of its message");
    memcpy(&cmd, &view, sizeof cmd);
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static void add(struct cp *cp, struct count_command command)
{
    struct counts *q = &cp->counts;
    const bool changes = command.action != COUNTS_READ;
    if (changes && q->count > 1 && q->list[q->count - 1].action != COUNTS_READ) {
        q->list[q->count - 1] = command; /* the one that waits has no effect any more */
        return;
    }
    CHECK(q->count < COUNT_COMMANDS, "cp", "gpu%u: %u commands for counters without an answer", cp->gpu, q->count);
    q->list[q->count++] = command;
    if (q->count == 1)
        send_first(cp);
}

void cp_counts_listen(struct cp *cp, far_count_fn *each, void *arg)
{
    cp->counts.each = each;
    cp->counts.each_arg = arg;
}

int cp_counts_set(struct cp *cp, bool on)
{
    if (!has_counters(cp))
        return -ENOTSUP;
    add(cp, (struct count_command){.action = on ? COUNTS_ON : COUNTS_OFF});
    return 0;
}

int cp_counts_read(struct cp *cp, uint32_t least, far_counts_end_fn *end, void *arg)
{
    if (!has_counters(cp))
        return -ENOTSUP;
    for (unsigned i = 0; i < cp->counts.count; i++)
        if (cp->counts.list[i].action == COUNTS_READ)
            return -EBUSY;
    add(cp, (struct count_command){.action = COUNTS_READ,
                                   .least = (uint16_t)(least < LEAST_MOST ? least : LEAST_MOST),
                                   .ends = end,
                                   .arg = arg});
    return 0;
}

void counts_reported(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct msg_cp_evt_count told;
    memcpy(&told, evt, sizeof told);
    CHECK(told.entries >= 1 && told.entries <= 3, "cp", "gpu%u: a report of %u counters", cp->gpu, told.entries);
    for (unsigned i = 0; i < told.entries && cp->counts.each; i++)
        cp->counts.each(cp->counts.each_arg, cp,
                        &(struct far_count){.frame = told.frame[i], .reads = told.reads[i], .writes = told.writes[i]});
}

void counts_answered(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct counts *q = &cp->counts;
    struct msg_cp_evt_counted told;
    memcpy(&told, evt, sizeof told);
    CHECK(q->count && told.id == q->id, "cp", "gpu%u: an answer to command %u for counters, which nobody sent", cp->gpu,
          told.id);
    if (!told.begun)
        log_error("cp", "gpu%u: the RDMA engine has refused a command for its counters (status %u)", cp->gpu,
                  told.status);
    const struct count_command done = q->list[0];
    memmove(q->list, q->list + 1, --q->count * sizeof *q->list);
    if (q->count)
        send_first(cp);
    if (done.ends)
        done.ends(done.arg, cp, told.entries, told.below, told.lost);
}

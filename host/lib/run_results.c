/* SPDX-License-Identifier: Apache-2.0
 * Kernel rows, counters and final figures of the library's machines (gantry.h).
 */
#include <string.h>

#include "lib/lib_private.h"
#include "metrics/metrics.h"

const struct kernel_row *lib_rows(const struct gantry_machine *m, unsigned *count)
{
    *count = (unsigned)m->row_count;
    return m->rows;
}

void lib_summary(struct gantry_machine *m, struct summary *s)
{
    struct sim *sim = lib_sim(m);

    s->rows = lib_rows(m, &s->row_count);
    s->ledger = local_ledger(m->local);
    s->cycles = m->options.model == SIM_RTL ? sim_now(sim) - m->begin : 0;
    s->data = local_data_hash(m->local);
    s->complete = m->ended == LOCAL_DONE || m->ended == LOCAL_MEMORY_FAULT || m->ended == LOCAL_QUEUE_ERROR;
}

int gantry_kernel_row(struct gantry_machine *m, unsigned n, struct gantry_row *row, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_kernel_row", error))
        return GANTRY_USAGE;
    if (row == NULL || n >= m->row_count)
        return call_end(&call, call_refuse(&call, row ? "the kernel table is shorter" : "no place for the row"));
    const struct kernel_row *r = &m->rows[n];
    *row = (struct gantry_row){.kernel = r->name,
                               .gpu = r->gpu,
                               .unfinished = r->unfinished,
                               .untimed = r->untimed,
                               .start = r->start,
                               .end = r->end,
                               .work_groups = r->groups,
                               .wavefronts = r->wavefronts,
                               .instructions = r->instructions};
    for (unsigned i = 0; i < 3; i++) {
        row->grid[i] = r->grid[i];
        row->group[i] = r->group[i];
    }
    return call_end(&call, GANTRY_OK);
}

int gantry_counters(struct gantry_machine *m, gantry_counter_fn fn, void *ctx, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_counters", error))
        return GANTRY_USAGE;
    if (fn == NULL)
        return call_end(&call, call_refuse(&call, "no function"));
    sim_counters(lib_sim(m), fn, ctx);
    return call_end(&call, GANTRY_OK);
}

int gantry_summarize(struct gantry_machine *m, struct gantry_summary *summary, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_summarize", error))
        return GANTRY_USAGE;
    if (summary == NULL)
        return call_end(&call, call_refuse(&call, "no place for the summary"));
    struct sim *sim = lib_sim(m);
    struct summary s = {.repeatable = true};
    lib_summary(m, &s);
    *summary = (struct gantry_summary){.gpus = m->cfg.system_gpus,
                                       .kernels = summary_kernels(&s),
                                       .cycles = s.cycles,
                                       .instructions = sim_instructions(sim),
                                       .hash = summary_hash(s.rows, s.row_count, sim),
                                       .data = s.data,
                                       .counters = summary_counters(sim),
                                       .now = m->options.model == SIM_RTL ? sim_now(sim) : 0};
    return call_end(&call, GANTRY_OK);
}

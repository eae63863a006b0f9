/* SPDX-License-Identifier: Apache-2.0
 * Golden partition; contract in golden_part.h.
 */
#include "target/golden_part.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/run/sched_links.h"
#include "bridge/run/thread_team.h"
#include "gantry_msg.h"
#include "golden/golden.h"
#include "machine/sim_private.h"

struct golden_part {
    struct part *part;
    struct golden *golden;
    uint64_t cycle;  /* of the message or slice in hand */
    uint64_t resume; /* next slice; UINT64_MAX: no work */
    uint64_t slices;
    uint32_t slice; /* instructions of one */
};

static void golden_event(void *ctx, const struct msg_cp_evt *evt)
{
    struct golden_part *g = ctx;
    /* Its times are the slice's, no timing; but the host hears of nothing before a time that a wavefront has read. */
    sched_send(g->part, GOLDEN_EVENTS, golden_time(g->golden), evt);
}

static void golden_slice(struct golden_part *g)
{
    golden_set_time(g->golden, g->cycle, GOLDEN_SLICE_CYCLES);
    /* One event a cycle reaches the host, which takes them with time: not so many that the last is far ahead of it. */
    bool full = g->part->out[GOLDEN_EVENTS]->channel.last > g->cycle + GOLDEN_SLICE;
    bool work = full || golden_run(g->golden, g->slice);
    g->slices += work;
    g->resume = work ? g->cycle + GOLDEN_SLICE_CYCLES : UINT64_MAX;
    if (work)
        sched_wake(g->part->sched, g->part, g->resume);
}

static void golden_visit(struct part *part, uint64_t from)
{
    struct golden_part *g = part->own;
    if (!sched_in_turn(part, from))
        return;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        g->cycle = from + c;
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            golden_cmd(g->golden, part->due[c][i].data);
            sched_send(part, GOLDEN_CREDITS, g->cycle, NULL);
        }
        if (part->due_count[c] || g->resume == g->cycle)
            golden_slice(g);
    }
}

static void golden_report(struct part *part, FILE *out)
{
    struct golden_part *g = part->own;
    fprintf(out, "  %s: %s\n", part->name, g->resume == UINT64_MAX ? "no wavefront can run" : "wavefronts are running");
    golden_where(g->golden, part->name, SIM_WHERE, out);
}

static void golden_counters(struct part *part, part_counter_fn fn, void *arg)
{
    fn(arg, part->name, "cu_inst_count", golden_part_instructions(part), "count");
}

static void golden_part_free(struct part *part)
{
    struct golden_part *g = part->own;
    golden_free(g->golden);
    free(g);
}

/* Its wavefronts stand in the middle of C functions' data: lists, decoded code, work done ahead by other threads. */
static const char *golden_unsavable(const struct part *part)
{
    (void)part;
    return "the golden model cannot be saved, only RTL can";
}

static uint64_t golden_shown(const struct part *part)
{
    return golden_part_instructions(part);
}

static const struct part_ops golden_ops = {.visit = golden_visit,
                                           .counters = golden_counters,
                                           .report = golden_report,
                                           .free = golden_part_free,
                                           .unsavable = golden_unsavable,
                                           .shown = golden_shown};

static void golden_team(void *team, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx)
{
    team_run(team, count, work, ctx);
}

struct part *golden_part_new(struct pmem *memory, unsigned gpu, const struct gantry_cfg *cfg, struct team *team,
                             unsigned threads, uint32_t slice)
{
    char name[32];
    struct golden_part *g = xcalloc(1, sizeof *g);
    snprintf(name, sizeof name, "gpu%u.golden", gpu);
    g->resume = UINT64_MAX;
    g->slice = slice && slice < GOLDEN_SLICE ? slice : GOLDEN_SLICE;
    g->golden = golden_new(memory, gpu, cfg, golden_event, g);
    if (team)
        golden_share(g->golden, threads, golden_team, team);
    g->part = part_new(&golden_ops, name, GOLDEN_INS, GOLDEN_OUTS, g);
    return g->part;
}

void golden_part_touch(struct part *part, struct touched *const *vram)
{
    golden_touch(((struct golden_part *)part->own)->golden, vram);
}

uint64_t golden_part_instructions(const struct part *part)
{
    return golden_instructions(((struct golden_part *)part->own)->golden);
}
uint64_t golden_part_groups(const struct part *part)
{
    return golden_groups(((struct golden_part *)part->own)->golden);
}
uint64_t golden_part_written(const struct part *part)
{
    return golden_written(((struct golden_part *)part->own)->golden);
}
uint64_t golden_part_slices(const struct part *part)
{
    return ((struct golden_part *)part->own)->slices;
}

/* SPDX-License-Identifier: Apache-2.0
 * Warnings of software hazards (check.hazards) by the golden GPU: one line for each place in the code and rule.
 * Not responsible for: the rules (hazard.c).
 */
#include "base/log.h"
#include "base/xalloc.h"
#include "gcn3/disasm.h"
#include "gcn3/golden_private.h"

static bool told(struct golden *g, const struct gcn3_wave *w, enum hazard rule)
{
    for (size_t k = 0; k < g->told_count; k++) {
        const struct golden_told *t = &g->told[k];
        if (t->pc == w->pc && t->vmid == w->vmid && t->rule == rule)
            return true;
    }
    g->told = xgrow(g->told, &g->told_room, g->told_count + 1, sizeof *g->told);
    g->told[g->told_count++] = (struct golden_told){w->pc, w->vmid, (uint8_t)rule};
    return false;
}

void golden_hazard(struct golden *g, struct golden_group *group, unsigned n, const struct gcn3_inst *inst)
{
    struct gcn3_wave *w = &group->wave[n];
    char component[24], text[128] = "";
    unsigned states;
    uint64_t dwords;
    enum hazard rule = hazard_step(&group->hazards[n], inst, &states);
    if (rule == HAZARD_NONE || told(g, w, rule))
        return;
    struct disasm *d = disasm_new();
    if (d && g->worker[0]->env.fetch(g->worker[0]->env.ctx, w, w->pc, &dwords) == 0)
        disasm_text(d, w->pc, dwords, text, sizeof text);
    disasm_free(d);
    snprintf(component, sizeof component, "gpu%u.golden", g->gpu);
    log_warn(component, "hazard at %012lx: %s: %s; %u wait states between, %u are needed (wavefront %u)",
             (unsigned long)w->pc, text, hazard_rules[rule].text, states, hazard_rules[rule].states, n);
}

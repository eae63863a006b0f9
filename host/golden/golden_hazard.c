/* SPDX-License-Identifier: Apache-2.0
 * Warnings of software hazards (check.hazards) by the golden GPU: one line for each place in the code and rule.
 * Not responsible for: the rules (hazard.c).
 */
#include "base/log.h"
#include "golden/golden_private.h"
#include "isa/disasm.h"

void golden_hazard(struct golden *g, struct golden_group *group, unsigned n, const struct gcn3_inst *inst)
{
    struct gcn3_wave *w = &group->wave[n];
    char component[24], text[128] = "";
    unsigned states;
    uint64_t dwords;
    enum hazard rule = hazard_step(&group->hazards[n], inst, &states);
    if (rule == HAZARD_NONE)
        return;
    if (!places_first(&g->hazards, (struct place){.pc = w->pc, .gpu = g->gpu, .vmid = w->vmid, .rule = (uint8_t)rule}))
        return;
    struct disasm *d = disasm_new();
    if (d && g->worker[0]->env.fetch(g->worker[0]->env.ctx, w, w->pc, &dwords) == 0)
        disasm_text(d, w->pc, dwords, text, sizeof text);
    disasm_free(d);
    snprintf(component, sizeof component, "gpu%u.golden", g->gpu);
    log_finding(component, "hazard at %012lx: %s: %s; %u wait states between, %u are needed (wavefront %u)",
                (unsigned long)w->pc, text, hazard_rules[rule].text, states, hazard_rules[rule].states, n);
}

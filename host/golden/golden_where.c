/* SPDX-License-Identifier: Apache-2.0
 * Where the wavefronts of the golden GPU are, for the report of a run that makes no progress or was stopped.
 * Not responsible for: deciding that (host/observe).
 */
#include "golden/golden_private.h"
#include "isa/disasm.h"

static const char *state_of(const struct golden_group *group, unsigned n)
{
    const struct gcn3_wave *w = &group->wave[n];
    return group->halted[n] ? "has faulted"
           : gcn3_halted(w) ? "has halted"
           : w->at_barrier  ? "at a barrier"
                            : "running";
}

static void wave_where(struct golden *g, struct golden_group *group, unsigned n, struct disasm *d, const char *name,
                       FILE *out)
{
    struct gcn3_wave *w = &group->wave[n];
    struct gcn3_env *env = &g->worker[0]->env;
    uint64_t dwords;
    char text[160] = "no code there";
    if (env->fetch(env->ctx, w, w->pc, &dwords) == 0)
        disasm_text(d, w->pc, dwords, text, sizeof text);
    fprintf(out, "  %s: CU 0 wavefront %u of work-group %llu, %s, before pc 0x%llx: %s\n", name, w->hw_id & 63,
            (unsigned long long)group->number, state_of(group, n), (unsigned long long)w->pc, text);
}

void golden_where(struct golden *g, const char *name, unsigned most, FILE *out)
{
    struct disasm *d = disasm_new();
    unsigned told = 0, more = 0;
    for (struct golden_launch *l = g->launches; d && l; l = l->link)
        for (unsigned k = 0; k < GOLDEN_IN_FLIGHT; k++) {
            struct golden_group *group = l->group[k];
            for (unsigned n = 0; group && group->vgprs && n < group->waves; n++) {
                if (group->wave[n].ended)
                    continue;
                if (told++ < most)
                    wave_where(g, group, n, d, name, out);
                else
                    more++;
            }
        }
    if (more)
        fprintf(out, "  %s: and %u more wavefronts\n", name, more);
    disasm_free(d);
}

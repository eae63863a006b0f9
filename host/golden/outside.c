/* SPDX-License-Identifier: Apache-2.0
 * Warnings of check.lds; contract in outside.h.
 */
#include "golden/outside.h"

#include "base/log.h"
#include "isa/disasm.h"

void outside_warn(struct outside *o, struct gcn3_wave *w, unsigned gpu, unsigned cu, unsigned wave, uint64_t pc,
                  uint64_t inst)
{
    char component[24], text[160] = "";
    w->lds_missed = false;
    if (!o->on || !places_first(&o->told, (struct place){.pc = pc, .gpu = gpu, .vmid = w->vmid}))
        return;
    struct disasm *d = disasm_new();
    if (d)
        disasm_text(d, pc, inst, text, sizeof text);
    disasm_free(d);
    snprintf(component, sizeof component, "gpu%u", gpu);
    log_finding(component, "LDS access at byte %u of %u at pc 0x%lx, CU %u wavefront %u: %s", w->lds_missed_at,
                w->lds_missed_of, (unsigned long)pc, cu, wave, text);
}

void outside_free(struct outside *o)
{
    places_free(&o->told);
}

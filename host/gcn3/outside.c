/* SPDX-License-Identifier: Apache-2.0
 * Warnings of check.lds; contract in outside.h.
 */
#include "gcn3/outside.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "gcn3/disasm.h"

static bool told(struct outside *o, unsigned gpu, uint8_t vmid, uint64_t pc)
{
    for (size_t k = 0; k < o->told_count; k++)
        if (o->told[k].pc == pc && o->told[k].vmid == vmid && o->told[k].gpu == gpu)
            return true;
    o->told = xgrow(o->told, &o->told_room, o->told_count + 1, sizeof *o->told);
    o->told[o->told_count++] = (struct outside_place){pc, gpu, vmid};
    return false;
}

void outside_warn(struct outside *o, struct gcn3_wave *w, unsigned gpu, unsigned cu, unsigned wave, uint64_t pc,
                  uint64_t inst)
{
    char component[24], text[160] = "";
    w->lds_missed = false;
    if (!o->on || told(o, gpu, w->vmid, pc))
        return;
    struct disasm *d = disasm_new();
    if (d)
        disasm_text(d, pc, inst, text, sizeof text);
    disasm_free(d);
    snprintf(component, sizeof component, "gpu%u", gpu);
    log_warn(component, "LDS access at byte %u of %u at pc 0x%lx, CU %u wavefront %u: %s", w->lds_missed_at,
             w->lds_missed_of, (unsigned long)pc, cu, wave, text);
}

void outside_free(struct outside *o)
{
    free(o->told);
}

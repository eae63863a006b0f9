/* SPDX-License-Identifier: Apache-2.0
 * Privileged state of the golden model (trap.h).  Outside the handler s[TBA..last TTMP] hold 0, which is what an
 * instruction reads there, and the TTMP registers wait beside; so no operand access has to ask for the privilege.
 */
#include "isa/trap.h"

#include <string.h>

#include "gantry_msg.h"

#define TRAP_LLVM 2 /* llvm.trap: abort(), a failed assertion */

enum hwreg { HWREG_MODE = 1, HWREG_STATUS = 2, HWREG_HW_ID = 4, HWREG_GPR_ALLOC = 5, HWREG_LDS_ALLOC = 6 };

static void bases_set(struct gcn3_wave *w)
{
    w->s[SREG_TBA] = w->tba;
    w->s[SREG_TBA + 1] = w->tba >> 32;
    w->s[SREG_TMA] = w->tma;
    w->s[SREG_TMA + 1] = w->tma >> 32;
}

int trap_execute(struct gcn3_wave *w, unsigned id)
{
    uint64_t at = w->pc - 4;
    if (!w->trap_en) {
        w->fault_va = id;
        return id == TRAP_LLVM ? FAULT_TRAP : 0;
    }
    if (w->priv)
        return 0;
    w->priv = true;
    bases_set(w);
    memcpy(&w->s[SREG_TTMP], w->ttmp, sizeof w->ttmp);
    w->s[SREG_TTMP] = at;
    w->s[SREG_TTMP + 1] = (at >> 32 & 0xffff) | id << 16;
    w->pc = w->tba & PC_MASK & ~UINT64_C(255);
    return 0;
}

void trap_return(struct gcn3_wave *w)
{
    if (!w->priv)
        return;
    w->priv = false;
    memcpy(w->ttmp, &w->s[SREG_TTMP], sizeof w->ttmp);
    memset(&w->s[SREG_TBA], 0, (SREG_M0 - SREG_TBA) * sizeof w->s[0]);
}

void trap_guard(struct gcn3_wave *w)
{
    if (w->priv)
        bases_set(w);
    else
        memset(&w->s[SREG_TBA], 0, (SREG_M0 - SREG_TBA) * sizeof w->s[0]);
}

void gcn3_scalar_image(const struct gcn3_wave *w, uint32_t image[128])
{
    memcpy(image, w->s, sizeof w->s);
    if (!w->priv)
        memcpy(&image[SREG_TTMP], w->ttmp, sizeof w->ttmp);
    memset(&image[SREG_TBA], 0, (SREG_TTMP - SREG_TBA) * sizeof image[0]); /* nothing writes them */
}

void gcn3_place(struct gcn3_wave *w, unsigned cu, unsigned wave, unsigned group, unsigned vgpr_base, unsigned sgpr_base,
                uint32_t lds_base)
{
    w->hw_id = (wave & 63) | (cu & 15) << 8 | (cu >> 4 & 3) << 13 | (group & 15) << 16 | (w->vmid & 15u) << 20;
    w->gpr_alloc = (vgpr_base / 4 & 63) | ((w->vgprs / 4 - 1) & 63) << 8 | (sgpr_base / 16 & 63) << 16 |
                   ((w->sgprs / 16 - 1) & 15) << 24;
    w->lds_alloc = (lds_base / 256 & 255) | (w->lds_bytes / 256 & 511) << 12;
}

static uint32_t status(const struct gcn3_wave *w)
{
    return w->scc | w->prio << 3 | w->priv << 5 | w->trap_en << 6 | (WAVE_EXEC(w) == 0) << 9 |
           (WAVE_VCC(w) == 0) << 10 | w->in_group << 11 | w->halt << 13 | 1u << 16;
}

uint32_t hwreg_read(const struct gcn3_wave *w, unsigned id)
{
    switch (id) {
    case HWREG_MODE:
        return w->mode | w->dx10_clamp << 8 | w->ieee << 9 | w->hw_mode_hi;
    case HWREG_STATUS:
        return status(w);
    case HWREG_HW_ID:
        return w->hw_id;
    case HWREG_GPR_ALLOC:
        return w->gpr_alloc;
    case HWREG_LDS_ALLOC:
        return w->lds_alloc;
    default:
        return 0;
    }
}

void hwreg_write(struct gcn3_wave *w, unsigned control, uint32_t value)
{
    unsigned id = control & 63, offset = control >> 6 & 31, size = (control >> 11 & 31) + 1;
    uint32_t mask = (size == 32 ? UINT32_MAX : (UINT32_C(1) << size) - 1) << offset;
    uint32_t now = (hwreg_read(w, id) & ~mask) | (value << offset & mask);
    if (id == HWREG_STATUS && w->priv)
        w->scc = now & 1;
    if (id != HWREG_MODE)
        return;
    w->mode = now;
    w->dx10_clamp = now >> 8 & 1;
    w->ieee = now >> 9 & 1;
    w->hw_mode_hi = now & ~UINT32_C(0x3ff);
}

/* SPDX-License-Identifier: Apache-2.0
 * Registers of a retired instruction: what the RTL was seen to write against what the golden model holds.  Loops over
 * words have no branches, so that the compiler takes vectors.
 */
#include <stdio.h>
#include <string.h>

#include "lockstep/lockstep_private.h"

void ls_overlay(const struct ls_entry *e, unsigned phys, uint32_t row[64])
{
    for (const struct ls_write *x = e->writes; x; x = x->link) {
        if (!x->vector || x->row != phys)
            continue;
        for (unsigned h = 0; h < 64; h += 32) { /* without branches, so that the compiler takes vectors */
            const uint32_t lanes = x->lanes >> h;
            for (unsigned l = 0; l < 32; l++) {
                const uint32_t written = -(lanes >> l & 1);
                row[h + l] = (row[h + l] & ~written) | (x->data[h + l] & written);
            }
        }
    }
}

/* The row when the RTL wrote every lane of it once: then what it held before is of no concern.  Else NULL. */
static const uint32_t *whole_row(const struct ls_entry *e, unsigned phys)
{
    const struct ls_write *found = NULL;
    for (const struct ls_write *x = e->writes; x; x = x->link) {
        if (!x->vector || x->row != phys)
            continue;
        if (found || x->lanes != UINT64_MAX)
            return NULL;
        found = x;
    }
    return found ? found->data : NULL;
}

static inline bool words_differ(const uint32_t *a, const uint32_t *b, unsigned count)
{
    uint32_t bits = 0;
    for (unsigned n = 0; n < count; n++)
        bits |= a[n] ^ b[n];
    return bits != 0;
}

static bool compare_row(struct ls_check *c, unsigned phys, const uint32_t rtl[64])
{
    const uint32_t *golden = c->cu->vgpr[c->wave->simd][phys];
    if (!words_differ(rtl, golden, 64))
        return true;
    for (unsigned l = 0; l < 64; l++)
        if (rtl[l] != golden[l]) {
            char text[160];
            snprintf(text, sizeof text, "v%u lane %u: rtl %08x golden %08x", phys - c->wave->vgpr_base, l, rtl[l],
                     golden[l]);
            ls_report(c->wave, c->entry, c->now, text);
            return false;
        }
    return true;
}

void ls_rows_take(struct ls_rows *r, const struct ls_wave *w, const struct ls_entry *e, const struct gcn3_inst *inst)
{
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++) {
        const unsigned phys = w->vgpr_base + inst->vdst + k;
        r->rtl[k] = inst->unit == UNIT_VALU ? whole_row(e, phys) : NULL;
        if (r->rtl[k])
            continue;
        memcpy(r->own[k], w->state.v[inst->vdst + k], sizeof r->own[k]);
        ls_overlay(e, phys, r->own[k]);
        r->rtl[k] = r->own[k];
    }
}

bool ls_rows_agree(const struct ls_rows *r, struct ls_check *c, const struct gcn3_inst *inst)
{
    for (unsigned k = 0; k < inst->vdst_w && k < 4; k++)
        if (!compare_row(c, c->wave->vgpr_base + inst->vdst + k, r->rtl[k]))
            return false;
    return true;
}

void ls_compare_stray(struct ls_check *c, const struct gcn3_inst *inst)
{
    unsigned first = c->wave->vgpr_base + inst->vdst;
    for (const struct ls_write *x = c->entry->writes; x; x = x->link) {
        if (!x->vector || (x->row >= first && x->row < first + inst->vdst_w))
            continue;
        const uint32_t *golden = c->cu->vgpr[c->wave->simd][x->row];
        for (unsigned l = 0; l < 64; l++)
            if (x->lanes >> l & 1 && x->data[l] != golden[l]) {
                char text[160];
                snprintf(text, sizeof text, "v%d (not a destination) lane %u: rtl %08x golden %08x",
                         (int)(x->row - c->wave->vgpr_base), l, x->data[l], golden[l]);
                ls_report(c->wave, c->entry, c->now, text);
                return;
            }
    }
}

static const char *scalar_name(unsigned code, char *text)
{
    if (code >= SREG_TTMP && code < SREG_M0) {
        sprintf(text, "ttmp%u", code - SREG_TTMP);
        return text;
    }
    if (code == SREG_VCC || code == SREG_VCC + 1)
        return code == SREG_VCC ? "vcc_lo" : "vcc_hi";
    if (code == SREG_EXEC || code == SREG_EXEC + 1)
        return code == SREG_EXEC ? "exec_lo" : "exec_hi";
    if (code == SREG_M0)
        return "m0";
    sprintf(text, "s%u", code);
    return text;
}

/* What the register held before the writes of this instruction, which have changed places with what they replaced. */
static uint32_t scalar_before(const struct ls_check *c, unsigned code)
{
    for (const struct ls_write *x = c->entry->writes; x; x = x->link)
        for (unsigned k = 0; !x->vector && k < x->count && k < 16; k++)
            if (((x->row + k) & 127) == code)
                return x->data[k];
    return c->wave->scalar[code];
}

static void report_scalars(struct ls_check *c)
{
    const uint32_t *rtl = c->wave->scalar;
    uint32_t golden[128];
    char text[160], name[16];
    gcn3_scalar_image(&c->wave->state, golden);
    for (unsigned n = 0; n < 128; n++)
        if (rtl[n] != golden[n]) {
            snprintf(text, sizeof text, "%s: rtl %08x golden %08x (before %08x)", scalar_name(n, name), rtl[n],
                     golden[n], scalar_before(c, n));
            ls_report(c->wave, c->entry, c->now, text);
            return;
        }
}

void ls_compare_scalars(struct ls_check *c, bool old_scc, bool old_priv)
{
    const struct gcn3_wave *state = &c->wave->state;
    const uint32_t *ttmp = state->priv ? &state->s[SREG_TTMP] : state->ttmp;
    unsigned hidden = old_priv || state->priv ? SREG_TTMP : SREG_M0; /* from TBA on */
    uint32_t *rtl = c->wave->scalar;
    bool scc = old_scc;
    for (struct ls_write *x = c->entry->writes; x; x = x->link) {
        if (x->vector)
            continue;
        for (unsigned k = 0; k < x->count && k < 16; k++) {
            unsigned code = (x->row + k) & 127;
            uint32_t before = rtl[code];
            if (code < SREG_TBA || code >= hidden)
                rtl[code] = x->data[k];
            x->data[k] = before;
        }
        if (x->scc_valid)
            scc = x->scc;
    }
    /* As gcn3_scalar_image, without making one: TBA and TMA are 0 in both. */
    if (words_differ(rtl, state->s, SREG_TBA) || words_differ(&rtl[SREG_TTMP], ttmp, SREG_M0 - SREG_TTMP) ||
        words_differ(&rtl[SREG_M0], &state->s[SREG_M0], 128 - SREG_M0))
        report_scalars(c);
    else if (scc != state->scc) {
        char text[160];
        snprintf(text, sizeof text, "scc: rtl %d golden %d", scc, state->scc);
        ls_report(c->wave, c->entry, c->now, text);
    }
}

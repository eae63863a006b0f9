/* SPDX-License-Identifier: Apache-2.0
 * Lock step: what all its files stand on: decoded instructions, and the end at the first difference.
 */
#include <stdio.h>

#include "base/check.h"
#include "base/log.h"
#include "lockstep/lockstep_private.h"

const struct gcn3_inst *ls_decode(struct lockstep *ls, uint64_t bits)
{
    struct ls_decoded *d = &ls->decoded[(bits * UINT64_C(0x9e3779b97f4a7c15) >> 40) % LS_DECODED];
    if (d->bits != bits || !d->valid) {
        gcn3_decode(bits, &d->inst);
        d->bits = bits;
        d->valid = true;
    }
    return &d->inst;
}

void ls_fail(struct lockstep *ls, unsigned gpu, unsigned cu, const char *text)
{
    if (ls->failed)
        return;
    ls->failed = true;
    if (ls->fail) {
        ls->fail(ls->ctx, text);
        return;
    }
    diag("lockstep", "%s", text);
    char component[40];
    snprintf(component, sizeof component, "gpu%u.cu%u", gpu, cu);
    check_fail(__FILE__, __LINE__, "rtl equals golden", component, "%s", text);
}

void ls_report(struct ls_wave *w, const struct ls_entry *e, uint64_t now, const char *what)
{
    struct lockstep *ls = w->cu->ls;
    char text[1024], code[200] = "";
    unsigned n = w - w->cu->wave;
    if (ls->failed)
        return;
    if (e)
        disasm_text(ls->disasm, e->pc, e->inst, code, sizeof code);
    snprintf(text, sizeof text, "gpu%u.cu%u simd %u slot %u cycle %lu instruction %lu pc %012lx: %s: %s", w->cu->gpu,
             w->cu->index, n >> 4, n & 15, (unsigned long)(e && e->issued ? e->issued : now),
             (unsigned long)w->compared, (unsigned long)(e ? e->pc : w->state.pc), code, what);
    ls_fail(ls, w->cu->gpu, w->cu->index, text);
}

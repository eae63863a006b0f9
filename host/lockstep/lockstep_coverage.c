/* SPDX-License-Identifier: Apache-2.0
 * Coverage of lock step: which encodings ran in both models with equal results, with which operand kinds and modifiers.
 * A cell (encoding, operand, kind, modifier) counts when the instruction had an active lane and, if it has a result,
 * left another one than it found.  Names of kinds and modifiers are those of sw/tools/verify/isa_cells.py, which knows
 * which cells exist.  Costs nothing unless GANTRY_COVERAGE names a folder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "lockstep/lockstep_private.h"

#define FORMATS (FMT_MUBUF + 1)
#define OPCODES 1024

enum kind { K_NONE, K_VGPR, K_SGPR, K_VCC, K_EXEC, K_M0, K_TRAP, K_INT, K_FLOAT, K_LITERAL, K_SCC, KINDS };
static const char *const kind_names[KINDS] = {"none", "vgpr", "sgpr",  "vcc",     "exec", "m0",
                                              "trap", "int",  "float", "literal", "scc"};

/* Operands: sources 0 to 2, scalar destination, the instruction without any. */
enum slot { S_SRC0, S_SRC1, S_SRC2, S_SDST, S_NONE, SLOTS };
static const char *const slot_names[SLOTS] = {"src0", "src1", "src2", "sdst", "-"};

static const char *const modifier_names[] = {
    "none",      "neg0",       "neg1",       "neg2",
    "abs0",      "abs1",       "abs2",       "clamp",
    "mul2",      "mul4",       "div2",       "sel0:b0",
    "sel0:b1",   "sel0:b2",    "sel0:b3",    "sel0:w0",
    "sel0:w1",   "sel0:dw",    "sel1:b0",    "sel1:b1",
    "sel1:b2",   "sel1:b3",    "sel1:w0",    "sel1:w1",
    "sel1:dw",   "dst:b0",     "dst:b1",     "dst:b2",
    "dst:b3",    "dst:w0",     "dst:w1",     "dst:dw",
    "pad",       "sext",       "preserve",   "sext0",
    "sext1",     "sdwa:neg0",  "sdwa:neg1",  "sdwa:abs0",
    "sdwa:abs1", "sdwa:clamp", "quad_perm",  "row_shl",
    "row_shr",   "row_ror",    "wave_shl",   "wave_rol",
    "wave_shr",  "wave_ror",   "row_mirror", "row_half_mirror",
    "bcast15",   "bcast31",    "bound_ctrl", "row_mask",
    "bank_mask", "dpp:neg0",   "dpp:neg1",   "dpp:abs0",
    "dpp:abs1",  "glc",        "slc",        "offset",
    "offen",     "idxen",      "bothen",     "lds",
};
enum modifier {
    M_NONE,
    M_NEG0,
    M_ABS0 = 4,
    M_CLAMP = 7,
    M_OMOD = 7,
    M_SEL0 = 11,
    M_SEL1 = 18,
    M_DST = 25,
    M_UNUSED = 32,
    M_SEXT0 = 35,
    M_SEXT1,
    M_SDWA_NEG0,
    M_SDWA_ABS0 = 39,
    M_SDWA_CLAMP = 41,
    M_QUAD_PERM,
    M_ROW_SHL,
    M_ROW_SHR,
    M_ROW_ROR,
    M_WAVE_SHL,
    M_WAVE_ROL,
    M_WAVE_SHR,
    M_WAVE_ROR,
    M_ROW_MIRROR,
    M_ROW_HALF_MIRROR,
    M_BCAST15,
    M_BCAST31,
    M_BOUND_CTRL,
    M_ROW_MASK,
    M_BANK_MASK,
    M_DPP_NEG0,
    M_DPP_ABS0 = 59,
    M_GLC = 61,
    M_SLC,
    M_OFFSET,
    M_OFFEN,
    M_IDXEN,
    M_BOTHEN,
    M_LDS,
    MODIFIERS
};
_Static_assert(sizeof modifier_names / sizeof *modifier_names == MODIFIERS, "a name for each modifier");

struct block {
    const char *name;
    uint32_t count[SLOTS][KINDS][MODIFIERS];
};

struct ls_coverage {
    char *folder;
    struct block *block[FORMATS][OPCODES];
};

struct ls_coverage *ls_coverage_new(void)
{
    const char *folder = getenv("GANTRY_COVERAGE");
    if (!folder || !*folder)
        return NULL;
    struct ls_coverage *c = xcalloc(1, sizeof *c);
    c->folder = xstrdup(folder);
    return c;
}

static enum kind kind_of(unsigned code)
{
    if (code >= SREG_VGPR)
        return K_VGPR;
    if (code < SREG_FLAT_SCRATCH)
        return K_SGPR;
    if ((code & ~1u) == SREG_VCC)
        return K_VCC;
    if ((code & ~1u) == SREG_EXEC)
        return K_EXEC;
    if (code < 128)
        return code == SREG_M0 ? K_M0 : K_TRAP;
    if (code <= 208)
        return K_INT;
    if (code >= 240 && code <= 248)
        return K_FLOAT;
    return code == SREG_LITERAL ? K_LITERAL : K_SCC;
}

/* Collects the modifiers of an instruction. */
struct modifiers {
    uint8_t is[24];
    unsigned count;
};

static void add(struct modifiers *m, bool present, unsigned which)
{
    if (present && m->count < sizeof m->is)
        m->is[m->count++] = which;
}

static void sdwa_modifiers(struct modifiers *m, const struct gcn3_inst *i)
{
    uint32_t x = i->ext;
    add(m, (x >> 16 & 7) < 7, M_SEL0 + (x >> 16 & 7));
    add(m, i->info->sw1 && (x >> 24 & 7) < 7, M_SEL1 + (x >> 24 & 7));
    add(m, i->info->dkind == 1 && (x >> 8 & 7) < 7, M_DST + (x >> 8 & 7));
    add(m, i->info->dkind == 1 && (x >> 8 & 7) < 6 && (x >> 11 & 3) < 3, M_UNUSED + (x >> 11 & 3));
    add(m, x >> 19 & 1, M_SEXT0);
    add(m, i->info->sw1 && x >> 27 & 1, M_SEXT1);
    for (unsigned n = 0; n < 2; n++) {
        add(m, i->neg >> n & 1, M_SDWA_NEG0 + n);
        add(m, i->abs >> n & 1, M_SDWA_ABS0 + n);
    }
    add(m, i->clamp, M_SDWA_CLAMP);
}

static void dpp_modifiers(struct modifiers *m, const struct gcn3_inst *i)
{
    static const struct {
        uint16_t control;
        uint8_t which;
    } wide[] = {
        {0x130, M_WAVE_SHL},   {0x134, M_WAVE_ROL},        {0x138, M_WAVE_SHR}, {0x13c, M_WAVE_ROR},
        {0x140, M_ROW_MIRROR}, {0x141, M_ROW_HALF_MIRROR}, {0x142, M_BCAST15},  {0x143, M_BCAST31},
    };
    unsigned control = i->ext >> 8 & 0x1ff;
    add(m, control < 0x100, M_QUAD_PERM);
    add(m, control >> 4 >= 0x10 && control >> 4 <= 0x12, M_ROW_SHL + (control >> 4) - 0x10);
    for (unsigned n = 0; n < sizeof wide / sizeof *wide; n++)
        add(m, control == wide[n].control, wide[n].which);
    add(m, i->ext >> 19 & 1, M_BOUND_CTRL);
    add(m, i->ext >> 28 != 15, M_ROW_MASK);
    add(m, (i->ext >> 24 & 15) != 15, M_BANK_MASK);
    for (unsigned n = 0; n < 2; n++) {
        add(m, i->neg >> n & 1, M_DPP_NEG0 + n);
        add(m, i->abs >> n & 1, M_DPP_ABS0 + n);
    }
}

static void take_modifiers(struct modifiers *m, const struct gcn3_inst *i)
{
    if (i->sdwa) {
        sdwa_modifiers(m, i);
    } else if (i->dpp) {
        dpp_modifiers(m, i);
    } else if (i->fmt == FMT_VOP3) {
        for (unsigned n = 0; n < 3; n++) {
            add(m, i->neg >> n & 1, M_NEG0 + n);
            add(m, i->abs >> n & 1, M_ABS0 + n);
        }
        add(m, i->clamp, M_CLAMP);
        add(m, i->omod, M_OMOD + i->omod);
    } else if (i->fmt == FMT_DS || i->fmt == FMT_FLAT || i->fmt == FMT_MUBUF) {
        add(m, i->glc, M_GLC);
        add(m, i->slc, M_SLC);
        add(m, i->offset, M_OFFSET);
        add(m, i->fmt == FMT_MUBUF && i->offen && !i->idxen, M_OFFEN);
        add(m, i->fmt == FMT_MUBUF && i->idxen && !i->offen, M_IDXEN);
        add(m, i->fmt == FMT_MUBUF && i->idxen && i->offen, M_BOTHEN);
        add(m, i->lds && i->info->kind == KIND_LOAD, M_LDS); /* the store has no other form */
    }
    add(m, m->count == 0, M_NONE);
}

static void count(struct block *b, enum slot slot, enum kind kind, const struct modifiers *m)
{
    for (unsigned n = 0; n < m->count; n++)
        b->count[slot][kind][m->is[n]]++;
}

void ls_coverage_take(struct ls_coverage *c, const struct gcn3_inst *i, bool active, bool changed)
{
    bool vector = i->unit == UNIT_VALU || i->unit == UNIT_LDS || i->unit == UNIT_FLAT || i->unit == UNIT_MUBUF;
    bool result = i->vdst_w || i->sdst_w || i->writes_scc;
    if ((vector && !active) || (result && !changed))
        return;
    struct block **at = &c->block[i->fmt][i->op & (OPCODES - 1)], *b = *at;
    if (!b) {
        b = *at = xcalloc(1, sizeof *b);
        b->name = i->info->name;
    }
    struct modifiers m = {.count = 0};
    take_modifiers(&m, i);
    bool any = false;
    for (unsigned n = 0; n < 3; n++) {
        bool immediate = i->fmt == FMT_SMEM && n == 1 && i->smem_imm;
        if (!i->srcw[n] && !immediate)
            continue;
        count(b, n, immediate ? K_INT : kind_of(i->src[n]), &m);
        any = true;
    }
    if (i->sdst_w) {
        count(b, S_SDST, kind_of(i->sdst), &m);
        any = true;
    }
    if (!any)
        count(b, S_NONE, K_NONE, &m);
}

static const char *const format_names[FORMATS] = {"SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "SMEM", "VOP2",
                                                  "VOP1", "VOPC", "VOP3", "DS",   "FLAT", "MUBUF"};

static void write_block(FILE *f, unsigned format, const struct block *b)
{
    for (unsigned s = 0; s < SLOTS; s++)
        for (unsigned k = 0; k < KINDS; k++)
            for (unsigned m = 0; m < MODIFIERS; m++)
                if (b->count[s][k][m])
                    fprintf(f, "%s\t%s\t%s\t%s\t%s\t%u\n", b->name, format_names[format], slot_names[s], kind_names[k],
                            modifier_names[m], b->count[s][k][m]);
}

void ls_coverage_free(struct ls_coverage *c)
{
    if (!c)
        return;
    char *path = xasprintf("%s/%ld.tsv", c->folder, (long)getpid());
    FILE *f = mkdir(c->folder, 0777) == 0 || errno == EEXIST ? fopen(path, "a") : NULL;
    if (!f)
        diag("GANTRY_COVERAGE", "%s: %s", path, strerror(errno));
    for (unsigned format = 0; format < FORMATS; format++)
        for (unsigned op = 0; op < OPCODES; op++) {
            if (f && c->block[format][op])
                write_block(f, format, c->block[format][op]);
            free(c->block[format][op]);
        }
    if (f && fclose(f))
        diag("GANTRY_COVERAGE", "%s: %s", path, strerror(errno));
    free(path);
    free(c->folder);
    free(c);
}

/* SPDX-License-Identifier: Apache-2.0
 * The C decoder against LLVM's disassembler: every opcode of every format with random operands.  Where LLVM decodes an
 * instruction that the table implements, ours has the same mnemonic and length; nothing else is legal (C.1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GCN3_OPS_TABLE
#include "isa/disasm.h"
#include "isa/gcn3.h"

static uint64_t state = 88172645463325252u;
static uint32_t rnd(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state >> 16;
}

static struct disasm *llvm;
static unsigned compared, illegal_both, wrong;
static bool seen[GCN3_OP_COUNT];

static unsigned row_of(const char *name)
{
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (!strcmp(gcn3_op_table[n].name, name))
            return n;
    return 0;
}

/* Mnemonic without the suffix of its encoding. */
static void bare_name(const char *text, char *name)
{
    unsigned n = 0;
    while (text[n] && text[n] != ' ' && n < 60)
        name[n] = text[n], n++;
    name[n] = 0;
    static const char *const suffix[] = {"_e32", "_e64", "_sdwa", "_dpp"};
    for (unsigned s = 0; s < 4; s++) {
        size_t k = strlen(suffix[s]);
        if (n > k && !strcmp(name + n - k, suffix[s]))
            name[n - k] = 0;
    }
}

/* Fields that an instruction does not use must be zero for LLVM; lane masks must be SGPRs. */
static uint64_t clear_unused(uint64_t inst)
{
    struct gcn3_inst d;
    gcn3_decode(inst, &d);
    for (unsigned n = 0; d.fmt == FMT_VOP3 && n < 3; n++) {
        uint64_t field = UINT64_C(511) << (32 + 9 * n);
        if (d.srcw[n] == 0 || (n == 2 && d.info->op == OP_V_MAC_F32) || (n == 2 && d.info->op == OP_V_MAC_F16) ||
            (n == 2 && d.info->op == OP_V_CVT_PKACCUM_U8_F32))
            inst &= ~field;
        else if (n == 2 && d.src2_mask)
            inst = (inst & ~field) | (uint64_t)(rnd() % 20 * 2) << 50;
    }
    if (d.fmt == FMT_SOPP && d.op == OP_S_ENDPGM_SAVED)
        return inst & 0xffff0000;
    if (d.op == OP_V_CLREXCP && d.fmt != FMT_VOP2 && d.fmt != FMT_VOPC && d.unit == UNIT_VALU)
        return d.fmt == FMT_VOP3 ? inst & ~UINT64_C(0xff) : 0x7e006a00;
    if (d.op == OP_V_NOP && d.fmt != FMT_VOP2 && d.fmt != FMT_VOPC && d.unit == UNIT_VALU)
        return d.fmt == FMT_VOP3 ? inst & ~UINT64_C(0xff) : 0x7e000000;
    bool memory = d.fmt == FMT_DS || d.fmt == FMT_FLAT;
    for (unsigned n = 0; memory && n < 3; n++)
        if (d.srcw[n] == 0)
            inst &= ~(UINT64_C(255) << (32 + 8 * n));
    if (memory && d.vdst_w == 0)
        inst &= ~(UINT64_C(255) << 56);
    if (d.op == OP_DS_NOP && d.fmt == FMT_DS)
        inst &= 0xfffe0000;
    if (d.fmt == FMT_MUBUF && d.info->kind == KIND_INV)
        inst &= 0xfffc0000;
    if (d.sdwa && d.fmt == FMT_VOP1)
        inst &= ~(UINT64_C(255) << 56);
    if (d.fmt == FMT_SMEM && d.srcw[0] == 0)
        inst &= d.sdst_w ? 0xfffc1fc0 : 0xfffc0000;
    return inst;
}

static void compare(uint64_t raw)
{
    char text[256], name[64];
    struct gcn3_inst d;
    uint64_t inst = clear_unused(raw);
    unsigned length = disasm_text(llvm, 0, inst, text, sizeof text);
    gcn3_decode(inst, &d);
    bare_name(text, name);
    if (d.operands) /* LLVM's disassembler names registers that its assembler refuses */
        return;
    if (d.illegal) {
        unsigned row = length ? row_of(name) : 0;
        bool other = strstr(text, " gds") || strstr(text, " tfe");
        if (row && gcn3_op_table[row].implemented && !other) {
            wrong++;
            printf("%016lx: llvm '%s', illegal here\n", (unsigned long)inst, text);
        }
        illegal_both++;
        return;
    }
    seen[row_of(name)] = true;
    compared++;
    if (length == 4u * d.len && !strcmp(name, d.info->name))
        return;
    static const char *last;
    wrong++;
    if (last != d.info->name && (last = d.info->name))
        printf("%016lx: llvm '%s' %u, ours %s %u\n", (unsigned long)inst, text, length, d.info->name, 4 * d.len);
}

/* Scalar operand that is valid for 64-bit registers too. */
static unsigned scalar_source(void)
{
    switch (rnd() % 6) {
    case 0:
        return 106;
    case 1:
        return 128 + rnd() % 81;
    case 2:
        return 240 + rnd() % 9;
    case 3:
        return 126;
    default:
        return rnd() % 24 * 4;
    }
}

static unsigned scalar_dest(void)
{
    return rnd() % 4 ? rnd() % 20 * 4 : 106;
}
static unsigned any_source(void)
{
    return rnd() & 1 ? 256 + rnd() % 200 : scalar_source();
}

static void scalar_formats(void)
{
    for (unsigned op = 0; op < 128; op++)
        for (unsigned n = 0; n < 40; n++) {
            uint64_t ext = (uint64_t)rnd() << 32;
            unsigned a = scalar_source(), b = scalar_source();
            if (op < 0x60)
                compare(ext | 0x80000000u | op << 23 | scalar_dest() << 16 | b << 8 | a);
            compare(ext | 0xbf000000u | op << 16 | b << 8 | a);
            compare(ext | 0xbf800000u | op << 16 |
                    (op == OP_S_WAKEUP || op == OP_S_BARRIER || op == OP_S_ICACHE_INV ? 0 : rnd() & 15));
            if (op < 32)
                compare(ext | 0xb0000000u | op << 23 | scalar_dest() << 16 | (rnd() & 0x1041));
        }
    for (unsigned op = 0; op < 256; op++)
        for (unsigned n = 0; n < 40; n++) {
            unsigned base = rnd() % 20 * 2, dest = rnd() % 20 * 4;
            compare((uint64_t)rnd() << 32 | 0xbe800000u | scalar_dest() << 16 | op << 8 | scalar_source());
            compare((uint64_t)(rnd() & 0x7c) << 32 | 0xc0000000u | op << 18 | 1 << 17 | dest << 6 | base);
        }
}

static void vector_formats(void)
{
    for (unsigned op = 0; op < 0x3e; op++)
        for (unsigned n = 0; n < 60; n++)
            compare((uint64_t)rnd() << 32 | op << 25 | (rnd() & 255) << 17 | (rnd() & 255) << 9 | any_source());
    for (unsigned op = 0; op < 256; op++)
        for (unsigned n = 0; n < 60; n++) {
            compare((uint64_t)rnd() << 32 | 0x7e000000u | (rnd() & 63) << 17 | op << 9 | any_source());
            compare((uint64_t)rnd() << 32 | 0x7c000000u | op << 17 | (rnd() & 127) << 9 | any_source());
        }
    for (unsigned op = 0; op < 1024; op++)
        for (unsigned n = 0; n < 60; n++) {
            uint64_t high = any_source() | any_source() << 9 | any_source() << 18;
            unsigned low = op << 16 | scalar_dest();
            if (op == OP_V_WRITELANE_B32 || op == OP_V_READLANE_B32)
                high = (op == OP_V_READLANE_B32 ? 256 : 0) | (rnd() % 24) << 9;
            compare(high << 32 | 0xd0000000u | low);
        }
}

static void sub_dword(void)
{
    for (unsigned op = 0; op < 0x3e; op++)
        for (unsigned n = 0; n < 40; n++) {
            uint64_t sdwa = (rnd() & 63) | (rnd() % 7) << 8 | (rnd() % 3) << 11 | (rnd() % 7) << 16 | (rnd() % 7) << 24;
            uint64_t dpp = (rnd() & 63) | (rnd() & 255) << 8 | (rnd() & 1) << 19 | rnd() << 24;
            compare(sdwa << 32 | op << 25 | 5 << 17 | 9 << 9 | 249);
            compare(dpp << 32 | op << 25 | 5 << 17 | 9 << 9 | 250);
            compare(sdwa << 32 | 0x7e000000u | 5 << 17 | (rnd() % 0x50) << 9 | 249);
            compare(dpp << 32 | 0x7e000000u | 5 << 17 | (rnd() % 0x50) << 9 | 250);
        }
}

static void memory_formats(void)
{
    for (unsigned op = 0; op < 256; op++)
        for (unsigned n = 0; n < 30; n++) {
            uint64_t regs = (uint64_t)(rnd() & 0x7f7f7f7f) << 32;
            compare(regs | 0xd8000000u | op << 17 | (rnd() & 0xffff));
            if (op < 128) {
                compare((regs & 0x7f00ffffull << 32) | 0xdc000000u | op << 18 | (rnd() & 3) << 16);
                compare((regs & 0xffffull << 32) | (uint64_t)(rnd() % 8 << 16 | 0x80u << 24) << 32 | 0xe0000000u |
                        op << 18 | (rnd() & 1) << 16 | (rnd() & 3) << 12 | (rnd() & 0xfff));
            }
        }
}

/* shows C.1: Every implemented row of the table is legal in some encoding, and every other row in none. */
static void every_row(void **unused)
{
    (void)unused;
    llvm = disasm_new();
    assert_non_null(llvm);
    scalar_formats();
    vector_formats();
    sub_dword();
    memory_formats();
    disasm_free(llvm);
    printf("%u instructions equal to LLVM's, %u illegal here, %u wrong\n", compared - wrong, illegal_both, wrong);
    assert_int_equal(wrong, 0);
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (gcn3_op_table[n].implemented && !seen[n])
            fail_msg("%s never decoded", gcn3_op_table[n].name);
    assert_true(compared > 50000);
}

/* Operands that no program may name (docs/reference/isa.md), and what they name when they may. */
static void operands(void **unused)
{
    static const struct {
        uint64_t inst;
        bool illegal;
        unsigned vgprs, sgprs;
        const char *what;
    } cases[] = {
        {0xbe820104, false, 0, 6, "s_mov_b64 s[2:3], s[4:5]"},
        {0xbe820103, true, 0, 0, "odd source pair"},
        {0xbe830104, true, 0, 0, "odd destination pair"},
        {0xbe82017c, true, 0, 0, "M0 as a pair"},
        {0xbe82007d, true, 0, 0, "code 125"},
        {0xbe8200d1, true, 0, 0, "reserved constant"},
        {0xbe8200fe, true, 0, 0, "lds_direct"},
        {0x00000000c0080100, false, 0, 8, "s_load_dwordx4 s[4:7], s[0:1], s0"},
        {0x00000000c0080080, true, 0, 0, "s_load_dwordx4 s[2:5]"},
        {0x00000000c0081900, true, 0, 0, "s_load_dwordx4 s[100:103]"},
        {0x00000000c0081c00, false, 0, 2, "s_load_dwordx4 ttmp[0:3], s[0:1], s0"},
        {0x00000000c0081a00, true, 0, 0, "s_load_dwordx4 at flat_scratch, xnack"},
        {0x7e020302, false, 3, 0, "v_mov_b32 v1, v2"},
        {0x7ffe0302, false, 256, 0, "v_mov_b32 v255, v2"},
        {UINT64_C(0x000203ffd28f00ff), true, 0, 0, "v_lshlrev_b64 v[255:256]"},
        {UINT64_C(0x00000401d1130001), true, 0, 0, "v_and_b32_e64 v1, s1, s2"},
        {UINT64_C(0x00000201d1130001), false, 2, 2, "v_and_b32_e64 v1, s1, s1"},
        {UINT64_C(0x000202ffd1130001), true, 0, 0, "literal in VOP3"},
        {0x00020401, true, 0, 0, "v_cndmask_b32 v1, s1, v2, vcc"},
        {0x0002046a, false, 3, 0, "v_cndmask_b32 v1, vcc_lo, v2, vcc"},
        {UINT64_C(0x040a0501d1000001), true, 0, 0, "v_cndmask_b32 by a VGPR"},
        {UINT64_C(0x02420501d1000001), true, 0, 0, "v_cndmask_b32 by a constant"},
        {UINT64_C(0x0000f802d28a0001), false, 2, 3, "v_writelane_b32 v1, s2, m0"},
        {UINT64_C(0x00000802d28a0001), true, 0, 0, "v_writelane_b32 v1, s2, s4"},
        {UINT64_C(0x00000702d2890001), false, 3, 4, "v_readlane_b32 s1, v2, s3"},
        {UINT64_C(0x00020702d2890001), true, 0, 0, "v_readlane_b32 s1, v2, v3"},
        {UINT64_C(0x00000602d2890001), true, 0, 0, "v_readlane_b32 s1, s2, s3"},
        {UINT64_C(0x000607017e0402f9), true, 0, 0, "SDWA: destination selection 7"},
        {UINT64_C(0x000606017e0402f9), false, 3, 0, "SDWA"},
        {UINT64_C(0xff0100017e0402fa), true, 0, 0, "DPP: row_shl:0"},
        {UINT64_C(0x80030000e0501000), false, 1, 16, "buffer_load_dword v0, v0, s[12:15], 0 offen"},
        {UINT64_C(0x801a0000e0501000), true, 0, 0, "buffer resource at 104"},
        {UINT64_C(0xff030000e0501000), true, 0, 0, "literal as buffer offset"},
        {UINT64_C(0x8003ff09e0511000), false, 10, 16, "buffer_load_dword v9, s[12:15], 0 offen lds: no destination"},
        {UINT64_C(0x80830000e0511000), true, 0, 0, "the same with tfe"},
        {UINT64_C(0x80030000e0550000), true, 0, 0, "buffer_load_dwordx2 lds"},
        {UINT64_C(0x80030000e0710000), true, 0, 0, "buffer_store_dword lds"},
        {UINT64_C(0x80030000e1090000), true, 0, 0, "buffer_atomic_add lds"},
        {UINT64_C(0x8003fffce0f50000), false, 0, 16, "buffer_store_lds_dword s[12:15], 0"},
        {UINT64_C(0x80030000e0f40000), true, 0, 0, "buffer_store_lds_dword without lds"},
        {UINT64_C(0x80030000e0f51000), true, 0, 0, "buffer_store_lds_dword offen"},
    };
    (void)unused;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct gcn3_inst d;
        gcn3_decode(cases[n].inst, &d);
        if (d.illegal != cases[n].illegal || (!d.illegal && (d.vgprs != cases[n].vgprs || d.sgprs != cases[n].sgprs)))
            fail_msg("%s: illegal %d, %u VGPRs, %u SGPRs", cases[n].what, d.illegal, d.vgprs, d.sgprs);
        char why[96];
        gcn3_why_text(cases[n].inst, 256, 102, why, sizeof why);
        if (d.illegal != (*why != 0))
            fail_msg("%s: illegal %d, reason '%s'", cases[n].what, d.illegal, why);
    }
}

/* The reason is in the message of the fault. */
static void reasons(void **unused)
{
    static const struct {
        uint64_t inst;
        const char *why;
    } cases[] = {
        {0xbe820104, ""},
        {0x00000000fe000000, "unknown opcode"},
        {0xbe820103, "source 0 cannot be 2 registers from scalar code 3 on"},
        {0xbe830104, "destination cannot be 2 registers from scalar code 3 on"},
        {0xbe8200d1, "source 0 cannot have code 209"},
        {UINT64_C(0x000203ffd28f00ff), "destination cannot be 2 registers from v255 on"},
        {UINT64_C(0x00000401d1130001), "two different scalars in one vector instruction"},
        {UINT64_C(0x040a0501d1000001), "source 2 is no lane mask in scalar registers"},
        {UINT64_C(0x000607017e0402f9), "reserved value in the SDWA or DPP word"},
        {UINT64_C(0x801a0000e0501000), "buffer resource cannot be 4 registers from scalar code 104 on"},
        {UINT64_C(0x80830000e0511000), "no partially resident textures (tfe)"},
        {UINT64_C(0x80030000e0710000), "the lds bit does not fit this instruction"},
        {0x7e020320, "v32 is beyond the 32 VGPRs of the wavefront"},
        {0xbe82011e, "s31 is beyond the 16 SGPRs of the wavefront"},
    };
    (void)unused;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        char why[96];
        gcn3_why_text(cases[n].inst, 32, 16, why, sizeof why);
        assert_string_equal(why, cases[n].why);
    }
}

/* The text of an illegal instruction goes into the message of its fault: LLVM's printer must not see what it crashes
 * on. */
static void reserved_selections_have_a_text(void **state)
{
    static const uint32_t first[] = {0x47315cf9, 0x7c8256f9, 0x7e0002f9}; /* v_mac_f16, v_cmp_lt_f32, v_mov_b32 */
    char text[256];
    (void)state;
    llvm = disasm_new();
    for (unsigned f = 0; f < 3; f++)
        for (unsigned field = 0; field < 3; field++) {
            uint64_t sdwa = 0x0606062a | 7u << (8 + 8 * field);
            unsigned length = disasm_text(llvm, 0, sdwa << 32 | first[f], text, sizeof text);
            bool unused = field == (f == 1 ? 0 : 2) && f;
            assert_true(unused || (!length && strncmp(text, "illegal ", 8) == 0));
        }
    disasm_free(llvm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row), cmocka_unit_test(operands),
                                       cmocka_unit_test(reasons), cmocka_unit_test(reserved_selections_have_a_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

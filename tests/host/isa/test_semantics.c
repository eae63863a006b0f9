/* SPDX-License-Identifier: Apache-2.0
 * Directed cases of single instructions, written as assembly (LLVM assembles them) with the expected registers worked
 * out by hand: SCC rules, bit fields, SDWA, DPP, lane operations, LDS, masks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine.h"

/* Start: s4 = 0x80000001, s5 = 3, s[6:7] = 0xf0f0f0f0_0000ff00, v1 = 0x11223344 + lane, v2 = lane, v3 = 0xdeadbeef,
 * vcc = 0xaaaaaaaaaaaaaaaa, scc = 1.  Expected: register, lane (scalars: 0), value; "scc" for the flag. */
struct check {
    const char *code, *reg;
    unsigned lane;
    uint32_t value;
};

/* v4 = 1.0, v6 = lane; halves: v4 = 1.0 below other bits, v6 = 1.5, v7 = 2.0 */
#define FLOATS "v_cvt_f32_u32 v6, v2\n v_mov_b32 v4, 1.0\n "
/* MODE, `n` bits from bit 4 on, is 0: 4 flush subnormals, 6 also without DX10_CLAMP and IEEE */
#define OMOD(n) "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, " #n "), 0\n "
#define HALVES "v_mov_b32 v4, 0x77773c00\n v_mov_b32 v6, 0x3e00\n v_mov_b32 v7, 0x4000\n "

static const struct check checks[] = {
    {"s_add_u32 s8, s4, s4", "s8", 0, 2},
    {"s_add_u32 s8, s4, s4", "scc", 0, 1},
    {"s_add_i32 s8, s4, s4", "scc", 0, 1},
    {"s_add_i32 s8, s5, s5", "scc", 0, 0},
    {"s_sub_u32 s8, s5, s4", "scc", 0, 1},
    {"s_subb_u32 s8, s5, s5", "s8", 0, 0xffffffff},
    {"s_addc_u32 s8, s5, s5", "s8", 0, 7},
    {"s_min_i32 s8, s4, s5", "s8", 0, 0x80000001},
    {"s_min_i32 s8, s5, s5", "scc", 0, 0},
    {"s_max_u32 s8, s4, s5", "scc", 0, 1},
    {"s_max_u32 s8, s5, s5", "scc", 0, 1},
    {"s_max_i32 s8, s5, s5", "scc", 0, 1},
    {"s_max_i32 s8, s4, s5", "scc", 0, 0},
    {"s_bfe_i32 s8, s4, 0x1001f", "s8", 0, 0xffffffff},
    {"s_bfe_i32 s8, s4, 0x00000", "s8", 0, 0},
    {"s_bfe_u32 s8, s4, 0x8001c", "s8", 0, 8},
    {"s_bfe_i64 s[8:9], s[6:7], 0x100008", "s8", 0, 0xff},
    {"s_bfe_i64 s[8:9], s[6:7], 0x80038", "s9", 0, 0xffffffff},
    {"s_flbit_i32 s8, s4", "s8", 0, 1},
    {"s_flbit_i32 s8, -1", "s8", 0, 0xffffffff},
    {"s_ff1_i32_b64 s8, s[6:7]", "s8", 0, 8},
    {"s_brev_b32 s8, s4", "s8", 0, 0x80000001},
    {"s_bcnt1_i32_b64 s8, s[6:7]", "s8", 0, 24},
    {"s_absdiff_i32 s8, s4, s5", "s8", 0, 0x7ffffffe},
    {"s_absdiff_i32 s8, s5, s4", "s8", 0, 0x7ffffffe},
    {"s_absdiff_i32 s8, 0x80000000, 0", "s8", 0, 0x80000000},
    {"s_absdiff_i32 s8, 0x80000000, -1", "s8", 0, 0x7fffffff},
    {"s_sext_i32_i8 s8, 0x80", "s8", 0, 0xffffff80},
    {"s_cmpk_lt_u32 s5, 0xffff", "scc", 0, 1},
    {"s_cmpk_lt_i32 s5, 0xffff", "scc", 0, 0},
    {"s_mulk_i32 s5, 0xfffe", "s5", 0, 0xfffffffa},
    {"s_cselect_b32 s8, s4, s5", "s8", 0, 0x80000001},
    {"s_bfm_b64 s[8:9], 36, 4", "s9", 0, 0xff},
    {"s_lshl_b64 s[8:9], s[6:7], 4", "s9", 0, 0x0f0f0f00},
    {"s_and_saveexec_b64 s[8:9], s[6:7]", "exec_lo", 0, 0xff00},
    {"s_and_saveexec_b64 s[8:9], s[6:7]", "s8", 0, 0xffffffff},
    {"s_andn2_saveexec_b64 s[8:9], s[6:7]", "exec_hi", 0, 0},
    {"s_bitset1_b32 s5, 31", "s5", 0, 0x80000003},
    {"s_mov_b64 s[8:9], -4", "s9", 0, 0xffffffff},
    {"s_mov_b64 s[8:9], 1.0", "s9", 0, 0x3ff00000},
    {"s_mov_b64 s[8:9], 0xffffff00", "s9", 0, 0},
    {"s_getreg_b32 s8, hwreg(HW_REG_MODE, 8, 2)", "s8", 0, 3},
    {"s_not_b64 s[8:9], s[6:7]", "s8", 0, 0xffff00ff},
    {"s_cmp_lg_u64 s[6:7], s[6:7]", "scc", 0, 0},
    {"v_add_u32 v4, vcc, v3, v3", "v4", 5, 0xbd5b7dde},
    {"v_add_u32 v4, vcc, v3, v3", "vcc_lo", 0, 0xffffffff},
    {"v_addc_u32 v4, vcc, 0, v2, vcc", "v4", 3, 4},
    {"v_addc_u32 v4, vcc, 0, v2, vcc", "v4", 4, 4},
    {"v_subrev_u32 v4, vcc, 5, v2", "v4", 7, 2},
    {"v_subrev_u32 v4, vcc, 5, v2", "vcc_lo", 0, 0x1f},
    {"v_cndmask_b32 v4, v1, v2, vcc", "v4", 1, 1},
    {"v_cndmask_b32 v4, v1, v2, vcc", "v4", 2, 0x11223346},
    {"v_cndmask_b32 v4, -v1, v2, s[6:7]", "v4", 0, 0x91223344},
    {"v_bfe_i32 v4, v3, 28, 4", "v4", 0, 0xfffffffd},
    {"v_bfe_u32 v4, v3, 4, 8", "v4", 0, 0xee},
    {"v_bfi_b32 v4, s4, v3, v1", "v4", 0, 0x91223345},
    {"v_perm_b32 v4, v1, v3, s8", "v4", 0, 0xefefefef},
    {"v_alignbit_b32 v4, v1, v3, 8", "v4", 0, 0x44deadbe},
    {"v_alignbyte_b32 v4, v1, v3, 3", "v4", 0, 0x223344de},
    {"v_ffbh_i32 v4, v3", "v4", 0, 2},
    {"v_mul_hi_i32 v4, v3, 16", "v4", 0, 0xfffffffd},
    {"v_mad_i32_i24 v4, v3, 2, v2", "v4", 1, 0xff5b7ddf},
    {"v_mul_u32_u24 v4, v3, v2", "v4", 2, 0x15b7dde},
    {"v_lshlrev_b16 v4, 4, v3", "v4", 0, 0xeef0},
    {"v_ashrrev_i16 v4, 4, v3", "v4", 0, 0xfbee},
    {"v_sub_u16 v4, v2, v3", "v4", 1, 0x4112},
    {"v_max_i16 v4, v2, v3", "v4", 9, 9},
    {"v_bcnt_u32_b32 v4, v3, 1", "v4", 0, 25},
    {"v_mbcnt_lo_u32_b32 v4, -1, 0", "v4", 40, 32},
    {"v_mbcnt_hi_u32_b32 v4, -1, 0", "v4", 40, 8},
    {"v_mbcnt_hi_u32_b32 v4, -1, 0", "v4", 31, 0},
    {"v_sad_u8 v4, v3, v1, 1", "v4", 0, 1 + 0xcd + 0x8b + 0x8b + 0xab},
    {"v_readlane_b32 s8, v2, 17", "s8", 0, 17},
    {"v_readfirstlane_b32 s8, v2", "s8", 0, 0},
    {"v_writelane_b32 v4, s5, 9", "v4", 9, 3},
    {"v_writelane_b32 v4, s5, 9", "v4", 8, 0},
    {"v_cmp_lt_u32 vcc, 7, v2", "vcc_lo", 0, 0xffffff00},
    {"v_cmp_class_f32 s[8:9], 1.0, s6", "s9", 0, 0xffffffff},
    {"v_cmpx_eq_u32 vcc, 2, v2", "exec_lo", 0, 4},
    {"v_cmp_u_f32 vcc, v3, v3", "vcc_lo", 0, 0},
    {"v_mov_b32_sdwa v4, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", "v4", 0, 0x22},
    {"v_mov_b32_sdwa v3, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3", "v3", 0, 0xdead11ef},
    {"v_mov_b32_sdwa v3, sext(v3) dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0", "v3", 0, 0xffffffef},
    {"v_mov_b32_sdwa v3, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0", "v3", 0, 0xef0000},
    {"v_add_u32_sdwa v4, vcc, v1, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1", "v4", 0,
     0xdef1},
    {"v_mov_b32_dpp v4, v2 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", "v4", 4, 7},
    {"v_mov_b32_dpp v4, v2 row_shl:1 row_mask:0xf bank_mask:0xf", "v4", 3, 4},
    {"v_mov_b32_dpp v3, v2 row_shl:1 row_mask:0xf bank_mask:0xf", "v3", 15, 0xdeadbeef},
    {"v_mov_b32_dpp v3, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v3", 15, 0},
    {"v_mov_b32_dpp v4, v2 row_shr:2 row_mask:0xf bank_mask:0xf", "v4", 18, 16},
    {"v_mov_b32_dpp v4, v2 row_ror:3 row_mask:0xf bank_mask:0xf", "v4", 17, 30},
    {"v_mov_b32_dpp v4, v2 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 15, 16},
    {"v_mov_b32_dpp v4, v2 row_mirror row_mask:0xf bank_mask:0xf", "v4", 16, 31},
    {"v_mov_b32_dpp v4, v2 row_half_mirror row_mask:0xf bank_mask:0xf", "v4", 9, 14},
    {"v_mov_b32_dpp v4, v2 row_bcast:15 row_mask:0xa bank_mask:0xf", "v4", 20, 15},
    {"v_mov_b32_dpp v4, v2 row_bcast:15 row_mask:0xa bank_mask:0xf", "v4", 40, 0},
    {"v_mov_b32_dpp v4, v2 row_bcast:31 row_mask:0xc bank_mask:0xf", "v4", 60, 31},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 15, 0x43710000},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 63, 0x3f800000},
    {FLOATS "v_mac_f32_dpp v2, v6, v6 wave_shl:1 row_mask:0xf bank_mask:0xf", "v2", 63, 63},
    {FLOATS "v_mac_f32_dpp v2, v6, v6 wave_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v2", 63, 0},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 wave_shr:1 row_mask:0xf bank_mask:0xf", "v4", 48, 0x450d1000},
    {FLOATS "v_mac_f32_dpp v6, v6, v4 wave_ror:1 row_mask:0xf bank_mask:0xf", "v6", 0, 0x427c0000},
    {FLOATS "v_mac_f32_dpp v6, v6, v6 wave_shr:1 row_mask:0xf bank_mask:0xf", "v6", 16, 0x43800000},
    {FLOATS "v_mac_f32_dpp v6, v6, v4 wave_rol:1 row_mask:0xf bank_mask:0xf", "v6", 63, 0x427c0000},
    {FLOATS "v_mac_f32_dpp v4, v6, -v6 row_bcast:15 row_mask:0xf bank_mask:0xf", "v4", 40, 0xc49ae000},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 row_bcast:15 row_mask:0xf bank_mask:0xf", "v4", 3, 0x3f800000},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 row_bcast:15 row_mask:0xd bank_mask:0xf", "v4", 20, 0x3f800000},
    {FLOATS "v_mac_f32_dpp v4, v6, v6 row_bcast:31 row_mask:0xc bank_mask:0xf", "v4", 60, 0x44e8a000},
    {FLOATS "s_mov_b64 exec, 0xff\n v_mac_f32_dpp v4, v6, v6 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 7,
     0x3f800000},
    {FLOATS "s_mov_b64 exec, 0xff\n v_mac_f32_dpp v4, |v6|, v6 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 6,
     0x422c0000},
    {HALVES "v_mac_f16_dpp v4, v6, v7 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 31, 0x4400},
    {HALVES "v_mac_f16_dpp v4, v6, v7 wave_shl:1 row_mask:0xf bank_mask:0xf", "v4", 63, 0x77773c00},
    {"ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,1)", "v4", 6, 7},
    {"ds_swizzle_b32 v4, v2 offset:0x801b", "v4", 4, 7},
    {"ds_bpermute_b32 v4, v2, v1", "v4", 12, 0x11223347},
    {"ds_permute_b32 v4, v3, v2", "v4", 59, 63},
    {"ds_write_b32 v2, v1 offset:64\n ds_read_u8 v4, v2 offset:64", "v4", 4, 0x4b},
    {"ds_add_rtn_u32 v4, v5, v2", "v4", 3, 3},
    {"ds_add_rtn_u32 v4, v5, v2", "v4", 63, 62 * 63 / 2},
    {"ds_max_u32 v5, v2\n ds_read_b32 v4, v5", "v4", 1, 63},
    {"ds_cmpst_rtn_b32 v4, v5, v5, v3", "v4", 1, 0xdeadbeef},
    {"s_mov_b32 m0, 4\n ds_read_b32 v4, v5 offset:8", "v4", 0, 0},
    {"v_mad_u64_u32 v[8:9], s[8:9], v3, v3, 5", "v9", 0, 0xc1b1cd12},
    {"v_lshrrev_b64 v[8:9], 36, s[6:7]", "v8", 0, 0x0f0f0f0f},
    {"v_add_f32 v4, 1.0, 1.0 mul:2", "v4", 0, 0x40000000},
    {OMOD(4) "v_add_f32 v4, 1.0, 1.0 mul:2", "v4", 0, 0x40000000},
    {OMOD(6) "v_add_f32 v4, 1.0, 1.0 mul:2", "v4", 0, 0x40800000},
    {OMOD(6) "v_mul_f32_e64 v4, 0, -1.0 mul:2", "v4", 0, 0},
    {OMOD(6) "v_mul_f16_e64 v4, 0, -1.0 div:2", "v4", 0, 0},
    {OMOD(6) "v_mul_f64 v[4:5], 0, -1.0 mul:4", "v5", 0, 0},
    {"v_mad_u16 v4, v2, v2, v3 clamp", "v4", 63, 0xce70},
    {"v_mad_u16 v4, v3, 1, v3 clamp", "v4", 0, 0xffff},
    {"v_mad_i16 v4, v3, 1, v3 clamp", "v4", 0, 0x8000},
    {"v_mad_i16 v4, v3, v3, v2 clamp", "v4", 0, 0x7fff},
    {"v_mad_i16 v4, v2, -2, 1 clamp", "v4", 63, 0xff83},
    {"v_mad_i16 v4, v3, v3, v2", "v4", 0, 0xa321},
    {"v_add_f32 v4, 1.0, 1.0 clamp", "v4", 0, 0x3f800000},
    {"v_cvt_f16_f32 v4, 0x3f800001", "v4", 0, 0x3c00},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n v_cvt_f16_f32 v4, 0x3f800001", "v4", 0, 0x3c00},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1\n v_cvt_f16_f32 v4, 0x3f800001", "v4", 0, 0x3c01},
    {"v_fract_f32 v4, 0xb3000000", "v4", 0, 0x3f7fffff},
    {"v_med3_f32 v4, 1.0, 4.0, 2.0", "v4", 0, 0x40000000},
    {"v_cvt_f32_ubyte2 v4, v1", "v4", 0, 0x42080000},
    {"v_ldexp_f32 v4, 1.0, 3", "v4", 0, 0x41000000},
    {"v_sin_f32 v4, 0x80000000", "v4", 0, 0x80000000},
    {"v_sin_f16 v4, 0x8000", "v4", 0, 0x8000},
    {"v_sin_f32 v4, -1.0", "v4", 0, 0},
    {"v_cos_f32 v4, 0x80000000", "v4", 0, 0x3f800000},
    {"v_frexp_exp_i32_f32 v4, 4.0", "v4", 0, 3},
    {"v_cvt_pkrtz_f16_f32 v4, 1.0, -2.0", "v4", 0, 0xc0003c00},
    {"s_mov_b32 m0, 1\n v_movrels_b32 v4, v1", "v4", 9, 9},
    {"s_mov_b32 m0, 3\n v_movreld_b32 v1, v3", "v4", 9, 0xdeadbeef},
    {"s_mov_b32 m0, 60\n v_movrels_b32 v4, v1", "v4", 9, 0},
    {"s_mov_b32 m0, 60\n v_movreld_b32 v2, v3", "v2", 9, 9},
    {"s_mov_b32 m0, -1\n v_movrels_b32 v4, v3", "v4", 9, 9},
    {"s_mov_b32 m0, 3\n s_movreld_b64 s[8:9], s[6:7]", "s10", 0, 0xff00},
    {"s_mov_b32 m0, 102\n s_movrels_b32 s8, s4", "s8", 0, 0},
    {"s_mov_b32 m0, 102\n s_movreld_b32 s4, s5", "vcc_lo", 0, 0xaaaaaaaa},
    {"s_and_saveexec_b64 exec, s[6:7]", "exec_lo", 0, 0xff00},
    {"v_cvt_pkaccum_u8_f32 v3, 4.0, 1", "v3", 0, 0xdead04ef},
    {"v_mqsad_u32_u8 v[8:11], v[1:2], v3, v[12:15]", "v8", 0, 654},
    {"v_mqsad_u32_u8 v[8:11], v[1:2], v3, v[12:15]", "v9", 0, 722},
    {"v_mqsad_u32_u8 v[8:11], v[1:2], v3, v[12:15]", "v10", 0, 773},
    {"v_mqsad_u32_u8 v[8:11], v[1:2], v3, v[12:15]", "v11", 0, 807},
    {"v_mov_b32 v12, -1\n v_mqsad_u32_u8 v[8:11], v[1:2], v3, v[12:15]", "v8", 0, 653},
    {"v_mov_b32 v12, -1\n v_qsad_pk_u16_u8 v[8:9], v[1:2], v3, v[12:13]", "v8", 0, 721 << 16 | 653},
    {"v_mov_b32 v13, -1\n v_mqsad_pk_u16_u8 v[8:9], v[1:2], v3, v[12:13]", "v9", 0, 806 << 16 | 772},
    {"v_mqsad_u32_u8 v[2:5], v[1:2], v3, v[12:15]", "v4", 0, 191},
};

static void start_state(void)
{
    machine_reset(0xf0);
    memset(machine_lds, 0, sizeof machine_lds);
    machine.s[4] = 0x80000001, machine.s[5] = 3, machine.s[6] = 0xff00, machine.s[7] = 0xf0f0f0f0;
    WAVE_VCC(&machine) = UINT64_C(0xaaaaaaaaaaaaaaaa);
    machine.scc = true;
    for (unsigned l = 0; l < 64; l++)
        machine.v[1][l] = 0x11223344 + l, machine.v[2][l] = l, machine.v[3][l] = 0xdeadbeef;
}

/* Assemble all cases at once; bytes of each line. */
static unsigned char code[sizeof checks / sizeof *checks][40];
static unsigned code_bytes[sizeof checks / sizeof *checks];

static void assemble(void **unused)
{
    (void)unused;
    char input[] = "/tmp/gantry-semantics-XXXXXX", command[200], line[512];
    int fd = mkstemp(input), n = -1;
    FILE *out = fdopen(fd, "w");
    for (unsigned c = 0; c < sizeof checks / sizeof *checks; c++)
        fprintf(out, "s_nop 15\n%s\n", checks[c].code);
    fclose(out);
    snprintf(command, sizeof command, "llvm-mc-19 -triple=amdgcn -mcpu=gfx803 -show-encoding %s", input);
    FILE *in = popen(command, "r");
    while (fgets(line, sizeof line, in)) {
        char *at = strstr(line, "encoding: [");
        if (!at)
            continue;
        n += strstr(line, "s_nop 15") != NULL;
        if (strstr(line, "s_nop 15"))
            continue;
        for (at += 11; *at && *at != ']'; at++) {
            if (*at == '0' && at[1] == 'x')
                code[n][code_bytes[n]++] = strtoul(at, &at, 16);
            if (*at == ']')
                break;
        }
    }
    assert_int_equal(pclose(in), 0);
    unlink(input);
    assert_int_equal(n + 1, sizeof checks / sizeof *checks);
}

static uint32_t value_of(const struct check *c)
{
    unsigned n = c->reg[1] >= '0' && c->reg[1] <= '9' ? strtoul(c->reg + 1, NULL, 10) : 0;
    if (!strcmp(c->reg, "scc"))
        return machine.scc;
    if (!strncmp(c->reg, "vcc", 3))
        return machine.s[SREG_VCC + (c->reg[4] == 'h')];
    if (!strncmp(c->reg, "exec", 4))
        return machine.s[SREG_EXEC + (c->reg[5] == 'h')];
    return c->reg[0] == 's' ? machine.s[n] : machine.v[n][c->lane];
}

static void cases(void **unused)
{
    (void)unused;
    unsigned wrong = 0;
    for (unsigned c = 0; c < sizeof checks / sizeof *checks; c++) {
        start_state();
        for (unsigned at = 0; at < code_bytes[c];) {
            uint64_t inst;
            struct gcn3_inst d;
            memcpy(&inst, code[c] + at, 8);
            gcn3_decode(inst, &d);
            if (machine_run(inst))
                printf("%s: faults\n", checks[c].code);
            at += 4 * d.len;
        }
        uint32_t got = value_of(&checks[c]);
        if (got != checks[c].value) {
            printf("%s: %s lane %u is %08x instead of %08x\n", checks[c].code, checks[c].reg, checks[c].lane, got,
                   checks[c].value);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* LLVM does not assemble this clamp, which manuals name. */
static void product16_saturates(void **unused)
{
    (void)unused;
    start_state();
    assert_int_equal(machine_run(vop3(OP_V_MUL_LO_U16, 4, 3, 2, 0) | 1 << 15), 0);
    assert_int_equal(machine.v[4][1], 0xbeef);
    assert_int_equal(machine.v[4][2], 0xffff);
    assert_int_equal(machine_run(vop3(OP_V_MUL_LO_U16, 4, 3, 2, 0)), 0);
    assert_int_equal(machine.v[4][2], 0x7dde);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(assemble), cmocka_unit_test(cases),
                                       cmocka_unit_test(product16_saturates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Rules of software hazards (host/golden/hazard.h): sequences written as assembly (LLVM assembles them), each with the
 * rule that its last instruction breaks, once with too few wait states between and once with as many as are needed
 * (C.7).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "golden/hazard.h"

/* Wait states are put between the two. */
static const struct check {
    const char *first, *second;
    enum hazard rule;
} checks[] = {
    {"v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, v0, s[4:7], 0 offen", HAZARD_VMEM_SGPR},
    {"v_readlane_b32 s7, v0, 3", "buffer_store_dword v1, v0, s[4:7], 0 offen", HAZARD_VMEM_SGPR},
    {"v_readfirstlane_b32 s9, v0", "buffer_load_dword v1, v0, s[4:7], s9 offen", HAZARD_VMEM_SGPR},
    {"v_cmp_eq_u32 s[8:9], v0, v1", "buffer_load_dword v1, v0, s[4:7], s9 offen", HAZARD_VMEM_SGPR},
    {"v_cmp_gt_f32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", HAZARD_DIV_FMAS},
    {"v_div_scale_f32 v6, vcc, v0, v1, v0", "v_div_fmas_f32 v2, v3, v4, v5", HAZARD_DIV_FMAS},
    {"v_add_u32 v6, vcc, v0, v1", "v_div_fmas_f64 v[2:3], v[4:5], v[6:7], v[8:9]", HAZARD_DIV_FMAS},
    {"v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v1, s4", HAZARD_LANE_SELECT},
    {"v_readfirstlane_b32 s4, v0", "v_writelane_b32 v1, 6, s4", HAZARD_LANE_SELECT},
    {"v_mov_b32 v1, v0", "v_mov_b32_dpp v2, v1 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_DPP_VGPR},
    {"v_lshlrev_b64 v[4:5], 3, v[0:1]", "v_add_f32_dpp v2, v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
     HAZARD_DPP_VGPR},
    {"v_mov_b32 v1, v0", "v_add_f32_dpp v2, v3, v1 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_DPP_VGPR},
    {"v_mov_b32 v2, v0", "v_mac_f32_dpp v2, v3, v1 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_DPP_VGPR},
    {"v_mov_b32 v2, v0", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_DPP_VGPR},
    {"v_mov_b32 v2, v0", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0x7 bank_mask:0xf bound_ctrl:0", HAZARD_DPP_VGPR},
    {"v_cmpx_eq_u32 vcc, v0, v1", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_DPP_EXEC},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", "s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4)", HAZARD_SETREG},
    {"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s3", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2", HAZARD_SETREG},
    {"flat_store_dwordx4 v[0:1], v[4:7]", "v_mov_b32 v7, v0", HAZARD_STORE_DATA},
    {"flat_store_dwordx3 v[0:1], v[4:6]", "v_add_u32 v4, vcc, v0, v1", HAZARD_STORE_DATA},
    {"buffer_store_dwordx4 v[4:7], v0, s[4:7], 0 offen", "v_mov_b32 v5, v0", HAZARD_STORE_DATA},
    {"s_mov_b32 m0, s3", "s_sendmsg sendmsg(MSG_INTERRUPT)", HAZARD_SENDMSG_M0},
    {"s_setreg_b32 hwreg(HW_REG_TRAPSTS), s3", "s_rfe_b64 s[2:3]", HAZARD_RFE},
    /* no hazards */
    {"s_mov_b32 s4, s5", "buffer_load_dword v1, v0, s[4:7], 0 offen", HAZARD_NONE},
    {"v_readfirstlane_b32 s8, v0", "buffer_load_dword v1, v0, s[4:7], 0 offen", HAZARD_NONE},
    {"v_readfirstlane_b32 s4, v0\n s_mov_b32 s4, s5", "v_readlane_b32 s5, v1, s4", HAZARD_NONE},
    {"v_cmp_gt_f32 s[8:9], v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", HAZARD_NONE},
    {"v_mov_b32 v1, v0", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_NONE},
    {"v_mov_b32 v2, v0", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", HAZARD_NONE},
    {"s_mov_b64 exec, s[4:5]", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", HAZARD_NONE},
    {"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s3", "s_getreg_b32 s4, hwreg(HW_REG_HW_ID)", HAZARD_NONE},
    {"flat_store_dwordx2 v[0:1], v[4:5]", "v_mov_b32 v4, v0", HAZARD_NONE},
    {"flat_store_dwordx4 v[0:1], v[4:7]", "v_mov_b32 v0, v2", HAZARD_NONE},
    {"buffer_store_dwordx4 v[4:7], v0, s[4:7], s9 offen", "v_mov_b32 v5, v0", HAZARD_NONE},
    {"s_mov_b32 m0, s3", "s_barrier", HAZARD_NONE},
    {"s_setreg_b32 hwreg(HW_REG_MODE), s3", "s_rfe_b64 s[2:3]", HAZARD_NONE},
};
enum { COUNT = sizeof checks / sizeof *checks };

static uint8_t code[16384];
static unsigned code_bytes;

/* Text of one sequence: `between` wait states, as one s_nop or as other instructions. */
static void write_sequence(FILE *out, const struct check *c, unsigned between, bool nop)
{
    fprintf(out, "s_nop 15\n%s\n", c->first);
    if (nop && between)
        fprintf(out, "s_nop %u\n", between - 1);
    for (unsigned k = 0; !nop && k < between; k++)
        fprintf(out, "s_mov_b32 s40, s41\n");
    fprintf(out, "%s\n", c->second);
}

static unsigned needed(const struct check *c)
{
    return c->rule == HAZARD_NONE ? 0 : hazard_rules[c->rule].states;
}

static int assemble(void **unused)
{
    (void)unused;
    char input[] = "/tmp/gantry-hazard-XXXXXX", command[200], line[512];
    FILE *out = fdopen(mkstemp(input), "w");
    for (unsigned k = 0; k < COUNT; k++) {
        for (unsigned between = 0; between <= needed(&checks[k]); between++) {
            write_sequence(out, &checks[k], between, false);
            write_sequence(out, &checks[k], between, true);
        }
    }
    fprintf(out, "s_nop 15\n");
    fclose(out);
    snprintf(command, sizeof command, "llvm-mc-19 -triple=amdgcn -mcpu=gfx803 -show-encoding %s", input);
    FILE *in = popen(command, "r");
    while (fgets(line, sizeof line, in)) {
        char *at = strstr(line, "encoding: [");
        for (at = at ? at + 11 : NULL; at && *at && *at != ']';) {
            code[code_bytes++] = (uint8_t)strtoul(at, &at, 16);
            at += *at == ',';
        }
    }
    unlink(input);
    return pclose(in);
}

/* Rule that the last instruction before the next `s_nop 15` breaks; no other may break one. */
static enum hazard run_sequence(unsigned *at, unsigned *states)
{
    struct hazard_wave *h = calloc(1, sizeof *h);
    enum hazard rule = HAZARD_NONE;
    struct gcn3_inst i;
    uint64_t inst;
    for (*at += 4;; *at += 4 * i.len) {
        memcpy(&inst, code + *at, 8);
        if ((uint32_t)inst == 0xbf80000f)
            break;
        assert_int_equal(rule, HAZARD_NONE);
        gcn3_decode(inst, &i);
        assert_false(i.illegal);
        rule = hazard_step(h, &i, states);
    }
    free(h);
    return rule;
}

/* shows C.7 */
static void rules(void **unused)
{
    (void)unused;
    unsigned at = 0, seen[HAZARD_COUNT] = {0}, states;
    for (unsigned k = 0; k < COUNT; k++) {
        for (unsigned between = 0; between <= needed(&checks[k]); between++) {
            for (unsigned nop = 0; nop < 2; nop++) {
                enum hazard want = between < needed(&checks[k]) ? checks[k].rule : HAZARD_NONE,
                            got = run_sequence(&at, &states);
                if (got != want)
                    printf("%s | %s, %u between: rule %d instead of %d\n", checks[k].first, checks[k].second, between,
                           got, want);
                assert_int_equal(got, want);
                if (got)
                    assert_int_equal(states, between);
                seen[got]++;
            }
        }
    }
    assert_int_equal(at + 4, code_bytes);
    for (unsigned r = 0; r < HAZARD_COUNT; r++)
        assert_true(seen[r] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules)};
    return cmocka_run_group_tests(tests, assemble, NULL);
}

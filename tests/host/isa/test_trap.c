/* SPDX-License-Identifier: Apache-2.0
 * The golden model's privileged state: entry into and return from the trap handler, what a program sees of TBA, TMA and
 * TTMP, halt, hardware registers.  Words are those of llvm-mc-19 -mcpu=gfx803 (TBA as an operand has no name there).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "isa/gcn3.h"

#define CODE UINT64_C(0x123400001000)
#define HANDLER UINT64_C(0x400000000100)

static const uint32_t *program, *handler;

static int fetch(void *ctx, struct gcn3_wave *w, uint64_t pc, uint64_t *inst)
{
    const uint32_t *at = pc >= HANDLER ? &handler[(pc - HANDLER) / 4] : &program[(pc - CODE) / 4];
    (void)ctx, (void)w;
    *inst = at[0] | (uint64_t)at[1] << 32;
    return 0;
}

static const struct gcn3_env env = {.fetch = fetch};

static struct gcn3_wave start(const uint32_t *words, bool trap_en)
{
    struct gcn3_wave w = {.pc = CODE, .vgprs = 24, .sgprs = 48, .lds_bytes = 1024, .vmid = 5};
    program = words;
    w.trap_en = trap_en;
    w.tba = trap_en ? HANDLER | 0x80 : 0; /* the low byte is no part of the address */
    w.tma = 0xabcd00001234;
    return w;
}

static void steps(struct gcn3_wave *w, unsigned count)
{
    while (count--)
        assert_int_equal(gcn3_step(w, &env), 0);
}

static void entry_and_return(void **state)
{
    static const uint32_t code[] = {0xbef40095 /* s_mov_b32 ttmp4, 21 */,
                                    0xbe880074 /* s_mov_b32 s8, ttmp4 */,
                                    0xbf920005 /* s_trap 5 */,
                                    0xbe890070 /* s_mov_b32 s9, ttmp0 */,
                                    0,
                                    0};
    static const uint32_t work[] = {0xbe8a006c /* s_mov_b32 s10, tba_lo */,
                                    0xbeec0080 /* s_mov_b32 tba_lo, 0 */,
                                    0xbe8b006c /* s_mov_b32 s11, tba_lo */,
                                    0xbe8c016e /* s_mov_b64 s[12:13], tma */,
                                    0xbe8e0074 /* s_mov_b32 s14, ttmp4 */,
                                    0xbef40087 /* s_mov_b32 ttmp4, 7 */,
                                    0xbf920003 /* s_trap 3 */,
                                    0x80708470 /* s_add_u32 ttmp0, ttmp0, 4 */,
                                    0xbe801f70 /* s_rfe_b64 ttmp[0:1] */,
                                    0,
                                    0};
    struct gcn3_wave w = start(code, true);
    uint32_t image[128];
    (void)state;
    handler = work;
    steps(&w, 2);
    assert_int_equal(w.s[8], 0);
    steps(&w, 1);
    assert_true(w.priv && w.pc == HANDLER);
    assert_int_equal(w.s[SREG_TTMP], (uint32_t)(CODE + 8));
    assert_int_equal(w.s[SREG_TTMP + 1], 0x1234 | 5 << 16);
    steps(&w, 6);
    assert_int_equal(w.s[10], (uint32_t)(HANDLER | 0x80));
    assert_int_equal(w.s[11], w.s[10]);
    assert_true((w.s[12] | (uint64_t)w.s[13] << 32) == 0xabcd00001234);
    assert_int_equal(w.s[14], 0); /* not 21: the program's write had no effect */
    steps(&w, 1);                 /* a trap in the handler */
    assert_true(w.priv && w.pc == HANDLER + 28 && w.s[SREG_TTMP] == (uint32_t)(CODE + 8));
    steps(&w, 2);
    assert_true(!w.priv && w.pc == CODE + 12);
    steps(&w, 1);
    assert_int_equal(w.s[9], 0);
    gcn3_scalar_image(&w, image);
    assert_int_equal(image[SREG_TTMP + 4], 7);
    assert_int_equal(image[SREG_TTMP], (uint32_t)(CODE + 12));
}

static void without_a_handler(void **state)
{
    static const uint32_t code[] = {0xbf920003 /* s_trap 3 */, 0xbf9200ff /* s_trap 255 */, 0xbf920002 /* s_trap 2 */,
                                    0, 0};
    struct gcn3_wave w = start(code, false);
    (void)state;
    steps(&w, 2);
    assert_true(w.pc == CODE + 8 && !w.priv);
    assert_int_equal(gcn3_step(&w, &env), FAULT_TRAP);
    assert_true(w.pc == CODE + 8 && w.fault_va == 2);
}

static void halt_waits_for_the_end_of_the_handler(void **state)
{
    static const uint32_t code[] = {0xbf8d0000 /* s_sethalt 0 */, 0xbf920002 /* s_trap 2 */, 0, 0};
    static const uint32_t work[] = {0xbf8d0001 /* s_sethalt 1 */, 0xbf800000 /* s_nop 0 */,
                                    0xbe801f70 /* s_rfe_b64 ttmp[0:1] */, 0, 0};
    struct gcn3_wave w = start(code, true);
    (void)state;
    handler = work;
    steps(&w, 4);
    assert_true(w.halt && !gcn3_halted(&w));
    steps(&w, 1);
    assert_true(gcn3_halted(&w) && w.pc == CODE + 4);
}

static void hardware_registers(void **state)
{
    static const uint32_t code[] = {0xbf8f0002 /* s_setprio 2 */, 0, 0};
    struct gcn3_wave w = start(code, true);
    (void)state;
    w.in_group = true;
    w.scc = true;
    WAVE_EXEC(&w) = 1;
    gcn3_place(&w, 0x27, 0x19, 0x13, 12, 64, 0x4200);
    steps(&w, 1);
    static const struct {
        unsigned id;
        uint32_t value;
    } expected[] = {{2, 1u << 16 | 1 << 11 | 1 << 10 | 1 << 6 | 2 << 3 | 1},
                    {4, 9 | 1 << 4 | 7 << 8 | 2 << 13 | 3 << 16 | 5 << 20},
                    {5, 3 | 5 << 8 | 4 << 16 | 2 << 24},
                    {6, 0x42 | 4 << 12}};
    for (unsigned n = 0; n < 4; n++) {
        uint32_t word[] = {0xb8820000 | 31u << 11 | expected[n].id, 0, 0}; /* s_getreg_b32 s2, all bits */
        program = word;
        w.pc = CODE;
        steps(&w, 1);
        assert_int_equal(w.s[2], expected[n].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_and_return),
        cmocka_unit_test(without_a_handler),
        cmocka_unit_test(halt_waits_for_the_end_of_the_handler),
        cmocka_unit_test(hardware_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

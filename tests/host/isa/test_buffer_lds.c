/* SPDX-License-Identifier: Apache-2.0
 * Buffer instructions between memory and the LDS (golden model), the expected bytes written down by hand: where lane l
 * stands (M0[15:0] + offset + 4 l), what the upper half of M0 and the low address bits do not do, lanes beyond the
 * allocation or out of EXEC, the buffer's range, extension of bytes and shorts, faults (C.3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine.h"

enum { BASE = 0x1000, BYTES = 4096, GUARD = 0xa5a5a5a5 };
static uint8_t memory[BYTES];
static uint64_t touched; /* lanes that reached memory */

static int move(struct gcn3_access *a, bool store)
{
    for (unsigned l = 0; l < 64; l++) {
        if (!(a->mask >> l & 1))
            continue;
        touched |= UINT64_C(1) << l;
        if (a->va[l] < BASE || a->va[l] + a->bytes > BASE + BYTES) {
            a->fault_va = a->va[l];
            return 1;
        }
        if (store) {
            memcpy(&memory[a->va[l] - BASE], &a->data[0][l], a->bytes);
        } else {
            a->data[0][l] = 0;
            memcpy(&a->data[0][l], &memory[a->va[l] - BASE], a->bytes);
        }
    }
    return 0;
}
static int load(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    (void)ctx, (void)w;
    return move(a, false);
}
static int store(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    (void)ctx, (void)w;
    return move(a, true);
}

/* s[4:7]: 1,024 bytes from BASE on; s[8:11]: 64 records of 8 bytes with the lane as index.  v1 = 4 * lane.  Memory:
 * dword n is 0x80ff0000 + n; LDS: GUARD. */
static void start(uint32_t m0)
{
    machine_reset(0);
    machine.s[4] = machine.s[8] = BASE;
    machine.s[5] = 0, machine.s[9] = 8 << 16;
    machine.s[6] = 1024, machine.s[10] = 512;
    machine.s[7] = 0, machine.s[11] = 1 << 23;
    WAVE_M0(&machine) = m0;
    for (unsigned l = 0; l < 64; l++)
        machine.v[1][l] = 4 * l, machine.v[2][l] = 0x55;
    for (unsigned n = 0; n < BYTES / 4; n++) {
        uint32_t x = 0x80ff0000 + n, guard = GUARD;
        memcpy(&memory[4 * n], &x, 4);
        memcpy(&machine_lds[4 * n], &guard, 4);
    }
    touched = 0;
}

static int run(uint64_t inst)
{
    const struct gcn3_env env = {.load = load, .store = store};
    struct gcn3_inst d;
    gcn3_decode(inst, &d);
    assert_false(d.illegal);
    return gcn3_execute(&machine, &env, &d);
}

static uint32_t dword(const uint8_t *at)
{
    uint32_t x;
    memcpy(&x, at, 4);
    return x;
}

/* The LDS holds `value(lane)` from byte `at` on for these lanes, everything else is untouched. */
static void expect_lds(unsigned at, uint64_t lanes, uint32_t first, uint32_t step)
{
    for (unsigned n = 0; n < sizeof machine_lds / 4; n++) {
        unsigned l = n - at / 4;
        uint32_t want = l < 64 && lanes >> l & 1 ? first + step * l : GUARD;
        if (dword(&machine_lds[4 * n]) != want)
            fail_msg("LDS dword %u: %08x instead of %08x", n, dword(&machine_lds[4 * n]), want);
    }
}

#define LOAD_DWORD UINT64_C(0x80010201e0511000)  /* buffer_load_dword v1, s[4:7], 0 offen lds; field vdata names v2 */
#define STORE_DWORD UINT64_C(0x80020000e0f50000) /* buffer_store_lds_dword s[8:11], 0 */

/* shows C.3 */
static void places(void **unused)
{
    (void)unused;
    start(0x7ff00000 | 512); /* the upper half of M0 plays no part */
    assert_int_equal(run(LOAD_DWORD), 0);
    expect_lds(512, UINT64_MAX, 0x80ff0000, 1);
    assert_int_equal(machine.v[2][5], 0x55); /* no VGPR is written */
    start(515);                              /* 515 + 260 = 775: dword 193; the offset counts in memory too */
    WAVE_EXEC(&machine) = 0x8000000100000002;
    assert_int_equal(run(LOAD_DWORD | 260), 0);
    expect_lds(772, 0x8000000100000002, 0x80ff0000 + 65, 1);
    assert_int_equal(touched, 0x8000000100000002);
    start(100); /* to lane l's record: 8 l + 4 */
    for (unsigned l = 0; l < 64; l++)
        memcpy(&machine_lds[104 + 4 * l], &(uint32_t){0x1000 + l}, 4);
    assert_int_equal(run(STORE_DWORD | 4), 0);
    for (unsigned l = 0; l < 64; l++) {
        assert_int_equal(dword(&memory[8 * l + 4]), 0x1000 + l);
        assert_int_equal(dword(&memory[8 * l]), 0x80ff0000 + 2 * l);
    }
}

/* shows C.3: Lanes beyond the allocation take no part, in memory neither; there is no way round from 0xffff to 0. */
static void bounds(void **unused)
{
    (void)unused;
    start(sizeof machine_lds - 40);
    assert_int_equal(run(LOAD_DWORD), 0);
    expect_lds(sizeof machine_lds - 40, 1023, 0x80ff0000, 1);
    assert_int_equal(touched, 1023);
    start(1000);
    machine.lds_bytes = 1018; /* dwords at 1000 to 1012 */
    assert_int_equal(run(STORE_DWORD), 0);
    assert_int_equal(touched, 15);
    for (unsigned l = 0; l < 64; l++)
        assert_int_equal(dword(&memory[8 * l]), l < 4 ? GUARD : 0x80ff0000 + 2 * l);
    start(0xffff);
    assert_int_equal(run(LOAD_DWORD | 4), 0);
    expect_lds(0, 0, 0, 0);
    assert_int_equal(touched, 0);
}

/* Beyond the buffer a load brings 0, a store leaves nothing. */
static void buffer_range(void **unused)
{
    (void)unused;
    start(0);
    machine.s[6] = 40;
    assert_int_equal(run(LOAD_DWORD), 0);
    for (unsigned l = 0; l < 64; l++)
        assert_int_equal(dword(&machine_lds[4 * l]), l < 10 ? 0x80ff0000 + l : 0);
    start(0);
    machine.s[10] = 80;
    assert_int_equal(run(STORE_DWORD), 0);
    for (unsigned l = 0; l < 64; l++)
        assert_int_equal(dword(&memory[8 * l]), l < 10 ? GUARD : 0x80ff0000 + 2 * l);
}

static void narrow(void **unused)
{
    static const struct {
        uint32_t low, value;
    } loads[] = {
        {0xe0411000, 0x000000ff},
        {0xe0451000, 0xffffffff}, /* ubyte, sbyte at byte 2 */
        {0xe0491000, 0x000080ff},
        {0xe04d1000, 0xffff80ff}, /* ushort, sshort at byte 2 */
    };
    (void)unused;
    for (unsigned n = 0; n < 4; n++) {
        start(64);
        assert_int_equal(run(UINT64_C(0x80010201) << 32 | loads[n].low | 2), 0);
        expect_lds(64, UINT64_MAX, loads[n].value, 0); /* a dword for each lane; 64 + 2 is dword 16 */
    }
}

/* shows C.3 */
static void faults(void **unused)
{
    (void)unused;
    start(0);
    machine.s[6] = 8192;
    machine.v[1][40] = 4096; /* not in memory */
    assert_int_equal(run(LOAD_DWORD), 1);
    assert_int_equal(machine.fault_va, BASE + 4096);
    expect_lds(0, 0, 0, 0);
    start(sizeof machine_lds - 40); /* that lane has no place in the LDS */
    machine.s[6] = 8192;
    machine.v[1][40] = 4096;
    assert_int_equal(run(LOAD_DWORD), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(bounds),
                                       cmocka_unit_test(buffer_range), cmocka_unit_test(narrow),
                                       cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

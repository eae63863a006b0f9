/* SPDX-License-Identifier: Apache-2.0
 * What lock step holds for the memory that a load of the GPU finds: what its L2 has taken from stores and atomics,
 * until that is in DRAM, and from then on memory, whatever the host makes of it.  A store that goes through to DRAM
 * leaves its slice in the cycle in which it takes effect, and is told of before; one whose message waits, or of a
 * write-back, leaves later (S0.16, S0.17).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lockstep/lockstep_private.h"
#include "vm/pmem.h"

#define LINE UINT64_C(0x1000000004000) /* VRAM of GPU 0 */

static struct pmem *memory;
static struct lockstep *ls;
static uint64_t cycle;

static int setup(void **state)
{
    (void)state;
    memory = pmem_new(1, UINT64_C(1) << 30, UINT64_C(1) << 30);
    ls = lockstep_new(memory, 1, 1, NULL, NULL);
    cycle = 100;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lockstep_free(ls);
    pmem_free(memory);
    return 0;
}

/* A store of `value` to all bytes of `mask`: what the slice tells of it, and what it sends to DRAM. */
static void takes_effect_at(uint64_t line, uint64_t mask, uint8_t value)
{
    struct lockstep_order r = {.op = MEM_WRITE, .source = 200, .addr = line, .mask = mask};
    memset(r.data, value, sizeof r.data);
    lockstep_order(ls, 0, cycle, &r);
}

static void takes_effect(uint64_t mask, uint8_t value)
{
    takes_effect_at(LINE, mask, value);
}

static void leaves(uint64_t mask, uint8_t value)
{
    struct msg_dram_req req = {.write = 1, .addr = LINE & UINT64_C(0xffffffffffff), .mask = mask};
    memset(req.data, value, sizeof req.data);
    lockstep_dram(ls, 0, cycle, &req);
    pmem_write_masked(memory, LINE, req.data, mask);
}

static void host_writes(uint8_t value)
{
    uint64_t data[8];
    memset(data, value, sizeof data);
    pmem_write_masked(memory, LINE, data, UINT64_MAX);
}

static uint8_t byte_at(unsigned at)
{
    uint8_t found[64];
    assert_int_equal(ls_read(ls, LINE, found, sizeof found), 0);
    return found[at];
}

/* shows S0.17: a write-back comes later */
static void held_until_it_is_written_back(void **state)
{
    (void)state;
    takes_effect(0xff, 1);
    assert_int_equal(byte_at(0), 1);
    assert_int_equal(byte_at(8), 0);
    cycle += 50;
    leaves(0xff, 1);
    host_writes(7);
    assert_int_equal(byte_at(0), 7);
}

/* shows S0.16: told of first, in the cycle of the order */
static void gone_in_the_cycle_of_its_order(void **state)
{
    (void)state;
    leaves(0xff, 1);
    takes_effect(0xff, 1);
    assert_int_equal(byte_at(0), 1);
    host_writes(7);
    assert_int_equal(byte_at(0), 7);
    cycle++; /* and once more, to other bytes as well, of which the first's message waits */
    takes_effect(0xf0f, 2);
    cycle++;
    leaves(0xf0f, 2);
    takes_effect(0xff, 3);
    cycle++;
    leaves(0xff, 3);
    host_writes(8);
    assert_int_equal(byte_at(0), 8);
    assert_int_equal(byte_at(8), 8);
}

/* What left in another cycle, or was of another value or place, has not gone with this store. */
static void only_what_left_in_its_cycle(void **state)
{
    (void)state;
    leaves(0xff, 1);
    cycle++;
    takes_effect(0xff, 1);
    host_writes(7);
    assert_int_equal(byte_at(0), 1);
    cycle++;
    leaves(0xffff, 2);
    takes_effect(0xffff, 3);
    host_writes(7);
    assert_int_equal(byte_at(0), 3);
    assert_int_equal(byte_at(8), 3);
    cycle++;
    leaves(0xff0000, 4);
    takes_effect(0x1ff0000, 4);
    host_writes(7);
    assert_int_equal(byte_at(16), 7);
    assert_int_equal(byte_at(24), 4);
}

/* Nor what another line sent, or an older store to the same bytes, of which had been told. */
static void only_what_nobody_had_told_of(void **state)
{
    (void)state;
    uint8_t other[64];
    leaves(0xff, 1);
    takes_effect_at(LINE + 64, 0xff, 1);
    assert_int_equal(ls_read(ls, LINE + 64, other, sizeof other), 0);
    assert_int_equal(other[0], 1);
    cycle++;
    takes_effect(0xff, 5);
    cycle++;
    leaves(0xff, 5);
    takes_effect(0xff, 5);
    host_writes(7);
    assert_int_equal(byte_at(0), 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(held_until_it_is_written_back),
        TEST(gone_in_the_cycle_of_its_order),
        TEST(only_what_left_in_its_cycle),
        TEST(only_what_nobody_had_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Nearest allocation, in words (B.8).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/nearest_allocation.h"

static const char *told(uint64_t address)
{
    static char text[200];
    struct near near = {0};
    near_offer(&near, address, 0x100000, 0x1000, "VRAM");
    near_offer(&near, address, 0x200000, 16, "host-memory");
    near_offer(&near, address, 0x8000000000, UINT64_C(0x8000000000), "VRAM"); /* ends with the addresses */
    near_text(&near, address, text, sizeof text);
    return text;
}

/* shows B.8: before, in, beyond; of two the nearer one */
static void words(void **state)
{
    (void)state;
    assert_string_equal(told(0x100010), "0x100010 is 16 bytes into a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0x100fff), "0x100fff is 4095 bytes into a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0x101000),
                        "0x101000 is 0 bytes beyond the end of a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0x101010),
                        "0x101010 is 16 bytes beyond the end of a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0xffff0), "0xffff0 is 16 bytes before a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0x1ffff0), "0x1ffff0 is 16 bytes before a 16-byte host-memory allocation at 0x200000");
    assert_string_equal(told(0x1807ff),
                        "0x1807ff is 522239 bytes beyond the end of a 4096-byte VRAM allocation at 0x100000");
    assert_string_equal(told(0x180800), "0x180800 is 522240 bytes before a 16-byte host-memory allocation at 0x200000");
    assert_string_equal(told(0x4000000000), "0x4000000000 is near no allocation");
}

/* shows B.8: an address of a space without any */
static void nothing(void **state)
{
    struct near near = {0};
    char text[64];
    (void)state;
    near_text(&near, 8, text, sizeof text);
    assert_string_equal(text, "0x8 is near no allocation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// State of a running hash (hash_state.h): saved at any number of bytes and restored into one that has seen others it
// goes on; equal hashes have equal states; one that ends too soon, of another layout or that cannot be is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "saved/state_io.h"
#include "target/hash_state.h"

static uint8_t bytes[300];

static void saved(const XXH64_state_t *hash, struct state_buffer *to)
{
    state_buffer_init(to);
    hash_state_save(hash, &to->writer);
}

static void it_goes_on(void **state)
{
    (void)state;
    XXH64_state_t *one = XXH64_createState(), *two = XXH64_createState();
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(7 * i + 3);
    for (size_t n = 0; n <= 100; n++) {
        struct state_buffer a, b;
        XXH64_reset(one, 0);
        XXH64_reset(two, 99);
        XXH64_update(one, bytes, n);
        XXH64_update(two, bytes + 100, 77); // is gone
        saved(one, &a);
        assert_true(hash_state_restore(two, &a.reader));
        assert_int_equal(a.taken, a.count);
        assert_true(XXH64_digest(two) == XXH64(bytes, n, 0));
        saved(two, &b);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.bytes, b.bytes, a.count);
        XXH64_update(two, bytes + n, 180);
        assert_true(XXH64_digest(two) == XXH64(bytes, n + 180, 0));
        free(a.bytes);
        free(b.bytes);
    }
    XXH64_freeState(one);
    XXH64_freeState(two);
}

// What earlier writes have left in the buffer does not show.
static void equal_hashes_have_equal_states(void **state)
{
    (void)state;
    struct state_buffer a, b;
    XXH64_state_t *one = XXH64_createState(), *two = XXH64_createState();
    XXH64_reset(one, 0);
    XXH64_update(one, bytes, 40); // at once
    XXH64_reset(two, 0);
    XXH64_update(two, bytes, 31); // by pieces
    XXH64_update(two, bytes + 31, 9);
    saved(one, &a);
    saved(two, &b);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.bytes, b.bytes, a.count);
    free(a.bytes);
    free(b.bytes);
    XXH64_freeState(one);
    XXH64_freeState(two);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct state_buffer a;
    XXH64_state_t *hash = XXH64_createState();
    XXH64_reset(hash, 0);
    XXH64_update(hash, bytes, 45);
    saved(hash, &a);
    const size_t count = a.count;
    for (size_t n = 0; n < count; n++) {
        a.count = n;
        a.taken = 0;
        assert_false(hash_state_restore(hash, &a.reader));
        assert_string_equal(a.reader.why, "");
    }
    a.count = count;
    uint32_t left = 31; // the last field
    memcpy(a.bytes + count - 4, &left, 4);
    a.taken = 0;
    assert_true(hash_state_restore(hash, &a.reader));
    left = 32;
    memcpy(a.bytes + count - 4, &left, 4);
    a.taken = 0;
    assert_false(hash_state_restore(hash, &a.reader));
    assert_string_equal(a.reader.why, "hash of writes: 32 bytes left");
    a.reader.why[0] = 0;
    a.bytes[0] = 7; // of xxHash 0.7
    a.taken = 0;
    assert_false(hash_state_restore(hash, &a.reader));
    assert_string_equal(a.reader.why, "hash of writes of xxHash 0.7");
    free(a.bytes);
    XXH64_freeState(hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_goes_on), cmocka_unit_test(equal_hashes_have_equal_states),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

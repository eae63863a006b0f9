/* SPDX-License-Identifier: Apache-2.0
 * Names of symbols: what the table shows, and what a user may type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/demangle.h"

static void plain_names(void **state)
{
    static const char *const names[][2] = {{"_Z6vecaddPfPKfS1_i", "vecadd"},
                                           {"_ZN4blur5applyILi3EEEvPK15HIP_vector_typeIfLj4EEj", "blur::apply<3>"},
                                           {"_Z3runIPFviEEvT_S1_", "run<void (*)(int)>"},
                                           {"plain_c", "plain_c"},
                                           {"_Zmangled?", "_Zmangled?"},
                                           {"", ""}};

    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char *plain = symbol_plain(names[i][0]);

        assert_string_equal(plain, names[i][1]);
        free(plain);
    }
}

static void every_form_is_the_symbol(void **state)
{
    static const char symbol[] = "_ZN4blur5applyILi3EEEvPKfj";

    (void)state;
    assert_true(symbol_is(symbol, symbol));
    assert_true(symbol_is(symbol, "void blur::apply<3>(float const*, unsigned int)"));
    assert_true(symbol_is(symbol, "blur::apply<3>(float const*, unsigned int)"));
    assert_true(symbol_is(symbol, "blur::apply<3>"));
    assert_false(symbol_is(symbol, "blur::apply"));
    assert_false(symbol_is(symbol, "blur::apply<3>(float const*)"));
    assert_false(symbol_is(symbol, "apply<3>"));
    assert_false(symbol_is(symbol, ""));
    assert_true(symbol_is("plain_c", "plain_c"));
    assert_false(symbol_is("plain_c", "plain"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_names), cmocka_unit_test(every_form_is_the_symbol)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// host/base/json: every string of bytes is written as a JSON string in UTF-8 that says which bytes it were.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"

static void written(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "\"\""},
        {"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\n\t\x1b[2J\x7f", "\"\\u000a\\u0009\\u001b[2J\\u007f\""},
        {"\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81", "\"\\u009b\\u202e\\udb40\\udc41\""}, /* C1, direction, a tag */
        {"\xff\x80", "\"\\udcff\\udc80\""},
        {"\xc3(", "\"\\udcc3(\""},
        {"\xc0\xaf\xed\xa0\x80", "\"\\udcc0\\udcaf\\udced\\udca0\\udc80\""}, /* too long a form, a surrogate */
        {"\xf4\x90\x80\x80\xe2\x82", "\"\\udcf4\\udc90\\udc80\\udc80\\udce2\\udc82\""}, /* beyond the last, cut short */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        json_text(out, cases[i].text);
        fclose(out);
        assert_string_equal(text, cases[i].expected);
        for (const char *at = text; *at; at += text_printable(at))
            assert_true(text_printable(at) > 0);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

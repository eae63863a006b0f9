// SPDX-License-Identifier: Apache-2.0
// host/base/text, log: what comes from outside is escaped, cut at whole characters, and told a bounded number of times.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/demangle.h"
#include "base/kept.h"
#include "base/log.h"
#include "base/text.h"

static void bytes_become_text(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } texts[] = {
        {"plain, \"quoted\" \\ and ~", "plain, \"quoted\" \\ and ~"},
        {"two\nlines\r\ttab\x1b[2J\x7f", "two\\x0alines\\x0d\\x09tab\\x1b[2J\\x7f"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xff\xfe\x80", "\\xff\\xfe\\x80"},
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {"\xc3(", "\\xc3("},
        {"\xc0\x8a \xe0\x80\x8a \xf0\x80\x80\x8a", "\\xc0\\x8a \\xe0\\x80\\x8a \\xf0\\x80\\x80\\x8a"}, /* too long */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                                                           /* surrogate */
        {"\xf4\x8f\xbf\xbd \xf4\x90\x80\x80 \xf8\x88\x80\x80\x80",
         "\xf4\x8f\xbf\xbd \\xf4\\x90\\x80\\x80 \\xf8\\x88\\x80\\x80\\x80"},
        {"\xc2\x9b"
         "2J\xc2\xa0",
         "\\xc2\\x9b"
         "2J\xc2\xa0"}, /* C1 */
        {"a\xe2\x80\xae"
         "b\xe2\x80\xa8"
         "c",
         "a\\xe2\\x80\\xae"
         "b\\xe2\\x80\\xa8"
         "c"}, /* direction, line end */
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char to[128], *all = text_escaped(texts[i].from), *put = NULL;
        size_t bytes = 0;
        FILE *file = open_memstream(&put, &bytes);
        assert_true(text_escape(to, sizeof to, texts[i].from));
        text_put(file, texts[i].from);
        fclose(file);
        assert_string_equal(to, texts[i].to);
        assert_string_equal(all, texts[i].to);
        assert_string_equal(put, texts[i].to);
        free(all);
        free(put);
    }
    assert_int_equal(text_utf8("\n"), 1); /* a character, if not one for output */
    assert_int_equal(text_utf8("\xe2\x80\xae"), 3);
    assert_int_equal(text_utf8("\xff"), 0);
    assert_int_equal(text_utf8(""), 0);
}

/* Never a part of a character, of an escape or of the dots, and never beyond the room, at every length. */
static void long_text_is_cut(void **state)
{
    (void)state;
    static const char from[] = "ab\xe2\x82\xac\x01\xff"
                               "c\xf0\x9f\x98\x80"
                               "defghijkl";
    char *all = text_escaped(from);
    const size_t length = strlen(all);
    for (size_t room = 16; room < length + 4; room++) {
        char to[64];
        memset(to, '#', sizeof to);
        const bool whole = text_escape(to, room, from);
        const size_t used = strlen(to);
        assert_true(whole == (room > length) && used < room);
        for (size_t i = room; i < sizeof to; i++)
            assert_int_equal(to[i], '#');
        if (!whole) {
            assert_string_equal(to + used - 3, "...");
            to[used - 3] = 0;
        }
        assert_memory_equal(to, all, strlen(to));
        for (size_t at = 0; to[at]; at += text_printable(to + at))
            assert_true(text_printable(to + at) > 0);
        for (char *escape = to; (escape = strchr(escape, '\\')); escape++)
            assert_true(strlen(escape) >= 4);
    }
    assert_int_equal(text_cut("a\xe2\x82\xac", 3), 1);
    assert_int_equal(text_cut("a\xe2\x82\xac", 4), 4);
    assert_int_equal(text_cut("a", 9), 1);
    free(all);
}

/* What `write` puts into the log file. */
static char *logged(void (*write)(void))
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    const int err = dup(2);
    assert_non_null(freopen("/dev/null", "w", stderr));
    log_set_file(file);
    write();
    log_left_out();
    log_set_file(NULL);
    fflush(stderr);
    dup2(err, 2);
    close(err);
    fclose(file);
    return text;
}

static unsigned lines_with(const char *text, const char *what)
{
    unsigned n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void flood(void)
{
    for (unsigned i = 0; i < 70000; i++) {
        log_warn("driver", "offset %u refused", i);
        log_info("driver", "queue %u opened", i);
        diag_like("memory fault", NULL, "fault %u", i);
        log_finding("gpu0", "finding %u", i);
    }
    log_warn("driver", "another kind");
    diag("kernel", "no such argument");
    assert_false(diag_more("memory fault"));
    assert_true(diag_more("queue error"));
}

static void floods_are_bounded(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2; round++) { /* the report begins anew */
        char *text = logged(flood);
        assert_int_equal(lines_with(text, "refused\n"), LOG_LIKE_MOST + 1);
        assert_int_equal(lines_with(text, "opened\n"), LOG_INFO_MOST + 1);
        assert_int_equal(lines_with(text, "gantry: fault "), LOG_LIKE_MOST);
        assert_int_equal(lines_with(text, "warn finding "), LOG_INFO_MOST);
        assert_int_equal(lines_with(text, "another kind"), 1);
        assert_int_equal(lines_with(text, "gantry: kernel: no such argument\n"), 1);
        assert_non_null(strstr(text, "gantry: 69990 more lines were left out, like: offset 9 refused\n"));
        assert_non_null(strstr(text, "gantry: 69000 more lines were left out, like: queue 999 opened\n"));
        assert_non_null(strstr(text, "gantry: 69990 more lines were left out, like: fault 9\n"));
        free(text);
    }
}

static void hostile(void)
{
    char big[20000];
    memset(big, '\x1b', sizeof big - 1);
    big[sizeof big - 1] = 0;
    diag("a\nplace", "name %s", "x\ngantry: kernels=1");
    log_warn("driver", "%s", big);
    log_warn("driver", "from \xffoutside");
}

static void lines_are_escaped(void **state)
{
    (void)state;
    char *text = logged(hostile);
    assert_int_equal(lines_with(text, "\n"), 3);
    assert_non_null(strstr(text, "gantry: a\\x0aplace: name x\\x0agantry: kernels=1\n"));
    assert_non_null(strstr(text, "from \\xffoutside\n"));
    assert_null(strchr(text, '\x1b'));
    assert_true(strlen(text) < 5000);
    free(text);
}

/* Equal texts are kept once, wherever they come from; all of them stay as they are. */
static void texts_are_kept(void **state)
{
    static const char *kept[3000];
    (void)state;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 3000; i++) {
            char text[32];
            snprintf(text, sizeof text, "kernel %u", i);
            const char *found = text_kept(text);
            assert_true(round == 0 || found == kept[i]);
            assert_true(found != text);
            kept[i] = found;
        }
    for (unsigned i = 0; i < 3000; i++) {
        char text[32];
        snprintf(text, sizeof text, "kernel %u", i);
        assert_string_equal(kept[i], text);
    }
    assert_string_equal(text_kept(""), "");
    assert_ptr_equal(text_kept(""), text_kept(""));
}

/* The middle gives way, whole characters stay. */
static void text_is_shortened(void **state)
{
    static const struct {
        const char *text;
        size_t width;
        const char *expected;
    } cases[] = {{"abcdef", 6, "abcdef"},
                 {"abcdefg", 6, "ab..fg"},
                 {"abcdefgh", 7, "ab..fgh"},
                 {"abcdef", 2, ".."},
                 {"", 2, ""},
                 {"\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 7, "\xc3\xbc..\xc3\xbc"}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *shown = text_shortened(cases[i].text, cases[i].width);
        assert_string_equal(shown, cases[i].expected);
        free(shown);
    }
}

/* A few bytes of a mangled name can stand for millions: such a name stays as it is. */
static void names_do_not_grow(void **state)
{
    (void)state;
    static const char digits[] = "13579BDFH"; /* of each function type that takes the one before twice */
    char symbol[120] = "_Z1fIPFvvE", *end = symbol + strlen(symbol);
    for (const char *c = digits; *c; c++)
        end += sprintf(end, "PFvS%c_S%c_E", *c, *c);
    strcpy(end, "Evv");
    char *plain = symbol_plain(symbol);
    assert_string_equal(plain, symbol);
    free(plain);
    plain = symbol_plain("_Z1fIPFvvEEvv");
    assert_string_equal(plain, "f<void (*)()>");
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_become_text),  cmocka_unit_test(long_text_is_cut),
                                       cmocka_unit_test(floods_are_bounded), cmocka_unit_test(lines_are_escaped),
                                       cmocka_unit_test(names_do_not_grow),  cmocka_unit_test(texts_are_kept),
                                       cmocka_unit_test(text_is_shortened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

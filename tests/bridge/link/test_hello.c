// SPDX-License-Identifier: Apache-2.0
// Who meets in a region, and what does not fit: each field of a hello is looked at, on both sides, and what differs is
// refused with its name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/hello.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "links_bench.h"

/* ---- by itself */
static int too_long(void *ctx)
{
    const unsigned which = *(const unsigned *)ctx;
    char text[HELLO_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[HELLO_TEXT] = 0;
    hello_make(which == 0 ? text : "", which == 1 ? text : "", which == 2 ? text : "", 1);
    return 0;
}

static void test_made(void **state)
{
    static const char *const texts[] = {"RTL of the hello has 68 characters", "graph of the hello has 68 characters",
                                        "configuration of the hello has 68 characters"};
    char text[HELLO_TEXT];
    (void)state;
    memset(text, 'x', sizeof text);
    text[HELLO_TEXT - 1] = 0; /* the longest there is */
    struct hello h = hello_make(text, "graph", "config", UINT64_MAX - 4);
    assert_string_equal(h.rtl, text);
    assert_string_equal(h.graph, "graph");
    assert_string_equal(h.config, "config");
    assert_true(h.version == HELLO_VERSION && h.seed == UINT64_MAX - 4 && h.reserved == 0);
    for (unsigned n = 0; n < 3; n++)
        assert_said(too_long, &n, 70, texts[n]);
}

/* The first that differs, in this order, to the last character. */
static void test_fits(void **state)
{
    static const char *const lines[] = {"gantry: here: other protocol: version 1 here, 2 there\n",
                                        "gantry: here: other RTL: r here, R there\n",
                                        "gantry: here: other graph: g here, G there\n",
                                        "gantry: here: other configuration: c here, C there\n",
                                        "gantry: here: other seed: 3 here, 4 there\n",
                                        ""};
    const struct hello own = hello_make("r", "g", "c", 3);
    (void)state;
    for (unsigned n = 0; n < 6; n++) { /* this and all behind it */
        struct hello other = hello_make(n <= 1 ? "R" : "r", n <= 2 ? "G" : "g", n <= 3 ? "C" : "c", n <= 4 ? 4 : 3);
        other.version += n == 0;
        catch_errors();
        bool fits = hello_fits("here", &own, &other);
        assert_string_equal(release_errors(), lines[n]);
        assert_int_equal(fits, n == 5);
    }
    struct hello a = own, b = own;
    memset(a.config, 'x', HELLO_TEXT); /* without an end, as damage leaves it: not read beyond */
    memset(b.config, 'x', HELLO_TEXT);
    memset(a.pad, 'y', sizeof a.pad);
    assert_true(hello_fits("here", &a, &b));
    a.config[HELLO_TEXT - 1] = 'y';
    catch_errors();
    bool fits = hello_fits("here", &a, &b);
    const char *line = release_errors();
    assert_false(fits);
    assert_int_equal(strlen(line), strlen("gantry: here: other configuration:  here,  there\n") + 2 * (HELLO_TEXT - 1));
}

/* ---- between processes */
struct meeting {
    int fd;
    struct hello hello;
};

static int meet(void *ctx)
{
    struct meeting *m = ctx;
    struct region *r = region_open(m->fd, 1, &m->hello, 1);
    if (r == NULL)
        return 1;
    bool met = peers_greet(r, 60);
    region_close(r);
    return met ? 0 : 2;
}

/* Each field is looked at, and the first that differs is named, on both sides. */
static void test_hello_names_what_differs(void **state)
{
    (void)state;
    struct hello own = hello_make("rtl-1", "graph-1", "config-1", 5);
    static const char *const texts[] = {
        "process one: other protocol: version 1 here, 2 there", "process one: other RTL: rtl-2 here, rtl-1 there",
        "process one: other graph: graph-2 here, graph-1 there",
        "process one: other configuration: config-2 here, config-1 there", "process one: other seed: 6 here, 5 there"};
    for (unsigned field = 0; field < 6; field++) {
        struct region_link links[] = {FORTH, BACK};
        struct meeting m = {region_of(links, 2),
                            hello_make(field == 1 ? "rtl-2" : "rtl-1", field == 2 ? "graph-2" : "graph-1",
                                       field == 3 ? "config-2" : "config-1", field == 4 ? 6 : 5)};
        struct hello theirs = own;
        theirs.version += field == 0;
        struct region *r = region_open(m.fd, 0, &own, 1);
        region_entry(r, 0)->hello = theirs; /* a side of another version that joined */
        if (field == 5) {
            assert_int_equal(meet(&m), 0);
            assert_true(peers_greet(r, 1));
        } else {
            assert_said(meet, &m, 2, texts[field]);
            assert_int_equal(region_entry(r, 1)->stage, REGION_REFUSED);
            if (field)
                assert_false(peers_greet(r, 1));
        }
        region_close(r);
        close(m.fd);
    }
}

/* A region of another version or none at all, a process that never comes, ends that differ. */
static int other_version(void *ctx)
{
    struct meeting *m = ctx;
    m->hello.version++;
    return meet(m);
}

static int no_region(void *ctx)
{
    struct meeting m = *(struct meeting *)ctx;
    m.fd = memfd_create("x", 0);
    if (ftruncate(m.fd, 100000) != 0)
        return 9;
    return meet(&m);
}

static int nobody_comes(void *ctx)
{
    struct meeting *m = ctx;
    struct region *r = region_open(m->fd, 1, &m->hello, 1);
    return r && peers_greet(r, 0) ? 0 : 2;
}

static int end_differs(void *ctx)
{
    struct meeting *m = ctx;
    struct region *r = region_open(m->fd, 1, &m->hello, 1);
    struct region_link like = FORTH;
    struct link link;
    like.bytes += m->hello.seed == 10;
    like.latency += m->hello.seed == 11;
    like.depth += m->hello.seed == 12;
    snprintf(like.name, sizeof like.name, "%s", m->hello.seed == 13 ? "a:1 -> b:0" : FORTH.name);
    return r && end_open(&link, r, &like, m->hello.seed == 14) ? 0 : 3;
}

static void test_what_does_not_fit_is_refused(void **state)
{
    static const char *const ends[] = {"a:0 -> b:0: messages of 25 bytes here, 24 there",
                                       "a:0 -> b:0: latency 11 here, 10 there", "a:0 -> b:0: depth 65 here, 64 there",
                                       "a:1 -> b:0: no link of this name enters process two",
                                       "a:0 -> b:0: no link of this name leaves process two"};
    struct region_link links[] = {FORTH, BACK};
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        struct meeting m = {region_of(links, 2), hello_make("r", "g", "c", n + 7)};
        if (n == 0)
            assert_said(other_version, &m, 1, "links: other protocol: version 2 here, 1 there");
        else if (n == 1)
            assert_said(no_region, &m, 1, "links: not the shared memory of a run");
        else if (n == 2)
            assert_said(nobody_comes, &m, 2, "links: process one has not come within 0 s");
        else
            assert_said(end_differs, &m, 3, ends[n - 3]);
        close(m.fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_hello_names_what_differs),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

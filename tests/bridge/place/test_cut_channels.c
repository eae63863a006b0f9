// SPDX-License-Identifier: Apache-2.0
// The plan of links between processes and its text, and what becomes of each channel in one process, with partitions
// that do nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/place/cut_channels.h"

static void nothing(struct part *part, uint64_t from)
{
    (void)from;
    part->idle = true;
}
static const struct part_ops ops = {.visit = nothing};

/* Partitions a, b of process 0, c of process 1, d of process 2; self: who sees it, UINT32_MAX: nobody. */
enum { PARTS = 4 };
static const uint32_t home[PARTS] = {0, 0, 1, 2};
static struct part *parts[PARTS];
static void assemble(struct sched *s, uint32_t self)
{
    for (unsigned i = 0; i < PARTS; i++) {
        const char name[2] = {(char)('a' + i), 0};
        parts[i] = home[i] == self ? part_new(&ops, name, 3, 3, NULL) : part_elsewhere(name, 3, 3, home[i]);
        sched_add(s, parts[i]);
    }
}

/* Between processes only, in the order of assembly, each with its name, width, latency, depth and both processes. */
static void test_plan(void **state)
{
    struct cut_plan plan = {.links = NULL};
    struct sched s;
    (void)state;
    sched_init(&s);
    s.cut = cut_planner(&plan);
    assemble(&s, UINT32_MAX);
    assert_null(sched_connect(&s, parts[0], 0, parts[2], 1, 8, 20, 4));
    assert_null(sched_connect(&s, parts[0], 1, parts[1], 1, 8, 20, 4)); /* within a process: no link */
    assert_null(sched_connect(&s, parts[3], 2, parts[1], 0, 0, 8, 1));  /* the least there may be */
    assert_int_equal(s.connected, 3);                                   /* all are numbered */
    assert_false(plan.failed);
    assert_int_equal(plan.count, 2);
    const struct region_link *l = plan.links;
    assert_string_equal(l[0].name, "a:0 -> c:1");
    assert_true(l[0].bytes == 8 && l[0].latency == 20 && l[0].depth == 4 && l[0].from == 0 && l[0].to == 1);
    assert_string_equal(l[1].name, "d:2 -> b:0");
    assert_true(l[1].bytes == 0 && l[1].latency == 8 && l[1].depth == 1 && l[1].from == 2 && l[1].to == 0);
    catch_errors();
    assert_null(sched_connect(&s, parts[2], 0, parts[3], 0, 8, 7, 4)); /* too short to run a window at a time */
    assert_string_equal(release_errors(), "gantry: c:0 -> d:0: latency 7: between processes it must be at least 8\n");
    assert_true(plan.failed && plan.count == 2);
    for (uint32_t n = 0; n < 100; n++)
        sched_connect(&s, parts[2], 1, parts[3], 1, n, 9, 4);
    assert_int_equal(plan.count, 102);
    for (uint32_t n = 0; n < 100; n++)
        assert_true(plan.links[n + 2].bytes == n && plan.links[n + 2].latency == 9);
    assert_string_equal(plan.links[0].name, "a:0 -> c:1");
    sched_fini(&s);
    cut_plan_fini(&plan);
    assert_true(plan.links == NULL && plan.count == 0 && plan.room == 0 && !plan.failed);
}

/* 16 hexadecimal digits that any difference of two plans changes. */
static void test_text(void **state)
{
    static const struct region_link first = {"a:0 -> c:1", 8, 20, 4, 0, 1}, second = {"d:2 -> b:0", 8, 20, 4, 2, 0};
    struct region_link links[2] = {first, second};
    struct cut_plan plan = {.links = links, .count = 2};
    char text[18], other[18];
    (void)state;
    memset(text, '#', sizeof text);
    cut_plan_text(&plan, text);
    assert_int_equal(strspn(text, "0123456789abcdef"), 16);
    assert_true(text[16] == 0 && text[17] == '#');
    cut_plan_text(&plan, other);
    assert_string_equal(text, other);
    for (unsigned which = 0; which < 2; which++) {
        uint32_t *const numbers[] = {&links[which].bytes, &links[which].latency, &links[which].depth,
                                     &links[which].from, &links[which].to};
        for (unsigned n = 0; n < 5; n++) {
            ++*numbers[n];
            cut_plan_text(&plan, other);
            assert_string_not_equal(text, other);
            --*numbers[n];
        }
        links[which].name[4] = '=';
        cut_plan_text(&plan, other);
        assert_string_not_equal(text, other);
        links[which].name[4] = which ? second.name[4] : first.name[4];
    }
    plan.count = 1;
    cut_plan_text(&plan, other);
    assert_string_not_equal(text, other);
    plan.count = 2;
    links[0] = second;
    links[1] = first;
    cut_plan_text(&plan, other);
    assert_string_not_equal(text, other);
    plan.count = 0;
    cut_plan_text(&plan, other);
    assert_string_equal(other, "0000000000000000");
}

/* ---- in one process */
static struct link *opened[4];
static unsigned opens;
static bool there;
static bool toy_open(struct link *link, void *place)
{
    assert_ptr_equal(place, &opens);
    opened[opens++] = link;
    link->ring = ring_new_empty(link->bytes, link->depth, RING_LINE);
    if (!there)
        free(link->ring);
    return there;
}
static void toy_close(struct link *link)
{
    free(link->ring);
}
static const struct transport toy = {.name = "toy", .open = toy_open, .close = toy_close};

/* What has an end here is a link with both names and numbers; what has none is nothing, and no failure. */
static void test_here(void **state)
{
    struct cut cut = {{&toy, &opens}, false};
    struct sched s;
    (void)state;
    sched_init(&s);
    s.cut = cut_here(&cut);
    assemble(&s, 0);
    opens = 0;
    there = true;
    struct wire *out = sched_connect(&s, parts[0], 2, parts[2], 1, 8, 20, 4);
    struct wire *in = sched_connect(&s, parts[3], 1, parts[1], 0, 16, 30, 5);
    assert_null(sched_connect(&s, parts[2], 0, parts[3], 2, 8, 20, 4));
    assert_false(cut.failed);
    assert_true(opens == 2 && out && in);
    assert_string_equal(opened[0]->name, "a:2 -> c:1");
    assert_true(opened[0]->sends && opened[0]->bytes == 8 && opened[0]->latency == 20 && opened[0]->depth == 4);
    assert_true(out->out == opened[0] && out->from == parts[0] && out->to == NULL && out->to_slot == 1);
    assert_string_equal(opened[1]->name, "d:1 -> b:0");
    assert_true(!opened[1]->sends && opened[1]->bytes == 16 && opened[1]->latency == 30 && opened[1]->depth == 5);
    assert_true(in->in == opened[1] && in->from == NULL && in->to == parts[1] && in->to_slot == 0);
    assert_true(out->channel.id == 0 && in->channel.id == 1 && s.connected == 3);
    there = false; /* the carrier has no such link */
    assert_null(sched_connect(&s, parts[0], 0, parts[2], 0, 8, 20, 4));
    assert_true(cut.failed && s.connected == 4);
    there = true;
    assert_non_null(sched_connect(&s, parts[2], 2, parts[0], 0, 8, 20, 4));
    assert_true(cut.failed); /* it stays so */
    sched_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

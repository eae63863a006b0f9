// SPDX-License-Identifier: Apache-2.0
// A region byte by byte: head, entries, places, bundles and rings behind each other at whole lines, no more than there
// must be; what a plan may not say; what each process knows when it has joined.
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/region_layout.h"

enum { MOST = 400 };
static const char *names[REGION_PROCESSES];
static char texts[REGION_PROCESSES][REGION_NAME];
static struct region_link links[MOST];

/* `count` links among `processes`, of widths, latencies and depths of all kinds. */
static struct region_plan plan_of(uint32_t processes, uint32_t count)
{
    for (uint32_t i = 0; i < processes; i++) {
        snprintf(texts[i], REGION_NAME, "process%u", i);
        names[i] = texts[i];
    }
    for (uint32_t n = 0; n < count; n++) {
        uint32_t from = n * 7 % processes, to = (from + 1 + n / 3 % (processes - 1)) % processes;
        links[n] = (struct region_link){
            .bytes = n * 13 % 130, .latency = 8 + n * 29 % 97, .depth = 1 + n * 5 % 17, .from = from, .to = to};
        link_name(links[n].name, "a", n, "b", n);
    }
    return (struct region_plan){names, processes, links, count, processes > 2 ? 1 : REGION_NONE};
}

static uint64_t line_of(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct region_head *mapped(int fd, uint64_t *bytes)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    *bytes = (uint64_t)st.st_size;
    struct region_head *head = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(head != MAP_FAILED);
    return head;
}

static const struct region_place *place_of(const struct region_head *head, const char *name)
{
    for (uint32_t n = 0; n < head->link_count; n++) {
        if (strcmp(region_places(head)[n].link.name, name) == 0)
            return &region_places(head)[n];
    }
    fail_msg("no link %s", name);
    return NULL;
}

static void assert_layout(uint32_t processes, uint32_t count)
{
    const struct region_plan plan = plan_of(processes, count);
    uint64_t bytes;
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    struct region_head *head = mapped(fd, &bytes);
    assert_true(head->magic == REGION_MAGIC && head->version == HELLO_VERSION && head->host == plan.host);
    assert_true(head->process_count == processes && head->link_count == count && head->bytes == bytes);
    assert_true(head->ahead == UINT64_MAX && head->floor == 0 && head->quiet == 0 && head->awake == 0);
    for (uint32_t i = 0; i < processes; i++) {
        assert_string_equal(head->entries[i].name, texts[i]);
        assert_true(head->entries[i].stage == REGION_ABSENT && head->entries[i].pid == 0);
    }
    assert_int_equal(head->links_at, line_of(sizeof *head + processes * sizeof head->entries[0]));
    uint64_t at = line_of(head->links_at + count * sizeof(struct region_place));
    static uint64_t bundle_at[MOST * MOST];
    uint32_t numbered[16][16] = {{0}};
    for (uint32_t from = 0; from < processes; from++) /* one bundle for each two that have a link */
        for (uint32_t to = 0; to < processes; to++) {
            uint32_t many = 0, least = UINT32_MAX;
            for (uint32_t n = 0; n < count; n++)
                if (links[n].from == from && links[n].to == to) {
                    many++;
                    least = links[n].latency < least ? links[n].latency : least;
                }
            if (many == 0)
                continue;
            const struct bundle_shared *b = (const struct bundle_shared *)((const uint8_t *)head + at);
            bundle_at[from * processes + to] = at;
            assert_true(b->links == many && b->least == least && b->promise == 0);
            at += bundle_size(many);
        }
    for (uint32_t n = 1; n < count; n++)
        assert_true(strcmp(region_places(head)[n - 1].link.name, region_places(head)[n].link.name) < 0);
    for (uint32_t n = 0; n < count; n++) { /* rings and numbers are those of the plan's order */
        const struct region_place *p = place_of(head, links[n].name);
        const struct ring *ring = (const struct ring *)((const uint8_t *)head + p->at);
        assert_memory_equal(&p->link, &links[n], sizeof links[n]);
        assert_int_equal(p->at, at);
        assert_int_equal(p->bundle_at, bundle_at[links[n].from * processes + links[n].to]);
        assert_int_equal(p->number, numbered[links[n].from][links[n].to]++);
        assert_true(ring->bytes == links[n].bytes && ring->depth == links[n].depth && ring->promise == 0);
        at += ring_size(links[n].bytes, links[n].depth, RING_LINE);
    }
    assert_int_equal(at, bytes);
    munmap(head, bytes);
    close(fd);
}

static void test_layout(void **state)
{
    static const uint32_t counts[][2] = {{1, 0}, {2, 0}, {2, 1}, {2, 2}, {3, 5}, {2, 65}, {5, 60}, {16, 300}, {2, 400}};
    (void)state;
    for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++)
        assert_layout(counts[n][0], counts[n][1]);
}

/* ---- what a plan may not say */
static int planned(void *ctx)
{
    const unsigned n = *(const unsigned *)ctx;
    struct region_plan plan = plan_of(3, 6);
    char name[REGION_NAME + 1];
    memset(name, 'x', sizeof name);
    name[REGION_NAME] = 0;
    if (n == 0)
        links[4].depth = 0;
    else if (n == 1)
        links[4].to = 3;
    else if (n == 2)
        links[4].from = 3;
    else if (n == 3)
        links[4].from = links[4].to = 1;
    else if (n == 4)
        plan.host = 3;
    else if (n == 5)
        plan.process_count = REGION_PROCESSES + 1;
    else if (n == 6)
        names[2] = name;
    else if (n == 7) /* not beside each other */
        links[5] = links[0];
    else if (n == 8) { /* nor of another process, beside each other when sorted */
        strcpy(links[1].name, links[0].name);
        links[1].from = 2;
        links[1].to = links[0].to == 2 ? 1 : links[0].to;
    } else if (n == 9) {
        name[REGION_NAME - 1] = 0; /* the longest there is */
        names[2] = name;
        plan.host = 2;
        links[4].depth = 1;
    }
    int fd = region_create(&plan);
    return fd >= 0 ? 0 : 1;
}

static void test_plans(void **state)
{
    static const char *const lines[] = {"depth 0",
                                        "to 3, depth",
                                        "link from process 3",
                                        "link from process 1 to 1",
                                        "host is process 3",
                                        "129 processes, at most 128",
                                        "name of a process is too long",
                                        "two links of this name",
                                        "two links of this name"};
    (void)state;
    for (unsigned n = 0; n < 10; n++) {
        if (n < 9)
            assert_said(planned, &n, 70, lines[n]);
        else
            assert_int_equal(status_of(planned, &n), 0);
    }
}

/* ---- who has joined */
static void test_joined(void **state)
{
    const struct region_plan plan = plan_of(3, 6);
    const struct hello hello = hello_make("r", "g", "c", 3);
    cpu_set_t cores;
    int fd = region_create(&plan);
    (void)state;
    struct region *r = region_open(fd, 2, &hello, 5);
    assert_non_null(r);
    assert_true(r->self == 2 && r->threads == 5 && r->looked == 0 && r->answered == 0);
    assert_int_equal(sched_getaffinity(0, sizeof cores, &cores), 0);
    assert_int_equal(r->cores, CPU_COUNT(&cores));
    for (unsigned i = 0; i < REGION_PROCESSES; i++)
        assert_true(r->pidfds[i] == -1 && !r->mine[i] && r->to[i] == NULL && r->from[i] == NULL);
    assert_int_equal(r->head->awake, 5);
    assert_int_equal(region_entry(r, 2)->pid, getpid());
    assert_memory_equal(&region_entry(r, 2)->hello, &hello, sizeof hello);
    assert_int_equal(region_entry(r, 2)->stage, REGION_GREETED);
    assert_int_equal(region_entry(r, 1)->stage, REGION_ABSENT);
    region_ring(r, 1);
    assert_true(region_entry(r, 1)->bell == 1 && region_entry(r, 0)->bell == 0);
    region_close(r);
    close(fd);
}

static int joins_twice(void *ctx)
{
    const struct region_plan plan = plan_of(3, 6);
    const struct hello hello = hello_make("r", "g", "c", 3);
    int fd = region_create(&plan);
    (void)ctx;
    region_open(fd, 2, &hello, 1);
    region_open(fd, 2, &hello, 1);
    return 0;
}

static void test_joins_once(void **state)
{
    (void)state;
    assert_said(joins_twice, NULL, 70, "process2: internal error");
}

/* Each link is found by its name alone, in whatever order they are opened, by the two that it is between. */
static void test_opened(void **state)
{
    enum { ENDS = 3, COUNT = 11 };
    const struct region_plan plan = plan_of(ENDS, COUNT);
    const struct hello hello = hello_make("r", "g", "c", 3);
    struct region *r[ENDS];
    struct link ends[COUNT][2];
    int fd = region_create(&plan);
    (void)state;
    for (uint32_t i = 0; i < ENDS; i++)
        r[i] = region_open(fd, i, &hello, 1);
    for (unsigned step = 0; step < COUNT; step++) {
        const unsigned n = step * 7 % COUNT;
        const struct region_link *like = &links[n];
        for (unsigned sends = 0; sends < 2; sends++) {
            struct link *end = &ends[n][sends];
            link_init(end, &transport_shm, like->name, sends, like->bytes, like->latency, like->depth);
            for (uint32_t i = 0; i < ENDS; i++) {
                if (i != (sends ? like->from : like->to))
                    assert_false(transport_shm.open(end, r[i]));
            }
            struct region *own = r[sends ? like->from : like->to];
            assert_true(transport_shm.open(end, own));
            const struct region_place *p = place_of(own->head, like->name);
            assert_ptr_equal(end->ring, (const uint8_t *)own->head + p->at);
            assert_int_equal(end->number, p->number);
            assert_int_equal(region_partner(own, end), sends ? like->to : like->from);
        }
    }
    struct link none;
    link_init(&none, &transport_shm, "a:11 -> b:11", true, 8, 8, 8);
    assert_false(transport_shm.open(&none, r[0]));
    for (unsigned n = 0; n < COUNT; n++) {
        for (unsigned sends = 0; sends < 2; sends++)
            transport_shm.close(&ends[n][sends]);
    }
    for (uint32_t i = 0; i < ENDS; i++)
        region_close(r[i]);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),     cmocka_unit_test(test_plans),  cmocka_unit_test(test_joined),
        cmocka_unit_test(test_joins_once), cmocka_unit_test(test_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

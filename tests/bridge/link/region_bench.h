/* SPDX-License-Identifier: Apache-2.0
 * For tests: a region of three processes that are all played by the test, with a link from the first to the second and
 * one back.
 */
#ifndef TESTS_BRIDGE_LINK_REGION_BENCH_H
#define TESTS_BRIDGE_LINK_REGION_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/region_layout.h"

enum { ALL = 3 };
#define NEVER UINT64_MAX

struct bench {
    struct region *r[ALL];
    struct region_head *head;
};

static inline void bench_open(struct bench *b, uint32_t host)
{
    static const char *const names[ALL] = {"p0", "p1", "p2"};
    static const struct region_link links[] = {{"a:0 -> b:0", 8, 20, 4, 0, 1}, {"b:0 -> a:0", 8, 30, 4, 1, 0}};
    const struct region_plan plan = {names, ALL, links, 2, host};
    const struct hello hello = hello_make("r", "g", "c", 3);
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    for (uint32_t i = 0; i < ALL; i++) {
        b->r[i] = region_open(fd, i, &hello, i); /* 0 threads count as one */
        assert_non_null(b->r[i]);
    }
    b->head = b->r[0]->head;
    close(fd);
}

static inline void bench_close(struct bench *b)
{
    for (uint32_t i = 0; i < ALL; i++)
        region_close(b->r[i]);
}

static inline struct region_entry *entry(struct bench *b, uint32_t process)
{
    return region_entry(b->r[0], process);
}
#endif

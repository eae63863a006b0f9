/* SPDX-License-Identifier: Apache-2.0
 * For tests: a region of two processes, with a link from the first to the second and one back.
 */
#ifndef TESTS_BRIDGE_LINK_LINKS_BENCH_H
#define TESTS_BRIDGE_LINK_LINKS_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bridge/link/region.h"

static const char *const PROCESSES[] = {"one", "two"};

static inline int region_of(const struct region_link *links, uint32_t count)
{
    struct region_plan plan = {PROCESSES, 2, links, count, REGION_NONE};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

static const struct region_link FORTH = {"a:0 -> b:0", 24, 10, 64, 0, 1}, BACK = {"b:0 -> a:0", 0, 10, 64, 1, 0};

static inline bool end_open(struct link *link, struct region *r, const struct region_link *like, bool sends)
{
    link_init(link, &transport_shm, like->name, sends, like->bytes, like->latency, like->depth);
    return link->transport->open(link, r);
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * For tests: all that has come over a link, as a scheduler takes it.
 */
#ifndef TESTS_BRIDGE_LINK_TAKE_H
#define TESTS_BRIDGE_LINK_TAKE_H
#include "bridge/link/link.h"

static inline void take_come(void *ctx, struct link *link)
{
    (void)ctx;
    link->transport->peek(link);
}

/* Returns the horizon; link->arrived is the number of messages. */
static inline uint64_t take_all(struct link *link)
{
    return link_take_all(link, take_come, NULL);
}
#endif

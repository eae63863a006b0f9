/* SPDX-License-Identifier: Apache-2.0
 * Policy `never`: pages stay where they are.  With it no GPU counts and there are no phases (host/system/phases.h).
 */
#include "policy/policy.h"

static void *begin(const struct policy_machine *m)
{
    (void)m;
    return NULL;
}

static void end(void *own)
{
    (void)own;
}

static void count(void *own, const struct page_fact *f)
{
    (void)own, (void)f;
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    (void)own, (void)p, (void)out, (void)room;
    return 0;
}

const struct policy_ops policy_never = {.name = "never", .begin = begin, .end = end, .count = count, .phase = phase};

/* SPDX-License-Identifier: Apache-2.0
 * The policies that there are; contract in policy.h.
 */
#include "policy/policy.h"

#include <string.h>

static const struct policy_ops *const policies[] = {&policy_never,    &policy_first_touch, &policy_threshold,
                                                    &policy_periodic, &policy_benefit,     &policy_adaptive};

const struct policy_ops *policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policies[i]->name, name) == 0)
            return policies[i];
    return NULL;
}

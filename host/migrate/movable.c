/* SPDX-License-Identifier: Apache-2.0
 * Which memory may move; contract in movable.h.
 */
#include "migrate/movable.h"

#include <stddef.h>

const char *movable_why_not(const struct memory_fact *fact)
{
    if (fact->kind == MEMORY_CLIENT)
        return "it is memory of a process";
    if (fact->kind == MEMORY_HOST)
        return "it is host memory, which the program looks at while the clock stands";
    if (fact->fine)
        return "it is fine-grained, so the program may look at it while kernels run";
    if (!fact->executable)
        return "it is scratch memory, which belongs to the wavefronts of one GPU";
    if (fact->ring)
        return "it is a queue";
    if ((fact->mapped & (fact->mapped - 1)) == 0)
        return "fewer than two GPUs have it mapped";
    return NULL;
}

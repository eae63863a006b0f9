/* SPDX-License-Identifier: Apache-2.0
 * A look into client memory that takes no time; contract in cp_private.h.
 */
#include "firmware/cp_private.h"

bool peek_for_report(const struct cp_space *space, uint64_t va, void *to, unsigned bytes)
{
    return pagetable_read(space->pt, va, to, bytes) == 0;
}

uint64_t peek_word_for_report(const struct cp_space *space, uint64_t va, unsigned bytes)
{
    uint64_t value = 0;
    return peek_for_report(space, va, &value, bytes) ? value : 0;
}

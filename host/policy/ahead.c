/* SPDX-License-Identifier: Apache-2.0
 * Pages that are moved ahead; contract in ahead.h.
 */
#include "policy/ahead.h"

#include <stddef.h>

#define FIRST 2u /* units, behind the second page of a row */

static struct ahead_row *row_at(struct ahead *a, const void *owner, unsigned gpu, uint64_t next)
{
    for (unsigned i = 0; i < AHEAD_ROWS; i++) {
        struct ahead_row *r = &a->row[i];
        if (r->used && r->owner == owner && r->gpu == gpu && r->next == next)
            return r;
    }
    return NULL;
}

static struct ahead_row *oldest(struct ahead *a)
{
    struct ahead_row *r = &a->row[0];
    for (unsigned i = 1; i < AHEAD_ROWS; i++)
        r = a->row[i].used < r->used ? &a->row[i] : r;
    return r;
}

unsigned ahead_asked(struct ahead *a, const void *owner, unsigned gpu, uint64_t page, uint64_t bytes)
{
    if (a->most == 0)
        return 0;
    struct ahead_row *r = row_at(a, owner, gpu, page);
    const unsigned before = r ? r->window : 0;
    const unsigned window = !r ? 0 : before ? 2 * before : FIRST;
    r = r ? r : oldest(a);
    *r = (struct ahead_row){.owner = owner,
                            .gpu = gpu,
                            .next = page + bytes,
                            .window = window < a->most ? window : a->most,
                            .used = ++a->calls};
    return r->window;
}

void ahead_fetched(struct ahead *a, const void *owner, unsigned gpu, uint64_t page, uint64_t bytes, unsigned count)
{
    struct ahead_row *r = row_at(a, owner, gpu, page + bytes);
    if (r)
        r->next += count * bytes;
}

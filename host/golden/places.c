/* SPDX-License-Identifier: Apache-2.0
 * Places in the code that were warned of; contract in places.h.
 */
#include "golden/places.h"

#include <stdlib.h>

#include "base/xalloc.h"

bool places_first(struct places *p, struct place place)
{
    for (size_t k = 0; k < p->count; k++) {
        const struct place *known = &p->place[k];
        if (known->pc == place.pc && known->gpu == place.gpu && known->vmid == place.vmid && known->rule == place.rule)
            return false;
    }
    p->place = xgrow(p->place, &p->room, p->count + 1, sizeof *p->place);
    p->place[p->count++] = place;
    return true;
}

void places_free(struct places *p)
{
    free(p->place);
    *p = (struct places){0};
}

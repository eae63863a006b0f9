/* SPDX-License-Identifier: Apache-2.0
 * State of partitions; contract in part.h.  A partition without `save` has no state of its own.
 */
#include "bridge/part/part.h"
#include "saved/state_io.h"

const char *part_unsavable(const struct part *part)
{
    return part->ops->unsavable ? part->ops->unsavable(part) : NULL;
}

static void own_save(struct part *part, struct state_writer *to)
{
    STATE_PUT(to, part->idle);
    if (part->ops->save)
        part->ops->save(part, to);
}

void part_save(struct part *part, struct state_writer *to)
{
    STATE_PUT(to, part->visits);
    own_save(part, to);
}

bool part_restore(struct part *part, struct state_reader *from)
{
    uint8_t idle;
    if (!STATE_GET(from, part->visits) || !STATE_GET(from, idle))
        return false;
    part->idle = idle;
    return part->ops->restore == NULL || part->ops->restore(part, from);
}

uint64_t part_state_hash(struct part *part)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    own_save(part, &hash.writer);
    return state_hash_end(&hash);
}

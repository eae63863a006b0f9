/* SPDX-License-Identifier: Apache-2.0
 * Export and import of memory objects; contract in shared_objects.h.
 */
#include "memory/shared_objects.h"

#include <errno.h>
#include <string.h>

#include <xxhash.h>

#include "base/log.h"
#include "driver/driver.h"
#include "memory/backing.h"

/* The exported memory with that handle; NULL: there is none. */
static struct backing *shared_find(const struct driver *d, const uint32_t share[SHARE_WORDS])
{
    const struct range *name = ranges_at(&d->shared, (uint64_t)share[1] << 32 | share[0]);
    struct backing *b = name ? RANGE_OF(name, struct backing, name) : NULL;
    return b && memcmp(b->share, share, sizeof b->share) == 0 ? b : NULL;
}

/* A handle that no other memory has. */
static void handle_make(struct driver *d, struct backing *b)
{
    do {
        const uint64_t order = d->exports++;
        const XXH128_hash_t hash = XXH3_128bits_withSeed(&order, sizeof order, d->seed);
        memcpy(b->share, &hash.low64, sizeof hash.low64);
        memcpy(b->share + 2, &hash.high64, sizeof hash.high64);
        b->name = (struct range){.at = (uint64_t)b->share[1] << 32 | b->share[0], .bytes = 1};
    } while (b->name.at == UINT64_MAX || ranges_at(&d->shared, b->name.at));
    ranges_add(&d->shared, &b->name);
}

int share_export(struct driver *d, struct client *c, void *arg)
{
    struct share_export_args *a = arg;
    const struct object *o = memory_find(c, a->handle);
    if (!o || !o->hold || o->hold->backing->kind == BACKING_USER || gpu_of_id(d, a->gpu_id) < 0) {
        log_warn("driver", "client %u: export of 0x%llx refused: no memory of a GPU or of the driver", c->index,
                 (unsigned long long)a->handle);
        return EINVAL;
    }
    struct backing *b = o->hold->backing;
    b->share_flags = a->flags;
    if (!b->name.bytes)
        handle_make(d, b);
    memcpy(a->share, b->share, sizeof b->share);
    return 0;
}

int share_import(struct driver *d, struct client *c, void *arg)
{
    struct share_import_args *a = arg;
    struct backing *b = shared_find(d, a->share);
    if (!b || gpu_of_id(d, a->gpu_id) != (int)b->gpu) {
        log_warn("driver", "client %u: import of %08x-%08x-%08x-%08x refused: nothing is exported under it", c->index,
                 a->share[0], a->share[1], a->share[2], a->share[3]);
        return EINVAL;
    }
    a->flags = b->share_flags;
    return memory_add(d, c, b, a->va_addr, &a->handle, &a->mmap_offset);
}

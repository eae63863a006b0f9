/* SPDX-License-Identifier: Apache-2.0
 * Queues: life cycle, the map from (process, queue id) to the GPU that owns it, doorbell pages.  A queue's GPU is fixed
 * at creation; destroy and update name no GPU, the map knows it.  Not responsible for: packets (host/firmware).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include <linux/kfd_ioctl.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "vm/pagetable.h"

#define AQL_BYTES 64u
#define WINDOW_KIB 1024u
#define PAGE UINT64_C(4096)
#define VA_LIMIT (UINT64_C(1) << 40)

uint64_t queue_window(const struct driver *d, unsigned gpu)
{
    uint64_t kib = gpu < d->cfg->system_doorbell_windows.count ? d->cfg->system_doorbell_windows.value[gpu]
                                                               : (uint64_t)(gpu + 1) * WINDOW_KIB;
    return kib * 1024;
}

struct queue *queue_find(const struct client *c, uint32_t id)
{
    return id < DOORBELL_QUEUES ? c->queues[id] : NULL;
}

static uint32_t *doorbell_word(const struct driver *d, const struct queue *q)
{
    return (uint32_t *)(void *)(q->client->pages + queue_window(d, q->gpu)) + q->id;
}

static unsigned queues_on(const struct driver *d, unsigned gpu)
{
    unsigned count = 0;
    for (const struct client *c = d->clients; c; c = c->next)
        for (uint32_t id = 0; id < DOORBELL_QUEUES; id++)
            count += c->queues[id] && c->queues[id]->gpu == gpu;
    return count;
}

/* All pages of the range belong to the client on that GPU. */
static bool range_mapped(const struct pagetable *pt, uint64_t va, uint32_t bytes)
{
    bool all = pt && va <= VA_LIMIT - bytes;
    for (uint64_t page = va / PAGE; all && page * PAGE < va + bytes; page++)
        all = pagetable_entry(pt, page * PAGE) != 0;
    return all;
}

/* Ring and indices lie in memory of the client. */
static bool places_valid(const struct client *c, unsigned gpu, const struct kfd_ioctl_create_queue_args *a)
{
    const struct pagetable *pt = c->gpu[gpu].pt;
    return a->ring_base_address % AQL_BYTES == 0 && a->read_pointer_address % sizeof(uint64_t) == 0 &&
           a->write_pointer_address % sizeof(uint64_t) == 0 && range_mapped(pt, a->ring_base_address, a->ring_size) &&
           range_mapped(pt, a->read_pointer_address, sizeof(uint64_t)) &&
           range_mapped(pt, a->write_pointer_address, sizeof(uint64_t));
}

static bool share_valid(uint32_t percentage, uint32_t priority)
{
    return percentage <= KFD_MAX_QUEUE_PERCENTAGE && priority <= KFD_MAX_QUEUE_PRIORITY;
}

int queue_create(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_create_queue_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    uint32_t id = 0;
    if (gpu < 0 || !share_valid(a->queue_percentage, a->queue_priority))
        return EINVAL;
    if (a->queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) {
        log_info("driver", "client %u: queue of type %u refused: only AQL queues are served", c->index, a->queue_type);
        return EINVAL;
    }
    if (!places_valid(c, (unsigned)gpu, a)) {
        log_warn("driver", "client %u: queue refused: ring or indices are not in mapped memory", c->index);
        return EINVAL;
    }
    if (queues_on(d, (unsigned)gpu) >= d->cfg->driver_queues)
        return ENOSPC;
    while (c->queues[id])
        id++;
    if (id == DOORBELL_QUEUES)
        return ENOSPC;
    if (!c->gpu[gpu].space_open) /* moves under way do not know of it: it would not hear of an unlock */
        memory_settle_all(d, c);
    int error = client_space_open(d, c, (unsigned)gpu);
    if (error)
        return error;
    const struct cp_queue_args args = {.number = d->queue_count,
                                       .ring = a->ring_base_address,
                                       .packets = a->ring_size / AQL_BYTES / 2,
                                       .write_index = a->write_pointer_address,
                                       .read_index = a->read_pointer_address,
                                       .priority = a->queue_priority};
    struct cp_queue *cp = cp_queue_open(machine_cp(d->machine, (unsigned)gpu), &c->gpu[gpu].space, &args);
    if (!cp)
        return EINVAL;
    struct queue *q = xcalloc(1, sizeof *q);
    *q = (struct queue){.client = c, .id = id, .number = d->queue_count++, .gpu = (unsigned)gpu, .cp = cp};
    c->queues[id] = q;
    cp_queue_suspend(machine_cp(d->machine, (unsigned)gpu), cp, a->queue_percentage == 0);
    *doorbell_word(d, q) = DOORBELL_IDLE;
    d->gpu_work = true;
    a->queue_id = id;
    a->doorbell_offset = doorbell_encode(PAGE_DOORBELL, a->gpu_id);
    log_info("driver", "client %u: queue %u on gpu%d, %llu packets", c->index, q->number, gpu,
             (unsigned long long)args.packets);
    return 0;
}

static void queue_release(struct driver *d, struct queue *q)
{
    q->client->queues[q->id] = NULL;
    cp_queue_close(machine_cp(d->machine, q->gpu), q->cp);
    free(q);
}

int queue_destroy(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_destroy_queue_args *a = arg;
    struct queue *q = queue_find(c, a->queue_id);
    if (!q)
        return EINVAL;
    queue_release(d, q);
    return 0;
}

void queue_release_all(struct driver *d, struct client *c)
{
    for (uint32_t id = 0; id < DOORBELL_QUEUES; id++)
        if (c->queues[id])
            queue_release(d, c->queues[id]);
}

void queue_forget_all(struct client *c)
{
    for (uint32_t id = 0; id < DOORBELL_QUEUES; id++)
        free(c->queues[id]);
}

int queue_update(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_update_queue_args *a = arg;
    struct queue *q = queue_find(c, a->queue_id);
    if (!q || !share_valid(a->queue_percentage, a->queue_priority))
        return EINVAL;
    cp_queue_priority(q->cp, a->queue_priority);
    cp_queue_suspend(machine_cp(d->machine, q->gpu), q->cp, a->queue_percentage == 0);
    return 0;
}

int queue_cu_mask(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_set_cu_mask_args *a = arg;
    struct queue *q = queue_find(c, a->queue_id);
    uint64_t mask = 0; /* of the first 64 CUs: no GPU has more */
    if (!q || a->num_cu_mask == 0 || a->num_cu_mask % 32 ||
        client_read(c, a->cu_mask_ptr, &mask, MIN(a->num_cu_mask / 8, sizeof mask)))
        return EINVAL;
    return cp_queue_cu_mask(machine_cp(d->machine, q->gpu), q->cp, mask) ? 0 : EINVAL;
}

static bool doorbell_rung(const struct driver *d, const struct queue *q)
{
    return __atomic_load_n(doorbell_word(d, q), __ATOMIC_ACQUIRE) != DOORBELL_IDLE;
}

bool queue_rung(const struct driver *d)
{
    for (const struct client *c = d->clients; c; c = c->next)
        for (uint32_t id = 0; id < DOORBELL_QUEUES; id++)
            if (c->queues[id] && doorbell_rung(d, c->queues[id]))
                return true;
    return false;
}

bool queue_doorbells(struct driver *d)
{
    bool any = false;
    for (struct client *c = d->clients; c; c = c->next) {
        for (unsigned g = 0; g < machine_gpus(d->machine); g++) {
            for (uint32_t id = 0; id < DOORBELL_QUEUES; id++) {
                struct queue *q = c->queues[id];
                if (!q || q->gpu != g || !doorbell_rung(d, q))
                    continue;
                __atomic_store_n(doorbell_word(d, q), DOORBELL_IDLE, __ATOMIC_SEQ_CST);
                if (d->first_doorbell == NEVER)
                    d->first_doorbell = machine_now(d->machine);
                d->doorbells[g]++;
                any = true;
                cp_doorbell(machine_cp(d->machine, g), q->cp);
            }
        }
    }
    return any;
}

int queue_map_offset(struct driver *d, struct client *c, uint64_t offset, uint64_t bytes, uint64_t *file_offset)
{
    enum page_kind kind;
    uint32_t gpu_id;
    if (!c->pages || bytes == 0 || bytes > DOORBELL_PAGE || !doorbell_decode(offset, &kind, &gpu_id))
        return EINVAL;
    int gpu = gpu_of_id(d, gpu_id);
    if (gpu < 0 || kind == PAGE_EVENTS) /* the event page is the program's own buffer */
        return EINVAL;
    *file_offset = queue_window(d, (unsigned)gpu) + (kind == PAGE_MMIO ? DOORBELL_MMIO_AT : 0);
    return 0;
}

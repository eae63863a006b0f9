/* SPDX-License-Identifier: Apache-2.0
 * mmap offsets of the kfd descriptor: the GPU id and the kind of page are encoded in the offset that an ioctl returns,
 * and decoded when the program maps it.  The page of a process belongs to its own descriptor.
 */
#ifndef GANTRY_DOORBELL_H
#define GANTRY_DOORBELL_H
#include <stdbool.h>
#include <stdint.h>

#define DOORBELL_PAGE 4096u
#define DOORBELL_QUEUES 1024u    /* 32-bit words of a page */
#define DOORBELL_IDLE UINT32_MAX /* what the driver leaves in a word it has read */
#define DOORBELL_MMIO_AT 8192u   /* in a GPU's window: the page of the remapped MMIO registers */

enum page_kind { PAGE_MMIO = 0, PAGE_RESERVED = 1, PAGE_EVENTS = 2, PAGE_DOORBELL = 3 };

static inline uint64_t doorbell_encode(enum page_kind kind, uint32_t gpu_id)
{
    return (uint64_t)kind << 62 | (uint64_t)(gpu_id & 0xffff) << 46;
}

/* False when bits are set that no offset of ours has. */
static inline bool doorbell_decode(uint64_t offset, enum page_kind *kind, uint32_t *gpu_id)
{
    *kind = (enum page_kind)(offset >> 62);
    *gpu_id = (uint32_t)(offset >> 46 & 0xffff);
    return (offset & ((UINT64_C(1) << 46) - 1)) == 0 && *kind != PAGE_RESERVED;
}
#endif

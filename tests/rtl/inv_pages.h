// SPDX-License-Identifier: Apache-2.0
// tlb_pkg::inv_t on a port of a bench: which pages of which address space an invalidation names.  Not responsible for: the
// messages that carry it (root, bytes of ctl_cmd).
#ifndef INV_PAGES_H
#define INV_PAGES_H
#include <cstdint>

// Pages first to last of vmid (255: of all spaces); all of its pages when last is below first.
template <class Port> static inline void put_pages(Port &port, unsigned vmid, unsigned first = 1, unsigned last = 0)
{
    uint64_t low = (uint64_t)(last < first) << 56 | (uint64_t)first << 28 | last;
    port[0] = (uint32_t)low;
    port[1] = (uint32_t)(low >> 32) | vmid << 25;
    port[2] = vmid >> 7;
}
#endif

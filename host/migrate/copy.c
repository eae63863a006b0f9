/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a page; contract in copy.h.
 */
#include "migrate/copy.h"

#include "base/check.h"
#include "migrate/frames.h"
#include "vm/pmem.h"

void copy_page(struct pmem *pm, uint64_t page, uint64_t to)
{
    uint8_t bytes[FRAMES_SMALL];
    const int read = pmem_read(pm, pmem_frame_of(pm, page), bytes, sizeof bytes);
    const int written = read ? read : pmem_write(pm, to, bytes, sizeof bytes);
    CHECK(written == 0, "migrate", "page %llx to %llx: error %d", (unsigned long long)page, (unsigned long long)to,
          written);
}

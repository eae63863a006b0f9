/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a page, brought to another frame by the host: no GPU has caches with something of it.
 */
#ifndef GANTRY_MIGRATE_COPY_H
#define GANTRY_MIGRATE_COPY_H
#include <stdint.h>

struct pmem;

void copy_page(struct pmem *pm, uint64_t page, uint64_t to);
#endif

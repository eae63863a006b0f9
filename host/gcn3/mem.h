/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden model: LDS access by byte address, for DS and flat instructions.
 */
#ifndef GCN3_MEM_H
#define GCN3_MEM_H
#include "gcn3/salu.h"

/* False when out of the allocation: then zeros are read. */
bool lds_read(const struct gcn3_wave *w, uint32_t address, void *to, unsigned bytes);
void lds_write(struct gcn3_wave *w, uint32_t address, const void *from, unsigned bytes);
uint64_t lds_atomic(struct gcn3_wave *w, uint32_t address, unsigned op, unsigned bytes, uint64_t operand, uint64_t compare);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden model: LDS access by byte address, for DS and flat instructions; buffer instructions between
 * memory and the LDS.
 */
#ifndef GCN3_MEM_H
#define GCN3_MEM_H
#include "isa/salu.h"

/* False when out of the allocation: then zeros are read, and w->lds_missed is set, as by the others. */
bool lds_read(struct gcn3_wave *w, uint32_t address, void *to, unsigned bytes);
void lds_write(struct gcn3_wave *w, uint32_t address, const void *from, unsigned bytes);
uint64_t lds_atomic(struct gcn3_wave *w, uint32_t address, unsigned op, unsigned bytes, uint64_t operand,
                    uint64_t compare);

/* MUBUF with the lds bit: byte in the LDS of a lane; active lanes whose dword lies in the allocation, which alone take
 * part. */
uint32_t buffer_lds_address(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned lane);
uint64_t buffer_lds_lanes(const struct gcn3_wave *w, const struct gcn3_inst *i);
void buffer_lds_missed(struct gcn3_wave *w, const struct gcn3_inst *i); /* notes active lanes that do not */
/* Note an access at this byte that lies outside. */
void lds_miss(struct gcn3_wave *w, uint32_t address);
/* Its memory side: a load leaves in data[] what the LDS gets, a store takes from there what the LDS held. */
int buffer_lds_move(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i, uint32_t data[64]);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden model: what its files share.  Not for other folders.
 */
#ifndef GCN3_SALU_H
#define GCN3_SALU_H
#include "isa/gcn3.h"

/* Scalar operand by code; half selects half-precision inline floats. */
uint32_t scalar_read32(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned code, bool half);
uint64_t scalar_read64(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned code);
void scalar_write32(struct gcn3_wave *w, unsigned code, uint32_t value);
void scalar_write64(struct gcn3_wave *w, unsigned code, uint64_t value);

void salu_execute(struct gcn3_wave *w, const struct gcn3_inst *i);
/* Branches, s_getpc, s_setpc, s_swappc: pc is that of the following instruction. */
void branch_execute(struct gcn3_wave *w, const struct gcn3_inst *i);
/* Vector ALU: 0 or FAULT_ILLEGAL when the table names an operation that has no function. */
int valu_execute(struct gcn3_wave *w, const struct gcn3_inst *i);
void lds_execute(struct gcn3_wave *w, const struct gcn3_inst *i);
int mem_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i);
int smem_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden model: privileged state (trap handler, TBA, TMA, TTMP) and hardware registers (s_getreg,
 * s_setreg).  docs/reference/isa.md, "Traps", tells the choices.
 */
#ifndef GANTRY_GCN3_TRAP_H
#define GANTRY_GCN3_TRAP_H
#include "isa/gcn3.h"

#define PC_MASK UINT64_C(0xffffffffffff)

/* s_trap, with w->pc behind it: into the handler, or without one nothing; FAULT_TRAP for llvm.trap without one. */
int trap_execute(struct gcn3_wave *w, unsigned id);
/* s_rfe_b64, with w->pc at its target: leaves the handler. */
void trap_return(struct gcn3_wave *w);
/* After an instruction that may have written privileged registers: undoes what the wavefront may not write. */
void trap_guard(struct gcn3_wave *w);

uint32_t hwreg_read(const struct gcn3_wave *w, unsigned id);
/* control: the field of the instruction, {size - 1, offset, register}. */
void hwreg_write(struct gcn3_wave *w, unsigned control, uint32_t value);
#endif

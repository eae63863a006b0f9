/* SPDX-License-Identifier: Apache-2.0
 * Text of gfx803 instructions, by LLVM's disassembler library.  Not responsible for: execution, our own decoder.
 */
#ifndef GANTRY_DISASM_H
#define GANTRY_DISASM_H
#include <stddef.h>
#include <stdint.h>

struct disasm;

/* NULL when LLVM has no AMDGPU target. */
struct disasm *disasm_new(void);
void disasm_free(struct disasm *d);
/* Instruction in two dwords (first in the low half), without leading blanks; its length in bytes, 0 and
 * "illegal XXXXXXXX XXXXXXXX" when LLVM knows none. */
unsigned disasm_text(struct disasm *d, uint64_t pc, uint64_t inst, char *text, size_t room);
#endif

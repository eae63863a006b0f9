/* SPDX-License-Identifier: Apache-2.0
 * LLVM's disassembler behind disasm.h.
 */
#include "isa/disasm.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct disasm {
    LLVMDisasmContextRef context;
};

struct disasm *disasm_new(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    struct disasm *d = xcalloc(1, sizeof *d);
    d->context = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx803", NULL, 0, NULL, NULL);
    if (!d->context) {
        free(d);
        return NULL;
    }
    return d;
}

void disasm_free(struct disasm *d)
{
    if (!d)
        return;
    LLVMDisasmDispose(d->context);
    free(d);
}

/* LLVM 19's printer crashes on reserved selections of SDWA (7); what selects nothing in a format does not matter to it.
 */
static bool crashes_llvm(uint64_t inst)
{
    bool compare = (inst >> 25 & 0x7f) == 0x3e, one = (inst >> 25 & 0x7f) == 0x3f;
    bool sdwa = !(inst >> 31 & 1) && (inst & 511) == 0xf9;
    return sdwa && ((!compare && (inst >> 40 & 7) == 7) || (inst >> 48 & 7) == 7 || (!one && (inst >> 56 & 7) == 7));
}

unsigned disasm_text(struct disasm *d, uint64_t pc, uint64_t inst, char *text, size_t room)
{
    uint8_t bytes[8];
    char line[256];
    memcpy(bytes, &inst, sizeof bytes);
    size_t n = crashes_llvm(inst) ? 0 : LLVMDisasmInstruction(d->context, bytes, sizeof bytes, pc, line, sizeof line);
    if (!n) {
        snprintf(text, room, "illegal %08x %08x", (unsigned)inst, (unsigned)(inst >> 32));
        return 0;
    }
    char *from = line + strspn(line, " \t");
    for (char *c = from; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(text, room, "%s", from);
    return n;
}

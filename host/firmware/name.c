/* SPDX-License-Identifier: Apache-2.0
 * The name of a kernel from what lies in guest memory: the loader maps the ELF header and the dynamic symbols of a code
 * object together with its code, so the symbol whose value is the descriptor's place names the kernel.  ROCr's own
 * copy and fill kernels have no ELF image; their register counts tell them apart.  Not responsible for: metadata.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "firmware/cp_private.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define SEARCH_PAGES 16384 /* a code object of at most 64 MiB */

/* Values of the dynamic table in load-relative addresses. */
struct dynamic {
    uint64_t symbols, strings, hash;
};

static bool dynamic_read(struct cp_space *space, uint64_t base, struct dynamic *d)
{
    Elf64_Ehdr header;
    if (!peek_for_report(space, base, &header, sizeof header) || header.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    for (unsigned i = 0; i < header.e_phnum && i < 32; i++) {
        Elf64_Phdr segment;
        if (!peek_for_report(space, base + header.e_phoff + i * sizeof segment, &segment, sizeof segment))
            return false;
        if (segment.p_type != PT_DYNAMIC)
            continue;
        for (unsigned k = 0; k < segment.p_memsz / sizeof(Elf64_Dyn) && k < 256; k++) {
            Elf64_Dyn entry;
            if (!peek_for_report(space, base + segment.p_vaddr + k * sizeof entry, &entry, sizeof entry))
                return false;
            if (entry.d_tag == DT_SYMTAB)
                d->symbols = entry.d_un.d_ptr;
            if (entry.d_tag == DT_STRTAB)
                d->strings = entry.d_un.d_ptr;
            if (entry.d_tag == DT_HASH)
                d->hash = entry.d_un.d_ptr;
        }
    }
    return d->symbols && d->strings && d->hash;
}

static bool symbol_find(struct cp_space *space, uint64_t base, uint64_t object, char *name, unsigned room)
{
    struct dynamic d = {0};
    if (!dynamic_read(space, base, &d))
        return false;
    /* The loader may have relocated the table's pointers. */
    uint64_t symbols = d.symbols >= base ? d.symbols : base + d.symbols;
    uint64_t strings = d.strings >= base ? d.strings : base + d.strings;
    uint64_t hash = d.hash >= base ? d.hash : base + d.hash;
    uint64_t count = peek_word_for_report(space, hash + 4, 4);
    for (uint64_t i = 0; i < count && i < 65536; i++) {
        Elf64_Sym symbol;
        if (!peek_for_report(space, symbols + i * sizeof symbol, &symbol, sizeof symbol))
            return false;
        if (symbol.st_value != object - base || symbol.st_name == 0)
            continue;
        for (unsigned n = 0; n < room; n++) {
            name[n] = (char)peek_word_for_report(space, strings + symbol.st_name + n, 1);
            if (!name[n])
                break;
        }
        name[room - 1] = 0;
        size_t length = strlen(name);
        if (length > 3 && strcmp(name + length - 3, ".kd") == 0)
            name[length - 3] = 0;
        return true;
    }
    return false;
}

/* ROCr keeps these three in system memory (owner 0). */
static const char *builtin_name(struct cp_space *space, uint64_t object)
{
    uint64_t entry = pagetable_lookup(space->pt, object);
    uint32_t rsrc1 = (uint32_t)peek_word_for_report(space, object + 0x30, 4);
    if (!entry || (entry & PTE_ADDR) >> PMEM_OWNER_SHIFT)
        return NULL;
    if ((rsrc1 & 63) == 1)
        return "rocr.fill";
    return (rsrc1 & 63) != 2 ? NULL : (rsrc1 >> 6 & 15) == 3 ? "rocr.copy_aligned" : "rocr.copy_misaligned";
}

void kernel_name(struct cp_space *space, uint64_t object, char *name, unsigned room)
{
    uint64_t base = object & ~(PAGE - 1);
    for (unsigned i = 0; i < SEARCH_PAGES && base >= PAGE; i++, base -= PAGE) {
        uint32_t magic = 0;
        if (!peek_for_report(space, base, &magic, 4))
            break;
        if (magic == 0x464c457f && symbol_find(space, base, object, name, room))
            return;
    }
    const char *known = builtin_name(space, object);
    if (known)
        snprintf(name, room, "%s", known);
    else
        snprintf(name, room, "kernel@%llx", (unsigned long long)object);
}

/* SPDX-License-Identifier: Apache-2.0
 * The name of a kernel from what lies in guest memory: the loader maps the ELF header and the dynamic symbols of a code
 * object together with its code, so the symbol whose value is the descriptor's place names the kernel.  ROCr's own
 * copy and fill kernels have no ELF image; their register counts tell them apart.  Not responsible for: metadata.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/kept.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define SEARCH_PAGES 16384 /* a code object of at most 64 MiB */
#define NAME_READ 65536u   /* bytes of a name that are looked at */
#define PIECE 256u

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

/* The text at `va`, up to where no more is mapped; of one that is longer than NAME_READ its beginning.  New. */
static char *string_read(struct cp_space *space, uint64_t va)
{
    char *text = NULL;
    size_t room = 0, n = 0, part = 0;
    for (; n < NAME_READ; n += part) {
        part = PAGE - (va + n) % PAGE; /* a page is mapped or not */
        part = part < PIECE ? part : PIECE;
        text = xgrow(text, &room, n + part + 1, 1);
        if (!peek_for_report(space, va + n, text + n, (unsigned)part))
            break;
        const char *end = memchr(text + n, 0, part);
        if (end)
            return text;
    }
    text[n] = 0;
    return text;
}

/* What CP_NAME_MOST leaves of a name: two that differ somewhere stay two. */
static const char *name_keep(char *name, size_t length)
{
    static _Thread_local const char *last;
    char sum[24];
    if (length <= CP_NAME_MOST)
        return text_kept(name);
    const int bytes = snprintf(sum, sizeof sum, "...#%016llx", (unsigned long long)XXH64(name, length, 0));
    memcpy(name + CP_NAME_MOST - bytes, sum, (size_t)bytes + 1);
    const char *kept = text_kept(name);
    if (kept != last)
        log_warn("cp", "the name of a kernel is longer than %u bytes, and cut: %.40s%s", CP_NAME_MOST, kept, sum);
    last = kept;
    return kept;
}

/* NULL: no symbol is there. */
static const char *symbol_find(struct cp_space *space, uint64_t base, uint64_t object)
{
    struct dynamic d = {0};
    if (!dynamic_read(space, base, &d))
        return NULL;
    /* The loader may have relocated the table's pointers. */
    uint64_t symbols = d.symbols >= base ? d.symbols : base + d.symbols;
    uint64_t strings = d.strings >= base ? d.strings : base + d.strings;
    uint64_t hash = d.hash >= base ? d.hash : base + d.hash;
    uint64_t count = peek_word_for_report(space, hash + 4, 4);
    for (uint64_t i = 0; i < count && i < 65536; i++) {
        Elf64_Sym symbol;
        if (!peek_for_report(space, symbols + i * sizeof symbol, &symbol, sizeof symbol))
            return NULL;
        if (symbol.st_value != object - base || symbol.st_name == 0)
            continue;
        char *name = string_read(space, strings + symbol.st_name);
        size_t length = strlen(name);
        if (length > 3 && strcmp(name + length - 3, ".kd") == 0)
            name[length -= 3] = 0;
        const char *kept = name_keep(name, length);
        free(name);
        return kept;
    }
    return NULL;
}

/* ROCr keeps these three in system memory (owner 0). */
static const char *builtin_name(struct cp_space *space, uint64_t object)
{
    uint64_t entry = pagetable_entry(space->pt, object);
    uint32_t rsrc1 = (uint32_t)peek_word_for_report(space, object + 0x30, 4);
    if (!entry || (entry & PTE_ADDR) >> PMEM_OWNER_SHIFT)
        return NULL;
    if ((rsrc1 & 63) == 1)
        return "rocr.fill";
    return (rsrc1 & 63) != 2 ? NULL : (rsrc1 >> 6 & 15) == 3 ? "rocr.copy_aligned" : "rocr.copy_misaligned";
}

const char *kernel_name(struct cp_space *space, uint64_t object)
{
    uint64_t base = object & ~(PAGE - 1);
    for (unsigned i = 0; i < SEARCH_PAGES && base >= PAGE; i++, base -= PAGE) {
        uint32_t magic = 0;
        if (!peek_for_report(space, base, &magic, 4))
            break;
        const char *name = magic == 0x464c457f ? symbol_find(space, base, object) : NULL;
        if (name)
            return name;
    }
    const char *known = builtin_name(space, object);
    char place[32];
    snprintf(place, sizeof place, "kernel@%llx", (unsigned long long)object);
    return text_kept(known ? known : place);
}

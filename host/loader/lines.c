/* SPDX-License-Identifier: Apache-2.0
 * Source lines; contract in lines.h.
 */
#include "loader/lines.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

static bool unit_find(Dwarf *dwarf, Dwarf_Off die_at, uint64_t address, char *text, size_t room)
{
    Dwarf_Die unit;
    Dwarf_Line *line = dwarf_offdie(dwarf, die_at, &unit) ? dwarf_getsrc_die(&unit, address) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    if (!file || dwarf_lineno(line, &number) < 0 || number == 0)
        return false;
    const char *slash = strrchr(file, '/');
    snprintf(text, room, "%s:%d", slash ? slash + 1 : file, number);
    return true;
}

/* Clang writes no table of address ranges for this target: every unit is asked. */
bool lines_find(const void *elf, size_t bytes, uint64_t address, char *text, size_t room)
{
    elf_version(EV_CURRENT);
    Elf *image = elf_memory((char *)(uintptr_t)elf, bytes); /* which it does not write */
    Dwarf *dwarf = image ? dwarf_begin_elf(image, DWARF_C_READ, NULL) : NULL;
    Dwarf_Off at = 0, next;
    size_t header;
    bool found = false;
    while (dwarf && !found && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        found = unit_find(dwarf, at + header, address, text, room);
        at = next;
    }
    if (dwarf)
        dwarf_end(dwarf);
    if (image)
        elf_end(image);
    return found;
}

/* SPDX-License-Identifier: Apache-2.0
 * Source lines of a code object from its DWARF, where it has some (elfutils' libdw).
 */
#ifndef GANTRY_LINES_H
#define GANTRY_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "FILE:LINE" of the load-relative address in the ELF image (NULL, 0: there is none); false without.  The bytes are
 * read, not trusted, but libdw is not proof against every forgery: of an image from elsewhere, call it where a crash
 * does no harm. */
bool lines_find(const void *elf, size_t bytes, uint64_t address, char *text, size_t room);
#endif
